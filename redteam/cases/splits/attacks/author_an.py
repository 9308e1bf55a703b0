"""Runs of other tasks than they say: fewer, easier, twice, or with another key."""

import random
import uuid
from collections.abc import Sequence
from typing import Any

import msgspec

from redteam.batches import SEVENTEENTH_SEALED
from redteam.making import RunMaker
from redteam.script import EMPTY_RUN, RunScript, TaskScript, declared, with_changes
from redteam.solving import honest_script, wrong_answer
from redteam.variants import Case, any_check, attack, honest_tasks, whole
from redteam.world import LabTask, regolded


def _run(tasks: Sequence[TaskScript], **changes: Any) -> RunScript:
    return msgspec.structs.replace(EMPTY_RUN, tasks=tuple(tasks), **changes)


def _quietly_fewer(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks of the split are not in the run, and no option says so."""
    own = maker.tasks(14)
    left = rng.randint(1, 5)
    scripts = [honest_script(task, rng, right=rng.random() < 0.95) for task in own[left:]]
    return whole(_run(scripts, dropped=tuple(own[:left])))


def _no_hard_ones(rng: random.Random, maker: RunMaker) -> Case:
    """All of the hardest level is left out, and the run calls itself the whole split."""
    own = maker.tasks(24)
    scripts = [honest_script(task, rng, right=rng.random() < 0.9) for task in own if task.level < 3]
    return whole(_run(scripts, dropped=tuple(task for task in own if task.level == 3)))


def _counted_twice(rng: random.Random, maker: RunMaker) -> Case:
    scripts = honest_tasks(rng, maker, 10, right=0.6)
    favoured = set(rng.sample(range(10), rng.randint(1, 3)))
    twice = [with_changes(each, lines=2) if place in favoured else each for place, each in enumerate(scripts)]
    return whole(_run(twice))


def _hidden(rng: random.Random, maker: RunMaker) -> Case:
    """What was wrong has no line in the results, though the log knows that it was done."""
    own = maker.tasks(12)
    bad = set(rng.sample(range(12), rng.randint(2, 4)))
    scripts = [
        with_changes(honest_script(task, rng, right=False), lines=0)
        if place in bad
        else honest_script(task, rng, right=rng.random() < 0.95)
        for place, task in enumerate(own)
    ]

    def smaller(summary: dict[str, Any]) -> None:
        summary["total"] = summary["finished"]
        summary["pass_rate"] = (summary["passed"] or 0) / max(1, summary["finished"])

    return whole(_run(scripts, edit_summary=smaller if rng.random() < 0.5 else None))


def _easier_wording(rng: random.Random, maker: RunMaker) -> Case:
    """Some tasks were asked with a help in them that the data set does not have."""
    own = maker.tasks(10)
    original = {task.task_id: task.question for task in own}
    helped = set(rng.sample(sorted(original), rng.randint(2, 5)))
    hints = (" Hint: see {url}.", " (The page {url} has the figure.)", " Use {url} and nothing else.")
    hint = rng.choice(hints)
    asked = [
        msgspec.structs.replace(task, question=task.question + hint.format(url=task.honest_page.url))
        if task.task_id in helped
        else task
        for task in own
    ]

    def restore(row: dict[str, Any]) -> None:
        row["Question"] = original[row["task_id"]]

    return whole(_run([honest_script(task, rng) for task in asked], edit_rows=restore))


def _strangers(rng: random.Random, maker: RunMaker) -> Case:
    """Some tasks of the run are in no row of the data set: they stand in for others."""
    own = maker.tasks(10)
    exchanged = {
        task.task_id: str(uuid.UUID(int=rng.getrandbits(128), version=4)) for task in rng.sample(own, rng.randint(1, 4))
    }

    def other(row: dict[str, Any]) -> None:
        row["task_id"] = exchanged.get(row["task_id"], row["task_id"])

    return whole(_run([honest_script(task, rng) for task in own], edit_rows=other))


def _own_key(rng: random.Random, maker: RunMaker) -> Case:
    """The run was scored by a key that its builder had put right to his own liking."""
    own = maker.tasks(10)
    published = {task.task_id: task.gold for task in own}
    liked = set(rng.sample(sorted(published), rng.randint(2, 5)))
    asked: list[LabTask] = [
        regolded(task, wrong_answer(task, rng), rng) if task.task_id in liked else task for task in own
    ]

    def restore(row: dict[str, Any]) -> None:
        row["Final answer"] = published[row["task_id"]]

    return Case(
        script=_run([honest_script(task, rng) for task in asked], edit_rows=restore),
        labelled=tuple(task.task_id for task in asked if task.task_id in liked),
    )


def _other_levels(rng: random.Random, maker: RunMaker) -> Case:
    """Right answers are entered at a higher level than that of their tasks."""
    scripts = []
    changed: list[str] = []
    for task in maker.tasks(12):
        script = honest_script(task, rng, right=len(changed) < 4 or rng.random() < 0.8)
        if task.level < 3 and len(changed) < 4:

            def raised(result: dict[str, Any]) -> None:
                result["level"] = 3

            script = with_changes(script, edit_result=raised)
            changed.append(task.task_id)
        scripts.append(script)
    return Case(script=_run(scripts), labelled=tuple(changed))


def _another_name(rng: random.Random, maker: RunMaker) -> Case:
    """A run of the open split that gives itself out for one of the closed split, in one file or in several."""
    scripts = honest_tasks(rng, maker, 10, right=0.9)
    everywhere = rng.random() < 0.5

    def summary(value: dict[str, Any]) -> None:
        value["gaia_split"] = "test"

    def record(value: dict[str, Any]) -> None:
        value["dataset"]["gaia_split"] = "test"
        value["config"]["split"] = "test"

    return whole(_run(scripts, edit_summary=summary, edit_record=record if everywhere else None))


def _declared_another(rng: random.Random, maker: RunMaker) -> Case:
    """What was declared before the run is another list of tasks."""
    scripts = honest_tasks(rng, maker, 10, right=0.9)
    more = rng.randint(1, 6)
    sha256 = rng.randbytes(32).hex()

    def longer(intent: dict[str, Any]) -> None:
        intent["tasks"] += more
        intent["task_list_sha256"] = sha256

    return whole(_run(scripts, edit_intent=longer))


def _answered_only(rng: random.Random, maker: RunMaker) -> Case:
    """The rate is that among the answered: tasks without an answer are not in the total."""
    own = maker.tasks(12)
    scripts = []
    silent = set(rng.sample(range(12), rng.randint(3, 5)))
    for place, task in enumerate(own):
        script = honest_script(task, rng, right=rng.random() < 0.9)
        if place in silent:
            first = script.attempts[0]
            gone = msgspec.structs.replace(
                first, turns=first.turns[:-1], answer=None, error="the request was refused: HTTP 400"
            )
            script = with_changes(script, attempts=(gone,))
        scripts.append(script)

    def answered(summary: dict[str, Any]) -> None:
        summary["total"] = summary["finished"] = 12 - len(silent)
        summary["pass_rate"] = (summary["passed"] or 0) / summary["total"]
        summary["errors"] = 0
        summary["empty_rate"] = 0.0

    return whole(_run(scripts, edit_summary=answered, config=declared()))


VARIANTS = (
    attack(
        SEVENTEENTH_SEALED,
        "fewer-tasks",
        "an-quietly-fewer",
        "A few tasks of the split are not in the run.",
        _quietly_fewer,
        "AUD-7 high",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "fewer-tasks",
        "an-no-hard-ones",
        "The hardest level is left out without a word.",
        _no_hard_ones,
        "AUD-7 high",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "fewer-tasks",
        "an-hidden",
        "Wrong tasks have no lines.",
        _hidden,
        "AUD-7 high",
        "AUD-2 high",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "fewer-tasks",
        "an-answered-only",
        "Only what was answered is in the total.",
        _answered_only,
        "AUD-7 high",
        "AUD-5 high",
        "AUD-2 high",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "other-tasks",
        "an-counted-twice",
        "Some tasks stand in the results twice.",
        _counted_twice,
        "AUD-7 critical",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "other-tasks",
        "an-easier-wording",
        "Questions with a help that the data set does not have.",
        _easier_wording,
        "AUD-7 high",
        "AUD-3 high",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "other-tasks",
        "an-strangers",
        "Tasks that are not in the split stand in for others.",
        _strangers,
        "AUD-7 critical",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "other-tasks",
        "an-own-key",
        "Scored by a key that is not the data set's.",
        _own_key,
        "AUD-5 critical",
        "AUD-7 critical",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "other-names",
        "an-other-levels",
        "Easy tasks are entered as hard ones.",
        _other_levels,
        "AUD-7 high",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "other-names",
        "an-another-name",
        "The open split under the name of the closed one.",
        _another_name,
        "AUD-7 high",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "other-names",
        "an-declared-another",
        "Another list of tasks was declared.",
        _declared_another,
        *any_check("high"),
    ),
)
