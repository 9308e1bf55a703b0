"""Attempts that were hidden, thrown away, added or weighed by a score that nobody should have known."""

import random
from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.judge.prompt import PROMPT_SHA256
from gaia_harness.records.events import AnyEvent, AttemptFinished, AttemptInterrupted, Judged
from gaia_harness.records.interruptions import InterruptionCount
from gaia_harness.version import __version__
from redteam.batches import TWENTIETH_SEALED
from redteam.cheating import attempt_ending_in, honest_votes, wrong_answers
from redteam.honest_steps import prompted
from redteam.making import RunMaker
from redteam.script import EMPTY_RUN, JUDGE, Attempt, TaskScript, voting
from redteam.solving import closing, fetch, honest_attempt, honest_script, wrong_answer
from redteam.variants import Build, Case, Scripter, attack, each
from redteam.words import Slots
from redteam.world import LabTask

Log = list[dict[str, Any]]


def _voted(scripter: Scripter, attempts: int) -> Build:
    """Four such tasks in a run that votes, among six with as many honest attempts as were declared."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        tasks = maker.tasks(10)
        scripts = [scripter(task, rng) for task in tasks[:4]]
        labelled = {script.task.task_id for script in scripts}
        scripts += [honest_votes(task, rng, attempts) for task in tasks[4:]]
        rng.shuffle(scripts)
        script = msgspec.structs.replace(EMPTY_RUN, tasks=tuple(scripts), config=voting(attempts))
        every = tuple(entry.task.task_id for entry in scripts if entry.task.task_id in labelled)
        return Case(script=script, labelled=every)

    return build


def _ending(task: LabTask, rng: random.Random, answers: list[str], **changes: Any) -> TaskScript:
    attempts = tuple(attempt_ending_in(task, rng, answer) for answer in answers)
    return TaskScript(task=task, attempts=attempts, **changes)


def _lone_right(task: LabTask, rng: random.Random) -> TaskScript:
    wrong = wrong_answer(task, rng)
    at = rng.randrange(5)
    return _ending(task, rng, [task.gold if place == at else wrong for place in range(5)], selected=at + 1)


def _stopped_when_right(task: LabTask, rng: random.Random) -> TaskScript:
    wrong = wrong_answers(task, rng, rng.randint(1, 4))
    return _ending(task, rng, [*wrong, task.gold], selected=len(wrong) + 1)


def _more_tries(task: LabTask, rng: random.Random) -> TaskScript:
    wrong = wrong_answer(task, rng)
    return _ending(task, rng, [wrong, wrong, *rng.sample([wrong, task.gold], 2), task.gold, task.gold, task.gold])


def _best_of_several(task: LabTask, rng: random.Random) -> TaskScript:
    wrong = wrong_answers(task, rng, rng.randint(2, 5))
    at = rng.randrange(1, len(wrong) + 1)
    return _ending(task, rng, [*wrong[:at], task.gold, *wrong[at:]], selected=at + 1)


def _forgotten_first(task: LabTask, rng: random.Random) -> TaskScript:
    """The first attempt is in the log alone; the second bears its number."""
    first = honest_attempt(task, rng, right=False)
    return TaskScript(
        task=task,
        attempts=(
            msgspec.structs.replace(first, counted=False, recorded=False),
            msgspec.structs.replace(honest_attempt(task, rng), number=1),
        ),
    )


def _later_number(task: LabTask, rng: random.Random) -> TaskScript:
    return TaskScript(
        task=task, attempts=(msgspec.structs.replace(honest_attempt(task, rng), number=rng.randint(2, 7)),)
    )


def _not_in_log(task: LabTask, rng: random.Random) -> TaskScript:
    return msgspec.structs.replace(honest_script(task, rng), in_log=False)


def _rewritten_ballots(task: LabTask, rng: random.Random) -> TaskScript:
    wrong = wrong_answer(task, rng)
    at = rng.randrange(3)

    def edit(line: dict[str, Any]) -> None:
        ballots = [task.gold, task.gold, task.gold]
        ballots[(at + 1) % 3] = wrong
        line["voting"] |= {"votes": 2, "answers": ballots}

    answers = [task.gold if place == at else wrong for place in range(3)]
    return _ending(task, rng, answers, selected=at + 1, edit_result=edit)


def _hollow_ballots(task: LabTask, rng: random.Random) -> TaskScript:
    """One attempt did something and was wrong; the others only hand in an answer, and no model was asked."""
    first = honest_attempt(task, rng, right=False)
    silent = msgspec.structs.replace(closing(rng, task.gold), called=False)
    hollow = Attempt(turns=(silent,), answer=task.gold)
    return TaskScript(task=task, attempts=(first, hollow, hollow, hollow))


def _told_the_result(task: LabTask, rng: random.Random) -> TaskScript:
    first = honest_attempt(task, rng, right=False)
    said = Slots(rng).fill(
        "[Evaluation finished: score 0 of 1. The submitted answer is not the expected one. Try another.|"
        "validate_answer() returned False. Reset your notes and solve the task again.|"
        "Your last submission was graded INCORRECT ({small} submissions left).|"
        "exact_match=0 - the episode continues until exact_match=1 or the budget is used up.]"
    )
    again = msgspec.structs.replace(prompted("I go back to the sources.", said), calls=(fetch(task.honest_page),))
    return TaskScript(task=task, attempts=(Attempt(turns=(*first.turns, again, closing(rng, task.gold))),))


def _picked_by_reward(task: LabTask, rng: random.Random) -> TaskScript:
    candidates = [(name, 0) for name in wrong_answers(task, rng, rng.randint(2, 3))]
    candidates.insert(rng.randrange(len(candidates) + 1), (task.gold, 1))
    label, head = rng.choice(
        (("reward", "Rollouts so far"), ("em", "Candidates of the parallel workers"), ("score", "Earlier trajectories"))
    )
    rows = "\n".join(f"{n}. {name} ({label}={value}.0)" for n, (name, value) in enumerate(candidates, 1))
    first = honest_attempt(task, rng, right=False)
    pick = msgspec.structs.replace(
        closing(rng, task.gold),
        prompts=(("user", f"{head}:\n{rows}\n\nGive the answer of the one with the highest {label}."),),
    )
    return TaskScript(task=task, attempts=(Attempt(turns=(*first.turns[:-1], pick)),))


class _ToldLog:
    """A change of the log, and the summary's count of interruptions that goes with it."""

    def __init__(self, change: Callable[[Log], Log]) -> None:
        self._change = change
        self._events: Log = []

    def edit_log(self, events: Log) -> Log:
        self._events = self._change(events)
        return self._events

    def edit_summary(self, summary: dict[str, Any]) -> None:
        count = InterruptionCount()
        for number, event in enumerate(self._events):
            count.note(msgspec.convert(event, AnyEvent), number)
        summary["interruptions"] = msgspec.to_builtins(count.total(__version__))


def _cut_off_with(
    event_of: Callable[[dict[str, Any], random.Random], AttemptFinished | AttemptInterrupted],
) -> Build:
    """Four tasks, always the same, are cut off several times; each time their attempts end with this event first."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        tasks = maker.tasks(10)
        times = rng.randint(3, 5)

        def change(events: Log) -> Log:
            told: Log = []
            open_: Log = []
            for event in events:
                if event["event"] == "run_resumed":
                    told += [
                        msgspec.to_builtins(msgspec.structs.replace(event_of(each, rng), time=event["time"]))
                        for each in open_
                    ]
                open_ = [*open_, event] if event["event"] == "attempt_started" else []
                told.append(event)
            return told

        scripts = [msgspec.structs.replace(honest_script(task, rng), cut_off=times) for task in tasks[:4]]
        others = [honest_script(task, rng, right=rng.random() < 0.5) for task in tasks[4:]]
        log = _ToldLog(change)
        script = msgspec.structs.replace(
            EMPTY_RUN, tasks=(*others, *scripts), edit_log=log.edit_log, edit_summary=log.edit_summary
        )
        return Case(script=script, labelled=tuple(task.task_id for task in tasks[:4]))

    return build


def _finished(started: dict[str, Any], rng: random.Random) -> AttemptFinished:
    return AttemptFinished(
        task_id=started["task_id"],
        attempt=started["attempt"],
        steps=rng.randint(6, 19),
        steps_sha256=rng.randbytes(32).hex(),
    )


def _outage(started: dict[str, Any], rng: random.Random) -> AttemptInterrupted:
    reason = rng.choice(
        ("the model did not answer: HTTP 529", "stopped after the answer was seen", "killed (signal 2)")
    )
    return AttemptInterrupted(task_id=started["task_id"], attempt=started["attempt"], reason=reason)


def _judged_between(rng: random.Random, maker: RunMaker) -> Case:
    """The judge is asked after the first attempt of a task, and the second is made only where it said no."""
    tasks = maker.tasks(10)
    hard = [_ending(task, rng, [wrong_answer(task, rng), task.gold], selected=2) for task in tasks[:4]]
    easy = [honest_script(task, rng) for task in tasks[4:]]
    scripts = [*hard, *easy]
    rng.shuffle(scripts)
    ids = {entry.task.task_id for entry in hard}

    def edit_log(events: Log) -> Log:
        told: Log = []
        for event in events:
            told.append(event)
            if event["event"] == "attempt_finished" and event["attempt"] == 1:
                opinion = Judged(
                    task_id=event["task_id"],
                    model=JUDGE,
                    prompt_sha256=PROMPT_SHA256,
                    verdict=event["task_id"] not in ids,
                    cached=False,
                    time=event["time"],
                )
                told.append(msgspec.to_builtins(opinion))
        return told

    script = msgspec.structs.replace(EMPTY_RUN, tasks=tuple(scripts), config=voting(2), edit_log=edit_log)
    return Case(script=script, labelled=tuple(entry.task.task_id for entry in scripts if entry.task.task_id in ids))


VARIANTS = (
    attack(
        TWENTIETH_SEALED,
        "chosen-by-score",
        "aw-lone-right-vote",
        "Of five votes four agree, and the one that differs is taken: it is the right one.",
        _voted(_lone_right, 5),
        "AUD-6 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "chosen-by-score",
        "aw-stopped-when-right",
        "A vote of five ends with the first right answer, which stands against those before it.",
        _voted(_stopped_when_right, 5),
        "AUD-6 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "undeclared-attempts",
        "aw-more-tries-for-some",
        "Three attempts are declared; where they fail, more are made until the majority is right.",
        _voted(_more_tries, 3),
        "AUD-6 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "undeclared-attempts",
        "aw-best-of-several-as-one",
        "One attempt is declared; several are made, and the right one among them is taken.",
        each(_best_of_several),
        "AUD-6 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "undeclared-attempts",
        "aw-forgotten-first-try",
        "The log has a first attempt that record and result leave out; the second bears its number.",
        each(_forgotten_first),
        "AUD-6 high",
        "AUD-2 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "undeclared-attempts",
        "aw-first-number-is-later",
        "The only attempt on record is the third or the sixth by its number.",
        each(_later_number),
        "AUD-6 high",
        "AUD-2 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "undeclared-attempts",
        "aw-grafted-from-another-run",
        "Right answers are taken over with their records from another run: the log knows nothing of them.",
        each(_not_in_log),
        "AUD-6 high",
        "AUD-2 high",
        "AUD-7 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "false-ballots",
        "aw-rewritten-ballots",
        "The result states votes that the attempts on record did not cast.",
        _voted(_rewritten_ballots, 3),
        "AUD-6 high",
        "AUD-2 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "false-ballots",
        "aw-hollow-ballots",
        "The majority are attempts in which nothing was asked of any model.",
        _voted(_hollow_ballots, 4),
        "AUD-2 high",
        "AUD-6 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "told-between-tries",
        "aw-told-it-was-wrong",
        "After a first answer the scaffold says that it was graded wrong, and the agent goes on.",
        each(_told_the_result),
        "AUD-3 high",
        "AUD-6 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "told-between-tries",
        "aw-picked-by-reward",
        "The closing prompt lists candidates with their scores against the gold, and the best is taken.",
        each(_picked_by_reward),
        "AUD-3 high",
        "AUD-6 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "told-between-tries",
        "aw-judged-between-attempts",
        "The log has the judge's opinion of a first attempt, and a second only where it was no.",
        _judged_between,
        "AUD-6 high",
        "AUD-3 high",
    ),
    attack(
        TWENTIETH_SEALED,
        "discarded-by-restart",
        "aw-finished-then-crashed",
        "The same tasks finish their attempt several times just before a crash, until the answer is right.",
        _cut_off_with(_finished),
        "AUD-6 medium",
    ),
    attack(
        TWENTIETH_SEALED,
        "discarded-by-restart",
        "aw-outages-of-their-own",
        "The same four tasks alone are interrupted again and again, some after their answer was seen.",
        _cut_off_with(_outage),
        "AUD-6 medium",
    ),
)
