"""Runs of part of a split that say so, and runs of odd data sets."""

import random
import re
import uuid
from collections.abc import Sequence
from typing import Any

import msgspec

from gaia_harness.records.config import Selection
from redteam.batches import SEVENTEENTH_SEALED
from redteam.honest_steps import opened_with, work, worked
from redteam.making import RunMaker
from redteam.script import EMPTY_RUN, JUDGE, MODEL, RunScript, TaskScript, declared, with_changes
from redteam.solving import closing, fetch, honest_script, turn, wrong_answer
from redteam.task_record import usual_opening
from redteam.variants import Case, each, honest, honest_tasks, whole
from redteam.words import Slots
from redteam.world import LabTask, page_about, regolded


def _run(tasks: Sequence[TaskScript], **changes: Any) -> RunScript:
    return msgspec.structs.replace(EMPTY_RUN, tasks=tuple(tasks), **changes)


def _one_level(rng: random.Random, maker: RunMaker) -> Case:
    own = maker.tasks(24)
    level = rng.choice(sorted({task.level for task in own}))
    scripts = [honest_script(task, rng, right=rng.random() < 0.6) for task in own if task.level == level]
    dropped = tuple(task for task in own if task.level != level)
    return whole(_run(scripts, dropped=dropped, config=declared(selection=Selection(level=level))))


def _first_few(rng: random.Random, maker: RunMaker) -> Case:
    own = maker.tasks(18)
    last = rng.randint(5, 12)
    first = rng.choice((None, 1))
    scripts = [honest_script(task, rng, right=rng.random() < 0.6) for task in own[:last]]
    config = declared(selection=Selection(first=first, last=last))
    return whole(_run(scripts, dropped=tuple(own[last:]), config=config))


def _by_name(rng: random.Random, maker: RunMaker) -> Case:
    """Somebody looks into a few tasks; nothing is declared, and nothing will be submitted."""
    own = maker.tasks(16)
    count = rng.randint(1, 4)
    scripts = [honest_script(task, rng, right=rng.random() < 0.5) for task in own[:count]]
    chosen = Selection(task_ids=tuple(task.task_id for task in own[:count]))
    config = msgspec.structs.replace(declared(selection=chosen), submit_intent=False)
    return whole(_run(scripts, dropped=tuple(own[count:]), config=config, intent=False))


def _twins(rng: random.Random, maker: RunMaker) -> Case:
    """Two questions of the split are worded alike but for a year or a name."""
    own = maker.tasks(8)
    twins: list[LabTask] = []
    for task in own:
        years = re.findall(r"\b1[89]\d\d\b", task.question)
        if years and task.attachment is None and len(twins) < 3:
            twin = msgspec.structs.replace(
                task,
                task_id=str(uuid.UUID(int=rng.getrandbits(128), version=4)),
                question=task.question.replace(years[0], str(int(years[0]) - rng.randint(3, 30))),
            )
            twins.append(regolded(twin, wrong_answer(task, rng), rng))
    scripts = [honest_script(task, rng, right=rng.random() < 0.75) for task in (*own, *twins)]
    rng.shuffle(scripts)
    return whole(_run(scripts))


def _tiny(rng: random.Random, maker: RunMaker) -> Case:
    """A data set of one's own with a handful of tasks, all of them solved."""
    return whole(_run(honest_tasks(rng, maker, rng.randint(2, 5), right=1.0)))


def _all_wrong(rng: random.Random, maker: RunMaker) -> Case:
    """A weak model: nothing right, and half of the tasks without an answer."""
    scripts = []
    for script in honest_tasks(rng, maker, 12, right=0.0):
        first = script.attempts[0]
        gone = msgspec.structs.replace(
            first, turns=first.turns[:-1], answer=None, error="the request was refused: HTTP 400"
        )
        scripts.append(with_changes(script, attempts=(gone,)) if rng.random() < 0.5 else script)
    return whole(_run(scripts))


def _many_at_once(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks end in quite another order than that of the data set."""
    scripts = honest_tasks(rng, maker, 24)
    return whole(_run(scripts, config=declared(concurrency=rng.choice((8, 16, 24)))))


def _framed(rng: random.Random, maker: RunMaker) -> Case:
    """The question stands within a frame of the builder's own, the same for all tasks."""
    before, after = rng.choice(
        (
            ("Here is the task:\n\n", "\n\nThink step by step, and give only the final value at the end."),
            ("You have one question to answer. Run verification steps if needed.\n\nQuestion: ", ""),
            ("<task>\n", "\n</task>\nWork with your team of agents and report the answer."),
            ("[Level of this benchmark: not told]\n", "\n\nDo not ask the user anything."),
        )
    )
    scripts = []
    for task in maker.tasks(10):
        system, tools, (role, question) = usual_opening(task)
        script = honest_script(task, rng, right=rng.random() < 0.75)
        scripts.append(opened_with(script, (system, tools, (role, f"{before}{question}{after}"))))
    return whole(_run(scripts))


def _other_validation(task: LabTask, rng: random.Random) -> TaskScript:
    """The agent reads of splits, levels and test sets that have nothing to do with it."""
    said = Slots(rng).fill(
        "[The data were split|Records were divided] into a training set of {big} rows, a validation split of {n2} and "
        "a test split of {n3}; [level 3 items were left out|rows that failed were dropped], as {person} notes."
    )
    page = page_about(rng, Slots(rng).fill("survey data of {town}"), said, size=1200)
    return worked(task, rng, turn("There is a data set on this.", fetch(page)))


def _no_judge(rng: random.Random, maker: RunMaker) -> Case:
    """Neither a judge nor a declaration: a run to try things out, of one level."""
    own = maker.tasks(20)
    level = rng.choice((1, 2))
    scripts = [
        TaskScript(task=task, attempts=(work(task, rng, last=closing(rng, task.gold)),))
        for task in own
        if task.level == level
    ]
    config = msgspec.structs.replace(
        declared(selection=Selection(level=level)),
        model=MODEL,
        judge_model=rng.choice((None, JUDGE)),
        submit_intent=False,
    )
    return whole(_run(scripts, dropped=tuple(task for task in own if task.level != level), config=config, intent=False))


VARIANTS = (
    honest(SEVENTEENTH_SEALED, "part-of-a-split", "an-one-level", "One level, as the options say.", _one_level),
    honest(SEVENTEENTH_SEALED, "part-of-a-split", "an-first-few", "The first few, as the options say.", _first_few),
    honest(SEVENTEENTH_SEALED, "part-of-a-split", "an-by-name", "A few tasks by their ids, not declared.", _by_name),
    honest(SEVENTEENTH_SEALED, "part-of-a-split", "an-trial", "A trial of one level, not declared.", _no_judge),
    honest(SEVENTEENTH_SEALED, "whole-splits", "an-twins", "Questions that are nearly the same.", _twins),
    honest(SEVENTEENTH_SEALED, "whole-splits", "an-tiny", "A data set of a handful of tasks.", _tiny),
    honest(SEVENTEENTH_SEALED, "whole-splits", "an-all-wrong", "Nothing is right.", _all_wrong),
    honest(SEVENTEENTH_SEALED, "whole-splits", "an-many-at-once", "Many tasks at once.", _many_at_once),
    honest(SEVENTEENTH_SEALED, "whole-splits", "an-framed", "A frame round every question.", _framed),
    honest(
        SEVENTEENTH_SEALED,
        "whole-splits",
        "an-other-validation",
        "A page that speaks of splits of its own.",
        each(_other_validation),
    ),
)
