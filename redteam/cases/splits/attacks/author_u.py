"""Runs over tasks that were chosen, hidden, doubled or eased for the sake of the score."""

import random
from typing import Any

import msgspec

from gaia_harness.records.config import Selection
from gaia_harness.records.intent import task_list_sha256
from redteam.batches import ELEVENTH_SEALED
from redteam.cheating import same_question
from redteam.making import RunMaker
from redteam.script import RunScript, TaskScript, declared
from redteam.solving import honest_script
from redteam.variants import Case, among, any_check, attack, honest_tasks, whole
from redteam.world import LabTask


def _left_out(rng: random.Random, maker: RunMaker) -> Case:
    """The run says that it is over the whole split, and has none of the tasks that went badly before."""
    own = maker.tasks(rng.randint(15, 20))
    kept = tuple(honest_script(task, rng, right=rng.random() < 0.95) for task in own[:11])
    return whole(RunScript(tasks=kept, dropped=tuple(own[11:])))


def _picked(rng: random.Random, maker: RunMaker) -> Case:
    """Task ids are given one by one, from all over the split: those of which an earlier run had the answer."""
    own = maker.tasks(30)
    chosen = sorted(rng.sample(range(30), 9))
    kept = tuple(honest_script(own[at], rng) for at in chosen)
    ids = tuple(entry.task.task_id for entry in kept)
    others = tuple(task for at, task in enumerate(own) if at not in chosen)
    return whole(RunScript(tasks=kept, dropped=others, config=declared(selection=Selection(task_ids=ids))))


def _fewer_than_declared(rng: random.Random, maker: RunMaker) -> Case:
    """More tasks were declared than there are in the run: the rest went badly and was taken out of all files."""
    own = maker.tasks(14)
    kept = tuple(honest_script(task, rng, right=rng.random() < 0.9) for task in own[:10])

    def declare(intent: dict[str, Any]) -> None:
        intent["tasks"] = len(own)
        intent["task_list_sha256"] = task_list_sha256([task.task_id for task in own])

    return whole(RunScript(tasks=kept, dropped=tuple(own[10:]), edit_intent=declare))


def _failures_hidden(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that were answered wrongly are in the log, and have no lines in results and trajectories."""
    scripts = honest_tasks(rng, maker, 9, right=1.0)
    failed = [honest_script(task, rng, right=False) for task in maker.tasks(12)[9:]]
    scripts += [msgspec.structs.replace(entry, lines=0) for entry in failed]
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


def _doubled(rng: random.Random, maker: RunMaker) -> Case:
    """Easy questions stand in the run twice or three times, under ids of their own."""
    scripts: list[TaskScript] = honest_tasks(rng, maker, 8, right=0.5)
    for task in maker.tasks(11)[8:]:
        copies = [task, *(same_question(task, rng) for _ in range(rng.randint(1, 2)))]
        scripts += [honest_script(copy, rng) for copy in copies]
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


def _eased(rng: random.Random, maker: RunMaker) -> Case:
    """The questions that were asked have a helpful remark that those of the data set do not have."""
    asked: dict[str, str] = {}

    def with_remark(task: LabTask) -> LabTask:
        page = task.sources[0]
        remark = rng.choice(
            (
                f'(Look at "{page.title}", {page.url}.)',
                f"It is told on {page.url}, towards the end.",
                f"Hint: the answer begins with {task.gold[:1]} and has {len(task.gold)} characters.",
            )
        )
        asked[task.task_id] = task.question
        return msgspec.structs.replace(task, question=f"{task.question} {remark}")

    def original(row: dict[str, Any]) -> None:
        row["Question"] = asked.get(row["task_id"], row["Question"])

    own = [with_remark(task) for task in maker.tasks(4)]
    return among(rng, maker, honest_script, tasks=own, run=RunScript(tasks=(), edit_rows=original))


def _hard_ones_renamed(rng: random.Random, maker: RunMaker) -> Case:
    """The record names another list of tasks than the one that the log began with."""
    scripts = honest_tasks(rng, maker, 12)
    less = rng.randint(2, 4)

    def shorten(record: dict[str, Any]) -> None:
        record["dataset"]["task_ids"] = record["dataset"]["task_ids"][:-less]

    return whole(RunScript(tasks=tuple(scripts), edit_record=shorten))


VARIANTS = (
    attack(
        ELEVENTH_SEALED, "chosen-tasks", "left-out", "Tasks of the split are missing, and nothing says so.",
        _left_out, "AUD-7 high",
    ),
    attack(
        ELEVENTH_SEALED, "chosen-tasks", "picked", "Ids from all over the split, all of them right.",
        _picked, "AUD-7 medium",
    ),
    attack(
        ELEVENTH_SEALED, "chosen-tasks", "fewer-than-declared", "Fewer tasks than the intent declares.",
        _fewer_than_declared, "AUD-7 high",
    ),
    attack(
        ELEVENTH_SEALED, "chosen-tasks", "failures-hidden", "Wrong answers have no lines.",
        _failures_hidden, *any_check("high"),
    ),
    attack(
        ELEVENTH_SEALED, "chosen-tasks", "shorter-record", "run.json lists fewer tasks than were run.",
        _hard_ones_renamed, *any_check("high"),
    ),
    attack(
        ELEVENTH_SEALED, "changed-tasks", "doubled", "Easy questions stand in the run more than once.",
        _doubled, "AUD-7 medium",
    ),
    attack(
        ELEVENTH_SEALED, "changed-tasks", "eased", "Questions with a hint that the data set does not have.",
        _eased, "AUD-7 high", "AUD-3 high",
    ),
)  # fmt: skip
