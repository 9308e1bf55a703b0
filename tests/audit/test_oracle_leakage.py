"""AUD-3: what a task was given beside its question must hold no answer, no solution and no verdict."""

import base64
import codecs

import pytest
from tool_samples import FIFTH, FIRST, FOURTH, GOLDS, QUESTIONS, SECOND, SYSTEM, THIRD, Sample, examined, run_of, worst

from gaia_harness.audit.oracle_leakage import OracleLeakage

GOLD = GOLDS[FIRST].answer
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


@pytest.mark.parametrize("text", ["Try again.", "Give a different answer.", "❌", "no?"])
def test_being_asked_again_after_an_answer_is_high(tmp_path, text):
    assert worst(answered(tmp_path, text)) == "high"


@pytest.mark.parametrize(
    "text",
    [
        NO_ANSWER_YET,
        LAST_TURN,
        "Your answer's format is wrong: end with a line of the form FINAL ANSWER.",
        "The JSON you sent is invalid. Try again.",
        "Check whether your answer is correct before you finish.",
        "If your answer is wrong you may fix it now.",
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


def test_a_prompt_that_is_not_kept_is_said(tmp_path):
    rows = found(tmp_path, **{FIRST: {"user": QUESTIONS[FIRST] + " More text." * 400}})
    assert rows == [("medium", "prompt-not-kept", FIRST)]


def test_a_long_question_is_explained_by_its_hash(tmp_path):
    sample = Sample(tmp_path)
    long = QUESTIONS[FIRST] + " Mind the fog." * 300
    sample.begin(user=long + "\n\nA file comes with this question: attachment.xlsx")
    sample.recorder.llm_call(1, "FINAL ANSWER: the gull", model="m")
    task = sample.evidence()
    task.question = long
    assert examined(OracleLeakage, run_of(tmp_path), task).findings == ()


def test_a_model_that_was_asked_without_a_prompt_is_high(tmp_path):
    sample = Sample(tmp_path)
    sample.recorder.llm_call(1, "FINAL ANSWER: the gull", model="m")
    check = examined(OracleLeakage, run_of(tmp_path), sample.evidence())
    assert [(finding.severity, finding.rule) for finding in check.findings] == [("high", "prompt-missing")]


def test_without_the_data_set_it_is_a_skip(tmp_path):
    assert examined(OracleLeakage, run_of(tmp_path, dataset=False), *everybody(tmp_path)).status == "skip"
    assert examined(OracleLeakage, run_of(tmp_path, golds={}), *everybody(tmp_path)).status == "skip"


def test_no_summary_says_the_gold(tmp_path):
    check = examined(OracleLeakage, run_of(tmp_path), *everybody(tmp_path, **{FIRST: {"system": f"answer: {GOLD}"}}))
    assert check.findings and all(GOLD not in finding.summary + finding.excerpt for finding in check.findings)
