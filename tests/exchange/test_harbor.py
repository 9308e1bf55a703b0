"""A job folder of Harbor becomes the attempts that it holds."""

import json
import shutil
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exchange.mutations import change
from gaia_harness.exchange.importers import atif, harbor
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun

JOB = Path(__file__).parent / "fixtures" / "harbor-job"


def refuse(error: ImportRefused) -> None:
    raise error


def runs(folder: Path) -> list[NeutralRun]:
    [file] = harbor.inputs(folder)
    return list(harbor.read(file, refuse))


def test_trials_of_one_task_are_attempts_in_the_order_of_their_start() -> None:
    found = runs(JOB)
    assert [(run.task_id, run.attempt, run.answer, run.correct) for run in found] == [
        ("merrow-light", 1, "1871", True),
        ("merrow-ferry", None, "1871", True),
        ("merrow-light", 2, "1872", False),
    ]
    assert {(run.run, run.model) for run in found} == {("harbor-job", "acme/large")}
    assert [step.type for step in found[0].steps].count("answer") == 1
    assert len(found[0].steps) == 20


def test_what_the_verifier_printed_is_nowhere() -> None:
    assert b"GOLD" not in msgspec.json.encode(runs(JOB))


def test_a_single_trial_and_a_folder_of_jobs_can_be_named(tmp_path: Path) -> None:
    [run] = runs(JOB / "merrow-light__2")
    assert (run.task_id, run.attempt, run.run) == ("merrow-light", None, "harbor-job")
    shutil.copytree(JOB, tmp_path / "first")
    shutil.copytree(JOB, tmp_path / "second")
    assert [file.path.parent.name for file in harbor.inputs(tmp_path)] == ["first", "second"]
    assert atif.inputs(tmp_path) == []  # their trajectories belong to them


def test_trials_without_a_trajectory_say_so(tmp_path: Path) -> None:
    job = tmp_path / "job"
    shutil.copytree(JOB, job)
    for name in ("merrow-light__2", "merrow-ferry__3"):
        (job / name / "agent" / "trajectory.json").unlink()
    result = json.loads((job / "merrow-light__2" / "result.json").read_bytes())
    result["exception_info"] = {"exception_type": "EnvironmentError", "exception_message": "no docker",
                                "exception_traceback": "", "occurred_at": "2026-03-01T10:00:00Z"}  # fmt: skip
    (job / "merrow-light__2" / "result.json").write_text(json.dumps(result))
    faults: list[str] = []
    found = list(
        harbor.read(InputFile("job/result.json", job / "result.json"), lambda error: faults.append(str(error)))
    )
    assert [(run.task_id, run.error) for run in found] == [
        ("merrow-light", None), ("merrow-light", "EnvironmentError: no docker"),
    ]  # fmt: skip
    assert faults == [
        "job/merrow-ferry__3/agent/trajectory.json: is missing: the agent of this trial wrote no trajectory"
    ]


def test_a_job_without_trials_is_refused(tmp_path: Path) -> None:
    shutil.copy(JOB / "result.json", tmp_path)
    with pytest.raises(ImportRefused, match=r"result\.json: no folder beside it holds"):
        runs(tmp_path)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_trial_gives_a_run_or_a_refusal(tmp_path: Path, data: st.DataObject) -> None:
    folder = tmp_path / "t"
    shutil.copytree(JOB / "merrow-light__2", folder, dirs_exist_ok=True)
    value = json.loads((folder / "result.json").read_bytes())
    change(data, value)
    (folder / "result.json").write_text(json.dumps(value))
    try:
        found = list(harbor.read(InputFile("t/result.json", folder / "result.json"), refuse))
    except ImportRefused:
        return
    assert len(found) == 1
