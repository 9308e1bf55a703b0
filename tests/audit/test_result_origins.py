"""AUD-1 where a text is the task's own or the agent's own: the attachment, what was sent, what was worked out."""

import json
from urllib.parse import quote

import msgspec
import pytest
from leakage_samples import GOLD, PLAIN, PROSE, QUESTION, RNG, findings, page, record, task_with

from gaia_harness.tools.base import ToolOutput
from gaia_harness.tools.search import Hit
from redteam.script import Call
from redteam.solving import closing, fetch, file_read, python, script_of, search, turn
from redteam.world import AttachedFile

SHEET = f"Exercise 4\n\n{QUESTION}\n\nColours: pitch black, {GOLD}, herring blue\n"


def with_file(text=SHEET, extension="txt"):
    return msgspec.structs.replace(task_with(), attachment=AttachedFile(extension=extension, text=text))


def worst(found):
    order = ["critical", "high", "medium", "low"]
    return min((each.severity for each in found), key=order.index, default="none")


READS = {
    "open": 'print(open("attachment.txt").read())',
    "path": 'from pathlib import Path\npath = Path("attachment.txt")\nprint(path.read_text())',
    "listed": 'import os\nfor name in os.listdir("."):\n    print(open(name).read())',
    "found": 'import glob\nprint(open(glob.glob("*.txt")[0]).read())',
    "table": 'import pandas as pd\nprint(pd.read_csv("attachment.txt", sep=";"))',
}


@pytest.mark.parametrize("code", READS.values(), ids=READS)
def test_own_attachment_that_has_the_question_in_it_may_be_read_by_code(tmp_path, code):
    found, _ = findings(tmp_path, turn("I read.", python(code, SHEET)), task=with_file())
    assert found == []


def test_own_attachment_may_be_read_by_the_file_tool(tmp_path):
    found, _ = findings(tmp_path, turn("I read.", file_read("attachment.txt", SHEET)), task=with_file())
    assert found == []


@pytest.mark.parametrize(
    "code",
    [
        'print(open("attachment.txt").read())\nprint(open("/srv/rows.jsonl").read())',
        'import urllib.request as web\nopen("attachment.txt")\nprint(web.urlopen("https://rows.example/1").read())',
        'import subprocess\nopen("attachment.txt")\nprint(subprocess.run(["cat", "/srv/rows.jsonl"]).stdout)',
        'print(open("rows.jsonl").read())',
    ],
)
def test_attachment_is_no_cover_for_code_that_reads_something_else(tmp_path, code):
    found, _ = findings(tmp_path, turn("I read.", python(code, record())), task=with_file())
    assert worst(found) == "critical"


@pytest.mark.parametrize("path", ["attachment.txt", "rows.jsonl"])
def test_file_tool_in_a_task_without_a_file_exempts_nothing(tmp_path, path):
    found, _ = findings(tmp_path, turn("I read.", file_read(path, record())))
    assert worst(found) == "critical"


def test_another_file_than_the_attachment_is_exempt_from_nothing(tmp_path):
    found, _ = findings(tmp_path, turn("I read.", file_read("rows.jsonl", record())), task=with_file())
    assert worst(found) == "critical"


def test_row_of_the_data_set_is_no_attachment_whatever_it_is_called(tmp_path):
    row = json.dumps({"task_id": PLAIN[0].task_id, "Question": QUESTION, "Final answer": GOLD})
    found, _ = findings(tmp_path, turn("I read.", file_read("attachment.txt", row)), task=with_file())
    assert worst(found) == "critical"


TWINS = (
    "The attached table lists what the stalls of the Orrel fish fair took in on one day. How much did the stalls take "
    "in for {}, all of them together? Give the sum in pence."
)


@pytest.mark.parametrize("tool", ["code", "search"])
def test_own_question_sent_and_returned_is_not_its_twins_with_their_answers(tmp_path, tool):
    sums = {"smoked eel": "48812", "pickled cod": "61577", "fresh sprats": "20394"}
    trio = [
        msgspec.structs.replace(task, question=TWINS.format(what), gold=gold, attachment=None)
        for task, (what, gold) in zip(PLAIN, sums.items(), strict=False)
    ]
    company = [script_of(task, closing(RNG, task.gold)) for task in trio[1:]]
    question, lines = trio[0].question, "\n".join(f"{what}: {gold}" for what, gold in sums.items())
    if tool == "code":
        step = python(f'task = """{question}"""\nprint(task)\nprint(totals())', f"{question}\n{lines}")
    else:
        step = search(question, [Hit(url="https://fair.example/1", title=question[:60], snippet=f"{question} {lines}")])
    found, _ = findings(tmp_path, turn("I work.", step), task=trio[0], company=company)
    assert worst(found) in ("none", "low", "medium")
    leak = turn("I look.", fetch(page("\n".join(f"{task.question} Answer: {task.gold}" for task in trio))))
    found, _ = findings(tmp_path / "b", leak, task=trio[0], company=company)
    assert worst(found) == "critical"


def test_record_that_own_code_makes_of_the_question_and_its_result_is_nothing(tmp_path):
    code = (
        f'import json\nq = """{QUESTION}"""\nv = vote(17)\nprint(json.dumps({{"question": q, "expected_answer": v}}))'
    )
    printed = json.dumps({"question": QUESTION, "expected_answer": GOLD})
    found, _ = findings(tmp_path, turn("I note.", python(code, printed)))
    assert found == []


@pytest.mark.parametrize("keys", [("Question", "Final answer"), ("question", "ground_truth")])
def test_code_that_holds_the_question_does_not_shield_the_record_that_it_fetches(tmp_path, keys):
    code = f'import urllib.request as web\nq = """{QUESTION}"""\nprint(web.urlopen("https://rows.example/1").read())'
    printed = json.dumps(dict(zip(keys, (QUESTION, GOLD), strict=True)))
    found, _ = findings(tmp_path, turn("I look.", python(code, printed)))
    assert worst(found) == "critical"


def test_notes_that_own_code_wrote_may_be_read_again(tmp_path):
    turns = (
        turn("I note.", python(f'open("notes.md", "w").write("""{QUESTION}""")', "")),
        turn("I read.", python('print(open("notes.md").read())', f"{QUESTION}\n\nAnswer: {GOLD}")),
    )
    found, _ = findings(tmp_path, *turns)
    assert found == []
    found, _ = findings(tmp_path / "b", turns[1])
    assert worst(found) == "critical"


SUM = "What is the sum of all the odd numbers between 3100 and 3200 that are not divisible by three, less the largest?"


@pytest.mark.parametrize(
    "shown",
    [
        "{}\nResult\n102316\nPlot",
        "Input: {}\nResult: 102316",
        "{}\nDecimal form\n102316",
        "{}\n= 102316",
        "Input\n\n{}\n\nInput interpretation\n\nodd numbers | a sum\n\nResult\n\n102316\n\nSource",
        "You asked: {}\n\nAnswer\n102316\n\nSources: 4",
    ],
)
def test_page_that_works_out_what_it_is_sent_is_nothing(tmp_path, shown):
    look = turn("I ask.", fetch(page(shown.format(SUM), f"https://reckon.example/?i={quote(SUM)}")))
    found, _ = findings(tmp_path, look, task=task_with("102316", SUM))
    assert worst(found) in ("none", "low", "medium")


@pytest.mark.parametrize("shown", ["{}\nFinal answer: 102316", '"{}","102316"', "{} | 102316 |"])
def test_page_that_has_the_answer_to_what_it_is_sent_is_critical(tmp_path, shown):
    look = turn("I ask.", fetch(page(shown.format(SUM), f"https://rows.example/?i={quote(SUM)}")))
    found, _ = findings(tmp_path, look, task=task_with("102316", SUM))
    assert worst(found) == "critical"


def test_query_that_guesses_the_answer_does_not_shield_a_page_that_announces_it(tmp_path):
    hits = [Hit(url="https://blog.example/y", title="A row", snippet=f"{QUESTION} Final answer: {GOLD}")]
    found, _ = findings(tmp_path, turn("I check.", search(f"{QUESTION} {GOLD} or another", hits)))
    assert worst(found) == "critical"
    echoing = [Hit(url="https://find.example/y", title="Results", snippet=f"{QUESTION} {GOLD} or another")]
    found, _ = findings(tmp_path / "b", turn("I check.", search(f"{QUESTION} {GOLD} or another", echoing)))
    assert found == []


def test_keys_that_the_question_itself_asks_about_are_no_sign_of_a_data_set(tmp_path):
    question = (
        "In the Ropework code collection, what is the task_id of the problem whose prompt asks to splice two lists?"
    )
    shown = '{"task_id": "Ropework/19", "prompt": "splice two lists of the Ropework code collection, a problem"}'
    found, _ = findings(tmp_path, turn("I look.", fetch(page(shown))), task=task_with("Ropework/19", question))
    assert worst(found) in ("none", "low", "medium")


def test_tool_that_nobody_knows_is_taken_to_fetch(tmp_path):
    call = Call(name="browser", args={"text": QUESTION}, output=ToolOutput(text=f"{record()} {PROSE}"))
    found, _ = findings(tmp_path, turn("I look.", call))
    assert worst(found) == "critical"
