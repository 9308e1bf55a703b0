"""Runs over a part of the tasks that say so, and questions that resemble each other."""

import random
import re
import uuid

import msgspec

from gaia_harness.records.config import Selection
from redteam.batches import FIFTH_SEALED
from redteam.making import RunMaker
from redteam.script import RunScript, declared
from redteam.solving import honest_script
from redteam.variants import Case, honest, whole
from redteam.world import LabTask, regolded

_YEAR = re.compile(r"\b(?:1[89]|20)\d\d\b")


def _partial(rng: random.Random, tasks: list[LabTask], others: list[LabTask], selection: Selection) -> Case:
    """A run of these tasks, as its options say."""
    scripts = tuple(honest_script(task, rng, right=rng.random() < 0.7) for task in tasks)
    return whole(RunScript(tasks=scripts, dropped=tuple(others), config=declared(selection=selection)))


def _window_of_level(rng: random.Random, maker: RunMaker) -> Case:
    """The first so many tasks of one level."""
    own = maker.tasks(30)
    level = rng.choice((1, 2))
    same = [task for task in own if task.level == level]
    count = min(len(same) - 1, rng.randint(6, 9))
    chosen = {task.task_id for task in same[:count]}
    others = [task for task in own if task.task_id not in chosen]
    return _partial(rng, same[:count], others, Selection(level=level, first=1, last=count))


def _by_ids(rng: random.Random, maker: RunMaker) -> Case:
    """A few tasks by their ids, in an order of their own."""
    own = maker.tasks(14)
    count = rng.randint(5, 8)
    ids = [task.task_id for task in own[:count]]
    rng.shuffle(ids)
    return _partial(rng, own[:count], own[count:], Selection(task_ids=tuple(ids)))


def _sister(task: LabTask, rng: random.Random) -> LabTask | None:
    """The same question about another year, with another answer."""
    years = [year for year in _YEAR.findall(task.question) if year != task.gold]
    if not years or not task.gold.isdigit() or task.attachment is not None:
        return None
    old, new = years[0], str(int(years[0]) - rng.randint(3, 9))
    changed = msgspec.structs.replace(
        task,
        task_id=str(uuid.UUID(int=rng.getrandbits(128), version=4)),
        question=task.question.replace(old, new),
        topic=task.topic.replace(old, new),
        fact=task.fact.replace(old, new),
    )
    return regolded(changed, str(int(task.gold) + rng.randint(1, 9)), rng)


def _sisters(rng: random.Random, maker: RunMaker) -> Case:
    own = maker.tasks(24)
    pairs = [(task, sister) for task in own if (sister := _sister(task, rng)) is not None][:3]
    paired = {task.task_id for task, _ in pairs}
    tasks = [task for task in own if task.task_id not in paired][:6] + [task for pair in pairs for task in pair]
    rng.shuffle(tasks)
    return whole(RunScript(tasks=tuple(honest_script(task, rng, right=rng.random() < 0.7) for task in tasks)))


VARIANTS = (
    honest(FIFTH_SEALED, "partial-runs", "c-window", "The first tasks of one level, as declared.", _window_of_level),
    honest(FIFTH_SEALED, "partial-runs", "c-by-ids", "A few tasks that were asked for by their ids.", _by_ids),
    honest(FIFTH_SEALED, "sister-questions", "c-years", "The same is asked about two years.", _sisters),
)
