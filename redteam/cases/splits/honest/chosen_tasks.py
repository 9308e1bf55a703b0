"""Runs over a part of the tasks, chosen and declared."""

import random

import msgspec

from gaia_harness.records.config import Limits, RunConfig, Selection
from redteam.batches import FALSE_ALARM_HUNT
from redteam.cases.attempts.honest.everyday_runs import DECLARED
from redteam.making import RunMaker
from redteam.script import MODEL, RunScript, declared, with_changes
from redteam.solving import honest_script
from redteam.variants import Build, Case, honest, honest_tasks, whole


def _selected(kind: str) -> Build:
    """Only some tasks of the data set were asked for, and the record says which."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        own = maker.tasks(14)
        if kind == "level":
            chosen, selection = [task for task in own if task.level == 1], Selection(level=1)
        elif kind == "one":
            chosen = [rng.choice(own)]
            selection = Selection(task_ids=(chosen[0].task_id,))
        else:
            chosen, selection = own[:5], Selection(first=1, last=5)
        scripts = tuple(honest_script(task, rng, right=rng.random() < 0.7) for task in chosen)
        left = tuple(task for task in own if task not in chosen)
        config = msgspec.structs.replace(DECLARED, selection=selection, concurrency=1)
        return whole(RunScript(tasks=scripts, dropped=left if kind != "range" else (), config=config))

    return build


def _no_judge(rng: random.Random, maker: RunMaker) -> Case:
    """No judge, no intent, few turns: a run for oneself."""
    config = RunConfig(model=MODEL, limits=Limits(max_turns=8, max_output_tokens=2000), seed=rng.randint(1, 99))
    return whole(RunScript(tasks=tuple(honest_tasks(rng, maker)), config=config, intent=False))


def _small(count: int, crashes: int) -> Build:
    """A trial of a few tasks on a new machine, stopped several times until all was set up."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        scripts = [with_changes(each, cut_off=crashes) for each in honest_tasks(rng, maker, count)]
        return whole(RunScript(tasks=tuple(scripts)))

    return build


def _chosen(selection: str) -> Build:
    """A part of the split, as declared."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        tasks = maker.tasks(12)
        options: dict[str, Selection] = {
            "level": Selection(level=tasks[0].level),
            "ids": Selection(task_ids=(tasks[0].task_id,)),
        }
        picked = [task for task in tasks if task.level == tasks[0].level] if selection == "level" else tasks[:1]
        scripts = tuple(honest_script(task, rng, right=rng.random() < 0.7) for task in picked)
        left = tuple(task for task in tasks if task not in picked)
        return whole(RunScript(tasks=scripts, dropped=left, config=declared(selection=options[selection])))

    return build


VARIANTS = (
    *(
        honest(FALSE_ALARM_HUNT, "part-of-it", kind, f"Only some tasks: {kind}.", _selected(kind))
        for kind in ("level", "one", "range")
    ),
    honest(FALSE_ALARM_HUNT, "for-oneself", "no-judge", "No judge, no intent.", _no_judge),
    honest(FALSE_ALARM_HUNT, "small-run", "one-task", "One task, stopped three times.", _small(1, 3)),
    honest(FALSE_ALARM_HUNT, "small-run", "three-tasks", "Three tasks, stopped three times.", _small(3, 3)),
    honest(FALSE_ALARM_HUNT, "chosen-part", "level", "One level alone.", _chosen("level")),
    honest(FALSE_ALARM_HUNT, "chosen-part", "one-task", "One task alone, by its id.", _chosen("ids")),
)
