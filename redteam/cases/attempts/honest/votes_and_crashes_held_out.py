"""Declared votes, crashes, wrong and missing answers.

Held out: not for the eyes of those who write the audit's rules.
"""

import hashlib
import random
from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.judge.prompt import PROMPT_SHA256
from gaia_harness.records.events import AttemptFinished, Event, Judged, RunClosed, RunResumed
from redteam.batches import SEALED, TEST
from redteam.honest_steps import all_tasks, maybe_wrong, work
from redteam.making import RunMaker
from redteam.script import JUDGE, Attempt, RunScript, TaskScript, Turn, voting, with_changes
from redteam.solving import closing, honest_attempt, honest_script, wrong_answer
from redteam.variants import Build, Case, Scripter, honest, honest_tasks, whole
from redteam.world import LabTask


def _voted(rng: random.Random, maker: RunMaker) -> Case:
    """Three or five attempts, declared, and the vote stands: sometimes it is wrong."""
    attempts = rng.choice((3, 5))
    base = RunScript(tasks=())
    config = msgspec.structs.replace(base.config, voting_attempts=attempts)
    scripts = [
        TaskScript(
            task=task,
            attempts=tuple(honest_attempt(task, rng, right=rng.random() < 0.7) for _ in range(attempts)),
        )
        for task in maker.tasks(8)
    ]
    return whole(msgspec.structs.replace(base, tasks=tuple(scripts), config=config))


def _one_crash(rng: random.Random, maker: RunMaker) -> Case:
    """The machine went down once, in the middle of two tasks: one ends right and one wrong."""
    scripts = [honest_script(task, rng, right=at != 5) for at, task in enumerate(maker.tasks(12))]
    for at in (4, 5):
        scripts[at] = with_changes(scripts[at], cut_off=1)
    return whole(RunScript(tasks=tuple(scripts)))


Events = list[dict[str, Any]]
Moment = Callable[[Events], Events]


def run_of(*, votes: int = 1, **options: Any) -> RunScript:
    """A run with this many votes and these options, without tasks yet."""
    config = voting(votes)
    return RunScript(tasks=(), config=msgspec.structs.replace(config, **options))


def broken_off(task: LabTask, rng: random.Random) -> Attempt:
    """An attempt that ended in an error of the model, or in no answer."""
    error = rng.choice(("the model answered with status 503", "context length exceeded", "no answer within 30 turns"))
    turns = honest_attempt(task, rng).turns[:-1]
    if error.startswith("no answer"):
        return Attempt(turns=(*turns, Turn(words="I still do not know.")), answer=None, error=error)
    return Attempt(turns=(*turns, Turn(words="", called=False)), answer=None, error=error)


def voted(task: LabTask, rng: random.Random, *, votes: int = 3, fails: float = 0.0, apart: float = 0.3) -> TaskScript:
    """So many attempts, some broken off, some apart from the others."""
    attempts = []
    for _ in range(votes):
        if rng.random() < fails:
            attempts.append(broken_off(task, rng))
        else:
            attempts.append(work(task, rng, last=closing(rng, maybe_wrong(task, rng, 1 - apart))))
    return TaskScript(task=task, attempts=tuple(attempts))


def _errors(task: LabTask, rng: random.Random) -> TaskScript:
    return voted(task, rng, fails=0.4)


def _ties(task: LabTask, rng: random.Random) -> TaskScript:
    """Nobody agrees: the earliest answer stands, whichever it is."""
    answers = {task.gold: None, wrong_answer(task, rng): None}
    while len(answers) < 4:
        answers[wrong_answer(task, rng)] = None
    order = rng.sample(list(answers), 4)
    return TaskScript(task=task, attempts=tuple(work(task, rng, last=closing(rng, answer)) for answer in order))


def _spelt_apart(task: LabTask, rng: random.Random) -> TaskScript:
    """The votes agree but for capitals, spaces and marks."""
    shapes = (task.gold, task.gold.upper(), f" {task.gold} ", f"{task.gold}.", task.gold.lower())
    return TaskScript(
        task=task, attempts=tuple(work(task, rng, last=closing(rng, rng.choice(shapes))) for _ in range(5))
    )


def _crashed(*, votes: int, crashes: int, tasks: int, moment: Moment | None = None) -> Build:
    """So many tasks at once were cut off by each crash; with votes, at this moment of the vote."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        made = maker.tasks(24)
        scripts = [
            voted(task, rng, votes=votes) if votes > 1 else honest_script(task, rng, right=rng.random() < 0.6)
            for task in made
        ]
        at = rng.randint(3, 14)
        for number in range(at, at + tasks):
            again = voted(made[number], rng, votes=votes, apart=1.0) if moment is _after_the_judge else scripts[number]
            scripts[number] = with_changes(again, cut_off=crashes)
        script = msgspec.structs.replace(run_of(votes=votes, concurrency=tasks), tasks=tuple(scripts))
        if moment is not None:
            script = msgspec.structs.replace(script, edit_log=moment)
        return whole(script)

    return build


def _written(event: Event) -> dict[str, Any]:
    """The event as the log has it."""
    value: dict[str, Any] = msgspec.to_builtins(event)
    return value


def _ended(started: dict[str, Any], time: str) -> dict[str, Any]:
    """The end of an attempt, at this time, whose steps a crash took away."""
    task_id, attempt = started["task_id"], started["attempt"]
    sha256 = hashlib.sha256(f"{task_id}/{attempt}".encode()).hexdigest()
    return _written(
        AttemptFinished(time=time, task_id=task_id, attempt=attempt, steps=7 * attempt, steps_sha256=sha256)
    )


def _cut(events: Events) -> dict[tuple[str, int], dict[str, Any]]:
    """The attempts that were started and never finished."""
    ended = {(event["task_id"], event["attempt"]) for event in events if event["event"] == "attempt_finished"}
    started = {(event["task_id"], event["attempt"]): event for event in events if event["event"] == "attempt_started"}
    return {key: event for key, event in started.items() if key not in ended}


def _in_the_second(events: Events) -> Events:
    """Of the crashes only the last was one: the attempts before it came to their ends, one after another."""
    lost = _cut(events)
    resumed = [event for event in events if event["event"] == "run_resumed"]
    kept: Events = []
    for event in events:
        if event in resumed[:-1]:
            continue
        if event["event"] == "attempt_started":
            before = lost.get((event["task_id"], event["attempt"] - 1))
            if before is not None and (event["task_id"], event["attempt"]) in lost:
                kept.append(_ended(before, event["time"]))
        kept.append(event)
    return kept


def _at_the_end(events: Events) -> Events:
    """All attempts had come to their ends; the crash came before the task's line was in the log."""
    kept: Events = []
    events = _in_the_second(events)
    for event in events:
        if event["event"] == "run_resumed":
            kept += [_ended(started, event["time"]) for started in _cut(events).values()]
            done = sum(each["event"] == "task_finished" for each in kept)
            event["healed"] = [f"trajectories.jsonl: line {done + 1}, which was not in the log yet"]
        kept.append(event)
    return kept


def _after_the_judge(events: Events) -> Events:
    """The judge, too, had refused the answer when the crash came."""
    kept: Events = []
    for event in _at_the_end(events):
        if event["event"] == "run_resumed":
            said = Judged(
                time=event["time"],
                task_id=kept[-1]["task_id"],
                model=JUDGE,
                prompt_sha256=PROMPT_SHA256,
                verdict=False,
                cached=False,
            )
            kept.append(_written(said))
            event["healed"] = []
        kept.append(event)
    return kept


def _restarted(rng: random.Random, maker: RunMaker) -> Case:
    """The run was stopped and resumed between tasks, so that nothing was lost."""
    script = msgspec.structs.replace(run_of(concurrency=1), tasks=tuple(honest_tasks(rng, maker, 14)))
    pauses = frozenset(rng.sample(range(1, 14), rng.randint(2, 6)))
    return whole(msgspec.structs.replace(script, edit_log=lambda events: _paused(events, pauses)))


def _paused(events: Events, pauses: frozenset[int]) -> Events:
    """Resumed after so many tasks, at moments when nothing was going on."""
    kept: Events = []
    done = 0
    for event in events:
        kept.append(event)
        if event["event"] == "task_finished":
            done += 1
            if done in pauses:
                kept.append(_written(RunResumed(time=event["time"])))
    return kept


def _given_up(rng: random.Random, maker: RunMaker) -> Case:
    """Closed as aborted after some tasks: the others have no lines."""
    scripts = honest_tasks(rng, maker, 16)
    done = rng.randint(4, 11)
    scripts = [*scripts[:done], *(with_changes(script, lines=0, in_log=False) for script in scripts[done:])]

    def close(events: Events) -> Events:
        started = sum(event["event"] == "attempt_started" for event in events)
        end = RunClosed(
            time=events[-1]["time"], status="aborted", tasks=16, finished=done, attempts=started, submittable=False
        )
        return [*events, _written(end)]

    def aborted(record: dict[str, Any]) -> None:
        record["state"] = "aborted"

    def unfit(summary: dict[str, Any]) -> None:
        summary["submittable"] = False
        summary["non_submittable_reasons"] = ["the run was abandoned"]

    script = msgspec.structs.replace(
        run_of(), tasks=tuple(scripts), closed=False, edit_log=close, edit_record=aborted, edit_summary=unfit
    )
    return whole(script)


def _always(scripter: Scripter) -> Callable[[random.Random], Scripter]:
    return lambda rng: scripter


VARIANTS = (
    honest(TEST, "declared-voting", "three-or-five", "Votes as declared.", _voted),
    honest(TEST, "one-crash", "two-tasks", "A crash, and two attempts begun anew.", _one_crash),
    honest(SEALED, "votes", "errors", "Three votes, many broken off.",
        all_tasks(_always(_errors), run=run_of(votes=3))),
    honest(SEALED, "votes", "ties", "Four votes that all differ.", all_tasks(_always(_ties), run=run_of(votes=4))),
    honest(SEALED, "votes", "spelt-apart", "Five spellings.", all_tasks(_always(_spelt_apart), run=run_of(votes=5))),
    honest(SEALED, "crashes", "once", "One crash cuts four tasks off.", _crashed(votes=1, crashes=1, tasks=4)),
    honest(SEALED, "crashes", "thrice", "Three crashes on the same two tasks.", _crashed(votes=1, crashes=3, tasks=2)),
    honest(SEALED, "crashes", "between-tasks", "Stopped and resumed between tasks.", _restarted),
    honest(SEALED, "crashes-in-a-vote", "in-the-first", "In the first of three votes.",
        _crashed(votes=3, crashes=1, tasks=3)),
    honest(SEALED, "crashes-in-a-vote", "in-the-second", "A crash in the second of three votes: the first had ended.",
        _crashed(votes=3, crashes=2, tasks=2, moment=_in_the_second)),
    honest(SEALED, "crashes-in-a-vote", "at-the-end", "A crash after the last vote, before the task's line.",
        _crashed(votes=3, crashes=3, tasks=1, moment=_at_the_end)),
    honest(SEALED, "crashes-in-a-vote", "after-the-judge",
        "A crash when the judge had spoken; the task ends wrong once more.",
        _crashed(votes=3, crashes=3, tasks=1, moment=_after_the_judge)),
    honest(SEALED, "given-up", "aborted", "Closed as aborted after some tasks.", _given_up),
)  # fmt: skip
