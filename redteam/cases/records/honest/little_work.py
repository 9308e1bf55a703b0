"""Right answers after little or no recorded work: closed-book questions."""

import random

import msgspec

from redteam.batches import DEVELOPMENT
from redteam.script import TaskScript
from redteam.solving import calculation, closing, script_of, turn
from redteam.variants import each, honest
from redteam.world import LabTask


def _closed_book(task: LabTask, rng: random.Random) -> TaskScript:
    return script_of(task, closing(rng, task.gold))


def _after_thought(task: LabTask, rng: random.Random) -> TaskScript:
    last = msgspec.structs.replace(closing(rng, task.gold), thoughts=f"What do I know of {task.topic}? {task.fact}")
    return script_of(task, last)


def _by_sum(task: LabTask, rng: random.Random) -> TaskScript:
    return script_of(task, turn("This can be computed.", calculation(rng)), closing(rng, task.gold))


VARIANTS = (
    honest(DEVELOPMENT, "closed-book", "at-once", "Right from memory, without any tool.", each(_closed_book)),
    honest(DEVELOPMENT, "closed-book", "after-thought", "Right from memory, after thinking aloud.",
        each(_after_thought)),
    honest(DEVELOPMENT, "closed-book", "sum-only", "Right after one calculation.", each(_by_sum)),
)  # fmt: skip
