"""What `gaia view` and `gaia show` tell of runs, packages and archives, sound or not."""

import base64
import fcntl
import gzip
import hashlib
import json
import os
import re
import shutil
from pathlib import Path

import msgspec
import pytest
from hostile_story import HostileStory
from looked_at import GOLD, QUESTION, write_three

from gaia_command import own_folders
from gaia_harness.errors import UsageError
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.offline import open_story, submit_run, view_run
from gaia_harness.protocol import AGENT_HTTP, AGENT_REFUSED
from gaia_harness.records.steps import LlmCall, ToolCallStep, ToolResultStep
from gaia_harness.run.at_work import AtWork, write_moment
from gaia_harness.strict_json import MAX_INTEGER
from gaia_harness.submission.archive import write_archive
from gaia_harness.submission.verdict import NotExamined
from gaia_harness.viewing.page import write_page
from gaia_harness.viewing.redacting import SHORT, RedactedStory, TextRemover
from gaia_harness.viewing.steps import tell_steps

FROZEN = Path(__file__).parents[2] / "conformance" / "frozen" / "0.1"
HASH = hashlib.sha256(b"x").hexdigest()
MARK = "<strong>redacted: no question, page text or answer is in this page</strong>"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("story")
    env = own_folders()
    run = write_three(place, env, declare=True, attempts=2)
    submit_run(run, place / "package", allow_dirty=True, dataset=str(place / "data"), env=env)
    return place


def blocks(page: Path) -> dict[str, object]:
    """Everything that is packed in a page, by its id."""
    found = re.findall(r'<script type="text/plain" id="(\w+)">([^<]*)</script>', page.read_text("utf-8"))
    return {name: json.loads(gzip.decompress(base64.b64decode(data))) for name, data in found}


def everything(page: Path) -> str:
    return page.read_text("utf-8") + json.dumps(blocks(page), ensure_ascii=False)


def test_a_run_tells_scores_attempts_votes_and_findings(place):
    with open_story(place / "run", env=own_folders()) as story:
        run, tasks = story.run, list(story.tasks())
    assert (run.kind, run.state, run.total, run.finished, run.errors) == ("run", "closed", 3, 3, 1)
    assert run.raw is not None and run.audited is not None
    assert (run.raw.passed, run.audited.passed, run.not_counted) == (2, 1, ("quay-2",))
    assert re.match(r"run \d+ of \d+ on this task list", run.declared)
    assert [task.line.id for task in tasks] == ["quay-1", "quay-2", "quay-3"]
    first = tasks[0]
    assert [(one.number, one.answer, one.selected) for one in first.attempts] == [(1, "12", True), (2, "12", False)]
    assert (first.votes, first.cast, first.expected) == (2, 2, "12")
    assert {step.attempt for step in first.steps} == {1, 2}
    copied = [finding for finding in run.findings if finding.rule == "copy-with-answer"]
    assert [(each.task, each.attempt) for each in copied] == [("quay-2", 1), ("quay-2", 2)]
    assert set(tasks[1].line.findings) >= {each.number for each in copied}
    assert run.reasons == () and run.submittable is True


@pytest.mark.parametrize("form", ["folder", "archive"])
def test_a_package_is_verified_and_has_no_gold_in_it(place, tmp_path, form):
    path = place / "package"
    if form == "archive":
        path = tmp_path / "package.tar.gz"
        write_archive(place / "package", "0" * 32, path)
    page = view_run(path, tmp_path / "page.html", env=own_folders()).path
    with open_story(path, env=own_folders()) as story:
        run, tasks = story.run, list(story.tasks())
    assert (run.kind, run.verdict.exit_code) == ("package", 3)
    assert [task.expected for task in tasks] == [None, None, None]
    assert [task.question_is_prompt for task in tasks] == [True, True, True]
    assert run.submittable is False and run.reasons
    assert "Ottilie" not in everything(page)  # the gold of a wrong answer: nobody but the data set has it
    assert "intact, but the signer is not authenticated" in page.read_text("utf-8")


def test_the_page_of_a_run_has_the_expected_answer_only_in_its_task(place, tmp_path):
    page = view_run(place / "run", tmp_path / "page.html", env=own_folders()).path
    assert "Ottilie" not in page.read_text("utf-8")
    assert [name for name, block in blocks(page).items() if "Ottilie" in json.dumps(block)] == ["t2"]


def test_redacted_there_is_no_question_text_or_answer_in_the_file(place, tmp_path):
    for path in (place / "run", place / "package"):
        page = view_run(path, tmp_path / "page.html", redacted=True, env=own_folders()).path
        said = everything(page)
        for text in (
            GOLD,
            "Ottilie",
            QUESTION[:30],
            "herring",
            "twelve",
            "keeper.",
            "Lamps, hm",
            "quay.example/",
            "lost",
        ):
            assert text not in said, text
        assert "quay.example" in said  # the name of a host
        assert HASH not in said and re.search(r"[0-9a-f]{64}", said)
        assert MARK in page.read_text("utf-8") and blocks(page)["index"]["redacted"] is True
        whole = view_run(path, tmp_path / "whole.html", env=own_folders()).path
        assert MARK not in whole.read_text("utf-8") and "redacted" not in blocks(whole)["index"]


def test_redacted_a_name_that_could_be_a_text_is_a_number():
    remover = TextRemover()
    said = [remover.name(text) for text in ("web_search", "the answer is 12", "12 (lamps)", "the answer is 12")]
    assert said == ["web_search", "(text 1)", "(text 2)", "(text 1)"]


def test_redacted_no_hash_tells_a_text_that_can_be_found_by_trying(place, tmp_path):
    def steps(page: Path) -> list[dict[str, object]]:
        return [step for block in blocks(page).values() if "steps" in block for step in block["steps"]]

    whole = steps(view_run(place / "run", tmp_path / "whole.html", env=own_folders()).path)
    redacted = steps(view_run(place / "run", tmp_path / "page.html", redacted=True, env=own_folders()).path)
    assert {step["text"]["bytes"] < SHORT for step in whole if "text" in step} == {True, False}
    for before, after in zip(whole, redacted, strict=True):
        for name in ("text", "thoughts"):
            if name in before:
                kept = before[name]["sha256"] if before[name]["bytes"] >= SHORT else None
                assert after[name].get("sha256") == kept
        assert "args_sha256" not in after or sum(len(each["text"]) for each in before["args"]) >= SHORT


def test_redacted_a_folder_named_like_a_text_is_a_number(place, tmp_path):
    shutil.copytree(place / "run", tmp_path / "who kept it")
    page = view_run(tmp_path / "who kept it", tmp_path / "page.html", redacted=True, env=own_folders()).path
    assert "who kept it" not in everything(page)


def test_figures_that_nobody_has_are_no_defect(place, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(place / "run", run)
    lines = [json.loads(line) for line in (run / "results.jsonl").read_text().splitlines()]
    for costs in ((1e308, 1e308), (1e12, 5e-324), (5e-324, 5e-324)):
        for line, cost in zip(lines, costs, strict=False):
            line.update(cost_usd=cost, turns=MAX_INTEGER, wall_ms=MAX_INTEGER, input_tokens=MAX_INTEGER)
        (run / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        assert view_run(run, tmp_path / "page.html", env=own_folders()).tasks == 3


def test_redacted_no_field_of_a_task_or_a_finding_can_carry_a_text(tmp_path):
    story = HostileStory("a text, as it were")
    story.run = msgspec.structs.replace(story.run, rules=())  # those are ours, and stand for what a finding says
    page = write_page(RedactedStory(story), tmp_path / "page.html").path
    packed = blocks(page)
    assert packed.keys() == {"index", "t0"}
    assert "as it were" not in json.dumps(packed["t0"])
    for part in ("tasks", "findings"):
        assert "as it were" not in json.dumps(packed["index"][part])
    assert MARK in page.read_text("utf-8")


def test_redacted_of_a_run_its_names_and_our_own_words_stay_and_nothing_else():
    story = HostileStory("a text, as it were")
    failed = tuple(msgspec.structs.replace(line, status="FAILED") for line in story.run.verdict.checks)
    run = msgspec.structs.replace(
        story.run,
        rules=(),
        not_audited="cannot be audited: as it were",
        reasons=("waived by me: AUD-1 copy of quay-2: as it were", "recording failed: as it were"),
        verdict=msgspec.structs.replace(story.run.verdict, checks=failed),
    )
    for verdict in (run.verdict, NotExamined(exit_code=2, verdict="unreadable", error="as it were", hint="as it were")):
        story.run = msgspec.structs.replace(run, verdict=verdict)
        told = msgspec.to_builtins(RedactedStory(story).run)
        for part in (told["verdict"], told["verdict"].get("checks", [{}])[0]):
            told |= {f"verdict.{name}": value for name, value in part.items() if name != "checks"}
        kept = {name for name, value in told.items() if "as it were" in json.dumps(value)}
        assert not {"reasons", "not_audited", "not_counted", "faults", "findings", "name"} & kept
        assert not {"verdict.said", "verdict.faults", "verdict.notes", "verdict.error", "verdict.hint"} & kept


def test_the_same_run_gives_the_same_bytes_and_only_this_script_may_run(place, tmp_path):
    pages = [view_run(place / "run", tmp_path / f"{n}.html", env=own_folders()).path.read_bytes() for n in (1, 2)]
    assert pages[0] == pages[1]
    text = pages[0].decode()
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1].replace("&#39;", "'")
    script, style = (
        re.search(r"<script>(.*?)</script>", text, re.S)[1],
        re.search(r"<style>(.*?)</style>", text, re.S)[1],
    )
    hashes = [
        "'sha256-" + base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() + "'" for each in (script, style)
    ]
    assert policy == (
        f"default-src 'none'; script-src {hashes[0]}; style-src {hashes[1]}; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


def test_places_are_found_by_the_beginning_of_an_id_a_line_or_a_finding(place, tmp_path):
    def start(**where: object) -> object:
        page = view_run(place / "run", tmp_path / "p.html", **where, env=own_folders()).path
        return blocks(page)["index"]["start"]

    assert start(task="quay-3", step=1) == {"task": "quay-3", "step": "1"}
    assert start(task="trajectories.jsonl:2") == {"task": "quay-2"}
    assert start(finding=1) == {"task": "quay-2", "finding": "1"}
    for wrong in ({"task": "quay"}, {"task": "pier"}, {"task": "quay-3", "step": 99}, {"finding": 999}, {"step": 1}):
        with pytest.raises(UsageError):
            start(**wrong)


@pytest.mark.parametrize(
    ("name", "state", "open_tasks"),
    [("interrupted", "interrupted", 3), ("interrupted-undeclared", "interrupted", 4), ("voted", "closed", 0)],
)
def test_runs_of_the_first_version_are_shown(name, state, open_tasks, tmp_path):
    with open_story(FROZEN / "runs" / name, env=own_folders()) as story:
        tasks = list(story.tasks())
        assert story.run.state == state
        assert sum(task.line.state != "done" for task in tasks) == open_tasks
    page = view_run(FROZEN / "runs" / name, tmp_path / "page.html", env=own_folders())
    assert page.tasks == len(tasks)


def test_a_folder_in_which_somebody_is_at_work_is_shown_as_it_stands(place, tmp_path):
    folder = Path(shutil.copytree(place / "run", tmp_path / "run"))
    for name in ("results.jsonl", "trajectories.jsonl", "log.jsonl"):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[: -len(data.splitlines()[-1]) // 2])  # a last line that is not yet whole
    left = AtWork("quay-3")
    left.waits("retry 1 of 5 in 2.0 s: 429")
    write_moment(folder, [left, AtWork("quay-1"), AtWork("nowhere")], Redactor([]))
    with open_story(folder, env=own_folders()) as story:
        assert {task.line.now for task in story.tasks()} == {""}  # of a process that is gone
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with open_story(folder, env=own_folders()) as story:
            tasks = list(story.tasks())
            lines = {task.line.id: task.line.state for task in tasks}
            assert story.run.state == "running"
            assert story.run.faults == () and story.run.findings == () and "goes on" in story.run.not_audited
            ((task_id, now),) = ((task.line.id, task.line.now) for task in tasks if task.line.now)
            assert task_id == "quay-3"
            assert re.fullmatch(r"turn 1 · model · 0\.0k tokens · \d+ s · retry 1 of 5 in 2\.0 s: 429", now)
            assert not any(task.line.now for task in RedactedStory(story).tasks())
        page = view_run(folder, tmp_path / "page.html", live=3, env=own_folders()).path.read_text("utf-8")
        assert re.search(r"As of \d\d:\d\d:\d\d UTC. The steps of a task are recorded when an attempt at it", page)
    finally:
        os.close(lock)
    assert lines["quay-1"] == "done"
    assert lines.keys() == {"quay-1", "quay-2", "quay-3"}


def test_a_broken_line_is_shown_as_far_as_it_can_be_read(place, tmp_path):
    folder = Path(shutil.copytree(place / "run", tmp_path / "run"))
    path = folder / "trajectories.jsonl"
    one, _, three = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(one.replace(b"in two places", b"in six places") + b"{nonsense}\n" + three)
    with open_story(folder, env=own_folders()) as story:
        tasks = list(story.tasks())
    assert "step 2: its text does not have the hash that it says" in tasks[0].fault
    assert tasks[0].steps[2].text.head == "I look in six places."
    assert [task.line.id for task in tasks] == ["quay-1", "trajectories.jsonl:2", "quay-3", "quay-2"]


def test_calls_made_at_once_and_steps_that_point_nowhere():
    def call(seq: int, **more: object) -> ToolCallStep:
        return ToolCallStep(
            seq=seq, attempt=1, turn=1, call_id=f"c{seq}", name="t", args={}, args_sha256=HASH, args_truncated=(),
            redactions=0, **more,
        )  # fmt: skip

    reply = LlmCall(
        seq=4, attempt=1, turn=2, model="m", output_sha256=HASH, bytes=1, head="x", truncated=False, redactions=0,
        tokens_in=None, tokens_out=None, stop_reason=None, latency_ms=0, response_id=None, thoughts=None, parent=9,
    )  # fmt: skip
    result = ToolResultStep(
        seq=3, attempt=1, turn=1, call_id="elsewhere", name="t", output_sha256=HASH, bytes=1, head="x", truncated=False,
        redactions=0, is_error=False, sources=(), scan=None, windows=(), body=False,
    )  # fmt: skip
    told = tell_steps([call(0), call(1, agent="inner", parent=0), call(2), result, reply])
    assert [step.together for step in told] == [2, 0, 2, 0, 0]
    assert (told[1].parent, told[4].parent, told[3].answers) == (0, None, None)


def test_what_a_gateway_saw_while_a_tool_was_at_work_is_no_call_made_at_once():
    def call(seq: int, name: str) -> ToolCallStep:
        return ToolCallStep(
            seq=seq, attempt=1, turn=1, call_id=f"c{seq}", name=name, args={}, args_sha256=HASH, args_truncated=(),
            redactions=0,
        )  # fmt: skip

    assert [step.together for step in tell_steps([call(0, "read_page"), call(1, AGENT_HTTP)])] == [0, 0]
    steps = [call(0, "read_page"), call(1, AGENT_REFUSED), call(2, "read_page"), call(3, AGENT_HTTP)]
    assert [step.together for step in tell_steps(steps)] == [2, 0, 2, 0]


def test_times_that_nobody_knows_are_not_shown_as_nothing(place):
    with open_story(place / "run", env=own_folders()) as story:
        timed = next(iter(story.tasks()))
        story.run = msgspec.structs.replace(story.run, untimed=True)
        untimed = next(iter(story.tasks()))
    assert timed.line.ms is not None and {step.ms for step in timed.steps} != {None}
    assert untimed.line.ms is None and {step.ms for step in untimed.steps} == {None}


def test_a_text_is_read_by_its_hash_and_by_nothing_else(place, tmp_path):
    folder = Path(shutil.copytree(place / "run", tmp_path / "run"))
    (folder / "prompts" / "notes").write_text("private")
    with open_story(folder, env=own_folders()) as story:
        names = [step.text.whole for task in story.tasks() for step in task.steps if step.text and step.text.whole]
        assert names and all(story.whole(name) for name in names)
        for name in ("prompts/notes", "prompts/../run.json", f"bodies/{HASH}", f"elsewhere/{HASH}", ""):
            assert story.whole(name) is None


def test_no_page_goes_where_it_cannot_be_written(place, tmp_path):
    with pytest.raises(UsageError, match="cannot be written"):
        view_run(place / "run", tmp_path / "nowhere" / "page.html", env=own_folders())
    with pytest.raises(UsageError, match="neither a run nor a package"):
        view_run(tmp_path, tmp_path / "page.html", env=own_folders())
    assert not list(tmp_path.iterdir())
    assert msgspec.json.decode((place / "run" / "run.json").read_bytes())["state"] == "closed"


def test_every_package_of_the_conformance_set_can_be_looked_at(tmp_path):
    packages = sorted(Path(__file__).parents[2].glob("conformance/*_*/package"))
    assert len(packages) > 40
    for package in packages:
        with open_story(package, env=own_folders()) as story:
            assert story.run.verdict is not None
            assert (story.run.verdict.exit_code == 0) is False  # nobody here trusts the signer
            assert all(task.expected is None for task in story.tasks())


def test_it_is_said_how_far_a_page_is(place, tmp_path):
    told = []
    view_run(place / "run", tmp_path / "p.html", progress=lambda *far: told.append(far), env=own_folders())
    assert told == [("auditing", 0, 0), ("writing", 1, 3), ("writing", 2, 3), ("writing", 3, 3)]


@pytest.mark.parametrize(("skipped", "verdict"), [(0, "good"), (2, "middling")])
def test_clean_is_green_only_where_every_check_was_made(tmp_path, skipped, verdict):
    story = HostileStory("a text, as it were")
    statuses = ["skip"] * skipped + ["pass"] * 3
    checks = tuple(msgspec.structs.replace(story.run.checks[0], status=status) for status in statuses)
    story.run = msgspec.structs.replace(story.run, not_audited="", clean=True, checks=checks)
    page = write_page(story, tmp_path / "page.html").path.read_text("utf-8")
    said = f" as far as it was looked at: {skipped} of {len(checks)} checks skipped" if skipped else ""
    assert f'<p class="verdict {verdict}">clean{said}</p>' in page
