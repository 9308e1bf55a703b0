"""Attempts that were refused and then called outages, and votes whose losing side was declared void."""

import random
from datetime import datetime, timedelta
from typing import Any

import msgspec

from gaia_harness.judge.prompt import PROMPT_SHA256
from gaia_harness.records.events import AnyEvent, AttemptInterrupted, Event, Judged
from gaia_harness.records.interruptions import InterruptionCount
from gaia_harness.version import __version__
from redteam.batches import SEVENTH_SEALED
from redteam.making import RunMaker
from redteam.script import EMPTY_RUN, JUDGE, Attempt, RunScript, TaskScript, voting
from redteam.solving import closing, honest_attempt, honest_script, wrong_answer
from redteam.variants import Case, among, attack
from redteam.world import LabTask

OUTAGES = (
    "the model's service answered 503 five times", "the connection was reset", "the model's service is overloaded",
    "the name of the model's host was not found", "the gateway closed the stream",
)  # fmt: skip


def _later(time: str, milliseconds: int) -> str:
    moment = datetime.fromisoformat(time.replace("Z", "+00:00")) + timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Outages:
    """Gives a reason for every attempt that the log leaves open, and keeps the summary in step with the log."""

    def __init__(self, rng: random.Random, *, judged: bool) -> None:
        """With `judged`, the judge was asked, and said no, before the outage came."""
        self._rng = rng
        self._judged = judged
        self._count = InterruptionCount()

    def edit_log(self, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The log with an interruption for each attempt that was begun and has no end."""
        ended = {(each["task_id"], each["attempt"]) for each in events if each["event"] == "attempt_finished"}
        lost: list[dict[str, Any]] = []
        edited: list[dict[str, Any]] = []
        for event in events:
            if event["event"] == "run_resumed":
                edited += sorted(lost, key=lambda each: each["time"])
                lost = []
            edited.append(event)
            if event["event"] == "attempt_started" and (event["task_id"], event["attempt"]) not in ended:
                lost += self._ending(event)
        for number, event in enumerate(edited):
            self._count.note(msgspec.convert(event, AnyEvent), number)
        return edited

    def edit_summary(self, summary: dict[str, Any]) -> None:
        """The summary counts what the log now has."""
        summary["interruptions"] = msgspec.to_builtins(self._count.total(__version__))

    def _ending(self, begun: dict[str, Any]) -> list[dict[str, Any]]:
        task_id, after = begun["task_id"], self._rng.randint(9_000, 70_000)
        endings: list[Event] = []
        if self._judged:
            endings.append(
                Judged(task_id=task_id, model=JUDGE, prompt_sha256=PROMPT_SHA256, verdict=False, cached=False)
            )
        reason = self._rng.choice(OUTAGES)
        endings.append(AttemptInterrupted(task_id=task_id, attempt=begun["attempt"], reason=reason))
        return [
            msgspec.to_builtins(msgspec.structs.replace(each, time=_later(begun["time"], after + 40 * place)))
            for place, each in enumerate(endings)
        ]

    def run(self) -> RunScript:
        """A run whose log and summary are edited so."""
        return msgspec.structs.replace(EMPTY_RUN, edit_log=self.edit_log, edit_summary=self.edit_summary)


def _refused_then_lost(rng: random.Random, maker: RunMaker) -> Case:
    """An attempt that the judge refuses is written off as an outage, and the task begun again."""

    def again(task: LabTask, rng: random.Random) -> TaskScript:
        return msgspec.structs.replace(honest_script(task, rng), cut_off=rng.randint(1, 3))

    return among(rng, maker, again, run=Outages(rng, judged=True).run())


def ballot(task: LabTask, rng: random.Random, answer: str) -> Attempt:
    """An attempt that comes to this answer."""
    right = answer == task.gold
    return Attempt(turns=(*honest_attempt(task, rng, right=right).turns[:-1], closing(rng, answer)))


def honest_vote(task: LabTask, rng: random.Random, count: int) -> TaskScript:
    """So many attempts, most of which find the gold."""
    answers = [task.gold if rng.random() < 0.75 else wrong_answer(task, rng) for _ in range(count)]
    return TaskScript(task=task, attempts=tuple(ballot(task, rng, answer) for answer in answers))


def _void_ballots(rng: random.Random, maker: RunMaker) -> Case:
    """The wrong answer had the majority; its attempts are entered as having given none."""
    count = rng.choice((3, 5))
    fault = rng.choice(("no answer within 30 turns", "the reply could not be read", "the task's time was up"))

    def void(task: LabTask, rng: random.Random) -> TaskScript:
        wrong = wrong_answer(task, rng)
        losing = [ballot(task, rng, wrong) for _ in range(count // 2 + 1)]
        made = [msgspec.structs.replace(attempt, answer=None, error=fault) for attempt in losing]
        made += [ballot(task, rng, task.gold) for _ in range(count // 2)]
        rng.shuffle(made)
        return TaskScript(task=task, attempts=tuple(made))

    tasks = maker.tasks(10)
    scripts = [(True, void(task, rng)) for task in tasks[:4]]
    scripts += [(False, honest_vote(task, rng, count)) for task in tasks[4:]]
    rng.shuffle(scripts)
    run = RunScript(tasks=tuple(script for _, script in scripts), config=voting(count))
    return Case(script=run, labelled=tuple(script.task.task_id for labelled, script in scripts if labelled))


VARIANTS = (
    attack(
        SEVENTH_SEALED,
        "hidden-retries",
        "refused-then-lost",
        "Attempts that the judge had refused are logged as lost to an outage, and the task is begun again.",
        _refused_then_lost,
        "AUD-6 high",
    ),
    attack(
        SEVENTH_SEALED,
        "selection-by-verdict",
        "void-ballots",
        "The attempts of a wrong majority count as having given no answer, so that the right minority wins the vote.",
        _void_ballots,
        "AUD-6 high",
    ),
)
