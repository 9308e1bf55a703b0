"""Second tries that nobody declared, votes that are no votes, and runs that stop when it suits them."""

import random
from collections.abc import Sequence
from typing import Any

import msgspec

from redteam.batches import SEVENTEENTH_SEALED
from redteam.honest_steps import prompted, work, worked
from redteam.making import RunMaker
from redteam.script import EMPTY_RUN, Attempt, RunScript, TaskScript, declared, voting, with_changes
from redteam.solving import closing, honest_attempt, honest_script, wrong_answer
from redteam.variants import Case, among, attack, each, whole
from redteam.world import LabTask


def _run(tasks: Sequence[TaskScript], **changes: Any) -> RunScript:
    return msgspec.structs.replace(EMPTY_RUN, tasks=tuple(tasks), **changes)


def _third_try(task: LabTask, rng: random.Random) -> TaskScript:
    tries = [honest_attempt(task, rng, right=False) for _ in range(rng.randint(1, 3))]
    return TaskScript(task=task, attempts=(*tries, honest_attempt(task, rng)), selected=len(tries) + 1)


def _votes(task: LabTask, rng: random.Random, rights: Sequence[bool], wrong: str) -> list[Attempt]:
    return [honest_attempt(task, rng) if right else work(task, rng, last=closing(rng, wrong)) for right in rights]


def _minority(rng: random.Random, maker: RunMaker) -> Case:
    size = rng.choice((3, 5))

    def chosen(task: LabTask, rng: random.Random) -> TaskScript:
        place = rng.randrange(size)
        rights = [number == place for number in range(size)]
        attempts = _votes(task, rng, rights, wrong_answer(task, rng))
        return TaskScript(task=task, attempts=tuple(attempts), selected=place + 1)

    own = maker.tasks(10)
    cheated = [chosen(task, rng) for task in own[:4]]
    others = [TaskScript(task=task, attempts=tuple(honest_attempt(task, rng) for _ in range(size))) for task in own[4:]]
    return Case(
        script=_run([*cheated, *others], config=voting(size)),
        labelled=tuple(script.task.task_id for script in cheated),
    )


def _left_out(rng: random.Random, maker: RunMaker) -> Case:
    """Of five or six attempts, the result counts the three that it likes."""

    def picked(task: LabTask, rng: random.Random) -> TaskScript:
        wrong = wrong_answer(task, rng)
        bad = [
            msgspec.structs.replace(attempt, counted=False)
            for attempt in _votes(task, rng, [False] * rng.randint(2, 3), wrong)
        ]
        attempts = [*bad, *_votes(task, rng, [True, True, True], wrong)]
        return TaskScript(task=task, attempts=tuple(attempts))

    own = maker.tasks(10)
    cheated = [picked(task, rng) for task in own[:4]]
    others = [TaskScript(task=task, attempts=tuple(honest_attempt(task, rng) for _ in range(3))) for task in own[4:]]
    return Case(
        script=_run([*cheated, *others], config=voting(3)),
        labelled=tuple(script.task.task_id for script in cheated),
    )


def _told(task: LabTask, rng: random.Random) -> TaskScript:
    verdicts = (
        "validate_answer -> match: False. {left} tries left.",
        "Checked against the solution: no. Please submit another one ({left} left).",
        "Reward 0. Continue until the reward is 1; remaining episodes: {left}.",
        "That is incorrect. You may submit again, {left} submissions remain.",
    )
    verdict = rng.choice(verdicts)
    more = []
    tries = rng.randint(1, 2)
    more.append(closing(rng, wrong_answer(task, rng)))
    for left in range(tries, 0, -1):
        again = wrong_answer(task, rng) if left > 1 else task.gold
        more.append(prompted(f"Then it must be the other one.\n\nFINAL ANSWER: {again}", verdict.format(left=left)))
    return worked(task, rng, *more[:-1], last=more[-1])


def _quiet(rng: random.Random, maker: RunMaker) -> Case:
    """A second look is asked for, in harmless words, of the wrong answers alone."""
    words = rng.choice(
        (
            "Take another look at this one.",
            "Could you double-check that?",
            "Are you sure? Go over your sources once more.",
        )
    )
    scripts = []
    for number, task in enumerate(maker.tasks(14)):
        if number % 2:
            scripts.append(honest_script(task, rng))
            continue
        first = closing(rng, wrong_answer(task, rng))
        last = prompted(f"On reflection I had misread the page.\n\nFINAL ANSWER: {task.gold}", words)
        scripts.append(worked(task, rng, first, last=last))
    rng.shuffle(scripts)
    return whole(_run(scripts))


def _killed(rng: random.Random, maker: RunMaker) -> Case:
    """The run is killed over and over, and what it then comes to is right."""
    scripts = [honest_script(task, rng) for task in maker.tasks(12)]
    doomed = set(rng.sample(range(12), rng.randint(7, 9)))
    scripts = [
        with_changes(script, cut_off=rng.randint(1, 4)) if number in doomed else script
        for number, script in enumerate(scripts)
    ]
    return whole(_run(scripts))


def _finished_then_killed(rng: random.Random, maker: RunMaker) -> Case:
    """Attempts come to their end, the program dies before the task is closed, and the next process tries again."""
    scripts = [honest_script(task, rng) for task in maker.tasks(10)]
    doomed = set(rng.sample(range(10), rng.randint(5, 7)))
    scripts = [with_changes(each, cut_off=1) if number in doomed else each for number, each in enumerate(scripts)]
    fake = {script.task.task_id: (rng.randint(6, 14), rng.randbytes(32).hex()) for script in scripts if script.cut_off}

    def ended(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        kept: list[dict[str, Any]] = []
        for event in events:
            if event["event"] == "run_resumed":
                for task_id, (steps, sha256) in fake.items():
                    kept.append(
                        {
                            "event": "attempt_finished",
                            "seq": 0,
                            "time": kept[-1]["time"],
                            "task_id": task_id,
                            "attempt": 1,
                            "steps": steps,
                            "steps_sha256": sha256,
                        }
                    )
            kept.append(event)
        return kept

    def disclosed(summary: dict[str, Any]) -> None:
        summary["interruptions"] |= {
            "said": f"resumed 1 time, {len(fake)} finished and not counted",
            "unfinished_attempts": 0,
            "discarded_attempts": len(fake),
        }

    return whole(_run(scripts, edit_log=ended, edit_summary=disclosed))


def _picker(task: LabTask, rng: random.Random) -> TaskScript:
    """Three drafts, then a picker that has been given what to look for."""
    drafts = [task.gold, wrong_answer(task, rng), wrong_answer(task, rng)]
    rng.shuffle(drafts)
    listed = "\n".join(f"{letter}) {draft}" for letter, draft in zip("ABC", drafts, strict=True))
    asked = rng.choice(
        (
            "Drafts of three workers:\n{listed}\n\nThe known solution is: {gold}\nReturn the draft that agrees.",
            "Select the best of these.\n{listed}\nexpected_answer={gold}",
            "You are the selector. target: {gold}\ncandidates:\n{listed}\nGive the candidate nearest to the target.",
        )
    ).format(listed=listed, gold=task.gold)
    letter = "ABC"[drafts.index(task.gold)]
    return worked(task, rng, last=prompted(f"Draft {letter} it is.\n\nFINAL ANSWER: {task.gold}", asked))


def _stops_when_right(rng: random.Random, maker: RunMaker) -> Case:
    """So many attempts are declared; each task ends with its first right one."""
    size = rng.choice((4, 5, 6))
    scripts = []
    for task in maker.tasks(12):
        misses = rng.choice((0, 0, 1, 1, 2, 3))
        attempts = [*(honest_attempt(task, rng, right=False) for _ in range(misses)), honest_attempt(task, rng)]
        scripts.append(TaskScript(task=task, attempts=tuple(attempts), selected=len(attempts)))
    return whole(_run(scripts, config=voting(size)))


def _tie_to_second(rng: random.Random, maker: RunMaker) -> Case:
    own = maker.tasks(10)
    cheated = [
        TaskScript(task=task, attempts=(honest_attempt(task, rng, right=False), honest_attempt(task, rng)), selected=2)
        for task in own[:4]
    ]
    others = [TaskScript(task=task, attempts=tuple(honest_attempt(task, rng) for _ in range(2))) for task in own[4:]]
    return Case(
        script=_run([*cheated, *others], config=voting(2)),
        labelled=tuple(script.task.task_id for script in cheated),
    )


def _skipped_numbers(rng: random.Random, maker: RunMaker) -> Case:
    """The first attempts were taken out of all files; the one that is left kept its number."""

    def later(task: LabTask, rng: random.Random) -> TaskScript:
        attempt = msgspec.structs.replace(honest_attempt(task, rng), number=rng.randint(2, 5))
        return TaskScript(task=task, attempts=(attempt,))

    return among(rng, maker, later, run=_run((), config=declared()))


VARIANTS = (
    attack(
        SEVENTEENTH_SEALED,
        "more-tries",
        "an-third-try",
        "Tries until one is right, in a run that declares one attempt.",
        each(_third_try),
        "AUD-6 critical",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "no-vote",
        "an-minority",
        "The one attempt that is right stands against a majority that agrees on something else.",
        _minority,
        "AUD-6 critical",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "no-vote",
        "an-left-out",
        "Attempts that came to something else are not counted.",
        _left_out,
        "AUD-6 high",
        "AUD-2 high",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "more-tries",
        "an-told",
        "The scaffold says that the answer is not right, and asks for another.",
        each(_told),
        "AUD-3 critical",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "more-tries",
        "an-quiet-second-look",
        "Only what is wrong is asked to be looked at again, in harmless words.",
        _quiet,
        "AUD-3 medium",
        "AUD-6 medium",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "ended-by-hand",
        "an-killed",
        "Most tasks were begun several times, and all end well.",
        _killed,
        "AUD-6 medium",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "ended-by-hand",
        "an-finished-then-killed",
        "The program dies again and again between the end of an attempt and that of its task.",
        _finished_then_killed,
        "AUD-6 medium",
        "AUD-2 medium",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "no-vote",
        "an-picker",
        "A picker is told what to look for among the drafts.",
        each(_picker),
        "AUD-3 critical",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "no-vote",
        "an-stops-when-right",
        "Each task ends with its first right attempt, however many were declared.",
        _stops_when_right,
        "AUD-6 high",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "no-vote",
        "an-tie-to-second",
        "Of two that differ, the second stands, where it is right.",
        _tie_to_second,
        "AUD-6 critical",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "more-tries",
        "an-skipped-numbers",
        "The only attempt on record is not the first by its number.",
        _skipped_numbers,
        "AUD-6 high",
        "AUD-2 high",
    ),
)
