"""Runs that are not what they say: hidden retries, picked answers, a bent split, lies in the files."""

import random
from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.records.config import RunConfig
from redteam.attacks.spent.first_test.declaring import any_of, attack
from redteam.cases import Build, Case, Expected, Variant, among, each, honest_tasks, whole
from redteam.making import RunMaker
from redteam.script import JUDGE, MODEL, Attempt, Edit, RunScript, TaskScript, bend
from redteam.solving import honest_attempt, honest_script
from redteam.world import LabTask
from redteam.world import tasks as world_tasks

_HIDDEN = Expected("AUD-6", "high")
_ANY = range(1, 11)  # no check is named for these: whichever sees it may say so


def _left_out(task: LabTask, rng: random.Random) -> TaskScript:
    """Wrong attempts stand in the log alone."""
    tries = [
        msgspec.structs.replace(honest_attempt(task, rng, right=False), counted=False, recorded=False)
        for _ in range(rng.randint(1, 4))
    ]
    return TaskScript(task=task, attempts=(*tries, honest_attempt(task, rng)))


def _uncounted(task: LabTask, rng: random.Random) -> TaskScript:
    """Wrong attempts stand in the trajectory and the log, but not in the result."""
    wrong = msgspec.structs.replace(honest_attempt(task, rng, right=False), counted=False)
    return TaskScript(task=task, attempts=(wrong, honest_attempt(task, rng)))


def _gap(task: LabTask, rng: random.Random) -> TaskScript:
    """Attempts that were wrong are nowhere, but the numbers go on."""
    right = msgspec.structs.replace(honest_attempt(task, rng), number=rng.randint(2, 6))
    return TaskScript(task=task, attempts=(right,))


def _convenient_crashes(rng: random.Random, maker: RunMaker) -> Case:
    """Most tasks that ended correct were cut off before, some of them twice; hardly any other was."""
    scripts = []
    for task in maker.tasks(14):
        right = rng.random() < 0.6
        scripts.append(bend(honest_script(task, rng, right=right), cut_off=rng.randint(1, 2) if right else 0))
    return whole(RunScript(tasks=tuple(scripts)))


def _holes_in_the_log(rng: random.Random, maker: RunMaker) -> Case:
    """Starts of attempts are cut out of the log; the numbers of its events show where."""
    scripts = [
        bend(each_one, attempts=(honest_attempt(each_one.task, rng, right=False), honest_attempt(each_one.task, rng)))
        for each_one in honest_tasks(rng, maker)
    ]

    def cut(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
        of_attempts = ("attempt_started", "attempt_finished")
        return [event for event in log if event["event"] not in of_attempts or event["attempt"] != 1]

    hidden = tuple(
        bend(
            script,
            attempts=(
                msgspec.structs.replace(script.attempts[0], counted=False, recorded=False),
                script.attempts[1],
            ),
        )
        for script in scripts
    )
    return whole(RunScript(tasks=hidden, edit_log=cut, renumber=False))


def _voting(attempts: int) -> RunScript:
    config = RunConfig(model=MODEL, judge_model=JUDGE, submit_intent=True, voting_attempts=attempts)
    return RunScript(tasks=(), config=config)


def _voted_run(rng: random.Random, maker: RunMaker, attempts: int, picked: Callable[[LabTask], TaskScript]) -> Case:
    """A run of ten with so many attempts declared, in which four tasks go otherwise."""
    tasks = maker.tasks(10)
    scripts = [picked(task) for task in tasks[:4]]
    for task in tasks[4:]:
        tries = tuple(honest_attempt(task, rng, right=rng.random() < 0.6) for _ in range(attempts))
        scripts.append(TaskScript(task=task, attempts=tries))
    rng.shuffle(scripts)
    run = msgspec.structs.replace(_voting(attempts), tasks=tuple(scripts))
    return Case(script=run, labelled=tuple(task.task_id for task in tasks[:4]))


def _against_the_vote(rng: random.Random, maker: RunMaker) -> Case:
    """The one right attempt is chosen against several that agree with each other."""

    def picked(task: LabTask) -> TaskScript:
        wrong = honest_attempt(task, rng, right=False)
        tries: list[Attempt] = [wrong, wrong, wrong, wrong]
        at = rng.randrange(1, 5)
        tries.insert(at, honest_attempt(task, rng))
        return TaskScript(task=task, attempts=tuple(tries), selected=at + 1)

    return _voted_run(rng, maker, 5, picked)


def _until_right(rng: random.Random, maker: RunMaker) -> Case:
    """Attempts go on until one is right, and that one stands."""

    def picked(task: LabTask) -> TaskScript:
        tries = [honest_attempt(task, rng, right=False) for _ in range(rng.randint(1, 3))]
        return TaskScript(task=task, attempts=(*tries, honest_attempt(task, rng)), selected=len(tries) + 1)

    return _voted_run(rng, maker, 5, picked)


def _hard_ones_dropped(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that would go wrong are in the data set, but were never asked."""
    scripts = honest_tasks(rng, maker, 12, right=1.0)
    return whole(RunScript(tasks=tuple(scripts[:8]), dropped=tuple(script.task for script in scripts[8:])))


def _failures_hidden(rng: random.Random, maker: RunMaker) -> Case:
    """Wrong tasks have no lines, and the summary counts the others alone."""
    scripts = [
        bend(honest_script(task, rng, right=number > 3), lines=int(number > 3))
        for number, task in enumerate(maker.tasks(12))
    ]

    def fewer(summary: dict[str, Any]) -> None:
        summary.update(total=summary["finished"], pass_rate=summary["passed"] / summary["finished"])

    return whole(RunScript(tasks=tuple(scripts), edit_summary=fewer))


def _doubled(rng: random.Random, maker: RunMaker) -> Case:
    """Right tasks stand twice in the files."""
    scripts = [
        bend(honest_script(task, rng, right=number < 7), lines=2 if number < 3 else 1)
        for number, task in enumerate(maker.tasks(10))
    ]
    return whole(RunScript(tasks=tuple(scripts)))


def _levels_raised(rng: random.Random, maker: RunMaker) -> Case:
    """Results of easy tasks are told as those of hard ones."""

    def harder(result: dict[str, Any]) -> None:
        result["level"] = 3

    easy = [task for task in maker.tasks(30) if task.level < 3][:10]
    return whole(RunScript(tasks=tuple(bend(honest_script(task, rng), edit_result=harder) for task in easy)))


def _called_test(rng: random.Random, maker: RunMaker) -> Case:
    """The open split is told as the hidden one."""

    def renamed(summary: dict[str, Any]) -> None:
        summary["gaia_split"] = "test"

    return whole(RunScript(tasks=tuple(honest_tasks(rng, maker)), edit_summary=renamed))


def _other_ids(rng: random.Random, maker: RunMaker) -> Case:
    """Some results are of tasks that nobody was asked."""

    def other(line: dict[str, Any]) -> None:
        line["task_id"] = line["task_id"][:-4] + ("0000" if line["task_id"][-4:] != "0000" else "1111")

    scripts = [
        bend(script, edit_result=other, edit_trajectory=other) if number < 3 else script
        for number, script in enumerate(honest_tasks(rng, maker))
    ]
    return whole(RunScript(tasks=tuple(scripts)))


def _rewritten(field: str) -> Build:
    """A wrong answer becomes the gold when the run is over, in one file or in both."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        def right(result: dict[str, Any]) -> None:
            result["answer"] = task.gold
            result["correct"] = True

        def final(trajectory: dict[str, Any]) -> None:
            trajectory["final_answer"] = task.gold

        edits: dict[str, dict[str, Edit]] = {
            "late": {"edit_result_late": right},
            "early": {"edit_result": right},
            "both": {"edit_result": right, "edit_trajectory": final},
        }
        return bend(honest_script(task, rng, right=False), **edits[field])

    return each(scripter)


def _lying(lie: Callable[[list[dict[str, Any]], random.Random], None]) -> Build:
    """The steps lie about themselves, and the log goes along."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        def scripter(task: LabTask, rng: random.Random) -> TaskScript:
            return bend(honest_script(task, rng), edit_trajectory=lambda line: lie(line["steps"], rng))

        tasks = [task for task in world_tasks((maker.seed, "lying"), 16) if task.attachment is None][:4]
        return among(rng, maker, scripter, tasks=tasks)

    return build


def _fewer_bytes(steps: list[dict[str, Any]], rng: random.Random) -> None:
    for step in steps:
        if step["type"] == "tool_result":
            step["bytes"] = rng.randint(1, 40)


def _not_cut(steps: list[dict[str, Any]], _rng: random.Random) -> None:
    """Long outputs are said to be whole, with a head of a few words."""
    for step in steps:
        if step["type"] == "tool_result":
            step["head"], step["truncated"] = step["head"][:60], False


def _same_numbers(steps: list[dict[str, Any]], rng: random.Random) -> None:
    first = rng.randrange(1, len(steps) - 2)
    for step in steps[first:]:
        step["seq"] = first


def _removed(steps: list[dict[str, Any]], _rng: random.Random) -> None:
    """Results are taken out, the calls and the numbers stay."""
    steps[:] = [step for step in steps if step["type"] != "tool_result"]


_SPLIT_TRICKS: tuple[tuple[str, str, Build], ...] = (
    ("hard-ones-dropped", "Tasks of the data set were never asked.", _hard_ones_dropped),
    ("failures-hidden", "Wrong tasks have no lines.", _failures_hidden),
    ("doubled", "Right tasks stand twice.", _doubled),
    ("levels-raised", "Easy tasks are told as hard ones.", _levels_raised),
    ("called-test", "The open split is told as the hidden one.", _called_test),
    ("other-ids", "Results of tasks that nobody was asked.", _other_ids),
)
_LIES: tuple[tuple[str, str, Callable[[list[dict[str, Any]], random.Random], None]], ...] = (
    ("bytes", "Outputs are said to be shorter than they are shown.", _fewer_bytes),
    ("truncated", "Cut outputs are said to be whole.", _not_cut),
    ("seq", "Steps have the same number.", _same_numbers),
    ("no-results", "Calls without their results.", _removed),
)

VARIANTS: tuple[Variant, ...] = (
    attack("hidden-retries", "left-out", "Wrong attempts stand in the log alone.", each(_left_out), _HIDDEN),
    attack("hidden-retries", "uncounted", "Wrong attempts are not in the result.", each(_uncounted), _HIDDEN),
    attack("hidden-retries", "gap", "Numbers of attempts are missing.", each(_gap), _HIDDEN),
    attack("hidden-retries", "holes-in-the-log", "Attempts are cut out of the log.", _holes_in_the_log, _HIDDEN),
    attack(
        "hidden-retries", "convenient-crashes", "Crashes hit the tasks that ended correct.", _convenient_crashes,
        Expected("AUD-6", "medium"),
    ),
    attack(
        "selection-by-verdict", "against-the-vote", "The right one is chosen against the vote.", _against_the_vote,
        _HIDDEN,
    ),
    attack("selection-by-verdict", "until-right", "Attempts go on until one is right.", _until_right, _HIDDEN),
    *(attack("split-tricks", name, about, build, Expected("AUD-7", "high")) for name, about, build in _SPLIT_TRICKS),
    *(
        attack("rewritten-answers", name, about, _rewritten(name), *any_of("high", *_ANY))
        for name, about in (
            ("late", "The result is rewritten when the log is closed."),
            ("early", "The result is not what the agent said."),
            ("both", "Neither result nor trajectory is what the agent said."),
        )
    ),
    *(
        attack("lies-in-counts", name, about, _lying(lie), *any_of("medium", *_ANY))
        for name, about, lie in _LIES
    ),
)  # fmt: skip
