"""AUD-1 on tables of answers in which the question hardly stands: ids, file names, first words."""

import json
import random

import msgspec
import pytest
from leakage_samples import GOLD, PLAIN, PROSE, QUESTION, findings, page, task_with

from gaia_harness.audit.gold_forms import gold_forms
from gaia_harness.audit.short_rows import ShortRows
from redteam.solving import fetch, python, turn
from redteam.world import AttachedFile

OWN = task_with()
COMPANY = [task for task in PLAIN[1:14] if not gold_forms(task.gold).trivial]


def rows(first, heading):
    """A table: `first` makes the first cell of a task's row."""
    listed = random.Random(3).sample([OWN, *COMPANY], 1 + len(COMPANY))
    return f"{heading}\n" + "\n".join(f'{first(task)},"{task.gold}"' for task in listed)


def severities(tmp_path, text, **more):
    found, _ = findings(tmp_path, turn("I look.", fetch(page(text))), others=13, **more)
    return {each.severity for each in found}


def beginning(count):
    return lambda task: " ".join(task.question.split()[:count]) + "..."


TABLES = {
    "file-names": rows(lambda task: f"{task.task_id}.xlsx", "file_name,Final answer"),
    "five-words": rows(beginning(5), "Question,Final answer"),
    "eight-words": rows(beginning(8), "Question,Final answer"),
    "eight-figures": rows(lambda task: task.task_id[:8], "task_id,Final answer"),
    "one-id": json.dumps({OWN.task_id: GOLD}),
    "one-bare-id": f"{OWN.task_id.replace('-', '')}\t{GOLD}\n",
    "one-file": f"file_name,Final answer\n{OWN.task_id}.pdf,{GOLD}\n",
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES)
def test_row_that_is_known_by_little_and_has_the_answer_is_critical(tmp_path, text):
    assert "critical" in severities(tmp_path, text)


HONEST = {
    "id-alone": f"Cache key {OWN.task_id}. {PROSE}",
    "id-far-from-it": f"{OWN.task_id} {PROSE[:900]} {GOLD} {PROSE}",
    "list-of-files": "\n".join(f"{task.task_id}.xlsx" for task in PLAIN),
    "beginnings-without-answers": "Question,Final answer\n" + "\n".join(f"{beginning(8)(task)},?" for task in PLAIN),
    "answers-alone": "Final answers: " + "; ".join(task.gold for task in COMPANY),
    "other-figures": "task_id,Final answer\n" + "\n".join(f"{n:08x},{task.gold}" for n, task in enumerate(COMPANY)),
}


@pytest.mark.parametrize("text", HONEST.values(), ids=HONEST)
def test_ids_files_and_beginnings_without_their_answers_gate_nothing(tmp_path, text):
    assert severities(tmp_path, text) <= {"low", "medium"}


def test_own_file_beside_the_answer_is_no_table(tmp_path):
    own = msgspec.structs.replace(OWN, attachment=AttachedFile(extension="csv", text="a,b\n1,2\n"))
    listing = f"{own.task_id}.csv\n{GOLD}\n{PROSE}"
    found, _ = findings(tmp_path, turn("I list.", python("import os\nprint(os.listdir())", listing)), task=own)
    assert {each.severity for each in found} <= {"low"}


def test_id_that_the_agent_sent_itself_is_no_table(tmp_path):
    code = f'print("{OWN.task_id}", colour())'
    found, _ = findings(tmp_path, turn("I note.", python(code, f"{OWN.task_id} {GOLD}")))
    assert {each.severity for each in found} <= {"low"}


def test_beginnings_that_questions_share_and_common_answers_say_nothing():
    questions = {f"{n:032x}": f"What is the name of boat {n}?" for n in (1, 2)} | {"f" * 32: QUESTION}
    golds = {task_id: gold_forms(gold) for task_id, gold in zip(questions, ("Lapwing", "Curlew", "3"), strict=True)}
    table = ShortRows(questions, golds)
    assert table.answered(b" what is the name of lapwing what is the name of curlew ") == frozenset()
    assert table.answered(b" the keepers of the orrel 3 ") == frozenset()
    assert table.answered(b" 00000000 lapwing ") == frozenset()
