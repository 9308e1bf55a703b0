"""A whole honest run of 165 tasks, in which much of what is odd elsewhere here happens once or twice."""

import random

from redteam.cases import Build, Case, whole
from redteam.honest.spent.fourth_sealed import (
    answers,
    attached,
    namesakes,
    own_notes,
    own_words,
    surroundings,
    troubles,
)
from redteam.honest.spent.fourth_sealed.shapes import shaped, solved, variant
from redteam.honest.spent.fourth_sealed.siblings import sisters
from redteam.making import RunMaker
from redteam.script import RunScript, TaskScript
from redteam.solving import honest_script

TASKS, SHAPED, SISTERS = 165, 36, 3
_ODD = tuple(
    scripter
    for module in (own_words, own_notes, namesakes, troubles, answers, attached, surroundings)
    for scripter in module.SCRIPTERS
)


def _mixed(share: float, *, crash: bool) -> Build:
    """Of the tasks about `share` go in an odd way, each way in turn; a few come to no answer."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        ways = rng.sample(_ODD, len(_ODD))
        tasks = [*shaped(maker, SHAPED), *maker.tasks(TASKS - SHAPED - SISTERS)]
        scripts = [solved(task, rng) for task in sisters(rng, maker, SISTERS)]
        for number, task in enumerate(tasks):
            if rng.random() < 0.04:
                scripts.append(TaskScript(task=task, attempts=(troubles.given_up(task, rng),)))
            elif task.attachment is None and rng.random() < share:
                scripts.append(ways[number % len(ways)](task, rng))
            else:
                scripts.append(honest_script(task, rng, right=rng.random() < 0.6))
        rng.shuffle(scripts)
        return whole(RunScript(tasks=tuple(troubles.crashed(scripts, rng) if crash else scripts)))

    return build


VARIANTS = (
    variant("whole-run", "mixed", "165 tasks, about half of them in odd ways.", _mixed(0.5, crash=False)),
    variant(
        "whole-run", "mixed-with-a-crash", "165 tasks, a third in odd ways, and a crash.", _mixed(0.33, crash=True)
    ),
)
