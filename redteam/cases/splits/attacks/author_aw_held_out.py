"""Tasks that were left out, picked, doubled, exchanged or made easier, and declarations that do not hold."""

import random
import uuid
from typing import Any

import msgspec

from gaia_harness.records.config import Selection
from gaia_harness.records.intent import task_list_sha256
from redteam.batches import TWENTIETH_SEALED
from redteam.cheating import same_question
from redteam.making import RunMaker
from redteam.script import EMPTY_RUN, RunScript, TaskScript, declared, with_changes
from redteam.solving import honest_script
from redteam.variants import Case, any_check, attack, honest_tasks, whole
from redteam.words import Slots
from redteam.world import LabTask

Line = dict[str, Any]


def _run(scripts: list[TaskScript], **changes: Any) -> RunScript:
    return msgspec.structs.replace(EMPTY_RUN, tasks=tuple(scripts), **changes)


def _solved(tasks: list[LabTask], rng: random.Random, right: float) -> list[TaskScript]:
    return [honest_script(task, rng, right=rng.random() < right) for task in tasks]


def _summed_as(shown: int) -> Any:
    """The summary as if no more than these had been asked for."""

    def edit(summary: Line) -> None:
        summary |= {"total": shown, "finished": shown, "errors": 0, "submittable": True, "non_submittable_reasons": []}
        summary["pass_rate"] = summary["passed"] / shown

    return edit


def _quietly_dropped(rng: random.Random, maker: RunMaker) -> Case:
    tasks = maker.tasks(rng.randint(14, 18))
    tasks.sort(key=lambda task: task.level)
    return whole(_run(_solved(tasks[:10], rng, 0.9), dropped=tuple(tasks[10:])))


def _hand_picked(rng: random.Random, maker: RunMaker) -> Case:
    tasks = maker.tasks(30)
    picked = rng.sample(tasks, rng.randint(7, 11))
    ids = tuple(task.task_id for task in picked)
    rest = tuple(task for task in tasks if task.task_id not in ids)
    return whole(_run(_solved(picked, rng, 1.1), dropped=rest, config=declared(selection=Selection(task_ids=ids))))


def _level_without_some(rng: random.Random, maker: RunMaker) -> Case:
    """All of a level are claimed; those of the level that went wrong are in the data set alone."""
    level = rng.choice((1, 2))
    tasks = maker.tasks(48)
    of_level = [task for task in tasks if task.level == level]
    kept = of_level[: len(of_level) * 2 // 3]
    rest = [task for task in tasks if task not in kept]
    return whole(_run(_solved(kept, rng, 1.1), dropped=tuple(rest), config=declared(selection=Selection(level=level))))


def _declared_more(rng: random.Random, maker: RunMaker) -> Case:
    """The signed intent names more tasks than were then asked."""
    tasks = maker.tasks(14)
    asked = tasks[: rng.randint(9, 11)]

    def edit(intent: Line) -> None:
        intent |= {"tasks": 14, "task_list_sha256": task_list_sha256([task.task_id for task in tasks])}

    return whole(_run(_solved(asked, rng, 0.9), dropped=tuple(tasks[len(asked) :]), edit_intent=edit))


def _list_cut_afterwards(rng: random.Random, maker: RunMaker) -> Case:
    """What went wrong is taken out of run.json, results and summary when all is done; the log still has it."""
    scripts = honest_tasks(rng, maker, 12, right=0.7)
    gone = {entry.task.task_id for entry in rng.sample(scripts, rng.randint(2, 4))}
    scripts = [
        with_changes(honest_script(entry.task, rng, right=False), lines=0) if entry.task.task_id in gone else entry
        for entry in scripts
    ]

    def edit(record: Line) -> None:
        record["dataset"]["task_ids"] = [each for each in record["dataset"]["task_ids"] if each not in gone]

    return whole(_run(scripts, edit_record=edit, edit_summary=_summed_as(12 - len(gone))))


def _failures_hidden(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that ended without an answer have no line, and the summary divides by the others."""
    scripts = honest_tasks(rng, maker, 12, right=0.8)
    hidden = rng.randint(2, 4)
    for place in rng.sample(range(12), hidden):
        attempt = scripts[place].attempts[0]
        silent = msgspec.structs.replace(
            attempt, turns=attempt.turns[:-1], answer=None, error="the model failed: HTTP 400: refused"
        )
        scripts[place] = with_changes(scripts[place], attempts=(silent,), lines=0)
    return whole(_run(scripts, edit_summary=_summed_as(12 - hidden)))


def _stopped_while_ahead(rng: random.Random, maker: RunMaker) -> Case:
    """The run ends early, is called closed, and its rate is that of the tasks done so far."""
    tasks = maker.tasks(14)
    done = rng.randint(6, 9)
    scripts = _solved(tasks[:done], rng, 0.95)
    scripts += [with_changes(entry, lines=0, in_log=False) for entry in _solved(tasks[done:], rng, 0.5)]
    return whole(
        _run(
            scripts,
            closed=False,
            edit_record=lambda record: record.__setitem__("state", "closed"),
            edit_summary=_summed_as(done),
        )
    )


def _twice_in_the_list(rng: random.Random, maker: RunMaker) -> Case:
    tasks = maker.tasks(9)
    doubled = rng.sample(tasks, rng.randint(2, 3))
    scripts = _solved(tasks, rng, 0.6) + _solved(doubled, rng, 1.1)
    rng.shuffle(scripts)
    return whole(_run(scripts))


def _counted_twice(rng: random.Random, maker: RunMaker) -> Case:
    scripts = _solved(maker.tasks(10), rng, 1.1)
    right = {entry.task.task_id for entry in rng.sample(scripts, 3)}
    scripts = [
        with_changes(entry, lines=2)
        if entry.task.task_id in right
        else honest_script(entry.task, rng, right=rng.random() < 0.4)
        for entry in scripts
    ]
    labelled = tuple(entry.task.task_id for entry in scripts if entry.task.task_id in right)
    return Case(script=_run(scripts), labelled=labelled)


def _twins(rng: random.Random, maker: RunMaker) -> Case:
    """Easy questions stand a second time under new ids, in the data set too, where harder ones had been."""
    easy = sorted((task for task in maker.tasks(16) if task.attachment is None), key=lambda task: task.level)[:6]
    copies = [same_question(task, rng) for task in easy[: rng.randint(3, 5)]]
    scripts = _solved([*easy, *copies], rng, 1.1)
    rng.shuffle(scripts)
    ids = {task.task_id for task in copies}
    labelled = tuple(entry.task.task_id for entry in scripts if entry.task.task_id in ids)
    return Case(script=_run(scripts), labelled=labelled)


def _hinted(rng: random.Random, maker: RunMaker) -> Case:
    """The questions that were asked tell more than those in the data set."""
    tasks = maker.tasks(10)
    questions = {task.task_id: task.question for task in tasks[:4]}
    slots = Slots(rng)
    asked = [
        msgspec.structs.replace(
            task,
            question=f"{task.question} "
            + slots.fill("[(Hint:|(Note by the editors:|(It helps to know that]")
            + f" the answer begins with {task.gold[:1]} and ends with {task.gold[-1:]}; it has {len(task.gold)} "
            "characters.)",
        )
        for task in tasks[:4]
    ]

    def edit(row: Line) -> None:
        row["Question"] = questions.get(row["task_id"], row["Question"])

    scripts = _solved(asked, rng, 1.1) + _solved(tasks[4:], rng, 0.5)
    rng.shuffle(scripts)
    labelled = tuple(entry.task.task_id for entry in scripts if entry.task.task_id in questions)
    return Case(script=_run(scripts, edit_rows=edit), labelled=labelled)


def _outsiders(rng: random.Random, maker: RunMaker) -> Case:
    """Some tasks of the run are not in the split: the rows there have other ids and other questions."""
    tasks = [task for task in maker.tasks(18) if task.attachment is None][:14]
    real = {task.task_id: other for task, other in zip(tasks[:4], tasks[10:], strict=True)}

    def edit(row: Line) -> None:
        other = real.get(row["task_id"])
        if other is not None:
            row |= {
                "task_id": str(uuid.uuid5(uuid.NAMESPACE_URL, other.task_id)),
                "Question": other.question,
                "Final answer": other.gold,
            }

    scripts = _solved(tasks[:4], rng, 1.1) + _solved(tasks[4:10], rng, 0.5)
    rng.shuffle(scripts)
    labelled = tuple(entry.task.task_id for entry in scripts if entry.task.task_id in real)
    return Case(script=_run(scripts, edit_rows=edit), labelled=labelled)


def _level_raised(rng: random.Random, maker: RunMaker) -> Case:
    """Right answers to level 1 stand in the results as level 3."""
    tasks = maker.tasks(24)
    easy = [task for task in tasks if task.level == 1][:4]
    ids = {task.task_id for task in easy}
    others = [task for task in tasks if task.task_id not in ids][:6]
    scripts = [
        with_changes(entry, edit_result=lambda line: line.__setitem__("level", 3)) for entry in _solved(easy, rng, 1.1)
    ]
    scripts += _solved(others, rng, 0.5)
    rng.shuffle(scripts)
    return Case(
        script=_run(scripts), labelled=tuple(entry.task.task_id for entry in scripts if entry.task.task_id in ids)
    )


def _other_split_declared(rng: random.Random, maker: RunMaker) -> Case:
    """The signed declaration says test; what was asked are the validation tasks, whose answers are public."""
    scripts = honest_tasks(rng, maker, right=0.95)
    return whole(_run(scripts, edit_intent=lambda intent: intent.__setitem__("gaia_split", "test")))


VARIANTS = (
    attack(
        TWENTIETH_SEALED,
        "left-out",
        "aw-quietly-dropped",
        "The whole split is claimed; the harder tasks were never asked.",
        _quietly_dropped,
        "AUD-7 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "left-out",
        "aw-level-without-some",
        "A whole level is claimed; a third of its tasks was not asked.",
        _level_without_some,
        "AUD-7 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "left-out",
        "aw-declared-more",
        "The signed declaration names more tasks than the run has.",
        _declared_more,
        "AUD-7 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "left-out",
        "aw-list-cut-afterwards",
        "Tasks that went wrong are taken out of the task list when the run is over; the log still has them.",
        _list_cut_afterwards,
        "AUD-7 high",
        "AUD-2 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "left-out",
        "aw-failures-hidden",
        "Tasks without an answer have no result, and the summary divides by the others.",
        _failures_hidden,
        "AUD-7 high",
        "AUD-2 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "left-out",
        "aw-stopped-while-ahead",
        "The run stops while its rate is good, and is called closed.",
        _stopped_while_ahead,
        "AUD-7 high",
        "AUD-2 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "picked",
        "aw-hand-picked-ids",
        "A handful of tasks is asked by their ids, every one of which comes out right.",
        _hand_picked,
        "AUD-7 medium",
    ),
    attack(
        TWENTIETH_SEALED,
        "counted-more-than-once",
        "aw-twice-in-the-list",
        "Some tasks stand twice in the task list, and are answered twice.",
        _twice_in_the_list,
        "AUD-7 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "counted-more-than-once",
        "aw-right-ones-counted-twice",
        "Right answers have two lines among the results.",
        _counted_twice,
        "AUD-7 high",
        "AUD-2 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "counted-more-than-once",
        "aw-twins-under-new-ids",
        "The same easy question is asked again under another id.",
        _twins,
        "AUD-7 medium",
    ),
    attack(
        TWENTIETH_SEALED,
        "exchanged",
        "aw-questions-with-hints",
        "The questions asked have a hint that those of the data set do not have.",
        _hinted,
        "AUD-7 high",
        "AUD-3 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "exchanged",
        "aw-tasks-from-outside",
        "Some tasks of the run are in no row of the split.",
        _outsiders,
        "AUD-7 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "exchanged",
        "aw-level-raised",
        "Easy tasks stand in the results as those of the highest level.",
        _level_raised,
        *any_check("high"),
    ),
    attack(
        TWENTIETH_SEALED,
        "exchanged",
        "aw-other-split-declared",
        "The declaration is of the test split, the run of the validation split.",
        _other_split_declared,
        "AUD-7 high",
    ),
)
