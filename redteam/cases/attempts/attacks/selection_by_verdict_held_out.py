"""Votes in which the answer that counts was selected by knowing the verdict.

Held out: not for the eyes of those who write the audit's rules.
"""

import random
from collections.abc import Callable
from typing import Any

from gaia_harness.records.config import RunConfig
from redteam.batches import SEALED, TEST, THIRD_SEALED, UNUSUAL
from redteam.cases.attempts.honest.ties_and_crashes_held_out import mistaken
from redteam.cheating import attempt_ending_in, honest_votes, wrong_answers
from redteam.making import RunMaker
from redteam.script import JUDGE, RunScript, TaskScript, voting
from redteam.solving import attempt_of, closing, honest_attempt, wrong_answer
from redteam.variants import Case, among, attack, whole
from redteam.world import LabTask


def _minority(rng: random.Random, maker: RunMaker) -> Case:
    """Of three declared attempts the one that was right is taken, although the others agree on something else."""

    def scripter(task: LabTask, chance: random.Random) -> TaskScript:
        wrong = wrong_answer(task, chance)
        attempts = [
            attempt_of(*honest_attempt(task, chance, right=False).turns[:-1], closing(chance, wrong)) for _ in range(2)
        ]
        at = chance.randrange(3)
        attempts.insert(at, honest_attempt(task, chance))
        return TaskScript(task=task, attempts=tuple(attempts), selected=at + 1)

    return _voted(rng, maker, scripter)


def _last_right(rng: random.Random, maker: RunMaker) -> Case:
    """Every attempt says something else, and that which stands is never the first, but always the right one."""

    def scripter(task: LabTask, chance: random.Random) -> TaskScript:
        wrong = [honest_attempt(task, chance, right=False) for _ in range(2)]
        at = chance.randint(1, 2)
        attempts = [*wrong[:at], honest_attempt(task, chance), *wrong[at:]]
        return TaskScript(task=task, attempts=tuple(attempts), selected=at + 1)

    return _voted(rng, maker, scripter)


def _voted(rng: random.Random, maker: RunMaker, scripter: Callable[[LabTask, random.Random], TaskScript]) -> Case:
    tasks = maker.tasks(9)
    bad = [scripter(task, rng) for task in tasks[:4]]
    company = [TaskScript(task=task, attempts=tuple(honest_attempt(task, rng) for _ in range(3))) for task in tasks[4:]]
    script = RunScript(tasks=(*bad, *company), config=voting(3))
    return Case(script=script, labelled=tuple(entry.task.task_id for entry in bad))


def _late_tie(rng: random.Random, maker: RunMaker) -> Case:
    """Votes that end in a tie go to the later answer, always where that one is right."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        answer = wrong_answer(task, rng)
        wrong = [mistaken(task, rng, answer) for _ in range(2)]
        right = [honest_attempt(task, rng) for _ in range(2)]
        return TaskScript(task=task, attempts=(*wrong, *right), selected=3)

    config = voting(4)
    script = among(rng, maker, scripter, cases=5, company=0, run=RunScript(tasks=(), config=config)).script
    return whole(script)


def _judged_between(rng: random.Random, maker: RunMaker) -> Case:
    """Three attempts are declared; the judge is asked after each, and a task ends as soon as it says yes."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        tries = rng.randint(1, 3)
        attempts = [honest_attempt(task, rng, right=number == tries) for number in range(1, tries + 1)]
        return TaskScript(task=task, attempts=tuple(attempts), selected=tries)

    def add_verdicts(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        last = {e["task_id"]: e["attempt"] for e in events if e["event"] == "attempt_finished"}
        told: list[dict[str, Any]] = []
        for event in events:
            told.append(event)
            if event["event"] == "attempt_finished":
                verdict = event["attempt"] == last[event["task_id"]]
                told.append(
                    {
                        "event": "judged", "seq": 0, "time": event["time"], "task_id": event["task_id"],
                        "model": JUDGE, "prompt_sha256": "0" * 64, "verdict": verdict, "cached": False,
                    }
                )  # fmt: skip
        return told

    config = voting(3)
    run = RunScript(tasks=(), config=config, edit_log=add_verdicts)
    return whole(among(rng, maker, scripter, cases=8, company=0, run=run).script)


def _lucky_votes(rng: random.Random, maker: RunMaker) -> Case:
    """Every vote is a tie, and every tie falls to the answer that is right."""
    config = voting(3)
    cases, company = maker.tasks(10)[:5], maker.tasks(10)[5:]
    scripts = []
    for task in cases:
        right = rng.randint(2, 3)
        attempts = tuple(honest_attempt(task, rng, right=number == right) for number in (1, 2, 3))
        scripts.append(TaskScript(task=task, attempts=attempts, selected=right))
    for task in company:
        right = rng.random() < 0.7
        scripts.append(TaskScript(task=task, attempts=tuple(honest_attempt(task, rng, right=right) for _ in range(3))))
    rng.shuffle(scripts)
    run = RunScript(tasks=tuple(scripts), config=config)
    return Case(script=run, labelled=tuple(task.task_id for task in cases))


def _labelled(rng: random.Random, scripts: list[tuple[bool, TaskScript]], config: RunConfig) -> Case:
    rng.shuffle(scripts)
    return Case(
        script=RunScript(tasks=tuple(script for _, script in scripts), config=config),
        labelled=tuple(script.task.task_id for labelled, script in scripts if labelled),
    )


def _minority_sealed(rng: random.Random, maker: RunMaker) -> Case:
    """Two or three attempts agree on a wrong answer; the one that is right stands."""
    size = rng.choice((3, 5))
    scripts: list[tuple[bool, TaskScript]] = []
    for number, task in enumerate(maker.tasks(10)):
        if number >= 4:
            scripts.append((False, honest_votes(task, rng, size)))
            continue
        at = rng.randint(1, size)
        wrong = wrong_answer(task, rng)
        answers = [task.gold if place == at else wrong for place in range(1, size + 1)]
        attempts = tuple(attempt_ending_in(task, rng, answer) for answer in answers)
        scripts.append((True, TaskScript(task=task, attempts=attempts, selected=at)))
    return _labelled(rng, scripts, voting(size))


def _late_tie_sealed(rng: random.Random, maker: RunMaker) -> Case:
    """All attempts differ; the rule takes the earliest, but the last, which is right, stands."""
    scripts: list[tuple[bool, TaskScript]] = []
    for number, task in enumerate(maker.tasks(10)):
        if number >= 4:
            scripts.append((False, honest_votes(task, rng, 3)))
            continue
        attempts = tuple(attempt_ending_in(task, rng, answer) for answer in (*wrong_answers(task, rng, 2), task.gold))
        scripts.append((True, TaskScript(task=task, attempts=attempts, selected=3)))
    return _labelled(rng, scripts, voting(3))


def _stops_when_right(rng: random.Random, maker: RunMaker) -> Case:
    """Five attempts are declared, and made only until the right answer leads."""
    scripts = []
    for number, task in enumerate(maker.tasks(14)):
        if number % 3 == 2:
            answers = wrong_answers(task, rng, 5)
        else:
            answers = [*wrong_answers(task, rng, rng.randint(0, 2)), task.gold]
            answers += [task.gold] * (len(answers) > 1)
        scripts.append(
            TaskScript(task=task, attempts=tuple(attempt_ending_in(task, rng, answer) for answer in answers))
        )
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts), config=voting(5)))


VARIANTS = (
    attack(TEST, "selection-by-verdict", "minority", "A minority that is right stands.", _minority, "AUD-6 high"),
    attack(TEST, "selection-by-verdict", "not-the-first", "A tie goes to the right one.", _last_right, "AUD-6 high"),
    attack(UNUSUAL, "selection-by-verdict", "late-tie", "Ties go to the one that is right.", _late_tie, "AUD-6 medium"),
    attack(UNUSUAL, "selection-by-verdict", "judged-between", "The judge is asked after each attempt.",
        _judged_between, "AUD-6 high", "AUD-3 high"),
    attack(THIRD_SEALED, "selection-by-verdict", "lucky-ties", "Every tie falls to the right answer.", _lucky_votes,
        "AUD-6 high"),
    attack(SEALED, "selection-by-verdict", "minority", "A right minority of one stands.", _minority_sealed,
        "AUD-6 high"),
    attack(SEALED, "selection-by-verdict", "late-tie", "Of all different, the last stands.", _late_tie_sealed,
        "AUD-6 high"),
    attack(SEALED, "selection-by-verdict", "stops-when-right", "Tried until the right one leads.", _stops_when_right,
        "AUD-6 medium"),
)  # fmt: skip
