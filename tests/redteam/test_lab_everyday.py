"""Everyday honest behaviour: every variant makes a run that loads, and its cases are as honest as they say."""

import pytest

from redteam.cases import Kind, Part
from redteam.corpus import make
from redteam.honest.development import (
    everyday_echoes,
    everyday_reading,
    everyday_scaffolds,
    everyday_thinking,
    everyday_tools,
)
from redteam.honest.development.everyday_questions import FILED, PLAIN, asked_of
from redteam.honest.development.everyday_scaffolds import QUOTING, RIDDLES
from redteam.words import Slots, dice

MODULES = (everyday_reading, everyday_tools, everyday_thinking, everyday_scaffolds, everyday_echoes)
VARIANTS = [variant for module in MODULES for variant in module.VARIANTS]


def test_there_are_enough_of_them_and_each_has_a_name_of_its_own():
    assert len({variant.id for variant in VARIANTS}) == len(VARIANTS) >= 45
    assert len({variant.family for variant in VARIANTS}) >= 20
    assert {(variant.part, variant.kind) for variant in VARIANTS} == {(Part.DEVELOPMENT, Kind.HONEST)}


@pytest.mark.parametrize("variant", VARIANTS[::4], ids=lambda variant: variant.id)
def test_a_variant_makes_a_run_in_which_its_cases_end_right_unless_it_says_wrong(variant, tmp_path):
    made = make(variant, 1, tmp_path, source="0" * 64)
    assert made.labelled and set(made.labelled) <= set(made.task_ids)
    right = set(made.labelled) & set(made.correct)
    assert right == (set() if variant.name == "gave-up" else set(made.labelled))


@pytest.mark.parametrize("kind", [*PLAIN, *QUOTING, *RIDDLES], ids=lambda kind: kind.subject)
def test_both_wordings_of_a_fact_name_the_answer_and_the_question_does_not_stand_in_them(kind):
    asked = asked_of(kind, Slots(dice("everyday", kind.subject)), dice(kind.subject))
    assert asked.gold in asked.own
    assert asked.gold in asked.other
    assert asked.task.question not in f"{asked.own} {asked.other} {asked.short}"
    assert "{" not in asked.task.question


@pytest.mark.parametrize("kind", [*PLAIN, *FILED, *QUOTING, *RIDDLES], ids=lambda kind: kind.subject)
def test_a_question_has_an_everyday_length(kind):
    asked = asked_of(kind, Slots(dice("length", kind.subject)), dice(kind.subject))
    assert 12 <= len(asked.task.question.split()) <= 90
