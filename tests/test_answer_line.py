"""Answer extraction."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.answer_line import LONGEST, final_answer


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("FINAL ANSWER: 17", "17"),
        ("so it is.\n\nFinal answer: Quill Island", "Quill Island"),
        ("**FINAL ANSWER:** 3, 4", "3, 4"),
        ("**FINAL ANSWER: egg**", "egg"),
        ("FINAL ANSWER:\n\n  42\nmore talk", "42"),
        ("FINAL ANSWER: 1\nNo, wait.\nFINAL ANSWER: 2", "2"),
        ("FINAL ANSWER：７", "７"),
        ("FINAL  ANSWER : `x = 1`", "x = 1"),
        ('FINAL ANSWER: "To be, or not"', '"To be, or not"'),
        ("FINAL ANSWER: -0.5", "-0.5"),
        ("FINAL ANSWER: 42\nFINAL ANSWER:", "42"),
        ("FINAL ANSWER:\nFINAL ANSWER: **", None),
        ("FINAL ANSWER:", None),
        ("FINAL ANSWER: **", None),
        ("the final answer is 3", None),
        ("", None),
    ],
)
def test_answer_stands_behind_the_last_marker(text, answer):
    assert final_answer(text) == answer


@given(st.text(max_size=200))
def test_any_text_gives_a_bounded_answer_on_one_line_or_none(text):
    answer = final_answer("FINAL ANSWER: " + text)
    assert answer is None or (answer and len(answer) <= LONGEST and len(answer.splitlines()) == 1)


def test_white_space_is_read_once():
    """Were it read in the square of its length, this would take an hour."""
    assert final_answer("FINAL ANSWER" + " " * 1_000_000 + "x") is None
    assert final_answer("FINAL" + "\n" * 1_000_000 + "ANSWER") is None


def test_an_endless_answer_is_cut():
    assert len(final_answer("FINAL ANSWER: " + "a" * 1_000_000) or "") == LONGEST
