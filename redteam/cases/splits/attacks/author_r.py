"""Runs over other tasks than they say: fewer, easier, twice, reworded, regraded, or counted otherwise."""

import random
from typing import Any

import msgspec

from gaia_harness.figures import rate
from gaia_harness.records.intent import task_list_sha256
from redteam.batches import TENTH_SEALED
from redteam.cheating import same_question, set_field
from redteam.making import RunMaker
from redteam.script import RunScript, TaskScript, with_changes
from redteam.solving import honest_script, turn
from redteam.variants import Case, among, any_check, attack, whole
from redteam.world import LabTask


def _hard_ones_never_asked(rng: random.Random, maker: RunMaker) -> Case:
    """The split has tasks of three levels; most of the third are not in the run, which says that it is all of it."""
    tasks = maker.tasks(24)
    hard = [task for task in tasks if task.level == 3]
    left = {task.task_id for task in hard[: max(2, len(hard) - 1)]}
    scripts = [honest_script(task, rng, right=rng.random() < 0.9) for task in tasks if task.task_id not in left]
    return whole(RunScript(tasks=tuple(scripts), dropped=tuple(task for task in tasks if task.task_id in left)))


def _declared_more(rng: random.Random, maker: RunMaker) -> Case:
    """More tasks were declared than are in the run: those that went wrong were taken out of all its files."""
    tasks = maker.tasks(16)
    gone = set(rng.sample([task.task_id for task in tasks], rng.randint(3, 5)))
    declared_ids = [task.task_id for task in tasks]

    def edit_intent(intent: dict[str, Any]) -> None:
        intent["tasks"] = len(declared_ids)
        intent["task_list_sha256"] = task_list_sha256(declared_ids)
        intent["levels"] = sorted({task.level for task in tasks})

    return whole(
        RunScript(
            tasks=tuple(honest_script(task, rng) for task in tasks if task.task_id not in gone),
            dropped=tuple(task for task in tasks if task.task_id in gone),
            edit_intent=edit_intent,
        )
    )


def _no_answer(task: LabTask, rng: random.Random) -> TaskScript:
    """A task that ended without an answer."""
    script = honest_script(task, rng)
    (attempt,) = script.attempts
    ended = msgspec.structs.replace(
        attempt, turns=(*attempt.turns[:-1], turn("I would need more time.")), answer=None, error="out of turns"
    )
    return with_changes(script, attempts=(ended,))


def _errors_not_counted(rng: random.Random, maker: RunMaker) -> Case:
    """The summary leaves tasks without an answer out of what the rate is taken of."""
    tasks = maker.tasks(12)
    failed = rng.randint(3, 5)
    scripts = [_no_answer(task, rng) for task in tasks[:failed]]
    scripts += [honest_script(task, rng, right=rng.random() < 0.85) for task in tasks[failed:]]
    rng.shuffle(scripts)
    kept = len(tasks) - failed

    def edit_summary(summary: dict[str, Any]) -> None:
        better = rate(summary["passed"], kept)
        summary |= {"total": kept, "finished": kept, "errors": 0, "empty_rate": 0.0, "pass_rate": better.pass_rate}
        summary["pass_rate_interval_95"] = [better.low, better.high]

    return whole(RunScript(tasks=tuple(scripts), edit_summary=edit_summary))


def _gold_fitted(rng: random.Random, maker: RunMaker) -> Case:
    """The run was scored by golds that somebody had changed to what the agent says; the data set has the real ones."""
    real: dict[str, str] = {}

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        said = honest_script(task, rng, right=False)
        (attempt,) = said.attempts
        real[task.task_id] = task.gold
        return TaskScript(task=msgspec.structs.replace(task, gold=str(attempt.said)), attempts=(attempt,))

    def edit_rows(row: dict[str, Any]) -> None:
        row["Final answer"] = real.get(row["task_id"], row["Final answer"])

    return among(rng, maker, scripter, run=RunScript(tasks=(), edit_rows=edit_rows))


_CLARIFIED = (
    "(Clarification: the page titled {title} is meant, and there the sentence on the figure or name asked for.)",
    "Hint: see {title}; the source has: {fact}",
    "To be precise, this refers to what {title} says.",
)


def _reworded(rng: random.Random, maker: RunMaker) -> Case:
    """The agent was asked questions with a helpful sentence more than those of the data set."""
    original: dict[str, str] = {}

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        more = rng.choice(_CLARIFIED).format(title=task.honest_page.title, fact=task.fact)
        original[task.task_id] = task.question
        return honest_script(msgspec.structs.replace(task, question=f"{task.question} {more}"), rng)

    def edit_rows(row: dict[str, Any]) -> None:
        row["Question"] = original.get(row["task_id"], row["Question"])

    return among(rng, maker, scripter, run=RunScript(tasks=(), edit_rows=edit_rows))


def _levels_moved(rng: random.Random, maker: RunMaker) -> Case:
    """What went wrong at the first two levels stands in results and summary as of the third."""
    moved: list[str] = []
    scripts: list[TaskScript] = []
    for number, task in enumerate(maker.tasks(14)):
        fails = task.level < 3 and number % 3 == 0
        script = honest_script(task, rng, right=not fails)
        if fails:
            moved.append(str(task.level))
            script = with_changes(script, edit_result=set_field("level", 3))
        scripts.append(script)

    def edit_summary(summary: dict[str, Any]) -> None:
        levels: dict[str, Any] = summary["levels"]
        counts = {level: [figures["passed"], figures["total"]] for level, figures in levels.items()}
        for level in moved:
            counts[level][1] -= 1
            counts.setdefault("3", [0, 0])[1] += 1
        summary["levels"] = {level: msgspec.to_builtins(rate(*count)) for level, count in counts.items()}

    return whole(RunScript(tasks=tuple(scripts), edit_summary=edit_summary))


def _easy_ones_twice(rng: random.Random, maker: RunMaker) -> Case:
    """As many tasks as the split has, but some easy ones stand there twice, in place of hard ones."""
    tasks = maker.tasks(16)
    hard = [task for task in tasks if task.level > 1][-rng.randint(3, 4) :]
    gone = {task.task_id for task in hard}
    kept = [task for task in tasks if task.task_id not in gone]
    easy = rng.sample([task for task in kept if task.attachment is None], len(hard))
    asked = [*kept, *(same_question(task, rng) for task in easy)]
    rng.shuffle(asked)
    return whole(RunScript(tasks=tuple(honest_script(task, rng) for task in asked), dropped=tuple(hard)))


VARIANTS = (
    attack(
        TENTH_SEALED, "left-out", "hard-ones-never-asked", "Tasks of the third level are missing, and nothing says so.",
        _hard_ones_never_asked, "AUD-7 high",
    ),
    attack(
        TENTH_SEALED, "left-out", "declared-more", "The intent was signed for more tasks than the run has.",
        _declared_more, "AUD-7 high",
    ),
    attack(
        TENTH_SEALED, "counted-otherwise", "errors-not-counted", "Tasks without an answer are not in the total.",
        _errors_not_counted, *any_check("high"),
    ),
    attack(
        TENTH_SEALED, "other-tasks", "gold-fitted", "Scored by other golds than those of the data set.",
        _gold_fitted, *any_check("high"),
    ),
    attack(
        TENTH_SEALED, "other-tasks", "clarified-questions", "Questions with a hint that the split does not have.",
        _reworded, "AUD-7 high", "AUD-3 high",
    ),
    attack(
        TENTH_SEALED, "counted-otherwise", "failures-moved-up", "Failures are listed at a harder level.",
        _levels_moved, "AUD-7 high", "AUD-2 high",
    ),
    attack(
        TENTH_SEALED, "other-tasks", "easy-ones-twice", "Easy tasks under a second id take the place of hard ones.",
        _easy_ones_twice, "AUD-7 high",
    ),
)  # fmt: skip
