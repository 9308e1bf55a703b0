"""Choosing among attempts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.protocol import choose


@pytest.mark.parametrize(
    ("answers", "attempt", "votes", "cast"),
    [
        (["a"], 1, 1, 1),
        (["a", "b", "b"], 2, 2, 3),
        (["a", "b", "c"], 1, 1, 3),
        (["b", "a", "a", "b"], 1, 2, 4),
        (["7", "Seven.", "seven"], 2, 2, 3),
        (["1,000", "x", "$1000"], 1, 2, 3),
        ([None, "a", None], 2, 1, 1),
        ([None, None], 1, 0, 0),
    ],
)
def test_majority_after_normalisation_ties_to_the_first(answers, attempt, votes, cast):
    choice = choose(answers)
    assert (choice.attempt, choice.votes, choice.cast) == (attempt, votes, cast)


@given(st.lists(st.none() | st.sampled_from(["a", "A.", "b", "1", "1.0", "", "x, y"]), min_size=1, max_size=9))
def test_no_answer_has_more_votes_than_the_chosen_one_and_no_earlier_one_as_many(answers):
    choice = choose(answers)
    for index, answer in enumerate(answers, start=1):
        if answer is None:
            continue
        votes = choose([answer, *answers]).votes - 1 if choose([answer, *answers]).attempt == 1 else 0
        assert votes <= choice.votes
        assert votes < choice.votes or index >= choice.attempt
