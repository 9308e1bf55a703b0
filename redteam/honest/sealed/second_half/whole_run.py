"""A whole honest run of 165 tasks: everything of this half at once, as it may well come."""

import random

import msgspec

from redteam.cases import Case, whole
from redteam.honest.sealed.second_half import answers, code, counting, prompting, tooling
from redteam.honest.sealed.second_half.working import variant
from redteam.making import RunMaker
from redteam.script import TaskScript, bend
from redteam.solving import honest_script
from redteam.world import LabTask

SIZE = 165
_ODD = (*answers.PER_TASK, *code.PER_TASK, *counting.PER_TASK, *prompting.PER_TASK, *tooling.PER_TASK)


def _one(task: LabTask, rng: random.Random) -> TaskScript:
    """Most tasks go as usual, a third in some odd way, a few break off."""
    fate = rng.random()
    if fate < 0.35:
        return rng.choice(_ODD)(task, rng)
    if fate < 0.4:
        return TaskScript(task=task, attempts=(counting.broken_off(task, rng),))
    return honest_script(task, rng, right=rng.random() < 0.65)


def _mixed(rng: random.Random, maker: RunMaker) -> Case:
    scripts = [_one(task, rng) for task in maker.tasks(SIZE)]
    at = rng.randint(20, 140)
    for number in range(at, at + 3):
        scripts[number] = bend(scripts[number], cut_off=1)
    return whole(msgspec.structs.replace(counting.run_of(), tasks=tuple(scripts)))


def _voting(rng: random.Random, maker: RunMaker) -> Case:
    """The same with three votes to a task: each vote may go its own way."""
    scripts = []
    for task in maker.tasks(SIZE):
        ways = [_one(task, rng) for _ in range(3)]
        attempts = tuple(attempt for way in ways for attempt in way.attempts)
        scripts.append(TaskScript(task=task, attempts=attempts))
    at = rng.randint(20, 140)
    for number in range(at, at + 2):
        scripts[number] = bend(scripts[number], cut_off=1)
    return whole(msgspec.structs.replace(counting.run_of(votes=3), tasks=tuple(scripts)))


VARIANTS = (
    variant("whole-run", "all-sorts", "165 tasks, a third of them odd in some way, and one crash.", _mixed),
    variant("whole-run", "all-sorts-with-votes", "The same with three votes to a task.", _voting),
)
