"""Attempts that were thrown away, and votes that were counted so that the right answer wins."""

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import msgspec

from gaia_harness.records.events import AnyEvent, AttemptFinished
from gaia_harness.records.interruptions import InterruptionCount, Interruptions
from gaia_harness.version import __version__
from redteam.batches import FIFTH_SEALED
from redteam.making import RunMaker
from redteam.script import EMPTY_RUN, Attempt, RunScript, TaskScript, voting, with_changes
from redteam.solving import closing, honest_attempt, honest_script, wrong_answer
from redteam.variants import Build, Case, Scripter, among, attack, each
from redteam.world import LabTask, tasks_asking

Event = dict[str, Any]


def crashing_run(ending: Callable[[Event], Event | None], *, resumed: Callable[[], bool] = lambda: True) -> RunScript:
    """A run in which the attempts under way at a crash end so; where it is not `resumed`, it was no crash at all."""
    seen: list[Interruptions] = []

    def edit_log(events: list[Event]) -> list[Event]:
        kept: list[Event] = []
        running: dict[str, Event] = {}
        for event in events:
            if event["event"] == "attempt_started":
                running[event["task_id"]] = event
            elif event["event"] == "attempt_finished":
                running.pop(event["task_id"], None)
            elif event["event"] == "run_resumed":
                kept += [end for begun in running.values() if (end := ending(begun))]
                running.clear()
                if not resumed():
                    continue
            kept.append(event)
        seen.append(_interruptions(kept))
        return kept

    def edit_summary(summary: dict[str, Any]) -> None:
        summary["interruptions"] = msgspec.to_builtins(seen[-1])

    return msgspec.structs.replace(EMPTY_RUN, edit_log=edit_log, edit_summary=edit_summary)


def later(begun: Event, seconds: int = 94) -> str:
    """The time so long after an event: shortly before the run goes on, which is 95 seconds later."""
    moment = datetime.fromisoformat(begun["time"]) + timedelta(seconds=seconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def finished(begun: Event, rng: random.Random) -> Event:
    """The end of an attempt."""
    event = AttemptFinished(
        time=later(begun),
        task_id=begun["task_id"],
        attempt=begun["attempt"],
        steps=rng.randint(9, 30),
        steps_sha256=rng.randbytes(32).hex(),
    )
    done: Event = msgspec.to_builtins(event)
    return done


def _interruptions(events: list[Event]) -> Interruptions:
    """What such a log says of its interruptions."""
    count = InterruptionCount()
    for number, event in enumerate(events):
        count.note(msgspec.convert(event, AnyEvent), number)
    return count.total(__version__)


def _killed(rng: random.Random, maker: RunMaker) -> Case:
    """Four tasks of which several whole attempts were thrown away."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        return with_changes(honest_script(task, rng), cut_off=rng.randint(2, 4))

    return among(rng, maker, scripter, run=crashing_run(lambda begun: finished(begun, rng)))


def _unlisted(task: LabTask, rng: random.Random) -> TaskScript:
    """Only the last attempt is anywhere, but it still has its number."""
    return TaskScript(
        task=task, attempts=(msgspec.structs.replace(honest_attempt(task, rng), number=rng.randint(2, 5)),)
    )


def _saying(task: LabTask, rng: random.Random, answer: str) -> Attempt:
    """An attempt that read the wrong page and says this."""
    return Attempt(turns=(*honest_attempt(task, rng, right=False).turns[:-1], closing(rng, answer)))


def _polled(scripter: Scripter, count: int, *golds: str) -> Build:
    """A voting run of four such tasks among four honest ones."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        own = maker.tasks(8)
        cases = tasks_asking(maker.seed, 4, *golds) if golds else own[:4]
        scripts = [(True, scripter(task, rng)) for task in cases]
        for task in own[4:]:
            attempts = tuple(honest_attempt(task, rng, right=rng.random() < 0.7) for _ in range(count))
            scripts.append((False, TaskScript(task=task, attempts=attempts)))
        rng.shuffle(scripts)
        run = RunScript(tasks=tuple(script for _, script in scripts), config=voting(count))
        return Case(script=run, labelled=tuple(script.task.task_id for is_case, script in scripts if is_case))

    return build


def _split_ballots(task: LabTask, rng: random.Random) -> TaskScript:
    wrong = next(name for name in (wrong_answer(task, rng) for _ in range(9)) if name != task.gold)
    forms = rng.sample((wrong, wrong.upper(), wrong.lower(), f"{wrong}."), 3)
    attempts = [_saying(task, rng, form) for form in forms] + [honest_attempt(task, rng) for _ in range(2)]
    rng.shuffle(attempts)
    first = next(number for number, attempt in enumerate(attempts, 1) if attempt.said == task.gold)
    return TaskScript(task=task, attempts=tuple(attempts), selected=first)


def _voided(task: LabTask, rng: random.Random) -> TaskScript:
    wrong = wrong_answer(task, rng)
    error = rng.choice(("the reply could not be parsed", "no answer within 30 turns", "the reply was malformed"))
    spoilt = [msgspec.structs.replace(_saying(task, rng, wrong), answer=None, error=error) for _ in range(2)]
    attempts = [*spoilt, honest_attempt(task, rng)]
    rng.shuffle(attempts)
    return TaskScript(task=task, attempts=tuple(attempts))


VARIANTS = (
    attack(
        FIFTH_SEALED,
        "hidden-retries",
        "c-killed-when-wrong",
        "The run is killed again and again when attempts of the same tasks are done, and tries them anew.",
        _killed,
        "AUD-6 high",
    ),
    attack(
        FIFTH_SEALED,
        "hidden-retries",
        "c-unlisted",
        "The one attempt that the record has is by its own number the second to fifth.",
        each(_unlisted),
        "AUD-6 high",
    ),
    attack(
        FIFTH_SEALED,
        "selection-by-verdict",
        "c-split-ballots",
        "Three votes for a wrong name are taken for three names, so that two votes win.",
        _polled(_split_ballots, 5, "{person}", "{person2}", "{surname}"),
        "AUD-6 high",
    ),
    attack(
        FIFTH_SEALED,
        "selection-by-verdict",
        "c-voided",
        "Wrong votes that were given count as no answer.",
        _polled(_voided, 3),
        "AUD-6 high",
    ),
)
