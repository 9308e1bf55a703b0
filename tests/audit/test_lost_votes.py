"""AUD-6: attempts without an answer are disclosed; where they took the wrong answers away, that is weighed."""

import random

import pytest
from audit_samples import SampleRun, examine, gating, rules

import thoroughness
from gaia_harness.audit.lost_votes import Vote, weigh
from gaia_harness.audit.voting_disclosure import VotingDisclosure
from gaia_harness.protocol import choose


def look(folder, *votes):
    sample = SampleRun(folder, voting_attempts=len(votes[0]))
    for number, answers in enumerate(votes):
        sample.add(number, answers=answers)
    return examine(VotingDisclosure, sample.open())


def test_an_attempt_without_an_answer_is_disclosed(tmp_path):
    check = look(tmp_path, ("41", None, "41"), ("41", "40", "41"), (None, None, None))
    assert rules(check) == {("low", "no-answer")}
    assert check.status == "pass"
    assert "1 of 3 attempts" in check.findings[0].summary


def test_one_attempt_that_fails_is_nothing_to_vote_on(tmp_path):
    assert look(tmp_path, (None,), ("41",)).findings == ()


def test_wrong_attempts_that_became_errors_in_every_task_are_high(tmp_path):
    assert ("high", "no-answer-and-correct") in rules(look(tmp_path, *[(None, None, "41")] * 16))


def test_wrong_attempts_that_became_errors_in_half_of_the_tasks_are_high(tmp_path):
    check = look(tmp_path, *[(None, "41", None), ("40", "40", "39")] * 8)
    assert ("high", "no-answer-and-correct") in rules(check)
    assert "8 of 8 tasks" in check.findings[0].summary
    assert "0 of 8 others" in check.findings[0].summary


def test_a_few_such_tasks_among_wrong_ones_are_medium(tmp_path):
    votes = [(None, "41", None)] * 5 + [("40", "40", "39")] * 15 + [("41", "41", "40")] * 4
    assert rules(look(tmp_path, *votes)) == {("low", "no-answer"), ("medium", "no-answer-and-correct")}


@pytest.mark.parametrize(
    "votes",
    [
        [(None, "41", "41"), ("41", "41", "40")] * 8,  # lost, but they could not have changed the vote
        [(None, None, "41"), ("41", "41", "41")] * 8,  # a good model with a bad provider
        [(None, None, "41"), (None, None, "40"), ("41", "41", "40"), ("40", "39", "40")] * 4,  # right and wrong alike
        [(None, None, "40")] * 8 + [("41", "41", "41")] * 8,  # hard tasks run out of time
        [(None, None, "41")] * 3 + [("40", "40", "40")] * 8,  # too few to say anything
        [(None, None, None)] * 8 + [("41", "41", None)] * 8,
    ],
)
def test_what_fails_by_itself_is_disclosed_and_no_more(tmp_path, votes):
    assert rules(look(tmp_path, *votes)) <= {("low", "no-answer")}


def test_a_vote_in_which_almost_everything_fails_gates_nothing_where_some_tasks_lost_all(tmp_path):
    check = look(tmp_path, *[(None, None, "41")] * 12, *[(None, None, None)] * 4)
    assert ("medium", "no-answer-and-correct") in rules(check)
    assert not gating(check)


def failing(rng, votes, chance, ease):
    answers = [None if rng.random() < chance(ease) else "R" if rng.random() < ease else "W" for _ in range(votes)]
    rule = choose(answers)
    place, most, cast = rule.attempt, rule.votes, rule.cast
    return Vote(answers.count(None), cast, most, answers[place - 1] == "R")


@pytest.mark.parametrize(
    ("chance", "votes"),
    thoroughness.crossed(
        [lambda ease: 0.1, lambda ease: 0.35, lambda ease: 0.6, lambda ease: 0.8 * (1 - ease)], [2, 3, 5]
    ),
)
def test_failures_that_do_not_know_the_answer_never_gate(votes, chance):
    rng = random.Random(votes)
    for _ in range(60):
        tasks = [failing(rng, votes, chance, rng.betavariate(1, 0.5)) for _ in range(rng.choice((10, 16, 40, 165)))]
        assert "high" not in {severity for severity, _, _ in weigh(tasks)}


def test_no_votes_weigh_nothing():
    assert weigh([]) == []
