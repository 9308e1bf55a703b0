"""Runs over a part of the tasks, chosen and declared.

Held out: not for the eyes of those who write the audit's rules.
"""

import random

import msgspec

from gaia_harness.records.config import Selection
from redteam.batches import SEALED
from redteam.cases.attempts.honest.votes_and_crashes_held_out import run_of
from redteam.making import RunMaker
from redteam.solving import honest_script
from redteam.variants import Build, Case, honest, whole


def _selected(kind: str) -> Build:
    """Some tasks only, and the run says which."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        made = maker.tasks(24)
        level = rng.choice((1, 2, 3))
        if kind == "level":
            chosen = [task for task in made if task.level == level]
            selection = Selection(level=level)
        elif kind == "first":
            chosen = made[: rng.randint(5, 15)]
            selection = Selection(first=1, last=len(chosen))
        else:
            chosen = rng.sample(made, rng.randint(1, 9))
            selection = Selection(task_ids=tuple(task.task_id for task in chosen))
        ids = {task.task_id for task in chosen}
        script = msgspec.structs.replace(
            run_of(selection=selection),
            tasks=tuple(honest_script(task, rng, right=rng.random() < 0.7) for task in chosen),
            dropped=tuple(task for task in made if task.task_id not in ids),
        )
        return whole(script)

    return build


VARIANTS = (
    honest(SEALED, "selected-tasks", "level", "One level only, as the run says.", _selected("level")),
    honest(SEALED, "selected-tasks", "first", "The first few tasks, as the run says.", _selected("first")),
    honest(SEALED, "selected-tasks", "named", "Tasks named by their ids.", _selected("named")),
)
