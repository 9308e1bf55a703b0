"""Honest counting: votes with errors and ties, crashes at any moment, selections, runs given up, little or no work."""

import hashlib
import random
from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.judge.prompt import PROMPT_SHA256
from gaia_harness.protocol import NO_ANSWER_YET
from gaia_harness.records.config import RunConfig, Selection
from gaia_harness.records.events import AttemptFinished, Event, Judged, RunClosed, RunResumed
from redteam.cases import Build, Case, Scripter, among, each, honest_tasks, whole
from redteam.honest.sealed.second_half.working import maybe_wrong, throughout, variant, work
from redteam.making import RunMaker
from redteam.script import JUDGE, MODEL, Attempt, RunScript, TaskScript, Turn, bend
from redteam.solving import closing, honest_attempt, honest_script, wrong_answer
from redteam.world import LabTask

Events = list[dict[str, Any]]
Moment = Callable[[Events], Events]


def run_of(*, votes: int = 1, **options: Any) -> RunScript:
    """A run with this many votes and these options, without tasks yet."""
    config = RunConfig(model=MODEL, judge_model=JUDGE, submit_intent=True, voting_attempts=votes)
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
            scripts[number] = bend(again, cut_off=crashes)
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


def _selected(kind: str) -> Build:
    """Some tasks only, and the run says which."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        made = maker.tasks(24)
        level = rng.choice((1, 2, 3))
        if kind == "level":
            chosen = [task for task in made if task.level == level]
            selection = Selection(level=level)
        elif kind == "first":
            chosen = made[: rng.randint(5, 15)]
            selection = Selection(first=1, last=len(chosen))
        else:
            chosen = rng.sample(made, rng.randint(1, 9))
            selection = Selection(task_ids=tuple(task.task_id for task in chosen))
        ids = {task.task_id for task in chosen}
        script = msgspec.structs.replace(
            run_of(selection=selection),
            tasks=tuple(honest_script(task, rng, right=rng.random() < 0.7) for task in chosen),
            dropped=tuple(task for task in made if task.task_id not in ids),
        )
        return whole(script)

    return build


def _given_up(rng: random.Random, maker: RunMaker) -> Case:
    """Closed as aborted after some tasks: the others have no lines."""
    scripts = honest_tasks(rng, maker, 16)
    done = rng.randint(4, 11)
    scripts = [*scripts[:done], *(bend(script, lines=0, in_log=False) for script in scripts[done:])]

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


def _closed_book(task: LabTask, rng: random.Random) -> TaskScript:
    """From memory, in one reply."""
    words = rng.choice(("I know this one.", "From memory, without a source.", "No tool is needed."))
    return TaskScript(task=task, attempts=(Attempt(turns=(Turn(words=f"{words}\n\nFINAL ANSWER: {task.gold}"),)),))


def _thought_only(task: LabTask, rng: random.Random) -> TaskScript:
    """Long thoughts, and nothing said but the answer."""
    doubt = rng.choice(("Is it correct? Yes.", "The grader wants digits only.", "Hmm, wait. No, it stands."))
    thoughts = f"The question is about {task.topic}. {task.fact} So the answer should be {task.gold}. {doubt}"
    last = Turn(words=f"FINAL ANSWER: {task.gold}", thoughts=thoughts)
    return TaskScript(task=task, attempts=(Attempt(turns=(last,)),))


def _stammering(task: LabTask, rng: random.Random) -> TaskScript:
    """A model that counts no tokens, forgets the form and repeats itself."""
    attempt = honest_attempt(task, rng, right=rng.random() < 0.4)
    stutter = Turn(words="The answer is the answer. " * rng.randint(2, 30))
    last = msgspec.structs.replace(attempt.turns[-1], prompts=(("user", NO_ANSWER_YET),))
    turns = tuple(
        msgspec.structs.replace(turn, tokens_in=None, tokens_out=None) for turn in (*attempt.turns[:-1], stutter, last)
    )
    if rng.random() < 0.2:
        return TaskScript(task=task, attempts=(Attempt(turns=turns[:-1], answer=None),))
    return TaskScript(task=task, attempts=(Attempt(turns=turns),))


def _small_model(rng: random.Random, maker: RunMaker) -> Case:
    """A local model without a judge."""
    model = rng.choice(("local/tiny-1b-q4", "local/mini-3b", "local/small-7b-instruct"))
    run = run_of(model=model, base_url="http://localhost:8080/v1", judge_model=None)
    return among(rng, maker, _stammering, cases=10, company=0, run=run)


def _always(scripter: Scripter) -> Callable[[random.Random], Scripter]:
    return lambda rng: scripter


VARIANTS = (
    variant("votes", "errors", "Three votes, many broken off.", throughout(_always(_errors), run=run_of(votes=3))),
    variant("votes", "ties", "Four votes that all differ.", throughout(_always(_ties), run=run_of(votes=4))),
    variant("votes", "spelt-apart", "Five spellings.", throughout(_always(_spelt_apart), run=run_of(votes=5))),
    variant("crashes", "once", "One crash cuts four tasks off.", _crashed(votes=1, crashes=1, tasks=4)),
    variant("crashes", "thrice", "Three crashes on the same two tasks.", _crashed(votes=1, crashes=3, tasks=2)),
    variant("crashes", "between-tasks", "Stopped and resumed between tasks.", _restarted),
    variant("crashes-in-a-vote", "in-the-first", "In the first of three votes.", _crashed(votes=3, crashes=1, tasks=3)),
    variant(
        "crashes-in-a-vote", "in-the-second", "A crash in the second of three votes: the first had ended.",
        _crashed(votes=3, crashes=2, tasks=2, moment=_in_the_second),
    ),
    variant(
        "crashes-in-a-vote", "at-the-end", "A crash after the last vote, before the task's line.",
        _crashed(votes=3, crashes=3, tasks=1, moment=_at_the_end),
    ),
    variant(
        "crashes-in-a-vote", "after-the-judge", "A crash when the judge had spoken; the task ends wrong once more.",
        _crashed(votes=3, crashes=3, tasks=1, moment=_after_the_judge),
    ),
    variant("selected-tasks", "level", "One level only, as the run says.", _selected("level")),
    variant("selected-tasks", "first", "The first few tasks, as the run says.", _selected("first")),
    variant("selected-tasks", "named", "Tasks named by their ids.", _selected("named")),
    variant("given-up", "aborted", "Closed as aborted after some tasks.", _given_up),
    variant("little-work", "closed-book", "One reply from memory.", each(_closed_book)),
    variant("little-work", "thoughts", "Thoughts, and nothing said but the answer.", each(_thought_only)),
    variant("little-work", "small-model", "A local model that counts no tokens.", _small_model),
)  # fmt: skip

PER_TASK: tuple[Scripter, ...] = (_closed_book, _thought_only)
