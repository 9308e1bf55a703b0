"""Honest runs over a whole split or a part of it: samples, single tasks, interruptions, questions that are alike."""

import random
import uuid
from typing import Any

import msgspec

from gaia_harness.records.config import Selection
from redteam.batches import TWENTIETH_SEALED
from redteam.making import RunMaker
from redteam.script import EMPTY_RUN, RunScript, TaskScript, declared, with_changes
from redteam.solving import honest_script
from redteam.variants import Case, honest, honest_tasks, whole
from redteam.words import Slots
from redteam.world import LabTask, quoting_tasks, regolded, tasks_asking

Line = dict[str, Any]


def _run(scripts: list[TaskScript], **changes: Any) -> RunScript:
    return msgspec.structs.replace(EMPTY_RUN, tasks=tuple(scripts), **changes)


def _solved(tasks: list[LabTask], rng: random.Random, right: float = 0.65) -> list[TaskScript]:
    return [honest_script(task, rng, right=rng.random() < right) for task in tasks]


def _first_few(rng: random.Random, maker: RunMaker) -> Case:
    tasks = maker.tasks(20)
    last = rng.randint(5, 12)
    first = rng.choice((None, 1))
    selection = Selection(first=first, last=last)
    return whole(_run(_solved(tasks[:last], rng), dropped=tuple(tasks[last:]), config=declared(selection=selection)))


def _one_level(rng: random.Random, maker: RunMaker) -> Case:
    level = rng.choice((1, 2, 3))
    tasks = maker.tasks(40)
    asked = [task for task in tasks if task.level == level]
    rest = tuple(task for task in tasks if task.level != level)
    return whole(_run(_solved(asked, rng), dropped=rest, config=declared(selection=Selection(level=level))))


def _drawn_by_lot(rng: random.Random, maker: RunMaker) -> Case:
    """A pilot over tasks drawn by lot, with as many failures as usual."""
    tasks = maker.tasks(30)
    drawn = sorted(rng.sample(range(30), rng.randint(8, 12)))
    asked = [tasks[place] for place in drawn]
    rest = tuple(task for place, task in enumerate(tasks) if place not in drawn)
    config = declared(selection=Selection(task_ids=tuple(task.task_id for task in asked)), seed=rng.randint(1, 99))
    return whole(_run(_solved(asked, rng, 0.4), dropped=rest, config=config))


def _one_task(rng: random.Random, maker: RunMaker) -> Case:
    tasks = maker.tasks(10)
    selection = Selection(task_ids=(tasks[0].task_id,))
    return whole(_run(_solved(tasks[:1], rng, 0.5), dropped=tuple(tasks[1:]), config=declared(selection=selection)))


def _everything_wrong(rng: random.Random, maker: RunMaker) -> Case:
    return whole(_run(honest_tasks(rng, maker, rng.randint(8, 12), right=0.0)))


def _everything_right(rng: random.Random, maker: RunMaker) -> Case:
    return whole(_run(honest_tasks(rng, maker, rng.randint(8, 12), right=1.1)))


def _switched_off(rng: random.Random, maker: RunMaker) -> Case:
    """The machine was switched off: what is not done has no line, and the run says that it is not closed."""
    tasks = maker.tasks(12)
    done = rng.randint(4, 9)
    scripts = _solved(tasks[:done], rng)
    scripts += [with_changes(entry, lines=0, in_log=False) for entry in _solved(tasks[done:], rng)]
    return whole(_run(scripts, closed=False))


def _one_at_a_time(rng: random.Random, maker: RunMaker) -> Case:
    return whole(_run(honest_tasks(rng, maker, 8, right=0.6), config=declared(concurrency=1)))


def _some_without_answer(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that the model's provider refused stand in the results without an answer, and count as wrong."""
    scripts = honest_tasks(rng, maker, 10, right=0.7)
    for place in rng.sample(range(10), rng.randint(1, 3)):
        attempt = scripts[place].attempts[0]
        silent = msgspec.structs.replace(
            attempt, turns=attempt.turns[:-1], answer=None, error="the model failed: HTTP 400: refused"
        )
        scripts[place] = with_changes(scripts[place], attempts=(silent,))
    return whole(_run(scripts))


def _series(rng: random.Random, maker: RunMaker) -> Case:
    """Several questions of one series, worded nearly alike, about different things."""
    alike = tasks_asking((maker.seed, "aw-series"), rng.randint(4, 6), rng.choice(("21:{n}", "${dec}", "{yesno}")))
    scripts = _solved([*alike, *maker.tasks(5)], rng)
    rng.shuffle(scripts)
    return whole(_run(scripts))


def _new_id(rng: random.Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def _one_file_for_two(rng: random.Random, maker: RunMaker) -> Case:
    """Two questions come with the same file, and ask different things about it."""
    tasks = maker.tasks(80)
    one = next(task for task in tasks[10:] if task.attachment is not None)
    assert one.attachment is not None  # noqa: S101
    kind = rng.choice(("late", "returned", "ok"))
    count = sum(line.endswith(f",{kind}") for line in one.attachment.text.splitlines())
    asked = Slots(rng).fill("[How many entries|In how many rows of the attached file|How often]")
    other = msgspec.structs.replace(
        regolded(one, str(count), rng),
        task_id=_new_id(rng),
        question=f'{asked} has the last column the word "{kind}"? Answer with a number.',
        attachment=one.attachment,
    )
    scripts = _solved([one, other, *tasks[:8]], rng, 0.8)
    rng.shuffle(scripts)
    return whole(_run(scripts))


def _one_quotation_for_two(rng: random.Random, maker: RunMaker) -> Case:
    """Two questions quote the same lines, and ask for different things."""
    one = next(task for task in quoting_tasks((maker.seed, "aw-quoting"), 10) if task.quote)
    year = Slots(rng).fill("{year}")
    other = msgspec.structs.replace(
        regolded(one, year, rng),
        task_id=_new_id(rng),
        question=f'In which year was this first put into print: "{one.quote}"? Only the year is needed.',
    )
    scripts = _solved([one, other, *maker.tasks(8)], rng, 0.8)
    rng.shuffle(scripts)
    return whole(_run(scripts))


def _more_columns(rng: random.Random, maker: RunMaker) -> Case:
    """The folder was exported by a tool that adds columns and leaves some out."""
    number = iter(range(10_000))
    metadata = rng.random() < 0.5

    def edit(row: Line) -> None:
        row["__index_level_0__"] = next(number)
        row["split_part"] = rng.choice(("a", "b"))
        if metadata:
            row["Annotator Metadata"] = {}

    return whole(_run(honest_tasks(rng, maker, right=0.65), edit_rows=edit))


VARIANTS = (
    honest(
        TWENTIETH_SEALED,
        "parts-of-a-split",
        "aw-first-few",
        "Only the first tasks of the split are asked, and the run says so.",
        _first_few,
    ),
    honest(
        TWENTIETH_SEALED,
        "parts-of-a-split",
        "aw-one-level",
        "All tasks of one level are asked, and no others.",
        _one_level,
    ),
    honest(
        TWENTIETH_SEALED,
        "parts-of-a-split",
        "aw-drawn-by-lot",
        "A pilot over tasks drawn by lot and named by their ids, most of which go wrong.",
        _drawn_by_lot,
    ),
    honest(
        TWENTIETH_SEALED,
        "parts-of-a-split",
        "aw-one-task",
        "A single task is asked, to try the setup.",
        _one_task,
    ),
    honest(
        TWENTIETH_SEALED,
        "whole-splits",
        "aw-everything-wrong",
        "A weak agent gets nothing right.",
        _everything_wrong,
    ),
    honest(
        TWENTIETH_SEALED,
        "whole-splits",
        "aw-everything-right",
        "A good agent gets all of a small split right, with work for each.",
        _everything_right,
    ),
    honest(
        TWENTIETH_SEALED,
        "whole-splits",
        "aw-one-at-a-time",
        "The tasks are done one after the other, not several at once.",
        _one_at_a_time,
    ),
    honest(
        TWENTIETH_SEALED,
        "whole-splits",
        "aw-some-without-answer",
        "Some tasks end in an error, stand in the results and count as wrong.",
        _some_without_answer,
    ),
    honest(
        TWENTIETH_SEALED,
        "whole-splits",
        "aw-switched-off",
        "The machine was switched off: the run is not closed, and says so.",
        _switched_off,
    ),
    honest(
        TWENTIETH_SEALED,
        "questions-alike",
        "aw-series-of-questions",
        "Several questions are worded nearly alike, and are about different things.",
        _series,
    ),
    honest(
        TWENTIETH_SEALED,
        "questions-alike",
        "aw-one-file-for-two",
        "Two questions come with the same file.",
        _one_file_for_two,
    ),
    honest(
        TWENTIETH_SEALED,
        "questions-alike",
        "aw-one-quotation-for-two",
        "Two questions quote the same lines and ask for different things.",
        _one_quotation_for_two,
    ),
    honest(
        TWENTIETH_SEALED,
        "questions-alike",
        "aw-more-columns",
        "The data set's rows have columns of an export tool beside the usual ones.",
        _more_columns,
    ),
)
