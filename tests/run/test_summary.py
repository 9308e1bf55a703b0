"""Figures of a run."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.agent import AgentResult
from gaia_harness.figures import counted, wilson
from gaia_harness.models.messages import Usage
from gaia_harness.protocol import Choice
from gaia_harness.run.results import task_result
from gaia_harness.run.summary import Tally
from gaia_harness.tasks.answers import Gold
from gaia_harness.tasks.task import Task


def test_what_is_counted_has_its_number():
    assert [counted(n, "task") for n in (0, 1, 2, 1000)] == ["0 tasks", "1 task", "2 tasks", "1,000 tasks"]
    assert [counted(n, "entry was", "entries were") for n in (1, 2)] == ["1 entry was", "2 entries were"]


@pytest.mark.parametrize(
    ("passed", "total", "low", "high"),
    [  # computed by hand from Wilson's formula, and found in textbooks for 0/10, 5/10
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),
        (1, 165, 0.0011, 0.0335),
        (0, 0, 0.0, 1.0),
    ],
)
def test_wilson_interval(passed, total, low, high):
    assert wilson(passed, total) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_interval_holds_the_rate_and_stays_within_bounds(case):
    passed, total = case
    low, high = wilson(passed, total)
    assert 0 <= low <= passed / total <= high <= 1
    mirrored = wilson(total - passed, total)
    assert math.isclose(low, 1 - mirrored[1], abs_tol=1e-12)


def result(task_id="t", level=1, answer="3", gold="3", **changes):
    attempt = AgentResult(answer=answer, turns=2, usages=(Usage(input_tokens=10, output_tokens=4),) * 2)
    return task_result(
        Task(task_id=task_id, question="?", level=level),
        None if gold is None else Gold(answer=gold),
        changes.pop("attempts", [attempt]),
        changes.pop("choice", Choice(1, 1, 1)),
        model="m/m",
        wall_ms=100,
        cost=changes.pop("cost", lambda usage: 0.25),
        **changes,
    )


def summary(tally, **changes):
    fields = {
        "seed": None,
        "dataset": "demo",
        "dataset_revision": None,
        "dataset_digest": "d",
        "split": "validation",
        "voting_attempts": 1,
        "integrity_events": 0,
        "non_submittable_reasons": [],
    }
    return tally.summary(**(fields | changes))


def test_denominator_is_every_task_asked_for():
    tally = Tally({1: 3, 2: 1}, has_gold=True)
    tally.add(result("a"))
    tally.add(result("b", answer="4"))
    figures = summary(tally)
    assert (figures.total, figures.finished, figures.passed, figures.pass_rate) == (4, 2, 1, 0.25)
    assert figures.levels["1"].total == 3
    assert figures.levels["2"].passed == 0
    assert figures.pass_rate_interval_95 == wilson(1, 4)
    assert figures.empty_rate == 0.5
    assert (figures.mean_turns, figures.input_tokens, figures.output_tokens) == (2.0, 40, 16)
    assert figures.est_cost_usd == pytest.approx(1.0)


def test_without_gold_nothing_is_claimed():
    tally = Tally({1: 1}, has_gold=False)
    scored = result(gold=None)
    assert scored.correct is None
    assert scored.expected_output is None
    assert scored.scoring.rule is None
    tally.add(scored)
    figures = summary(tally, split="test")
    assert figures.passed is None
    assert figures.pass_rate is None
    assert figures.pass_rate_interval_95 is None
    assert figures.levels == {"1": None}


def test_one_unknown_cost_makes_the_sum_unknown():
    tally = Tally({1: 2}, has_gold=True)
    tally.add(result("a"))
    tally.add(result("b", cost=lambda usage: None))
    assert summary(tally).est_cost_usd is None


def test_one_unreported_call_makes_tokens_unknown():
    attempt = AgentResult(answer="3", turns=2, usages=(Usage(input_tokens=1, output_tokens=1), Usage()))
    scored = result(attempts=[attempt])
    assert scored.input_tokens is None
    assert scored.output_tokens is None


def test_voting_keeps_both_counts_and_the_first_attempt():
    attempts = [AgentResult(answer=a, turns=1) for a in ("4", "3", "3", None)]
    scored = result(attempts=attempts, choice=Choice(2, 2, 3))
    assert scored.correct is True
    assert (scored.voting.votes, scored.voting.cast, scored.attempts) == (2, 3, 4)
    assert scored.voting.first_attempt_correct is False
    assert scored.voting.answers == ("4", "3", "3", None)
    tally = Tally({1: 1}, has_gold=True)
    tally.add(scored)
    figures = summary(tally, voting_attempts=4)
    assert (figures.passed, figures.passed_first_attempt, figures.view) == (1, 0, "majority")


def test_attempts_of_a_dead_process_count_as_started():
    scored = result(attempts_before=2)
    assert scored.attempts == 3
    assert scored.voting.selected_attempt == 3


def test_an_answer_makes_an_error_of_another_attempt_unimportant():
    attempts = [AgentResult(answer=None, turns=1, error="gone"), AgentResult(answer="3", turns=1)]
    assert result(attempts=attempts, choice=Choice(2, 1, 1)).error is None
    assert result(attempts=attempts[:1], choice=Choice(1, 0, 0)).error == "gone"


def test_reasons_make_a_run_not_submittable():
    figures = summary(Tally({1: 1}, has_gold=True), non_submittable_reasons=["no"])
    assert figures.submittable is False
    assert summary(Tally({1: 1}, has_gold=True)).submittable is True
