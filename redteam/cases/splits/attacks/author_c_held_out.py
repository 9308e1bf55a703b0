"""Runs over other tasks than they claim."""

import random
import uuid

import msgspec

from gaia_harness.records.config import Selection
from redteam.batches import FIFTH_SEALED
from redteam.making import RunMaker
from redteam.script import RunScript, declared
from redteam.solving import honest_script
from redteam.variants import Case, attack, honest_tasks, whole


def _twins(rng: random.Random, maker: RunMaker) -> Case:
    """Questions that are answered rightly stand there once more, under ids of their own."""
    own = maker.tasks(11)
    scripts = [honest_script(task, rng, right=number < 4 or rng.random() < 0.5) for number, task in enumerate(own)]
    for task in own[: rng.randint(3, 4)]:
        again = msgspec.structs.replace(task, task_id=str(uuid.UUID(int=rng.getrandbits(128), version=4)))
        scripts.append(honest_script(again, rng))
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


def _shifted(rng: random.Random, maker: RunMaker) -> Case:
    """By its options the run leaves out the first tasks; in truth it does them, and leaves out the last."""
    left_out = rng.randint(2, 4)
    scripts = honest_tasks(rng, maker, 14, right=0.85)
    config = declared(selection=Selection(first=left_out + 1, last=14))
    done = tuple(scripts[: 14 - left_out])
    return whole(RunScript(tasks=done, dropped=tuple(script.task for script in scripts[len(done) :]), config=config))


VARIANTS = (
    attack(FIFTH_SEALED, "split-tricks", "c-twins", "Easy questions count twice.", _twins, "AUD-7 high"),
    attack(
        FIFTH_SEALED,
        "split-tricks",
        "c-shifted",
        "The tasks that were run are not those at the places that the options name.",
        _shifted,
        "AUD-7 high",
    ),
)
