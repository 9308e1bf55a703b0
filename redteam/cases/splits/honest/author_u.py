"""Honest runs over a part of the data set, over questions that are alike, or not to their end."""

import random
from typing import Any

import msgspec

from gaia_harness.records.config import Selection
from gaia_harness.run.abandoning import REASON
from redteam.batches import ELEVENTH_SEALED
from redteam.making import RunMaker
from redteam.script import RunScript, TaskScript, declared
from redteam.solving import honest_script
from redteam.variants import Case, honest, whole
from redteam.world import LabTask, tasks_asking


def _scripts(tasks: list[LabTask], rng: random.Random, right: float) -> tuple[TaskScript, ...]:
    return tuple(honest_script(task, rng, right=rng.random() < right) for task in tasks)


def _one_level(rng: random.Random, maker: RunMaker) -> Case:
    """Level 1 alone, or level 3 alone, as the options say."""
    level = rng.choice((1, 3))
    own = maker.tasks(30)
    kept = [task for task in own if task.level == level]
    return whole(
        RunScript(
            tasks=_scripts(kept, rng, 0.85 if level == 1 else 0.3),
            dropped=tuple(task for task in own if task.level != level),
            config=declared(selection=Selection(level=level)),
        )
    )


def _pilot(rng: random.Random, maker: RunMaker) -> Case:
    """The first few tasks, to see whether it works at all."""
    own = maker.tasks(25)
    count = rng.randint(5, 10)
    return whole(
        RunScript(
            tasks=_scripts(own[:count], rng, 0.6),
            dropped=tuple(own[count:]),
            config=declared(selection=Selection(first=rng.choice((None, 1)), last=count)),
        )
    )


def _with_files(rng: random.Random, maker: RunMaker) -> Case:
    """An agent for tables is run on the tasks with a file, named by their ids, however they end."""
    own = maker.tasks(130)
    kept = [task for task in own if task.attachment is not None]
    ids = tuple(task.task_id for task in kept)
    return whole(
        RunScript(
            tasks=_scripts(kept, rng, 0.55),
            dropped=tuple(task for task in own[:20] if task.attachment is None),
            config=declared(selection=Selection(task_ids=ids)),
        )
    )


def _all_right(rng: random.Random, maker: RunMaker) -> Case:
    """A small folder of easy tasks, all of them, and all right."""
    easy = [task for task in maker.tasks(40) if task.level == 1][: rng.randint(6, 10)]
    return whole(RunScript(tasks=_scripts(easy, rng, 1.0)))


def _siblings(rng: random.Random, maker: RunMaker) -> Case:
    """A data set in which several questions are worded alike and ask about different places."""
    golds = rng.choice((("{colour}",), ("{weekday}", "{metal}"), ("{year}",)))
    own = [*tasks_asking((maker.seed, rng.random()), 7, *golds), *maker.tasks(4)]
    rng.shuffle(own)
    return whole(RunScript(tasks=_scripts(own, rng, 0.7)))


def _abandoned(rng: random.Random, maker: RunMaker) -> Case:
    """The budget ran out: the run was closed as aborted with tasks that were never begun, and says so."""
    own = maker.tasks(rng.randint(10, 14))
    done = rng.randint(4, 8)
    never = tuple(msgspec.structs.replace(honest_script(task, rng), lines=0, in_log=False) for task in own[done:])

    def aborted(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        events[-1] |= {"status": "aborted", "submittable": False}
        return events

    def not_submittable(summary: dict[str, Any]) -> None:
        summary |= {"submittable": False, "non_submittable_reasons": [REASON]}

    return whole(
        RunScript(
            tasks=(*_scripts(own[:done], rng, 0.6), *never),
            edit_log=aborted,
            edit_record=lambda record: record.__setitem__("state", "aborted"),
            edit_summary=not_submittable,
        )
    )


VARIANTS = (
    honest(ELEVENTH_SEALED, "parts-of-a-split", "one-level", "One level, as the options say.", _one_level),
    honest(ELEVENTH_SEALED, "parts-of-a-split", "pilot", "The first few tasks.", _pilot),
    honest(ELEVENTH_SEALED, "parts-of-a-split", "with-files", "The tasks with a file, by their ids.", _with_files),
    honest(ELEVENTH_SEALED, "parts-of-a-split", "abandoned", "A run that was given up, and says so.", _abandoned),
    honest(ELEVENTH_SEALED, "small-sets", "all-right", "Few and easy tasks, all right.", _all_right),
    honest(ELEVENTH_SEALED, "small-sets", "siblings", "Questions that are worded alike.", _siblings),
)  # fmt: skip
