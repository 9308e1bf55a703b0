"""Votes and runs that were lost to failures, and disclosed."""

import random
from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.records.events import AttemptFinished
from redteam.batches import DEVELOPMENT
from redteam.making import RunMaker
from redteam.prose import sentence
from redteam.script import Attempt, RunScript, TaskScript, voting, with_changes
from redteam.solving import honest_attempt
from redteam.task_record import usual_opening
from redteam.variants import Build, Case, honest, honest_tasks, whole
from redteam.world import LabTask

VOTES = 5
Events = list[dict[str, Any]]


def _failed(task: LabTask, rng: random.Random) -> Attempt:
    attempt = honest_attempt(task, rng, right=False)
    error = "the model did not answer: 503"
    return msgspec.structs.replace(attempt, turns=attempt.turns[: rng.randrange(2)], answer=None, error=error)


def _losing(chance: Callable[[int, float], float]) -> Build:
    """Attempts that fail with a chance that depends on the task's number and on how hard it is, and on nothing else."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        votes = rng.choice((2, 3, 5))
        scripts = []
        for number, task in enumerate(maker.tasks(24)):
            ease = rng.betavariate(1.2, 0.6)
            attempts = tuple(
                _failed(task, rng)
                if rng.random() < chance(number, ease)
                else honest_attempt(task, rng, right=rng.random() < ease)
                for _ in range(votes)
            )
            scripts.append(TaskScript(task=task, attempts=attempts))
        return whole(RunScript(tasks=tuple(scripts), config=voting(votes)))

    return build


def _killed_in_a_vote(rng: random.Random, maker: RunMaker) -> Case:
    """One kill, when most attempts at a task were done: all of them are made again."""
    tasks = maker.tasks(8)
    scripts = [
        TaskScript(
            task=task,
            attempts=tuple(honest_attempt(task, rng, right=rng.random() < 0.7) for _ in range(VOTES)),
        )
        for task in tasks
    ]
    at = rng.randrange(1, 7)
    scripts[at] = with_changes(scripts[at], cut_off=VOTES - 1)

    def one_crash(events: Events) -> Events:
        crashes = [event for event in events if event["event"] == "run_resumed"]
        first, last = events.index(crashes[0]), events.index(crashes[-1])
        made: Events = []
        for number, event in enumerate(events):
            if event["event"] == "run_resumed" and number < last:
                continue
            made.append(event)
            if event["event"] == "attempt_started" and first - 1 <= number < last - 1:
                done = AttemptFinished(
                    task_id=event["task_id"], attempt=event["attempt"], steps=3, steps_sha256="a" * 64
                )
                made.append(msgspec.to_builtins(msgspec.structs.replace(done, time=event["time"])))
        return made

    return whole(RunScript(tasks=tuple(scripts), config=voting(VOTES), edit_log=one_crash))


def _killed_at_the_end(rng: random.Random, maker: RunMaker) -> Case:
    """Killed when the log was closed, and neither run.json nor the summary was saved."""
    return whole(
        RunScript(
            tasks=tuple(honest_tasks(rng, maker, 8)),
            edit_summary=lambda summary: summary.update(finished=0, passed=0),
            edit_record=lambda record: record.update(state="running", finished_at=None),
        )
    )


def _file_in_the_prompt(rng: random.Random, maker: RunMaker) -> Case:
    """An agent that puts a task's file into its system prompt: what is asked for stands there, of course."""
    tasks = maker.tasks(60)
    files = [task.attachment for task in tasks if task.attachment is not None]
    plain = [task for task in tasks if task.attachment is None]
    words = [task for task in plain if task.gold.isalpha() and len(task.gold) > 5 and not task.gold.endswith("day")][:4]
    with_file = [msgspec.structs.replace(task, attachment=file) for task, file in zip(words, files, strict=False)]
    plain = [task for task in plain if task not in words][:6]
    scripts = []
    for task in (*with_file, *plain):
        attempt = honest_attempt(task, rng)
        if task.attachment is not None:
            (role, text), *others = usual_opening(task)
            rows = f"{task.attachment.text}\n{sentence(rng)[:-1]}, {task.gold}, {sentence(rng)}"
            attempt = msgspec.structs.replace(attempt, opening=((role, f"{text}\n\nThe file:\n{rows}"), *others))
        scripts.append(TaskScript(task=task, attempts=(attempt,)))
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


def _any_time(_number: int, _ease: float) -> float:
    return 0.2


def _bad_hour(number: int, _ease: float) -> float:
    return 0.7 if 6 < number < 15 else 0.0


def _hard_tasks(_number: int, ease: float) -> float:
    return 0.7 * (1 - ease)


VARIANTS = (
    honest(DEVELOPMENT, "lost-votes", "flaky", "One attempt in five fails.", _losing(_any_time)),
    honest(DEVELOPMENT, "lost-votes", "outage", "A provider's bad hour.", _losing(_bad_hour)),
    honest(DEVELOPMENT, "lost-votes", "hard-tasks", "Hard tasks run out of time.", _losing(_hard_tasks)),
    honest(DEVELOPMENT, "killed-run", "in-a-vote", "One kill in the middle of a vote.", _killed_in_a_vote),
    honest(DEVELOPMENT, "killed-run", "at-the-end", "Killed when the log was closed.", _killed_at_the_end),
    honest(DEVELOPMENT, "file-in-the-prompt", "system", "A task's file in its system prompt.", _file_in_the_prompt),
)
