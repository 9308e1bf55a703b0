"""Runs of other tasks than they say: fewer, easier, twice, or not of the split at all."""

import random
import uuid
from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.records.config import Selection
from gaia_harness.records.intent import task_list_sha256
from redteam.batches import SIXTEENTH_SEALED
from redteam.making import RunMaker
from redteam.script import RunScript, TaskScript, declared, with_changes
from redteam.solving import honest_script
from redteam.variants import Case, any_check, attack, blind_spot, whole
from redteam.words import seeded
from redteam.world import LabTask

Json = dict[str, Any]


def _solved(tasks: list[LabTask], rng: random.Random, right: float = 0.85) -> tuple[TaskScript, ...]:
    return tuple(honest_script(task, rng, right=rng.random() < right) for task in tasks)


def _parted(rng: random.Random, tasks: list[LabTask], out: Callable[[LabTask], bool]) -> tuple[list[LabTask], ...]:
    """Those that stay, and those that are to go; at least two of each."""
    gone = [task for task in tasks if out(task)][: len(tasks) // 2] or rng.sample(tasks, 3)
    if len(gone) < 2:
        gone += rng.sample([task for task in tasks if task not in gone], 2)
    return [task for task in tasks if task not in gone], gone


def _hard_ones_left_out(rng: random.Random, maker: RunMaker) -> Case:
    kept, gone = _parted(rng, maker.tasks(16), lambda task: task.level == 3)
    return whole(RunScript(tasks=_solved(kept, rng), dropped=tuple(gone)))


def _files_left_out(rng: random.Random, maker: RunMaker) -> Case:
    kept, gone = _parted(rng, maker.tasks(24), lambda task: task.attachment is not None)
    return whole(RunScript(tasks=_solved(kept, rng), dropped=tuple(gone)))


def _level_with_holes(rng: random.Random, maker: RunMaker) -> Case:
    """All of a level are said to be asked, and some of that level are not there."""
    tasks = maker.tasks(30)
    level = rng.choice((1, 2))
    of_level = [task for task in tasks if task.level == level]
    gone = rng.sample(of_level, max(2, len(of_level) // 4))
    others = [task for task in tasks if task.level != level]
    run = RunScript(
        tasks=_solved([task for task in of_level if task not in gone], rng),
        dropped=(*gone, *others),
        config=declared(selection=Selection(level=level)),
    )
    return whole(run)


def _other_positions(rng: random.Random, maker: RunMaker) -> Case:
    """The options name positions at which other tasks are."""
    tasks = maker.tasks(20)
    first = rng.randint(3, 8)
    run = RunScript(
        tasks=_solved(tasks[:10], rng),
        dropped=tuple(tasks[10:]),
        config=declared(selection=Selection(first=first, last=first + 9)),
    )
    return whole(run)


def _failures_hidden(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that came out wrong are on the list, and nowhere else."""
    tasks = maker.tasks(12)
    hidden = rng.sample(tasks, 3)
    scripts = tuple(
        with_changes(honest_script(task, rng, right=False), lines=0, in_log=rng.random() < 0.5)
        if task in hidden
        else honest_script(task, rng)
        for task in tasks
    )

    def shrink(summary: Json) -> None:
        summary["total"] = summary["finished"]
        summary["pass_rate"] = summary["passed"] / summary["finished"]

    return whole(RunScript(tasks=scripts, edit_summary=shrink))


def _counted_twice(rng: random.Random, maker: RunMaker) -> Case:
    tasks = maker.tasks(10)
    twice = rng.sample(tasks, 3)
    scripts = tuple(
        with_changes(honest_script(task, rng), lines=2)
        if task in twice
        else honest_script(task, rng, right=rng.random() < 0.5)
        for task in tasks
    )
    return whole(RunScript(tasks=scripts))


def _asked_twice(rng: random.Random, maker: RunMaker) -> Case:
    """Some tasks are on the list twice: wrong the first time, right the second."""
    tasks = maker.tasks(8)
    again = rng.sample(tasks, 2)
    first = [honest_script(task, rng, right=task not in again) for task in tasks]
    scripts = (*first, *(honest_script(task, rng) for task in again))
    return whole(RunScript(tasks=scripts, dropped=tuple(maker.tasks(10)[8:])))


def _reworded(rng: random.Random, maker: RunMaker) -> Case:
    """The split asks harder questions than the run did: a hint was added to some of them."""
    tasks = maker.tasks(10)
    eased = {task.task_id: task.question for task in rng.sample(tasks, 4)}
    hints = ("Hint: see {title}.", "(You will find it at {url}.)", "Begin with the page {title}.")
    asked = [
        msgspec.structs.replace(
            task,
            question=f"{task.question} "
            + rng.choice(hints).format(title=task.honest_page.title, url=task.honest_page.url),
        )
        if task.task_id in eased
        else task
        for task in tasks
    ]

    def original(row: Json) -> None:
        row["Question"] = eased.get(row["task_id"], row["Question"])

    return whole(RunScript(tasks=_solved(asked, rng), edit_rows=original))


def _not_of_the_split(rng: random.Random, maker: RunMaker) -> Case:
    """Some tasks of the run are in no split: their places were taken by others that are easy."""
    tasks = maker.tasks(10)
    ids = seeded("ids", maker.seed)
    plain = [task for task in tasks if task.attachment is None]
    swapped = rng.sample(plain, rng.randint(2, 4))
    foreign = {task.task_id: str(uuid.UUID(int=ids.getrandbits(128), version=4)) for task in swapped}

    def real(row: Json) -> None:
        if row["task_id"] in foreign:
            row["task_id"] = foreign[row["task_id"]]
            row["Question"] = f"{row['Question']} Consider the second printing alone."

    return whole(RunScript(tasks=_solved(tasks, rng), edit_rows=real))


def _fewer_than_declared(rng: random.Random, maker: RunMaker) -> Case:
    """The signed declaration is of more tasks than run.json has."""
    tasks = maker.tasks(14)
    gone = rng.sample(tasks, 4)

    def declare(intent: Json) -> None:
        intent["tasks"] = len(tasks)
        intent["task_list_sha256"] = task_list_sha256([task.task_id for task in tasks])

    kept = [task for task in tasks if task not in gone]
    return whole(RunScript(tasks=_solved(kept, rng), dropped=tuple(gone), edit_intent=declare))


def _harder_than_it_is(rng: random.Random, maker: RunMaker) -> Case:
    """Right answers are entered at a higher level, wrong ones at a lower."""
    scripts = []
    for task in maker.tasks(12):
        right = rng.random() < 0.6
        level = 3 if right else 1

        def relabel(line: Json, level: int = level) -> None:
            line["level"] = level

        scripts.append(with_changes(honest_script(task, rng, right=right), edit_result=relabel))
    return whole(RunScript(tasks=tuple(scripts)))


def _chosen_by_id(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that were solved in a rehearsal, named by their ids in the declaration."""
    tasks = maker.tasks(18)
    chosen = [task for task in tasks if task in rng.sample(tasks, 7)]
    run = RunScript(
        tasks=_solved(chosen, rng, right=1.0),
        dropped=tuple(task for task in tasks if task not in chosen),
        config=declared(selection=Selection(task_ids=tuple(task.task_id for task in chosen))),
    )
    return whole(run)


VARIANTS = (
    attack(
        SIXTEENTH_SEALED,
        "fewer-than-the-split",
        "hard-ones-left-out",
        "Tasks of the highest level are not on the list, and no option says so.",
        _hard_ones_left_out,
        "AUD-7 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "fewer-than-the-split",
        "files-left-out",
        "Tasks with a file are not on the list, and no option says so.",
        _files_left_out,
        "AUD-7 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "fewer-than-the-split",
        "level-with-holes",
        "A run of one level, of which some tasks are missing.",
        _level_with_holes,
        "AUD-7 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "fewer-than-the-split",
        "other-positions-than-said",
        "The options name a range of tasks, and others were run.",
        _other_positions,
        "AUD-7 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "fewer-than-the-split",
        "failures-out-of-sight",
        "Tasks that came out wrong have neither result nor steps, and the summary leaves them out.",
        _failures_hidden,
        "AUD-7 high",
        "AUD-2 high",
        "AUD-6 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "fewer-than-the-split",
        "fewer-than-declared",
        "The declaration is of more tasks than the run.",
        _fewer_than_declared,
        "AUD-7 high",
        "AUD-6 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "more-than-once",
        "lines-counted-twice",
        "Right answers stand twice in results and steps.",
        _counted_twice,
        "AUD-7 high",
        "AUD-2 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "more-than-once",
        "asked-a-second-time",
        "Tasks that came out wrong are on the list again, in place of others.",
        _asked_twice,
        "AUD-7 high",
        "AUD-6 high",
        "AUD-2 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "other-tasks",
        "questions-made-easier",
        "Some questions have a hint in them that the split does not have.",
        _reworded,
        "AUD-7 high",
        "AUD-3 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "other-tasks",
        "not-of-the-split",
        "Some tasks are in no row of the split.",
        _not_of_the_split,
        "AUD-7 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "other-tasks",
        "harder-than-it-is",
        "Results have other levels than the rows.",
        _harder_than_it_is,
        *any_check("medium"),
    ),
    blind_spot(
        SIXTEENTH_SEALED,
        "fewer-than-the-split",
        "chosen-by-id",
        "Tasks that went well in a rehearsal, chosen by their ids, which is declared.",
        _chosen_by_id,
        "AUD-7 medium",
    ),
)
