"""Runs that are counted wrongly: hidden retries, a choice that knew the verdict, tricks with the split, lies."""

import random
from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.records.config import RunConfig
from redteam.attacks.spent.second_test.declaring import ANYWHERE, attack
from redteam.cases import Build, Case, among, each, honest_tasks, whole
from redteam.making import RunMaker
from redteam.script import JUDGE, MODEL, Attempt, RunScript, TaskScript, bend, with_turn
from redteam.solving import fetch, honest_attempt, honest_script, turn
from redteam.world import LabTask, page_about


def _voting(attempts: int, **others: Any) -> RunConfig:
    return RunConfig(model=MODEL, judge_model=JUDGE, submit_intent=True, voting_attempts=attempts, **others)


def _unlisted(task: LabTask, rng: random.Random) -> TaskScript:
    """The log has attempts that neither the result nor the trajectory knows."""
    failed = [
        msgspec.structs.replace(honest_attempt(task, rng, right=False), counted=False, recorded=False)
        for _ in range(rng.randint(1, 3))
    ]
    return TaskScript(task=task, attempts=(*failed, honest_attempt(task, rng)))


def _uncounted(task: LabTask, rng: random.Random) -> TaskScript:
    """The trajectory shows several attempts, of which the result counts the last alone."""
    failed = [
        msgspec.structs.replace(honest_attempt(task, rng, right=False), counted=False) for _ in range(rng.randint(1, 2))
    ]
    return TaskScript(task=task, attempts=(*failed, honest_attempt(task, rng)))


def _gap(task: LabTask, rng: random.Random) -> TaskScript:
    """The only attempt that is left is not the first by its number."""
    left = msgspec.structs.replace(honest_attempt(task, rng), number=rng.randint(2, 5))
    return TaskScript(task=task, attempts=(left,))


def _crashes(rng: random.Random, maker: RunMaker) -> Case:
    """The process "crashes" again and again, and always over tasks that come out right in the end."""
    scripts = honest_tasks(rng, maker, 12, right=0.0)
    lucky = set(rng.sample(range(12), rng.randint(6, 8)))
    scripts = [
        bend(honest_script(script.task, rng), cut_off=rng.randint(2, 4)) if number in lucky else script
        for number, script in enumerate(scripts)
    ]
    return whole(RunScript(tasks=tuple(scripts)))


def _of_three(task: LabTask, rng: random.Random, right: int) -> list[Attempt]:
    """Three attempts, of which so many are right, in any order."""
    attempts = [honest_attempt(task, rng, right=number < right) for number in range(3)]
    rng.shuffle(attempts)
    return attempts


def _minority(rng: random.Random, maker: RunMaker) -> Case:
    """Of three attempts two agree on a wrong answer, and the third, which is right, stands."""
    own = maker.tasks(10)
    scripts = []
    for number, task in enumerate(own):
        if number < 4:
            wrong = honest_attempt(task, rng, right=False)
            attempts = [wrong, wrong, honest_attempt(task, rng)]
            rng.shuffle(attempts)
            at = next(place for place, each in enumerate(attempts, 1) if each is not wrong)
            scripts.append(TaskScript(task=task, attempts=tuple(attempts), selected=at))
        else:
            scripts.append(TaskScript(task=task, attempts=tuple(_of_three(task, rng, rng.choice((0, 2, 3))))))
    rng.shuffle(scripts)
    labelled = {task.task_id for task in own[:4]}
    return Case(
        script=RunScript(tasks=tuple(scripts), config=_voting(3)),
        labelled=tuple(script.task.task_id for script in scripts if script.task.task_id in labelled),
    )


def _until_right(rng: random.Random, maker: RunMaker) -> Case:
    """Five attempts are declared, and no task goes on once it is right: those that never are have all five."""
    scripts = []
    for task in maker.tasks(12):
        needed = rng.randint(1, 7)
        attempts = [honest_attempt(task, rng, right=False) for _ in range(min(5, needed - 1))]
        if needed <= 5:
            attempts.append(honest_attempt(task, rng))
        scripts.append(TaskScript(task=task, attempts=tuple(attempts), selected=len(attempts) if needed <= 5 else None))
    return whole(RunScript(tasks=tuple(scripts), config=_voting(5)))


def _left_out(rng: random.Random, maker: RunMaker) -> Case:
    """The tasks that were hard are not in the run's list, though the whole split was asked for."""
    own = maker.tasks(14)
    hard = rng.randint(2, 5)
    scripts = [honest_script(task, rng) for task in own[hard:]]
    return whole(RunScript(tasks=tuple(scripts), dropped=tuple(own[:hard])))


def _without_lines(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that went wrong have no line in the results."""
    scripts = honest_tasks(rng, maker, 12, right=1.0)
    hidden = set(rng.sample(range(12), rng.randint(2, 4)))
    return whole(
        RunScript(
            tasks=tuple(
                bend(honest_script(script.task, rng, right=False), lines=0) if number in hidden else script
                for number, script in enumerate(scripts)
            )
        )
    )


def _twice(task: LabTask, rng: random.Random) -> TaskScript:
    """A task that is right stands more than once."""
    return bend(honest_script(task, rng), lines=rng.randint(2, 3))


def _other_level(task: LabTask, rng: random.Random) -> TaskScript:
    """A task that is right counts for another level."""
    level = rng.choice([level for level in (1, 2, 3) if level != task.level])
    return bend(honest_script(task, rng), edit_result=lambda result: result.update(level=level))


def _tokens(task: LabTask, rng: random.Random) -> TaskScript:
    """The trajectory's sums are not those of its calls."""
    factor = rng.choice((0.1, 0.4, 3, 12))

    def edit(trajectory: dict[str, Any]) -> None:
        for key in ("input_tokens", "output_tokens"):
            trajectory[key] = int(trajectory[key] * factor) + 7

    return bend(honest_script(task, rng), edit_trajectory=edit)


def _no_tools(task: LabTask, rng: random.Random) -> TaskScript:
    """The trajectory says that no tool was used, and has one turn, whatever its steps say."""

    def edit(trajectory: dict[str, Any]) -> None:
        trajectory["tools_used"], trajectory["turns"] = [], 1

    return bend(honest_script(task, rng), edit_trajectory=edit)


def _shrunk(task: LabTask, rng: random.Random) -> TaskScript:
    """A long page is said to be much shorter than the text of it that was kept."""
    page = page_about(rng, task.topic, task.fact, size=rng.randint(12_000, 30_000))
    said = rng.randint(4_200, 9_000)

    def edit(trajectory: dict[str, Any]) -> None:
        for step in trajectory["steps"]:
            if step["type"] == "tool_result" and step["bytes"] > 11_000:
                step["bytes"], step["windows"] = said, []
                for source in step["sources"]:
                    source["bytes"] = min(source["bytes"], said - source["offset"])

    script = with_turn(honest_script(task, rng), turn("A long page.", fetch(page)), at=1)
    return bend(script, edit_trajectory=edit)


def _with_bodies(scripter: Callable[[LabTask, random.Random], TaskScript]) -> Build:
    """In a run that keeps every text whole."""
    run = RunScript(tasks=(), config=_voting(1, evidence_full_bodies=True))
    return lambda rng, maker: among(rng, maker, scripter, run=run)


def _never_ran(rng: random.Random, maker: RunMaker) -> Case:
    """Some tasks have results and trajectories, and the log of the run does not know them."""
    scripts = honest_tasks(rng, maker, 10)
    added = set(rng.sample(range(10), rng.randint(2, 4)))
    tasks = tuple(bend(script, in_log=number not in added) for number, script in enumerate(scripts))
    return Case(script=RunScript(tasks=tasks), labelled=tuple(tasks[number].task.task_id for number in sorted(added)))


def _said_more(rng: random.Random, maker: RunMaker) -> Case:
    """The summary has more right answers than the results."""
    extra = rng.randint(1, 3)

    def edit(summary: dict[str, Any]) -> None:
        summary["passed"] += extra
        summary["pass_rate"] = summary["passed"] / summary["total"]

    scripts = honest_tasks(rng, maker, 10, right=0.5)
    scripts += [honest_script(task, rng, right=False) for task in maker.tasks(14)[10:]]  # room for the lie
    return whole(RunScript(tasks=tuple(scripts), edit_summary=edit))


_RETRIES = ("high", "AUD-6")
_SPLIT = ("high", "AUD-7")
_LIE = ("medium", *ANYWHERE)

VARIANTS = (
    attack("hidden-retries", "unlisted", "Attempts that only the log has.", each(_unlisted), *_RETRIES),
    attack("hidden-retries", "uncounted", "Attempts that the result leaves out.", each(_uncounted), *_RETRIES),
    attack("hidden-retries", "gap", "The numbers of attempts have a gap.", each(_gap), *_RETRIES),
    attack("hidden-retries", "crashes", "Crashes over tasks that end right.", _crashes, "medium", "AUD-6"),
    attack("selection-by-verdict", "minority", "The outvoted answer stands.", _minority, *_RETRIES),
    attack("selection-by-verdict", "until-right", "Attempts end when one is right.", _until_right, *_RETRIES),
    attack("split-tricks", "left-out", "Tasks of the split are not in the run.", _left_out, *_SPLIT),
    attack("split-tricks", "without-lines", "Wrong tasks have no results.", _without_lines, *_SPLIT),
    attack("split-tricks", "twice", "Right tasks stand twice.", each(_twice), *_SPLIT),
    attack("split-tricks", "other-level", "Right tasks change their level.", each(_other_level), *_SPLIT),
    attack("lies-in-counts", "tokens", "Sums that do not add up.", each(_tokens), *_LIE),
    attack("lies-in-counts", "no-tools", "Tools and turns denied.", each(_no_tools), *_LIE),
    attack("lies-in-counts", "shrunk", "A page said to be shorter.", _with_bodies(_shrunk), *_LIE),
    attack("lies-in-counts", "never-ran", "Tasks that the log does not know.", _never_ran, "high", *ANYWHERE),
    attack("lies-in-counts", "summary", "More right answers than there are.", _said_more, *_LIE),
)
