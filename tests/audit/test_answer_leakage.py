"""AUD-1 on runs made by the real recorder: what is a leak, how bad, and what honest reading is not."""

import base64
import codecs
import html
import json
import random
from urllib.parse import quote

import msgspec
import pytest
from leakage_samples import GOLD, PLAIN, PROSE, QUESTION, concluded, findings, page, record, task_with

from gaia_harness.audit.evidence import open_run
from gaia_harness.tools.base import ToolOutput
from gaia_harness.tools.search import Hit
from redteam.script import Call
from redteam.solving import fetch, file_read, honest_script, python, search, tool_call, turn
from redteam.world import AttachedFile


def test_copy_with_its_answer_is_critical_and_points_to_the_place(tmp_path):
    text = f"{PROSE[:900]}\n{record()}\n{PROSE[:500]}"
    (found,), check = findings(tmp_path, turn("I look.", fetch(page(text))))
    assert (found.severity, found.rule, check.status) == ("critical", "copy-with-answer", "fail")
    assert text.encode()[found.offset :].decode().startswith("The keepers of the Orrel lights")
    assert found.seq is not None
    assert found.attempt == 1
    assert found.excerpt.startswith("The keepers of the Orrel lights")


def test_the_report_does_not_show_the_gold_of_a_wrong_answer(tmp_path):
    text = f"{PROSE[:900]}\n{QUESTION} {GOLD}\n{PROSE[:500]}"
    for answer, shows in (("Ember red, 4", False), (GOLD, True)):
        found, check = findings(tmp_path / answer[:5], turn("I look.", fetch(page(text))), answer=answer)
        assert found
        assert any(GOLD in finding.excerpt for finding in found) is shows
        assert all(GOLD not in finding.excerpt for finding in check.findings) is not shows


def test_nor_does_it_say_by_what_it_leaves_out_where_the_gold_is(tmp_path):
    """Of a wrong answer, a passage with the gold and one without look alike."""
    for name, behind in (("gold", GOLD), ("other", "Ember red, 4")):
        text = f"{PROSE[:900]}\n{QUESTION} {behind}\n{PROSE[:500]}"
        found, _ = findings(tmp_path / name, turn("I look.", fetch(page(text))), answer="Chalk white, 9")
        assert {finding.excerpt for finding in found} == {""}, name


def test_what_all_results_of_a_tool_begin_with_is_its_own(tmp_path):
    def shown(text: str, number: int, above: str = f"User request: {QUESTION}\n\n") -> Call:
        return fetch(page(f"{above}{text}", url=f"https://lights.example/{number}"))

    fact = f"{PROSE[:300]} It was {GOLD}. {PROSE[:300]}"
    framed = turn("I open them.", shown(PROSE[:400], 1), shown(fact, 2))
    assert findings(tmp_path / "framed", framed)[0] == []
    (found,), _ = findings(tmp_path / "once", turn("I open them.", shown(PROSE[:400], 1, ""), shown(fact, 2)))
    assert found.severity == "critical"
    answers = turn("I open them.", *(shown(PROSE[:n], n, f"{QUESTION}\nAnswer: {GOLD}\n") for n in (300, 400)))
    assert findings(tmp_path / "answers", answers)[0][0].severity == "critical"


def test_copy_without_its_answer_is_medium(tmp_path):
    (found,), _ = findings(tmp_path, turn("I look.", fetch(page(f"{QUESTION} Does anybody know? {PROSE}"))))
    assert (found.severity, found.rule) == ("medium", "copy-without-answer")


@pytest.mark.parametrize(("key", "severity"), [("Annotator Metadata", "critical"), ("about", "medium")])
def test_an_answer_that_only_the_steps_in_a_row_tell_is_the_question_s(tmp_path, key, severity):
    steps = (
        f"1. Open the minutes. {PROSE[:1500]} 9. The second was {GOLD} behind the chosen one, as the minutes have it."
    )
    row = json.dumps({"Question": QUESTION, key: {"Steps": steps}})
    (found,), _ = findings(tmp_path, turn("I look.", python("print(rows[0])", row)))
    assert found.severity == severity


@pytest.mark.parametrize("behind", [f"| {GOLD} |", f"Q2: Another one? Answer: {GOLD}", f"\n{GOLD}\n"])
def test_far_behind_a_question_without_marks_an_answer_is_of_something_else(tmp_path, behind):
    code = python("print(question, notes)", f"{QUESTION}\n{PROSE[:1000]}\n{behind}\n{PROSE[:200]}")
    found, _ = findings(tmp_path, turn("I look.", code))
    assert {each.severity for each in found} <= {"medium"}


VIEWS = {
    "html": lambda text: "".join(f"&#{ord(c)};" if c in "aeiou ,?" else c for c in text),
    "entities": lambda text: html.escape(text).replace("e", "&#x65;"),
    "url": lambda text: quote(text, safe=""),
    "json": lambda text: "".join(f"\\u{ord(c):04x}" for c in text),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "hex": lambda text: text.encode().hex(),
    "hex in pairs": lambda text: text.encode().hex(" "),
    "utf-16 in base64": lambda text: base64.b64encode(text.encode("utf-16")).decode(),
    "utf-16-be in base64": lambda text: base64.b64encode(text.encode("utf-16-be")).decode(),
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "reversed": lambda text: text[::-1],
    "zero-width": lambda text: "\u200b".join(text),
    "two layers": lambda text: base64.b64encode(quote(text).encode()).decode(),
}


@pytest.mark.parametrize("encode", VIEWS.values(), ids=VIEWS)
def test_copy_in_disguise_is_critical(tmp_path, encode):
    text = f"{PROSE[:700]}\n{encode(record())}\n{PROSE[:300]}"
    found, _ = findings(tmp_path, turn("I look.", fetch(page(text))))
    assert found[0].severity == "critical"


@pytest.mark.parametrize("before", [4_000, 4_090, 9_000, 30_000])
def test_copy_behind_the_head_is_critical(tmp_path, before):
    filler = (PROSE * 30)[:before]
    (found,), _ = findings(tmp_path, turn("I look.", fetch(page(f"{filler}\n{record()}\n{PROSE}"))))
    assert found.severity == "critical"
    assert found.offset > before - 10


def test_answer_behind_the_end_of_the_window_is_not_near(tmp_path):
    far = " ".join(f"word{n}" for n in range(300))
    (found,), _ = findings(tmp_path, turn("I look.", fetch(page(f"{QUESTION} {far} {GOLD} {PROSE}"))))
    assert found.severity == "medium"


def hits(*snippets: str) -> list[Hit]:
    return [Hit(url=f"https://h{n}.example/p", title=f"Hit {n}", snippet=text) for n, text in enumerate(snippets)]


def test_question_in_one_hit_and_answer_in_the_next_is_no_leak(tmp_path):
    found, _ = findings(
        tmp_path, turn("I search.", search("orrel oilskins", hits(f"{QUESTION} Anyone?", f"It was {GOLD} votes.")))
    )
    assert [f.severity for f in found] == ["medium"]


def test_leaked_snippet_is_critical_and_names_its_hit(tmp_path):
    (found,), _ = findings(
        tmp_path, turn("I search.", search("orrel oilskins", hits("Ferries.", f"{QUESTION} Final answer: {GOLD}")))
    )
    assert (found.severity, found.source) == ("critical", 1)


@pytest.mark.parametrize(
    ("behind", "severity"), [(f'", "Final answer": "{GOLD}"', "critical"), (" Nobody knows.", None)]
)
def test_the_last_words_of_the_question_with_the_answer_behind_them_are_a_copy(tmp_path, behind, severity):
    cut = f"... {' '.join(QUESTION.split()[-7:])}{behind}"
    found, _ = findings(tmp_path, turn("I search.", search("orrel oilskins", hits("Ferries.", cut))))
    assert [each.severity for each in found] == ([severity] if severity else [])


def test_search_that_echoes_the_question_gates_nothing(tmp_path):
    echoing = hits(f"Results for {QUESTION}", f"{QUESTION} - 3 results. Oilskins: {GOLD}")
    found, _ = findings(tmp_path, turn("I search.", search(QUESTION, echoing)))
    assert {each.severity for each in found} <= {"medium"}


def test_echo_does_not_shield_an_answer_sheet(tmp_path):
    echoing = hits(f"Results for {QUESTION}", f"{QUESTION} Final answer: {GOLD}")
    (found,), _ = findings(tmp_path, turn("I search.", search(QUESTION, echoing)))
    assert (found.severity, found.source) == ("critical", 1)


def test_search_for_question_and_answer_that_echoes_both_is_nothing(tmp_path):
    echoing = hits(f"Results for {QUESTION} Answer: {GOLD}")
    found, _ = findings(tmp_path, turn("I check.", search(f"{QUESTION} Answer: {GOLD}", echoing)))
    assert found == []


@pytest.mark.parametrize("reply", ["Easy: 37.", "I had this one. It is 37.", "=> 37"])
def test_common_answer_in_a_reply_to_the_question_is_critical(tmp_path, reply):
    thread = f"{PROSE[:300]}\n\nAda wrote:\n{QUESTION}\n\nBo replied:\n{reply}\n\n{PROSE}"
    found, _ = findings(tmp_path, turn("I look.", fetch(page(thread))), task=task_with(gold="37"))
    assert found[0].severity == "critical"


def test_address_that_carries_the_question_makes_its_page_an_echo(tmp_path):
    url = f"https://find.example/?q={quote(QUESTION)}"
    found, _ = findings(tmp_path, turn("I look.", fetch(page(f"You looked for: {QUESTION}. {PROSE} {GOLD}", url))))
    assert found == []


@pytest.mark.parametrize("label", ["Answer:", "Final answer:", "final_answer |"])
def test_own_code_that_prints_the_question_is_nothing(tmp_path, label):
    code = f"print({QUESTION!r})\nprint({label!r}, 'Tallow grey, 17')"
    found, _ = findings(tmp_path, turn("I note.", python(code, f"{QUESTION}\n{label} {GOLD}\n")))
    assert found == []


def test_leak_met_after_the_answer_was_reached_is_high(tmp_path):
    (found,), _ = findings(
        tmp_path,
        turn("So it must have been tallow grey, 17. I check once more.", fetch(page(record()))),
    )
    assert found.severity == "high"


@pytest.mark.parametrize(("said", "code", "severity"), [
    ("It was tallow grey, 17. I look at my notes.", "print(open('notes.md').read())", "medium"),
    ("I look at my notes.", "print(open('notes.md').read())", "critical"),
    ("It was tallow grey, 17. I look it up.", "print(get('https://a.example/rows').text)", "high"),
], ids=["after the answer", "before it", "from an address"])  # fmt: skip
def test_code_may_print_what_the_agent_wrote_down(tmp_path, said, code, severity):
    notes = f"# Task\n{QUESTION}\n\nAnswer: {GOLD}"
    (found,), _ = findings(tmp_path, turn(said, python(code, notes)))
    assert found.severity == severity


def test_what_a_shell_printed_before_is_no_part_of_what_it_prints_now(tmp_path):
    steps = (
        turn("Look.", python("print(open('TASK.md').read())", QUESTION)),
        turn("Go.", python("main()", f"A: {GOLD}")),
    )
    assert {each.severity for each in findings(tmp_path / "whole", *steps)[0]} == {"medium"}  # it may be its own file
    half = QUESTION.index("Which of")
    bits = [turn(f"{n}.", python(f"part({n})", text)) for n, text in enumerate((QUESTION[:half], QUESTION[half:]))]
    found, _ = findings(tmp_path / "bits", *bits, turn("Go on.", python("part(2)", f" Answer: {GOLD}")))
    assert ("critical", "copy-with-answer") in {(each.severity, each.rule) for each in found}


def test_an_answer_that_the_call_itself_has_is_no_news(tmp_path):
    task_id = PLAIN[0].task_id

    def saved(code: str):
        return turn("I keep it.", python(code, f'{{"task_id": "{task_id}", "answer": "{GOLD}"}}\n{PLAIN[3].task_id}'))

    assert findings(tmp_path / "own", saved(f"save('{GOLD}')"))[0] == []
    assert findings(tmp_path / "read", saved("print(open('all.jsonl').read())"))[0]


def test_questions_with_answers_that_code_reads_on_the_machine_may_be_its_own(tmp_path):
    text = "\n\n".join(f"{task.question}\nAnswer: {task.gold}" for task in PLAIN[1:5])
    for name, code, severity in (
        ("notes", "print(open('NOTES.md').read())", "medium"),
        ("page", "print(requests.get('https://a.example/sheet').text)", "critical"),
    ):
        found, _ = findings(tmp_path / name, turn("I look.", python(code, text)), answer="something else")
        assert (found[0].severity, found[0].rule) == (severity, "answer-sheet")


def test_a_number_that_stands_anywhere_is_no_answer_that_was_reached(tmp_path):
    notes = turn("I look at my notes.", python("print(open('notes.md').read())", f"{QUESTION}\n\nAnswer: 37"))
    (found,), _ = findings(tmp_path, turn("37 crates, I read.", fetch(page("37 crates"))), notes, task=task_with("37"))
    assert found.severity == "critical"


def test_replies_that_only_count_are_no_answer(tmp_path):
    thread = f"{QUESTION}\n37 replies, last one by Bo. {PROSE}"
    (found,), _ = findings(tmp_path, turn("I look.", fetch(page(thread))), task=task_with(gold="37"))
    assert found.severity == "medium"


@pytest.mark.parametrize(("behind", "severity"), [(" Level 3 of 4. ", "medium"), (" Final answer: 3 ", "critical")])
def test_common_answer_counts_only_where_an_answer_stands(tmp_path, behind, severity):
    (found,), _ = findings(
        tmp_path, turn("I look.", fetch(page(f"{QUESTION}{behind}{PROSE}"))), task=task_with(gold="3")
    )
    assert found.severity == severity


def test_source_that_carries_what_the_question_quotes_is_no_copy(tmp_path):
    verse = (
        "the lamp that never slept upon the sill of stone looked out on seven ships and brought but seven home again"
    )
    question = f'A ballad has the lines "{verse}". Which name does the next stanza begin with?'
    text = f"{PROSE[:300]} {verse}. Marrowby stood on the quay. {PROSE}"
    found, _ = findings(tmp_path, turn("I look.", fetch(page(text))), task=task_with("Marrowby", question))
    assert found == []
    leaked = f"{PROSE[:300]} {question} Answer: Marrowby. {PROSE}"
    found, _ = findings(tmp_path / "b", turn("I look.", fetch(page(leaked))), task=task_with("Marrowby", question))
    assert found[0].severity == "critical"


@pytest.mark.parametrize("hyphen", ["-", ""])
def test_task_id_with_the_answer_in_a_table_is_critical(tmp_path, hyphen):
    rows = "\n".join(f"{task.task_id.replace('-', hyphen)},{task.gold}" for task in (task_with(), *PLAIN[1:4]))
    found, _ = findings(tmp_path, turn("I look.", fetch(page(f"task_id,final_answer\n{rows}"))))
    assert found[0].severity == "critical"


def test_attachment_called_by_the_task_id_is_no_finding(tmp_path):
    listing = f"{PLAIN[0].task_id}.xlsx\n{PLAIN[0].task_id}.csv"
    found, _ = findings(tmp_path, turn("I list.", python("import os\nprint(os.listdir())", listing)))
    assert found == []


def test_several_questions_with_their_answers_are_critical_whatever_the_task(tmp_path):
    text = "\n\n".join(f"{task.question}\nAnswer: {task.gold}" for task in PLAIN[1:5])
    found, _ = findings(tmp_path, turn("I look.", fetch(page(text))), answer="something else")
    assert (found[0].severity, found[0].rule) == ("critical", "answer-sheet")


def test_the_report_shows_no_answers_of_other_tasks(tmp_path):
    others = [each for each in PLAIN[1:9] if len(each.gold) > 6]
    company = tuple(honest_script(each, random.Random(7), right=False) for each in others)
    sheet = "\n\n".join(f"{each.question}\nAnswer: {each.gold}" for each in others)
    key = ", ".join(each.gold for each in others)
    found, check = findings(tmp_path, turn("I look.", fetch(page(f"{key}\n\n{sheet}"))), company=company)
    assert [(each.rule, each.excerpt) for each in found] == [("answer-sheet", "")]
    shown = "".join(each.excerpt for each in check.findings)
    assert not [each.gold for each in others if each.gold in shown]


@pytest.mark.parametrize("written", [str.upper, lambda task_id: task_id.replace("-", "")])
def test_an_id_that_the_model_wrote_in_another_way_was_known(tmp_path, written):
    task = task_with()
    listed = turn("It is there.", fetch(page(f"id,answer\n{task.task_id},{GOLD}")))
    found, _ = findings(tmp_path, turn(f"My task is {written(task.task_id)}."), listed, task=task)
    assert not found
    found, _ = findings(tmp_path / "b", turn("My task is another."), listed, task=task)
    assert [each.rule for each in found] == ["task-id-with-answer"]


@pytest.mark.parametrize(("row", "severity"), [("Level: 2\nFinal answer: ?", "medium"), ("Answer: 2", "critical")])
def test_the_level_of_a_question_is_no_answer(tmp_path, row, severity):
    found, _ = findings(tmp_path, turn("A list.", fetch(page(f"Question: {QUESTION}\n{row}"))), task=task_with("2"))
    assert found[0].severity == severity


def test_a_tool_of_the_agents_own_may_repeat_the_question_above_a_page(tmp_path):
    text = (
        f"<task>{QUESTION}</task>\nurl: https://orrel.example/\nThe colours were counted. {PROSE[:200]} {GOLD}. More."
    )
    browser = Call(name="click", args={"index": 3}, output=ToolOutput(text=text))
    found, _ = findings(tmp_path, turn("I click.", browser))
    assert {each.severity for each in found} == {"medium"}
    found, _ = findings(tmp_path / "b", turn("I open it.", fetch(page(text))))
    assert found[0].severity == "critical"


def test_what_a_task_saved_before_it_was_cut_off_may_be_its_own(tmp_path):
    state = json.dumps({"question": QUESTION, "candidate": GOLD, "final_answer": GOLD})
    loaded = turn(
        "I load my checkpoint.",
        Call(name="load_checkpoint", args={"path": "state/7.json"}, output=ToolOutput(text=state)),
    )
    found, _ = findings(tmp_path, loaded)
    assert found[0].severity == "critical"
    found, _ = findings(tmp_path / "b", loaded, cut_off=1)
    assert found[0].severity == "medium"


@pytest.mark.parametrize(("length", "severity"), [(200, "critical"), (9_000, "medium")])
def test_a_tool_may_sum_up_a_part_of_a_page_that_is_not_kept(tmp_path, length, severity):
    read = turn("I read.", fetch(page((PROSE * 4)[:length])))
    summary = f"## Original request\n{QUESTION}\n\n## Current best answer\n{GOLD}\n\n## Next\nCheck."
    folded = turn("I fold.", Call(name="compact_history", args={"keep": 2}, output=ToolOutput(text=summary)))
    found, _ = findings(tmp_path, read, folded)
    assert found[0].severity == severity


@pytest.mark.parametrize(("name", "args"), [
    ("transfer_to_researcher", {}),
    ("call_helper_agent", {"task": "please solve what the user asks"}),
])  # fmt: skip
def test_a_helper_has_the_question_without_being_sent_it(tmp_path, name, args):
    for number, (more, severity) in enumerate([("", {"medium"}), (f"\nQuestion: {PLAIN[1].question}", {"critical"})]):
        told = Call(name=name, args=args, output=ToolOutput(text=f"Question: {QUESTION}\nAnswer: {GOLD}{more}"))
        found, _ = findings(tmp_path / str(number), turn("I ask.", told))
        assert {each.severity for each in found} == severity


def test_copy_read_bit_by_bit_is_read_together(tmp_path):
    third = len(QUESTION) // 3
    parts = [QUESTION[:third], QUESTION[third : 2 * third], QUESTION[2 * third :], f" Answer: {GOLD}"]
    turns = [turn("On.", python(f"print(chunk({n}))", part)) for n, part in enumerate(parts)]
    found, _ = findings(tmp_path, *turns)
    assert found[0].severity == "critical"
    assert "results of one source" in found[0].summary


def test_results_of_a_recorder_without_a_scan_are_scanned_as_far_as_they_go(tmp_path):
    def forget(line):
        for step in line["steps"]:
            if step["type"] == "tool_result":
                step["scan"], step["windows"] = None, []

    found, check = findings(tmp_path, turn("I look.", fetch(page(f"{record()} {PROSE * 3}"))), edit=forget)
    assert found[0].severity == "critical"
    assert "cut without having been scanned" in check.harness_gap


def test_without_a_public_answer_the_agents_own_answer_is_looked_for(tmp_path):
    (found,), _ = findings(tmp_path, turn("I look.", fetch(page(record()))), gold_known=False)
    assert found.severity == "critical"


def test_no_record_is_shown_where_nobody_knows_whether_the_answer_is_right(tmp_path):
    copy = turn("I look.", fetch(page(f"{QUESTION} {GOLD}")))
    found, _ = findings(tmp_path, copy, answer="a tern", gold_known=False)
    assert found and all(GOLD not in each.excerpt for each in found)


@pytest.mark.parametrize(("said", "severity"), [("a kestrel", "medium"), ("A: kestrel", "critical")])
def test_the_article_announces_no_answer(tmp_path, said, severity):
    task = task_with("kestrel", "What did the keepers of Orrel hang above the door of the old ferry office?")
    text = f"{task.question} {PROSE[:300]} In the evening they saw {said} there. {PROSE[:300]}"
    found, _ = findings(tmp_path, turn("I look.", fetch(page(text))), task=task)
    assert {each.severity for each in found} == {severity}


def test_what_stands_in_a_file_of_the_task_is_named_as_what_it_is(tmp_path):
    task = msgspec.structs.replace(task_with(), attachment=AttachedFile(extension="txt", text="colours"))
    listed = file_read("attachment.txt", f"id,reply\n{PLAIN[0].task_id},{GOLD}\n")
    found, _ = findings(tmp_path, turn("I read.", listed), task=task)
    assert [(each.rule, each.severity) for each in found] == [("task-id-with-answer", "medium")]


@pytest.mark.parametrize(("workdir", "severity"), [("/", "critical"), (".", "critical"), ("/srv/desk", "medium")])
def test_a_folder_that_is_any_folder_makes_no_file_the_tasks_own(tmp_path, workdir, severity):
    task = msgspec.structs.replace(task_with(), attachment=AttachedFile(extension="txt", text="colours"))
    read = tool_call("reader", {"what": "/srv/desk/rows. All of them."}, f"{QUESTION}\nAnswer: {GOLD}")
    found, _ = findings(tmp_path, turn("I read.", read), task=task, around={"workdir": workdir})
    assert found[0].severity == severity


def test_a_run_without_questions_is_skipped_never_passed(tmp_path):
    _, _ = findings(tmp_path, turn("I look.", fetch(page(PROSE))))
    run = open_run(tmp_path / "run", None)
    run.questions = {}
    assert concluded(run).status == "skip"


def test_answer_that_the_agent_sent_to_a_tool_for_notes_is_no_news(tmp_path):
    said = json.dumps({"goal": QUESTION, "done": [{"step": 1, "result": GOLD}]})
    for name, result, severity in (("notes", GOLD, "medium"), ("other", "none yet", "critical")):
        board = Call(name="board", args={"step": 1, "result": result}, output=ToolOutput(text=said))
        found, _ = findings(tmp_path / name, turn("I note.", board))
        assert [each.severity for each in found] == [severity], name


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        ("Which of the colours is it? {first} Tallow grey, 17 it was, says the minute book.", set()),
        ("{other} Answer: Tallow grey, 17", set()),
        ("{question} Answer: Tallow grey, 17", {"critical"}),
    ],
)
def test_a_heading_that_asks_and_a_question_with_other_names_are_no_copy(tmp_path, text, severity):
    question = (
        "Which colour of oilskin did Odo Wrenfield of Marrowby propose in the vote of 1871 that Ada Pell had asked for?"
    )
    other = question.replace("Odo Wrenfield of Marrowby", "Ib Sorn of Ossel").replace("1871", "1902")
    other = other.replace("Ada Pell", "Una Tam")
    first = "The colour of oilskin that Odo Wrenfield of Marrowby did propose in the vote of 1871 was"
    filled = text.format(first=first, other=other, question=question)
    found, _ = findings(tmp_path, turn("I look.", fetch(page(f"{filled} {PROSE}"))), task=task_with(question=question))
    assert {each.severity for each in found} == severity
