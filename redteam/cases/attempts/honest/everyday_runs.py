"""Everyday runs: voted, crashed and resumed, stopped, without an answer."""

import random

import msgspec

from gaia_harness.run.abandoning import REASON
from gaia_harness.tools.base import ToolOutput
from redteam.batches import FALSE_ALARM_HUNT
from redteam.making import RunMaker
from redteam.script import Attempt, Call, RunScript, TaskScript, Turn, declared, with_changes
from redteam.solving import honest_attempt, honest_script, turn
from redteam.variants import Build, Case, each, honest, honest_tasks, whole
from redteam.words import Slots
from redteam.world import LabTask

DECLARED = declared()


def _no_reply(reason: str) -> Attempt:
    """An attempt whose first model call failed."""
    return Attempt(turns=(Turn(words="", called=False),), answer=None, error=reason)


def _errors(task: LabTask, rng: random.Random) -> TaskScript:
    """The model or a tool gave up; there is no answer."""
    reason = rng.choice(
        ("model call timed out after 300 s", "rate limit (429) after 5 retries", "context length exceeded")
    )
    if rng.random() < 0.5:
        return TaskScript(task=task, attempts=(_no_reply(reason),))
    begun = honest_script(task, rng).attempts[0].turns[:-1]
    broken = Call(
        name="web_search", args={"query": task.topic}, output=ToolOutput(text="The search is down.", is_error=True)
    )
    return TaskScript(task=task, attempts=(Attempt(turns=(*begun, turn("Again.", broken)), answer=None, error=reason),))


def _voted(count: int, kind: str) -> Build:
    """Several attempts for every task."""

    def one(task: LabTask, rng: random.Random, number: int) -> Attempt:
        if kind == "tie":
            return honest_attempt(task, rng, right=number % 2 == rng.randrange(2))
        if kind == "errors" and rng.random() < 0.4:
            return _no_reply("model call timed out after 300 s")
        if kind == "all-differ":
            return Attempt(
                turns=(*honest_attempt(task, rng).turns[:-1], turn(Slots(rng).fill("FINAL ANSWER: {person} of {town}")))
            )
        return honest_attempt(task, rng, right=rng.random() < 0.6)

    def build(rng: random.Random, maker: RunMaker) -> Case:
        scripts = tuple(
            TaskScript(task=task, attempts=tuple(one(task, rng, number) for number in range(count)),
                       cut_off=int(kind == "crash" and rng.random() < 0.3))
            for task in maker.tasks(8)
        )  # fmt: skip
        return whole(RunScript(tasks=scripts, config=msgspec.structs.replace(DECLARED, voting_attempts=count)))

    return build


def _crashed(where: str) -> Build:
    """Crashes at this moment, each of which the log tells."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        scripts = honest_tasks(rng, maker, 10)
        at = {"first": [0], "last": [9], "several-at-once": [4, 5, 6], "thrice": [5]}[where]
        for index in at:
            scripts[index] = with_changes(scripts[index], cut_off=3 if where == "thrice" else 1)
        return whole(RunScript(tasks=tuple(scripts), config=msgspec.structs.replace(DECLARED, concurrency=3)))

    return build


def _given_up(rng: random.Random, maker: RunMaker) -> Case:
    """Given up half-way with `gaia run --abandon`: the later tasks never began, and the record says so."""
    scripts = honest_tasks(rng, maker, 10)
    done = rng.randint(2, 8)
    scripts[done:] = [with_changes(script, attempts=(), lines=0, in_log=False) for script in scripts[done:]]
    return whole(
        RunScript(
            tasks=tuple(scripts),
            edit_log=lambda log: [*log[:-1], log[-1] | {"status": "aborted", "submittable": False}],
            edit_record=lambda record: record.update(state="aborted"),
            edit_summary=lambda told: told.update(submittable=False, non_submittable_reasons=[REASON]),
        )
    )


VARIANTS = (
    honest(FALSE_ALARM_HUNT, "gave-nothing", "errors", "Timeouts and limits.", each(_errors)),
    honest(FALSE_ALARM_HUNT, "voted-run", "tie", "Two answers with as many votes.", _voted(4, "tie")),
    honest(FALSE_ALARM_HUNT, "voted-run", "errors", "Attempts without an answer among three.", _voted(3, "errors")),
    honest(FALSE_ALARM_HUNT, "voted-run", "all-differ", "Five attempts that all differ.", _voted(5, "all-differ")),
    honest(FALSE_ALARM_HUNT, "voted-run", "crash", "Crashes in a run with votes.", _voted(3, "crash")),
    *(
        honest(FALSE_ALARM_HUNT, "crashed-run", where, f"Crashed and resumed: {where}.", _crashed(where))
        for where in ("first", "last", "several-at-once", "thrice")
    ),
    honest(FALSE_ALARM_HUNT, "stopped-run", "half-way", "Given up on the record.", _given_up),
)
