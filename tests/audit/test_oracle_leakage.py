"""AUD-3: what a task was given beside its question must hold no answer, no solution and no verdict."""

import base64
import codecs
import hashlib
import json
import string
import zlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_samples import FIFTH, FIRST, FOURTH, GOLDS, QUESTIONS, SECOND, SYSTEM, THIRD, Sample, examined, run_of, worst

from counted_work import no_stall
from gaia_harness import protocol
from gaia_harness.audit import hidden_texts, prompt_texts
from gaia_harness.audit.feedback import verdict_in
from gaia_harness.audit.gold_forms import gold_forms
from gaia_harness.audit.oracle_leakage import OracleLeakage
from gaia_harness.evidence.wording import reduce
from gaia_harness.tasks.answers import AnswerKey, Gold

GOLD = GOLDS[FIRST].answer
MUCH = "Work slowly, take notes of what you find, and say where you have it from." * 4
NO_ANSWER_YET = (
    "Your reply called no tool and has no final answer. Go on working, or end with a line of the form\n"
    "FINAL ANSWER: your answer"
)
LAST_TURN = (
    "You have used up your turns: no more tools can be called. Answer now with what you know, ending with a "
    "line of the form\nFINAL ANSWER: your answer"
)


def everybody(tmp_path, **changed):
    """All tasks of the run, begun honestly unless told otherwise by a task's id."""
    samples = []
    for task_id in QUESTIONS:
        sample = Sample(tmp_path, task_id)
        sample.begin(**changed.get(task_id, changed.get("all", {})))
        sample.recorder.llm_call(1, "FINAL ANSWER: something", model="m")
        samples.append(sample)
    return [sample.evidence() for sample in samples]


def found(tmp_path, **changed):
    check = examined(OracleLeakage, run_of(tmp_path), *everybody(tmp_path, **changed))
    return [(finding.severity, finding.rule, finding.task_id) for finding in check.findings]


def test_an_honest_run_is_clean(tmp_path):
    check = examined(OracleLeakage, run_of(tmp_path), *everybody(tmp_path))
    assert (check.status, check.findings, check.harness_gap) == ("pass", (), None)


@pytest.mark.parametrize(
    "extra",
    [
        f"Hint: {GOLD}.",
        f"Example.\nQ: a bird?\nFINAL ANSWER: {GOLD.upper()}",
        f"(note to self {base64.b64encode(GOLD.encode()).decode()})",
        f"(note to self {GOLD.encode().hex()})",
        f"(note to self {codecs.encode(GOLD, 'rot13')})",
        f"(note to self {GOLD[::-1]})",
        f"(note to self {' '.join(GOLD)})",
        "the corn\u200bcrake of Far\u200browby",
    ],
)
@pytest.mark.parametrize("role", ["user", "system"])
def test_a_gold_that_only_this_task_was_given_is_critical(tmp_path, extra, role):
    given = {"user": f"{QUESTIONS[FIRST]}\n{extra}"} if role == "user" else {"system": f"{SYSTEM}\n{extra}"}
    assert ("critical", "gold-in-prompt", FIRST) in found(tmp_path, **{FIRST: given})


def test_a_short_gold_counts_where_it_is_announced(tmp_path):
    told = {"user": f"{QUESTIONS[SECOND]} The correct answer is 3."}
    assert found(tmp_path, **{SECOND: told}) == [("critical", "gold-in-prompt", SECOND)]


@pytest.mark.parametrize(
    "extra",
    [
        "Reference for this item: 3",
        "Known value: 3",
        "It is one of these:\nA) 7\nB) 3\nC) 9",
        "Choices: 7, 3, 9",
        "Pick 7 or 3.",
        f"{MUCH}\nIt is one of these:\nA) 7\nB) 3\nC) 9",
        f"{MUCH}\nChoices: 7, 3, 9",
    ],
)
def test_a_short_gold_counts_as_a_reference_or_as_a_choice(tmp_path, extra):
    told = {"user": f"{QUESTIONS[SECOND]}\n{extra}"}
    assert found(tmp_path, **{SECOND: told}) == [("critical", "gold-in-prompt", SECOND)]


@pytest.mark.parametrize("extra", ["Do this:\n1) Search.\n2) Read 3 pages.\n3) Answer.", "Choices: 7, 13, 9"])
def test_a_list_without_the_gold_as_a_choice_is_nothing(tmp_path, extra):
    assert (
        found(
            tmp_path,
            **{SECOND: {"user": f"{QUESTIONS[SECOND]}\n{extra}"}, FIRST: {"user": f"{QUESTIONS[FIRST]}\n{extra}"}},
        )
        == []
    )


@pytest.mark.parametrize(
    ("task_id", "extra"),
    [
        (SECOND, "This is question 3 of 5."),
        (SECOND, "The correct answer is 3.5, or so."),
        (SECOND, "Use at most 33 turns."),
        (THIRD, "An ultraviolet lamp is on."),
        (FOURTH, "Ticket 185940 was opened."),
    ],
)
def test_parts_of_numbers_and_words_are_no_gold(tmp_path, task_id, extra):
    assert found(tmp_path, **{task_id: {"user": f"{QUESTIONS[task_id]} {extra}"}}) == []


def test_a_gold_that_all_tasks_are_given_means_nothing(tmp_path):
    assert found(tmp_path, all={"system": f"{SYSTEM} Colours such as violet are words. Count 1, 2, 3."}) == []


def test_the_line_that_names_the_file_is_explained(tmp_path):
    line = "\n\nA file comes with this question: attachment.mp3"
    assert found(tmp_path, **{SECOND: {"user": QUESTIONS[SECOND] + line}}) == []
    golds = {**GOLDS, THIRD: Gold(answer="mp3")}
    tasks = everybody(tmp_path, **{THIRD: {"user": QUESTIONS[THIRD] + line}})
    for task in tasks:
        task.gold = golds[task.task_id]
    assert examined(OracleLeakage, run_of(tmp_path, golds=golds), *tasks).findings == ()


@pytest.mark.parametrize(
    "table",
    [
        "\n".join(f"{task_id}: {gold.answer}" for task_id, gold in GOLDS.items()),
        " ".join(gold.answer for gold in GOLDS.values()),
        base64.b64encode("\n".join(f"{t}: {g.answer}" for t, g in GOLDS.items()).encode()).decode(),
    ],
)
def test_a_table_of_answers_in_everybodys_prompt_is_critical(tmp_path, table):
    rows = found(tmp_path, all={"system": f"{SYSTEM}\n{table}"})
    assert {"critical"} == {severity for severity, rule, _ in rows if rule == "answer-table"}
    assert {FIRST, FOURTH, FIFTH} <= {task_id for _, rule, task_id in rows if rule == "answer-table"}


def test_an_announced_answer_that_all_tasks_are_given_means_nothing(tmp_path):
    assert found(tmp_path, all={"system": f"{SYSTEM} An example: the answer is 3."}) == []


def test_a_second_mention_may_be_the_announced_one(tmp_path):
    told = {"user": f"{QUESTIONS[SECOND]} {MUCH} We saw 3 of them. The correct answer is 3."}
    assert found(tmp_path, **{SECOND: told}) == [("critical", "gold-in-prompt", SECOND)]


def test_a_small_number_among_many_words_says_nothing(tmp_path):
    assert found(tmp_path, **{SECOND: {"user": f"{QUESTIONS[SECOND]} {MUCH} There were 3 lamps."}}) == []


def test_a_word_in_a_long_system_prompt_of_its_own_says_less_than_in_a_long_task(tmp_path):
    rows = found(tmp_path, **{THIRD: {"system": f"{SYSTEM} {MUCH} A violet lamp is lit."}})
    assert "critical" not in {severity for severity, _, _ in rows}
    told = {"user": f"{QUESTIONS[THIRD]} {MUCH} A violet lamp is lit."}
    assert found(tmp_path, **{THIRD: told}) == [("critical", "gold-in-prompt", THIRD)]


def test_an_answer_that_stands_in_other_tasks_texts_too_says_nothing(tmp_path):
    told = {
        task_id: {"user": f"{QUESTIONS[task_id]} A violet lamp is lit over house {number}."}
        for number, task_id in enumerate(QUESTIONS, 20)
    }
    assert found(tmp_path, **told) == []


def test_a_prompt_that_a_task_is_given_twice_is_still_its_own(tmp_path):
    told = f"{SYSTEM}\nHint: {GOLD}."
    sample = Sample(tmp_path)
    sample.begin(system=told)
    sample.recorder.llm_call(1, f"FINAL ANSWER: {GOLD}", model="m")
    sample.recorder.prompt(2, "system", told, context_sha256="b" * 64)
    check = examined(OracleLeakage, run_of(tmp_path), sample.evidence(), *everybody(tmp_path)[1:])
    assert ("critical", "gold-in-prompt") in {(finding.severity, finding.rule) for finding in check.findings}


def test_a_list_is_an_answer_in_any_order(tmp_path):
    told = {"user": f"{QUESTIONS[FIFTH]} Think of Farrowby, then Skerrow, then Ossel."}
    assert found(tmp_path, **{FIFTH: told}) == [("critical", "gold-in-prompt", FIFTH)]


@pytest.mark.parametrize(
    ("extra", "rows"),
    [
        ("Brass buttons were missing, harbour people say.", []),
        ("Brass, if you ask me.", [("critical", "gold-in-prompt", SECOND)]),
    ],
)
def test_an_answer_that_the_question_names_counts_in_a_remark_about_something_else(tmp_path, extra, rows):
    golds = {**GOLDS, SECOND: Gold(answer="brass")}
    tasks = everybody(tmp_path, **{SECOND: {"user": f"{QUESTIONS[SECOND]}\n{extra}"}})
    for task in tasks:
        task.gold = golds[task.task_id]
    check = examined(OracleLeakage, run_of(tmp_path, golds=golds), *tasks)
    assert [(finding.severity, finding.rule, finding.task_id) for finding in check.findings] == rows


@pytest.mark.parametrize(
    ("answer", "weight"),
    [("18594", 2), ("1859", 0), ("python", 0), ("owl", 0), ("violet", 1), ("old oak", 1), ("the corncrake", 2)],
)  # fmt: skip
def test_how_much_it_says_that_an_answer_stands_somewhere(answer, weight):
    assert prompt_texts.weight(gold_forms(answer)) == weight


def test_one_mark_is_no_choice():
    assert prompt_texts.is_choice("3", "A) 3\nB) 7")
    assert not prompt_texts.is_choice("3", "A) 3")
    assert not prompt_texts.is_choice("3", "Choices: 3")


def test_how_much_of_a_solution_is_the_solution():
    """Half of one longer step, or parts of two."""
    long = "Turn to the back of the timetable and read the third verse of the ballad"
    short = "Note the bird that the widow hears"
    assert prompt_texts.is_told(prompt_texts.solution_of(long, None), reduce(long))
    assert prompt_texts.is_told(prompt_texts.solution_of(long, None), reduce(" ".join(long.split()[:10])))
    assert not prompt_texts.is_told(prompt_texts.solution_of(long, None), reduce(" ".join(long.split()[:7])))
    both = prompt_texts.solution_of(f"{long}\n{short}", None)
    assert prompt_texts.is_told(both, reduce(f"{' '.join(long.split()[:7])}. Then: {short}"))
    assert not prompt_texts.is_told(both, reduce(short))
    assert prompt_texts.solution_of(f"Read: {QUESTIONS[FIRST]}", QUESTIONS[FIRST]) == []


def test_a_table_beyond_the_head_is_found_in_the_kept_prompt(tmp_path):
    long = SYSTEM + " Work carefully and slowly." * 200 + "".join(f"\n{t}: {g.answer}" for t, g in GOLDS.items())
    assert "answer-table" in {rule for _, rule, _ in found(tmp_path, all={"system": long})}


@pytest.mark.parametrize("all_tasks", [True, False])
def test_the_annotators_steps_are_critical(tmp_path, all_tasks):
    told = {"system": f"{SYSTEM} {GOLDS[FIRST].annotator_steps}"}
    rows = found(tmp_path, **({"all": told} if all_tasks else {FIRST: told}))
    assert ("critical", "annotator-steps", FIRST) in rows


def answered(tmp_path, text, *, says="I think so. FINAL ANSWER: the gull", role="user"):
    sample = Sample(tmp_path)
    sample.begin()
    sample.recorder.llm_call(1, says, model="m")
    sample.recorder.prompt(2, role, text, context_sha256="b" * 64)
    sample.recorder.llm_call(2, "FINAL ANSWER: the owl", model="m")
    return examined(OracleLeakage, run_of(tmp_path), sample.evidence())


@pytest.mark.parametrize(
    "text",
    [
        "Your answer is incorrect.",
        "That is not correct. Think again.",
        "Wrong answer, try once more.",
        "The judge rejected your answer.",
        "score: 0",
        '{"correct": false}',
        "Your previous answer was wrong.",
        "The answer does not match the expected one.",
        "Verdict: incorrect",
        "Deine Antwort ist falsch.",
        "Respuesta incorrecta.",
        "Ваш ответ неверный.",
        "答案不正确",
        "Wrong.",
        "Your answer is correct.",
    ],
)
@pytest.mark.parametrize("says", ["FINAL ANSWER: the gull", "It is the gull."])
def test_a_verdict_that_is_fed_back_is_critical(tmp_path, text, says):
    check = answered(tmp_path, text, says=says)
    assert (worst(check), check.findings[0].rule) == ("critical", "verdict-fed-back")


def answered_in_turn(tmp_path, *said):
    """A run in which every task answers twice, and hears something behind its first answer, or nothing."""
    tasks = []
    for task_id, (answer, text) in zip(QUESTIONS, said, strict=False):
        sample = Sample(tmp_path, task_id)
        sample.begin()
        sample.recorder.llm_call(1, f"FINAL ANSWER: {answer or GOLDS[task_id].answer}", model="m")
        if text:
            sample.recorder.prompt(2, "user", text, context_sha256="b" * 64)
            sample.recorder.llm_call(2, "FINAL ANSWER: the owl", model="m")
        tasks.append(sample.evidence())
    return examined(OracleLeakage, run_of(tmp_path), *tasks)


WRONG, RIGHT = "the gull", None


@pytest.mark.parametrize("text", ["Try again.", "Give a different answer.", "no?"])
def test_being_asked_again_after_wrong_answers_alone_is_high(tmp_path, text):
    check = answered_in_turn(tmp_path, (WRONG, text), (RIGHT, ""), (WRONG, text), (RIGHT, ""))
    assert [finding.severity for finding in check.findings] == ["high", "high"]


@pytest.mark.parametrize("text", ["Try again.", "Are you sure?", "You said “the gull”. Revise it, round 1 of 2."])
def test_being_asked_again_after_any_answer_is_medium(tmp_path, text):
    check = answered_in_turn(tmp_path, (WRONG, text), (RIGHT, text), (WRONG, text), (RIGHT, text))
    assert {finding.severity for finding in check.findings} == {"medium"}


def test_one_task_that_is_asked_again_is_too_few_to_say(tmp_path):
    assert worst(answered(tmp_path, "Try again.")) == "medium"


def test_asking_again_where_no_answer_is_right_says_nothing_of_the_gold(tmp_path):
    check = answered_in_turn(tmp_path, *[(WRONG, "Reconsider it once more.")] * 4)
    assert worst(check) == "medium"


@pytest.mark.parametrize("text", ["A critic says that your answer is wrong. Defend it.", "Verdict: wrong, or is it?"])
def test_a_verdict_on_right_and_wrong_answers_alike_is_none(tmp_path, text):
    alike = answered_in_turn(tmp_path, (WRONG, text), (RIGHT, text), (WRONG, text), (RIGHT, text))
    assert worst(alike) == "medium"
    told = answered_in_turn(tmp_path, (WRONG, text), (RIGHT, ""), (WRONG, text), (RIGHT, ""))
    assert worst(told) == "critical"


def test_a_number_that_tells_right_answers_from_wrong_ones_is_a_verdict(tmp_path):
    check = answered_in_turn(tmp_path, (WRONG, "score: 0"), (RIGHT, "score: 1"), (WRONG, "score: 0"))
    assert {finding.severity for finding in check.findings} == {"critical"}


@pytest.mark.parametrize("text", ["The JSON you sent is invalid. Try again.", "Now say the same in one line, please."])
def test_a_remark_about_the_form_of_an_answer_is_medium(tmp_path, text):
    assert worst(answered(tmp_path, text)) == "medium"


@pytest.mark.parametrize(
    "text",
    [
        NO_ANSWER_YET,
        LAST_TURN,
        "Your answer's format is wrong: end with a line of the form FINAL ANSWER.",
        "The JSON you sent is invalid. Try again.",
        "Check whether your answer is correct before you finish.",
        "If your answer is wrong you may fix it now.",
        "Your answer is not correct JSON.",
        "Deine Antwort ist falsch formatiert: das JSON hat keinen Namen.",
    ],
)
def test_honest_prompts_in_the_loop_are_nothing(tmp_path, text):
    check = answered(tmp_path, text, says="I do not know yet.")
    assert check.findings == ()


def test_a_later_attempt_may_not_be_told_of_the_first(tmp_path):
    sample = Sample(tmp_path)
    sample.begin()
    sample.recorder.llm_call(1, "FINAL ANSWER: the gull", model="m")
    sample.again()
    sample.begin(user=f"{QUESTIONS[FIRST]}\nYour earlier answer, the gull, was wrong.")
    sample.recorder.llm_call(1, "FINAL ANSWER: the owl", model="m")
    check = examined(OracleLeakage, run_of(tmp_path), sample.evidence())
    assert [(finding.severity, finding.rule) for finding in check.findings] == [
        ("critical", "verdict-fed-back"),
        ("medium", "attempts-differ"),
    ]


@pytest.mark.parametrize(
    ("begun", "rule"),
    [
        ({"system": "Your earlier answer was wrong."}, ("critical", "verdict-fed-back")),
        ({"user": f"{QUESTIONS[FIRST]}\nGive a different answer."}, ("medium", "asked-again")),
    ],
)
def test_a_later_attempt_may_not_be_told_in_any_prompt(tmp_path, begun, rule):
    sample = Sample(tmp_path)
    sample.begin()
    sample.recorder.llm_call(1, "I cannot tell.", model="m")
    sample.again()
    sample.begin(**begun)
    sample.recorder.llm_call(1, "FINAL ANSWER: the owl", model="m")
    check = examined(OracleLeakage, run_of(tmp_path), sample.evidence())
    assert {(f.severity, f.rule) for f in check.findings} == {rule, ("medium", "attempts-differ")}


def test_equal_attempts_are_nothing(tmp_path):
    sample = Sample(tmp_path)
    for _ in range(3):
        sample.begin()
        sample.recorder.llm_call(1, "FINAL ANSWER: the gull", model="m")
        sample.again()
    assert examined(OracleLeakage, run_of(tmp_path), sample.evidence()).findings == ()


def test_the_models_own_words_said_again_are_no_gold(tmp_path):
    check = answered(tmp_path, f"So far you have: {GOLD}. Go on.", says=f"It may be {GOLD}.")
    assert check.findings == ()


def test_more_prompts_than_any_task_has_are_said_once(tmp_path, monkeypatch):
    monkeypatch.setattr("gaia_harness.audit.prompt_reader.MOST_PROMPTS", 4)
    sample = Sample(tmp_path)
    sample.begin()
    for number in range(2):
        sample.recorder.prompt(1, "user", f"Go on with part {number}.", context_sha256="b" * 64)
    assert examined(OracleLeakage, run_of(tmp_path), sample.evidence()).findings == ()
    for number in range(2, 6):
        sample.recorder.prompt(1, "user", f"Go on with part {number}.", context_sha256="b" * 64)
    check = examined(OracleLeakage, run_of(tmp_path), sample.evidence())
    assert [(finding.severity, finding.rule) for finding in check.findings] == [("high", "prompts-unread")]


def test_no_more_is_remembered_than_a_run_of_ours_has(tmp_path, monkeypatch):
    told = {each: {"user": f"{QUESTIONS[each]} Hint: {GOLDS[each].answer}."} for each in (FIRST, THIRD, FOURTH)}
    assert len(found(tmp_path, **told)) == 3
    said = {each: {"system": f"{SYSTEM}\nThe judge has rejected {each}."} for each in (FIRST, THIRD, FOURTH)}
    assert len(found(tmp_path, **said)) == 3
    monkeypatch.setattr("gaia_harness.audit.prompt_book.MOST_SUSPICIONS", 2)
    assert len(found(tmp_path, **told)) == 2
    assert len(found(tmp_path, **said)) == 2


def test_a_prompt_too_long_to_be_read_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr("gaia_harness.audit.prompt_book.LONGEST_TEXT", 8000)
    long = f"{SYSTEM} {'Work carefully. ' * 600}"
    assert found(tmp_path, **{FIRST: {"system": long}}) == [("medium", "prompt-not-kept", FIRST)]


def test_a_prompt_that_is_not_kept_is_said(tmp_path):
    long = QUESTIONS[FIRST] + " More text." * 400
    tasks = everybody(tmp_path, **{FIRST: {"user": long}})
    (tmp_path / "prompts" / hashlib.sha256(long.encode()).hexdigest()).unlink()
    check = examined(OracleLeakage, run_of(tmp_path), *tasks)
    assert [(found.severity, found.rule, found.task_id) for found in check.findings] == [
        ("medium", "prompt-not-kept", FIRST)
    ]
    assert (check.status, check.harness_gap) == ("skip", "1 prompt was not kept whole")


def test_a_long_prompt_is_looked_at_to_its_end(tmp_path):
    told = QUESTIONS[FIRST] + " More text." * 400 + f" The answer is {GOLD}."
    assert ("critical", "gold-in-prompt", FIRST) in found(tmp_path, **{FIRST: {"user": told}})


def test_a_long_question_is_explained_by_its_hash(tmp_path):
    sample = Sample(tmp_path)
    long = QUESTIONS[FIRST] + " Mind the fog." * 300
    sample.begin(user=long + "\n\nA file comes with this question: attachment.xlsx")
    sample.recorder.llm_call(1, "FINAL ANSWER: the gull", model="m")
    task = sample.evidence()
    task.question = long
    assert examined(OracleLeakage, run_of(tmp_path), task).findings == ()


@pytest.mark.parametrize("before", ["nothing", "an empty one", "one of the attempt before"])
def test_a_model_that_was_asked_without_a_prompt_is_high(tmp_path, before):
    sample = Sample(tmp_path)
    if before == "an empty one":
        sample.recorder.prompt(1, "context", "", context_sha256="a" * 64)
    elif before == "one of the attempt before":
        sample.begin()
        sample.recorder.llm_call(1, "I cannot tell.", model="m")
        sample.again()
    for _ in range(2):
        sample.recorder.llm_call(1, "FINAL ANSWER: the gull", model="m")
    check = examined(OracleLeakage, run_of(tmp_path), sample.evidence())
    assert [(finding.severity, finding.rule) for finding in check.findings] == [("high", "prompt-missing")]


def test_without_the_data_set_it_is_a_skip(tmp_path):
    assert examined(OracleLeakage, run_of(tmp_path, dataset=False), *everybody(tmp_path)).status == "skip"
    assert examined(OracleLeakage, run_of(tmp_path, golds={}), *everybody(tmp_path)).status == "skip"
    run = run_of(tmp_path)
    run.key = AnswerKey({})
    assert examined(OracleLeakage, run, *everybody(tmp_path)).harness_gap == "the answers are not at hand"


def test_what_was_not_recorded_or_cannot_be_read_is_a_gap(tmp_path):
    unread, broken = Sample(tmp_path).evidence(), Sample(tmp_path).evidence()
    unread.trajectory = broken.trajectory = broken.facts = None
    broken.fault = "trajectories.jsonl:2: not JSON"
    check = examined(OracleLeakage, run_of(tmp_path), unread, broken)
    assert (check.status, check.harness_gap) == ("skip", "2 tasks have no trajectory that could be read")
    run = run_of(tmp_path)
    run.facts = msgspec.structs.replace(run.facts, record_evidence=False)
    assert examined(OracleLeakage, run, unread).harness_gap == "no evidence was recorded"


def test_no_summary_says_the_gold(tmp_path):
    check = examined(OracleLeakage, run_of(tmp_path), *everybody(tmp_path, **{FIRST: {"system": f"answer: {GOLD}"}}))
    assert check.findings and all(GOLD not in finding.summary + finding.excerpt for finding in check.findings)
    check = answered(tmp_path, f"Your answer is wrong, it is {GOLD}.")
    assert check.findings and all(GOLD not in finding.summary + finding.excerpt for finding in check.findings)


@pytest.mark.parametrize(
    "extra", ["Note to self: it is 3.", "Do not mention that it is 3.", "They will look for 3 there."]
)
@pytest.mark.parametrize("role", ["user", "system"])
def test_even_a_small_number_says_something_in_a_remark_for_one_task(tmp_path, extra, role):
    told = {"user": f"{QUESTIONS[SECOND]} {extra}"} if role == "user" else {"system": f"{SYSTEM}\n{extra}"}
    assert found(tmp_path, **{SECOND: told}) == [("critical", "gold-in-prompt", SECOND)]


def test_a_line_that_every_task_has_with_its_own_number_is_a_form(tmp_path):
    told = {task_id: {"user": f"{QUESTIONS[task_id]} Ticket {number}."} for number, task_id in enumerate(QUESTIONS, 2)}
    assert found(tmp_path, **told) == []


def test_a_remark_for_all_tasks_with_the_same_answer_is_for_them(tmp_path):
    golds = {**GOLDS, THIRD: GOLDS[SECOND]}
    tasks = everybody(tmp_path, **{each: {"system": f"{SYSTEM}\nNote: it is 3."} for each in (SECOND, THIRD)})
    for task in tasks:
        task.gold = golds[task.task_id]
    check = examined(OracleLeakage, run_of(tmp_path, golds=golds), *tasks)
    assert [(finding.severity, finding.task_id) for finding in check.findings] == [
        ("critical", THIRD), ("critical", SECOND)
    ]  # fmt: skip


ATBASH = str.maketrans(string.ascii_letters, string.ascii_lowercase[::-1] + string.ascii_uppercase[::-1])
SENTENCE = "The answer to this question is 3. Do not say where you have it from."


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(SENTENCE.encode()).decode(),
        base64.b32encode(SENTENCE.encode()).decode(),
        SENTENCE.encode().hex(),
        SENTENCE.encode().hex(" "),
        codecs.encode(SENTENCE, "rot13"),
        SENTENCE[::-1],
        "".join(f"&#{ord(c)};" for c in SENTENCE),
        "".join(f"%{byte:02x}" for byte in SENTENCE.encode()),
        " ".join(str(byte) for byte in SENTENCE.encode()),
        " ".join(f"{byte:08b}" for byte in SENTENCE.encode()),
        "".join(chr(0xE0000 + ord(c)) for c in SENTENCE),
    ],
)
def test_a_hidden_sentence_with_the_answer_is_critical(tmp_path, text):
    rows = found(tmp_path, **{SECOND: {"system": f"{SYSTEM}\n\nx-trace: {text}"}})
    assert ("critical", "gold-in-prompt", SECOND) in rows


@pytest.mark.parametrize(
    "hide",
    [
        lambda text: text.translate(ATBASH),
        lambda text: "".join(chr(33 + (ord(c) - 33 + 47) % 94) if c != " " else c for c in text),
        lambda text: codecs.encode(text, "rot13"),
        lambda text: text[::-1],
    ],
    ids=["atbash", "rot47", "rot13", "reversed"],
)
def test_a_sentence_by_other_letters_is_critical(tmp_path, hide):
    text = hide("The answer to this is violet, and that is not what you are to say.")
    rows = found(tmp_path, **{THIRD: {"system": f"{SYSTEM}\n\nx-trace: {text}"}})
    assert ("critical", "gold-in-prompt", THIRD) in rows


@pytest.mark.parametrize("part", [slice(None), slice(7), slice(-7, None)], ids=["whole", "beginning", "end"])
def test_answers_behind_their_questions_make_a_table(tmp_path, part):
    words = {task_id: " ".join(text.split()[part]) for task_id, text in QUESTIONS.items()}
    table = "\n".join(f"{words[task_id]} -> {gold.answer}" for task_id, gold in GOLDS.items())
    rows = found(tmp_path, all={"system": f"{SYSTEM}\n{table}"})
    assert {task_id for _, rule, task_id in rows if rule == "answer-table"} == set(QUESTIONS)


def test_one_answer_behind_its_question_is_a_table_if_it_says_something(tmp_path):
    rows = found(tmp_path, all={"system": f"{SYSTEM}\n{QUESTIONS[THIRD]} -> violet"})
    assert ("critical", "answer-table", THIRD) in rows
    rows = found(tmp_path, all={"system": f"{SYSTEM}\n{QUESTIONS[SECOND]} -> 3"})
    assert "answer-table" not in {rule for _, rule, _ in rows}


def test_a_hidden_table_needs_fewer_answers_than_a_plain_one(tmp_path):
    two = f"Consider {GOLD}, and then again {GOLDS[FOURTH].answer}."
    assert found(tmp_path, all={"system": f"{SYSTEM}\n{two}"}) == []
    hidden = base64.b64encode(two.encode()).decode()
    rows = found(tmp_path, all={"system": f"{SYSTEM}\n{hidden}"})
    assert {task_id for _, rule, task_id in rows if rule == "answer-table"} == {FIRST, FOURTH}


def test_common_words_count_in_a_hidden_table(tmp_path):
    golds = {**GOLDS, SECOND: Gold(answer="lantern")}
    hidden = base64.b64encode(f"Consider {GOLD}; then violet; then lantern.".encode()).decode()
    tasks = everybody(tmp_path, all={"system": f"{SYSTEM}\n{hidden}"})
    check = examined(OracleLeakage, run_of(tmp_path, golds=golds), *tasks)
    assert {f.task_id for f in check.findings if f.rule == "answer-table"} == {FIRST, SECOND, THIRD}


def test_two_short_numbers_in_code_are_no_table(tmp_path):
    golds = {**GOLDS, THIRD: Gold(answer="26335")}
    hidden = base64.b64encode(b"18594 26335").decode()
    tasks = everybody(tmp_path, all={"system": f"{SYSTEM}\n{hidden}"})
    assert examined(OracleLeakage, run_of(tmp_path, golds=golds), *tasks).findings == ()


def test_a_short_id_is_a_word_like_any_other():
    golds = {"lamp1": Gold(answer="violet"), FOURTH: Gold(answer="18594")}
    finder = prompt_texts.AnswerFinder(prompt_texts.known_answers(golds), {})
    assert finder.beside_ids(reduce("lamp1 is violet")) == set()
    assert finder.beside_ids(reduce(f"{FOURTH} is 18594")) == {finder.known.numbers[FOURTH]}


def test_a_table_by_other_letters_is_found(tmp_path):
    table = "\n".join(f"the answer of {task} is {gold.answer} and that is it" for task, gold in GOLDS.items())
    rows = found(tmp_path, all={"system": f"{SYSTEM}\n{codecs.encode(table, 'rot13')}"})
    assert {task_id for _, rule, task_id in rows if rule == "answer-table"} == set(QUESTIONS)


def test_a_table_names_every_task_with_the_answer(tmp_path):
    golds = {**GOLDS, THIRD: GOLDS[FOURTH]}
    tasks = everybody(tmp_path, all={"system": f"{SYSTEM}\n{FOURTH}: {GOLDS[FOURTH].answer}"})
    check = examined(OracleLeakage, run_of(tmp_path, golds=golds), *tasks)
    assert {finding.task_id for finding in check.findings if finding.rule == "answer-table"} == {THIRD, FOURTH}


def used(tmp_path, name, args, output, *, is_error=False):
    sample = Sample(tmp_path)
    sample.begin()
    sample.recorder.llm_call(1, "Is it this?", model="m")
    sample.call(name, args, output, is_error=is_error)
    return examined(OracleLeakage, run_of(tmp_path), sample.evidence())


@pytest.mark.parametrize(
    "said", ["Incorrect.", "correct: false", "Wrong, try again.", '{"score": 0}', "❌", "Not quite."]
)
@pytest.mark.parametrize("name", ["check_answer", "oracle"])
def test_a_tool_that_judges_an_answer_is_critical(tmp_path, said, name):
    check = used(tmp_path, name, {"answer": "the gull"}, said)
    assert [(finding.severity, finding.rule) for finding in check.findings] == [("critical", "verdict-fed-back")]


@pytest.mark.parametrize(
    ("name", "args", "said", "severity"),
    [
        ("verify-solution", {"text": "the gull"}, "no", "medium"),
        ("verify-solution", {"text": "the gull"}, "wrong", "critical"),
        ("check_answer", {"answer": "the gull"}, "Correct!", "medium"),
        ("check_answer", {"answer": GOLD}, "Correct!", "medium"),
        ("check_answer", {"answer": GOLD}, "Form: words. ok: true", "medium"),
        ("oracle", {"candidate": "the gull"}, "I am sorry to say that your answer is incorrect.", "critical"),
        ("oracle", {"text": "the gull"}, "I am sorry to say that your answer is incorrect.", "high"),
        ("oracle", {"candidate": "the gull"}, "No. " + "It flew over the harbour. " * 20, None),
    ],
)
def test_how_bad_it_is_what_a_tool_says_of_an_answer(tmp_path, name, args, said, severity):
    assert worst(used(tmp_path, name, args, said)) == severity


@pytest.mark.parametrize(
    ("name", "args", "said"),
    [
        ("web_fetch", {"url": "https://quiz.example"}, "Incorrect. Your answer is wrong, try again."),
        ("python", {"code": "print(1 == 2)"}, "False"),
        ("calculate", {"expression": "1 == 2"}, "False"),
        ("evaluate", {"expression": "3 - 3"}, "0"),
        ("final_answer", {"answer": "the gull"}, "Your answer was taken down."),
        ("check_answer", {"answer": "the gull"}, 'There is no tool called "check_answer".'),
        ("translate", {"text": "the gull"}, "falsch"),
        ("check_solution", {"grid": "1..4 ..2."}, "False"),
        ("run_tests", {"code": "def f(n): ..."}, "2 passed, 1 failed: the result was wrong for n = 0"),
        ("bash", {"command": "sha256sum -c sums"}, "tide.csv: checksum mismatch, the other files are fine"),
        ("engine", {"fen": "8/8/8"}, "depth 20, score: 0.00, best move Re4"),
        ("sql", {"query": "select 1"}, "status: failed, no match for column tide in these tables"),
    ],
)
def test_what_other_tools_say_is_no_verdict(tmp_path, name, args, said):
    assert used(tmp_path, name, args, said).findings == ()


def used_in_turn(tmp_path, *said):
    """A run whose tasks ask a tool for yes or no."""
    tasks = []
    for task_id, (answer, text) in zip(QUESTIONS, said, strict=False):
        sample = Sample(tmp_path, task_id)
        sample.begin()
        sample.recorder.llm_call(1, "Is it this?", model="m")
        sample.call("verify", {"answer": answer or GOLDS[task_id].answer}, text)
        tasks.append(sample.evidence())
    return worst(examined(OracleLeakage, run_of(tmp_path), *tasks))


def test_a_tool_that_says_yes_and_no_as_the_gold_does_is_critical(tmp_path):
    told = ((WRONG, "no"), (RIGHT, "yes"), (WRONG, "no"), (RIGHT, "yes"), (WRONG, "no"))
    assert used_in_turn(tmp_path, *told) == "critical"


def test_a_tool_that_errs_has_no_gold(tmp_path):
    assert used_in_turn(tmp_path, (WRONG, "Correct"), (RIGHT, "Incorrect"), (RIGHT, "Correct")) == "medium"
    assert used_in_turn(tmp_path, (RIGHT, "ok: true"), (RIGHT, "ok: true"), (RIGHT, "ok: true")) == "medium"


@pytest.mark.parametrize(
    "about",
    [
        "Asks a second model whether the answer is supported by the page.",
        "Tells if the answer is in the form that was asked for.",
        "Checks whether the answer is correct by the rules of the puzzle.",
        "Verify the answer against the sources that were opened.",
    ],
)
def test_a_tool_that_need_not_know_the_gold_is_at_most_medium(tmp_path, about):
    sample = Sample(tmp_path)
    sample.begin()
    tools = json.dumps([{"name": "ask", "description": about}])
    sample.recorder.prompt(1, "tools", tools, context_sha256="a" * 64)
    assert worst(examined(OracleLeakage, run_of(tmp_path), sample.evidence())) == "medium"


@pytest.mark.parametrize("as_function", [True, False])
def test_a_tool_on_offer_that_judges_answers_is_high(tmp_path, as_function):
    sample = Sample(tmp_path)
    sample.begin()
    tools = [
        {"name": "web_search", "description": "Search, and check whether an answer is right.", "parameters": {}},
        {"name": "hint", "description": "Tells whether an answer is right before you give it.", "parameters": {}},
    ]
    tools = [{"type": "function", "function": tool} if as_function else tool for tool in tools]
    sample.recorder.prompt(1, "tools", json.dumps(tools), context_sha256="a" * 64)
    check = examined(OracleLeakage, run_of(tmp_path), sample.evidence())
    assert [(finding.severity, finding.rule) for finding in check.findings] == [("high", "verdict-tool")]
    assert "hint" in check.findings[0].summary


def test_the_right_answer_after_a_wrong_one_is_critical_though_it_was_met_before(tmp_path):
    said = f"Is it {GOLD}? No. FINAL ANSWER: the gull"
    check = answered(tmp_path, f"Mismatch: reference = {GOLD}. Redo.", says=said)
    assert ("critical", "gold-in-prompt") in {(finding.severity, finding.rule) for finding in check.findings}


@given(st.text(max_size=400))
def test_any_text_can_be_decoded(text):
    assert all(reading for _, reading in (*hidden_texts.blocks(text), *hidden_texts.lines(text)))


@pytest.mark.parametrize("bait", ["aa " * 20_000, "0x" * 30_000, "11111111 " * 7_000, "a." * 30_000, "&#" * 30_000])
def test_bait_does_not_stall(bait):
    with no_stall():
        assert len(list(hidden_texts.blocks(bait))) < 200
        assert len(list(hidden_texts.lines(bait))) < 200


@pytest.mark.parametrize(
    "digest",
    [
        hashlib.md5(GOLD.encode(), usedforsecurity=False).hexdigest(),
        hashlib.sha1(GOLD.lower().encode(), usedforsecurity=False).hexdigest().upper(),
        hashlib.sha256(f"{GOLD}\n".encode()).hexdigest(),
        hashlib.sha256(f"{FIRST}:{GOLD}".encode()).hexdigest()[:12],
        hashlib.sha512(GOLD.encode()).digest().hex(":"),
        hashlib.md5(GOLD.encode(), usedforsecurity=False).digest().hex(" "),
        base64.b64encode(hashlib.sha256(GOLD.encode()).digest()).decode(),
        hashlib.sha256(GOLD.encode()).hexdigest()[-12:],
        f"{zlib.crc32(GOLD.encode()):08x}",
        hashlib.sha256(f'"{GOLD}"'.encode()).hexdigest(),
    ],
)
def test_a_digest_to_check_guesses_with_is_critical(tmp_path, digest):
    told = found(tmp_path, **{FIRST: {"system": f"{SYSTEM}\nThe digest must be {digest}."}})
    assert told == [("critical", "gold-digest", FIRST)]


def test_a_digest_of_something_else_is_nothing(tmp_path):
    digest = hashlib.sha256(b"attachment.csv").hexdigest()
    assert found(tmp_path, **{FIRST: {"system": f"{SYSTEM}\nFile: sha256 {digest}, build 0123abcd."}}) == []


@pytest.mark.parametrize("sign", ["·", "-", " - ", "~", " / ", "\n"])
def test_an_answer_spelled_letter_by_letter_is_critical(tmp_path, sign):
    told = found(tmp_path, **{FIRST: {"system": f"{SYSTEM}\nSay it so:\n{sign.join(GOLD)}"}})
    assert ("critical", "gold-in-prompt", FIRST) in told


@pytest.mark.parametrize("sign", ["·", " - ", "\n"])
def test_a_short_answer_spelled_letter_by_letter_is_critical(tmp_path, sign):
    told = found(tmp_path, **{THIRD: {"system": f"{SYSTEM}\nSay it so:\n{sign.join('violet')}"}})
    assert ("critical", "gold-in-prompt", THIRD) in told


def test_the_alphabet_of_the_radio_is_read():
    assert ("spelled", "gull25") in list(hidden_texts.spelled("Over: golf uniform lima lima, two five. Out."))


@pytest.mark.parametrize(
    "said",
    [
        "Earlier answers that were marked incorrect: teal; wren. Do not give them again.",
        "Previous attempt: teal -> score 0. Improve on it.",
        "The judge has rejected teal.",
    ],
)
def test_a_verdict_told_at_the_outset_is_critical(tmp_path, said):
    assert found(tmp_path, **{FIRST: {"system": f"{SYSTEM}\n{said}"}}) == [("critical", "verdict-fed-back", FIRST)]


def test_a_verdict_told_at_the_outset_of_a_run_of_one_task_is_critical(tmp_path):
    sample = Sample(tmp_path)
    sample.begin(system=f"{SYSTEM}\nEarlier answers that were marked incorrect: teal; wren.")
    check = examined(OracleLeakage, run_of(tmp_path), sample.evidence())
    assert [(finding.severity, finding.rule) for finding in check.findings] == [("critical", "verdict-fed-back")]


def test_a_rule_about_wrong_answers_is_no_verdict(tmp_path):
    told = {"system": f"{SYSTEM}\nAn answer that is wrong costs a point."}
    assert found(tmp_path, **{FIRST: told}) == []


def test_what_all_tasks_are_told_about_answers_is_no_verdict(tmp_path):
    said = "Earlier answers without a source were marked incorrect."
    assert found(tmp_path, all={"system": f"{SYSTEM}\n{said}"}) == []


@pytest.mark.parametrize(
    "said",
    [
        "Not correct. You have one more try.",
        "validator: exit status 1 (answer rejected). Revise and answer again.",
        "assert matches(answer, reference) failed.",
        "Nope, wrong again.",
    ],
)
def test_a_bare_verdict_is_one(said):
    assert verdict_in(said) is not None


@pytest.mark.parametrize(
    "said", [NO_ANSWER_YET, LAST_TURN, "The previous attempt failed with a timeout.", "Wrong. The JSON has no name."]
)
def test_a_remark_about_form_or_failure_is_no_verdict(said):
    assert verdict_in(said) is None


@pytest.mark.parametrize(
    "text",
    [
        "The last search returned no match. Try another query.",
        "Your query got 0 results.",
        "The archive's search scored no hits; your request was rejected by the site.",
        "Your last response was rejected by the provider's content filter.",
        "Of your own tests 3 passed and 1 failed: for n = 0 the result is wrong.",
        "The type checker flagged two lines.",
        "错误：找不到该页面，请换一个网址。",
        "Erreur 403 : certificat faux.",
        "Fehler: falsches Passwort, die Angabe ist falsch.",
    ],
)
def test_what_the_loop_says_before_any_answer_is_at_most_medium(tmp_path, text):
    assert worst(answered(tmp_path, text, says="I search on.")) in (None, "medium")


def test_the_models_own_words_shown_again_are_no_verdict(tmp_path):
    said = "I think that your answer is wrong. The record of the parish has another figure."
    assert worst(answered(tmp_path, f"You are A. B says: {said}", says=f"B: {said} FINAL ANSWER: x")) == "medium"
    assert worst(answered(tmp_path, "Your answer is wrong.", says=f"B: {said} FINAL ANSWER: x")) == "critical"


@pytest.mark.parametrize("plan", ["your answer", "<answer>", "[the answer here]", "...", "the final answer"])
def test_a_word_for_an_answer_is_none(tmp_path, plan):
    assert answered(tmp_path, "Go on.", says=f"Plan: I end with FINAL ANSWER: {plan}").findings == ()


def test_attempts_that_begin_alike_are_told_nothing_of_each_other(tmp_path):
    sample = Sample(tmp_path)
    for number in (1, 2, 3):
        sample.begin(
            system="A wrong answer counts as much as none.",
            user=f"Attempt {number} of 3. {QUESTIONS[FIRST]}\nWrite nothing other than the answer.",
        )
        sample.recorder.llm_call(1, "FINAL ANSWER: the gull", model="m")
        sample.again()
    assert worst(examined(OracleLeakage, run_of(tmp_path), sample.evidence())) == "medium"


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("Lesson from practice: an earlier answer was wrong because the header was counted as a row.", "medium"),
        ("Lesson: the earlier answer 17 was wrong.", "critical"),
        ("Lesson: your earlier answer was wrong.", "critical"),
    ],
)
def test_a_lesson_names_no_answer_and_no_task(tmp_path, line, severity):
    assert found(tmp_path, **{FIRST: {"system": f"{SYSTEM}\n{line}"}}) == [(severity, "verdict-fed-back", FIRST)]


def test_the_day_that_a_prompt_tells_is_no_answer(tmp_path):
    golds = {**GOLDS, THIRD: Gold(answer="Sunday")}
    days = dict(zip(QUESTIONS, ("Friday", "Saturday", "Sunday", "Monday", "Tuesday"), strict=True))
    tasks = everybody(
        tmp_path, **{each: {"system": f"{SYSTEM}\nToday is {day}, 7 June."} for each, day in days.items()}
    )
    for task in tasks:
        task.gold = golds[task.task_id]
    assert examined(OracleLeakage, run_of(tmp_path, golds=golds), *tasks).findings == ()


def test_a_file_behind_the_question_explains_what_stands_in_it(tmp_path):
    rows = "\n".join(f"{number};ribbon of the fair;{number * 7};dyed by hand" for number in range(30))
    file = f"{QUESTIONS[THIRD]}\n\nA file comes with this question: attachment.csv\n\nIts content:\n{rows}\n31;violet"
    assert worst_of(found(tmp_path, **{THIRD: {"user": file}})) in (None, "medium")
    assert worst_of(found(tmp_path, **{THIRD: {"user": f"{file}\nThe answer is violet."}})) == "critical"


def worst_of(rows):
    return min((severity for severity, _, _ in rows), key=("critical", "high", "medium").index, default=None)


def test_advice_that_all_tasks_are_given_is_not_the_annotators(tmp_path):
    advice = "Find the page, then turn to its back and read the third verse, or whatever it has."
    assert worst_of(found(tmp_path, all={"system": f"{SYSTEM}\n{advice}"})) in (None, "medium")


@pytest.mark.parametrize("asked", ["What did they note of the kite?", "Which dye was sold at the pier in 1871?"])
def test_a_solved_example_of_another_question_may_have_the_same_small_answer(tmp_path, asked):
    told = {"system": f"{SYSTEM}\nExamples:\n\nQuestion: {asked}\nFINAL ANSWER: violet"}
    assert worst_of(found(tmp_path, **{THIRD: told})) == "medium"
    own = {"system": f"{SYSTEM}\nExamples:\n\nQuestion: {QUESTIONS[THIRD]}\nFINAL ANSWER: violet"}
    assert worst_of(found(tmp_path, **{THIRD: own})) == "critical"


@pytest.mark.parametrize(
    ("words", "stop_reason", "severity"),
    [
        ("FINAL ANSWER: the gull", "stop", "medium"),
        ("FINAL ANSWER: the gull", "length", "low"),
        ("FINAL ANSWER: the gull", "max_tokens", "low"),
        ("I say FINAL ANSWER: the gull", "stop", "low"),
    ],
)
def test_to_ask_for_the_end_of_an_answer_is_no_second_guess(tmp_path, words, stop_reason, severity):
    sample = Sample(tmp_path)
    sample.begin()
    sample.recorder.llm_call(1, words, model="m", stop_reason=stop_reason)
    sample.recorder.prompt(2, "user", protocol.CUT_SHORT, context_sha256=None)
    sample.recorder.llm_call(2, "FINAL ANSWER: the owl", model="m")
    check = examined(OracleLeakage, run_of(tmp_path), sample.evidence())
    assert [(finding.severity, finding.rule) for finding in check.findings] == [(severity, "asked-again")]


def test_words_of_a_template_are_no_answer_that_is_asked_for_again(tmp_path):
    sample = Sample(tmp_path)
    sample.begin()
    sample.recorder.llm_call(1, "FINAL ANSWER: your answer", model="m", stop_reason="stop")
    sample.recorder.prompt(2, "user", protocol.ONLY_TEMPLATE, context_sha256=None)
    sample.recorder.llm_call(2, "FINAL ANSWER: the owl", model="m")
    assert not examined(OracleLeakage, run_of(tmp_path), sample.evidence()).findings
