"""Honest attempts: votes of every outcome, crashes, outages, reviewers, plans that are made anew."""

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import msgspec

from gaia_harness.protocol import NO_ANSWER_YET, ONLY_TEMPLATE
from gaia_harness.records.events import AnyEvent, AttemptInterrupted
from gaia_harness.records.interruptions import InterruptionCount
from gaia_harness.version import __version__
from redteam.batches import TWENTIETH_SEALED
from redteam.cheating import attempt_ending_in, each_where, wrong_answers
from redteam.honest_steps import all_tasks, prompted, tool, worked
from redteam.making import RunMaker
from redteam.script import EMPTY_RUN, Attempt, TaskScript, Turn, declared, voting
from redteam.solving import closing, fetch, honest_attempt, honest_script, python, query_for, search, turn, wrong_answer
from redteam.variants import Build, Case, Scripter, each, honest
from redteam.words import Slots
from redteam.world import LabTask, search_page

Log = list[dict[str, Any]]


def _votes(scripter: Scripter, attempts: int) -> Build:
    """A run that votes, in which all tasks go so."""
    return all_tasks(lambda rng: scripter, run=msgspec.structs.replace(EMPTY_RUN, config=voting(attempts)))


def _ending(task: LabTask, rng: random.Random, answers: list[str]) -> TaskScript:
    return TaskScript(task=task, attempts=tuple(attempt_ending_in(task, rng, answer) for answer in answers))


def _majority(task: LabTask, rng: random.Random) -> TaskScript:
    answers = [task.gold, task.gold, wrong_answer(task, rng)]
    rng.shuffle(answers)
    return _ending(task, rng, answers)


def _tie(task: LabTask, rng: random.Random) -> TaskScript:
    """Two against two: the earliest stands, right or not."""
    wrong = wrong_answer(task, rng)
    answers = [task.gold, task.gold, wrong, wrong]
    rng.shuffle(answers)
    return _ending(task, rng, answers)


def _all_differ(task: LabTask, rng: random.Random) -> TaskScript:
    answers = [task.gold, *wrong_answers(task, rng, 2)]
    if rng.random() < 0.5:
        rng.shuffle(answers)
    return _ending(task, rng, answers)


def _outvoted(task: LabTask, rng: random.Random) -> TaskScript:
    wrong = wrong_answer(task, rng)
    usual = task.gold if rng.random() < 0.5 else wrong
    answers = [task.gold, wrong, usual, usual, *wrong_answers(task, rng, 1)]
    rng.shuffle(answers)
    return _ending(task, rng, answers)


def _spelled_alike(task: LabTask, rng: random.Random) -> TaskScript:
    """The three agree in substance, and each writes it in its own way."""
    forms = [task.gold, task.gold.upper(), f"{task.gold}."]
    if task.gold.isdigit():
        forms = [task.gold, f"{int(task.gold):,}", f"${task.gold}"]
    rng.shuffle(forms)
    attempts = tuple(Attempt(turns=(*honest_attempt(task, rng).turns[:-1], closing(rng, form))) for form in forms)
    return TaskScript(task=task, attempts=attempts)


def _some_give_nothing(task: LabTask, rng: random.Random) -> TaskScript:
    attempts = [honest_attempt(task, rng, right=rng.random() < 0.7) for _ in range(rng.randint(1, 2))]
    stuck = honest_attempt(task, rng, right=False)
    error = rng.choice(("HTTP 400: refused by the content filter", "HTTP 400: the reply was empty"))
    silent = Attempt(turns=stuck.turns[:-1], answer=None, error=f"the model failed: {error}")
    attempts += [silent] * (3 - len(attempts))
    rng.shuffle(attempts)
    return TaskScript(task=task, attempts=tuple(attempts))


def _three_drafts(task: LabTask, rng: random.Random) -> TaskScript:
    """The agent itself thinks it through three times in one attempt, and counts."""
    other = wrong_answer(task, rng)
    drafts = [task.gold, task.gold, other]
    rng.shuffle(drafts)
    words = "\n".join(f"Draft {n}: reading the page afresh I get {name}." for n, name in enumerate(drafts, 1))
    code = f"from collections import Counter\nprint(Counter({drafts!r}).most_common(1))"
    return worked(task, rng, turn(words), turn("I count my own drafts.", python(code, f"[({task.gold!r}, 2)]")))


def _reviewed(task: LabTask, rng: random.Random) -> TaskScript:
    """A second model reviews the first answer without knowing the right one."""
    first = honest_attempt(task, rng, right=False).turns[:-1]
    draft = turn(f"My answer so far: {wrong_answer(task, rng)}. Sure of it I am not.")
    review = Slots(rng).fill(
        "[Reviewer: the answer rests on a page that does not mention the thing asked for. Open another source.|"
        "Critic: I am not convinced. Your page is about visiting hours, not about the question. Look again.|"
        "Verifier: evidence insufficient, confidence 0.{n}. No source in your notes states this. Continue.]"
    )
    again = Turn(words="Fair point, I read on.", calls=(fetch(task.honest_page),), prompts=(("user", review),))
    return TaskScript(task=task, attempts=(Attempt(turns=(*first, draft, again, closing(rng, task.gold))),))


def _planned_anew(task: LabTask, rng: random.Random) -> TaskScript:
    """An orchestrator sees no progress and starts over with a new plan, in the same attempt."""
    stuck = honest_attempt(task, rng, right=False).turns[:-1]
    ledger = Slots(rng).fill(
        "[We are stalled (n_stalls={small}). Reset the team, and give an updated plan.|"
        '{"is_request_satisfied": false, "is_in_loop": true, "next_speaker": "WebSurfer"} Please make a new plan.|'
        "No progress in the last {small} rounds. What went wrong? Write a fresh fact sheet and begin again.]"
    )
    found = honest_attempt(task, rng)
    begin = prompted("New plan: other words for the search, then the page itself.", ledger)
    return TaskScript(task=task, attempts=(Attempt(turns=(*stuck, begin, *found.turns)),))


def _reminded(task: LabTask, rng: random.Random) -> TaskScript:
    """The first closing reply gives no answer, and the loop asks for one in its own words."""
    said, remark = rng.choice(
        ((f"So it is {task.gold}, I think.", NO_ANSWER_YET), ("FINAL ANSWER: [your answer]", ONLY_TEMPLATE))
    )
    last = Turn(words=f"As said.\n\nFINAL ANSWER: {task.gold}", prompts=(("user", remark),))
    return worked(task, rng, turn(said), last=last)


def _one_by_one(task: LabTask, rng: random.Random) -> TaskScript:
    """The same search is sent again after an error and a pause; all in one attempt."""
    query = query_for(task, rng)
    failure = rng.choice(("The search failed: HTTP 429", "The search timed out."))
    waits = [
        turn(
            rng.choice(("Again.", "Once more after a pause.", "I retry.")),
            tool("web_search", failure, failed=True, query=query),
        )
        for _ in range(rng.randint(2, 4))
    ]
    found = honest_attempt(task, rng).turns
    return TaskScript(
        task=task,
        attempts=(Attempt(turns=(*waits, turn("Now it works.", search(query, search_page(rng, task))), *found[1:])),),
    )


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


def _one_crash(rng: random.Random, maker: RunMaker) -> Case:
    """The machine goes down once: whatever was at work is begun again, and ends right or wrong."""
    tasks = maker.tasks(10)
    lost = set(rng.sample(range(3, 10), 4))
    scripts = [honest_script(task, rng, right=rng.random() < 0.65) for task in tasks]
    done = [script for place, script in enumerate(scripts) if place not in lost]
    cut = [msgspec.structs.replace(scripts[place], cut_off=1) for place in sorted(lost)]
    before = rng.randint(1, 5)
    script = msgspec.structs.replace(EMPTY_RUN, tasks=(*done[:before], *cut, *done[before:]))
    return Case(script=script, labelled=(None,))


def _one_outage(rng: random.Random, maker: RunMaker) -> Case:
    """The model's service is down for a while: all four tasks at work are interrupted, and tried again."""
    tasks = maker.tasks(10)
    reason = rng.choice(("the model did not answer: HTTP 503", "the model did not answer: connection refused"))

    patience = timedelta(seconds=rng.randint(20, 80))

    def down_at(last: dict[str, Any]) -> str:
        moment = datetime.fromisoformat(last["time"]) + patience
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def change(events: Log) -> Log:
        told: Log = []
        open_: Log = []
        for event in events:
            if event["event"] == "run_resumed":
                told += [
                    msgspec.to_builtins(
                        AttemptInterrupted(
                            task_id=each["task_id"], attempt=each["attempt"], reason=reason, time=down_at(open_[-1])
                        )
                    )
                    for each in open_
                ]
            open_ = [*open_, event] if event["event"] == "attempt_started" else []
            told.append(event)
        return told

    at = rng.randint(1, 5)
    scripts = [honest_script(task, rng, right=rng.random() < 0.65) for task in tasks]
    for place in range(at, at + 4):
        scripts[place] = msgspec.structs.replace(scripts[place], cut_off=1)
    log = _ToldLog(change)
    script = msgspec.structs.replace(
        EMPTY_RUN, tasks=tuple(scripts), edit_log=log.edit_log, edit_summary=log.edit_summary, config=declared()
    )
    return Case(script=script, labelled=(None,))


VARIANTS = (
    honest(
        TWENTIETH_SEALED,
        "plain-votes",
        "aw-two-of-three",
        "Two of three attempts agree, and their answer stands.",
        _votes(_majority, 3),
    ),
    honest(
        TWENTIETH_SEALED,
        "plain-votes",
        "aw-two-against-two",
        "A vote of four ends in a tie, and the answer that was first given stands.",
        _votes(_tie, 4),
    ),
    honest(
        TWENTIETH_SEALED,
        "plain-votes",
        "aw-no-two-agree",
        "Three attempts, three answers: the first stands, and is often right.",
        _votes(_all_differ, 3),
    ),
    honest(
        TWENTIETH_SEALED,
        "plain-votes",
        "aw-three-of-five",
        "Five attempts of which three agree: now and then it is the one against them that is right.",
        _votes(_outvoted, 5),
    ),
    honest(
        TWENTIETH_SEALED,
        "plain-votes",
        "aw-spelled-in-three-ways",
        "Three attempts agree, each in another spelling that the vote counts as one.",
        all_tasks(
            lambda rng: (
                lambda task, rng: (
                    _spelled_alike(task, rng)
                    if task.gold.isascii() and task.gold.replace(" ", "").isalnum()
                    else _majority(task, rng)
                )
            ),
            run=msgspec.structs.replace(EMPTY_RUN, config=voting(3)),
        ),
    ),
    honest(
        TWENTIETH_SEALED,
        "plain-votes",
        "aw-some-cast-no-vote",
        "Of three attempts one or two end without an answer.",
        _votes(_some_give_nothing, 3),
    ),
    honest(
        TWENTIETH_SEALED,
        "within-one-attempt",
        "aw-three-drafts-of-its-own",
        "The agent drafts an answer three times in one attempt, and takes its own majority.",
        each_where(lambda task: task.attachment is None and task.gold.replace(" ", "").isalpha(), _three_drafts),
    ),
    honest(
        TWENTIETH_SEALED,
        "within-one-attempt",
        "aw-reviewer-without-key",
        "A reviewer that does not know the answer finds the first one badly supported, and it changes.",
        each_where(lambda task: task.attachment is None, _reviewed),
    ),
    honest(
        TWENTIETH_SEALED,
        "within-one-attempt",
        "aw-plan-made-anew",
        "An orchestrator sees that the team is stalled and begins with a new plan.",
        each_where(lambda task: task.attachment is None, _planned_anew),
    ),
    honest(
        TWENTIETH_SEALED,
        "within-one-attempt",
        "aw-reminded-of-the-form",
        "The first closing reply has no answer line, and the loop asks for one.",
        each(_reminded),
    ),
    honest(
        TWENTIETH_SEALED,
        "within-one-attempt",
        "aw-search-sent-again",
        "A search that is throttled is sent several times before it works.",
        each_where(lambda task: task.attachment is None, _one_by_one),
    ),
    honest(
        TWENTIETH_SEALED,
        "interrupted",
        "aw-machine-went-down",
        "The machine goes down once, and the four tasks at work are begun again.",
        _one_crash,
    ),
    honest(
        TWENTIETH_SEALED,
        "interrupted",
        "aw-service-was-down",
        "The model's service is down: the four tasks at work are interrupted, and tried again on resume.",
        _one_outage,
    ),
)
