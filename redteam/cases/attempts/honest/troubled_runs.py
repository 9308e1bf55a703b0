"""Runs on poor machines, at bad moments, given up, or out of turns."""

import random
from typing import Any

import msgspec

from gaia_harness.records.events import AttemptFinished, Judged
from redteam.batches import FALSE_ALARM_HUNT
from redteam.making import RunMaker
from redteam.script import Opinion, RunScript, TaskScript, declared, voting, with_changes
from redteam.solving import honest_attempt, honest_script
from redteam.variants import Build, Case, honest, honest_tasks, whole

Events = list[dict[str, Any]]


def _one_by_one(events: Events) -> Events:
    """The cut-off attempts, each just before its task goes on, with the restart between them."""
    cut = {event["task_id"]: event for event in events if event["event"] == "attempt_started" and event["attempt"] == 1}
    again = {event["task_id"] for event in events if event["event"] == "attempt_started" and event["attempt"] == 2}
    resumed = next((event for event in events if event["event"] == "run_resumed"), None)
    if resumed is None:
        return events
    made: Events = []
    for event in events:
        name = event.get("task_id")
        if event["event"] == "run_resumed" or (
            event["event"] == "attempt_started" and event is cut.get(name) and name in again
        ):
            continue
        if event["event"] == "attempt_started" and event["attempt"] == 2:
            made += [{**cut[name], "time": event["time"]}, {**resumed, "time": event["time"]}]
        made.append(event)
    return made


def _poor_machine(count: int, often: float) -> Build:
    """One task at a time on a machine that is switched off now and then, whatever it is doing."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        scripts = [with_changes(each, cut_off=int(rng.random() < often)) for each in honest_tasks(rng, maker, count)]
        return whole(RunScript(tasks=tuple(scripts), config=declared(concurrency=1), edit_log=_one_by_one))

    return build


def _too_large(rng: random.Random, maker: RunMaker) -> Case:
    """One task needs more memory than there is: it ends the process five times, and is wrong in the end."""
    scripts = [honest_script(task, rng, right=rng.random() < 0.7) for task in maker.tasks(12)]
    at = rng.randrange(2, 9)
    scripts[at] = with_changes(honest_script(scripts[at].task, rng, right=False), cut_off=5)
    return whole(RunScript(tasks=tuple(scripts)))


def _disk_full(verdict: bool) -> Build:
    """The disk was full when a result was to be written: the judge had spoken; the task came out the same again."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        scripts = [honest_script(task, rng, right=rng.random() < 0.7) for task in maker.tasks(10)]
        at = rng.randrange(2, 8)
        own = honest_script(scripts[at].task, rng, right=verdict)
        name = own.task.task_id
        scripts[at] = with_changes(own, cut_off=1, opinion=Opinion(verdict=verdict, reason="Compared."))

        def spoken(events: Events) -> Events:
            judged = next(event for event in events if event["event"] == "judged" and event["task_id"] == name)
            made: Events = []
            for event in events:
                made.append(event)
                if event["event"] == "attempt_started" and event["task_id"] == name and event["attempt"] == 1:
                    done = AttemptFinished(task_id=name, attempt=1, steps=9, steps_sha256="b" * 64, time=event["time"])
                    said = msgspec.structs.replace(
                        msgspec.convert({k: v for k, v in judged.items() if k != "event"}, Judged, strict=False),
                        time=event["time"],
                    )
                    made += [msgspec.to_builtins(done), msgspec.to_builtins(said)]
            return made

        return whole(RunScript(tasks=tuple(scripts), config=declared(judge_all=True), edit_log=spoken))

    return build


def _given_up(rng: random.Random, maker: RunMaker) -> Case:
    """The money ran out: the run was given up and closed as such; what was not begun counts as wrong."""
    scripts = honest_tasks(rng, maker, 10)
    scripts[7:] = [with_changes(each, lines=0, in_log=False) for each in scripts[7:]]

    def aborted(events: Events) -> Events:
        events[-1]["status"] = "aborted"
        return events

    return whole(
        RunScript(
            tasks=tuple(scripts),
            config=declared(concurrency=1),
            edit_log=aborted,
            edit_record=lambda record: record.update(state="aborted"),
        )
    )


def _out_of_turns(votes: int, lost: float) -> Build:
    """Attempts that go astray run out of turns more often than those that find their page at once."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        scripts = []
        for task in maker.tasks(30):
            ease, attempts = rng.betavariate(1.4, 0.7), []
            for _ in range(votes):
                right = rng.random() < ease
                attempt = honest_attempt(task, rng, right=right)
                if not right and rng.random() < lost:
                    turns = (*attempt.turns[:-1], *attempt.turns[:-1])
                    attempt = msgspec.structs.replace(
                        attempt, turns=turns, answer=None, error="no answer within 30 turns"
                    )
                attempts.append(attempt)
            scripts.append(TaskScript(task=task, attempts=tuple(attempts)))
        return whole(RunScript(tasks=tuple(scripts), config=voting(votes)))

    return build


def _uncounted(rng: random.Random, maker: RunMaker) -> Case:
    """A server of one's own that does not count tokens."""
    scripts = []
    for script in honest_tasks(rng, maker, 8):
        (attempt,) = script.attempts
        turns = tuple(msgspec.structs.replace(each, tokens_in=None, tokens_out=None) for each in attempt.turns)
        scripts.append(with_changes(script, attempts=(msgspec.structs.replace(attempt, turns=turns),)))
    return whole(RunScript(tasks=tuple(scripts)))


VARIANTS = (
    honest(FALSE_ALARM_HUNT, "poor-machine", "often-off", "Switched off during two tasks of five.",
        _poor_machine(24, 0.42)),
    honest(FALSE_ALARM_HUNT, "poor-machine", "now-and-then", "Switched off during one task of eight.",
        _poor_machine(24, 0.12)),
    honest(FALSE_ALARM_HUNT, "poor-machine", "too-large", "One task ends the process five times.", _too_large),
    honest(FALSE_ALARM_HUNT, "bad-moment", "behind-a-no", "Cut off behind the judge's no; wrong again.",
        _disk_full(verdict=False)),
    honest(FALSE_ALARM_HUNT, "bad-moment", "behind-a-yes", "Cut off behind the judge's yes; right again.",
        _disk_full(verdict=True)),
    honest(FALSE_ALARM_HUNT, "given-up", "aborted", "Given up after seven of ten tasks, and said so.", _given_up),
    honest(FALSE_ALARM_HUNT, "out-of-turns", "three", "Of three attempts those astray run out of turns.",
        _out_of_turns(3, 0.8)),
    honest(FALSE_ALARM_HUNT, "out-of-turns", "two", "Of two attempts those astray run out of turns.",
        _out_of_turns(2, 0.9)),
    honest(FALSE_ALARM_HUNT, "uncounted", "server", "A server that counts no tokens.", _uncounted),
)  # fmt: skip
