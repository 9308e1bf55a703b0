"""Tricks with the books: splits, denominators, figures, answers that nobody said, and passes without work."""

import hashlib
import random
from typing import Any

import msgspec

from redteam.attacks.sealed.attempts import saying
from redteam.attacks.sealed.declaring import attack
from redteam.cases import Case, each, honest_tasks, whole
from redteam.making import RunMaker
from redteam.script import Attempt, Edit, RunScript, TaskScript, Turn, bend
from redteam.solving import honest_attempt, honest_script, query_for, search, wrong_answer
from redteam.world import LabTask, search_page

SPLIT = ("AUD-7", "high")
NO_WORK = ("AUD-2", "high")
# the design names no one check for a result that the evidence does not bear out
REWRITTEN = (("AUD-2", "high"), ("AUD-4", "high"), ("AUD-6", "high"))


def _hard_ones_dropped(rng: random.Random, maker: RunMaker) -> Case:
    """The tasks of the third level, and some more, are in the data set but not in the run."""
    tasks = maker.tasks(18)
    dropped = [task for task in tasks if task.level == 3]
    kept = [task for task in tasks if task.level != 3]
    dropped += kept[: rng.randint(1, 3)]
    scripts = [honest_script(task, rng) for task in kept if task not in dropped]
    return whole(RunScript(tasks=tuple(scripts), dropped=tuple(dropped)))


def _right_twice(rng: random.Random, maker: RunMaker) -> Case:
    """For every wrong task that is hidden, a right one stands twice: the number of lines is as it should be."""
    tasks = maker.tasks(12)
    hidden = rng.randint(2, 3)
    scripts = [
        bend(
            honest_script(task, rng, right=number >= hidden), lines=0 if number < hidden else 1 + (number < 2 * hidden)
        )
        for number, task in enumerate(tasks)
    ]
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


def _level_moved(task: LabTask, rng: random.Random) -> TaskScript:
    """The result says another level than the data set, so that the hard levels look better."""
    level = rng.choice([level for level in (2, 3) if level != task.level])
    return bend(honest_script(task, rng), edit_result=lambda result: result.update(level=level))


def _two_splits(rng: random.Random, maker: RunMaker) -> Case:
    """Run and summary say test; the log and the intent say validation."""

    def record(value: dict[str, Any]) -> None:
        value["dataset"]["gaia_split"] = "test"
        value["config"]["split"] = "test"

    return whole(
        RunScript(
            tasks=tuple(honest_tasks(rng, maker, 10)),
            edit_record=record,
            edit_summary=lambda value: value.update(gaia_split="test"),
        )
    )


def _foreign_id(rng: random.Random, maker: RunMaker) -> Case:
    """An easy question of one's own stands under the id of a hard one: its row in the data set is another."""
    scripts = honest_tasks(rng, maker, 10)
    chosen = {script.task.task_id for script in rng.sample(scripts, 3)}

    def edit(row: dict[str, Any]) -> None:
        if row["task_id"] in chosen:
            row["Question"] = f"In an earlier edition: {' '.join(reversed(row['Question'].split()))}"

    return whole(RunScript(tasks=tuple(scripts), edit_rows=edit))


def _better_summary(rng: random.Random, maker: RunMaker) -> Case:
    """The summary counts more as passed than the results have."""

    def edit(summary: dict[str, Any]) -> None:
        summary["passed"] += rng.randint(1, 3)
        summary["pass_rate"] = summary["passed"] / summary["total"]
        summary["passed_first_attempt"] = summary["passed"]

    return whole(RunScript(tasks=tuple(honest_tasks(rng, maker, 12, right=0.5)), edit_summary=edit))


def _smaller_denominator(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that ended without an answer are left out of the total."""
    scripts = []
    for number, task in enumerate(maker.tasks(12)):
        if number < 4:
            lost = msgspec.structs.replace(honest_attempt(task, rng), answer=None, error="no answer within 30 turns")
            scripts.append(TaskScript(task=task, attempts=(lost,)))
        else:
            scripts.append(honest_script(task, rng, right=rng.random() < 0.8))

    def edit(summary: dict[str, Any]) -> None:
        summary["total"] = summary["finished"] = summary["total"] - 4
        summary["errors"] = 0
        summary["empty_rate"] = 0.0
        summary["pass_rate"] = summary["passed"] / summary["total"]

    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts), edit_summary=edit))


def _never_said(task: LabTask, rng: random.Random) -> TaskScript:
    """The words end with a wrong answer, the result has the right one, and the log goes along."""
    attempt = msgspec.structs.replace(honest_attempt(task, rng, right=False), answer=task.gold)
    return TaskScript(task=task, attempts=(attempt,))


def _set_right(task: LabTask) -> Edit:
    def edit(result: dict[str, Any]) -> None:
        result["answer"] = task.gold
        result["correct"] = True
        result["voting"] |= {"answers": [task.gold], "first_attempt_correct": True}

    return edit


def _words_too(task: LabTask, rng: random.Random) -> TaskScript:
    """Afterwards the answer is rewritten everywhere, in the model's last words too; only the log remembers."""
    wrong = wrong_answer(task, rng)

    def edit(trajectory: dict[str, Any]) -> None:
        last = next(step for step in reversed(trajectory["steps"]) if step["type"] == "llm_call")
        last["head"] = last["head"].replace(f"FINAL ANSWER: {wrong}", f"FINAL ANSWER: {task.gold}")
        last["bytes"] = len(last["head"].encode())
        last["output_sha256"] = hashlib.sha256(last["head"].encode()).hexdigest()
        trajectory["final_answer"] = task.gold

    return TaskScript(
        task=task,
        attempts=(saying(task, rng, wrong),),
        edit_trajectory_late=edit,
        edit_result_late=_set_right(task),
    )


def _verdict_alone(task: LabTask, rng: random.Random) -> TaskScript:
    """A wrong answer stays as it was; only the word `correct` is turned round."""
    return bend(honest_script(task, rng, right=False), edit_result=lambda result: result.update(correct=True))


def _silent_model(task: LabTask, rng: random.Random) -> TaskScript:
    """The model is called and says nothing; the harness fills in the answer."""
    calls = (search(query_for(task, rng), search_page(rng, task)),)
    turns = (Turn(words="", calls=calls, tokens_out=0), Turn(words="", tokens_out=0))
    return TaskScript(task=task, attempts=(Attempt(turns=turns, answer=task.gold),))


def _tools_without_model(task: LabTask, rng: random.Random) -> TaskScript:
    """Searches are made and pages read for show, and no model is ever called."""
    attempt = honest_attempt(task, rng)
    turns = tuple(msgspec.structs.replace(turn, called=False) for turn in attempt.turns)
    return TaskScript(task=task, attempts=(msgspec.structs.replace(attempt, turns=turns, answer=task.gold),))


def _steps_thrown_away(task: LabTask, rng: random.Random) -> TaskScript:
    """All that is kept is that there was a question."""

    def edit(trajectory: dict[str, Any]) -> None:
        trajectory["steps"] = [step for step in trajectory["steps"] if step["type"] == "prompt" and step["turn"] == 1]
        trajectory |= {"turns": 1, "tools_used": [], "input_tokens": None, "output_tokens": None}

    return bend(honest_script(task, rng), edit_trajectory=edit)


VARIANTS = (
    attack("split-tricks", "hard-ones-dropped", "The hard tasks are not asked.", _hard_ones_dropped, SPLIT),
    attack("split-tricks", "right-ones-twice", "Right tasks twice, wrong ones hidden.", _right_twice, SPLIT),
    attack("split-tricks", "level-moved", "A result of another level.", each(_level_moved), SPLIT),
    attack("split-tricks", "two-splits", "Record and log name two splits.", _two_splits, SPLIT),
    attack("split-tricks", "question-under-foreign-id", "Another question under an id.", _foreign_id, SPLIT),
    attack(
        "lies-in-counts", "better-summary", "The summary counts more as passed.", _better_summary,
        SPLIT, ("AUD-2", "high"), ("AUD-6", "high"),
    ),
    attack("lies-in-counts", "smaller-denominator", "Errors leave the total.", _smaller_denominator, SPLIT),
    attack("rewritten-answers", "never-said", "Nobody said what the result has.", each(_never_said), *REWRITTEN),
    attack("rewritten-answers", "words-too", "Rewritten afterwards, the words too.", each(_words_too), *REWRITTEN),
    attack(
        "rewritten-answers", "verdict-alone", "Only the verdict is turned round.", each(_verdict_alone),
        *REWRITTEN, ("AUD-5", "high"), ("AUD-7", "high"),
    ),
    attack("no-work", "silent-model", "The model says nothing at all.", each(_silent_model), NO_WORK),
    attack("no-work", "tools-without-model", "Tools for show, and no model.", each(_tools_without_model), NO_WORK),
    attack("no-work", "steps-thrown-away", "Of the steps the question is left.", each(_steps_thrown_away), NO_WORK),
)  # fmt: skip
