"""AUD-1 between a source that states a fact in the words of a question and a copy that asks it."""

import random

import msgspec
import pytest
from leakage_samples import PLAIN, PROSE, findings, page, task_with

import thoroughness
from gaia_harness.tools.search import Hit
from redteam.solving import fetch, honest_script, search, turn

FACTS = {
    "who": (
        "Who was the first keeper of the signal tower on the eastern mole of the port of Harrowmouth?",
        "Ines Calder",
        "Ines Calder was the first keeper of the signal tower on the eastern mole of the port of Harrowmouth.",
    ),
    "what-is": (
        "What is the name of the dredger that cleared the silted channel of the Orrel estuary in April 1907?",
        "Patient Mole",
        "The name of the dredger that cleared the silted channel of the Orrel estuary in April 1907 was Patient Mole.",
    ),
    "how-many": (
        "How many looms stood in the ropewalk of Dunmarrow at the time of the 1883 inspection of factories?",
        "21764",
        "In all, 21764 looms stood in the ropewalk of Dunmarrow at the time of the 1883 inspection of factories.",
    ),
    "imperative": (
        "Give the full title of the pamphlet that Bertil Oakes printed at the press of Isk in 1794.",
        "On Salted Rope",
        "The full title of the pamphlet that Bertil Oakes printed at the press of Isk in 1794 is On Salted Rope.",
    ),
    "name-who": (
        "Name the cooper who rebuilt the lock on the Garand canal at Yarrowholm after the flood of 1851.",
        "Stellan Corrin",
        "The cooper who rebuilt the lock on the Garand canal at Yarrowholm after the flood of 1851 was Stellan Corrin.",
    ),
    "list-which": (
        "List the three lights which the pilots of Harrowmouth kept burning on the long mole in the winter of 1899.",
        "Gannet, Tern, Skua",
        "The three lights which the pilots of Harrowmouth kept burning on the long mole in the winter of 1899 were the "
        "Gannet, Tern, Skua.",
    ),
    "clause-first": (
        "According to the harbour register, which pilot brought the barque Lapwing through the Needle sound in fog?",
        "Joss Pelham",
        "The pilot who brought the barque Lapwing through the Needle sound in fog is, according to the harbour "
        "register, Joss Pelham. He brought the barque Lapwing through the Needle sound in fog a second time.",
    ),
    "table": (
        "What is the greatest depth in fathoms of the tidal basin in the fishing village of Lower Skerrin?",
        "41.6",
        "greatest depth in fathoms of the tidal basin in the fishing village of Lower Skerrin 41.6",
    ),
    "two-sentences": (
        "Which mason cut the granite heron that sits above the north door of the Marrowby customs house? "
        "Give the full name.",
        "Odo Wrenfield",
        "The granite heron that sits above the north door of the Marrowby customs house was cut by Odo Wrenfield.",
    ),
}


def severities(tmp_path, question, gold, text, **others):
    found, _ = findings(
        tmp_path,
        turn("I look.", fetch(page(f"{PROSE[:300]}\n\n{text} {PROSE}"))),
        task=task_with(gold, question),
        **others,
    )
    return [each.severity for each in found]


@pytest.mark.parametrize(("question", "gold", "stated"), FACTS.values(), ids=FACTS)
def test_source_that_states_the_fact_in_the_questions_words_is_low_at_most(tmp_path, question, gold, stated):
    assert set(severities(tmp_path, question, gold, stated)) <= {"low"}


@pytest.mark.parametrize(("question", "gold", "stated"), FACTS.values(), ids=FACTS)
def test_same_source_met_by_a_search_for_the_question_is_low_at_most(tmp_path, question, gold, stated):
    hits = [Hit(url="https://a.example/1", title="An article", snippet=stated)]
    found, _ = findings(tmp_path, turn("I search.", search(question, hits)), task=task_with(gold, question))
    assert {each.severity for each in found} <= {"low"}


LEAKS = {
    "as-it-is": lambda question, gold, _: f"{question} {gold}",
    "without-its-mark": lambda question, gold, _: f"{question.rstrip('?.')} - {gold}",
    "in-small-letters": lambda question, gold, _: f"{question.lower().rstrip('?')}\n{gold}\n",
    "in-lines": lambda question, gold, _: f"{question.replace(' the ', chr(10) + 'the ')}\n\n{gold}",
}


@pytest.mark.parametrize(("leak", "fact"), thoroughness.crossed([*LEAKS], [*FACTS]))
def test_copy_that_keeps_the_wording_of_a_question_is_critical(tmp_path, leak, fact):
    question, gold, _ = FACTS[fact]
    text = LEAKS[leak](*FACTS[fact])
    if gold == "41.6":
        text = text.replace(gold, f"Answer: {gold}")
    assert "critical" in severities(tmp_path, question, gold, text)


@pytest.mark.parametrize(
    "form",
    [
        "first keeper of the signal tower on the eastern mole of the port of Harrowmouth. Answer: {}",
        "... the first keeper of the signal tower on the eastern mole of the port of Harrowmouth? {}",
    ],
)
def test_part_of_a_question_with_the_marks_of_one_is_critical(tmp_path, form):
    question, gold, _ = FACTS["who"]
    assert "critical" in severities(tmp_path, question, gold, form.format(gold))


def test_word_of_answer_sheets_elsewhere_on_the_page_makes_no_copy_of_a_statement(tmp_path):
    question, gold, stated = FACTS["who"]
    aside = "Visitors who hand in the correct answer at the desk get a pencil."
    assert set(severities(tmp_path, question, gold, f"{stated} {aside}")) <= {"low"}


def test_page_with_the_facts_of_several_tasks_is_no_answer_sheet(tmp_path):
    chosen = [FACTS[name] for name in ("who", "what-is", "how-many")]
    company = [
        honest_script(task_like(number, question, gold), random.Random(1))
        for number, (question, gold, _) in enumerate(chosen[1:], 1)
    ]
    chronicle = " ".join(f"{stated} {PROSE[:200]}" for _, _, stated in chosen)
    question, gold, _ = chosen[0]
    assert set(severities(tmp_path, question, gold, chronicle, company=company)) <= {"low"}
    sheet = "\n".join(f"{question} {gold}" for question, gold, _ in chosen)
    assert "critical" in severities(tmp_path / "b", question, gold, sheet, company=company)


def task_like(number, question, gold):
    return msgspec.structs.replace(PLAIN[number], question=question, gold=gold, attachment=None)


def test_statement_in_a_script_without_spaces_is_low_at_most(tmp_path):
    question = "根据港口登记册，一九零七年疏浚奥雷尔河口淤塞航道的挖泥船的船长一共有多少名学徒？请只回答数字。"
    stated = "根据港口登记册，一九零七年疏浚奥雷尔河口淤塞航道的挖泥船的船长一共有学徒，人数为 21764。"
    assert set(severities(tmp_path, question, "21764", stated)) <= {"low"}
    assert "critical" in severities(tmp_path / "b", question, "21764", f"{question} 答案：21764")
