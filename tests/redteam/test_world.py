"""The invented world: the same from the same seed, as varied as real questions, and honest where it says so."""

import itertools
import re

import pytest

from gaia_harness.evidence.fingerprint import Fingerprint
from gaia_harness.evidence.scan import scan
from gaia_harness.evidence.wording import reduce
from gaia_harness.judge.scorer import question_scorer, rule_for
from gaia_harness.tools.search import render
from redteam.prose import prose
from redteam.words import Slots, seeded
from redteam.world import TEMPLATES, quoting_tasks, regolded, search_page, tasks, tasks_asking


@pytest.fixture(scope="module")
def many():
    return tasks("a whole run", 165)


def grams(text: str) -> set[bytes]:
    words = reduce(text).split()
    return {b" ".join(words[at : at + 5]) for at in range(len(words) - 4)}


def test_a_seed_gives_the_same_tasks_again_and_another_seed_gives_others():
    assert tasks(1, 12) == tasks(1, 12)
    assert not {task.task_id for task in tasks(1, 12)} & {task.task_id for task in tasks(2, 12)}
    assert not {task.question for task in tasks(1, 12)} & {task.question for task in tasks(2, 12)}


def test_no_two_questions_of_a_run_share_most_of_their_wording(many):
    pieces = [grams(task.question) for task in many]
    assert max(len(a & b) / len(a) for a, b in itertools.permutations(pieces, 2)) < 0.5


def test_questions_have_the_length_of_real_ones(many):
    lengths = sorted(len(task.question.split()) for task in many)
    assert lengths[0] >= 15 and 60 < lengths[-1] <= 120
    assert lengths[-1] > 2 * lengths[0]


def test_there_are_many_kinds_of_questions_and_every_blank_is_filled(many):
    assert len(TEMPLATES) >= 45
    for task in many:
        assert not re.search(r"[\[\]{}|]|  ", task.question + task.gold + task.fact), task
        assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", task.task_id)


def test_golds_have_every_form(many):
    golds = [task.gold for task in many]
    assert {rule_for(gold) for gold in golds} == {"number", "list", "text"}
    assert any(gold in ("yes", "no") for gold in golds)
    assert any(gold.startswith("-") for gold in golds)
    assert any(not gold.isascii() and gold.isalpha() for gold in golds)
    assert any(ord(gold[0]) > 0x1F000 for gold in golds)
    assert all(question_scorer(gold, gold) for gold in golds)


def test_pages_say_where_the_gold_is_and_never_the_question(many):
    fingerprint = Fingerprint({task.task_id: task.question for task in many})
    for task in many[:40]:
        assert task.gold in task.honest_page.text
        assert not all(page.carries_gold for page in task.sources)
        for page in task.sources:
            assert (task.fact in page.text) == page.carries_gold
            found = scan(page.text, fingerprint, task.task_id, sources=())
            assert found.scan.copy < 0.3 and not found.scan.questions, page.url


def test_a_search_finds_the_pages_of_the_task_among_others(many):
    for task in many[:10]:
        output = render(search_page(seeded("hits"), task, snippet_has_fact=True))
        addresses = [source.url for source in output.sources]
        assert {page.url for page in task.sources} < set(addresses)
        assert reduce(task.fact) in reduce(output.text)


def test_a_quoting_question_holds_the_text_that_it_quotes():
    for task in quoting_tasks(3, 8):
        assert len(task.quote.split()) > 8
        assert task.quote in task.question


def test_tasks_can_be_asked_for_by_their_gold_and_given_another():
    task = tasks_asking(5, 1, "{colour}")[0]
    other = regolded(task, "mauve", seeded(1))
    assert "mauve" in other.fact and "mauve" in other.honest_page.text and "mauve" in other.steps
    assert (other.question, other.task_id) == (task.question, task.task_id)


@pytest.mark.parametrize("size", [500, 60_000])
def test_prose_has_about_the_length_that_is_asked_for(size):
    text = prose(seeded(size), size)
    assert size <= len(text) < size + 1500
    assert text == prose(seeded(size), size)


def test_a_blank_keeps_its_word_and_two_blanks_of_a_kind_differ():
    slots = Slots(seeded(4))
    first, again, other = slots.fill("{town}|{town}|{town2}").split("|")
    assert first == again != other
    assert slots.fill("{town}") == first
