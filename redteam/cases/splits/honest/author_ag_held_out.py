"""Runs of exactly the tasks that they name, in ways that look odd: declared parts, sister questions, shared files."""

import random
from typing import Any

import msgspec

from gaia_harness.records.config import Selection
from redteam.batches import FIFTEENTH_SEALED
from redteam.making import RunMaker
from redteam.script import Attempt, RunScript, TaskScript, Turn, declared
from redteam.solving import honest_attempt, honest_script
from redteam.variants import Case, honest, honest_tasks, whole
from redteam.world import LabTask, tasks_asking


def _scripts(tasks: list[LabTask], rng: random.Random, right: float = 0.7) -> tuple[TaskScript, ...]:
    return tuple(honest_script(task, rng, right=rng.random() < right) for task in tasks)


def _one_level(rng: random.Random, maker: RunMaker) -> Case:
    """A declared run of one level: the others are in the data set, and were never meant."""
    every = maker.tasks(40)
    level = rng.choice((1, 2))
    meant = [task for task in every if task.level == level]
    others = [task for task in every if task.level != level][: rng.randint(4, 9)]
    config = declared(selection=Selection(level=level))
    return whole(RunScript(tasks=_scripts(meant, rng), dropped=tuple(others), config=config))


def _first_few(rng: random.Random, maker: RunMaker) -> Case:
    """A declared run of the first tasks of the data set, to see what it costs."""
    every = maker.tasks(18)
    last = rng.randint(6, 12)
    first = rng.choice((None, 1))
    config = declared(selection=Selection(first=first, last=last))
    return whole(RunScript(tasks=_scripts(every[:last], rng), dropped=tuple(every[last:]), config=config))


def _sisters(rng: random.Random, maker: RunMaker) -> Case:
    """The data set asks nearly the same question of several towns, ships and years."""
    kind = rng.choice(("{colour}", "{person}", "{n}", "{big}"))
    tasks = tasks_asking(maker.seed, rng.randint(9, 14), kind)
    return whole(RunScript(tasks=_scripts(tasks, rng)))


def _shared_file(rng: random.Random, maker: RunMaker) -> Case:
    """Several tasks come with the same file, byte for byte, under their own ids."""
    with_file = [task for task in maker.tasks(160) if task.attachment is not None][: rng.randint(3, 5)]
    file = with_file[0].attachment
    tasks = [msgspec.structs.replace(task, attachment=file) for task in with_file]
    ids = {task.task_id for task in tasks}
    tasks += [task for task in maker.tasks(12) if task.task_id not in ids]
    rng.shuffle(tasks)
    return whole(RunScript(tasks=_scripts(tasks, rng)))


def _more_columns(rng: random.Random, maker: RunMaker) -> Case:
    """The data set on disk has columns of its owner's, and its own order of them."""
    names = rng.sample(("tags", "notes", "checked_by", "split_seed", "source", "n_tokens"), rng.randint(1, 4))
    order = rng.random() < 0.5

    def more(row: dict[str, Any]) -> None:
        for name in names:
            row[name] = f"{name}-{len(row['Question']) % 7}"
        if order:
            items = sorted(row.items())
            row.clear()
            row.update(items)

    return whole(RunScript(tasks=tuple(honest_tasks(rng, maker, 11)), edit_rows=more))


def _out_of_order(rng: random.Random, maker: RunMaker) -> Case:
    """Many tasks at once: they come to their ends in quite another order than that of the split."""
    config = declared(concurrency=rng.choice((1, 8, 16)))
    scripts = []
    for task in maker.tasks(14):
        script = honest_script(task, rng, right=rng.random() < 0.7)
        if rng.random() < 0.4:
            first = script.attempts[0]
            longer = (*first.turns[:-1] * rng.randint(2, 5), first.turns[-1])
            script = TaskScript(task=task, attempts=(Attempt(turns=longer),))
        scripts.append(script)
    return whole(RunScript(tasks=tuple(scripts), config=config))


def _failing(rng: random.Random, maker: RunMaker) -> Case:
    """A weak model: most tasks end without an answer, and all are counted."""
    scripts = []
    for task in maker.tasks(12):
        if rng.random() < 0.7:
            steps = honest_attempt(task, rng, right=False).turns[:-1]
            error = rng.choice((None, "the task took longer than 1800 s", "no answer within 30 turns"))
            attempt = Attempt(turns=(*steps, Turn(words="I will look further.")), error=error)
            scripts.append(TaskScript(task=task, attempts=(attempt,)))
        else:
            scripts.append(honest_script(task, rng, right=rng.random() < 0.3))
    return whole(RunScript(tasks=tuple(scripts)))


VARIANTS = (
    honest(FIFTEENTH_SEALED, "declared-part", "one-level", "A declared run of one level of the split.", _one_level),
    honest(FIFTEENTH_SEALED, "declared-part", "first-few", "A declared run of the first tasks.", _first_few),
    honest(FIFTEENTH_SEALED, "odd-data-set", "sisters", "Questions of one kind, nearly alike.", _sisters),
    honest(
        FIFTEENTH_SEALED, "odd-data-set", "shared-file", "Several tasks come with one and the same file.", _shared_file
    ),
    honest(FIFTEENTH_SEALED, "odd-data-set", "more-columns", "A data set with columns of its owner's.", _more_columns),
    honest(
        FIFTEENTH_SEALED, "odd-course", "out-of-order", "Tasks end in another order than the split's.", _out_of_order
    ),
    honest(FIFTEENTH_SEALED, "odd-course", "failing", "Most tasks have no answer, and all are counted.", _failing),
)
