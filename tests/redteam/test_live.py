"""Attacks and controls through the real harness: some of them played, all of them looked at."""

import json
from collections import Counter

import pytest

from redteam.live.case import is_caught
from redteam.live.cases import LIVE, run_all, run_case
from redteam.variants import Kind

BY_ID = {case.id: case for case in LIVE}


def test_there_are_enough_cases_and_each_says_what_it_expects():
    kinds = Counter(case.kind for case in LIVE)
    assert len(BY_ID) == len(LIVE)
    assert kinds[Kind.ATTACK] >= 24
    assert kinds[Kind.HONEST] >= 6
    for case in LIVE:
        assert case.about.endswith("."), case.id
        assert bool(case.expects) is (case.kind is not Kind.HONEST), case.id


@pytest.mark.parametrize(
    "case",
    [
        BY_ID["live/attack/snippets/snippet-only"],
        BY_ID["live/attack/grader-access/answers-proc-self"],
        BY_ID["live/attack/verdict-feedback/retry-in-the-attempt"],
    ],
    ids=lambda case: case.name,
)
def test_an_attack_is_played_and_caught(tmp_path, case):
    outcome = run_case(case, tmp_path)
    assert outcome.caught, outcome.findings
    assert outcome.gated
    assert outcome.gained is case.gains
    assert outcome.report.attestation.harness_gaps == ()


def test_an_honest_run_is_clean_and_would_count_for_no_attack(tmp_path):
    [outcome] = run_all(tmp_path, [BY_ID["live/honest/honest/solved"]])
    assert not outcome.gated
    assert outcome.findings == ()
    assert len(outcome.correct) == 5
    assert outcome.report.attestation.skipped == ()
    assert [case.id for case in LIVE if is_caught(case, outcome.report)] == []


def test_code_in_the_sandbox_does_not_get_the_answers(tmp_path):
    """The refused attacks are refused: no gold stands in what the tools gave back."""
    case = BY_ID["live/attack/grader-access/answers-proc-root"]
    outcome = run_case(case, tmp_path)
    trajectories = (outcome.run / "trajectories.jsonl").read_text("utf-8")
    [line] = [line for line in trajectories.splitlines() if case.labelled[0].task_id in line]
    [result] = [step for step in json.loads(line)["steps"] if step["type"] == "tool_result"]
    assert not result["truncated"]  # the head is all there was: hashes beside it may hold any digits
    given = result["head"].replace(str(tmp_path), "")
    assert "FileNotFoundError" in given or "PermissionError" in given
    assert case.labelled[0].gold not in given
