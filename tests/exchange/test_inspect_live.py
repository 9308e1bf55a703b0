"""A real eval of Inspect is recorded while it happens, and its folder says the truth whatever becomes of it."""

import importlib
import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import gaia_harness as gaia
from gaia_command import environment
from gaia_harness.errors import UsageError
from gaia_harness.exchange.importing import import_runs
from gaia_harness.exchange.inspect_settings import open_settings
from gaia_harness.records.run import read_record

TASKS = gaia.load_tasks("demo", selection=gaia.Selection(first=1, last=3), env={}).tasks
PROGRAM = Path(__file__).with_name("inspect_task.py")


class Inspect:
    """What the tests need of it, imported by the first that does: it takes seconds."""

    def __init__(self):
        if importlib.util.find_spec("inspect_ai") is None:
            pytest.skip("needs inspect_ai: pip install 'gaia-harness[inspect]'")
        self.program = importlib.import_module("exchange.inspect_task")
        self.hooks = importlib.import_module("gaia_harness.exchange.inspect_hooks")
        self.recording = importlib.import_module("gaia_harness.exchange.inspect_recording")
        self.broken = self.program.broken
        self.broken.clear()

    def run(self, logs, *pages, named=True, tasks=3, **options):
        return self.program.run(self.program.orrel(list(pages), named=named, tasks=tasks), logs, **options)


@pytest.fixture
def inspect():
    return Inspect()


def lines(path):
    return [json.loads(line) for line in path.open()]


def summary_of(folder):
    return json.loads((folder / "summary.json").read_text())


def variables(tmp_path, **more):
    return {
        "GAIA_INSPECT_DATASET": "demo", "GAIA_INSPECT_TOOLS": "open_page=fetch, reader=delegate",
        "GAIA_KEYS_DIR": str(tmp_path / "keys"), "GAIA_CACHE_DIR": str(tmp_path / "cache"), **more,
    }  # fmt: skip


@pytest.fixture
def setting(tmp_path, monkeypatch):
    def set_variables(**more):
        for name, value in variables(tmp_path, **more).items():
            monkeypatch.setenv(name, value)
        return tmp_path / "logs"

    return set_variables


def folder_in(logs):
    [folder] = logs.glob("*.gaia")
    return folder


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A declared run of three tasks at once, in which one output is longer than Inspect lets through."""
    path = tmp_path_factory.mktemp("inspect")
    env = variables(path, GAIA_INSPECT_DECLARE="1")
    (path / "signers").write_text(gaia.create_key("ada@example.org", env=env) + "\n")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in env.items():
            patch.setenv(name, value)
        log = Inspect().run(path / "logs", "one", "long")
    assert log.status == "success"
    return path, env


def test_an_eval_is_recorded_audited_submitted_and_verified(recorded):
    path, env = recorded
    folder = folder_in(path / "logs")
    summary = summary_of(folder)
    assert (summary["passed"], summary["total"], summary["submittable"]) == (3, 3, True)
    assert read_record(folder).origin.recorded_by.startswith("inspect_ai 0.3")
    report = gaia.audit_run(folder, env=env)
    assert report.attestation.clean, report
    gaia.submit_run(folder, path / "package", dataset="demo", env=env)
    verdict = gaia.verify_package(
        path / "package", allowed_signers=path / "signers", identity="ada@example.org", dataset="demo", env=env
    )
    assert (verdict.exit_code, {line.status for line in verdict.checks}) == (0, {"ok"}), verdict


@pytest.mark.cases
def test_an_output_that_inspect_cut_is_a_gap(recorded):
    path, env = recorded
    folder = folder_in(path / "logs")
    cut = [step for line in lines(folder / "trajectories.jsonl") for step in line["steps"] if step.get("cut")]
    assert [(step["name"], step["bytes"] < 20_000) for step in cut] == [("open_page", True)]
    attestation = gaia.audit_run(folder, env=env).attestation
    assert "evidence: 1 outputs of tools were cut before they were recorded" in attestation.harness_gaps


@pytest.mark.cases
def test_what_is_recorded_is_what_the_log_has(recorded, tmp_path):
    path, _ = recorded
    [log] = (path / "logs").glob("*.eval")
    import_runs([log], tmp_path / "imported", dataset="demo", env={})

    def told(folder):
        return {
            line["task_id"]: [
                (step["type"], step.get("agent"), step.get("name"), step.get("args"), step.get("head"))
                for step in line["steps"]
                if step.get("role") != "tools"
            ]
            for line in lines(folder / "trajectories.jsonl")
        }

    live = told(folder_in(path / "logs"))
    assert live == told(tmp_path / "imported")
    assert {step[1] for steps in live.values() for step in steps} == {None, "reader"}
    first = lines(folder_in(path / "logs") / "trajectories.jsonl")[0]["steps"]
    inner = next(step for step in first if step.get("agent") == "reader")
    assert first[inner["parent"]]["name"] == "reader"


@pytest.mark.cases
def test_what_the_grader_is_shown_is_nowhere(recorded, inspect):
    path, _ = recorded
    for file in folder_in(path / "logs").rglob("*"):
        assert not file.is_file() or inspect.program.MARK.encode() not in file.read_bytes(), file


@pytest.mark.cases
def test_a_failure_that_inspect_swallows_is_written_to_the_folder(inspect, setting, monkeypatch, tmp_path):
    logs = setting(GAIA_INSPECT_DECLARE="1")
    gaia.create_key("ada@example.org", env=variables(tmp_path))
    tell = inspect.recording.Story.tell

    def fail(self, events):
        if self._where == TASKS[1].task_id:
            raise ZeroDivisionError("planted")
        tell(self, events)

    monkeypatch.setattr(inspect.recording.Story, "tell", fail)
    assert inspect.run(logs, "one").status == "success"
    folder = folder_in(logs)
    summary = summary_of(folder)
    assert (summary["finished"], summary["submittable"]) == (2, False)
    assert "recording failed: ZeroDivisionError: planted" in summary["non_submittable_reasons"]
    events = {line["event"] for line in lines(folder / "log.jsonl")}
    assert "recording_failed" in events and "attempt_interrupted" in events
    with pytest.raises(gaia.SubmissionRefused, match=r"planted|never closed"):
        gaia.submit_run(folder, tmp_path / "package", dataset="demo", env=variables(tmp_path))


@pytest.mark.cases
def test_epochs_are_votes_and_samples_are_found_by_their_questions(inspect, setting):
    logs = setting()
    assert inspect.run(logs, named=False, epochs=2).status == "success"
    folder = folder_in(logs)
    results = lines(folder / "results.jsonl")
    # the samples have numbers, so the run is one of the whole data set, of which these three are done
    assert {line["task_id"] for line in results} == {task.task_id for task in TASKS}
    assert all((line["attempts"], line["voting"]["votes"]) == (2, 2) for line in results)
    assert summary_of(folder)["total"] > 3
    assert read_record(folder).state == "interrupted"


@pytest.mark.cases
def test_an_attempt_that_inspect_makes_again_makes_the_run_unfit(inspect, setting):
    logs = setting()
    assert inspect.run(logs, "break", retry_on_error=1).status == "success"
    folder = folder_in(logs)
    assert {line["task_id"] for line in lines(folder / "results.jsonl")} == {task.task_id for task in TASKS[:2]}
    [lost] = [line for line in lines(folder / "log.jsonl") if line["event"] == "attempt_interrupted"]
    assert "the line is dead" in lost["reason"]
    reasons = summary_of(folder)["non_submittable_reasons"]
    assert any("an attempt at this task was interrupted" in reason for reason in reasons), reasons


@pytest.mark.cases
def test_events_that_never_arrive_make_the_recording_fail(inspect, setting, monkeypatch):
    logs = setting()
    kept = inspect.recording.LiveEval.event
    monkeypatch.setattr(
        inspect.recording.LiveEval, "event", lambda self, at, event: event.event == "tool" or kept(self, at, event)
    )
    inspect.run(logs, tasks=1)
    reasons = summary_of(folder_in(logs))["non_submittable_reasons"]
    assert any("events of Inspect did not arrive" in reason for reason in reasons), reasons


@pytest.mark.cases
def test_an_eval_of_something_else_leaves_no_folder(inspect, setting, capsys):
    logs = setting()
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import generate

    task = Task(dataset=[Sample(input="Which weekday is it?", target="Monday")], solver=generate())
    program = inspect.program
    model = program.get_model(program.MODEL, custom_outputs=[program.call("x", {})], memoize=False)
    program.run(task, logs, model=model)
    assert not list(logs.glob("*.gaia"))
    assert "was not recorded: no sample is a task of demo" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"GAIA_INSPECT_DATASETS": "demo"}, "there is no variable GAIA_INSPECT_DATASETS"),
        ({"GAIA_INSPECT_DECLARE": "yes"}, "GAIA_INSPECT_DECLARE is 'yes'"),
        ({"GAIA_INSPECT_TOOLS": "open_page=opener"}, "is not a tool with its role"),
        ({"GAIA_INSPECT_DATASET": "no/such/folder"}, "no/such/folder"),
        ({"GAIA_INSPECT_OUT": "{here}"}, "is not empty"),
        ({"GAIA_INSPECT_DECLARE": "1"}, "key"),
    ],
)
def test_settings_that_cannot_be_met_are_refused_before_an_eval_begins(tmp_path, given, said):
    (tmp_path / "something").write_text("else")
    given = {name: value.replace("{here}", str(tmp_path)) for name, value in given.items()}
    with pytest.raises(gaia.GaiaError, match=said):
        open_settings(variables(tmp_path, **given))


def test_inspect_stops_where_what_was_asked_for_cannot_be_done(inspect, setting):
    from inspect_ai._util.error import PrerequisiteError

    setting(GAIA_INSPECT_DECLARE="perhaps")
    with pytest.raises(PrerequisiteError, match="gaia-harness cannot record this eval: GAIA_INSPECT_DECLARE"):
        inspect.hooks.RecordHooks().enabled()


@pytest.mark.cases
def test_an_eval_whose_folder_cannot_be_used_stops_at_its_first_sample(inspect, setting, tmp_path):
    inspect.run(setting(GAIA_INSPECT_OUT=str(tmp_path / "run")))
    log = inspect.run(setting(GAIA_INSPECT_OUT=str(tmp_path / "run")))
    assert log.status == "error"
    assert "cannot record this eval" in log.error.message and "this run is finished" in log.error.message


def inspect_program(tmp_path, *pages, **env):
    return subprocess.run(
        [sys.executable, PROGRAM, tmp_path / "logs", *pages],
        capture_output=True, text=True, check=False,
        env={**environment(), **env, "PYTHONPATH": str(PROGRAM.parents[1])},
    )  # fmt: skip


@pytest.mark.cases
def test_a_killed_eval_says_so_and_goes_on(inspect, tmp_path, setting):
    gaia.create_key("ada@example.org", env=variables(tmp_path))
    out = tmp_path / "run"
    env = variables(tmp_path, GAIA_INSPECT_DECLARE="1", GAIA_INSPECT_OUT=str(out))
    done = inspect_program(tmp_path, "die", INSPECT_REQUIRED_HOOKS="gaia_harness/record", **env)
    assert done.returncode == -9, done.stderr
    summary = summary_of(out)
    assert (summary["submittable"], read_record(out).state) == (False, "running")
    assert "the run is not closed" in summary["non_submittable_reasons"]
    assert len(lines(out / "results.jsonl")) == 2
    with pytest.raises(gaia.GaiaError):
        gaia.submit_run(out, tmp_path / "package", dataset="demo", env=env)
    logs = setting(GAIA_INSPECT_DECLARE="1", GAIA_INSPECT_OUT=str(out))
    inspect.run(logs, "one", sample_id=TASKS[2].task_id)
    summary = summary_of(out)
    assert (summary["finished"], summary["submittable"], summary["interruptions"]["resumed"]) == (3, True, 1), summary
    assert summary["interruptions"]["unfinished_attempts"] == 1
    gaia.submit_run(out, tmp_path / "package", dataset="demo", env=env)


@pytest.mark.cases
def test_a_finished_task_that_is_run_again_makes_the_run_unfit(inspect, setting, tmp_path):
    out = tmp_path / "run"
    logs = setting(GAIA_INSPECT_OUT=str(out))
    inspect.run(logs, "break", fail_on_error=False)  # the last one ends with an error
    assert summary_of(out)["finished"] == 2
    inspect.run(logs, "one")
    summary = summary_of(out)
    assert summary["finished"] == 3
    assert any("finished already" in reason for reason in summary["non_submittable_reasons"])


@pytest.mark.cases
def test_a_required_hook_that_is_not_there_stops_inspect(inspect, tmp_path):
    done = inspect_program(tmp_path, INSPECT_REQUIRED_HOOKS="gaia_harness/record")
    assert done.returncode != 0
    assert "Required hook(s) missing: {'gaia_harness/record'}" in done.stdout + done.stderr
    assert not list(tmp_path.rglob("*.eval"))


@pytest.mark.cases
def test_nothing_happens_where_it_is_not_asked_for(inspect, tmp_path):
    done = inspect_program(tmp_path)
    assert (done.returncode, "hooks" in done.stdout + done.stderr) == (0, False), done.stderr
    assert [path.suffix for path in (tmp_path / "logs").iterdir()] == [".eval"]
    found = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import gaia_harness.exchange.inspect_live"],
        capture_output=True, text=True, check=True, env={**os.environ, "GAIA_INSPECT_DATASET": ""},
    )  # fmt: skip
    assert "inspect_hooks" not in found.stderr and "msgspec" not in found.stderr


def test_settings_are_refused_with_a_hint(tmp_path):
    with pytest.raises(UsageError) as raised:
        open_settings(variables(tmp_path, GAIA_INSPECT_WHAT="1"))
    assert "GAIA_INSPECT_OUT" in raised.value.hint
