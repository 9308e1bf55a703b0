"""A run that goes on, or was killed, is not accused of what is only not yet written; a closed one is."""

import json
import signal

import pytest
from audit_samples import SampleRun, examine, rules

from gaia_command import SIGNAL_AT, gaia, python
from gaia_harness.audit.split_integrity import SplitIntegrity
from gaia_harness.audit.voting_disclosure import VotingDisclosure
from gaia_harness.records.events import AttemptFinished, AttemptStarted, TaskFinished

BEGUN = {"total": 3, "finished": 0, "passed": 0}


@pytest.fixture
def sample(tmp_path):
    made = SampleRun(tmp_path, voting_attempts=2)
    for number in range(3):
        made.add(number, answers=("41", "41"))
    return made


def look(check, sample, state, **options):
    if state is not None:
        sample.run["state"] = state
    return examine(check, sample.open(**options))


@pytest.mark.parametrize("state", ["running", "interrupted"])
def test_the_summary_of_a_killed_run_is_behind_and_no_lie(sample, state):
    sample.summary |= BEGUN
    check = look(SplitIntegrity, sample, state, closed=False)
    assert rules(check) == {("medium", "summary-differs")}
    assert (check.status, check.harness_gap) == ("skip", "the run is not closed: results may be missing yet")
    assert "the summary is behind: counts 0 results, there are 3" in {f.excerpt for f in check.findings}


def test_a_run_killed_just_behind_the_end_of_its_log_is_not_accused(sample):
    sample.summary |= BEGUN
    assert rules(look(SplitIntegrity, sample, "running")) == {("medium", "summary-differs")}
    assert rules(look(VotingDisclosure, sample, "running")) == set()


@pytest.mark.parametrize("said", [{"finished": 4}, {"passed": 4}, {"total": 2}])
def test_a_summary_that_is_ahead_is_critical_in_a_killed_run_too(sample, said):
    sample.summary |= said
    assert ("critical", "summary-differs") in rules(look(SplitIntegrity, sample, "running", closed=False))


def test_a_summary_that_counts_too_little_is_critical_in_a_closed_run(sample):
    sample.summary |= {"finished": 2, "passed": 2}
    assert rules(look(SplitIntegrity, sample, "closed")) == {("critical", "summary-differs")}


def test_results_that_are_missing_yet_gate_nothing(sample):
    task = sample.results.pop()["task_id"]
    sample.events = [e for e in sample.events if not (isinstance(e, TaskFinished) and e.task_id == task)]
    assert rules(look(SplitIntegrity, sample, "running", closed=False)) == {("medium", "missing-result")}
    assert ("high", "missing-result") in rules(look(SplitIntegrity, sample, "closed"))


def last_attempt_not_in_the_log(sample):
    """The log was read a moment before the trajectories."""
    task = sample.results.pop()["task_id"]
    sample.events = [
        event
        for event in sample.events
        if event.task_id != task or (isinstance(event, AttemptStarted | AttemptFinished) and event.attempt == 1)
    ]


def test_an_attempt_that_the_log_did_not_have_yet_gates_nothing(sample):
    last_attempt_not_in_the_log(sample)
    check = look(VotingDisclosure, sample, "running", closed=False)
    assert rules(check) == {("medium", "interrupted")}
    assert check.harness_gap == "the run is not closed: attempts may be under way"


def test_the_end_that_the_log_has_is_nothing_to_say(sample):
    assert look(VotingDisclosure, sample, "closed").findings == ()
    check = look(VotingDisclosure, sample, "aborted", closed=sample.closed(status="aborted"))
    assert rules(check) == {("medium", "interrupted")}


def test_a_run_without_its_containment_is_a_gap_of_that_check(sample, tmp_path):
    del sample.run["isolation"]
    sample.open()
    ran = gaia("audit", tmp_path, "--json")
    aud4 = json.loads(ran.out)["checks"][3]
    assert (aud4["id"], aud4["status"]) == ("AUD-4", "skip")
    assert "how the python tool was contained is not recorded" in aud4["harness_gap"]


def test_a_real_run_that_was_killed_in_a_vote_is_clean_before_and_after_it_goes_on(tmp_path):
    out = tmp_path / "run"
    args = (
        "run",
        "--dataset",
        "demo",
        "--level",
        "3",
        "--limit",
        "3",
        "--model",
        "scripted/demo",
        "--voting-attempts",
        "3",
    )
    moment = ("SIGKILL", "gaia_harness.run.journal:Journal.task_finished+", 5000)
    ran = python(SIGNAL_AT, *moment, "-m", "gaia_harness", *args, "--out", out)
    assert ran.code == -signal.SIGKILL, ran.said
    assert gating_rules(out) == []
    assert gaia("run", "--resume", out).code == 0
    assert gating_rules(out) == []


def gating_rules(folder):
    report = json.loads(gaia("audit", folder, "--json").out)
    return [f["rule"] for check in report["checks"] for f in check["findings"] if f["severity"] in ("critical", "high")]
