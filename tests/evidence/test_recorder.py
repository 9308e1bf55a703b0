"""Any step of any loop is taken down, whatever is in it, and can be read again."""

import hashlib
import json

import msgspec
import pytest
from evidence_samples import QUESTION, TASK, recorder
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.evidence.recorder import Agent, Recorder, RecorderSettings
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.records.steps import Source
from gaia_harness.records.trajectories import Trajectory, decode, encode

ANY_TEXT = st.text(st.characters(), max_size=80)
LONG_TEXT = st.builds(lambda part, times: part * times, ANY_TEXT, st.sampled_from([1, 60, 400]))
ANY_CONTENT = LONG_TEXT | st.binary(max_size=60) | st.builds(lambda part: part * 300, st.binary(max_size=40))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read_again(taken: Recorder) -> Trajectory:
    """Write the steps as a line and read it; the line must be what it was."""
    assert taken.failures == []
    steps = taken.steps
    line = encode(
        Trajectory(
            task_id=TASK,
            model="m",
            turns=1,
            final_answer=None,
            input_tokens=None,
            output_tokens=None,
            voting_attempts=1,
            selected_attempt=1,
            tools_used=(),
            steps=steps,
        )
    )
    trajectory = decode(line, where="t.jsonl:1")
    assert encode(trajectory) == line
    return trajectory


def original(content: str | bytes) -> bytes:
    return content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content


@given(ANY_CONTENT, ANY_CONTENT, ANY_CONTENT)
def test_any_text_is_taken_down_with_the_hash_and_count_of_all_its_bytes(prompt, output, result):
    taken = recorder()
    taken.prompt(1, "user", prompt, context_sha256=None)
    taken.llm_call(1, output, model="m")
    taken.tool_call(1, "c", "t", {})
    taken.tool_result(1, "c", "t", result)
    first, second, _, third = read_again(taken).steps
    for content, said, step, limit in (
        (prompt, first.content_sha256, first, 2048),
        (output, second.output_sha256, second, 64 << 10 if len(original(output)) <= 64 << 10 else 4096),
        (result, third.output_sha256, third, 4096),
    ):
        data = original(content)
        assert said == sha256(data)
        assert step.bytes == len(data)
        assert step.truncated == (len(data) > limit)
        head = step.head.replace("\ufffd", "")
        assert len(head.encode()) <= limit
        if data.isascii() and not step.redactions:
            assert step.head == data[:limit].decode()


@pytest.mark.parametrize(("size", "truncated"), [(2047, False), (2048, False), (2049, True)])
def test_a_prompt_keeps_its_first_2_kib(size, truncated):
    taken = recorder()
    taken.prompt(1, "user", "x" * size, context_sha256=None)
    (step,) = taken.steps
    assert (len(step.head), step.truncated, step.bytes) == (min(size, 2048), truncated, size)


@pytest.mark.parametrize(("size", "truncated"), [(4096, False), (4097, True)])
def test_a_tool_result_keeps_its_first_4_kib(size, truncated):
    taken = recorder()
    taken.tool_result(1, "c", "t", "x" * size)
    (step,) = taken.steps
    assert (len(step.head), step.truncated, step.bytes) == (4096, truncated, size)


@pytest.mark.parametrize("size", [65_536, 65_537])
def test_words_and_thoughts_are_kept_whole_in_the_step_or_beside_it(tmp_path, size):
    bodies = TextStore(tmp_path / "bodies", compressed=True)
    taken = Recorder(settings=RecorderSettings(bodies=bodies, redactor=Redactor(["swordfish/9"])))
    said, thought = "s" * (size - 11) + "swordfish/9", "t" * size
    taken.llm_call(1, said, model="m", thoughts=thought)
    (step,) = read_again(taken).steps
    beyond = size > 65_536
    assert (step.truncated, step.thoughts.truncated) == (beyond, beyond)
    if beyond:
        assert bodies.get(step.stored_sha256) == b"s" * (size - 11) + b"[masked key]"
        assert bodies.get(step.thoughts.stored_sha256) == thought.encode()
        assert (step.body, step.thoughts.body, step.output_sha256) == (True, True, sha256(said.encode()))
    else:
        assert step.head.endswith("[masked key]")
        assert step.thoughts.head == thought
        assert (step.body, step.thoughts.body) == (msgspec.UNSET, msgspec.UNSET)


def test_words_that_can_be_kept_nowhere_say_so_by_a_shorter_head():
    taken = recorder()
    taken.llm_call(1, "x" * 65_537, model="m")
    (step,) = read_again(taken).steps
    assert (len(step.head), step.truncated, step.body) == (4096, True, msgspec.UNSET)


def test_an_answer_by_a_tool_and_the_steps_of_a_sub_agent(tmp_path):
    taken = recorder()
    taken.tool_call(1, "a", "ask_reader", {"what": "the log"})
    reader = Agent("reader", parent=0)
    taken.llm_call(1, "I read the log.", model="m", by=reader)
    taken.tool_result(1, "a", "ask_reader", "eleven")
    taken.tool_call(2, "b", "final_answer", {"answer": "11"})
    taken.answer(2, "11", call_id="b")
    steps = read_again(taken).steps
    assert (steps[1].agent, steps[1].parent, steps[2].agent) == ("reader", 0, msgspec.UNSET)
    assert (steps[4].head, steps[4].call_id) == ("11", "b")


def test_heads_count_bytes_and_never_split_a_character():
    taken = recorder()
    taken.tool_result(1, "c", "t", "a" + "€" * 2000)
    (step,) = taken.steps
    assert step.head == "a" + "€" * 1365
    assert len(step.head.encode()) == 4096
    taken.tool_result(1, "d", "t", "ab" + "€" * 2000)
    assert len(taken.steps[1].head.encode()) == 4094


def test_each_argument_is_cut_by_itself_and_the_cut_ones_are_named():
    args = {"whole": "w" * 8192, "long": "é" * 5000, "list": list(range(4000)), "small": {"a": [1, None, 2.5]}}
    taken = recorder()
    taken.tool_call(1, "c", "t", args)
    step = read_again(taken).steps[0]
    assert step.args_truncated == ("long", "list")
    assert step.args["whole"] == args["whole"]
    assert step.args["long"] == "é" * 4096
    assert step.args["list"] == msgspec.json.encode(args["list"])[:8192].decode()
    assert step.args["small"] == args["small"]
    assert step.args_sha256 == sha256(msgspec.json.encode(args))


def test_the_hash_of_arguments_is_of_what_the_model_wrote():
    raw = '{"q" : "a\\u0062c"}'
    taken = recorder()
    taken.tool_call(1, "c", "t", json.loads(raw), raw=raw)
    assert taken.steps[0].args == {"q": "abc"}
    assert taken.steps[0].args_sha256 == sha256(raw.encode())


def test_arguments_that_are_no_object_are_kept_as_the_text_they_are():
    taken = recorder()
    taken.tool_call(1, "c", "t", None, raw="[1, 2")
    taken.tool_call(1, "d", "t", None, raw="x" * 9000)
    short, long = read_again(taken).steps
    assert (short.args, short.args_truncated) == ("[1, 2", ())
    assert (long.args, long.args_truncated) == ("x" * 8192, ("*",))


def nested(depth: int):
    value = "bottom"
    for _ in range(depth):
        value = [value]
    return value


HARD_VALUES = [
    nested(60),
    nested(10_000),
    10**30,
    -(10**400),
    10**5_000,
    2**53 + 1,
    float("nan"),
    float("inf"),
    "\ud800",
    "\x00\x1f\x7f\u2028",
    {"\udfff": "\ud800"},
    {"a": [{"b": "\ud800"}]},
    b"\xff\xfe",
    {1: 2},
    {None: 1},
    object(),
    {1, 2},
    ("tuple", 1),
]


@pytest.mark.parametrize("value", HARD_VALUES, ids=lambda value: type(value).__name__)
def test_arguments_that_json_cannot_hold_are_taken_down_all_the_same(value):
    taken = recorder()
    taken.tool_call(1, "c", "t", {"value": value, "plain": "here"})
    taken.tool_call(1, "d", "t", {"\ud800": value})
    steps = read_again(taken).steps
    assert "here" in json.dumps(steps[0].args)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(ANY_TEXT, JSON, max_size=4))
def test_arguments_of_any_nesting_are_read_again(args):
    taken = recorder()
    taken.tool_call(1, "c", "t", args)
    read_again(taken)


@given(ANY_TEXT, ANY_TEXT, ANY_TEXT, ANY_TEXT)
def test_names_and_ids_of_any_text_are_read_again(call_id, name, model, url):
    taken = recorder()
    taken.prompt(1, name, "", context_sha256=None)
    taken.llm_call(1, "", model=model, stop_reason=name, response_id=call_id)
    taken.tool_call(1, call_id, name, {})
    taken.tool_result(1, call_id, name, "", sources=[Source(url=url, title=name, offset=0, bytes=0)])
    read_again(taken)


def test_two_ids_that_differ_in_what_json_cannot_hold_stay_two():
    taken = recorder()
    taken.tool_call(1, "\ud800", "t", {})
    taken.tool_call(1, "\ud801", "t", {})
    first, second = read_again(taken).steps
    assert first.call_id != second.call_id


def test_50_mb_are_taken_down():
    output = "lighthouse fog 0123456789 " * 2_000_000
    taken = Recorder()
    taken.tool_call(1, "c", "t", {"body": output})
    taken.tool_result(1, "c", "t", output)
    call, result = read_again(taken).steps
    assert result.bytes == len(output)
    assert result.output_sha256 == sha256(output.encode())
    assert len(encode(taken.steps)) < 20_000
    assert call.args_truncated == ("body",)


def test_arguments_that_the_tool_changes_afterwards_stay_as_they_were():
    args = {"list": [1, 2], "inner": {"a": 1}}
    taken = recorder()
    taken.tool_call(1, "c", "t", args)
    args["list"].append(3)
    args["inner"]["a"] = 2
    assert taken.steps[0].args == {"list": [1, 2], "inner": {"a": 1}}


def test_addresses_and_titles_without_end_are_cut():
    taken = recorder()
    source = Source(url="https://x.example/" + "a" * 10**6, title="é" * 10**6, offset=0, bytes=1)
    taken.tool_result(1, "c", "t", "x", sources=[source])
    (kept,) = taken.steps[0].sources
    assert len(kept.url) == 2048
    assert len(kept.title.encode()) == 2048


@given(st.integers(-(10**20), 10**20), st.integers(-(10**20), 10**20))
def test_sources_that_do_not_fit_the_output_are_kept_within_it(offset, size):
    taken = recorder()
    taken.tool_call(1, "c", "t", {})
    taken.tool_result(1, "c", "t", "ten bytes!", sources=[Source(url="", title="", offset=offset, bytes=size)] * 2)
    assert all(0 <= kept.offset + kept.bytes <= 10 for kept in read_again(taken).steps[1].sources)


def test_steps_are_numbered_from_the_first():
    taken = Recorder(attempt=3, first_seq=7)
    taken.llm_call(1, "a", model="m")
    taken.llm_call(2, "b", model="m")
    assert [(step.seq, step.attempt, step.turn) for step in taken.steps] == [(7, 3, 1), (8, 3, 2)]


def test_a_step_that_cannot_be_taken_down_is_a_failure_and_no_exception():
    taken = recorder()
    taken.tool_result(1, "c", "t", None)  # type: ignore[arg-type]
    taken.llm_call(1, "goes on", model="m")
    assert len(taken.failures) == 1
    assert "step 0" in taken.failures[0]
    assert taken.steps[0].seq == 0


def test_a_full_disk_is_a_failure_and_no_exception(tmp_path):
    (tmp_path / "bodies").write_text("a file where a folder must be")
    taken = recorder(bodies=TextStore(tmp_path / "bodies", compressed=True), every_body=True)
    taken.tool_result(1, "c", "t", "x")
    assert taken.failures
    assert len(taken.failures[0]) <= 500


def test_prompts_longer_than_their_heads_are_kept_in_full(tmp_path):
    store = TextStore(tmp_path / "prompts", compressed=False)
    taken = Recorder(settings=RecorderSettings(prompts=store))
    for role in ("system", "tools", "user"):
        taken.prompt(1, role, role * 2000, context_sha256=None)
    taken.prompt(1, "user", "short", context_sha256=None)
    names = {path.name for path in (tmp_path / "prompts").iterdir()}
    assert names == {step.content_sha256 for step in taken.steps[:3]}
    assert [step.whole for step in taken.steps] == [msgspec.UNSET, msgspec.UNSET, True, msgspec.UNSET]
    assert store.get(taken.steps[0].content_sha256) == b"system" * 2000


@pytest.mark.parametrize(("every_body", "kept"), [(False, [True, False]), (True, [True, True])])
def test_flagged_outputs_keep_their_body_and_others_only_when_asked(tmp_path, every_body, kept):
    bodies = TextStore(tmp_path / "bodies", compressed=True)
    taken = recorder(bodies=bodies, every_body=every_body)
    outputs = [f"{'.' * 9000} {QUESTION}", "an honest page " * 900]
    for number, output in enumerate(outputs):
        taken.tool_result(1, str(number), "t", output)
    assert [step.body for step in taken.steps] == kept
    for step, output in zip(taken.steps, outputs, strict=True):
        if step.body:
            assert bodies.get(step.output_sha256) == output.encode()
        else:
            with pytest.raises(EvidenceError):
                bodies.get(step.output_sha256)


def test_without_a_fingerprint_nothing_is_scanned():
    taken = Recorder(task_id=TASK)
    taken.tool_result(1, "c", "t", QUESTION)
    assert (taken.steps[0].scan, taken.steps[0].windows) == (None, ())


@pytest.mark.parametrize("claimed", [True, False])
def test_words_whose_head_is_all_of_them_claim_no_body(claimed):
    taken = recorder()
    taken.llm_call(1, "short", model="m", thoughts="brief")
    (step,) = taken.steps
    for lie in (
        msgspec.structs.replace(step, body=claimed),
        msgspec.structs.replace(step, thoughts=msgspec.structs.replace(step.thoughts, body=claimed)),
    ):
        line = encode(Trajectory(
            task_id="t", model="m", turns=1, final_answer=None, input_tokens=None, output_tokens=None,
            voting_attempts=1, selected_attempt=1, tools_used=(), steps=(lie,),
        ))  # fmt: skip
        with pytest.raises(EvidenceError, match="kept whole beside their head"):
            decode(line, where="t")
