"""Lines of trajectories.jsonl: every rule, broken once, is refused with the place where it is broken."""

import hashlib
import json

import pytest
from evidence_samples import QUESTION, QUESTIONS, TASK
from hypothesis import given, settings
from hypothesis import strategies as st

import thoroughness
from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.recorder import Recorder, RecorderSettings
from gaia_harness.evidence.recording import Recording
from gaia_harness.evidence.redaction import _TOKENS, Redactor
from gaia_harness.records.excerpt import to_bytes
from gaia_harness.records.masks import LEAST_HIDDEN, MASK
from gaia_harness.records.steps import Shortened, ShortResult, Source
from gaia_harness.records.trajectories import decode, encode, is_proven, read_trajectories


@pytest.fixture(scope="module")
def line(tmp_path_factory) -> bytes:
    folder = tmp_path_factory.mktemp("run")
    with Recording(folder, QUESTIONS) as recording:
        task = recording.task(TASK, model="m", voting_attempts=2)
        for _ in range(2):
            recorder = task.attempt()
            recorder.prompt(1, "user", QUESTION, context_sha256="0" * 64)
            recorder.llm_call(1, "let me look", model="m", tokens_in=5, tokens_out=2)
            recorder.tool_call(1, "a", "fetch", {"url": "https://x.example/"})
            recorder.tool_result(1, "a", "fetch", f"{'.' * 5000} {QUESTION}")
            recorder.prompt(2, "context", "", context_sha256="1" * 64)
            recorder.llm_call(2, "FINAL ANSWER: none", model="m", tokens_in=9, tokens_out=3)
        task.finish("none", selected_attempt=1)
    return (folder / "trajectories.jsonl").read_bytes().removesuffix(b"\n")


def changed(line: bytes, change) -> bytes:
    value = json.loads(line)
    change(value)
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def test_a_good_line_is_read_as_it_was_written(line):
    trajectory = decode(line, where="t.jsonl:1")
    assert encode(trajectory) == line
    assert len(trajectory.steps) == 12
    assert trajectory.turns == 4


def test_the_same_written_by_another_program_is_read_alike(line):
    assert decode(json.dumps(json.loads(line), indent=1).encode(), where="t:1") == decode(line, where="t:1")


def set_in(index: int, **fields):
    return lambda value: value["steps"][index].update(fields)


def swap(value) -> None:
    value["steps"][1], value["steps"][2] = value["steps"][2], value["steps"][1]


def duplicate_call(value) -> None:
    steps = value["steps"]
    steps.insert(3, dict(steps[2]))
    for seq, step in enumerate(steps):
        step["seq"] = seq


def second_result(value) -> None:
    steps = value["steps"]
    steps.insert(4, dict(steps[3]))
    for seq, step in enumerate(steps):
        step["seq"] = seq


def nine_windows(value) -> None:
    value["steps"][3]["windows"] = value["steps"][3]["windows"][:1] * 9


def window(**fields):
    return lambda value: value["steps"][3]["windows"][0].update(fields)


BROKEN = [
    ("a number that is out of order", set_in(4, seq=7), "step 4 says that it is step 7"),
    ("two steps that changed places", swap, "step 1 says that it is step 2"),
    ("a step that is gone", lambda value: value["steps"].pop(2), "step 2 says that it is step 3"),
    ("an attempt before the first", set_in(0, attempt=0), "step 0 is of attempt 0"),
    ("a turn before the first", set_in(0, turn=0), "step 0 is of attempt 1, turn 0"),
    ("a turn that goes back", set_in(5, turn=1), "step 5 goes back from attempt 1, turn 2"),
    ("an attempt that goes back", set_in(5, attempt=2), "step 6 goes back from attempt 2, turn 2"),
    ("a result without a call", set_in(2, call_id="b"), "step 3 is a tool result without its call"),
    ("a result of another tool", set_in(3, name="python"), "step 3 is a tool result without its call"),
    ("a second result", second_result, "step 4 is a tool result without its call"),
    ("a call made twice", duplicate_call, "step 3: the call 'a' was made before"),
    ("a hash that is none", set_in(1, output_sha256="A" * 64), "step 1: .* is not a sha256"),
    ("a short hash", set_in(0, content_sha256="0" * 63), "step 0: .* is not a sha256"),
    ("a context hash that is none", set_in(0, context_sha256="x"), "step 0: .* is not a sha256"),
    ("an arguments hash that is none", set_in(2, args_sha256=""), "step 2: .* is not a sha256"),
    ("another text", set_in(1, head="let me lie!"), "step 1: its text does not have the hash"),
    ("another hash", set_in(1, output_sha256="0" * 64), "step 1: its text does not have the hash"),
    ("a count that is too small", set_in(1, bytes=10), "step 1: a head of 11 bytes is not"),
    ("a count that is too large", set_in(1, bytes=12), "step 1: a head of 11 bytes is not"),
    ("a negative count", set_in(1, bytes=-1), r">= 0 - at `\$.steps\[1\].bytes`"),
    ("negative redactions", set_in(1, redactions=-1), r">= 0 - at `\$.steps\[1\].red"),
    ("a count that is too large for some", set_in(1, tokens_in=2**53), r"at `\$.steps\[1\].tokens_in`"),
    ("said to be cut and is not", set_in(1, truncated=True), "step 1: .* cannot be cut"),
    ("said to be whole and is not", set_in(3, truncated=False), "step 3: .* cannot be whole"),
    ("a head that was cut too early", set_in(3, head="." * 4000), "step 3: a head of 4000 bytes is not the first 4096"),
    ("a head that is too long", set_in(3, head="." * 4097), "step 3: a head of 4097 bytes is not the first 4096"),
    ("signs that hide a length", set_in(3, head="\ufffd" * 9000), "step 3: a head of 27000 bytes"),
    ("masks that hide a length", set_in(1, redactions=1, head="[masked key]" * 5000), "step 1: a head of 60000 bytes"),
    ("masked and nothing to see", set_in(1, redactions=1, head="let me lie!"), "step 1: 1 secret is said to be mask"),
    ("a mask that says nothing known", set_in(1, redactions=1, head="[masked token]"), "step 1: 1 secret is said"),
    ("fewer masks than are said", set_in(1, redactions=2, head="[masked key]"), "step 1: 2 secrets .* where 1 are"),
    ("a mask and no room behind it", set_in(1, redactions=1, head="[masked key] lie"), "step 1: a head of 16 bytes"),
    ("a token that had no room", set_in(1, redactions=1, head="[masked openai]"), "step 1: a head of 15 bytes"),
    ("a mask before all of a long text", set_in(3, redactions=1, head="[masked key]" + "." * 4090), "step 3: a head"),
    ("a mask behind all of it", set_in(3, redactions=1, head="." * 4096 + "[masked key]"), "step 3: a head of 4108"),
    ("too many windows", nine_windows, "step 3: 9 windows"),
    ("a window that is too large", window(bytes=1025), "step 3: a window of 1025 bytes"),
    ("a window that is elsewhere", window(offset=10**6), "step 3: a window that is not within"),
    (
        "a source that is elsewhere",
        set_in(3, sources=[{"url": "", "title": "", "offset": 9, "bytes": 10**6}]),
        "step 3: a source",
    ),
    (
        "an argument that is too long",
        set_in(2, args={"url": "a" * 8193}),
        "step 2: an argument of 8193 bytes, and 8192",
    ),
    ("an argument of many bytes", set_in(2, args={"url": "漢" * 2731}), "step 2: an argument of 8193 bytes"),
    ("an argument that is a list", set_in(2, args={"url": ["a" * 8190]}), "step 2: an argument of 8194 bytes"),
    ("arguments in one text", set_in(2, args="a" * 8193), "step 2: arguments of 8193 bytes"),
    (
        "masks that hide an argument's length",
        set_in(2, args={"url": "[masked key]" * 1200}, redactions=1200),
        "step 2: an",
    ),
    ("a cut argument that is not there", set_in(2, args_truncated=["text"]), "step 2: args_truncated names"),
    ("one text, and others cut", set_in(2, args="a", args_truncated=["url"]), "step 2: its arguments are one text"),
    ("a window with a longer text", window(text="a" * 1025), "step 3: a window of .* bytes with a text of 1025"),
    (
        "an address that is too long",
        set_in(3, sources=[{"url": "a" * 2049, "title": "", "offset": 0, "bytes": 1}]),
        "step 3: an address of 2049 bytes, and 2048",
    ),
    (
        "a title that is too long",
        set_in(3, sources=[{"url": "", "title": "a" * 2049, "offset": 0, "bytes": 1}]),
        "step 3: a title of 2049 bytes, and 2048",
    ),
    ("a field nobody knows", set_in(1, note="hi"), r"unknown field `note` - at `\$.steps\[1\]`"),
    ("a field of the line nobody knows", lambda value: value.update(note="hi"), "unknown field `note`"),
    (
        "a missing field",
        lambda value: value["steps"][1].pop("bytes"),
        r"missing required field `bytes` - at `\$.steps\[1\]`",
    ),
    ("a step of no kind", set_in(1, type="thought"), r"\$.steps\[1\]"),
    ("a number where a text must be", set_in(1, head=5), r"\$.steps\[1\].head"),
    ("a text where a number must be", set_in(1, seq="1"), r"\$.steps\[1\].seq"),
    ("true where a number must be", set_in(1, bytes=True), r"\$.steps\[1\].bytes"),
]


def shortened(*results, turns=0, role="shortened", step=4):
    """Says in the first step of the second turn that something was left out."""
    less = {"results": [{"call_id": name, "bytes": size} for name, size in results], "turns": turns}
    return set_in(step, role=role, shortened=less)


BROKEN += [
    ("a result that was never there", shortened(("b", 5)), "step 4: the result of 'b', which is not there, was short"),
    ("a result of another attempt", shortened(("a", 5), step=6), "step 6: the result of 'a', which is not there"),
    ("a result that grows", shortened(("a", 10**6)), "step 4: a result of [0-9]+ bytes was shortened to 1000000"),
    ("a result that grows again", shortened(("a", 5), ("a", 6)), "step 4: a result of 5 bytes was shortened to 6"),
    ("a turn left out that is not over", shortened(turns=2), "step 4: 2 turns left out in turn 2, where 0 were"),
    ("nothing left out", shortened(), "step 4: a shortened request that leaves nothing out"),
    ("another role", shortened(("a", 5), role="user"), "step 4: something was left out by a prompt of the role 'user'"),
    ("an empty field", set_in(4, role="shortened", shortened=None), r"got `null` - at `\$.steps\[4\].shortened`"),
]


@pytest.mark.parametrize(
    "change", [shortened(("a", 5)), shortened(("a", 0), turns=1), shortened(turns=1), shortened(("a", 9), ("a", 9))]
)
def test_a_request_that_was_shortened_is_read(line, change):
    trajectory = decode(changed(line, change), where="t:1")
    assert encode(trajectory) == changed(line, change)


def test_what_was_shortened_is_taken_down():
    recorder = Recorder()
    less = Shortened(results=(ShortResult(call_id="a", bytes=400),), turns=0)
    recorder.prompt(2, "shortened", " [cut]", context_sha256=None, shortened=less)
    recorder.prompt(2, "user", "go on", context_sha256=None)
    assert not recorder.failures
    one, two = json.loads(encode(recorder.steps))
    assert one["shortened"] == {"results": [{"call_id": "a", "bytes": 400}], "turns": 0}
    assert "shortened" not in two


@pytest.mark.parametrize(("change", "message"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_broken_rule_is_refused_with_its_place(line, change, message, tmp_path):
    path = tmp_path / "trajectories.jsonl"
    path.write_bytes(line + b"\n" + changed(line, change) + b"\n")
    read = read_trajectories(path)
    assert next(read)[0] == 1
    with pytest.raises(EvidenceError, match=message) as caught:
        next(read)
    assert caught.value.message.startswith(f"{path}:2: ")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"bytes":11', b'"bytes":11,"bytes":11', "stands twice"),
        (b'{"url":', b'{"url":1,"url":', "stands twice"),
        (b'"latency_ms":0', b'"latency_ms":NaN', "not a trajectory"),
        (b'"copy":1.0', b'"copy":1e999', "not a trajectory"),
        (b'{"url":"https://x.example/"}', b'{"n":NaN}', "not a trajectory"),
        (b"let me look", b"let me l\xffok", "not a trajectory"),
        (b"let me look", b"let me \\ud800", "not a trajectory"),
        (b"let me look", b"let me\x00look", "not a trajectory"),
        (
            b'{"url":"https://x.example/"}',
            b'{"a":' * 5000 + b"1" + b"}" * 5000,
            "not a traj|are kept",
        ),  # by Python's version
        (b'{"url":"https://x.example/"}', b'{"a":' * 90 + b"1" + b"}" * 90, "nested deeper"),
        (b'{"url":"https://x.example/"}', b'{"a":12345678901234567890}', "too large"),
        (b'"task_id"', b"\xef\xbb\xbf", "not a trajectory"),
    ],
)
def test_json_that_two_readers_could_read_differently_is_refused(line, old, new, message):
    assert old in line
    with pytest.raises(EvidenceError, match=message) as caught:
        decode(line.replace(old, new, 1), where="t.jsonl:9")
    assert caught.value.message.startswith("t.jsonl:9: ")


@given(st.data())
def test_a_line_with_any_byte_changed_is_read_or_refused_with_our_error(line, data):
    place = data.draw(st.integers(0, len(line) - 1))
    broken = line[:place] + data.draw(st.binary(max_size=3)) + line[place + data.draw(st.integers(0, 2)) :]
    try:
        decode(broken, where="t.jsonl:1")
    except EvidenceError as error:
        assert error.message.startswith("t.jsonl:1: ")  # noqa: PT017 - both outcomes are good


@pytest.mark.parametrize("garbage", [b"", b"\n", b"{}", b"[]", b"null", b"\x00", b"{" * 100_000, b"\xff\xfe{\x00"])
def test_garbage_is_refused(garbage):
    with pytest.raises(EvidenceError, match=r"t\.jsonl:1: not a trajectory"):
        decode(garbage, where="t.jsonl:1")


def test_a_line_that_is_cut_short_is_refused(line, tmp_path):
    path = tmp_path / "trajectories.jsonl"
    path.write_bytes(line + b"\n" + line)
    read = read_trajectories(path)
    next(read)
    with pytest.raises(EvidenceError, match=r"jsonl:2: the line is cut short"):
        next(read)


def test_masked_heads_and_heads_of_bytes_that_are_no_text_are_read(line, tmp_path):
    recorder = Recorder(settings=RecorderSettings(redactor=Redactor(["k" * 10])))
    recorder.llm_call(1, "k" * 10 * 400, model="m")
    recorder.llm_call(1, "x" + "k" * 10 * 800, model="m")
    recorder.llm_call(1, b"\xff" * 4096, model="m")
    recorder.llm_call(1, b"\xe2\x82" * 3000, model="m")
    recorder.llm_call(1, "\ufffd" * 3000, model="m")
    recorder.llm_call(1, "\ufffd" * 3, model="m")
    steps = json.loads(encode(recorder.steps))
    assert len(decode(changed(line, lambda value: value.update(steps=steps)), where="t:1").steps) == 6


SECRETS = ("swordfish/9", "k" * 8, "ein Schlüssel")
TEXTS = st.one_of(
    st.text(max_size=40),
    st.sampled_from([*SECRETS, "[masked key]", "[masked openai]", "[masked ", "\ufffd", "\ud83d", "\u20ac", "\n"]),
    *(st.from_regex(shape, fullmatch=True) for *_, shape in _TOKENS),
).map(to_bytes)
PIECES = st.one_of(TEXTS, st.binary(max_size=6), st.sampled_from([b"\xff", b"\xf0\x9f\x98", b"\xe2\x82", b"\x80" * 5]))


@settings(max_examples=thoroughness.of(100))
@given(st.lists(PIECES, max_size=8).map(b"".join), st.sampled_from([0, 2030, 2040, 4060, 4080, 4090, 4094]))
def test_whatever_is_masked_or_no_text_is_read_as_it_was_taken_down(line, said, before):
    data = b"." * before + said
    recorder = Recorder(settings=RecorderSettings(redactor=Redactor(SECRETS)))
    recorder.prompt(1, "user", data, context_sha256=None)
    recorder.llm_call(1, data, model="m", thoughts=data)
    recorder.tool_call(1, "a", "fetch", {})
    source = Source(url="https://x.example/?key=swordfish/9", title="", offset=0, bytes=1)
    recorder.tool_result(1, "a", "fetch", data, sources=(source,))
    assert recorder.failures == []
    steps = json.loads(encode(recorder.steps))
    assert len(decode(changed(line, lambda value: value.update(steps=steps)), where="t:1").steps) == 4


@given(st.text(min_size=1, max_size=60), st.integers(0, 7))
def test_no_mask_excuses_a_text_for_which_there_was_no_room(line, said, room):
    """A mask stands for eight characters at least: a text of that many fewer bytes cannot have had one."""
    head, size = f"[masked key]{said}", len(said.encode()) + room
    step = {"redactions": 1, "head": head, "bytes": size - 2 * said.count("\ufffd")}
    with pytest.raises(EvidenceError, match=r"step 1: a head of"):
        decode(changed(line, set_in(1, **step)), where="t:1")


@pytest.mark.parametrize("shape", _TOKENS, ids=lambda shape: shape[1])
def test_what_is_masked_is_never_shorter_than_its_mask_says(shape):
    kind, *_, pattern = shape
    assert {kind for kind, *_ in _TOKENS} | {"key"} == set(LEAST_HIDDEN)

    @settings(max_examples=thoroughness.of(15))
    @given(st.from_regex(pattern, fullmatch=True))
    def hidden(token):
        masked, count = Redactor().mask(token)
        mask = MASK.match(masked)
        assert count >= 1 and mask is not None
        assert len(token) >= LEAST_HIDDEN[kind]

    hidden()


def test_a_reply_is_proven_by_its_hash_alone():
    recorder = Recorder(settings=RecorderSettings(redactor=Redactor(SECRETS)))
    for said in ("plain", "broken \ufffd", "[masked key]", "swordfish/9", b"\xff", "." * 70_000):
        recorder.llm_call(1, said, model="m")
    assert [is_proven(step) for step in recorder.steps] == [True, True, True, False, False, False]


def test_the_hash_of_a_file_line_is_of_its_bytes(line, tmp_path):
    path = tmp_path / "trajectories.jsonl"
    path.write_bytes(line + b"\n")
    ((_, data, _),) = read_trajectories(path)
    assert hashlib.sha256(data).digest() == hashlib.sha256(line).digest()


LONG = st.builds(
    lambda part, times, end: part * times + end,
    st.one_of(
        st.text(max_size=4), st.sampled_from(["swordfish/9", "hf_" + "a" * 30, "\ud800", "é", "漢", "😀", QUESTION])
    ),
    st.integers(0, 9000),
    st.text(max_size=3),
).map(lambda text: text[:20_000])
VALUES = st.one_of(
    LONG, st.lists(LONG, max_size=2), st.dictionaries(st.text(max_size=3), LONG, max_size=2), st.floats()
)


@settings(max_examples=thoroughness.of(60))
@given(st.dictionaries(LONG, VALUES, max_size=3), LONG, LONG, st.one_of(st.none(), LONG))
def test_whatever_is_recorded_is_read(tmp_path_factory, args, output, address, raw):
    with Recording(tmp_path_factory.mktemp("run"), QUESTIONS, secrets=["swordfish/9"]) as recording:
        task = recording.task(TASK, model="m", voting_attempts=1)
        recorder = task.attempt()
        recorder.tool_call(1, "a", "fetch", None if raw is not None else args, raw=raw)
        source = Source(url=address, title=address, offset=0, bytes=len(to_bytes(output)))
        recorder.tool_result(1, "a", "fetch", f"{output} {QUESTION} {output}", sources=[source])
        recorder.llm_call(1, output, model="m", thoughts=output)
        trajectory = task.finish("x", selected_attempt=1).trajectory
        assert not recorder.failures
    decode(encode(trajectory), where="t:1")
