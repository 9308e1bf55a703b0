"""Runs over a part of the tasks that say so, and data sets whose questions or answers are alike."""

import random
import uuid
from typing import Any

import msgspec

from gaia_harness.records.config import Selection
from gaia_harness.records.events import RunClosed
from redteam.batches import NINTH_SEALED
from redteam.making import RunMaker
from redteam.script import RunScript, TaskScript, declared, with_changes
from redteam.solving import honest_script
from redteam.variants import Case, among, honest, honest_tasks, whole
from redteam.words import Slots
from redteam.world import LabTask, page_about, tasks_asking


def _one_level(rng: random.Random, maker: RunMaker) -> Case:
    """All tasks of one level, and none of the others."""
    level = rng.choice((1, 2))
    asked = maker.tasks(36)
    own = [task for task in asked if task.level == level]
    others = [task for task in asked if task.level != level]
    scripts = [honest_script(task, rng, right=rng.random() < 0.7) for task in own]
    return whole(
        RunScript(tasks=tuple(scripts), dropped=tuple(others), config=declared(selection=Selection(level=level)))
    )


def _first_few(rng: random.Random, maker: RunMaker) -> Case:
    """The first few tasks of many, to see whether all is set up well: every one of them right."""
    count = rng.randint(3, 6)
    asked = maker.tasks(30)
    scripts = [honest_script(task, rng) for task in asked[:count]]
    config = declared(selection=Selection(first=1, last=count))
    return whole(RunScript(tasks=tuple(scripts), dropped=tuple(asked[count:]), config=config))


def _by_ids(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks named one by one on the command line, such as those with a file."""
    asked = maker.tasks(60)
    own = [task for task in asked if task.attachment is not None]
    own += rng.sample([task for task in asked if task.attachment is None], rng.randint(3, 6))
    names = tuple(task.task_id for task in own)
    others = [task for task in asked if task.task_id not in names]
    scripts = [honest_script(task, rng, right=rng.random() < 0.6) for task in own]
    config = declared(selection=Selection(task_ids=names))
    return whole(RunScript(tasks=tuple(scripts), dropped=tuple(others), config=config))


def _sisters(rng: random.Random) -> list[LabTask]:
    """Three questions that tell the same story, and ask for three things."""
    slots = Slots(rng)
    story = slots.fill(
        "The harbour office of {town} keeps a register of boats that {person} began in {year} and {person2} kept up "
        "until the [flood|great frost|move to {town2}]. Its [second|third|last] volume lists owners, berths and sums "
        "paid, and was copied by a {craft} for the museum on {island}."
    )
    parts = (
        ("How many boats does that volume list? Digits only.", "{n}", "It lists {n} boats."),
        ("Who owned the boat at the first berth? Give the full name.", "{person3}", "The first berth was {person3}'s."),
        ("In which year does that volume end? Four digits.", "{year2}", "Its last entry is of {year2}."),
    )
    found = []
    for ask, gold, fact in parts:
        said, told = slots.fill(gold), slots.fill(fact)
        topic = slots.fill("boat register of {town}")
        pages = [
            page_about(rng, topic, told),
            page_about(rng, f"{topic}, an overview"),
            page_about(rng, f"{topic}, maps"),
        ]
        found.append(
            LabTask(
                task_id=str(uuid.UUID(int=rng.getrandbits(128), version=4)),
                question=f"{story} {ask}",
                level=rng.choice((1, 2)),
                gold=said,
                steps=f"1. Searched for the {topic}.\n2. Read: {told}\n3. Wrote down the answer.",
                topic=topic,
                fact=told,
                quote="",
                sources=tuple(pages),
            )
        )
    return found


def _same_story(rng: random.Random, maker: RunMaker) -> Case:
    """Two stories with three questions each, among six other tasks."""
    asked = [*_sisters(rng), *_sisters(rng)]
    return among(
        rng, maker, lambda task, rng: honest_script(task, rng, right=rng.random() < 0.8), tasks=asked, company=6
    )


def _same_answers(rng: random.Random, maker: RunMaker) -> Case:
    """Half of the questions are to be answered with yes or no, or with the name of a colour or metal."""
    asked = tasks_asking(maker.seed, 9, "{yesno}", "{colour}", "{metal}")
    scripts = [honest_script(task, rng) for task in asked]
    scripts += honest_tasks(rng, maker, 6)
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


def _given_up(rng: random.Random, maker: RunMaker) -> Case:
    """The run is closed as aborted after some tasks, and claims nothing else."""
    done = rng.randint(4, 7)
    scripts: list[TaskScript] = honest_tasks(rng, maker, 12, right=0.5)
    scripts[done:] = [with_changes(script, lines=0, in_log=False) for script in scripts[done:]]

    def edit_log(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        closed = RunClosed(
            status="aborted", tasks=12, finished=done, attempts=done, submittable=False, time=events[-1]["time"]
        )
        return [*events, msgspec.to_builtins(closed)]

    def edit_record(record: dict[str, Any]) -> None:
        record["state"] = "aborted"

    def edit_summary(summary: dict[str, Any]) -> None:
        summary.update(submittable=False, non_submittable_reasons=["the run was abandoned"])

    return whole(
        RunScript(
            tasks=tuple(scripts), closed=False, edit_log=edit_log, edit_record=edit_record, edit_summary=edit_summary
        )
    )


VARIANTS = (
    honest(
        NINTH_SEALED,
        "declared-parts",
        "one-level",
        "All tasks of one level, as the options say.",
        _one_level,
    ),
    honest(
        NINTH_SEALED,
        "declared-parts",
        "first-few-all-right",
        "The first three to six tasks of many, as the options say, and every answer right.",
        _first_few,
    ),
    honest(
        NINTH_SEALED,
        "declared-parts",
        "named-one-by-one",
        "Tasks that the options name by their ids.",
        _by_ids,
    ),
    honest(
        NINTH_SEALED,
        "declared-parts",
        "given-up",
        "A run that was abandoned after a few tasks, and says so.",
        _given_up,
    ),
    honest(
        NINTH_SEALED,
        "alike-tasks",
        "three-to-a-story",
        "Several questions share all of their text but the last sentence.",
        _same_story,
    ),
    honest(
        NINTH_SEALED,
        "alike-tasks",
        "same-few-answers",
        "Many questions have the same few answers: yes, no, a colour, a metal.",
        _same_answers,
    ),
)
