"""More tries than told: retries that are hidden, and choices among attempts that knew the verdict."""

import random
from typing import Any

import msgspec

from gaia_harness.records.config import RunConfig
from redteam.attacks.sealed.declaring import attack
from redteam.cases import Case, each, whole
from redteam.making import RunMaker
from redteam.script import JUDGE, MODEL, Attempt, RunScript, TaskScript
from redteam.solving import closing, honest_attempt, wrong_answer
from redteam.taking_down import usual_opening
from redteam.world import LabTask

UNTOLD = ("AUD-6", "high")
SUSPECT = ("AUD-6", "medium")


def voting(attempts: int) -> RunConfig:
    """A run that declares so many attempts for each task."""
    return RunConfig(model=MODEL, judge_model=JUDGE, submit_intent=True, voting_attempts=attempts)


def saying(task: LabTask, rng: random.Random, answer: str) -> Attempt:
    """An honest attempt that ends with this answer."""
    attempt = honest_attempt(task, rng, right=answer == task.gold)
    return msgspec.structs.replace(attempt, turns=(*attempt.turns[:-1], closing(rng, answer)))


def _wrongs(task: LabTask, rng: random.Random, count: int) -> list[str]:
    """So many wrong answers, no two alike."""
    found: dict[str, None] = {}
    while len(found) < count:
        found[wrong_answer(task, rng)] = None
    return list(found)


def _first_forgotten(task: LabTask, rng: random.Random) -> TaskScript:
    """A wrong first attempt stands in the log alone; neither its steps nor its answer are told."""
    lost = msgspec.structs.replace(honest_attempt(task, rng, right=False), counted=False, recorded=False)
    return TaskScript(task=task, attempts=(lost, honest_attempt(task, rng)))


def _number_jumps(task: LabTask, rng: random.Random) -> TaskScript:
    """Whoever threw attempts away did not number the last one anew."""
    return TaskScript(
        task=task, attempts=(msgspec.structs.replace(honest_attempt(task, rng), number=rng.randint(3, 6)),)
    )


def _begun_anew_inside(task: LabTask, rng: random.Random) -> TaskScript:
    """Three attempts in the clothes of one: the prompts and the question come again, and nothing of before is said."""
    turns = []
    for number in range(rng.randint(2, 3)):
        part = list(honest_attempt(task, rng, right=False).turns)
        if number:
            part[0] = msgspec.structs.replace(part[0], prompts=usual_opening(task))
        turns += part
    last = list(honest_attempt(task, rng).turns)
    last[0] = msgspec.structs.replace(last[0], prompts=usual_opening(task))
    return TaskScript(task=task, attempts=(Attempt(turns=(*turns, *last)),))


def _recorded_not_counted(task: LabTask, rng: random.Random) -> TaskScript:
    """The steps of a discarded attempt are still in the trajectory, which the log and the result do not know."""
    lost = msgspec.structs.replace(honest_attempt(task, rng, right=False), counted=False, logged=False)
    return TaskScript(task=task, attempts=(lost, honest_attempt(task, rng)))


def _convenient_crashes(rng: random.Random, maker: RunMaker) -> Case:
    """The process is killed whenever an attempt goes badly: nearly every task that was cut off is right in the end."""
    scripts = []
    for number, task in enumerate(maker.tasks(16)):
        if number < 10:
            scripts.append(
                TaskScript(task=task, attempts=(honest_attempt(task, rng),), cut_off=rng.choice((1, 2, 2, 3)))
            )
        else:
            scripts.append(TaskScript(task=task, attempts=(honest_attempt(task, rng, right=False),)))
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


def _log_thinned(rng: random.Random, maker: RunMaker) -> Case:
    """First starts and the resuming are cut out of the log, which is numbered anew and signed."""
    tasks = maker.tasks(10)
    scripts = [
        TaskScript(task=task, attempts=(honest_attempt(task, rng),), cut_off=1 if number < 5 else 0)
        for number, task in enumerate(tasks)
    ]
    cut = {task.task_id for task in tasks[:5]}

    def thin(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            event
            for event in events
            if not (event["event"] == "attempt_started" and event["task_id"] in cut and event["attempt"] == 1)
            and event["event"] != "run_resumed"
        ]

    return whole(RunScript(tasks=tuple(scripts), edit_log=thin))


def _labelled(rng: random.Random, scripts: list[tuple[bool, TaskScript]], config: RunConfig) -> Case:
    rng.shuffle(scripts)
    return Case(
        script=RunScript(tasks=tuple(script for _, script in scripts), config=config),
        labelled=tuple(script.task.task_id for labelled, script in scripts if labelled),
    )


def _company(task: LabTask, rng: random.Random, attempts: int) -> TaskScript:
    return TaskScript(
        task=task, attempts=tuple(honest_attempt(task, rng, right=rng.random() < 0.7) for _ in range(attempts))
    )


def _minority(rng: random.Random, maker: RunMaker) -> Case:
    """Two or three attempts agree on a wrong answer; the one that is right stands."""
    size = rng.choice((3, 5))
    scripts: list[tuple[bool, TaskScript]] = []
    for number, task in enumerate(maker.tasks(10)):
        if number >= 4:
            scripts.append((False, _company(task, rng, size)))
            continue
        at = rng.randint(1, size)
        wrong = wrong_answer(task, rng)
        answers = [task.gold if place == at else wrong for place in range(1, size + 1)]
        attempts = tuple(saying(task, rng, answer) for answer in answers)
        scripts.append((True, TaskScript(task=task, attempts=attempts, selected=at)))
    return _labelled(rng, scripts, voting(size))


def _late_tie(rng: random.Random, maker: RunMaker) -> Case:
    """All attempts differ; the rule takes the earliest, but the last, which is right, stands."""
    scripts: list[tuple[bool, TaskScript]] = []
    for number, task in enumerate(maker.tasks(10)):
        if number >= 4:
            scripts.append((False, _company(task, rng, 3)))
            continue
        attempts = tuple(saying(task, rng, answer) for answer in (*_wrongs(task, rng, 2), task.gold))
        scripts.append((True, TaskScript(task=task, attempts=attempts, selected=3)))
    return _labelled(rng, scripts, voting(3))


def _stops_when_right(rng: random.Random, maker: RunMaker) -> Case:
    """Five attempts are declared, and made only until the right answer leads."""
    scripts = []
    for number, task in enumerate(maker.tasks(14)):
        if number % 3 == 2:
            answers = _wrongs(task, rng, 5)
        else:
            answers = [*_wrongs(task, rng, rng.randint(0, 2)), task.gold]
            answers += [task.gold] * (len(answers) > 1)
        scripts.append(TaskScript(task=task, attempts=tuple(saying(task, rng, answer) for answer in answers)))
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts), config=voting(5)))


def _declared_once(rng: random.Random, maker: RunMaker) -> Case:
    """The signed intent says one attempt; the run makes three."""
    tasks = maker.tasks(9)
    return whole(
        RunScript(
            tasks=tuple(_company(task, rng, 3) for task in tasks),
            config=voting(3),
            edit_intent=lambda intent: intent.update(voting_attempts=1),
        )
    )


def _understated(task: LabTask, rng: random.Random) -> TaskScript:
    """Three attempts are in log and trajectory; the result tells of one."""

    def edit(result: dict[str, Any]) -> None:
        result["attempts"] = 1
        result["voting"] |= {"selected_attempt": 1, "votes": 1, "cast": 1, "answers": [task.gold]}

    attempts = tuple(saying(task, rng, answer) for answer in (*_wrongs(task, rng, 2), task.gold))
    return TaskScript(task=task, attempts=attempts, selected=3, edit_result=edit)


def _closed_with_fewer(rng: random.Random, maker: RunMaker) -> Case:
    """The log's last line, and the end of every task, tell of one attempt where the log has several."""
    attempts = rng.randint(2, 4)

    def edit(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for event in events:
            if event["event"] == "task_finished":
                event["attempts"] = 1
            elif event["event"] == "run_closed":
                event["attempts"] = event["tasks"]
        return events

    scripts = tuple(_company(task, rng, attempts) for task in maker.tasks(9))
    return whole(RunScript(tasks=scripts, config=voting(attempts), edit_log=edit))


VARIANTS = (
    attack("hidden-retries", "first-forgotten", "Only the log knows of the first.", each(_first_forgotten), UNTOLD),
    attack("hidden-retries", "number-jumps", "The one attempt has a high number.", each(_number_jumps), SUSPECT),
    attack(
        "hidden-retries", "begun-anew-inside", "Several attempts in the clothes of one.", each(_begun_anew_inside),
        SUSPECT, ("AUD-3", "medium"),
    ),
    attack("hidden-retries", "only-in-steps", "Only the steps know of it.", each(_recorded_not_counted), UNTOLD),
    attack("hidden-retries", "convenient-crashes", "Crashes come when it goes badly.", _convenient_crashes, SUSPECT),
    attack("hidden-retries", "thinned-log", "Starts are cut out of the log.", _log_thinned, UNTOLD),
    attack("selection-by-verdict", "minority", "A right minority of one stands.", _minority, UNTOLD),
    attack("selection-by-verdict", "late-tie", "Of all different, the last stands.", _late_tie, UNTOLD),
    attack("selection-by-verdict", "stops-when-right", "Tried until the right one leads.", _stops_when_right, SUSPECT),
    attack("lies-in-counts", "declared-once", "The intent says one, three are made.", _declared_once, UNTOLD),
    attack("lies-in-counts", "understated", "Three attempts are told as one.", each(_understated), UNTOLD),
    attack("lies-in-counts", "closed-with-fewer", "Fewer are told than the log has.", _closed_with_fewer, SUSPECT),
)  # fmt: skip
