"""The official rules, by the verdicts of the official scorer and by properties at the edges."""

import json
import string
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.judge.scorer import question_scorer, rule_for
from gaia_harness.normalization import ballot

VERDICTS = [
    json.loads(line)
    for line in (Path(__file__).parent / "data" / "scorer_verdicts.jsonl").read_text("utf-8").splitlines()
]
WORDS = st.text(alphabet=string.ascii_letters, min_size=1, max_size=12).filter(
    lambda w: w.lower() not in {"nan", "inf", "infinity"}
)
NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


def test_all_official_verdicts_are_there():
    assert len(VERDICTS) == 260
    assert {row["correct"] for row in VERDICTS} == {True, False}


@pytest.mark.parametrize("row", VERDICTS, ids=lambda row: f"{row['model_answer']!r}~{row['ground_truth']!r}"[:60])
def test_agrees_with_the_official_scorer(row):
    assert question_scorer(row["model_answer"], row["ground_truth"]) is row["correct"]


@given(NUMBERS)
def test_a_number_is_right_with_any_unit_sign(value):
    assert question_scorer(f"${value!r}%", repr(value))


@given(st.integers(min_value=-(10**12), max_value=10**12))
def test_digit_groups_in_the_answer_do_not_matter(value):
    assert question_scorer(f"{value:,}", str(value))


@given(NUMBERS, NUMBERS)
def test_numbers_are_equal_exactly_or_wrong(a, b):
    assert question_scorer(repr(a), repr(b)) is (a == b)


@given(WORDS, st.text(alphabet=string.punctuation.replace(",", "").replace(";", ""), max_size=5))
def test_punctuation_case_and_space_do_not_matter_in_text(word, marks):
    assert question_scorer(f" {marks}{word.upper()} \t{marks}", word)


@given(WORDS, st.sampled_from("!.-'\""))
def test_punctuation_does_matter_in_a_list(word, mark):
    assert not question_scorer(f"{word}{mark},b", f"{word},b")


@given(st.lists(WORDS, min_size=2, max_size=5), st.sampled_from([",", ";", ", ", " ;"]))
def test_list_needs_order_and_length(parts, separator):
    gold = ",".join(parts)
    assert question_scorer(separator.join(parts), gold)
    assert not question_scorer(separator.join([*parts, "x"]), gold)
    lowered = [part.lower() for part in parts]
    assert question_scorer(separator.join(reversed(parts)), gold) is (lowered == lowered[::-1])


@given(st.text(max_size=40), st.text(max_size=40))
def test_any_two_texts_get_a_verdict(answer, gold):
    assert question_scorer(answer, gold) in (True, False)


@pytest.mark.parametrize(
    ("gold", "rule"),
    [("17", "number"), ("1e3", "number"), ("a, b", "list"), ("1;2", "list"), ("Quito", "text")],
)
def test_the_gold_picks_the_rule(gold, rule):
    assert rule_for(gold) == rule


@pytest.mark.parametrize("gold", ["None", "none.", " N o n e "])
def test_no_answer_counts_as_the_word_none(gold):
    assert question_scorer(None, gold)


@given(st.text(max_size=30), st.text(max_size=30))
def test_equal_ballots_are_answers_that_the_scorer_treats_alike(a, b):
    if ballot(a) == ballot(b) and ballot(a)[0] == "text":
        assert question_scorer(a, b) or rule_for(b) != "text"


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("1,000", "$1000", True),
        ("St. Kilda", "st kilda", True),
        ("a, b", "A,B", True),
        ("a, b", "b, a", False),
        ("1, 2.0", "1.0;2", True),
        ("12", "twelve", False),
        ("1,2", "1, 2", True),
        ("1,2", "12", False),
    ],
)
def test_votes_are_counted_after_normalisation(a, b, same):
    assert (ballot(a) == ballot(b)) is same
