"""Runs that are not of the split they name: tasks left out, exchanged, made easier, or asked again."""

import random
from typing import Any

import msgspec

from gaia_harness.records.config import Selection
from redteam.batches import TWELFTH_SEALED
from redteam.cheating import wrong_answers
from redteam.making import RunMaker, row_of
from redteam.script import Edit, RunScript, TaskScript, declared
from redteam.solving import honest_script
from redteam.variants import Case, attack, whole
from redteam.world import LabTask


def _scripts(tasks: list[LabTask], rng: random.Random, right: float = 0.85) -> list[TaskScript]:
    return [honest_script(task, rng, right=rng.random() < right) for task in tasks]


def _rows_of(real: dict[str, LabTask]) -> Edit:
    """Puts the real rows into the data set, by the ids under which the run has other ones."""

    def edit(row: dict[str, Any]) -> None:
        if row["task_id"] in real:
            row.update(row_of(real[row["task_id"]]))

    return edit


def _no_files(rng: random.Random, maker: RunMaker) -> Case:
    """The agent cannot read files, so that tasks with one are not on its list; nothing says so."""
    tasks = maker.tasks(90)
    filed = [task for task in tasks if task.attachment is not None][: rng.randint(2, 5)]
    plain = [task for task in tasks if task.attachment is None][: rng.randint(9, 12)]
    return whole(RunScript(tasks=tuple(_scripts(plain, rng)), dropped=tuple(filed)))


def _level_with_holes(rng: random.Random, maker: RunMaker) -> Case:
    """Only one level is said to be run, and the tasks of that level that would fail are missing."""
    level = rng.choice((1, 2))
    tasks = maker.tasks(50)
    own = [task for task in tasks if task.level == level]
    holes = rng.sample(own, rng.randint(2, 4))
    others = [task for task in tasks if task.level != level][: rng.randint(6, 14)]
    kept = [task for task in own if task not in holes]
    return whole(
        RunScript(
            tasks=tuple(_scripts(kept, rng, 0.95)),
            dropped=(*holes, *others),
            config=declared(selection=Selection(level=level)),
        )
    )


def _other_questions(rng: random.Random, maker: RunMaker) -> Case:
    """Under the ids of hard tasks easier questions are asked, with golds of their own; the levels stay."""
    tasks = [task for task in maker.tasks(80) if task.attachment is None]
    hard = [task for task in tasks if task.level == 3][: rng.randint(2, 4)]
    easy = [task for task in tasks if task.level == 1]
    asked = [
        msgspec.structs.replace(spare, task_id=task.task_id, level=task.level)
        for task, spare in zip(hard, easy[8:], strict=False)
    ]
    entries = _scripts([*easy[:4], *asked, *[task for task in tasks if task.level == 2][:4]], rng)
    rng.shuffle(entries)
    return whole(RunScript(tasks=tuple(entries), edit_rows=_rows_of({task.task_id: task for task in hard})))


def _with_options(rng: random.Random, maker: RunMaker) -> Case:
    """Open questions were made into multiple choice: the gold stands among the options that the agent is given."""
    tasks = maker.tasks(10)
    form = rng.choice(("letters", "line", "hint"))
    asked = []
    for task in tasks:
        offered = [task.gold, *wrong_answers(task, rng, 3)]
        rng.shuffle(offered)
        listed = "\n".join(f"{letter}) {text}" for letter, text in zip("ABCD", offered, strict=True))
        more = {
            "letters": f"\n\nOptions:\n{listed}\n\nAnswer with the text of the right option.",
            "line": f" Choose from: {' / '.join(offered)}.",
            "hint": f" (It is one of these: {'; '.join(offered)}. See the page on {task.topic}.)",
        }[form]
        asked.append(msgspec.structs.replace(task, question=task.question + more))
    return whole(
        RunScript(tasks=tuple(_scripts(asked, rng, 0.95)), edit_rows=_rows_of({task.task_id: task for task in tasks}))
    )


def _strangers(rng: random.Random, maker: RunMaker) -> Case:
    """Some tasks of the run are in no split at all; as many of the split are not in the run."""
    tasks = [task for task in maker.tasks(60) if task.attachment is None]
    count = rng.randint(2, 4)
    own, strangers, missing = tasks[:8], tasks[8 : 8 + count], tasks[12 : 12 + count]
    entries = _scripts(own, rng) + _scripts(strangers, rng, 1.0)
    rng.shuffle(entries)
    real = {stranger.task_id: task for stranger, task in zip(strangers, missing, strict=True)}
    return whole(RunScript(tasks=tuple(entries), edit_rows=_rows_of(real)))


def _second_helping(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that went wrong stand on the list once more, and go well the second time."""
    tasks = maker.tasks(10)
    again = rng.sample(tasks, rng.randint(2, 4))
    first = [honest_script(task, rng, right=task not in again) for task in tasks]
    second = [honest_script(task, rng) for task in again]
    return whole(RunScript(tasks=(*first, *second)))


VARIANTS = (
    attack(
        TWELFTH_SEALED,
        "tasks-nobody-could-do",
        "no-files",
        "All tasks that come with a file are missing, and the run says that it is of the whole split.",
        _no_files,
        "AUD-7 high",
    ),
    attack(
        TWELFTH_SEALED,
        "tasks-nobody-could-do",
        "level-with-holes",
        "A run of one level, by its options, in which some tasks of that level are missing.",
        _level_with_holes,
        "AUD-7 high",
    ),
    attack(
        TWELFTH_SEALED,
        "exchanged-tasks",
        "other-questions",
        "The ids are those of the split, and under some of the hard ones stands an easier question.",
        _other_questions,
        "AUD-7 high",
        "AUD-2 high",
    ),
    attack(
        TWELFTH_SEALED,
        "exchanged-tasks",
        "with-options",
        "The questions are those of the split with options added to them, one of which is the gold.",
        _with_options,
        "AUD-7 high",
        "AUD-3 high",
    ),
    attack(
        TWELFTH_SEALED,
        "exchanged-tasks",
        "strangers",
        "Tasks from elsewhere take the places of some of the split's own.",
        _strangers,
        "AUD-7 high",
    ),
    attack(
        TWELFTH_SEALED,
        "second-helpings",
        "listed-again",
        "Tasks that went wrong are on the run's own list a second time.",
        _second_helping,
        "AUD-7 high",
        "AUD-6 high",
    ),
)
