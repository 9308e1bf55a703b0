"""Runs over other tasks than they say: fewer, easier, twice, or without those that went wrong."""

import random
from typing import Any

import msgspec

from gaia_harness.records.intent import task_list_sha256
from redteam.batches import NINTH_SEALED
from redteam.cheating import same_question
from redteam.making import RunMaker
from redteam.script import Attempt, RunScript, TaskScript, with_changes
from redteam.solving import honest_attempt, honest_script
from redteam.variants import Case, attack, honest_tasks, whole

_HINT = " (Hint: "


def _declared_more(rng: random.Random, maker: RunMaker) -> Case:
    """The signed intent has a longer list of tasks than the run."""
    asked = maker.tasks(10 + rng.randint(3, 6))
    run, dropped = asked[:10], asked[10:]
    scripts = [honest_script(task, rng, right=rng.random() < 0.9) for task in run]
    rng.shuffle(scripts)

    def edit_intent(intent: dict[str, Any]) -> None:
        ids = [script.task.task_id for script in scripts] + [task.task_id for task in dropped]
        intent.update(tasks=len(ids), task_list_sha256=task_list_sha256(ids))

    return whole(RunScript(tasks=tuple(scripts), dropped=tuple(dropped), edit_intent=edit_intent))


def _hard_ones_missing(rng: random.Random, maker: RunMaker) -> Case:
    """No selection was made by the configuration, and yet no task of level 3 was asked."""
    asked = maker.tasks(40)
    easy = [task for task in asked if task.level < 3][: rng.randint(10, 14)]
    hard = [task for task in asked if task.level == 3]
    scripts = [honest_script(task, rng, right=rng.random() < 0.85) for task in easy]
    return whole(RunScript(tasks=tuple(scripts), dropped=tuple(hard)))


def _hinted(rng: random.Random, maker: RunMaker) -> Case:
    """Questions were asked from a copy of the data set in which somebody had written where to look."""
    pattern = rng.choice(("see {url})", "start from {url})", "the page '{title}' has it)"))
    scripts = []
    for task in maker.tasks(10):
        page = task.honest_page
        hint = pattern.format(url=page.url, title=page.title)
        changed = msgspec.structs.replace(task, question=f"{task.question}{_HINT}{hint}")
        scripts.append(honest_script(changed, rng, right=rng.random() < 0.95))

    def edit_rows(row: dict[str, Any]) -> None:
        row["Question"] = row["Question"].split(_HINT)[0]

    return whole(RunScript(tasks=tuple(scripts), edit_rows=edit_rows))


def _padded(rng: random.Random, maker: RunMaker) -> Case:
    """Questions that the agent can do stand in the data set several times, each time under another id."""
    asked = maker.tasks(8)
    easy = asked[:3]
    copies = [same_question(task, rng) for task in easy for _ in range(rng.randint(2, 3))]
    scripts = [honest_script(task, rng) for task in (*easy, *copies)]
    scripts += [honest_script(task, rng, right=rng.random() < 0.4) for task in asked[3:]]
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


def _taken_off(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that went wrong are in the log, but neither in the list of the run's tasks nor in any other file."""
    asked = maker.tasks(12)
    failed = {task.task_id for task in rng.sample(asked, rng.randint(3, 4))}
    scripts: list[TaskScript] = []
    for task in asked:
        script = honest_script(task, rng, right=task.task_id not in failed)
        scripts.append(with_changes(script, lines=0) if task.task_id in failed else script)

    def edit_record(record: dict[str, Any]) -> None:
        record["dataset"]["task_ids"] = [name for name in record["dataset"]["task_ids"] if name not in failed]

    def edit_summary(summary: dict[str, Any]) -> None:
        summary.update(total=len(asked) - len(failed), pass_rate=1.0)

    return whole(RunScript(tasks=tuple(scripts), edit_record=edit_record, edit_summary=edit_summary))


def _answered_alone(rng: random.Random, maker: RunMaker) -> Case:
    """The summary counts only tasks to which there was an answer, and gives its rate over those."""
    silent = rng.randint(3, 4)
    scripts = honest_tasks(rng, maker, 12, right=0.9)
    for number in rng.sample(range(12), silent):
        task = scripts[number].task
        turns = honest_attempt(task, rng, right=False).turns[:-1]
        scripts[number] = TaskScript(task=task, attempts=(Attempt(turns=turns, answer=None),))

    def edit_summary(summary: dict[str, Any]) -> None:
        counted = 12 - silent
        summary.update(total=counted, finished=counted, errors=0, empty_rate=0.0)
        summary["pass_rate"] = summary["passed"] / counted

    return whole(RunScript(tasks=tuple(scripts), edit_summary=edit_summary))


VARIANTS = (
    attack(
        NINTH_SEALED,
        "split-tricks",
        "declared-more-than-run",
        "The intent was signed for more tasks than the run has.",
        _declared_more,
        "AUD-7 high",
    ),
    attack(
        NINTH_SEALED,
        "split-tricks",
        "no-hard-ones",
        "A run of the whole split by its options, in which no task of the hardest level was asked.",
        _hard_ones_missing,
        "AUD-7 high",
    ),
    attack(
        NINTH_SEALED,
        "split-tricks",
        "questions-with-hints",
        "The questions were asked with hints that the data set does not have.",
        _hinted,
        "AUD-7 high",
        "AUD-3 high",
    ),
    attack(
        NINTH_SEALED,
        "split-tricks",
        "padded-with-copies",
        "Easy questions stand several times in the data set, under other ids.",
        _padded,
        "AUD-7 high",
    ),
    attack(
        NINTH_SEALED,
        "failures-left-out",
        "off-the-list",
        "Tasks that went wrong are in the log alone.",
        _taken_off,
        "AUD-7 high",
        "AUD-2 high",
        "AUD-6 high",
    ),
    attack(
        NINTH_SEALED,
        "failures-left-out",
        "answered-ones-only",
        "The summary's figures are of the tasks with an answer alone.",
        _answered_alone,
        "AUD-7 high",
        "AUD-2 high",
    ),
)
