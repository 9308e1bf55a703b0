"""Whole honest runs: 165 tasks, every honest way of working somewhere among them."""

import random

from gaia_harness.lab.cases import Case, Part, whole
from gaia_harness.lab.honest.declaring import honest
from gaia_harness.lab.honest.spent.second_unusual import reading, working
from gaia_harness.lab.making import RunMaker
from gaia_harness.lab.script import RunScript, TaskScript
from gaia_harness.lab.solving import honest_script
from gaia_harness.lab.world import LabTask

TASKS = 165


def _mixed(rng: random.Random, maker: RunMaker) -> Case:
    ways = [scripter for *_, scripter in (*reading.SCRIPTERS, *working.SCRIPTERS)]

    def one(task: LabTask) -> TaskScript:
        if rng.random() < 0.5:
            return honest_script(task, rng, right=rng.random() < 0.6)
        return rng.choice(ways)(task, rng)

    return whole(RunScript(tasks=tuple(map(one, maker.tasks(TASKS)))))


VARIANTS = (honest(Part.DEVELOPMENT, "whole-run", "all-ways", "165 tasks, done in every honest way.", _mixed),)
