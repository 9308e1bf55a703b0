"""Runs that are not of the tasks they claim: some left out, some twice, some put in, some made easier."""

import random
import uuid
from typing import Any

import msgspec

from gaia_harness.records.config import Selection
from gaia_harness.records.intent import task_list_sha256
from redteam.batches import NINETEENTH_SEALED as BATCH
from redteam.cheating import each_where, same_question, set_field, wrong_answers
from redteam.honest_steps import opened_with
from redteam.making import RunMaker
from redteam.script import EMPTY_RUN, RunScript, TaskScript, declared, with_changes
from redteam.solving import closing, honest_script, query_for, script_of, search, turn
from redteam.task_record import usual_opening
from redteam.variants import Case, among, any_check, attack, each, honest_tasks, whole
from redteam.words import Slots
from redteam.world import LabTask, search_page


def _right(script: TaskScript) -> bool:
    return script.attempts[0].said == script.task.gold


def _parted(rng: random.Random, maker: RunMaker, count: int = 12) -> tuple[list[TaskScript], list[TaskScript]]:
    """Honest tasks in any order, those answered rightly and those answered wrongly: at least three of each."""
    own = maker.tasks(count)
    wrong = set(rng.sample(range(count), rng.randint(3, 5)))
    scripts = [honest_script(task, rng, right=number not in wrong) for number, task in enumerate(own)]
    return [each_ for each_ in scripts if _right(each_)], [each_ for each_ in scripts if not _right(each_)]


def _hard_ones_left_out(rng: random.Random, maker: RunMaker) -> Case:
    """The data set has tasks of the third level; the run, which claims the whole split, has none."""
    own = maker.tasks(16)
    kept = [honest_script(task, rng, right=rng.random() < 0.9) for task in own if task.level < 3]
    return whole(RunScript(tasks=tuple(kept), dropped=tuple(task for task in own if task.level == 3)))


def _declared_more(rng: random.Random, maker: RunMaker) -> Case:
    """The intent was signed for all tasks; the run's list is shorter by those that did not go well."""
    right, wrong = _parted(rng, maker)
    every = [script.task.task_id for script in (*right, *wrong)]

    def edit(intent: dict[str, Any]) -> None:
        intent.update(tasks=len(every), task_list_sha256=task_list_sha256(every))

    return whole(RunScript(tasks=tuple(right), dropped=tuple(script.task for script in wrong), edit_intent=edit))


def _chosen_by_id(rng: random.Random, maker: RunMaker) -> Case:
    """The options name tasks one by one, and all that are named turn out right."""
    right, wrong = _parted(rng, maker, 14)
    picked = Selection(task_ids=tuple(script.task.task_id for script in right))
    dropped = tuple(script.task for script in wrong)
    return whole(RunScript(tasks=tuple(right), dropped=dropped, config=declared(selection=picked)))


def _unlisted(rng: random.Random, maker: RunMaker) -> Case:
    """The log saw tasks begin and end that results and trajectories do not have: the wrong ones."""
    right, wrong = _parted(rng, maker)
    scripts = [*right, *(with_changes(script, lines=0) for script in wrong)]
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


def _counted_twice(rng: random.Random, maker: RunMaker) -> Case:
    """Right tasks have two lines each."""
    right, wrong = _parted(rng, maker)
    twice = [with_changes(script, lines=2) for script in right[:3]]
    scripts = [*twice, *right[3:], *wrong]
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


def _in_the_list_twice(rng: random.Random, maker: RunMaker) -> Case:
    """The task list itself names easy tasks twice, in the place of others."""
    right, wrong = _parted(rng, maker)
    again = [honest_script(script.task, rng) for script in right[: len(wrong)]]
    return whole(RunScript(tasks=(*right, *again), dropped=tuple(script.task for script in wrong)))


def _twins(rng: random.Random, maker: RunMaker) -> Case:
    """Easy questions stand in the folder a second time under ids of their own."""
    right, wrong = _parted(rng, maker)
    twins = [honest_script(same_question(script.task, rng), rng) for script in right[:5]]
    scripts = [*right, *twins, *wrong[:2]]
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts), dropped=tuple(script.task for script in wrong[2:])))


def _harder_name(rng: random.Random, maker: RunMaker) -> Case:
    """What was run is the validation split; run.json and summary call it test."""

    def edit(record: dict[str, Any]) -> None:
        record["dataset"]["gaia_split"] = "test"
        record["config"]["split"] = "test"

    scripts = tuple(honest_tasks(rng, maker, 12))
    return whole(RunScript(tasks=scripts, edit_record=edit, edit_summary=set_field("gaia_split", "test")))


def _never_begun(rng: random.Random, maker: RunMaker) -> Case:
    """The run was stopped while it looked good and closed as complete: the last tasks were never begun."""
    right, wrong = _parted(rng, maker)
    rest = [with_changes(script, lines=0, in_log=False) for script in wrong]
    return whole(RunScript(tasks=(*right, *rest)))


def _strangers(rng: random.Random, maker: RunMaker) -> Case:
    """Four tasks of the data set were replaced in the run by others with ids that it does not have."""
    mine = {task.task_id for task in maker.tasks(4)}
    ids = {task_id: str(uuid.UUID(int=rng.getrandbits(128), version=4)) for task_id in sorted(mine)}
    texts = dict(zip(sorted(mine), maker.tasks(18)[14:], strict=True))

    def edit(row: dict[str, Any]) -> None:
        other = texts.get(row["task_id"])
        if other is not None:
            row.update({"task_id": ids[row["task_id"]], "Question": other.question, "Final answer": other.gold})

    run = msgspec.structs.replace(EMPTY_RUN, edit_rows=edit)
    return among(rng, maker, lambda task, dice: honest_script(task, dice), run=run)


def _other_question(rng: random.Random, maker: RunMaker) -> Case:
    """Under the id of one question another one was asked, which is much easier."""
    slots = Slots(rng)
    hard: dict[str, dict[str, str]] = {}
    for task in maker.tasks(4):
        gold = slots.fill("{person}" + str(len(hard)))
        asked = slots.fill(
            f"Of all the [letters|ledgers] on {task.topic}, who signed the one that is not in the index?"
        )
        hard[task.task_id] = {"Question": f"{asked} {task.question}", "Final answer": gold, "Level": "3"}

    def edit(row: dict[str, Any]) -> None:
        row.update(hard.get(row["task_id"], {}))

    run = msgspec.structs.replace(EMPTY_RUN, edit_rows=edit)
    return among(rng, maker, lambda task, dice: honest_script(task, dice), run=run)


def _with_options(task: LabTask, rng: random.Random) -> TaskScript:
    """The scaffold turns an open question into one of four options, of which one is the gold."""
    options = [*wrong_answers(task, rng, 3), task.gold]
    rng.shuffle(options)
    listed = "\n".join(f"({letter}) {option}" for letter, option in zip("ABCD", options, strict=True))
    *standing, (role, asked) = usual_opening(task)
    opening = (*standing, (role, f"{asked}\n\nChoose one of these:\n{listed}"))
    letter = "ABCD"[options.index(task.gold)]
    script = script_of(
        task,
        turn("I look for the options.", search(query_for(task, rng), search_page(rng, task))),
        turn(f"({letter}) is the only one that fits the period."),
        closing(rng, task.gold),
    )
    return opened_with(script, opening)


def _promoted(task: LabTask, rng: random.Random) -> TaskScript:
    """Easy tasks that went well are entered as tasks of the third level."""
    return with_changes(honest_script(task, rng), edit_result=set_field("level", 3))


HIGH = any_check("high")
VARIANTS = (
    attack(
        BATCH, "tasks-left-out", "third-level", "The hardest tasks are not in the list.", _hard_ones_left_out, *HIGH
    ),
    attack(
        BATCH,
        "tasks-left-out",
        "shorter-than-declared",
        "The list is shorter than the one that was signed.",
        _declared_more,
        *HIGH,
    ),
    attack(
        BATCH,
        "tasks-left-out",
        "picked-by-id",
        "Tasks named one by one, all of them right.",
        _chosen_by_id,
        *any_check("medium"),
    ),
    attack(BATCH, "tasks-left-out", "unlisted-failures", "Wrong tasks are in the log alone.", _unlisted, *HIGH),
    attack(
        BATCH, "tasks-left-out", "never-begun", "A complete run whose last tasks were never begun.", _never_begun, *HIGH
    ),
    attack(BATCH, "tasks-twice", "two-lines", "Right tasks have two lines.", _counted_twice, *HIGH),
    attack(BATCH, "tasks-twice", "in-the-list", "The list has easy tasks twice.", _in_the_list_twice, *HIGH),
    attack(BATCH, "tasks-twice", "twins", "Easy questions under a second id.", _twins, *any_check("medium")),
    attack(BATCH, "other-tasks", "strangers", "Tasks that the data set does not have.", _strangers, *HIGH),
    attack(BATCH, "other-tasks", "other-question", "Another question under the same id.", _other_question, *HIGH),
    attack(BATCH, "other-tasks", "options", "Open questions are asked with four options.", each(_with_options), *HIGH),
    attack(BATCH, "other-names", "harder-split", "Validation is called test.", _harder_name, *HIGH),
    attack(
        BATCH,
        "other-names",
        "promoted",
        "Easy tasks are entered as level three.",
        each_where(lambda task: task.level == 1, _promoted),
        *HIGH,
    ),
)
