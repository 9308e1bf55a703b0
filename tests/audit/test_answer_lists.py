"""AUD-3: lists of answers that every task is given, whatever they are keyed by, and answers in disguise."""

import base64

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_samples import GOLDS as RUN_GOLDS
from tool_samples import QUESTIONS, SECOND, SYSTEM, Sample, examined, run_of

from counted_work import no_stall
from gaia_harness.audit.answer_lists import listed
from gaia_harness.audit.gold_forms import gold_forms
from gaia_harness.audit.hidden_answers import hiding_view, with_gaps
from gaia_harness.audit.oracle_leakage import OracleLeakage
from gaia_harness.audit.prompt_texts import AnswerFinder, is_form, known_answers, weight, without_syntax
from gaia_harness.evidence.recorder import RecorderSettings
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.tasks.answers import Gold

ANSWERS = ("antimony", "97", "bookbinder", "Gararley", "9", "lantern, bell", "violet", "3")
GOLDS = {f"task-{at}": Gold(answer=answer) for at, answer in enumerate(ANSWERS)}
FINDER = AnswerFinder(known_answers(GOLDS), {})
WEIGHTS = [weight(forms) for forms in FINDER.known.forms]
TOPICS = ("ferry", "coins", "inn", "patent", "chess", "market", "ribbon", "opera")


def answers_in(text, finder=FINDER, **options):
    weights = [weight(forms) for forms in finder.known.forms]
    return {finder.known.answers[number] for number in listed(text, finder, weights, **options).made}


LISTS = {
    "by topic": "\n".join(f"- {topic}: {gold}" for topic, gold in zip(TOPICS, ANSWERS, strict=True)),
    "by hash": "\n".join(f"{at:06x},{gold}" for at, gold in enumerate(ANSWERS)),
    "by letter": "\n".join(f"{letter} -> “{gold}”" for letter, gold in zip("ABCDEFGH", ANSWERS, strict=True)),
    "in order": "  ".join(f"{at}) {gold}" for at, gold in enumerate(ANSWERS, 1)),
    "as JSON": str({topic: {"level": 2, "form": gold} for topic, gold in zip(TOPICS, ANSWERS, strict=True)}),
    "as a wide table": "\n".join(
        f"{topic}; 2; map; harbour; {gold}; none; 1911; so" for topic, gold in zip(TOPICS, ANSWERS, strict=True)
    ),
    "as a table": "\n".join(f"| {topic} | {gold} | 1 |" for topic, gold in zip(TOPICS, ANSWERS, strict=True)),
}


@pytest.mark.parametrize("text", LISTS.values(), ids=LISTS)
def test_a_list_is_known_by_its_answers(text):
    assert answers_in(f"{SYSTEM}\n\nHouse style:\n{text}") >= set(ANSWERS) - {"lantern, bell"}


def test_an_answer_that_is_a_list_is_one_too():
    assert "lantern, bell" in answers_in(LISTS["by topic"])


def test_answers_in_sentences_make_a_list_where_there_are_many_of_them():
    prose = "For the inn we took bookbinder. The patent: Gararley went down well. Coins are 97. A ribbon is violet."
    assert answers_in(prose) == set()
    assert answers_in(f"{prose} Then antimony is fine.") == {"bookbinder", "Gararley", "97", "violet", "antimony"}


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(f"{n} | {n * 12} | {n * 0.3}" for n in range(1, 100)),
        "Metals: copper, tin, antimony, lead, zinc, iron. Colours: red, violet, blue, green.",
        "antimony: a metal that is hard to melt\nbookbinder: who binds books by hand\nviolet: a colour of ribbons",
        "Give numbers such as 97 or 9 or 3, and words such as violet.",
        "copper, tin, lead, antimony, gold, silver, brass, violet, bronze, steel, nickel, iron, bookbinder",
        "",
    ],
    ids=["figures", "kinds", "glossary", "samples", "long", "nothing"],
)
def test_what_honest_prompts_list_is_no_list_of_answers(text):
    assert answers_in(text) == set()


def test_of_hundreds_of_answers_some_stand_in_any_list():
    many = {**GOLDS, **{f"more-{at}": Gold(answer=f"harbour {at}") for at in range(200)}}
    finder = AnswerFinder(known_answers(many), {})
    assert answers_in("Metals and crafts: antimony, bookbinder, violet, copper", finder) == set()


@given(st.text(max_size=300))
def test_any_text_can_be_looked_at(text):
    listed(text, FINDER, WEIGHTS)
    without_syntax(text)
    is_form("a (b", text)
    with_gaps(text, "antimony")


def test_a_huge_text_does_not_stall():
    with no_stall():
        listed("antimony: 97, " * 200_000, FINDER, WEIGHTS)
        with_gaps("a_t_" * 100_000, "a?" * 40)
        with_gaps("_ " * 100_000, "x" * 80)
        is_form("97", "[" * 100_000 + "\\" * 100_000 + "^ " * 50_000)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("3", "compared with the pattern ^3$ (case is ignored)"),
        ("3", r"it must fit ^\s*3\s*$ wholly"),
        ("yes", '{"type": "string", "enum": ["yes"]}'),
        ("Old Squint", r"(?i)^[Oo]ld\s+Squint$"),
        ("97", "{'const': '97'}"),
    ],
)
def test_a_form_that_only_the_answer_has_gives_it_away(answer, text):
    assert is_form(answer, text)


@pytest.mark.parametrize("text", [r"^\d+$", "^13$", '{"enum": ["no", "yes"]}', "Give 3 names.", '{"default": 3}'])
def test_a_form_that_other_answers_have_gives_nothing_away(text):
    assert not is_form("3", text) and not is_form("yes", text)


@pytest.mark.parametrize(
    ("text", "view"),
    [
        (r"must fit [Gg]ararley\s[Oo]ld\s*$", "pattern"),
        ("Layout: G_rar__y _ld", "gaps"),
        ("Layout: _____ ____ ___", ""),
        ("Leave no ____ and no *** in it.", ""),
    ],
)
def test_an_answer_in_a_pattern_or_with_gaps_is_hidden(text, view):
    assert hiding_view(text, "Gararley Old", gold_forms("Gararley Old")) == view


def told(tmp_path, text):
    """What is found where one task is told something after its search, in which the answer may stand by chance."""
    tasks = []
    for task_id in QUESTIONS:
        sample = Sample(tmp_path, task_id)
        recorder = sample.begin()
        recorder.llm_call(1, "I look it up.", model="m")
        recorder.tool_call(1, "a", "web_search", {"query": "buttons"})
        recorder.tool_result(1, "a", "web_search", "3 results in 3 seconds")
        recorder.prompt(2, "user", text if task_id == SECOND else "Format check: go on.", context_sha256="0" * 64)
        recorder.llm_call(2, "FINAL ANSWER: 3", model="m")
        tasks.append(sample.evidence())
    check = examined(OracleLeakage, run_of(tmp_path), *tasks)
    return {(finding.severity, finding.rule, finding.task_id) for finding in check.findings}


def test_a_short_answer_as_a_pattern_is_critical_though_it_was_met_before(tmp_path):
    for form in ("^3$", "^(?:3)$"):
        rows = told(tmp_path, f"Validator: it is compared with {form} (no case).")
        assert ("critical", "gold-in-prompt", SECOND) in rows
    assert told(tmp_path, "Validator: 3 turns are left.") == set()


def test_a_prompt_that_is_masked_is_said_to_be_unread(tmp_path):
    sample = Sample(tmp_path, SECOND)
    sample.settings = msgspec.structs.replace(sample.settings, redactor=Redactor(["it is three"]))
    assert isinstance(sample.settings, RecorderSettings)
    recorder = sample.again()
    recorder.prompt(1, "user", f"{QUESTIONS[SECOND]}\nit is three", context_sha256="0" * 64)
    recorder.llm_call(1, "FINAL ANSWER: 3", model="m")
    check = examined(OracleLeakage, run_of(tmp_path), sample.evidence())
    assert ("medium", "prompt-masked") in {(finding.severity, finding.rule) for finding in check.findings}


def test_a_list_for_everybody_names_every_task_whose_answer_it_has(tmp_path):
    rows = "\n".join(f"{at:04x} = {gold.answer}" for at, gold in enumerate(RUN_GOLDS.values()))
    for text in (rows, base64.b64encode(rows.encode()).decode()):
        tasks = []
        for task_id in QUESTIONS:
            sample = Sample(tmp_path, task_id)
            sample.begin(system=f"{SYSTEM}\n\nNotes\n{text}").llm_call(1, "FINAL ANSWER: x", model="m")
            tasks.append(sample.evidence())
        check = examined(OracleLeakage, run_of(tmp_path), *tasks)
        assert {finding.task_id for finding in check.findings if finding.rule == "answer-table"} == set(QUESTIONS)


COUNTRIES = (
    "Argentina", "Belgium", "Brazil", "Chile", "Costa Rica", "Denmark", "El Salvador", "Fiji", "Ghana", "Iceland",
    "India", "Kenya", "Malta", "Nepal", "New Zealand", "Norway", "Oman", "Peru", "Saudi Arabia", "Sierra Leone",
    "South Africa", "Spain", "Sri Lanka", "Togo", "Yemen",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
COLOURS = ("red", "orange", "yellow", "green", "azure", "indigo", "violet", "brown", "black", "white")
ELEMENTS = ("Hydrogen", "Helium", "Lithium", "Beryllium", "Boron", "Carbon", "Nitrogen", "Oxygen", "Fluorine", "Neon")
YEARS = tuple(str(year) for year in range(1880, 1930))
HONEST_LISTS = {
    "gazetteer": (COUNTRIES, ("New Zealand", "South Africa", "Costa Rica", "Sierra Leone"), ", "),
    "gazetteer in lines": (COUNTRIES, ("Sri Lanka", "South Africa", "Saudi Arabia", "Peru"), "\n"),
    "weekdays": (WEEKDAYS, ("Monday", "Tuesday", "Friday", "Sunday"), ", "),
    "colours": (COLOURS, ("violet", "azure", "indigo", "orange"), " | "),
    "elements": ([f"{at} {name}" for at, name in enumerate(ELEMENTS, 1)], ("Carbon", "Nitrogen", "Oxygen", "6"), "\n"),
    "table of elements": (
        [f"{at} | {name} | {at * 2}" for at, name in enumerate(ELEMENTS, 1)],
        ("Carbon", "Nitrogen", "Oxygen", "16"),
        "\n",
    ),
    "numbered": ([f"{at}) {day}" for at, day in enumerate(WEEKDAYS, 1)], ("Monday", "Tuesday", "Friday", "3"), "  "),
    "years": (YEARS, ("1889", "1890", "1891", "1912"), " "),
    "capitals": ([f"{name}: {name[::-1]}" for name in COUNTRIES], ("Fiji", "Ghana", "India", "Kenya"), "\n"),
    "examples": (
        [f"Q: What did they note in {at} of the {name}?\nA: {name}" for at, name in enumerate(COLOURS * 5)],
        ("violet", "azure", "indigo", "17"),
        "\n\n",
    ),
}


@pytest.mark.parametrize(("items", "golds", "joint"), HONEST_LISTS.values(), ids=HONEST_LISTS)
def test_a_list_of_a_kind_of_things_is_not_made_of_answers(tmp_path, monkeypatch, items, golds, joint):
    answers = (*golds, "the gull of Ossel", "18594", "yes", "lantern maker", "Skerrow", "42")
    key = {f"task-{at}": Gold(answer=answer) for at, answer in enumerate(answers)}
    questions = {task_id: f"What is asked in the note {at} of the ferry?" for at, task_id in enumerate(key)}
    tasks = []
    for task_id in key:
        monkeypatch.setitem(RUN_GOLDS, task_id, key[task_id])
        monkeypatch.setitem(QUESTIONS, task_id, questions[task_id])
        sample = Sample(tmp_path, task_id)
        sample.begin(system=f"{SYSTEM}\n\nFor spelling:\n{joint.join(items)}", user=questions[task_id])
        sample.recorder.llm_call(1, "FINAL ANSWER: x", model="m")
        tasks.append(sample.evidence())
    check = examined(OracleLeakage, run_of(tmp_path, golds=key), *tasks)
    assert {finding.severity for finding in check.findings} <= {"medium"}


def test_a_list_says_nothing_of_tasks_that_never_saw_it(tmp_path):
    rows = "\n".join(f"{at:04x} = {gold.answer}" for at, gold in enumerate(RUN_GOLDS.values()))
    tasks = []
    for task_id in QUESTIONS:
        sample = Sample(tmp_path, task_id)
        text = f"{QUESTIONS[task_id]}\n{rows}" if task_id == SECOND else QUESTIONS[task_id]
        sample.begin(user=text).llm_call(1, "FINAL ANSWER: x", model="m")
        tasks.append(sample.evidence())
    check = examined(OracleLeakage, run_of(tmp_path), *tasks)
    assert {finding.task_id for finding in check.findings if finding.rule == "answer-table"} == {SECOND}
