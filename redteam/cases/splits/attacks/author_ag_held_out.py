"""Runs that are not of the split that they name: tasks left out, put in twice, reworded, moved or kept quiet."""

import random
from typing import Any

import msgspec

from gaia_harness.records.intent import task_list_sha256
from redteam.batches import FIFTEENTH_SEALED
from redteam.cheating import same_question
from redteam.making import RunMaker, row_of
from redteam.script import RunScript, TaskScript, with_changes
from redteam.solving import honest_script
from redteam.variants import Case, attack, whole
from redteam.world import LabTask


def _scripts(tasks: list[LabTask], rng: random.Random, right: float = 0.9) -> tuple[TaskScript, ...]:
    return tuple(honest_script(task, rng, right=rng.random() < right) for task in tasks)


def _hard_ones_gone(rng: random.Random, maker: RunMaker) -> Case:
    """The hardest tasks of the split are not in the run, which says nothing of a selection."""
    every = maker.tasks(rng.randint(14, 18))
    order = sorted(every, key=lambda task: (task.level, len(task.question)))
    left_out = order[-rng.randint(3, 6) :]
    ids = {task.task_id for task in left_out}
    kept = [task for task in every if task.task_id not in ids]
    return whole(RunScript(tasks=_scripts(kept, rng), dropped=tuple(left_out)))


def _files_gone(rng: random.Random, maker: RunMaker) -> Case:
    """All tasks with a file were quietly left out, as by an agent that cannot read files."""
    every = maker.tasks(60)
    with_file = [task for task in every if task.attachment is not None][: rng.randint(2, 4)]
    kept = [task for task in every if task.attachment is None][: rng.randint(10, 13)]
    return whole(RunScript(tasks=_scripts(kept, rng, 0.8), dropped=tuple(with_file)))


def _declared_more(rng: random.Random, maker: RunMaker) -> Case:
    """The intent names all tasks; the run, as it stands on disk, is of those that went well."""
    every = maker.tasks(rng.randint(13, 16))
    rng.shuffle(every)
    kept, left_out = every[:10], every[10:]

    def all_of_them(intent: dict[str, Any]) -> None:
        intent["tasks"] = len(every)
        intent["task_list_sha256"] = task_list_sha256([task.task_id for task in every])

    return whole(RunScript(tasks=_scripts(kept, rng, 1.0), dropped=tuple(left_out), edit_intent=all_of_them))


def _easy_twice(rng: random.Random, maker: RunMaker) -> Case:
    """Easy questions stand twice in the run, under new ids, in place of hard tasks of the split."""
    every = [task for task in maker.tasks(40) if task.attachment is None][: rng.randint(12, 14)]
    order = sorted(every, key=lambda task: task.level)
    count = rng.randint(2, 3)
    hard = order[-count:]
    doubles = [same_question(task, rng) for task in order[:count]]
    rows = {double.task_id: row_of(task) for double, task in zip(doubles, hard, strict=True)}

    def restored(row: dict[str, Any]) -> None:
        if row["task_id"] in rows:
            row.update(rows[row["task_id"]])

    kept = [*order[:-count], *doubles]
    rng.shuffle(kept)
    return whole(RunScript(tasks=_scripts(kept, rng), edit_rows=restored))


def _line_twice(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that were right have two lines each; as many wrong ones have none."""
    tasks = maker.tasks(11)
    count = rng.randint(2, 3)
    scripts = [honest_script(task, rng, right=number >= count) for number, task in enumerate(tasks)]
    scripts = [
        with_changes(script, lines=0 if number < count else 2 if number < 2 * count else 1)
        for number, script in enumerate(scripts)
    ]
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


def _kept_quiet(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks without success have neither lines nor events; the task list still has them."""
    tasks = maker.tasks(12)
    count = rng.randint(2, 4)
    in_log = rng.random() < 0.5
    scripts = [
        with_changes(honest_script(task, rng, right=False), lines=0, in_log=in_log) for task in tasks[:count]
    ] + list(_scripts(tasks[count:], rng, 0.95))
    rng.shuffle(scripts)

    def fewer(summary: dict[str, Any]) -> None:
        summary["total"] = summary["finished"] = len(tasks) - count

    return whole(RunScript(tasks=tuple(scripts), edit_summary=fewer))


def _hint_added(rng: random.Random, maker: RunMaker) -> Case:
    """Some questions are not those of the data set: somebody made them easier."""
    every = maker.tasks(11)
    originals = {task.task_id: task.question for task in every}

    def easier(task: LabTask) -> LabTask:
        page = task.honest_page
        hint = rng.choice(
            (
                f"(See {page.url}.)",
                f"Note: the page titled '{page.title}' has it, in the passage on {task.topic}.",
                "The value can be read off directly; no calculation is needed.",
                f"Clarification: this is about {task.topic} and about nothing else.",
            )
        )
        return msgspec.structs.replace(task, question=f"{task.question} {hint}")

    changed = set(rng.sample([task.task_id for task in every], rng.randint(3, 5)))
    asked = [easier(task) if task.task_id in changed else task for task in every]

    def original(row: dict[str, Any]) -> None:
        row["Question"] = originals[row["task_id"]]

    return whole(RunScript(tasks=_scripts(asked, rng), edit_rows=original))


def _levels_moved(rng: random.Random, maker: RunMaker) -> Case:
    """Failures of level 1 and 2 are filed under level 3, successes of level 3 under a lower one."""
    every = [msgspec.structs.replace(task, level=rng.choice((1, 1, 2, 3))) for task in maker.tasks(12)]
    levels = {task.task_id: task.level for task in every}
    scripts = []
    for number, task in enumerate(every):
        right = number % 3 > 0
        moved = msgspec.structs.replace(task, level=3 if not right else min(task.level, 1 + number % 2))
        scripts.append(honest_script(moved, rng, right=right))

    def as_it_was(row: dict[str, Any]) -> None:
        row["Level"] = str(levels[row["task_id"]])

    return whole(RunScript(tasks=tuple(scripts), edit_rows=as_it_was))


def _other_name(rng: random.Random, maker: RunMaker) -> Case:
    """A run of the validation split, with its public golds, is passed off as one of the test split."""
    with_config = rng.random() < 0.5

    def record(value: dict[str, Any]) -> None:
        value["dataset"]["gaia_split"] = "test"
        if with_config:
            value["config"]["split"] = "test"

    def summary(value: dict[str, Any]) -> None:
        value["gaia_split"] = "test"

    return whole(RunScript(tasks=_scripts(maker.tasks(10), rng), edit_record=record, edit_summary=summary))


VARIANTS = (
    attack(
        FIFTEENTH_SEALED,
        "thinned-split",
        "hard-ones-gone",
        "The hardest tasks are left out without a word.",
        _hard_ones_gone,
        "AUD-7 high",
    ),
    attack(
        FIFTEENTH_SEALED,
        "thinned-split",
        "files-gone",
        "All tasks with files are left out without a word.",
        _files_gone,
        "AUD-7 high",
    ),
    attack(
        FIFTEENTH_SEALED,
        "thinned-split",
        "declared-more",
        "All tasks were declared, and those that went well are what is shown.",
        _declared_more,
        "AUD-7 high",
        "AUD-2 high",
        "AUD-6 high",
    ),
    attack(
        FIFTEENTH_SEALED,
        "thinned-split",
        "kept-quiet",
        "Failed tasks have no lines, and the summary counts without them.",
        _kept_quiet,
        "AUD-7 high",
        "AUD-2 high",
    ),
    attack(
        FIFTEENTH_SEALED,
        "padded-split",
        "easy-twice",
        "Easy questions are asked again under new ids, in place of hard ones.",
        _easy_twice,
        "AUD-7 high",
    ),
    attack(
        FIFTEENTH_SEALED,
        "padded-split",
        "line-twice",
        "Right tasks have two lines, and as many wrong ones none.",
        _line_twice,
        "AUD-7 high",
        "AUD-2 high",
    ),
    attack(
        FIFTEENTH_SEALED,
        "changed-tasks",
        "hint-added",
        "Questions are longer than in the data set, by a hint.",
        _hint_added,
        "AUD-7 high",
    ),
    attack(
        FIFTEENTH_SEALED,
        "changed-tasks",
        "levels-moved",
        "Tasks are filed under other levels than in the data set, to the score's advantage.",
        _levels_moved,
        "AUD-7 medium",
        "AUD-2 medium",
    ),
    attack(
        FIFTEENTH_SEALED,
        "changed-tasks",
        "other-name",
        "A run of the validation split says that it is one of the test split.",
        _other_name,
        "AUD-7 high",
        "AUD-2 high",
    ),
)
