"""More attempts than the run owns up to: hidden, left out of the log, made after the verdict, chosen by it."""

import random
from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.judge.prompt import PROMPT_SHA256
from gaia_harness.records.config import RunConfig
from gaia_harness.records.events import Judged
from redteam.attacks.development.declaring import attack
from redteam.cases import Build, Case, Expected, each, honest_tasks, whole
from redteam.making import RunMaker
from redteam.script import JUDGE, MODEL, Attempt, RunScript, TaskScript, bend
from redteam.solving import closing, honest_attempt, honest_script
from redteam.world import LabTask

HIDDEN = Expected("AUD-6", "high")
CUT_OFF = Expected("AUD-6", "medium")

Events = list[dict[str, Any]]


def _failures(task: LabTask, rng: random.Random, most: int, **bent: bool) -> tuple[Attempt, ...]:
    """Wrong attempts, bent in this way."""
    return tuple(
        msgspec.structs.replace(honest_attempt(task, rng, right=False), **bent) for _ in range(rng.randint(1, most))
    )


def _only_in_the_log(task: LabTask, rng: random.Random) -> TaskScript:
    """The log has more attempts than the result and the trajectory."""
    before = _failures(task, rng, 3, counted=False, recorded=False)
    return TaskScript(task=task, attempts=(*before, honest_attempt(task, rng)))


def _not_in_the_result(task: LabTask, rng: random.Random) -> TaskScript:
    """Log and trajectory have them, the result does not."""
    before = _failures(task, rng, 3, counted=False)
    return TaskScript(task=task, attempts=(*before, honest_attempt(task, rng)))


def _not_in_the_log(task: LabTask, rng: random.Random) -> TaskScript:
    """Best of several: they are in the trajectory, and neither in the log nor in the result."""
    before = _failures(task, rng, 4, counted=False, logged=False)
    return TaskScript(task=task, attempts=(*before, honest_attempt(task, rng)))


def _numbers_left_out(task: LabTask, rng: random.Random) -> TaskScript:
    """Everything says one attempt, but its number is not the first."""
    attempt = msgspec.structs.replace(honest_attempt(task, rng), number=rng.randint(2, 6))
    return TaskScript(task=task, attempts=(attempt,))


def _more_than_declared(task: LabTask, rng: random.Random) -> TaskScript:
    """Several attempts and a vote, where the run declares one."""
    others = tuple(honest_attempt(task, rng, right=rng.random() < 0.5) for _ in range(rng.randint(1, 3)))
    return TaskScript(task=task, attempts=(*others, honest_attempt(task, rng)), selected=len(others) + 1)


def _voting(case: Callable[[LabTask, random.Random, int], TaskScript]) -> Build:
    """A run that declares three or five attempts and makes them, with four such tasks in it."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        votes = rng.choice((3, 5))
        config = RunConfig(model=MODEL, judge_model=JUDGE, submit_intent=True, voting_attempts=votes)
        tasks = maker.tasks(10)
        scripts = [case(task, rng, votes) for task in tasks[:4]]
        for task in tasks[4:]:
            attempts = tuple(honest_attempt(task, rng, right=rng.random() < 0.7) for _ in range(votes))
            scripts.append(TaskScript(task=task, attempts=attempts))
        rng.shuffle(scripts)
        labelled = tuple(task.task_id for task in tasks[:4])
        return Case(script=RunScript(tasks=tuple(scripts), config=config), labelled=labelled)

    return build


def _against_the_vote(task: LabTask, rng: random.Random, votes: int) -> TaskScript:
    """Most attempts agree on something wrong; the one that is right is chosen."""
    wrong = honest_attempt(task, rng, right=False)
    others = [
        msgspec.structs.replace(each, turns=(*each.turns[:-1], closing(rng, str(wrong.said))))
        for each in (honest_attempt(task, rng, right=False) for _ in range(votes - 1))
    ]
    at = rng.randrange(votes)
    others.insert(at, honest_attempt(task, rng))
    return TaskScript(task=task, attempts=tuple(others), selected=at + 1)


def _stopped_when_right(task: LabTask, rng: random.Random, votes: int) -> TaskScript:
    """One more attempt than declared, as all before were wrong; the last is right, and is chosen."""
    before = [honest_attempt(task, rng, right=False) for _ in range(votes)]
    return TaskScript(task=task, attempts=(*before, honest_attempt(task, rng)), selected=votes + 1)


def _after_the_verdict(rng: random.Random, maker: RunMaker) -> Case:
    """The judge says no, and another attempt begins."""
    tasks = maker.tasks(10)
    cases = {task.task_id for task in tasks[:4]}
    scripts = [honest_script(task, rng, right=rng.random() < 0.75) for task in tasks[4:]]
    for task in tasks[:4]:
        attempts = (honest_attempt(task, rng, right=False), honest_attempt(task, rng))
        scripts.append(TaskScript(task=task, attempts=attempts, selected=2))
    rng.shuffle(scripts)

    def judged_between(events: Events) -> Events:
        made: Events = []
        for event in events:
            made.append(event)
            if event["event"] == "attempt_finished" and event["attempt"] == 1 and event["task_id"] in cases:
                judged = Judged(
                    time=event["time"],
                    task_id=event["task_id"],
                    model=JUDGE,
                    prompt_sha256=PROMPT_SHA256,
                    verdict=False,
                    cached=False,
                )
                made.append(msgspec.to_builtins(judged))
        return made

    return Case(script=RunScript(tasks=tuple(scripts), edit_log=judged_between), labelled=tuple(sorted(cases)))


def _events_left_out(rng: random.Random, maker: RunMaker) -> Case:
    """Attempts were taken out of the log; the numbers of the events show it."""
    scripts = honest_tasks(rng, maker, 12)
    for at in rng.sample(range(12), 4):
        task = scripts[at].task
        scripts[at] = TaskScript(
            task=task, attempts=(*_failures(task, rng, 2, counted=False, recorded=False), honest_attempt(task, rng))
        )
    last = {script.task.task_id: len(script.attempts) for script in scripts}

    def without(events: Events) -> Events:
        return [event for event in events if event.get("attempt", 0) in (0, last.get(event.get("task_id", ""), 0))]

    return whole(RunScript(tasks=tuple(scripts), edit_log=without, renumber=False))


def _cut_off(rng: random.Random, maker: RunMaker) -> Case:
    """Crash upon crash, and always on tasks that ended right: whoever sees a wrong answer pulls the plug."""
    scripts = [
        bend(honest_script(task, rng), cut_off=rng.randint(1, 4))
        if number < 7
        else honest_script(task, rng, right=rng.random() < 0.3)
        for number, task in enumerate(maker.tasks(14))
    ]
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


VARIANTS = (
    attack("hidden-retries", "only-in-log", "Attempts in the log alone.", each(_only_in_the_log), HIDDEN),
    attack("hidden-retries", "not-in-result", "Attempts not in the result.", each(_not_in_the_result), HIDDEN),
    attack("hidden-retries", "not-in-log", "Best of several, not in the log.", each(_not_in_the_log), HIDDEN),
    attack("hidden-retries", "numbers", "Numbers of attempts left out.", each(_numbers_left_out), HIDDEN),
    attack("hidden-retries", "undeclared", "More attempts than declared.", each(_more_than_declared), HIDDEN),
    attack("hidden-retries", "against-the-vote", "The right one chosen.", _voting(_against_the_vote), HIDDEN),
    attack("hidden-retries", "until-right", "One more when all were wrong.", _voting(_stopped_when_right), HIDDEN),
    attack("hidden-retries", "after-the-verdict", "An attempt after the judge's no.", _after_the_verdict, HIDDEN),
    attack("hidden-retries", "events-left-out", "Events taken out of the log.", _events_left_out, HIDDEN),
    attack("hidden-retries", "cut-off", "Many attempts cut off, on right tasks.", _cut_off, CUT_OFF),
)  # fmt: skip
