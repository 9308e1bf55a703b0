"""Answers and golds that were changed after the run."""

import hashlib
import random
from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.protocol import final_answer
from gaia_harness.records.masks import MASKED
from redteam.batches import DEVELOPMENT, FIRST_TEST, FOURTH_SEALED, SECOND_TEST, SECOND_UNUSUAL
from redteam.cases.records.attacks.no_work import Line
from redteam.script import Attempt, Edit, Opinion, TaskScript, Turn, with_changes
from redteam.solving import honest_script, wrong_answer
from redteam.variants import Build, any_check, attack, each
from redteam.world import LabTask


def _now_right(task: LabTask) -> Callable[[Line], None]:
    def edit(result: Line) -> None:
        result["answer"] = task.gold
        result["correct"] = True
        result["error"] = None
        result["voting"]["answers"] = [task.gold]
        result["voting"]["first_attempt_correct"] = True

    return edit


def _said_anew(answer: str) -> Callable[[Line], None]:
    """The trajectory as if the model had said this in the end, with sound counts and hashes."""

    def edit(line: Line) -> None:
        line["final_answer"] = answer
        last = [step for step in line["steps"] if step["type"] == "llm_call"][-1]
        last["head"] = last["head"].rpartition("FINAL ANSWER:")[0] + f"FINAL ANSWER: {answer}"
        last["bytes"] = len(last["head"].encode())
        last["output_sha256"] = hashlib.sha256(last["head"].encode()).hexdigest()

    return edit


def _result_changed(task: LabTask, rng: random.Random) -> TaskScript:
    """After the run, the result of a wrong answer is that of a right one."""
    return with_changes(honest_script(task, rng, right=False), edit_result_late=_now_right(task))


def _result_and_log(task: LabTask, rng: random.Random) -> TaskScript:
    """The same while the log could still go along; the trajectory has what was said."""
    return with_changes(honest_script(task, rng, right=False), edit_result=_now_right(task))


def _both_changed(task: LabTask, rng: random.Random) -> TaskScript:
    """Result and trajectory both, after the run."""
    return with_changes(
        honest_script(task, rng, right=False),
        edit_result_late=_now_right(task),
        edit_trajectory_late=_said_anew(task.gold),
    )


def _claimed(task: LabTask, rng: random.Random) -> TaskScript:
    """A wrong answer that is said to be correct."""

    def edit(result: Line) -> None:
        result["correct"] = True

    return with_changes(honest_script(task, rng, right=False), edit_result=edit)


def _gold_changed(task: LabTask, rng: random.Random) -> TaskScript:
    """What was expected is now what was answered."""
    script = honest_script(task, rng, right=False)

    def edit(result: Line) -> None:
        result["correct"] = True
        result["expected_output"] = result["answer"]

    return with_changes(script, edit_result=edit)


def _wrong_words(task: LabTask, rng: random.Random) -> TaskScript:
    """The answer that counts is not the one in the last words of the model."""
    said_anew = _said_anew(wrong_answer(task, rng))

    def edit(line: Line) -> None:
        said_anew(line)
        line["final_answer"] = task.gold

    return with_changes(honest_script(task, rng), edit_trajectory=edit)


def _rewritten(field: str) -> Build:
    """A wrong answer becomes the gold when the run is over, in one file or in both."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        def right(result: dict[str, Any]) -> None:
            result["answer"] = task.gold
            result["correct"] = True

        def final(trajectory: dict[str, Any]) -> None:
            trajectory["final_answer"] = task.gold

        edits: dict[str, dict[str, Edit]] = {
            "late": {"edit_result_late": right},
            "early": {"edit_result": right},
            "both": {"edit_result": right, "edit_trajectory": final},
        }
        return with_changes(honest_script(task, rng, right=False), **edits[field])

    return each(scripter)


def _late_result(task: LabTask, rng: random.Random) -> TaskScript:
    """When the run was over, the result became right."""

    def edit(result: dict[str, Any]) -> None:
        result["answer"], result["correct"] = task.gold, True
        result["voting"]["answers"] = [task.gold]

    return with_changes(honest_script(task, rng, right=False), edit_result_late=edit)


def _other_than_said(task: LabTask, rng: random.Random) -> TaskScript:
    """The harness notes the gold as the answer, while the model's last words give another; the log goes along."""
    wrong = honest_script(task, rng, right=False).attempts[0]
    return TaskScript(task=task, attempts=(Attempt(turns=wrong.turns, answer=task.gold),))


def _late_both(task: LabTask, rng: random.Random) -> TaskScript:
    """Result and trajectory are both changed behind the log's back."""

    def result(value: dict[str, Any]) -> None:
        value["answer"], value["correct"] = task.gold, True

    def trajectory(value: dict[str, Any]) -> None:
        value["final_answer"] = task.gold

    return with_changes(honest_script(task, rng, right=False), edit_result_late=result, edit_trajectory_late=trajectory)


def _gave_up(task: LabTask, rng: random.Random) -> TaskScript:
    """The model says that it has found nothing; the result has the gold."""
    script = honest_script(task, rng, right=False)
    said = rng.choice(("I could not find it.", "The sources do not say.", "I have to leave this open."))
    turns = (*script.attempts[0].turns[:-1], Turn(words=said))
    return with_changes(script, attempts=(Attempt(turns=turns, answer=task.gold),))


def _patched_words(task: LabTask, rng: random.Random) -> TaskScript:
    """The model's last words are rewritten before the log binds them: only their hash is still the old one."""

    def result(value: dict[str, Any]) -> None:
        value["answer"], value["correct"] = task.gold, True
        value["voting"]["answers"], value["voting"]["first_attempt_correct"] = [task.gold], True

    def trajectory(value: dict[str, Any]) -> None:
        value["final_answer"] = task.gold
        last = [step for step in value["steps"] if step["type"] == "llm_call"][-1]
        last["head"] = f"{last['head'].split('FINAL ANSWER')[0]}FINAL ANSWER: {task.gold}"
        last["bytes"] = len(last["head"].encode())

    opinion = Opinion(verdict=True, logged=False, kept=False)
    script = honest_script(task, rng, right=False)
    return with_changes(script, opinion=opinion, edit_result=result, edit_trajectory=trajectory)


def _made_right(result: dict[str, Any]) -> None:
    gold = result["expected_output"]
    result.update(answer=gold, correct=True, error=None, judge=None)
    result["voting"].update(answers=[gold], first_attempt_correct=True)


def _behind_a_mask(task: LabTask, rng: random.Random) -> TaskScript:
    """The last words are new, under their old hash: a masked secret in them excuses it. The judge had said no."""
    secret = rng.choice(("key", "token"))

    def edit(trajectory: dict[str, Any]) -> None:
        trajectory["final_answer"] = task.gold
        last = [step for step in trajectory["steps"] if step["type"] == "llm_call"][-1]
        words = last["head"].replace(str(final_answer(last["head"])), task.gold)
        last.update(head=f"{MASKED}{secret}] {words}", redactions=1)

    return with_changes(honest_script(task, rng, right=False), edit_trajectory=edit, edit_result=_made_right)


def _rewritten_all_through(task: LabTask, rng: random.Random) -> TaskScript:
    """Result and trajectory are changed when the run is over, hashes of words included: only the log knows better."""

    def edit(trajectory: dict[str, Any]) -> None:
        trajectory["final_answer"] = task.gold
        last = [step for step in trajectory["steps"] if step["type"] == "llm_call"][-1]
        words = last["head"].replace(str(final_answer(last["head"])), task.gold).encode()
        last.update(head=words.decode(), bytes=len(words), output_sha256=hashlib.sha256(words).hexdigest())

    return with_changes(honest_script(task, rng, right=False), edit_trajectory_late=edit, edit_result_late=_made_right)


def answer_beside_the_words(task: LabTask, rng: random.Random) -> TaskScript:
    """The agent's last words give one answer, the books another, and everything is bound by the log."""
    script = honest_script(task, rng, right=False)
    return with_changes(script, attempts=(msgspec.structs.replace(script.attempts[0], answer=task.gold),))


VARIANTS = (
    attack(DEVELOPMENT, "rewritten-answers", "result", "The result changed after the run.", each(_result_changed),
        "AUD-2 high", "AUD-5 high"),
    attack(DEVELOPMENT, "rewritten-answers", "with-the-log", "The log goes along.", each(_result_and_log),
        "AUD-2 high", "AUD-5 high"),
    attack(DEVELOPMENT, "rewritten-answers", "both", "Result and trajectory changed.", each(_both_changed),
        "AUD-2 high", "AUD-5 high"),
    attack(DEVELOPMENT, "rewritten-answers", "claimed", "Said to be correct.", each(_claimed), "AUD-2 high",
        "AUD-5 high"),
    attack(DEVELOPMENT, "rewritten-answers", "gold", "The gold changed instead.", each(_gold_changed), "AUD-2 high",
        "AUD-5 high", "AUD-7 high"),
    attack(DEVELOPMENT, "rewritten-answers", "other-words", "Not what the model said last.", each(_wrong_words),
        "AUD-2 high", "AUD-5 high"),
    *(
        attack(FIRST_TEST, "rewritten-answers", name, about, _rewritten(name), *any_check("high"))
        for name, about in (
            ("late", "The result is rewritten when the log is closed."),
            ("early", "The result is not what the agent said."),
            ("both", "Neither result nor trajectory is what the agent said."),
        )
    ),
    attack(SECOND_TEST, "rewritten-answers", "result", "The result, when all was over.", each(_late_result),
        *any_check("high")),
    attack(SECOND_TEST, "rewritten-answers", "not-as-said", "Not what the model said.", each(_other_than_said),
        *any_check("high")),
    attack(SECOND_TEST, "rewritten-answers", "both", "Result and trajectory.", each(_late_both), *any_check("high")),
    attack(SECOND_UNUSUAL, "rewritten-answers", "gave-up", "The model gave none.", each(_gave_up), *any_check("high")),
    attack(SECOND_UNUSUAL, "rewritten-answers", "patched-words", "Last words rewritten.", each(_patched_words),
        *any_check("high")),
    attack(FOURTH_SEALED, "rewritten-answers", "behind-a-mask", "New words, excused by a mask.", each(_behind_a_mask),
        "AUD-2 medium", "AUD-4 medium", "AUD-6 medium", "AUD-7 medium"),
    attack(FOURTH_SEALED, "rewritten-answers", "all-through", "Everything changed but the log.",
        each(_rewritten_all_through), "AUD-2 high", "AUD-4 high", "AUD-6 high", "AUD-7 high"),
    attack(FOURTH_SEALED, "rewritten-answers", "beside-the-words", "The books have another answer than the words.",
        each(answer_beside_the_words), "AUD-2 high", "AUD-4 high", "AUD-6 high", "AUD-7 high"),
)  # fmt: skip
