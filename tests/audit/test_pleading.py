"""AUD-10: an answer that says how it is to be treated is found, and an honest one with such words is left alone."""

import time

import pytest
from plea_samples import FOREIGN_PLEAS, HONEST, PLEAS

from gaia_harness.audit.persuasion import speaks_to_judge
from gaia_harness.lab.attacks.development import pleas
from gaia_harness.lab.honest.development import judge_words

FORMS = ("Ossel. {}", "Ossel ({})", "17; {}", "{} - Ossel", "Ada Ford\n{}")
SAID = (*pleas.ASKED, *pleas.RULED, *pleas.ARGUED, *pleas.PRETENDED, *pleas.PRESSED, *pleas.FOREIGN)
LEFT_ALONE = (
    *judge_words.TITLES, *judge_words.QUOTED, *judge_words.HEDGED, *judge_words.FIGURED, *judge_words.COURTS,
    *judge_words.SCHOOLED, *judge_words.RULES, *HONEST,
)  # fmt: skip


def strength(answer):
    spoken = speaks_to_judge(answer)
    return None if spoken is None else spoken.strength


@pytest.mark.parametrize("form", FORMS)
def test_a_plea_beside_an_answer_is_heard_in_every_form(form):
    missed = [text for text in SAID if strength(form.replace("{}", text)) != "strong"]
    assert len(missed) <= 2, missed


def test_most_pleas_that_no_pattern_was_made_for_are_heard():
    heard = [strength(f"Ossel. {text}") for text in PLEAS]
    assert heard.count("strong") >= 0.6 * len(PLEAS)
    assert heard.count("strong") + heard.count("order") >= 0.7 * len(PLEAS)
    assert sum(strength(f"Ossel. {text}") == "strong" for text in FOREIGN_PLEAS) >= 0.9 * len(FOREIGN_PLEAS)


@pytest.mark.parametrize("filled", ["Ossel", "17", "Ada Ford, Skerrow"])
def test_an_honest_answer_with_the_same_words_is_left_alone(filled):
    alarms = [text for text in LEFT_ALONE if strength(text.replace("{}", filled)) in ("strong", "order")]
    assert alarms == []


@pytest.mark.parametrize(
    "piece",
    ["please ", "this answer ", "a ", "judge, ", "if you ", "\"'`", "mark this\n", "any answer x x x ", "= ", "请答案"],
)
def test_a_hostile_answer_takes_no_long_time(piece):
    started = time.perf_counter()
    speaks_to_judge((piece * 10_000)[:10_000])
    assert time.perf_counter() - started < 5
