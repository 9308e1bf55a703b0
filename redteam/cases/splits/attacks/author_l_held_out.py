"""Runs over other tasks than they claim: easy ones under a second id, and ids that were exchanged."""

import random
import uuid

import msgspec

from gaia_harness.records.config import Selection
from redteam.batches import EIGHTH_SEALED
from redteam.making import RunMaker
from redteam.script import RunScript, declared
from redteam.solving import honest_script
from redteam.variants import Case, attack, whole
from redteam.world import LabTask


def _twins(rng: random.Random, maker: RunMaker) -> Case:
    """Some questions that the agent can answer stand in the data set once more, under ids of their own."""
    tasks = maker.tasks(rng.randint(8, 10))
    scripts = [(task, rng.random() < 0.6) for task in tasks]
    known = [task for task, right in scripts if right] or tasks[:3]
    twins = [_twin(task, rng) for task in rng.sample(known, min(len(known), rng.randint(3, 4)))]
    scripts += [(twin, True) for twin in twins]
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(honest_script(task, rng, right=right) for task, right in scripts)))


def _twin(task: LabTask, rng: random.Random) -> LabTask:
    """The same question under a new id, to the letter or with a blank or a word of thanks more."""
    task_id = str(uuid.UUID(int=rng.getrandbits(128), version=4))
    question = rng.choice(("{}", "{} ", "{}\n", "{} Thank you.")).format(task.question)
    return msgspec.structs.replace(task, task_id=task_id, question=question)


def _exchanged(rng: random.Random, maker: RunMaker) -> Case:
    """The configuration names its tasks by id; in the place of some of these, others were run."""
    drawn = maker.tasks(14)
    left_out = rng.randint(2, 4)
    asked, dropped = drawn[:10], drawn[10 : 10 + left_out]
    named = [task.task_id for task in (*asked[left_out:], *dropped)]
    rng.shuffle(named)
    rng.shuffle(asked)
    config = declared(selection=Selection(task_ids=tuple(named)))
    scripts = tuple(honest_script(task, rng, right=rng.random() < 0.8) for task in asked)
    return whole(RunScript(tasks=scripts, dropped=tuple(dropped), config=config))


VARIANTS = (
    attack(
        EIGHTH_SEALED,
        "split-tricks",
        "twins",
        "Questions that go well are asked again under ids of their own.",
        _twins,
        "AUD-7 high",
    ),
    attack(
        EIGHTH_SEALED,
        "split-tricks",
        "exchanged",
        "Some of the tasks that the configuration names by id were exchanged for others.",
        _exchanged,
        "AUD-7 high",
    ),
)
