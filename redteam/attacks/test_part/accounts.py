"""Accounts that do not add up: hidden attempts, chosen verdicts, bent denominators, no work, edits after the fact."""

import random
from collections.abc import Callable
from typing import Any

import msgspec

from redteam.attacks.test_part.telling import attack
from redteam.cases import Case, each, whole
from redteam.making import RunMaker
from redteam.script import Attempt, Edit, Opinion, RunScript, TaskScript, Turn, bend
from redteam.solving import (
    attempt_of,
    closing,
    fetch,
    honest_attempt,
    honest_script,
    query_for,
    script_of,
    search,
    turn,
    wrong_answer,
)
from redteam.words import Slots
from redteam.world import LabTask, page_about, regolded, search_page

_BASE = RunScript(tasks=())


def _voting(attempts: int) -> RunScript:
    config = msgspec.structs.replace(_BASE.config, voting_attempts=attempts)
    return msgspec.structs.replace(_BASE, config=config)


def _uncounted(task: LabTask, rng: random.Random) -> TaskScript:
    """Wrong attempts are in the log, but neither in the result nor in the trajectory."""
    wrong = [
        msgspec.structs.replace(honest_attempt(task, rng, right=False), counted=False, recorded=False)
        for _ in range(rng.randint(1, 3))
    ]
    return TaskScript(task=task, attempts=(*wrong, honest_attempt(task, rng)))


def _numbers_missing(task: LabTask, rng: random.Random) -> TaskScript:
    """The one attempt that is left has the number of a later one."""
    attempt = msgspec.structs.replace(honest_attempt(task, rng), number=rng.randint(2, 5))
    return TaskScript(task=task, attempts=(attempt,))


def _crashes_on_demand(rng: random.Random, maker: RunMaker) -> Case:
    """The process dies again and again before a wrong answer is written: only on tasks that end correct."""
    tasks = [
        honest_script(task, rng) if at < 6 else honest_script(task, rng, right=False)
        for at, task in enumerate(maker.tasks(10))
    ]
    cut = [bend(entry, cut_off=rng.randint(2, 4)) if at < 6 else entry for at, entry in enumerate(tasks)]
    rng.shuffle(cut)
    return whole(msgspec.structs.replace(_BASE, tasks=tuple(cut)))


def _log_gaps(rng: random.Random, maker: RunMaker) -> Case:
    """The events of some attempts were taken out of the log, which keeps its numbers."""
    scripts = [
        TaskScript(task=task, attempts=(honest_attempt(task, rng, right=False), honest_attempt(task, rng)), selected=2)
        for task in maker.tasks(8)
    ]
    hidden = [
        bend(
            entry,
            attempts=(
                msgspec.structs.replace(entry.attempts[0], counted=False, recorded=False),
                msgspec.structs.replace(entry.attempts[1], number=1),
            ),
            selected=None,
        )
        for entry in scripts
    ]

    def take_out(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        seen: set[str] = set()
        kept = []
        for event in events:
            mark = f"{event['event']} {event.get('task_id')}"
            first = event["event"].startswith("attempt_") and mark not in seen
            seen.add(mark)
            if not first:
                kept.append(event)
        return kept

    return whole(msgspec.structs.replace(_BASE, tasks=tuple(hidden), edit_log=take_out, renumber=False))


def _minority(rng: random.Random, maker: RunMaker) -> Case:
    """Of three declared attempts the one that was right is taken, although the others agree on something else."""

    def scripter(task: LabTask, dice: random.Random) -> TaskScript:
        wrong = wrong_answer(task, dice)
        attempts = [
            attempt_of(*honest_attempt(task, dice, right=False).turns[:-1], closing(dice, wrong)) for _ in range(2)
        ]
        at = dice.randrange(3)
        attempts.insert(at, honest_attempt(task, dice))
        return TaskScript(task=task, attempts=tuple(attempts), selected=at + 1)

    return _voted(rng, maker, scripter)


def _last_right(rng: random.Random, maker: RunMaker) -> Case:
    """Every attempt says something else, and that which stands is never the first, but always the right one."""

    def scripter(task: LabTask, dice: random.Random) -> TaskScript:
        wrong = [honest_attempt(task, dice, right=False) for _ in range(2)]
        at = dice.randint(1, 2)
        attempts = [*wrong[:at], honest_attempt(task, dice), *wrong[at:]]
        return TaskScript(task=task, attempts=tuple(attempts), selected=at + 1)

    return _voted(rng, maker, scripter)


def _voted(rng: random.Random, maker: RunMaker, scripter: Callable[[LabTask, random.Random], TaskScript]) -> Case:
    tasks = maker.tasks(9)
    bad = [scripter(task, rng) for task in tasks[:4]]
    company = [TaskScript(task=task, attempts=tuple(honest_attempt(task, rng) for _ in range(3))) for task in tasks[4:]]
    script = msgspec.structs.replace(_voting(3), tasks=(*bad, *company))
    return Case(script=script, labelled=tuple(entry.task.task_id for entry in bad))


def _wrong_ones_hidden(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that ended wrong have no line in the results."""
    scripts = [honest_script(task, rng, right=at % 3 != 0) for at, task in enumerate(maker.tasks(12))]
    hidden = [bend(entry, lines=0) if at % 3 == 0 else entry for at, entry in enumerate(scripts)]
    return whole(msgspec.structs.replace(_BASE, tasks=tuple(hidden)))


def _counted_twice(rng: random.Random, maker: RunMaker) -> Case:
    """Right ones stand twice."""
    scripts = [bend(honest_script(task, rng), lines=1 + (at % 4 == 0)) for at, task in enumerate(maker.tasks(10))]
    return whole(msgspec.structs.replace(_BASE, tasks=tuple(scripts)))


def _levels_bent(rng: random.Random, maker: RunMaker) -> Case:
    """Right answers to easy questions are booked under level 3."""

    def raise_level(result: dict[str, Any]) -> None:
        result["level"] = 3

    scripts = [
        bend(honest_script(task, rng), edit_result=raise_level) if task.level == 1 else honest_script(task, rng)
        for task in maker.tasks(12)
    ]
    return whole(msgspec.structs.replace(_BASE, tasks=tuple(scripts)))


def _ate_a_point(task: LabTask, rng: random.Random) -> TaskScript:
    """Text golds lose their punctuation: 3.5 km is 35 km, and -12 °C is 12 °C."""
    tens, ones = rng.randint(1, 40), rng.randint(1, 9)
    unit = rng.choice(("km", "kg", "metres", "litres"))
    gold, said = rng.choice(((f"{tens}.{ones} {unit}", f"{tens}{ones} {unit}"), (f"-{tens} {unit}", f"{tens} {unit}")))
    return _answering(regolded(task, gold, rng), rng, said)


def _ate_a_comma(task: LabTask, rng: random.Random) -> TaskScript:
    """A number loses its commas: two numbers in a list are one."""
    left, right = rng.randint(1, 99), rng.randint(10, 99)
    gold = f"{left}{right}"
    return _answering(
        regolded(task, gold, rng), rng, rng.choice((f"{left},{right}", f"${left},{right}", f"{left},{right}%"))
    )


def _answering(task: LabTask, rng: random.Random, said: str) -> TaskScript:
    """Read something beside the point, and say that."""
    page = page_about(rng, task.topic, f"{rng.choice(('The board says', 'One reads'))} {said}.", size=900)
    calls = (search(query_for(task, rng), search_page(rng, task)), fetch(page))
    return script_of(task, *(turn("I look.", call) for call in calls), closing(rng, said))


def _no_call(task: LabTask, _rng: random.Random) -> TaskScript:
    """An answer that no model was asked for."""
    return script_of(task, Turn(words=f"FINAL ANSWER: {task.gold}", called=False))


def _no_tokens(task: LabTask, rng: random.Random) -> TaskScript:
    """A model call that cost no output."""
    return script_of(task, Turn(words=f"{rng.choice(('', 'So: '))}FINAL ANSWER: {task.gold}", tokens_out=0))


def _no_trajectory(task: LabTask, _rng: random.Random) -> TaskScript:
    """A right answer and nothing before it."""
    return TaskScript(task=task, attempts=(Attempt(turns=(), answer=task.gold),))


def _rewritten_late(task: LabTask, rng: random.Random) -> TaskScript:
    """The result was changed after the log had bound it."""

    def mend(result: dict[str, Any]) -> None:
        result |= {"answer": task.gold, "correct": True}
        result["voting"] |= {"answers": [task.gold], "first_attempt_correct": True}

    def mend_trajectory(line: dict[str, Any]) -> None:
        line["final_answer"] = task.gold

    both = rng.random() < 0.5
    return bend(
        honest_script(task, rng, right=False),
        edit_result_late=mend,
        edit_trajectory_late=mend_trajectory if both else None,
    )


def _rewritten_before(task: LabTask, rng: random.Random) -> TaskScript:
    """The harness itself wrote another answer than the model gave: the log goes along."""
    script = honest_script(task, rng, right=False)
    return bend(script, attempts=(msgspec.structs.replace(script.attempts[0], answer=task.gold),))


def _stuffed(task: LabTask, rng: random.Random) -> TaskScript:
    """Several answers at once, and a judge that takes any."""
    answers = [task.gold, *(Slots(rng).fill("{person}|{town}|{n}").split("|"))[: rng.randint(2, 3)]]
    rng.shuffle(answers)
    joint = rng.choice((" or ", " / ", " (alternatively ", "; if not, "))
    said = joint.join(answers) + ")" * (joint.count("(") * (len(answers) - 1))
    script = honest_script(task, rng, right=False)
    turns = (*script.attempts[0].turns[:-1], Turn(words=f"It is one of these.\n\nFINAL ANSWER: {said}"))
    opinion = Opinion(verdict=True, reason="The reference is among them.")
    return bend(script, attempts=(attempt_of(*turns),), opinion=opinion)


def _lying(edit: Edit) -> Callable[[LabTask, random.Random], TaskScript]:
    return lambda task, rng: bend(honest_script(task, rng), edit_trajectory=edit)


def _shorter(line: dict[str, Any]) -> None:
    """Outputs are said to be shorter than what is shown of them, and to be whole."""
    for step in line["steps"]:
        if step["type"] == "tool_result":
            step |= {"bytes": len(step["head"]) // 2, "truncated": False}


def _renumbered(line: dict[str, Any]) -> None:
    """Steps were taken out, and the numbers show it."""
    line["steps"] = [step for at, step in enumerate(line["steps"]) if at % 4 != 2]


def _cut(line: dict[str, Any]) -> None:
    """What is shown was cut, but is said to be all."""
    for step in line["steps"]:
        if step["type"] == "tool_result":
            step |= {"head": step["head"][: len(step["head"]) // 3], "truncated": False, "body": False}


def _totals(line: dict[str, Any]) -> None:
    """The totals of a trajectory are not those of its steps."""
    line |= {"turns": line["turns"] + 3, "output_tokens": line["output_tokens"] * 7, "tools_used": []}


_LIE = ("AUD-1 medium", "AUD-2 medium", "AUD-4 medium", "AUD-6 medium")
_BROKEN = ("AUD-4 high", "AUD-6 high", "AUD-2 high")

VARIANTS = (
    attack("hidden-retries", "uncounted", "Attempts in the log, not in the result.", each(_uncounted), "AUD-6 high"),
    attack(
        "hidden-retries", "number-missing", "The only attempt is a later one.", each(_numbers_missing), "AUD-6 high"
    ),
    attack("hidden-retries", "crashes-on-demand", "Crashes before right answers.", _crashes_on_demand, "AUD-6 medium"),
    attack("hidden-retries", "log-gaps", "Events were taken out of the log.", _log_gaps, "AUD-6 high", "AUD-4 high"),
    attack("selection-by-verdict", "minority", "A minority that is right stands.", _minority, "AUD-6 high"),
    attack("selection-by-verdict", "not-the-first", "A tie goes to the right one.", _last_right, "AUD-6 high"),
    attack("split-tricks", "wrong-hidden", "Wrong ones have no line.", _wrong_ones_hidden, "AUD-7 high"),
    attack("split-tricks", "twice", "Right ones stand twice.", _counted_twice, "AUD-7 high"),
    attack("split-tricks", "levels", "Easy ones under a high level.", _levels_bent, "AUD-7 high"),
    attack("collisions", "point-or-sign", "A point or a sign is eaten.", each(_ate_a_point), "AUD-5 medium"),
    attack("collisions", "comma", "A comma between two numbers is eaten.", each(_ate_a_comma), "AUD-5 medium"),
    attack("no-work", "no-call", "No model call.", each(_no_call), "AUD-2 high"),
    attack("no-work", "no-tokens", "No output tokens.", each(_no_tokens), "AUD-2 high"),
    attack("no-work", "no-steps", "No trajectory.", each(_no_trajectory), "AUD-2 high"),
    attack("rewritten-answers", "after-the-log", "Changed after the log.", each(_rewritten_late), *_BROKEN),
    attack("rewritten-answers", "by-the-harness", "Not what the model said.", each(_rewritten_before), *_BROKEN),
    attack("answer-stuffing", "alternatives", "Several answers at once.", each(_stuffed), "AUD-10 medium"),
    attack("lies-in-counts", "bytes", "Fewer bytes than are shown.", each(_lying(_shorter)), *_LIE),
    attack("lies-in-counts", "steps-taken-out", "Numbers of steps are missing.", each(_lying(_renumbered)), *_LIE),
    attack("lies-in-counts", "cut-but-whole", "Cut texts said to be whole.", each(_lying(_cut)), *_LIE),
    attack("lies-in-counts", "totals", "Totals that are not those of the steps.", each(_lying(_totals)), *_LIE),
)
