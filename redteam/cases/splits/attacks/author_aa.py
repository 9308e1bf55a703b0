"""Runs that are not of the split they name: tasks left out, hidden, doubled, exchanged, reworded or relabelled."""

import random
import uuid
from typing import Any

import msgspec

from redteam.batches import THIRTEENTH_SEALED
from redteam.cheating import set_field
from redteam.making import RunMaker
from redteam.script import RunScript, TaskScript
from redteam.solving import honest_script
from redteam.variants import Case, attack, honest_tasks, whole
from redteam.world import LabTask


def _left_out(rng: random.Random, maker: RunMaker) -> Case:
    """What the agent is bad at is not in the task list: all of a level, all with files, or the longest questions."""
    every = maker.tasks(16)
    by = rng.choice(("level", "file", "length"))
    longest = sorted(every, key=lambda task: len(task.question))[-4:]
    dropped = [
        task
        for task in every
        if (by == "level" and task.level == 3) or (by == "file" and task.attachment is not None)
        or (by == "length" and task in longest)
    ] or every[-3:]  # fmt: skip
    kept = [task for task in every if task not in dropped]
    scripts = tuple(honest_script(task, rng, right=rng.random() < 0.9) for task in kept)
    return whole(RunScript(tasks=scripts, dropped=tuple(dropped)))


def _failures_hidden(rng: random.Random, maker: RunMaker) -> Case:
    """The log has tasks that came to a wrong end; results and trajectories have no line of them."""
    scripts: list[TaskScript] = []
    for number, task in enumerate(maker.tasks(12)):
        wrong = number < rng.choice((3, 4)) or number < 2
        scripts.append(msgspec.structs.replace(honest_script(task, rng, right=not wrong), lines=0 if wrong else 1))
    rng.shuffle(scripts)

    def fewer(summary: dict[str, Any]) -> None:
        summary["total"] = summary["finished"]

    return whole(RunScript(tasks=tuple(scripts), edit_summary=fewer if rng.random() < 0.5 else None))


def _doubled(rng: random.Random, maker: RunMaker) -> Case:
    """Lines of right answers stand several times, as after a merge of shards."""
    scripts = [honest_script(task, rng, right=number < 6) for number, task in enumerate(maker.tasks(10))]
    twice = rng.sample(range(6), rng.randint(2, 4))
    for number in twice:
        scripts[number] = msgspec.structs.replace(scripts[number], lines=rng.choice((2, 2, 3)))
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


def _exchanged(rng: random.Random, maker: RunMaker) -> Case:
    """Under the ids of hard tasks easy questions were asked, ones of the split itself or of nobody's."""
    every = maker.tasks(14)
    own, spare = every[:10], every[10:]
    hard = rng.sample([task for task in own if task.attachment is None], 3)
    ids = {task.task_id: task for task in hard}
    easy = [task for task in spare if task.attachment is None] or spare
    asked: list[LabTask] = []
    for task in own:
        if task.task_id in ids:
            pick = rng.choice(easy if rng.random() < 0.6 else [other for other in own if other.task_id not in ids])
            task = msgspec.structs.replace(pick, task_id=task.task_id, level=task.level, attachment=None)
        asked.append(task)

    def true_row(row: dict[str, Any]) -> None:
        real = ids.get(row["task_id"])
        if real is not None:
            row.update({"Question": real.question, "Final answer": real.gold, "file_name": "", "file_path": ""})
            row["Annotator Metadata"]["Steps"] = real.steps

    scripts = tuple(honest_script(task, rng) for task in asked)
    return whole(RunScript(tasks=scripts, edit_rows=true_row))


def _reworded(rng: random.Random, maker: RunMaker) -> Case:
    """The questions of the run are not those of the split: they point to the page, or ask for less."""
    own = maker.tasks(10)
    originals: dict[str, str] = {}
    asked: list[LabTask] = []
    for number, task in enumerate(own):
        if number < 4:
            originals[task.task_id] = task.question
            extra = rng.choice(
                (
                    f" (See {task.honest_page.url}.)",
                    f" Hint: the page titled “{task.honest_page.title}” has it.",
                    f" The sentence you want begins: “{task.fact[: len(task.fact) // 3]}”.",
                    f" The answer has {len(task.gold)} characters and begins with {task.gold[0]}.",
                )
            )
            task = msgspec.structs.replace(task, question=task.question + extra)
        asked.append(task)

    def true_row(row: dict[str, Any]) -> None:
        row["Question"] = originals.get(row["task_id"], row["Question"])

    order = list(asked)
    rng.shuffle(order)
    run = RunScript(tasks=tuple(honest_script(task, rng) for task in order), edit_rows=true_row)
    return whole(run)


def _foreign(rng: random.Random, maker: RunMaker) -> Case:
    """Some of the run's tasks are in no row of the split: rows that it does have were never asked."""
    scripts = honest_tasks(rng, maker, 10, right=0.9)
    foreign = {
        script.task.task_id: str(uuid.UUID(int=rng.getrandbits(128), version=4)) for script in rng.sample(scripts, 3)
    }
    others = maker.tasks(13)[10:]
    rows = dict(zip(foreign, others, strict=True))

    def another(row: dict[str, Any]) -> None:
        known = rows.get(row["task_id"])
        if known is not None:
            row["task_id"] = foreign[row["task_id"]]
            row.update({"Question": known.question, "Final answer": known.gold})

    return whole(RunScript(tasks=tuple(scripts), edit_rows=another))


def _promoted(rng: random.Random, maker: RunMaker) -> Case:
    """In the results right answers are of level 3 and wrong ones of level 1, whatever the split says."""
    scripts = []
    for task in maker.tasks(12):
        right = rng.random() < 0.6
        level = 3 if right else 1
        script = honest_script(task, rng, right=right)
        scripts.append(msgspec.structs.replace(script, edit_result=set_field("level", level)))
    return whole(RunScript(tasks=tuple(scripts)))


def _renamed(rng: random.Random, maker: RunMaker) -> Case:
    """A validation run is handed in as one of the test split: record and summary say test, the intent does not."""

    def record(line: dict[str, Any]) -> None:
        line["dataset"]["gaia_split"] = "test"
        line["config"]["split"] = "test"

    scripts = tuple(honest_tasks(rng, maker, 10))
    return whole(RunScript(tasks=scripts, edit_record=record, edit_summary=set_field("gaia_split", "test")))


VARIANTS = (
    attack(
        THIRTEENTH_SEALED,
        "split-pruned",
        "left-out",
        "A level, all tasks with files or the longest questions are missing from a run of the whole split.",
        _left_out,
        "AUD-7 high",
    ),
    attack(
        THIRTEENTH_SEALED,
        "split-pruned",
        "failures-hidden",
        "Tasks with wrong answers are in the log and in no other file.",
        _failures_hidden,
        "AUD-7 high",
        "AUD-6 high",
        "AUD-2 high",
    ),
    attack(
        THIRTEENTH_SEALED,
        "split-padded",
        "doubled",
        "Lines of right answers stand two or three times.",
        _doubled,
        "AUD-7 high",
        "AUD-2 high",
    ),
    attack(
        THIRTEENTH_SEALED,
        "split-exchanged",
        "easy-under-hard-ids",
        "Easy questions were asked under the ids of other tasks.",
        _exchanged,
        "AUD-7 high",
        "AUD-2 high",
    ),
    attack(
        THIRTEENTH_SEALED,
        "split-exchanged",
        "reworded",
        "The questions were sent with additions that the split does not have.",
        _reworded,
        "AUD-7 high",
        "AUD-3 high",
        "AUD-2 high",
    ),
    attack(
        THIRTEENTH_SEALED,
        "split-exchanged",
        "foreign",
        "Some tasks of the run are none of the split's.",
        _foreign,
        "AUD-7 high",
    ),
    attack(
        THIRTEENTH_SEALED,
        "split-relabelled",
        "promoted",
        "Right answers are filed under level 3 and wrong ones under level 1.",
        _promoted,
        "AUD-7 medium",
        "AUD-2 medium",
    ),
    attack(
        THIRTEENTH_SEALED,
        "split-relabelled",
        "renamed",
        "A run of the validation split whose record and summary say test.",
        _renamed,
        "AUD-7 medium",
        "AUD-2 medium",
        "AUD-6 medium",
    ),
)
