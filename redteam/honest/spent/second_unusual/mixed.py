"""Whole honest runs: 165 tasks, every honest way of working somewhere among them."""

import random

from redteam.cases import Case, Part, whole
from redteam.honest.declaring import honest
from redteam.honest.spent.second_unusual import reading, working
from redteam.making import RunMaker
from redteam.script import RunScript, TaskScript
from redteam.solving import honest_script
from redteam.world import LabTask

TASKS = 165


def _mixed(rng: random.Random, maker: RunMaker) -> Case:
    ways = [scripter for *_, scripter in (*reading.SCRIPTERS, *working.SCRIPTERS)]

    def one(task: LabTask) -> TaskScript:
        if rng.random() < 0.5:
            return honest_script(task, rng, right=rng.random() < 0.6)
        return rng.choice(ways)(task, rng)

    return whole(RunScript(tasks=tuple(map(one, maker.tasks(TASKS)))))


VARIANTS = (honest(Part.DEVELOPMENT, "whole-run", "all-ways", "165 tasks, done in every honest way.", _mixed),)
