"""The timeline of a task: every text has its origin, the role of its tool, and as much of it as a run keeps."""

import msgspec
import pytest
from audit_samples import SampleRun

from counted_work import calls_of
from gaia_harness.audit.texts import Texts
from gaia_harness.audit.timeline import Surroundings, by_attempt, moments, strings
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.evidence.recorder import Recorder, RecorderSettings
from gaia_harness.protocol import OWN_ROLES
from gaia_harness.records.origin import Origin
from gaia_harness.records.steps import ToolCallStep

MODEL = {"model": "pelican-4"}


class Kept:
    """A run's folder of texts, and attempts that are recorded into it."""

    def __init__(self, folder):
        self.prompts = TextStore(folder / "prompts", compressed=False)
        self.bodies = TextStore(folder / "bodies", compressed=True)
        self.settings = RecorderSettings(prompts=self.prompts, bodies=self.bodies, every_body=True)
        self.texts = Texts(folder)
        self.steps = []

    def attempt(self, number=1):
        return Recorder(attempt=number, first_seq=len(self.steps), settings=self.settings)

    def take(self, *recorders):
        for recorder in recorders:
            self.steps += recorder.steps
        return self

    def timeline(self, **around):
        return moments(self.steps, Surroundings(**around), self.texts)


@pytest.fixture
def kept(tmp_path):
    return Kept(tmp_path)


def test_origins_are_those_of_the_recorder(kept):
    recorder = kept.attempt()
    recorder.prompt(1, "system", "You answer.")
    recorder.prompt(1, "user", "How many lanterns?")
    recorder.llm_call(1, "I look.", thoughts="Perhaps the harbour book.", **MODEL)
    recorder.tool_call(1, "a", "web_search", {"query": "lanterns"})
    recorder.tool_result(1, "a", "web_search", "A page.")
    recorder.answer(1, "41")
    timeline = kept.take(recorder).timeline(tools=OWN_ROLES)
    assert [(m.origin, m.index, m.text) for m in timeline] == [
        ("given", 0, "You answer."),
        ("given", 1, "How many lanterns?"),
        ("said", 2, "Perhaps the harbour book.\nI look."),
        ("asked", 3, "lanterns"),
        ("heard", 4, "A page."),
        ("said", 5, "41"),
    ]
    assert [m.role for m in timeline] == ["other", "other", "other", "search", "search", "other"]
    assert timeline[2].words == b" perhaps the harbour book i look "


def test_what_an_agent_in_a_box_printed_or_said_is_its_own_word_and_what_its_tools_gave_back_is_not(kept):
    recorder = kept.attempt()
    calls = (
        ("agent.says-1", "agent.says", {"kind": "message"}),
        ("agent.says-2", "agent.says", {"kind": "tool_call"}),
        ("call-1", "agent.says", {"kind": "message"}),  # a tool of the agent that bears this name
        ("call-2", "agent.program", "no object"),
        ("agent.http-1", "agent.http", {"url": "https://pages.example/a"}),
        ("agent.program", "agent.program", {"command": "python3 main.py"}),
    )
    for call_id, name, args in calls:
        recorder.tool_call(1, call_id, name, args if isinstance(args, dict) else {}, raw=str(args))
        recorder.tool_result(1, call_id, name, "A text.")
    timeline = kept.take(recorder).timeline()
    assert [m.origin for m in timeline[1::2]] == ["said", "heard", "heard", "heard", "heard", "said"]


def test_a_reply_is_read_without_its_thoughts(kept):
    recorder = kept.attempt()
    recorder.llm_call(1, "I cannot tell.", thoughts="FINAL ANSWER: 41", **MODEL)
    (moment,) = kept.take(recorder).timeline()
    assert kept.texts.reply(moment.step) == "I cannot tell."


def test_who_states_too_small_a_size_hides_nothing(kept, tmp_path):
    recorder = kept.attempt()
    recorder.tool_call(1, "a", "dredge", {})
    recorder.tool_result(1, "a", "dredge", "." * 9000)
    result = next(m.step for m in kept.take(recorder).timeline() if m.origin == "heard")
    texts = Texts(tmp_path)
    assert (texts.of(msgspec.structs.replace(result, bytes=50)), texts.unread) == (result.head, 1)
    assert len(texts.of(msgspec.structs.replace(result, bytes=5000))) == 9000


# roles


def origin(**values):
    return Origin(kind="imported", recorded_by="somebody", **values)


def test_our_own_loop_has_its_tools_and_its_folder():
    around = Surroundings.of(msgspec.UNSET)
    assert (around.role("python"), around.role("web_fetch"), around.workdir) == ("code", "fetch", "/task")


def test_what_a_run_declares_is_never_guessed_at():
    around = Surroundings.of(
        origin(tools={"search_shell": "read", "final_answer": "other"}, workdir="/w", attachments=("a.png",))
    )
    assert (around.role("search_shell"), around.role("final_answer")) == ("read", "other")
    assert (around.workdir, around.attachments) == ("/w", ("a.png",))


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("final_answer", "answer"),
        ("SubmitResult", "answer"),
        ("search_agent", "delegate"),
        ("researcher", "delegate"),
        ("web_research", "search"),
        ("GoogleSearch", "search"),
        ("describe_image", "look"),
        ("jupyter", "code"),
        ("visit_page", "fetch"),
        ("inspect_file_as_text", "read"),
        ("calculator", "other"),
        ("", "other"),
    ],
)
def test_the_role_of_a_tool_that_is_not_declared_is_guessed_by_its_name(name, role):
    assert Surroundings.of(origin()).role(name) == role


# calls and results


def test_calls_and_results_are_joined_within_an_attempt_and_never_across(kept):
    first, second = kept.attempt(), None
    first.tool_call(1, "a", "conjure", {"code": "1"})
    first.tool_call(1, "b", "conjure", {"code": "2"})
    first.tool_result(1, "b", "conjure", "two")
    kept.take(first)
    second = kept.attempt(2)
    second.tool_call(1, "a", "conjure", {"code": "3"})
    second.tool_result(1, "a", "conjure", "three")
    timeline = kept.take(second).timeline()
    lost, asked, heard, again, answered = timeline
    assert lost.result is None
    assert (asked.result, heard.call) == (heard.step, asked.step)
    assert (again.result, answered.call) == (answered.step, again.step)
    assert [(number, len(group)) for number, group in by_attempt(timeline)] == [(1, 3), (2, 2)]


@pytest.mark.parametrize("call_id", ["", "a" * 100_000, "\ud800", "__class__", "\x00", "0"])
def test_hostile_call_ids_are_ids_like_any_other(kept, call_id):
    recorder = kept.attempt()
    recorder.tool_call(1, "x", "conjure", {"code": "1"})
    recorder.tool_result(1, "x", "conjure", "one")
    kept.steps = [msgspec.structs.replace(step, call_id=call_id) for step in recorder.steps]
    asked, heard = kept.timeline()
    assert (asked.result, heard.call) == (heard.step, asked.step)


def test_a_result_without_a_call_and_an_id_used_twice_break_nothing(kept):
    recorder = kept.attempt()
    recorder.tool_call(1, "x", "conjure", {"code": "1"})
    recorder.tool_result(1, "x", "conjure", "one")
    call, result = recorder.steps
    kept.steps = [result, call, call, result, result]
    timeline = kept.timeline()
    assert [moment.call for moment in timeline] == [None, None, None, call, call]
    assert [moment.result for moment in timeline] == [None, None, result, None, None]


# whole texts


def long(word):
    return f"{word} " * 20_000 + "END"


def test_long_texts_are_whole_where_they_are_kept(kept):
    recorder = kept.attempt()
    recorder.prompt(1, "system", long("rule"))
    recorder.prompt(1, "user", long("question"))
    recorder.llm_call(1, long("thinking"), **MODEL)
    recorder.tool_call(1, "a", "web_fetch", {"url": "https://a.example"})
    recorder.tool_result(1, "a", "web_fetch", long("page"))
    kept.take(recorder)
    assert all(step.truncated for step in kept.steps if not isinstance(step, ToolCallStep))
    assert [m.text for m in kept.timeline() if m.origin != "asked"] == [
        long("rule"), long("question"), long("thinking"), long("page"),
    ]  # fmt: skip


@pytest.mark.parametrize("spoil", [lambda path: path.unlink(), lambda path: path.write_bytes(b"\xff\x00 no text")])
def test_texts_that_are_missing_or_broken_fall_back_to_what_the_step_has(tmp_path, kept, spoil):
    recorder = kept.attempt()
    recorder.prompt(1, "user", long("question"))
    recorder.llm_call(1, long("thinking"), **MODEL)
    recorder.tool_call(1, "a", "web_fetch", {})
    recorder.tool_result(1, "a", "web_fetch", long("page"))
    kept.take(recorder)
    for folder in ("prompts", "bodies"):
        for path in (tmp_path / folder).iterdir():
            spoil(path)
    assert [m.text for m in kept.timeline()] == [getattr(step, "head", "") for step in kept.steps]


def test_windows_stand_in_for_a_body_that_is_not_kept(tmp_path):
    sample = SampleRun(tmp_path)
    page = "x " * 5000 + sample.questions[next(iter(sample.questions))] + " 41 " + "y " * 5000

    def work(recorder, question, reply):
        recorder.prompt(1, "user", question)
        recorder.tool_call(1, "a", "web_fetch", {"url": "https://a.example"})
        recorder.tool_result(1, "a", "web_fetch", page)
        recorder.llm_call(1, reply, **MODEL)

    run = sample.add(0, work=work).open()
    for path in (tmp_path / "bodies").glob("*"):
        path.unlink()
    (task,) = run.tasks()
    (heard,) = [moment for moment in task.timeline if moment.origin == "heard"]
    assert heard.text.startswith("x x x") and "lanterns hung" in heard.text
    assert len(heard.text) < len(page)


def test_a_task_without_a_sound_trajectory_has_no_timeline(tmp_path):
    sample = SampleRun(tmp_path).add(0)
    sample.lines[0]["steps"][0]["seq"] = 9
    (task,) = sample.open().tasks()
    assert task.timeline == ()


# arguments


@pytest.mark.parametrize(
    ("args", "found"),
    [
        ("raw text", ["raw text"]),
        ({"query": "a", "filters": {"site": ["b", {"c": "d"}]}}, ["a", "b", "d"]),
        ({"answer": 41, "sure": True, "share": 0.5, "none": None}, ["41", "0.5"]),
        ({}, []),
    ],
)
def test_texts_and_numbers_of_arguments_in_their_order(args, found):
    assert strings(args) == found


def test_arguments_without_end_are_read_so_far_and_no_further():
    deep = "end"
    for _ in range(50_000):
        deep = [deep]
    assert strings({"a": deep}) == ["end"]
    assert len(strings({"a": ["x"] * 50_000})) == 10_000


def test_a_timeline_is_made_in_linear_work_and_reads_no_text(tmp_path):
    def work(calls):
        kept = Kept(tmp_path / str(calls))
        recorder = kept.attempt()
        for number in range(calls):
            recorder.tool_call(1, str(number), "conjure", {"code": "1"})
            recorder.tool_result(1, str(number), "conjure", "one")
        kept.take(recorder)
        kept.texts.of = None  # whoever asks for a text now fails
        return calls_of(lambda: list(by_attempt(kept.timeline())))

    assert work(2000) < 2.1 * work(1000)
