"""AUD-3: an answer in what was given, and verdicts on answers; and what honest runs have that looks like it."""

import base64
import codecs
import hashlib
import json
import tomllib
from importlib.resources import files

import msgspec
import pytest
from tool_samples import FIFTH, FIRST, FOURTH, GOLDS, QUESTIONS, SECOND, SYSTEM, THIRD, Sample, run_of

from counted_work import calls_of, no_stall
from gaia_harness.audit.findings import Check, Finding
from gaia_harness.audit.oracle_leakage import OracleLeakage
from gaia_harness.audit.oracle_leakage.reading import Question, Reading
from gaia_harness.audit.oracle_leakage.verdicts import Remark, weigh_remarks, weigh_silence
from gaia_harness.audit.timeline import Surroundings
from gaia_harness.protocol import OWN_ROLES
from gaia_harness.tasks.answers import Gold

FILE = "\n\nA file comes with this question: attachment.txt"
NOTES = (
    "The ferry office kept a book of every crossing, and the clerk wrote down who had paid. In the wet spring the "
    "pages stuck together, so that a curator had to part them with a bone knife over several evenings. "
)


def audited(
    folder,
    *samples: Sample,
    golds=GOLDS,
    around: Surroundings | None = None,
    with_file: str | None = None,
    right: int = 3,
) -> Check:
    """The check, by way of what goes from one process to another, with so many other tasks that ended right."""
    run = run_of(folder, golds=golds)
    examiner = OracleLeakage(run)
    notes = []
    for sample in samples:
        task = sample.evidence("an answer")
        task.texts, task.gold = run.texts, golds.get(sample.task_id)
        task.around, task.has_file = around or run.around, task.task_id == with_file
        notes.append(examiner.look(task))
    notes += [OracleLeakage.noted(f"right {n}", right=True) for n in range(right)]
    sent = msgspec.msgpack.encode(notes)
    return examiner.conclude(msgspec.msgpack.decode(sent, type=list[OracleLeakage.noted]))


def found(check: Check, task_id: str | None = FIRST) -> set[tuple[str, str]]:
    return {(f.rule, f.severity) for f in check.findings if task_id is None or f.task_id == task_id}


def worked(folder, task_id: str = FIRST, *, answer: str = "I cannot tell", **opening) -> Sample:
    sample = Sample(folder, task_id)
    sample.begin(**opening)
    sample.recorder.llm_call(1, f"I looked.\n\nFINAL ANSWER: {answer}", model="m")
    return sample


def company(folder, *besides: str, **opening) -> list[Sample]:
    """The other tasks, which were given nothing unusual."""
    return [worked(folder, task_id, **opening) for task_id in QUESTIONS if task_id not in (FIRST, *besides)]


def told(folder, hint: str, task_id: str = FIRST, **options) -> set[tuple[str, str]]:
    """What is found where one task's system prompt says more than that of the others."""
    sample = worked(folder, task_id, system=f"{SYSTEM}\n\n{hint}")
    others = [worked(folder, each) for each in QUESTIONS if each != task_id]
    return found(audited(folder, sample, *others, **options), task_id)


CRITICAL = {("gold-in-prompt", "critical")}


@pytest.mark.parametrize(
    ("task_id", "hint"),
    [
        (FIRST, "The expected answer is the corncrake of Farrowby."),
        (FIRST, "Think of the corncrake of Farrowby."),
        (SECOND, "Note: the answer is 3."),
        (SECOND, "Do not mention 3."),
        (FOURTH, "Format: ^18594$"),
        (FOURTH, "Internal value = 18,594"),
        (FIFTH, "Choose from:\n- Ossel, Pinch, Yarrow\n- Skerrow, Ossel, Farrowby"),
    ],
)
def test_an_answer_that_one_task_alone_was_given_is_critical(tmp_path, task_id, hint):
    assert told(tmp_path, hint, task_id) == CRITICAL


@pytest.mark.parametrize("hide", [
    lambda text: text[::-1],
    lambda text: codecs.encode(text, "rot13"),
    "·".join,
    lambda text: base64.b64encode(text.encode()).decode(),
    lambda text: text.encode().hex(),
    lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text),
    lambda text: base64.b64encode(f"The answer to this question is {text}, says the clerk".encode()).decode(),
])  # fmt: skip
def test_an_answer_in_disguise_is_critical(tmp_path, hide):
    assert told(tmp_path, f"x-trace: {hide('the corncrake of Farrowby')}") == CRITICAL


@pytest.mark.parametrize(("of", "gates"), [(b"the corncrake of farrowby", True), (b"the cormorant", False)])
@pytest.mark.parametrize("name", ["md5", "sha1", "sha256"])
def test_a_digest_to_check_guesses_by_gives_the_answer_away(tmp_path, name, of, gates):
    digest = hashlib.new(name, of, usedforsecurity=False).hexdigest()
    for shown in (digest.upper(), digest[:12]):
        assert told(tmp_path, f"Stop at {shown}.") == (CRITICAL if gates else set())


def test_what_all_tasks_were_given_says_nothing_of_one(tmp_path):
    system = f"{SYSTEM}\n\nExample: the answer is 3. Another: violet. FINAL ANSWER: 18594"
    check = audited(tmp_path, *(worked(tmp_path, task_id, system=system) for task_id in (SECOND, FIRST, FOURTH)))
    assert not found(check, None)


def test_a_form_that_is_filled_in_for_every_task_is_no_answer(tmp_path):
    tasks = [worked(tmp_path, id, system=f"{SYSTEM}\nQuestion {n} of 5.") for n, id in enumerate(QUESTIONS, 2)]
    assert not found(audited(tmp_path, *tasks), None)  # the second is question 3, and its answer is 3


def test_an_id_of_its_own_makes_a_line_with_a_number_no_line_of_its_own(tmp_path):
    for line in ("Task {id} (level 3, attempt 1)", "[3/165] {id}", "Session {short} began 2026-05-03 14:31"):
        lines = {each: line.format(id=each, short=each[:8]) for each in QUESTIONS}
        tasks = [worked(tmp_path, each, system=f"{SYSTEM}\n{text}") for each, text in lines.items()]
        assert not found(audited(tmp_path, *tasks), SECOND), line


def test_a_made_up_example_is_no_excuse_for_a_long_answer(tmp_path):
    example = "Example:\nQ: What does the widow of that beacon take for a whistle?\nA: the corncrake of Farrowby"
    user = f"{example}\n\n{QUESTIONS[FIRST]}"
    assert found(audited(tmp_path, worked(tmp_path, user=user), *company(tmp_path))) == CRITICAL


def test_a_long_page_of_the_first_attempt_excuses_no_hint_to_the_second(tmp_path):
    def told(page: str) -> set[tuple[str, str]]:
        sample = Sample(tmp_path)
        sample.begin()
        sample.call("web_fetch", {"url": "https://ossel.example"}, page)
        sample.recorder.llm_call(1, "FINAL ANSWER: a gull", model="m")
        sample.again()
        sample.begin(system=f"{SYSTEM}\n\nHint: the answer is the corncrake of Farrowby.")
        sample.recorder.llm_call(1, "FINAL ANSWER: the corncrake of Farrowby", model="m")
        return found(audited(tmp_path, sample, *company(tmp_path)))

    assert told("lamps and fog " * 2_000) == CRITICAL
    assert told("They hear the corncrake of Farrowby.") == set()


def test_choices_of_a_question_are_its_own_in_whatever_lines_they_stand(tmp_path):
    asked = f"{QUESTIONS[FIRST]}\n\n(a) a curlew\n(b) the corncrake of Farrowby\n(c) a gull"
    run = run_of(tmp_path)
    run.questions = QUESTIONS | {FIRST: asked}
    for text in (asked, asked.replace("\n\n", "\n"), asked.replace("\n", "\n    ")):
        task = worked(tmp_path, user=text).evidence("an answer")
        task.texts, task.gold, task.question = run.texts, GOLDS[FIRST], asked
        examiner = OracleLeakage(run)
        others = [OracleLeakage.noted(f"right {n}", right=True) for n in range(3)]
        assert not examiner.conclude([examiner.look(task), *others]).findings


# ---- error 3: files in the prompt, short answers in examples for other tasks, lists of a kind


def test_error_3_an_attachment_in_the_prompt_is_nothing(tmp_path):
    text = f"{QUESTIONS[FIRST]}{FILE}\n\nIts content:\n{NOTES}The widow hears the corncrake of Farrowby.\n{NOTES}"
    check = audited(tmp_path, worked(tmp_path, user=text), *company(tmp_path), with_file=FIRST)
    assert not found(check)
    in_base64 = text.replace(NOTES, base64.b64encode(NOTES.encode()).decode())
    assert not found(audited(tmp_path, worked(tmp_path, user=in_base64), *company(tmp_path), with_file=FIRST))


def test_error_3_code_in_the_prompt_that_names_a_value_announces_no_answer(tmp_path):
    code = "\n".join(f"def step_{n}(box):\n    if box.value == 3:\n        return box.lid" for n in range(9))
    text = f"{QUESTIONS[SECOND]}{FILE}\n\nPY content:\n{code}"
    check = audited(tmp_path, worked(tmp_path, SECOND, user=text), *company(tmp_path, SECOND))
    assert not found(check, SECOND)


def test_error_3_a_hint_beside_a_file_is_still_a_hint(tmp_path):
    text = f"{QUESTIONS[FIRST]}{FILE}\n\nThe expected answer is the corncrake of Farrowby."
    check = audited(tmp_path, worked(tmp_path, user=text), *company(tmp_path))
    assert ("gold-in-prompt", "critical") in found(check)


def test_error_3_a_short_answer_in_an_example_for_another_question_is_nothing(tmp_path):
    example = "Question: What colour has the door of the chapel at Ossel?\nFINAL ANSWER: violet"
    assert not told(tmp_path, example, THIRD)


def test_error_3_a_list_of_one_kind_is_no_list_of_answers(tmp_path):
    golds = GOLDS | {FIRST: Gold(answer="crimson"), FOURTH: Gold(answer="turquoise")}
    colours = "Colours: crimson, turquoise, violet, magenta, amber, ochre"
    tasks = [worked(tmp_path, task_id, system=f"{SYSTEM}\n\n{colours}") for task_id in QUESTIONS]
    assert not found(audited(tmp_path, *tasks, golds=golds), None)


# ---- error 5 and what was missed: memories


def test_error_5_single_digits_in_the_memory_of_other_tasks_are_no_answer(tmp_path):
    topics = {FIRST: "gulls", SECOND: "tides", THIRD: "ferns", FOURTH: "lamps", FIFTH: "boats"}
    tasks = [
        worked(tmp_path, task_id, system=f"{SYSTEM}\n\nMemory of {topic}:\nTask: How many {topic} did Ossel have?\n"
               f"Answer: {digit}\n{NOTES}")
        for (task_id, topic), digit in zip(topics.items(), "73912", strict=True)
    ]  # fmt: skip
    assert not found(audited(tmp_path, *tasks), SECOND)


def test_error_8_the_question_solved_in_a_memory_gates_even_with_one_digit(tmp_path):
    tasks = [
        worked(tmp_path, task_id, system=f"{SYSTEM}\n\nMemory:\nTask: {question}\nThought: easy.\nAnswer: {answer}")
        for task_id, question, answer in (
            (FIRST, "Who owns the inn?", "Pinch"),
            (SECOND, QUESTIONS[SECOND], "3"),
            (THIRD, "How many gulls?", "9"),
            (FOURTH, "How many boats?", "7"),
        )
    ]
    assert found(audited(tmp_path, *tasks), SECOND) == CRITICAL


@pytest.mark.parametrize("example", ["4. {}\n   -> 3", "<task>{}</task>\n<answer>3</answer>"])
def test_error_8_one_digit_as_the_answer_of_an_example_that_is_this_question_gates(tmp_path, example):
    other = example.replace("3", "9").format("How many boats did Ossel have in the year of the great fog?")
    shown = f"{SYSTEM}\n\nExamples:\n{other}\n{NOTES}"
    check = audited(
        tmp_path,
        worked(tmp_path, SECOND, system=f"{shown}\n{example.format(QUESTIONS[SECOND])}"),
        *company(tmp_path, SECOND, system=shown),
    )
    assert found(check, SECOND) == CRITICAL


def test_error_8_a_copy_that_a_retriever_found_is_known_by_its_beginning(tmp_path):
    asked = "How many brass buttons were missing from the harb..."  # as a list of examples cuts it
    other = "Q: How many boats did Ossel have in the year of the great fog?\nA: ?"
    shown = f"Similar examples of .png and .csv tasks:\nQ: {asked}\nA: 3\n{other}\n{NOTES}"
    others = [worked(tmp_path, id, system=f"{SYSTEM}\n\n{other}\n{NOTES}\nA: 3") for id in QUESTIONS if id != SECOND]
    check = audited(tmp_path, worked(tmp_path, SECOND, system=f"{SYSTEM}\n\n{shown}"), *others)
    assert found(check, SECOND) == CRITICAL


def test_error_5_an_example_for_another_question_right_behind_this_one_is_nothing(tmp_path):
    example = "Examples.\nQ: How many boats had Ossel?\nA: 3"
    text = f"{QUESTIONS[SECOND]}\n{example}\n{NOTES}"
    check = audited(tmp_path, worked(tmp_path, SECOND, user=text), *company(tmp_path, SECOND))
    assert ("gold-in-prompt", "critical") not in found(check, SECOND)


@pytest.mark.parametrize("key", ["Final answer", "target"])
@pytest.mark.parametrize("task_id", [FIRST, THIRD])
def test_the_row_of_a_task_in_its_prompt_is_critical_whatever_the_order_of_its_fields(
    tmp_path, monkeypatch, task_id, key
):
    asked = f'In "The Bell of Ossel", {QUESTIONS[task_id]}'
    monkeypatch.setitem(QUESTIONS, task_id, asked)
    for first in ("Question", key):
        row = {first: "", "Level": 2, "Question": asked, key: GOLDS[task_id].answer}
        text = f"{asked}\n\nTask record: {json.dumps(row)}"
        check = audited(tmp_path, worked(tmp_path, task_id, user=text), *company(tmp_path, task_id))
        assert ("gold-in-prompt", "critical") in found(check, task_id)


def test_an_example_asks_something(tmp_path):
    question = Question(QUESTIONS[THIRD])

    def asks_other(text: str) -> bool:
        reading = Reading(text)
        return question.asks_other(reading, 0, len(reading.pieces))

    assert asks_other("Question: What colour has the door of the chapel?\nFINAL ANSWER:")
    assert asks_other("What colour has the door of the chapel? Answer:")
    assert not asks_other("When you answer, be very brief. The answer:")
    assert not asks_other("Are you ready? The answer:")
    assert not asks_other("What is the right answer? It is this:")
    assert not asks_other(f"Task id: {THIRD}")
    assert not asks_other(f"What colour has the door of the chapel?\nTask: {QUESTIONS[THIRD]} Answer:")


@pytest.mark.parametrize(
    "hint",
    ["It must pass:\nassert found == '{}'", "<target value='{}'/>", "Confirm that {} is what it says.", "Key:\n{}"],
)
@pytest.mark.parametrize("on_the_way", [False, True])
def test_a_sentence_that_told_one_task_its_answer_tells_others_theirs(tmp_path, hint, on_the_way):
    golds = {
        FIRST: Gold(answer="20467"),
        SECOND: Gold(answer="3"),
        THIRD: Gold(answer="no"),
        FOURTH: Gold(answer="fern"),
    }
    told = {id: hint.format(gold.answer) for id, gold in golds.items()}

    def audited_as(name: str, told: dict[str, str]):
        folder = tmp_path / name
        folder.mkdir()
        if on_the_way:
            tasks = [later(folder, text, task_id=id) for id, text in told.items()]
        else:
            tasks = [worked(folder, id, user=f"{QUESTIONS[id]}\n\n{text}") for id, text in told.items()]
        check = audited(folder, *tasks, golds=golds, with_file=SECOND)
        return [found(check, id) & CRITICAL for id in golds]

    assert audited_as("same", told) == [CRITICAL] * 4
    # the same sentence with another word in that place tells nothing
    assert audited_as("other", told | {SECOND: hint.format(4)})[1] == set()


@pytest.mark.parametrize("asked", [QUESTIONS[FOURTH], "How many ferries went to Orrel in 1904?"])
def test_a_chat_that_shows_the_question_with_its_answer_gives_it_away(tmp_path, asked):
    samples = []
    for task_id in QUESTIONS:  # all are shown how to answer
        shown = (asked, "18594") if task_id == FOURTH else ("How many gulls nest on Skerrow?", "204")
        sample = Sample(tmp_path, task_id)
        sample.begin(user=shown[0])
        sample.recorder.prompt(1, "assistant", f"I counted.\n\nFINAL ANSWER: {shown[1]}", context_sha256="b" * 64)
        sample.recorder.prompt(1, "user", QUESTIONS[task_id], context_sha256="b" * 64)
        sample.recorder.llm_call(1, "FINAL ANSWER: 18594", model="m")
        samples.append(sample)
    expected = CRITICAL if asked == QUESTIONS[FOURTH] else set()
    assert found(audited(tmp_path, *samples), FOURTH) == expected


def test_choices_that_questions_offer_are_no_answers(tmp_path):
    golds = {FIRST: Gold(answer="whistle"), SECOND: Gold(answer="buttons"), THIRD: Gold(answer="fern")}
    said = 'The correct answer is one of: "whistle", "buttons", "fern".'
    tasks = [worked(tmp_path, id, user=f"{QUESTIONS[id]}\n\n{said}") for id in golds]
    assert not found(audited(tmp_path, *tasks, golds=golds), None)


def test_a_line_of_a_question_that_was_asked_in_other_words_is_no_answer_behind_it(tmp_path):
    begun = "How many brass buttons were missing from the"
    for said, gates in (("harbour master's coat", False), ("Answer: harbour master's coat", True)):
        tasks = [worked(tmp_path, SECOND, user=f"{begun} clothes?\n{said}"), *company(tmp_path, SECOND)]
        check = audited(tmp_path, *tasks, golds=GOLDS | {SECOND: Gold(answer="harbour master's coat")})
        assert (("gold-in-prompt", "critical") in found(check, SECOND)) is gates


def test_a_piece_is_looked_at_once_however_often_the_answer_stands_in_it(tmp_path, monkeypatch):
    looked, look = [], Question.asks_other
    monkeypatch.setattr(Question, "asks_other", lambda self, *where: looked.append(1) or look(self, *where))
    counts = []
    for many in (50, 500):
        looked.clear()
        audited(
            tmp_path, worked(tmp_path, SECOND, user=f"{QUESTIONS[SECOND]}\n{'3 ' * many}"), *company(tmp_path, SECOND)
        )
        counts.append(len(looked))
    assert counts[0] == counts[1] > 0


def test_what_stands_behind_the_question_in_every_prompt_solves_none(tmp_path):
    tasks = [worked(tmp_path, id, user=f"{QUESTIONS[id]}\nEnd like this. Final answer: 3") for id in QUESTIONS]
    assert not found(audited(tmp_path, *tasks), None)


# ---- lists for all


@pytest.mark.parametrize(("packed", "rule"), [(False, "answer-table"), (True, "gold-in-prompt")])
def test_a_list_of_the_answers_that_all_were_given_is_critical_for_each(tmp_path, packed, rule):
    listed = "; ".join(f"{n}) {gold.answer}" for n, gold in enumerate(GOLDS.values()))
    listed = base64.b64encode(listed.encode()).decode() if packed else listed
    system = f"{SYSTEM}\n\nPreferred forms: {listed}"
    check = audited(tmp_path, *(worked(tmp_path, task_id, system=system) for task_id in QUESTIONS))
    for task_id in QUESTIONS:
        assert (rule, "critical") in found(check, task_id)


@pytest.mark.parametrize("task_id", [SECOND, FIFTH])
@pytest.mark.parametrize("label", ["({})", "{}.", "[{}]", "{})"])
def test_options_with_the_answer_among_them_give_it_away_also_beside_a_file(tmp_path, task_id, label):
    def asked(task_id, *options):
        listed = "\n".join(f"{label.format(letter)} {option}" for letter, option in zip("ABCD", options, strict=False))
        return worked(tmp_path, task_id, user=f"{QUESTIONS[task_id]}{FILE}\n\nOne of these is right:\n{listed}")

    right = GOLDS[task_id].answer
    for options, gates in ((("41", right, "9"), True), (("41", "7", "9"), False), (("41", right), False)):
        check = audited(tmp_path, asked(task_id, *options), *company(tmp_path, task_id), with_file=task_id)
        assert (("gold-in-prompt", "critical") in found(check, task_id)) is gates, options
    every = ("9", "violet", right, "41")  # the same for all: some answers stand there by chance
    assert not found(audited(tmp_path, *(asked(each, *every) for each in QUESTIONS)), None)


# ---- the annotator's steps


def test_the_annotator_s_steps_are_critical_and_shared_advice_is_nothing(tmp_path):
    steps = GOLDS[FIRST].annotator_steps.split("\n", 1)[1]
    assert ("annotator-steps", "critical") in told(tmp_path, steps)
    tasks = [worked(tmp_path, task_id, system=f"{SYSTEM}\n\n{steps}") for task_id in QUESTIONS]
    assert not {rule for rule in found(audited(tmp_path, *tasks)) if rule[0] == "annotator-steps"}


MEMO = "Before you leave, put the wet nets on the north rail, lock the bait shed, and leave the key with Mrs Pinch."


def test_a_file_that_the_annotator_quotes_and_the_scaffold_puts_into_its_prompt_is_nothing(tmp_path):
    steps = f'Step 1: Play the recording.\nStep 2: Write down what it says:\n\n"{MEMO}"\n\nStep 3: Count the errands.'
    golds = {**GOLDS, FIRST: msgspec.structs.replace(GOLDS[FIRST], annotator_steps=steps)}
    assert not told(tmp_path, f"Transcript of the recording:\n{MEMO}", golds=golds)


def test_steps_in_the_wording_that_another_task_has_as_well_are_nothing(tmp_path):
    alike = {**GOLDS, THIRD: Gold(answer="violet", annotator_steps=GOLDS[FIRST].annotator_steps)}
    text = f"{QUESTIONS[FIRST]}\n{GOLDS[FIRST].annotator_steps}"
    samples = [worked(tmp_path, user=text), *company(tmp_path)]
    assert ("annotator-steps", "critical") in found(audited(tmp_path, *samples))
    assert not found(audited(tmp_path, *samples, golds=alike))


def test_the_phrases_of_an_annotator_in_an_example_of_another_task_are_nothing(tmp_path):
    first = "Step 1: Load the sound file that came with the question."
    second = "Step 2: Use tools for speech to text, turn the recording into words, and keep them for later."
    others = [
        f"Step {n}: Look up the {n}th keeper of the {n}th light in the harbour book of that year." for n in range(3, 13)
    ]
    golds = {**GOLDS, FIRST: msgspec.structs.replace(GOLDS[FIRST], annotator_steps="\n".join((first, second, *others)))}
    for example, gates in ((f"{first}\n{second}\nStep 3: Name the bird that sings.", False), ("\n".join(others), True)):
        check = audited(tmp_path, worked(tmp_path, FIRST, system=f"{SYSTEM}\n\n{example}"), golds=golds)
        assert (("annotator-steps", "critical") in found(check)) is gates


def test_steps_that_are_handed_out_one_at_a_time_are_critical(tmp_path):
    steps = (
        "1. Look up the ferry office in the county register.\n"
        "2. Open the book of crossings for the wet spring.\n"
        "3. Count the clerks who signed with a green pen that year."
    )
    golds = {**GOLDS, FIRST: msgspec.structs.replace(GOLDS[FIRST], annotator_steps=steps)}
    sample = Sample(tmp_path, FIRST)
    sample.begin()
    for turn, step in enumerate(steps.splitlines(), 1):
        sample.recorder.llm_call(turn, "I go on.", model="m")
        sample.recorder.prompt(turn + 1, "user", f"Next: {step[3:]}", context_sha256="a" * 64)
    sample.recorder.llm_call(9, "FINAL ANSWER: I cannot tell", model="m")
    assert ("annotator-steps", "critical") in found(audited(tmp_path, sample, *company(tmp_path), golds=golds))


def test_the_question_in_a_list_of_chats_with_its_answer_is_critical(tmp_path):
    shown = f"Examples:\n\nUSER: Who keeps the light?\nASSISTANT: nobody\n\nUSER: {QUESTIONS[FOURTH]}\nASSISTANT: 18594"
    assert told(tmp_path, f"{NOTES * 3}\n\n{shown}\n\n{NOTES}", FOURTH) >= CRITICAL


def test_the_first_prompt_of_a_log_counts_behind_the_first_words_too(tmp_path):
    sample = Sample(tmp_path, FOURTH)
    sample.recorder.llm_call(1, "This is a simple one.", model="m")
    sample.begin(system=f"{SYSTEM}\n\n{NOTES * 5}\n\nNote: the answer is 18594.")
    sample.recorder.llm_call(2, "FINAL ANSWER: 18594", model="m")
    others = [worked(tmp_path, each) for each in QUESTIONS if each != FOURTH]
    assert found(audited(tmp_path, sample, *others), FOURTH) >= CRITICAL


def test_an_answer_in_a_small_file_that_stands_in_the_prompt_is_nothing(tmp_path):
    file = "attachment.csv:\nribbon,colour\nfirst,violet\nsecond,umber"
    assert told(tmp_path, file, THIRD) == CRITICAL
    assert not told(tmp_path, file, THIRD, with_file=THIRD)
    assert told(tmp_path, "Note: the answer is violet.", THIRD, with_file=THIRD) == CRITICAL


# ---- within an attempt


def later(
    folder, remark: str, *, heard: str = "nothing of note", answer="the curlew {}", task_id: str = FIRST
) -> Sample:
    sample = Sample(folder, task_id)
    answer = answer.format([*QUESTIONS].index(task_id))  # no two alike
    sample.begin()
    sample.recorder.llm_call(1, "I search.", model="m")
    sample.call("web_fetch", {"url": "https://ossel.example"}, heard)
    sample.recorder.llm_call(2, f"So be it.\n\nFINAL ANSWER: {answer}", model="m")
    sample.recorder.prompt(3, "user", remark, context_sha256="a" * 64)
    sample.recorder.llm_call(3, "FINAL ANSWER: something else", model="m")
    return sample


def test_a_first_prompt_that_a_log_has_late_may_show_what_was_said_before(tmp_path):
    def late(*words: str) -> set[tuple[str, str]]:
        sample = Sample(tmp_path, THIRD)
        for word in words:
            sample.recorder.llm_call(1, f"final_answer = '{word}'", model="m")
        sample.recorder.prompt(1, "user", "This is no JSON: final_answer = 'violet'", context_sha256="a" * 64)
        sample.recorder.llm_call(2, "FINAL ANSWER: violet", model="m")
        return found(audited(tmp_path, sample, *company(tmp_path, THIRD)), THIRD)

    assert late("crimson") == {("gold-in-prompt", "critical")}
    assert late("crimson", "violet") == set()


def remarked_once(folder, remark: str, **options) -> set[tuple[str, str]]:
    return found(audited(folder, later(folder, remark, **options), *company(folder)))


def remarked(folder, remark: str, *, golds=GOLDS, **options) -> set[tuple[str, str]]:
    """What is found on a task where four are told this."""
    told_too = [SECOND, THIRD, FOURTH]
    tasks = [later(folder, remark, **options), *(later(folder, remark, task_id=each) for each in told_too)]
    return found(audited(folder, *tasks, *company(folder, *told_too), golds=golds))


@pytest.mark.parametrize(("many", "severity"), [(3, "medium"), (4, "critical")])
def test_a_few_verdicts_agree_with_the_gold_by_luck(tmp_path, many, severity):
    told_so = list(QUESTIONS)[:many]
    tasks = [later(tmp_path, "That is wrong. Try again.", task_id=each) for each in told_so]
    check = audited(tmp_path, *tasks, *(worked(tmp_path, each) for each in QUESTIONS if each not in told_so))
    assert found(check) == {("verdict-fed-back", severity)}


def test_who_says_no_where_no_answer_is_right_or_to_what_is_no_answer_may_not_know_the_gold(tmp_path):
    def told_four(answer: str, right: int) -> set[tuple[str, str]]:
        tasks = [later(tmp_path, "That answer is wrong.", answer=answer, task_id=each) for each in QUESTIONS]
        return found(audited(tmp_path, *tasks, right=right))

    assert told_four("the curlew {}", 3) == {("verdict-fed-back", "critical")}
    assert told_four("the curlew {}", 2) == {("verdict-fed-back", "medium")}
    assert told_four("Unable to determine", 3) == {("verdict-fed-back", "medium")}


def test_a_remark_with_the_answer_of_another_solver_argues(tmp_path):
    def told_four(said: str) -> set[tuple[str, str]]:
        tasks = []
        for task_id in (FIRST, SECOND, THIRD, FOURTH):
            first = Sample(tmp_path, task_id)
            first.begin()
            first.call("web_fetch", {"url": "https://ossel.example"}, "nothing of note")
            first.recorder.llm_call(1, "FINAL ANSWER: seven herons", model="m")
            first.recorder.llm_call(2, f"FINAL ANSWER: the curlew {task_id[:4]}", model="m")
            first.recorder.prompt(3, "user", f"That answer is wrong: {said}.", context_sha256="a" * 64)
            first.recorder.llm_call(3, "FINAL ANSWER: something else", model="m")
            tasks.append(first)
        return found(audited(tmp_path, *tasks))

    assert told_four("think again") == {("verdict-fed-back", "critical")}
    assert told_four("it is seven herons") == {("verdict-fed-back", "medium")}


def test_who_lets_more_wrong_answers_pass_than_were_judged_rightly_does_not_know_the_gold(tmp_path):
    told_too = [worked(tmp_path, each) for each in (FIFTH,)]
    tasks = [later(tmp_path, "That answer is wrong.", task_id=each) for each in (FIRST, SECOND, THIRD, FOURTH)]
    wrong = [worked(tmp_path, each) for each in (FIFTH,) * 4]
    assert found(audited(tmp_path, *tasks, *told_too)) == {("verdict-fed-back", "critical")}
    assert found(audited(tmp_path, *tasks, *told_too, *wrong)) == {("verdict-fed-back", "medium")}


def test_an_answer_that_was_submitted_by_a_tool_may_be_judged(tmp_path):
    tasks = []
    for number, task_id in enumerate((FIRST, SECOND, THIRD, FOURTH)):
        sample = Sample(tmp_path, task_id)
        sample.begin()
        sample.recorder.llm_call(1, "I hand it in.", model="m")
        sample.call("final_answer", {"answer": f"the curlew {number}"}, "Noted.")
        sample.recorder.prompt(2, "user", "That answer is wrong. Try again.", context_sha256="a" * 64)
        sample.recorder.llm_call(2, "So be it.", model="m")
        tasks.append(sample)
    around = Surroundings(tools={"final_answer": "answer"})
    assert found(audited(tmp_path, *tasks, around=around)) == {("verdict-fed-back", "critical")}


@pytest.mark.parametrize("on_the_way", [False, True])
def test_what_one_prompt_of_another_program_s_log_says_may_be_a_helper_s_word(tmp_path, on_the_way):
    def told(many: int, *, imported: bool) -> set[tuple[str, str]]:
        tasks = []
        for task_id in [FIRST, FOURTH][:many]:
            said = f"A helper is done. Result: {GOLDS[task_id].answer}"
            if on_the_way:
                tasks.append(later(tmp_path, said, task_id=task_id))
            else:
                tasks.append(worked(tmp_path, task_id, user=f"{said}\n\n{QUESTIONS[task_id]}"))
        around = Surroundings(tools=OWN_ROLES, imported=imported)
        check = audited(tmp_path, *tasks, *company(tmp_path, FOURTH), around=around)
        return {each for each in found(check) if each[0] == "gold-in-prompt"}

    assert told(1, imported=True) == {("gold-in-prompt", "medium")}
    assert told(1, imported=False) == told(2, imported=True) == CRITICAL


def test_that_an_earlier_answer_was_judged_is_medium_in_another_program_s_log(tmp_path):
    hint = "Your previous answer was rejected: it is wrong."
    for imported, severity in ((True, "medium"), (False, "critical")):
        around = Surroundings(tools=OWN_ROLES, imported=imported)
        assert told(tmp_path, hint, around=around) == {("verdict-fed-back", severity)}


def test_an_attempt_that_failed_for_another_reason_was_not_judged(tmp_path):
    assert not told(tmp_path, "Your previous attempt failed before giving an answer: ReadTimeout after 90 s.")
    assert told(tmp_path, "Your previous answer failed: it was judged wrong.") == {("verdict-fed-back", "critical")}


def test_common_words_and_small_numbers_of_a_long_prompt_are_no_list_of_answers(tmp_path):
    golds = {
        each: Gold(answer=answer)
        for each, answer in zip(QUESTIONS, ("citations", "100", "inference", "7", "x"), strict=True)
    }
    system = f"{SYSTEM} Use at most 100 calls. Give citations. Say which step is an inference."
    check = audited(tmp_path, *(worked(tmp_path, each, system=system) for each in QUESTIONS), golds=golds)
    assert not [each for each in check.findings if each.rule == "answer-table"]


def test_who_speaks_in_a_transcript_is_no_option(tmp_path):
    said = "A: Where is it?\nB: 3\nC: No, further out."
    text = f"{QUESTIONS[SECOND]}{FILE}\n\n{said}"
    assert not found(
        audited(tmp_path, worked(tmp_path, SECOND, user=text), *company(tmp_path, SECOND), with_file=SECOND), SECOND
    )


@pytest.mark.parametrize(
    ("asked_again", "stood", "medium"),
    [((False,) * 4, (True,) * 4, True), ((False,) * 3, (True,) * 9, False), ((False,) * 4, (True, False) * 5, False),
     ((False, True) * 4, (True,) * 4, False)],
    ids=["the wrong alone", "few", "wrong ones stand, too", "whoever it is"],
)  # fmt: skip
def test_who_asks_again_only_where_the_answer_is_wrong_knows_the_gold(asked_again, stood, medium):
    asked = Finding(severity="medium", rule="verdict-fed-back", summary="Are you sure?")
    remarks = [Remark(asked, right) for right in asked_again]
    assert bool(list(weigh_silence(remarks, stood))) is medium
    assert not list(weigh_remarks(remarks))


def test_a_sentence_for_all_that_lists_all_there_is_tells_nobody_s_answer(tmp_path):
    metals = ("bismuth", "osmium", "thorium", "erbium")
    golds = {task_id: Gold(answer=metal) for task_id, metal in zip(QUESTIONS, metals, strict=False)}
    for more, gates in (("lead zinc brass iron copper platinum pewter cobalt nickel bronze", False), ("zinc", True)):
        system = f"{SYSTEM}\n\nMetals: bismuth osmium thorium erbium {more} tin"
        check = audited(tmp_path, *(worked(tmp_path, each, system=system) for each in golds), golds=golds)
        assert bool(CRITICAL & found(check)) is gates


def test_a_solver_who_came_to_another_answer_is_no_oracle(tmp_path):
    tasks = []
    for task_id in (FIRST, SECOND, THIRD, FOURTH):
        sample = worked(tmp_path, task_id, answer="the curlew")
        sample.recorder.prompt(2, "user", "You are solver B. Answer on your own.", context_sha256="a" * 64)
        sample.recorder.llm_call(2, "FINAL ANSWER: the heron", model="m")
        sample.recorder.prompt(3, "user", "Solver B: incorrect answer, I got the heron.", context_sha256="a" * 64)
        sample.recorder.llm_call(3, "FINAL ANSWER: the heron", model="m")
        tasks.append(sample)
    assert found(audited(tmp_path, *tasks)) == {("verdict-fed-back", "medium")}


def test_a_long_file_in_an_opening_is_read_line_by_line(tmp_path):
    rows = "\n".join(f"{n},row of the ledger,{n * 7}" for n in range(450))
    story = "She had already left the hall.\nThe pupil said that the answer is wrong and sat down."
    assert not told(tmp_path, f"{rows}\n{story}")


def test_an_opening_may_tell_what_an_earlier_attempt_came_to(tmp_path):
    answer = GOLDS[FIRST].answer
    met = f"I met {answer}, and it is the curlew.\n\nFINAL ANSWER: the curlew"
    for said, gates in ((answer, False), (met, False), ("the curlew", True)):
        sample = worked(tmp_path, answer=said)
        sample.again()
        sample.begin(user=f"{QUESTIONS[FIRST]}\n\nAn earlier attempt came to {answer}.")
        sample.recorder.llm_call(1, "FINAL ANSWER: I cannot tell", model="m")
        assert bool(CRITICAL & found(audited(tmp_path, sample, *company(tmp_path)))) is gates


def test_a_remark_that_has_the_answer_is_critical_unless_the_attempt_had_met_it(tmp_path):
    remark = "Reminder: the answer on file is the corncrake of Farrowby."
    assert ("gold-in-prompt", "critical") in remarked_once(tmp_path, remark)
    summary = "Summary so far: the widow hears the corncrake of Farrowby."
    assert ("gold-in-prompt", "critical") in remarked_once(tmp_path, summary)
    assert not CRITICAL & remarked_once(tmp_path, summary, heard="Here sings the corncrake of Farrowby at night.")
    assert not CRITICAL & remarked_once(tmp_path, summary, answer="the corncrake of Farrowby")


def test_in_a_loop_that_is_all_text_prompts_may_be_what_tools_gave_back(tmp_path):
    seen = "Observation: the page of Ossel names the corncrake of Farrowby."
    sample = Sample(tmp_path, FIRST)
    sample.begin()
    sample.recorder.llm_call(1, "Action: search[Ossel]", model="m")
    sample.recorder.prompt(2, "user", seen, context_sha256="a" * 64)
    sample.recorder.llm_call(2, "FINAL ANSWER: the corncrake of Farrowby", model="m")
    assert not found(audited(tmp_path, sample, *company(tmp_path)))
    assert CRITICAL & remarked_once(tmp_path, seen)  # where tools are on record


@pytest.mark.parametrize("remark", [
    "It appears that the grader rejected your answer.", "The checker says it seems incorrect.",
    "Your answer is incorrect. Try again.", "Evaluation: WRONG.", "Score: 0. Another attempt.", "Not quite right.",
    "The grader did not accept it; the reference is something else.", "Match with the reference: 0.16.",
    "That does not match the reference answer.", "Falsch.", "assert matches(answer, reference) failed",
    "This isn't right.", "Close, but no.", "The answer key disagrees.", "Correctness: 0", "The official one differs.",
])  # fmt: skip
def test_a_verdict_behind_a_wrong_answer_is_critical(tmp_path, remark):
    assert ("verdict-fed-back", "critical") in remarked(tmp_path, remark)


@pytest.mark.parametrize("remark", [
    "Are you sure? Check whether your answer is wrong.",
    "This is sent after every answer, right or wrong.",
    "Your reply has the wrong format: no final answer was found.",
    "The last search returned no results. Try another query.",
    "No page that you opened says so: your answer is probably incorrect.",
    "That is not quite what I asked for: give a number, and use no bullet points.",
    "The expected answer is a number. You have not used any tool yet.",
    "The answer is wrong, for the clerk wrote down who had paid in the wet spring.",
])  # fmt: skip
def test_a_question_of_form_a_doubt_or_an_argument_from_what_was_read_is_no_verdict(tmp_path, remark):
    assert ("verdict-fed-back", "critical") not in remarked(tmp_path, remark, heard=NOTES)


@pytest.mark.parametrize(("remark", "answered"), [
    ('{"request_done": {"why": "The page was read.", "answer": false}, "next": "Surfer"}', False),
    ('{"request_done": {"why": "The page was read.", "answer": false}, "next": "Surfer"}', True),
    ("Ledger: the answer that the almanac gives is wrong, so the plan goes on with the harbour book.", False),
])  # fmt: skip
def test_the_state_of_the_work_is_no_verdict(tmp_path, remark, answered):
    sample = Sample(tmp_path, FIRST)
    sample.begin()
    sample.recorder.llm_call(1, "I search." + "\n\nFINAL ANSWER: the curlew" * answered, model="m")
    sample.call("web_fetch", {"url": "https://ossel.example"}, "nothing of note")
    sample.recorder.prompt(2, "user", remark, context_sha256="a" * 64)
    sample.recorder.llm_call(2, "FINAL ANSWER: something else", model="m")
    assert not found(audited(tmp_path, sample, *company(tmp_path)))


def test_error_2_a_critic_that_is_mistaken_now_and_then_has_no_gold(tmp_path):
    wrong = later(tmp_path, "Verdict: wrong. Look again.")
    right = later(tmp_path, "Verdict: wrong. Look again, please.", answer="violet", task_id=THIRD)
    check = audited(tmp_path, wrong, right)
    assert found(check) == {("verdict-fed-back", "medium")}


@pytest.mark.parametrize(
    ("tool", "wrong", "no", "yes", "expected"),
    [
        ("check_answer", "a gull", "Incorrect.", "Correct!", {("verdict-fed-back", "critical")}),
        ("check_answer", "a gull", '{"ok": false}', '{"ok": true}', {("verdict-fed-back", "critical")}),
        (
            "step",
            "a gull",
            '{"reward": 0.0, "cut": false}',
            '{"reward": 10.0, "cut": false}',
            {("verdict-fed-back", "critical")},
        ),
        ("step", "a gull", '{"is_right": false}', '{"is_right": true}', {("verdict-fed-back", "critical")}),
        ("python", "a gull", "graded as wrong", "graded as correct", {("verdict-fed-back", "critical")}),
        ("python", "a gull", "False", "True", set()),  # as any code may say
        ("check_answer", "a gull", "❌ Try again.", "✅ Done.", {("verdict-fed-back", "critical")}),
        ("hand_in", "a gull", "Not quite.", "Right! This is closed now.", {("verdict-fed-back", "critical")}),
        ("hand_in", "a gull", "That is not it.", "That is it.", {("verdict-fed-back", "critical")}),
        (
            "try",
            "a gull",
            "Similarity to the reference: 0.17.",
            "Similarity to the reference: 1.00.",
            {("verdict-fed-back", "critical")},
        ),
        ("check_answer", "a gull", "Incorrect.", "Thank you.", set()),  # as a check of form says it, too
        ("python", "a gull, graded", "graded as wrong", "graded as correct", set()),  # in words of the agent's own
        ("check_answer", "a gull", "Correct!", "Correct!", set()),
        ("check_answer", "perhaps {}", "Incorrect.", "Correct!", set()),  # the same answer in another form
    ],
)
def test_a_tool_that_tells_right_from_wrong_is_critical(tmp_path, tool, wrong, no, yes, expected):
    samples = []
    for at, task_id in enumerate((FIRST, THIRD, FOURTH)):
        sample = Sample(tmp_path, task_id)
        sample.begin()
        sample.recorder.llm_call(1, "Is it this?", model="m")
        tried = f"{wrong} {at}" if wrong == "a gull" else wrong.format(GOLDS[task_id].answer)  # no two alike
        sample.call(tool, {"task": "the one", "tried": tried}, no)
        more = wrong.partition(",")[2]
        sample.call(tool, {"task": "the one", "tried": GOLDS[task_id].answer, "more": more}, yes)
        samples.append(sample)
    assert found(audited(tmp_path, *samples), None) == expected
    assert not found(audited(tmp_path, *samples[:2]), None)  # twice may be an accident


def test_what_a_tool_refused_in_several_tasks_counts_once(tmp_path):
    def answered(tried: str) -> set[tuple[str, str]]:
        samples = []
        for task_id in (FIRST, THIRD, FOURTH, FIFTH):
            sample = Sample(tmp_path, task_id)
            sample.begin()
            sample.call("hand_in", {"answer": tried.format(task_id[:4])}, "Incorrect.")
            sample.call("hand_in", {"answer": GOLDS[task_id].answer}, "Correct.")
            samples.append(sample)
        return found(audited(tmp_path, *samples), None)

    assert answered("the gull {}") == {("verdict-fed-back", "critical")}
    assert answered("Unable to determine") == set()


@pytest.mark.parametrize(
    ("sent", "no", "yes"),
    [
        ("{} == 12 * 7", "False", "True"),  # a calculator
        ("The widow names {}.", "False", "True"),  # a claim, which a source bears out
        ("{}", "No match.", "1 record found, see entry 123."),
        ("{}", "Rejected: not in any page that you have read.", "Found in page 1."),
    ],
)
def test_tools_that_look_something_up_or_work_it_out_are_no_oracles(tmp_path, sent, no, yes):
    samples = []
    for task_id in (FIRST, THIRD, FOURTH, FIFTH):
        sample = Sample(tmp_path, task_id)
        sample.begin()
        sample.recorder.llm_call(1, "I see.", model="m")
        sample.call("consult", {"entry": sent.format("a gull")}, no)
        sample.call("consult", {"entry": sent.format(GOLDS[task_id].answer)}, yes)
        samples.append(sample)
    assert not found(audited(tmp_path, *samples), None)


def test_who_finds_fault_with_every_answer_has_no_gold(tmp_path):
    remark = "I think that your answer is wrong. Look again."
    wrong = [later(tmp_path, remark, task_id=task_id) for task_id in (FIRST, SECOND, FOURTH, FIFTH)]
    right = later(tmp_path, remark, answer="violet", task_id=THIRD)
    assert found(audited(tmp_path, *wrong, *wrong, *wrong, right), None) == {("verdict-fed-back", "medium")}


def test_a_format_note_that_all_get_behind_their_question_is_no_answer(tmp_path):
    note = "\n".join(("Answer format:", "- Give a number.", "- No units.", "- No articles.", "- Write digits plainly."))
    tasks = [
        worked(tmp_path, id, user=f"{QUESTIONS[id]}\n\n{note}\n\nExample of a correct answer: 3") for id in QUESTIONS
    ]
    assert not found(audited(tmp_path, *tasks), None)


def test_the_number_of_an_item_in_a_list_is_no_answer(tmp_path):
    tasks = [
        worked(tmp_path, id, system=f"{SYSTEM}\n1. Do as a student of {word} does.\n2. Be brief.\n3. Reply.")
        for id, word in zip(QUESTIONS, ("birds", "coats", "ferns", "lamps", "boats"), strict=True)
    ]
    assert not found(audited(tmp_path, *tasks), None)  # the answer of the second is 3


def test_a_number_is_known_by_the_word_that_announces_it(tmp_path):
    tasks = [worked(tmp_path, id, system=f"{SYSTEM}\nMost steps: 20\nAnswer: {GOLDS[id].answer}") for id in QUESTIONS]
    assert {id for id in QUESTIONS if found(audited(tmp_path, *tasks), id)} == {*QUESTIONS}


def test_a_table_in_a_file_that_stands_in_the_prompt_is_no_list_of_answers(tmp_path):
    rows = "\n".join(f"{n}; {gold.answer}; paid" for n, gold in enumerate(GOLDS.values()))
    text = f"{QUESTIONS[FIRST]}{FILE}\n\nIts content:\n{NOTES * 3}\n{rows}"
    sample = worked(tmp_path, user=text)
    assert not found(audited(tmp_path, sample, *company(tmp_path), with_file=FIRST))
    assert ("answer-table", "critical") in found(audited(tmp_path, sample, *company(tmp_path)))


def test_error_7_a_long_prompt_within_an_attempt_is_that_of_another_agent(tmp_path):
    handed = f"You are a critic. If the answer is wrong, say so. That is wrong. {NOTES * 4}"
    assert found(audited(tmp_path, later(tmp_path, handed), *company(tmp_path))) == set()


def test_the_next_attempt_that_is_told_the_verdict_is_critical(tmp_path):
    sample = worked(tmp_path, answer="the curlew")
    sample.again()
    sample.begin()
    sample.recorder.prompt(1, "user", "An earlier attempt was marked incorrect.", context_sha256="a" * 64)
    sample.recorder.llm_call(1, "FINAL ANSWER: a gull", model="m")
    assert ("verdict-fed-back", "critical") in found(audited(tmp_path, sample, *company(tmp_path)))


def test_lines_about_earlier_answers_in_one_opening_are_critical_and_lessons_for_all_are_not(tmp_path):
    assert ("verdict-fed-back", "critical") in told(tmp_path, "Previous attempt: the curlew -> score 0. Improve on it.")
    assert not told(tmp_path, "Lesson from practice: the first answer was wrong because of a unit.")


def test_a_number_in_lessons_for_all_that_are_about_earlier_answers_is_no_answer(tmp_path):
    lessons = "1. Last time the answer was marked wrong for its unit.\n2. Open the page.\n3. Check two."
    tasks = [worked(tmp_path, id, system=f"{SYSTEM}\n\n{lessons}") for id in QUESTIONS]
    assert not {rule for rule in found(audited(tmp_path, *tasks), SECOND) if rule[0] == "gold-in-prompt"}


def test_after_very_many_prompts_an_answer_that_the_model_found_is_none_that_it_was_given(tmp_path):
    sample = Sample(tmp_path)
    sample.begin()
    sample.recorder.llm_call(1, "I found the corncrake of Farrowby.", model="m")
    for turn in range(2, 90):
        sample.recorder.prompt(turn, "user", f"Go on with page {turn}.")
        sample.recorder.llm_call(turn, "I read on.", model="m")
    sample.recorder.prompt(90, "user", "So far you have found the corncrake of Farrowby.")
    sample.recorder.llm_call(90, "FINAL ANSWER: the corncrake of Farrowby", model="m")
    assert not found(audited(tmp_path, sample, *company(tmp_path)))


def test_a_reminder_that_all_tasks_get_on_their_way_is_no_answer(tmp_path):
    samples = [worked(tmp_path, task_id) for task_id in QUESTIONS]
    for sample in samples:
        sample.recorder.prompt(2, "user", "Remember the form, as in FINAL ANSWER: violet")
        sample.recorder.llm_call(2, "FINAL ANSWER: I cannot tell", model="m")
    assert not found(audited(tmp_path, *samples), THIRD)


def test_the_same_words_of_one_step_in_two_attempts_are_still_of_one(tmp_path):
    read = "Find the 1911 ferry timetable in the Skerrow town archive; turn to its back and see."
    samples = [worked(tmp_path, user=f"{QUESTIONS[FIRST]}\n{read}")]
    samples[0].again()
    samples[0].begin(user=f"{QUESTIONS[FIRST]}\nAgain. {read}")
    samples[0].recorder.llm_call(1, "FINAL ANSWER: a tern", model="m")
    assert ("annotator-steps", "critical") not in found(audited(tmp_path, *samples, *company(tmp_path)))


def test_an_opening_that_differs_by_its_digits_alone_is_read(tmp_path):
    sample = Sample(tmp_path, FOURTH)
    sample.begin(system=f"{SYSTEM}\nThe answer is 42.", user=QUESTIONS[FOURTH])
    sample.recorder.prompt(1, "user", "The answer is 18594.")
    sample.recorder.llm_call(1, "FINAL ANSWER: 18594", model="m")
    assert found(audited(tmp_path, sample, *company(tmp_path, FOURTH)), FOURTH) >= CRITICAL


def test_a_line_on_earlier_answers_that_all_were_given_is_nothing_however_its_lines_end(tmp_path):
    line = "You are new here.\rPrevious attempt: the curlew -> score 0. Improve on it."
    tasks = [worked(tmp_path, id, system=f"{SYSTEM}\n\n{line}") for id in QUESTIONS]
    assert not found(audited(tmp_path, *tasks))


def test_an_answer_far_below_hides_none_above(tmp_path):
    text = "The answer is 18,594.\n" + "So it goes.\n" * 2_100 + "And 18594 again."
    assert told(tmp_path, text, FOURTH) >= CRITICAL


def test_a_remark_on_a_reply_without_an_answer_is_nothing(tmp_path):
    sample = Sample(tmp_path)
    sample.begin()
    sample.recorder.llm_call(1, "From all that I have read it seems to be a gull.", model="m")
    remark = "Your answer was rejected: it must stand inside the tags."
    sample.recorder.prompt(2, "user", remark, context_sha256="a" * 64)
    sample.recorder.llm_call(2, "FINAL ANSWER: a gull", model="m")
    assert found(audited(tmp_path, sample, *company(tmp_path))) == set()


def test_a_verdict_is_medium_where_nobody_knows_the_answers(tmp_path):
    assert remarked(tmp_path, "That is wrong. Try again.") == {("verdict-fed-back", "critical")}
    assert remarked(tmp_path, "That is wrong. Try again.", golds={}) == {("verdict-fed-back", "medium")}


# ---- what is not there


def test_gaps_are_said_and_make_a_skip(tmp_path):
    run = run_of(tmp_path, golds={}, dataset=False)
    assert OracleLeakage(run).conclude([]).harness_gap == "the answers are not at hand"


def test_no_finding_shows_the_answer(tmp_path):
    check = audited(tmp_path, worked(tmp_path, system=f"{SYSTEM}\n\nIt is the corncrake of Farrowby."),
                    later(tmp_path, "Wrong: it is violet.", task_id=THIRD))  # fmt: skip
    assert check.findings
    for finding in check.findings:
        assert "corncrake" not in f"{finding.summary}{finding.excerpt}"
        assert "violet" not in f"{finding.summary}{finding.excerpt}"


def test_every_rule_is_described():
    told = tomllib.loads(files("gaia_harness.audit").joinpath("rules/aud-3.toml").read_text("utf-8"))
    source = files("gaia_harness.audit.oracle_leakage").joinpath("reader.py").read_text("utf-8")
    assert set(told) == {rule for rule in told if f'"{rule}"' in source}
    for rule in told.values():
        assert set(rule) == {"severities", "means", "sign", "honest"}


# ---- hostile input


def test_work_grows_with_the_text_alone():
    small, large = ("the answer is 3, violet and 18594. " * count for count in (100, 1_000))
    assert calls_of(lambda: Reading(large).keys) <= 12 * calls_of(lambda: Reading(small).keys)


def test_very_many_remarks_do_not_stall(tmp_path):
    sample = Sample(tmp_path)
    sample.begin()
    for turn in range(2, 1_500):
        sample.recorder.llm_call(turn, f"FINAL ANSWER: gull {turn}", model="m")
        sample.recorder.prompt(
            turn, "user", f"Your answer {turn} is wrong, it is 3, says row {turn}.", context_sha256="a" * 64
        )
    with no_stall():
        check = audited(tmp_path, sample)
    assert ("verdict-fed-back", "critical") in found(check)


@pytest.mark.parametrize(
    "text", ["\ue000\ue001", "\x00" * 9, "\ud800", "%%%%%%%%%", "\\u12 &#", "=" * 99, "answer " * 9]
)
def test_odd_texts_are_read(text):
    reading = Reading(text)
    assert len(reading.keys) == len(reading.pieces)
    assert reading.hidden is not None


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", set()),
        ("The answer is ribbon.", CRITICAL),
    ],
)
def test_a_question_that_holds_its_answer_may_be_said_again(tmp_path, more, expected):
    """A plan for other agents has the question in parts; what stands before the answer there announces nothing."""
    golds = {**GOLDS, THIRD: Gold(answer="ribbon"), SECOND: Gold(answer="brass")}
    plan = "Task: find out what colour was the ribbon that the curator tied around.\nSteps: look for the fern."
    again = f"{QUESTIONS[THIRD]}\n\n{plan}\n{more}"
    sample = worked(tmp_path, THIRD, user=again)
    others = [worked(tmp_path, each) for each in QUESTIONS if each != THIRD]
    assert found(audited(tmp_path, sample, *others, golds=golds), THIRD) == expected
