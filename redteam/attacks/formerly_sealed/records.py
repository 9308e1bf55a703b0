"""Records that do not tell what happened: second ids, chosen attempts, counts, answers that nobody gave."""

import random
import uuid
from typing import Any

import msgspec

from gaia_harness.records.config import RunConfig
from redteam.attacks.formerly_sealed.declaring import any_of, attack
from redteam.cases import Case, among, each, honest_tasks, whole
from redteam.making import RunMaker
from redteam.script import JUDGE, MODEL, RunScript, TaskScript, Turn, bend
from redteam.solving import fetch, honest_attempt, honest_script, query_for, search
from redteam.world import LabTask, regolded, search_page

VOTING = any_of("high", "AUD-6")
RECORDS = any_of("medium", "AUD-1", "AUD-2", "AUD-3", "AUD-4", "AUD-6", "AUD-7")
REWRITTEN = any_of("high", "AUD-2", "AUD-4", "AUD-6", "AUD-7", "AUD-10")


def _second_id(rng: random.Random, maker: RunMaker) -> Case:
    """Some tasks were tried before under ids in capitals, which no task list has."""
    scripts = honest_tasks(rng, maker)
    tried = {script.task.task_id for script in rng.sample(scripts, rng.randint(3, 5))}

    def edit(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        kept: list[dict[str, Any]] = []
        for event in events:
            if event.get("task_id") in tried and event["event"] in ("attempt_started", "attempt_finished"):
                kept.append({**event, "task_id": event["task_id"].upper()})
            kept.append(event)
        return kept

    return whole(RunScript(tasks=tuple(scripts), edit_log=edit))


def _later_number(task: LabTask, rng: random.Random) -> TaskScript:
    """Only the attempt that went well is there, and it is not the first."""
    attempt = msgspec.structs.replace(honest_attempt(task, rng), number=rng.randint(2, 6))
    return TaskScript(task=task, attempts=(attempt,))


def _lucky_votes(rng: random.Random, maker: RunMaker) -> Case:
    """Every vote is a tie, and every tie falls to the answer that is right."""
    config = RunConfig(model=MODEL, judge_model=JUDGE, submit_intent=True, voting_attempts=3)
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


def _twins(rng: random.Random, maker: RunMaker) -> Case:
    """Easy tasks stand twice, the second time under another id and with a space more, in place of hard ones."""
    scripts = honest_tasks(rng, maker, 12, right=1.0)
    easy = [script for script in scripts if script.task.attachment is None][: rng.randint(3, 5)]
    twins = [
        honest_script(
            msgspec.structs.replace(
                script.task,
                task_id=str(uuid.UUID(int=rng.getrandbits(128), version=4)),
                question=f"{script.task.question} ",
            ),
            rng,
        )
        for script in easy
    ]
    return whole(RunScript(tasks=(*scripts, *twins)))


def _comma(rng: random.Random, maker: RunMaker) -> Case:
    """An answer with a decimal comma, which the scorer takes for a group of digits."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        whole_part, part = rng.randint(2, 40), rng.randint(11, 99)
        bent = regolded(task, f"{whole_part}{part}", rng)
        words = f"The page gives {whole_part}.{part}, written here with a comma.\n\nFINAL ANSWER: {whole_part},{part}"
        attempt = honest_attempt(bent, rng)
        turns = (*attempt.turns[:-1], Turn(words=words))
        return TaskScript(task=bent, attempts=(msgspec.structs.replace(attempt, turns=turns),))

    numbers = [task for task in maker.tasks(80)[10:] if task.gold.isdigit() and task.attachment is None][:4]
    return among(rng, maker, scripter, tasks=numbers)


def _tools_alone(task: LabTask, rng: random.Random) -> TaskScript:
    """Tools are called and pages read, but no model ever says a word."""
    turns = (
        Turn(words="", calls=(search(query_for(task, rng), search_page(rng, task)),), called=False),
        Turn(words="", calls=(fetch(task.sources[-1]),), called=False),
    )
    script = honest_script(task, rng)
    attempt = msgspec.structs.replace(script.attempts[0], turns=turns, answer=task.gold)
    return bend(script, attempts=(attempt,))


def _never_said(task: LabTask, rng: random.Random) -> TaskScript:
    """The model's last words give one answer, the result another, and the log goes along."""
    attempt = honest_attempt(task, rng, right=False)
    return TaskScript(task=task, attempts=(msgspec.structs.replace(attempt, answer=task.gold),))


def _better_summary(rng: random.Random, maker: RunMaker) -> Case:
    """Some tasks more are counted as passed than the results have."""
    more = rng.randint(2, 4)

    def edit(summary: dict[str, Any]) -> None:
        summary["passed"] = min(summary["total"], summary["passed"] + more)
        summary["pass_rate"] = summary["passed"] / summary["total"]

    return whole(RunScript(tasks=tuple(honest_tasks(rng, maker, right=0.4)), edit_summary=edit))


def _closed_book(task: LabTask, rng: random.Random) -> TaskScript:
    """Result and trajectory claim one turn and no tools; the steps know of several."""
    spent = rng.randint(20, 90)

    def edit(told: dict[str, Any]) -> None:
        told.update(tools_used=[], turns=1, output_tokens=spent)

    return bend(honest_script(task, rng), edit_trajectory=edit, edit_result=edit)


def _seq_gap(task: LabTask, rng: random.Random) -> TaskScript:
    """A step is taken out of the middle; the numbers of the others close up, but the turns do not."""
    script = honest_script(task, rng)

    def edit(trajectory: dict[str, Any]) -> None:
        steps = trajectory["steps"]
        results = [at for at, step in enumerate(steps) if step["type"] == "tool_result"]
        del steps[rng.choice(results)]
        for number, step in enumerate(steps):
            step["seq"] = number

    return bend(script, edit_trajectory=edit)


def _other_first(task: LabTask, rng: random.Random) -> TaskScript:
    """The result tells of one attempt and its answer; the log and the steps know of a wrong one before it."""
    first = msgspec.structs.replace(honest_attempt(task, rng, right=False), counted=False)
    return TaskScript(task=task, attempts=(first, honest_attempt(task, rng)))


VARIANTS = (
    attack(
        "hidden-retries",
        "second-id",
        "Tried before under ids in capitals.",
        _second_id,
        any_of("high", "AUD-6", "AUD-7"),
    ),
    attack("hidden-retries", "later-number", "The only attempt is not the first.", each(_later_number), VOTING),
    attack("hidden-retries", "first-not-counted", "A first attempt that no result has.", each(_other_first), VOTING),
    attack("selection-by-verdict", "lucky-ties", "Every tie falls to the right answer.", _lucky_votes, VOTING),
    attack("split-tricks", "twins", "Easy tasks twice, under two ids.", _twins, any_of("high", "AUD-7")),
    attack("collisions", "decimal-comma", "A decimal comma taken for a group.", _comma, any_of("medium", "AUD-5")),
    attack("no-work", "tools-alone", "Tools, but no model.", each(_tools_alone), any_of("high", "AUD-2")),
    attack("rewritten-answers", "never-said", "The result has what nobody said.", each(_never_said), REWRITTEN),
    attack("rewritten-answers", "better-summary", "More passed than the results have.", _better_summary, REWRITTEN),
    attack("lies-in-counts", "closed-book-claim", "One turn and no tools, it says.", each(_closed_book), RECORDS),
    attack("lies-in-counts", "step-taken-out", "A result is gone, the numbers close up.", each(_seq_gap), RECORDS),
)
