"""Made runs: what `gaia run` would have written, from the real parts, and bent exactly where a script bends them."""

import hashlib
import json
from pathlib import Path

import msgspec
import pytest

from gaia_command import gaia
from gaia_harness.evidence import read_trajectories
from gaia_harness.records.events import (
    AttemptFinished,
    AttemptStarted,
    IntegrityEvent,
    RunClosed,
    RunStarted,
    TaskFinished,
)
from gaia_harness.records.log import read_log
from gaia_harness.records.results import TaskResult
from gaia_harness.records.steps import ToolResultStep
from gaia_harness.run.resume import load_resume_state
from gaia_harness.signing.intent import open_intent
from gaia_harness.tasks.loading import load_tasks
from redteam.batches import Part
from redteam.corpus import make, variants
from redteam.making import RunMaker
from redteam.script import Attempt, Opinion, RunScript, Turn, with_changes, with_turn
from redteam.solving import closing, fetch, honest_attempt, honest_script, turn
from redteam.task_record import usual_opening
from redteam.variants import among, each, honest_tasks
from redteam.words import seeded
from redteam.world import Page

SOURCE = "0" * 64


@pytest.fixture
def maker(tmp_path):
    return RunMaker(tmp_path, "a seed", source=SOURCE)


@pytest.fixture
def scripts(maker):
    return honest_tasks(seeded("honest"), maker, 6)


def lines(maker, name):
    return [json.loads(line) for line in (maker.path / name).read_bytes().splitlines()]


def events(maker):
    return [event for _, event in read_log(maker.path / "log.jsonl")]


def trajectories(maker):
    return {trajectory.task_id: trajectory for _, _, trajectory in read_trajectories(maker.path / "trajectories.jsonl")}


def tree(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def shape(value):
    """The names in a JSON value, without what they hold."""
    if isinstance(value, dict):
        return {name: shape(item) for name, item in value.items()}
    return None


def test_the_same_seed_gives_the_same_bytes(tmp_path, monkeypatch):
    written = []
    for place in ("one", "two"):
        (tmp_path / place).mkdir()
        monkeypatch.chdir(tmp_path / place)
        make(variants(Part.DEVELOPMENT)[0], 3, Path("made"), source=SOURCE)
        written.append(tree(tmp_path / place))
    assert len(written[0]) > 8
    assert written[0] == written[1]


def test_a_made_run_is_taken_for_a_finished_run_of_ours(maker, scripts):
    maker.write(RunScript(tasks=tuple(scripts)))
    record = json.loads((maker.path / "run.json").read_bytes())
    left = load_resume_state(maker.path, f"gaia-harness/run/{record['run_id']}", key=maker.signer.public)
    assert left.closed == "complete" and not left.healed and not left.failures
    assert {result.task_id for result in left.results} == {script.task.task_id for script in scripts}
    envelope = (maker.path / "intent.dsse.json").read_bytes()
    intent, _ = open_intent(envelope, [maker.signer.public], where="intent")
    assert left.started.intent_sha256 == hashlib.sha256(envelope).hexdigest()
    assert (intent.run_id, intent.source_sha256) == (record["run_id"], SOURCE)
    loaded = load_tasks(record["config"]["dataset"])
    assert loaded.digest == record["dataset"]["digest"] == intent.dataset_digest
    for script in scripts:
        gold = loaded.key.get(script.task.task_id)
        assert (gold.answer, gold.annotator_steps) == (script.task.gold, script.task.steps)


def test_a_made_run_has_the_files_and_fields_of_a_real_one(maker, scripts, tmp_path):
    maker.write(RunScript(tasks=tuple(scripts)))
    real = tmp_path / "real"
    ran = gaia(
        "run", "--dataset", "demo", "--limit", "2", "--model", "scripted/demo", "--judge-model", "scripted/judge",
        "--submit-intent", "--out", real,
    )  # fmt: skip
    assert ran.code == 0, ran.err
    assert {path.name for path in maker.path.iterdir()} >= {path.name for path in real.iterdir()} - {"bodies"}
    for name in ("run.json", "summary.json"):
        ours, theirs = (json.loads((folder / name).read_bytes()) for folder in (maker.path, real))
        for value in (ours, theirs):
            for field in ("versions", "levels", "judge", "endpoint", "judge_endpoint", "tools", "warnings"):
                value.pop(field, None)
            value.get("config", {}).pop("task_timeout", None)  # which the command gives, and who calls us need not
        assert list(shape(ours).items()) == list(shape(theirs).items())
    filled = [{}, {}]  # by kind of event, in order: which fields there are, and which of them say something
    for folder, kinds in zip((maker.path, real), filled, strict=True):
        for line in (folder / "log.jsonl").read_bytes().splitlines():
            event = json.loads(line)
            kinds.setdefault(event["event"], [(name, value is not None) for name, value in event.items()])
    assert {kind: filled[0].get(kind) for kind in filled[1]} == filled[1]
    assert all(msgspec.convert(line, TaskResult) for line in lines(maker, "results.jsonl"))
    ours = {step.role: step.head for step in next(iter(trajectories(maker).values())).steps if step.seq < 2}
    _, _, theirs = next(read_trajectories(real / "trajectories.jsonl"))
    assert ours["system"] == next(step.head for step in theirs.steps if step.role == "system")
    assert ours["tools"].startswith('[{"description": "Search the web.')


@pytest.mark.parametrize("right", [True, False])
def test_honest_work_is_scored_by_the_official_scorer(maker, right):
    scripts = tuple(honest_script(task, seeded(task.task_id), right=right) for task in maker.tasks(30))
    results = maker.write(RunScript(tasks=scripts))
    assert {result.correct for result in results} == {right}
    assert {len(script.attempts[0].turns) for script in scripts} <= {2, 3, 4, 5, 6}
    assert json.loads((maker.path / "summary.json").read_bytes())["passed"] == (30 if right else 0)


def test_every_hit_of_a_search_is_a_source_at_its_place(maker, scripts):
    script = with_changes(
        scripts[0], attempts=(honest_attempt(next(s.task for s in scripts if not s.task.attachment), seeded(1)),)
    )
    maker.write(RunScript(tasks=(script,)))
    steps = trajectories(maker)[script.task.task_id].steps
    found = next(step for step in steps if isinstance(step, ToolResultStep) and step.name == "web_search")
    text = script.attempts[0].turns[0].calls[0].output.text.encode()
    assert len(found.sources) > 2
    for number, source in enumerate(found.sources, 1):
        block = text[source.offset : source.offset + source.bytes].decode()
        assert block.startswith(f"{number}. {source.title}\n{source.url}")


def test_the_real_scan_sees_a_copy_of_the_question(maker, scripts):
    task = scripts[0].task
    page = Page(url="https://mirror.example/datasets/x/gaia", title="rows", text=f"{task.question} {task.gold}")
    maker.write(RunScript(tasks=(with_turn(scripts[0], turn("A hit.", fetch(page))), *scripts[1:])))
    step = next(
        step
        for step in trajectories(maker)[task.task_id].steps
        if isinstance(step, ToolResultStep) and step.sources and step.sources[0].url == page.url
    )
    assert step.scan.copy == 1.0 and "dataset-page" in step.scan.pages
    assert step.windows and step.body and list((maker.path / "bodies").iterdir())


def test_prompts_can_be_bent_for_one_attempt_alone(maker, scripts):
    task = scripts[0].task
    told = (*usual_opening(task), ("user", f"Hint: it is {task.gold}."))
    first, second = honest_attempt(task, seeded(1), right=False), honest_attempt(task, seeded(2))
    retry = Turn(words="Again.", prompts=(("user", "That was wrong, try again."),))
    second = msgspec.structs.replace(second, opening=told, turns=(retry, *second.turns))
    maker.write(RunScript(tasks=(with_changes(scripts[0], attempts=(first, second), selected=2),)))
    prompts = [
        (step.attempt, step.head)
        for step in trajectories(maker)[task.task_id].steps
        if getattr(step, "role", "") == "user"
    ]
    assert prompts[0] == (1, told[2][1])
    assert (2, f"Hint: it is {task.gold}.") in prompts and (2, "That was wrong, try again.") in prompts
    assert lines(maker, "results.jsonl")[0]["voting"]["selected_attempt"] == 2


def test_an_attempt_can_be_kept_out_of_the_trajectory_and_the_result_but_not_the_log(maker, scripts):
    task = scripts[0].task
    hidden = msgspec.structs.replace(honest_attempt(task, seeded(1), right=False), recorded=False, counted=False)
    maker.write(RunScript(tasks=(with_changes(scripts[0], attempts=(hidden, honest_attempt(task, seeded(2)))),)))
    assert [event.attempt for event in events(maker) if isinstance(event, AttemptStarted)] == [1, 2]
    assert {step.attempt for step in trajectories(maker)[task.task_id].steps} == {2}
    assert lines(maker, "results.jsonl")[0]["attempts"] == 1


def test_an_edit_before_the_log_is_bound_by_it_and_a_late_one_is_not(maker, scripts):
    def rewrite(line):
        line["answer"] = "rewritten"

    early, late = with_changes(scripts[0], edit_result=rewrite), with_changes(scripts[1], edit_result_late=rewrite)
    maker.write(RunScript(tasks=(early, late)))
    bound = {event.task_id: event.result_sha256 for event in events(maker) if isinstance(event, TaskFinished)}
    for line in (maker.path / "results.jsonl").read_bytes().splitlines():
        result = json.loads(line)
        assert result["answer"] == "rewritten"
        fits = hashlib.sha256(line).hexdigest() == bound[result["task_id"]]
        assert fits == (result["task_id"] == early.task.task_id)


def test_a_trajectory_edited_before_the_log_still_fits_it(maker, scripts):
    def emptied(line):
        line["steps"] = line["steps"][:4]

    maker.write(RunScript(tasks=(with_changes(scripts[0], edit_trajectory=emptied),)))
    line = (maker.path / "trajectories.jsonl").read_bytes().splitlines()[0]
    steps = msgspec.json.encode(json.loads(line)["steps"])
    ended = next(event for event in events(maker) if isinstance(event, AttemptFinished))
    done = next(event for event in events(maker) if isinstance(event, TaskFinished))
    assert (ended.steps, ended.steps_sha256) == (4, hashlib.sha256(steps).hexdigest())
    assert done.trajectory_sha256 == hashlib.sha256(line).hexdigest()


def test_tasks_can_be_dropped_hidden_and_doubled(maker, scripts):
    hidden, doubled, *others = scripts
    dropped = others.pop()
    maker.write(
        RunScript(
            tasks=(with_changes(hidden, lines=0), with_changes(doubled, lines=2), *others), dropped=(dropped.task,)
        )
    )
    ids = [line["task_id"] for line in lines(maker, "results.jsonl")]
    assert ids.count(doubled.task.task_id) == 2 and hidden.task.task_id not in ids
    asked = json.loads((maker.path / "run.json").read_bytes())["dataset"]["task_ids"]
    assert dropped.task.task_id not in asked and hidden.task.task_id in asked
    assert len(load_tasks(str(maker.dataset)).tasks) == len(scripts)


def test_events_can_be_left_out_of_the_log_and_added(maker, scripts):
    def without_starts(log):
        return [event for event in log if event["event"] != "attempt_started"]

    tampered = IntegrityEvent(kind="signature", detail="an entry of the cache")
    maker.write(RunScript(tasks=tuple(scripts), edit_log=without_starts, events=(tampered,)))
    found = events(maker)
    assert not any(isinstance(event, AttemptStarted) for event in found)
    assert any(isinstance(event, IntegrityEvent) for event in found)
    assert isinstance(found[-1], RunClosed) and not found[-1].submittable
    summary = json.loads((maker.path / "summary.json").read_bytes())
    assert summary["judge_cache_integrity_events"] == 1 and not summary["submittable"]


def test_a_crash_leaves_a_started_attempt_and_a_resumption(maker, scripts):
    scripts[2] = with_changes(scripts[2], cut_off=1)
    maker.write(RunScript(tasks=tuple(scripts)))
    task_id = scripts[2].task.task_id
    numbers = [
        event.attempt for event in events(maker) if isinstance(event, AttemptStarted) and event.task_id == task_id
    ]
    assert numbers == [1, 2]
    assert [type(event).__name__ for event in events(maker)].count("RunResumed") == 1
    assert {step.attempt for step in trajectories(maker)[task_id].steps} == {2}
    result = next(line for line in lines(maker, "results.jsonl") if line["task_id"] == task_id)
    assert (result["attempts"], result["voting"]["selected_attempt"]) == (2, 2)
    assert next(e for e in events(maker) if isinstance(e, RunClosed)).attempts == len(scripts) + 1


def test_the_judge_is_asked_about_refused_answers_and_says_what_a_script_wants(maker, scripts):
    task = scripts[0].task
    wrong = with_changes(scripts[0], attempts=(Attempt(turns=(closing(seeded(1), "no such thing"),)),))
    maker.write(RunScript(tasks=(with_changes(wrong, opinion=Opinion(verdict=True)),)))
    line = lines(maker, "results.jsonl")[0]
    assert line["correct"] is False and line["judge"]["verdict"] is True
    assert [event.verdict for event in events(maker) if type(event).__name__ == "Judged"] == [True]
    assert line["expected_output"] == task.gold


@pytest.mark.parametrize("field", ["edit_record", "edit_summary"])
def test_records_of_the_run_can_be_edited(maker, scripts, field):
    maker.write(RunScript(tasks=tuple(scripts), **{field: lambda value: value.update(planted=True)}))
    name = "run.json" if field == "edit_record" else "summary.json"
    assert json.loads((maker.path / name).read_bytes())["planted"] is True


def test_rows_of_the_data_set_and_the_intent_can_be_edited(maker, scripts):
    maker.write(
        RunScript(
            tasks=tuple(scripts),
            edit_rows=lambda row: row.update({"Level": "3"}),
            edit_intent=lambda intent: intent.update(model="another"),
            isolation={"python": "unsandboxed"},
        )
    )
    assert {task.level for task in load_tasks(str(maker.dataset)).tasks} == {3}
    envelope = (maker.path / "intent.dsse.json").read_bytes()
    assert open_intent(envelope, [maker.signer.public], where="intent")[0].model == "another"
    assert next(e for e in events(maker) if isinstance(e, RunStarted)).model == "scripted/lab"
    assert not json.loads((maker.path / "summary.json").read_bytes())["submittable"]


def test_cases_are_labelled_among_honest_company(maker):
    case = among(seeded(1), maker, honest_script, cases=3, company=5)
    ids = [script.task.task_id for script in case.script.tasks]
    assert len(set(ids)) == 8 and len(case.labelled) == 3 and set(case.labelled) < set(ids)
    assert len(each(honest_script)(seeded(1), maker).labelled) == 4
