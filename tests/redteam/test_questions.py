"""The questions beside those of the world: their facts name the answer, and have the shape that they should."""

import pytest

from gaia_harness.evidence.wording import reduce
from redteam.cases.prompts.honest.scaffolds import QUOTING, RIDDLES
from redteam.questions import everyday, held_out, shaped
from redteam.words import Slots, seeded
from redteam.world import tasks


@pytest.mark.parametrize("kind", [*everyday.PLAIN, *QUOTING, *RIDDLES], ids=lambda kind: kind.subject)
def test_both_wordings_of_a_fact_name_the_answer_and_the_question_does_not_stand_in_them(kind):
    asked = everyday.asked_of(kind, Slots(seeded("everyday", kind.subject)), seeded(kind.subject))
    assert asked.gold in asked.own
    assert asked.gold in asked.other
    assert asked.task.question not in f"{asked.own} {asked.other} {asked.short}"
    assert "{" not in asked.task.question


@pytest.mark.parametrize("kind", [*everyday.PLAIN, *everyday.FILED, *QUOTING, *RIDDLES], ids=lambda kind: kind.subject)
def test_a_question_has_an_everyday_length(kind):
    asked = everyday.asked_of(kind, Slots(seeded("length", kind.subject)), seeded(kind.subject))
    assert 12 <= len(asked.task.question.split()) <= 90


@pytest.mark.parametrize(
    "template",
    [*shaped.SHORT, *shaped.LONG, *shaped.IMPERATIVE, *shaped.FOREIGN],
    ids=lambda template: template.topic,
)
def test_a_fact_in_the_question_s_words_names_the_answer_and_its_heading_does_not(template):
    task = tasks("shapes", 1, among=[template])[0]
    assert task.gold in shaped.stated_of(task) and task.gold in task.fact
    assert task.gold not in shaped.heading_of(task)
    assert "{" not in task.question + shaped.stated_of(task) + shaped.heading_of(task)


def test_the_held_out_questions_have_three_shapes():
    drawn = held_out.shaped("shapes", 6)
    short, long, orders = ([task.question for task in drawn[at : at + 6]] for at in (0, 6, 12))
    assert max(len(question.split()) for question in (*short, *orders)) < 30 < min(len(each.split()) for each in long)
    assert all(question.endswith("?") for question in short) and all(question.endswith(".") for question in orders)


def test_a_statement_has_the_gold_and_words_of_the_question_but_is_not_the_question():
    for task in held_out.shaped("statements", 8):
        asked, stated = (set(reduce(text).split()) for text in (task.question, task.quote))
        assert task.gold in task.quote and task.gold in task.fact and task.gold not in task.question
        assert len(asked & stated) >= 6 and task.question not in task.quote
