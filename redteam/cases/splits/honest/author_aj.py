"""Honest runs of a part of a split, of one without answers, and of splits with odd rows."""

import random
import uuid
from typing import Any

import msgspec

from gaia_harness.records.config import RunConfig, Selection
from redteam.batches import SIXTEENTH_SEALED
from redteam.making import RunMaker
from redteam.script import MODEL, Attempt, RunScript, TaskScript, declared, with_changes
from redteam.solving import honest_script
from redteam.variants import Case, honest, whole
from redteam.words import Slots, seeded
from redteam.world import LabTask, page_about

Json = dict[str, Any]


def _solved(tasks: list[LabTask], rng: random.Random, right: float = 0.6) -> tuple[TaskScript, ...]:
    return tuple(honest_script(task, rng, right=rng.random() < right) for task in tasks)


def _one_level(rng: random.Random, maker: RunMaker) -> Case:
    tasks = maker.tasks(30)
    level = rng.choice((1, 2, 3))
    run = RunScript(
        tasks=_solved([task for task in tasks if task.level == level], rng),
        dropped=tuple(task for task in tasks if task.level != level),
        config=declared(selection=Selection(level=level)),
    )
    return whole(run)


def _first_few(rng: random.Random, maker: RunMaker) -> Case:
    tasks = maker.tasks(20)
    last = rng.randint(5, 12)
    run = RunScript(
        tasks=_solved(tasks[:last], rng),
        dropped=tuple(tasks[last:]),
        config=declared(selection=Selection(first=1, last=last)),
    )
    return whole(run)


def _looked_into(rng: random.Random, maker: RunMaker) -> Case:
    """A few tasks that somebody debugs, by their ids; nobody means to submit it."""
    tasks = maker.tasks(14)
    chosen = tasks[: rng.randint(2, 4)]
    selection = Selection(task_ids=tuple(task.task_id for task in chosen))
    run = RunScript(
        tasks=_solved(chosen, rng, right=0.3),
        dropped=tuple(tasks[len(chosen) :]),
        config=RunConfig(model=MODEL, selection=selection),
        intent=False,
    )
    return whole(run)


def _without_answers(rng: random.Random, maker: RunMaker) -> Case:
    """The test split: nobody here knows the answers, and no score is claimed."""

    def unscored(line: Json) -> None:
        line["correct"] = line["expected_output"] = None
        line["scoring"]["rule"] = line["voting"]["first_attempt_correct"] = None

    def unclaimed(summary: Json) -> None:
        for name in ("passed", "pass_rate", "pass_rate_interval_95", "passed_first_attempt"):
            summary[name] = None
        summary["levels"] = dict.fromkeys(summary["levels"])

    def secret(row: Json) -> None:
        row["Final answer"] = "?"
        row["Annotator Metadata"] = None

    scripts = tuple(with_changes(script, edit_result=unscored) for script in _solved(maker.tasks(12), rng))
    config = RunConfig(model=MODEL, submit_intent=True)
    run = RunScript(tasks=scripts, config=config, split="test", edit_rows=secret, edit_summary=unclaimed)
    return whole(run)


def _nearly_the_same(rng: random.Random, maker: RunMaker) -> Case:
    """A split with pairs of questions that differ in a name alone."""
    drawn = seeded("pairs", maker.seed)
    tasks = maker.tasks(8)
    pairs = []
    for task in drawn.sample([task for task in tasks if task.attachment is None], 3):
        slots = Slots(drawn)
        town, gold = slots.fill("{town}"), slots.fill("{n}")
        topic = f"{task.topic}, at {town}"
        fact = f"For {town} the list has {gold}."
        page = page_about(drawn, topic, fact)
        pairs.append(
            msgspec.structs.replace(
                task,
                task_id=str(uuid.UUID(int=drawn.getrandbits(128), version=4)),
                question=f"{task.question} Give the figure for {town}.",
                gold=gold,
                topic=topic,
                fact=fact,
                steps=f"1. Searched for {topic}.\n2. Read: {fact}",
                sources=(page, *(page_about(drawn, f"{topic}, {what}", size=700) for what in ("maps", "letters"))),
            )
        )
    return whole(RunScript(tasks=_solved([*tasks, *pairs], rng)))


def _rows_of_another_export(rng: random.Random, maker: RunMaker) -> Case:
    """Rows with columns of their own, levels as numbers, and empty fields."""
    exported = rng.choice(("2026-08-01", "2026-10-12"))

    def export(row: Json) -> None:
        row["Level"] = int(row["Level"])
        row["exported"] = exported
        row["language"] = "en"
        if not row["file_name"]:
            row["file_path"] = None
        row["Annotator Metadata"] = row["Annotator Metadata"] | {"Comment": ""}

    return whole(RunScript(tasks=_solved(maker.tasks(10), rng), edit_rows=export))


def _many_without_answer(rng: random.Random, maker: RunMaker) -> Case:
    """All tasks are there, and a good part came to no answer."""
    scripts = list(_solved(maker.tasks(12), rng))
    for at in rng.sample(range(len(scripts)), 4):
        turns = scripts[at].attempts[0].turns[:-1]
        error = rng.choice(("no answer within 30 turns", "--task-timeout 900 is over"))
        scripts[at] = with_changes(scripts[at], attempts=(Attempt(turns=turns, answer=None, error=error),))
    return whole(RunScript(tasks=tuple(scripts)))


def _level_in_two_sittings(rng: random.Random, maker: RunMaker) -> Case:
    """A range within a level, with a crash on the way."""
    tasks = maker.tasks(40)
    of_level = [task for task in tasks if task.level == 1]
    count = min(len(of_level), rng.randint(7, 10))
    scripts = list(_solved(of_level[:count], rng))
    at = rng.randrange(2, count)
    scripts[at] = with_changes(scripts[at], cut_off=1)
    run = RunScript(
        tasks=tuple(scripts),
        dropped=(*of_level[count:], *(task for task in tasks if task.level != 1)),
        config=declared(selection=Selection(level=1, first=1, last=count), concurrency=1),
    )
    return whole(run)


VARIANTS = (
    honest(
        SIXTEENTH_SEALED,
        "a-part-and-said-so",
        "one-level",
        "All tasks of one level, as the options say.",
        _one_level,
    ),
    honest(
        SIXTEENTH_SEALED,
        "a-part-and-said-so",
        "first-few",
        "The first tasks of the split, as the options say.",
        _first_few,
    ),
    honest(
        SIXTEENTH_SEALED,
        "a-part-and-said-so",
        "looked-into-by-id",
        "A few tasks by their ids, in a run that is not declared.",
        _looked_into,
    ),
    honest(
        SIXTEENTH_SEALED,
        "a-part-and-said-so",
        "level-in-two-sittings",
        "A range within a level, with one crash.",
        _level_in_two_sittings,
    ),
    honest(
        SIXTEENTH_SEALED,
        "all-of-an-odd-split",
        "no-answers-known",
        "The test split, with no score.",
        _without_answers,
    ),
    honest(
        SIXTEENTH_SEALED,
        "all-of-an-odd-split",
        "questions-nearly-the-same",
        "Pairs of questions that differ in a few words.",
        _nearly_the_same,
    ),
    honest(
        SIXTEENTH_SEALED,
        "all-of-an-odd-split",
        "rows-of-another-export",
        "Rows with more columns, and levels as numbers.",
        _rows_of_another_export,
    ),
    honest(
        SIXTEENTH_SEALED,
        "all-of-an-odd-split",
        "many-without-an-answer",
        "A third of the tasks came to no answer, and counts as wrong.",
        _many_without_answer,
    ),
)
