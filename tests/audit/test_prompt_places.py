"""AUD-3 says where in a prompt it found something; a prompt longer than the others' is looked at as a whole."""

import base64
import codecs
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_samples import FIFTH, FIRST, FOURTH, GOLDS, QUESTIONS, SECOND, SYSTEM, THIRD, Sample, examined, run_of

from gaia_harness.audit import prompt_places as places
from gaia_harness.audit.oracle_leakage import OracleLeakage

GOLD = GOLDS[FIRST].answer
FILLER = "The ferry office keeps its ledgers in the attic, beside the old sails. "
LONG_SYSTEM = SYSTEM + " Think before you act, and say what you have found." * 60


def examine(folder, **changed):
    """All tasks of the run, begun honestly unless told otherwise by a task's id."""
    tasks = []
    for task_id in QUESTIONS:
        sample = Sample(folder, task_id)
        sample.begin(**changed.get(task_id, changed.get("all", {})))
        sample.recorder.llm_call(1, "FINAL ANSWER: something", model="m")
        tasks.append(sample.evidence())
    return examined(OracleLeakage, run_of(folder), *tasks)


def the_one(check):
    (finding,) = check.findings
    return finding


@pytest.mark.parametrize("before", ["", "Gruß an alle. ", "Ünïcode first.\n"])
def test_the_place_of_an_answer_is_given_in_bytes_of_the_prompt(tmp_path, before):
    text = f"{before}{QUESTIONS[FIRST]}\n\nMind the fog. Some say {GOLD}."
    finding = the_one(examine(tmp_path, **{FIRST: {"user": text}}))
    assert (finding.task_id, finding.attempt, finding.seq, finding.field) == (FIRST, 1, 2, "head")
    assert text.encode()[finding.offset :].startswith(GOLD.encode())
    assert finding.excerpt == "Some say […]"


def test_a_place_beyond_what_the_step_keeps_is_one_in_the_kept_prompt(tmp_path):
    text = f"{LONG_SYSTEM}\nSome say {GOLD}."
    finding = the_one(examine(tmp_path, all={"system": LONG_SYSTEM}, **{FIRST: {"system": text}}))
    assert finding.field == f"prompt {hashlib.sha256(text.encode()).hexdigest()[:16]}"
    assert text.encode()[finding.offset :].startswith(GOLD.encode())


@pytest.mark.parametrize(
    "line",
    [
        base64.b64encode(GOLD.encode()).decode(),
        f"Some say that the bird in the story was {GOLD}."[::-1],
        codecs.encode(f"Some say that the bird in the story was {GOLD}.", "rot13"),
    ],
)
def test_an_answer_that_is_hidden_has_the_place_of_its_line(tmp_path, line):
    text = f"{QUESTIONS[FIRST]}\nMind the fog, über alles.\n{line}\nGo."
    finding = the_one(examine(tmp_path, **{FIRST: {"user": text}}))
    assert finding.view
    assert text.encode()[finding.offset :].decode().startswith(line)
    assert finding.excerpt == ""


def test_a_digest_has_a_place(tmp_path):
    others = " ".join(hashlib.sha256(bytes([n])).hexdigest() for n in range(5))
    digest = hashlib.sha256(GOLD.encode()).hexdigest()
    text = f"{QUESTIONS[FIRST]}\nRefs: {others} {digest} {others[::-1]}"
    finding = the_one(examine(tmp_path, **{FIRST: {"user": text}}))
    assert (finding.rule, text[finding.offset :][:64]) == ("gold-digest", digest)


def test_the_annotators_steps_have_a_place_and_are_not_shown(tmp_path):
    step = "Turn to its back and read the third verse of the printed ballad."
    text = f"{QUESTIONS[FIRST]}\nBe quick. {step}"
    finding = the_one(examine(tmp_path, **{FIRST: {"user": text}}))
    assert (finding.rule, finding.excerpt) == ("annotator-steps", "")
    assert text[finding.offset :].startswith(step)


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("Go on. Your  answer was\n *wrong*, as before.", "answer was"),
        ("Éh bien. The judge’s verdict: incorrect.", "verdict"),
    ],
)
def test_a_verdict_has_a_place(tmp_path, said, at):
    sample = Sample(tmp_path)
    sample.begin()
    sample.recorder.llm_call(1, "FINAL ANSWER: the gull", model="m")
    sample.recorder.prompt(2, "user", said, context_sha256="a" * 64)
    sample.recorder.llm_call(2, "FINAL ANSWER: the tern", model="m")
    finding = the_one(examined(OracleLeakage, run_of(tmp_path), sample.evidence()))
    assert finding.rule == "verdict-fed-back"
    assert said.encode()[finding.offset :].decode().lstrip('"').lower().startswith(at)


def test_the_answers_of_a_table_have_places(tmp_path):
    table = f"{SYSTEM}\n" + "\n".join(f"{task_id}: {gold.answer}" for task_id, gold in GOLDS.items())
    check = examine(tmp_path, all={"system": table})
    listed = {f.task_id: f.offset for f in check.findings if f.rule == "answer-table"}
    assert listed[FOURTH] == table.index(f"{GOLDS[FOURTH].answer}")
    assert listed[FIRST] == table.index(f"{GOLDS[FIRST].answer}")


def test_a_tool_that_judges_has_a_place_in_the_catalogue(tmp_path):
    tools = '[{"name": "web_fetch"}, {"name": "ask", "description": "Says whether your answer is right."}]'
    sample = Sample(tmp_path)
    sample.recorder.prompt(1, "tools", tools, context_sha256="a" * 64)
    sample.recorder.prompt(1, "user", QUESTIONS[FIRST], context_sha256="a" * 64)
    sample.recorder.llm_call(1, "FINAL ANSWER: the gull", model="m")
    finding = the_one(examined(OracleLeakage, run_of(tmp_path), sample.evidence()))
    assert (finding.rule, finding.offset) == ("verdict-tool", tools.index('"ask"'))


# a system prompt of one task that is longer than that of the others


def test_one_word_in_a_long_addition_to_one_tasks_system_prompt_is_high(tmp_path):
    told = f"{SYSTEM}\n{FILLER * 30}Nobody wore violet at the fair. {FILLER}"
    finding = the_one(examine(tmp_path, **{THIRD: {"system": told}}))
    assert (finding.severity, finding.rule, finding.task_id) == ("high", "gold-in-prompt", THIRD)


def test_an_addition_without_the_answer_is_nothing(tmp_path):
    told = f"{SYSTEM}\n{FILLER * 30}Nobody wore yellow at the fair. {FILLER}"
    assert examine(tmp_path, **{THIRD: {"system": told}}).findings == ()


def test_an_addition_that_several_tasks_have_is_nothing(tmp_path):
    told = {"system": f"{SYSTEM}\n{FILLER * 30}Nobody wore violet at the fair. {FILLER}"}
    assert examine(tmp_path, **{FIRST: told, THIRD: told}).findings == ()


def test_where_every_task_has_a_system_prompt_of_its_own_one_word_means_nothing(tmp_path):
    own = {
        task_id: {"system": f"{SYSTEM}\n" + f"{word} {FILLER}" * 30 + f"Nobody wore {colour} at the fair."}
        for task_id, word, colour in zip(
            QUESTIONS, ["ash", "elm", "oak", "fir", "yew"], ["grey", "brown", "violet", "black", "red"], strict=True
        )
    }
    assert examine(tmp_path, **own).findings == ()


def test_a_file_that_stands_in_the_system_prompt_is_explained(tmp_path):
    told = f"{SYSTEM}\n{FILLER * 30}Nobody wore violet at the fair. {FILLER}"
    user = f"{QUESTIONS[THIRD]}\n\nA file comes with this question: attachment.txt"
    assert examine(tmp_path, **{THIRD: {"system": told, "user": user}}).findings == ()


# prompts that are not kept


def test_a_prompt_that_is_not_kept_is_a_gap(tmp_path):
    check = examine(tmp_path, **{SECOND: {"user": QUESTIONS[SECOND] + " More text." * 400}})
    assert (check.status, check.harness_gap) == ("skip", "1 prompt was not kept whole")


@pytest.mark.parametrize("kind", ["xlsx", "gpx"])
def test_a_long_question_with_a_file_of_any_kind_is_no_gap(tmp_path, kind):
    sample = Sample(tmp_path, FIFTH)
    long = QUESTIONS[FIFTH] + " Mind the fog." * 300
    sample.begin(user=f"{long}\n\nA file comes with this question: attachment.{kind}")
    sample.call("file_read", {"path": f"attachment.{kind}"}, "rows")
    sample.recorder.llm_call(1, "FINAL ANSWER: the gull", model="m")
    task = sample.evidence()
    task.question = long
    check = examined(OracleLeakage, run_of(tmp_path), task)
    assert (check.status, check.findings, check.harness_gap) == ("pass", (), None)


# any text at all


@given(text=st.text(max_size=200), words=st.text(max_size=40))
def test_places_lie_within_the_text(text, words):
    for found in (
        places.words_in(text, words),
        places.beginning_of(text, words),
        places.line_in(text, lambda line: words in line),
        places.sentence_in(text, lambda reduced: words.encode("utf-8", "replace") in reduced),
    ):
        assert found is None or 0 <= places.in_bytes(text, found.at) <= len(text.encode("utf-8", "replace"))
