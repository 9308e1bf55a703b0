"""AUD-3: what an attempt has met is not given away by saying it again, and who argues from it is no oracle."""

import pytest
from tool_samples import FIRST, FOURTH, GOLDS, QUESTIONS, SECOND, THIRD, Sample, examined, run_of, worst

import thoroughness
from counted_work import no_stall
from gaia_harness.audit.oracle_leakage import OracleLeakage

GOLD = GOLDS[FIRST].answer
PAGE = (
    "Tales of the coast. At Pinch Beacon the widow hears the corncrake of Farrowby through the fog and takes it for "
    "the pilot's whistle. The harbour office sold lamps by the dozen that winter."
)
COAT = "The inventory of the office says that the coat of the harbour master had lost 3 buttons of brass by then."
LAMP = "Through the whole of that night the lamp at Yarrow Head is said to have burned, for the first time, in 18594."
PAGES = {FIRST: PAGE, SECOND: COAT, FOURTH: LAMP, THIRD: "It is a violet ribbon that the curator took for the fern."}
LINK = "https://coast.example/tales/of/the/beacon"


def prompted(tmp_path, prompt, *, task=FIRST, says="I go on reading.", page="", tool="web_fetch", whole=True):
    """A task that reads a page, says something, and is then given a prompt."""
    sample = Sample(tmp_path, task)
    sample.begin()
    sample.recorder.llm_call(1, "I read.", model="m")
    sample.call(tool, {"url": LINK}, page or PAGES[task])
    sample.recorder.prompt(2, "context", "", context_sha256="b" * 64)
    sample.recorder.llm_call(2, says, model="m")
    sample.recorder.prompt(3, "user", prompt, context_sha256="c" * 64)
    sample.recorder.llm_call(3, "FINAL ANSWER: something", model="m")
    return worst(examined(OracleLeakage, run_of(tmp_path), sample.evidence()))


@pytest.mark.parametrize(
    ("prompt", "tool"),
    thoroughness.crossed(
        [
            f"Summary of your work so far. You read {LINK}.\nMost likely answer: {GOLD}\nGo on.",
            f"Facts so far:\n- the widow mistook {GOLD} for a whistle",
            f"Candidates: a) the gull b) {GOLD}. Current best answer: {GOLD}. Verify it.",
            f'{{"facts": ["it is {GOLD}"], "answer": "{GOLD}", "next": "finish"}}',
            f"Earlier you were asked:\n\n{QUESTIONS[FIRST]}\n\nTranscript: the page has it. So the answer is {GOLD}.",
            f"[plan] step 1 done: answer = {GOLD}; step 2 failed: no second source",
        ],
        ["web_fetch", "python", "file_read", "browser"],
    ),
)
def test_an_answer_that_was_read_before_may_be_said_again(tmp_path, prompt, tool):
    assert prompted(tmp_path, prompt, tool=tool) is None
    assert prompted(tmp_path, prompt, tool=tool, page="Nothing of the kind is told at the coast.") == "critical"


@pytest.mark.parametrize(
    ("prompt", "severity"),
    [
        ("Facts so far: the coat of the harbour master had lost 3 buttons of brass. Most likely answer: 3", None),
        (f"You read {LINK}: three were lost. Most likely answer: 3", "medium"),
        ("Most likely answer: 3", "critical"),
        ("A hint: the answer is 3.", "critical"),
    ],
)
def test_of_a_small_answer_it_takes_the_sentence(tmp_path, prompt, severity):
    assert prompted(tmp_path, prompt, task=SECOND) == severity


def test_a_small_answer_that_the_model_has_called_so_may_be_said_again(tmp_path):
    assert prompted(tmp_path, "Candidate answer: 3", task=SECOND, says="So the answer should be 3.") is None
    assert prompted(tmp_path, "Candidate answer: 3", task=SECOND, says="I saw 3 of them.") == "critical"


@pytest.mark.parametrize("prompt", ["Validator expects {}.", "Reference answer: {}"])
def test_an_answer_from_who_has_them_is_critical_though_it_was_read(tmp_path, prompt):
    assert prompted(tmp_path, prompt.format("18594"), task=FOURTH) == "critical"
    assert prompted(tmp_path, prompt.format(GOLD)) == "critical"


@pytest.mark.parametrize("turn", [1, 2])
def test_what_one_attempt_has_read_is_nothing_to_the_next(tmp_path, turn):
    sample = Sample(tmp_path)
    sample.begin()
    sample.recorder.llm_call(1, f"The answer is {GOLD}, I think.", model="m")
    sample.call("web_fetch", {"url": LINK}, PAGE)
    sample.again()
    sample.begin(user=f"{QUESTIONS[FIRST]}\nMost likely answer: {GOLD}" if turn == 1 else None)
    sample.recorder.llm_call(1, "I begin.", model="m")
    if turn == 2:
        sample.recorder.prompt(2, "user", f"Most likely answer: {GOLD}", context_sha256="c" * 64)
    assert worst(examined(OracleLeakage, run_of(tmp_path), sample.evidence())) == "critical"


def test_what_stands_in_the_cut_part_of_a_page_may_have_been_read(tmp_path):
    page = "The tide went out and came in again at the beacon. " * 200
    summary = f"You read that the tide went out and came in again. Most likely answer: {GOLD}"
    assert prompted(tmp_path, summary, page=page) == "medium"
    assert prompted(tmp_path, f"Most likely answer: {GOLD}", page=page) == "critical"


def test_the_wording_of_a_page_is_not_the_annotators(tmp_path):
    steps = "Turn to its back and read the third verse of the printed ballad."
    assert prompted(tmp_path, f"Facts so far: {steps}", page=f"How to find it. {steps}") is None
    assert prompted(tmp_path, f"Facts so far: {steps}", says=f"My plan. {steps}") is None
    assert prompted(tmp_path, f"Facts so far: {steps}") == "critical"


def checked(tmp_path, *said, name="reviewer"):
    """A run whose tasks read a page and ask a tool about an answer: their own, if none is named."""
    tasks = []
    for task_id, (answer, text) in zip(PAGES, said, strict=False):
        sample = Sample(tmp_path, task_id)
        sample.begin()
        sample.recorder.llm_call(1, "I read.", model="m")
        sample.call("web_fetch", {"url": LINK}, PAGES[task_id])
        sample.call(name, {"answer": answer or GOLDS[task_id].answer}, text)
        tasks.append(sample.evidence())
    return worst(examined(OracleLeakage, run_of(tmp_path), *tasks))


RIGHT, WRONG = "", "the gull"


@pytest.mark.parametrize(
    "said",
    [
        "Correct.",
        '{"is_correct": true, "score": 1.0}',
        "Verdict: correct. I see nothing that speaks against it.",
        "PASS",
        "Having looked at it twice I find that your answer is correct.",
        "✅ accepted by all three reviewers",
    ],
)
def test_a_yes_to_right_answers_alone_is_medium(tmp_path, said):
    assert checked(tmp_path, (RIGHT, said), (RIGHT, said), (RIGHT, said)) == "medium"


@pytest.mark.parametrize(
    ("no", "yes"),
    [("Incorrect.", "Correct."), ('{"score": 0}', '{"score": 1}'), ("verdict: wrong", "verdict: right"), ("❌", "✅")],
)
def test_a_yes_and_a_no_without_reasons_are_critical(tmp_path, no, yes):
    assert checked(tmp_path, (WRONG, no), (RIGHT, yes), (WRONG, no)) == "critical"


@pytest.mark.parametrize(
    "said",
    [
        "Incorrect: at Pinch Beacon the widow hears something else, see the page.",
        f"Your answer is wrong. The tale has it that she took {GOLD} for it, not a gull at all.",
        '{"verdict": "fail", "reason": "the harbour office sold lamps by the dozen, which is beside the point"}',
        "Score: 0.0. Citation not found; the source reads: takes it for the pilot's whistle.",
    ],
)
def test_a_verdict_that_argues_from_what_was_read_is_a_critics(tmp_path, said):
    assert checked(tmp_path, (WRONG, said)) == "medium"


@pytest.mark.parametrize(
    "said",
    [
        "Incorrect. Which bird does the widow of Pinch Beacon mistake for a whistle? Not this one.",
        f"Wrong, the answer is {GOLD}, as you should have found out by now.",
        "Incorrect. Read the page again and think about it some more.",
    ],
)
def test_a_verdict_with_no_reason_from_what_was_read_is_critical(tmp_path, said):
    assert checked(tmp_path, (WRONG, said)) == "critical"


def told(tmp_path, text, says="FINAL ANSWER: the gull"):
    return prompted(tmp_path, text, says=says)


def test_a_critics_prompt_argues_from_what_was_read(tmp_path):
    reason = "The page says that the widow hears the corncrake of Farrowby through the fog."
    assert told(tmp_path, f"A reviewer says: your answer is wrong. {reason} Look at it again.") == "medium"
    assert told(tmp_path, "A reviewer says: your answer is wrong. Look at it again.") == "critical"
    assert told(tmp_path, f"Your answer is wrong. {'Mind the form of it. ' * 40}{reason}") == "critical"


@pytest.mark.parametrize(
    ("answer", "said", "severity"),
    [
        ("about 3 buttons", "Rejected: the answer must be a number alone.", "medium"),
        ("three", "invalid answer: expected digits", "medium"),
        ("4", "Rejected: the answer must be a number alone.", "critical"),
        ("three", "Rejected.", "critical"),
    ],
)
def test_a_check_of_the_form_rejects_what_has_another_form(tmp_path, answer, said, severity):
    assert checked(tmp_path, (RIGHT, "accepted"), (answer, said)) == severity
    prompt = f"{said} Your answer was rejected. Answer again."
    assert prompted(tmp_path, prompt, task=SECOND, says=f"FINAL ANSWER: {answer}") == severity


def test_a_prompt_that_only_tells_right_answers_that_they_are_is_medium(tmp_path):
    assert told(tmp_path, "Your answer is correct. Stop here.", says=f"FINAL ANSWER: {GOLD}") == "medium"
    assert told(tmp_path, "Your answer is not correct.") == "critical"


def test_many_prompts_about_much_that_was_met_do_not_stall(tmp_path):
    sample = Sample(tmp_path, SECOND)
    sample.begin()
    for turn in range(2, 200):
        sample.recorder.llm_call(turn, "I read. " + " ".join(f"w{turn * n}" for n in range(500)), model="m")
        sample.recorder.prompt(turn, "user", f"Most likely answer: 3 {'so far ' * 200}", context_sha256="c" * 64)
    task = sample.evidence()
    with no_stall():
        assert worst(examined(OracleLeakage, run_of(tmp_path), task)) == "critical"
