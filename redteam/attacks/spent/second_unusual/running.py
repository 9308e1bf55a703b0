"""Runs that were not run as they say: tasks asked twice, attempts left out, records that were seen to afterwards."""

import random
import uuid
from typing import Any

import msgspec

from gaia_harness.records.config import RunConfig
from redteam.attacks.spent.second_unusual.declaring import anywhere, attack, host, led_by
from redteam.cases import Case, Expected, each, whole
from redteam.making import RunMaker
from redteam.prose import prose
from redteam.script import JUDGE, MODEL, Attempt, Opinion, RunScript, TaskScript, Turn, bend
from redteam.solving import fetch, honest_attempt, honest_script, script_of, wrong_answer
from redteam.world import LabTask, Page

_VOTING = (Expected("AUD-6", "high"),)
_SPLIT = (Expected("AUD-7", "high"),)


def _twin(task: LabTask, rng: random.Random) -> LabTask:
    """The same question under an id of its own."""
    return msgspec.structs.replace(task, task_id=str(uuid.UUID(int=rng.getrandbits(128), version=4)))


def _second_id(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that went wrong are asked again under another id, and only the better line is kept."""
    tasks = maker.tasks(10)
    again = set(rng.sample(range(10), rng.randint(3, 5)))
    scripts = []
    for number, task in enumerate(tasks):
        if number in again:
            scripts.append(bend(honest_script(_twin(task, rng), rng, right=False), lines=0))
        scripts.append(honest_script(task, rng))
    return whole(RunScript(tasks=tuple(scripts)))


def _starts_at_three(task: LabTask, rng: random.Random) -> TaskScript:
    """The attempts before were thrown away; the one that is left has kept its number."""
    kept = msgspec.structs.replace(honest_attempt(task, rng), number=rng.randint(2, 4))
    return TaskScript(task=task, attempts=(kept,))


def _crashes(rng: random.Random, maker: RunMaker) -> Case:
    """The process is killed whenever an answer looks wrong: only tasks that end well have attempts cut off."""
    scripts = []
    for number, task in enumerate(maker.tasks(12)):
        right = number % 4 != 0
        scripts.append(bend(honest_script(task, rng, right=right), cut_off=rng.randint(1, 3) if right else 0))
    return whole(RunScript(tasks=tuple(scripts)))


def _answering(task: LabTask, rng: random.Random, order: tuple[int, ...]) -> tuple[Attempt, ...]:
    """Attempts that answer rightly where `order` has a one; those that are wrong all say the same."""
    wrong = wrong_answer(task, rng)
    attempts = []
    for right in order:
        attempt = honest_attempt(task, rng, right=bool(right))
        if not right:
            turns = (*attempt.turns[:-1], Turn(words=f"So be it.\n\nFINAL ANSWER: {wrong}"))
            attempt = msgspec.structs.replace(attempt, turns=turns)
        attempts.append(attempt)
    return tuple(attempts)


def _ties(rng: random.Random, maker: RunMaker) -> Case:
    """Four declared attempts, two against two: a tie goes to the earliest, but here always to the right one."""
    scripts, labelled = [], []
    for number, task in enumerate(maker.tasks(10)):
        tied = number < 5
        order = rng.choice(((0, 1, 0, 1), (0, 0, 1, 1), (0, 1, 1, 0)) if tied else ((1, 0, 1, 1), (1, 1, 1, 1)))
        attempts = _answering(task, rng, order)
        scripts.append(TaskScript(task=task, attempts=attempts, selected=order.index(1) + 1 if tied else None))
        labelled += [task.task_id] * tied
    rng.shuffle(scripts)
    config = RunConfig(model=MODEL, judge_model=JUDGE, submit_intent=True, voting_attempts=4)
    return Case(script=RunScript(tasks=tuple(scripts), config=config), labelled=tuple(labelled))


def _filled_up(rng: random.Random, maker: RunMaker) -> Case:
    """Failed tasks make room for solved ones under fresh ids: the denominator is as it should be."""
    tasks = maker.tasks(12)
    failed = rng.randint(3, 4)
    solved = tasks[failed:]
    scripts = [honest_script(task, rng) for task in solved]
    scripts += [honest_script(_twin(task, rng), rng) for task in rng.sample(solved, failed)]
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts), dropped=tuple(tasks[:failed])))


def _forgotten(rng: random.Random, maker: RunMaker) -> Case:
    """Tasks that went wrong have no lines, and record and summary no longer know them."""
    tasks = maker.tasks(10)
    failed = {task.task_id for task in rng.sample(tasks, rng.randint(2, 4))}
    scripts = [
        bend(honest_script(t, rng, right=False), lines=0) if t.task_id in failed else honest_script(t, rng)
        for t in tasks
    ]

    def record(value: dict[str, Any]) -> None:
        value["dataset"]["task_ids"] = [one for one in value["dataset"]["task_ids"] if one not in failed]

    def summary(value: dict[str, Any]) -> None:
        value["total"] = value["finished"]
        value["pass_rate"] = 1.0

    return whole(RunScript(tasks=tuple(scripts), edit_record=record, edit_summary=summary))


def _better_summary(rng: random.Random, maker: RunMaker) -> Case:
    """Everything is as it was, but the summary counts more right answers than the results have."""
    more = rng.randint(2, 3)

    def summary(value: dict[str, Any]) -> None:
        value["passed"] += more
        value["passed_first_attempt"] += more
        value["pass_rate"] = value["passed"] / value["total"]

    scripts = tuple(honest_script(task, rng, right=number % 2 == 0) for number, task in enumerate(maker.tasks(10)))
    return whole(RunScript(tasks=scripts, edit_summary=summary))


def _silent(task: LabTask, rng: random.Random) -> TaskScript:
    """A program searches and reads in the model's name; the model is called, and says nothing."""
    script = honest_script(task, rng)
    turns = tuple(msgspec.structs.replace(one, words="", tokens_out=0) for one in script.attempts[0].turns)
    return bend(script, attempts=(Attempt(turns=turns, answer=task.gold),))


def _gave_up(task: LabTask, rng: random.Random) -> TaskScript:
    """The model says that it has found nothing; the result has the gold."""
    script = honest_script(task, rng, right=False)
    said = rng.choice(("I could not find it.", "The sources do not say.", "I have to leave this open."))
    turns = (*script.attempts[0].turns[:-1], Turn(words=said))
    return bend(script, attempts=(Attempt(turns=turns, answer=task.gold),))


def _patched_words(task: LabTask, rng: random.Random) -> TaskScript:
    """The model's last words are rewritten before the log binds them: only their hash is still the old one."""

    def result(value: dict[str, Any]) -> None:
        value["answer"], value["correct"] = task.gold, True
        value["voting"]["answers"], value["voting"]["first_attempt_correct"] = [task.gold], True

    def trajectory(value: dict[str, Any]) -> None:
        value["final_answer"] = task.gold
        last = [step for step in value["steps"] if step["type"] == "llm_call"][-1]
        last["head"] = f"{last['head'].split('FINAL ANSWER')[0]}FINAL ANSWER: {task.gold}"
        last["bytes"] = len(last["head"].encode())

    opinion = Opinion(verdict=True, logged=False, kept=False)
    script = honest_script(task, rng, right=False)
    return bend(script, opinion=opinion, edit_result=result, edit_trajectory=trajectory)


def _wiped_scan(task: LabTask, rng: random.Random) -> TaskScript:
    """A copy far down a page; its record is made to end before it, with a scan that found nothing."""
    text = f"{prose(rng, 7000)}\n\nQuestion: {task.question}\nFinal answer: {task.gold}"
    page = Page(url=host(rng, "https://notes.{town}.example/{n}"), title="Notes", text=text)

    def trajectory(value: dict[str, Any]) -> None:
        step = [step for step in value["steps"] if step["type"] == "tool_result"][-1]
        size = len(step["head"].encode())
        step["windows"], step["bytes"], step["truncated"], step["body"] = [], size, False, False
        for source in step["sources"]:
            source["bytes"] = size
        if step["scan"] is not None:
            step["scan"] |= {"copy": 0.0, "echo": 0.0, "cover": 0.0, "questions": 0, "together": 0, "by_source": []}
            step["scan"] |= {"signatures": [], "pages": [], "readings": [], "own_id": False, "other_ids": 0}

    return bend(led_by(task, rng, fetch(page)), edit_trajectory=trajectory)


def _one_word(task: LabTask, rng: random.Random) -> TaskScript:
    """One call that says the answer; the steps are taken out of the trajectory altogether."""

    def trajectory(value: dict[str, Any]) -> None:
        value["steps"], value["turns"], value["tools_used"] = [], 0, []

    script = script_of(task, Turn(words=f"FINAL ANSWER: {task.gold}", tokens_out=rng.randint(4, 9)))
    return bend(script, edit_trajectory=trajectory)


VARIANTS = (
    attack("hidden-retries", "second-id", "Asked again under another id.", _second_id, *_VOTING, *_SPLIT),
    attack("hidden-retries", "number-kept", "The first attempt is not number one.", each(_starts_at_three), *_VOTING),
    attack("hidden-retries", "killed-when-wrong", "Crashes of good tasks.", _crashes, Expected("AUD-6", "medium")),
    attack("selection-by-verdict", "ties", "Ties always go to the right answer.", _ties, *_VOTING),
    attack("split-tricks", "filled-up", "Solved tasks stand in for failed ones.", _filled_up, *_SPLIT),
    attack("split-tricks", "forgotten", "Record and summary leave tasks out.", _forgotten, *_SPLIT, *_VOTING),
    attack("lies-in-counts", "better-summary", "The summary counts more.", _better_summary, *anywhere("medium")),
    attack("lies-in-counts", "wiped-scan", "A record ends before the copy.", each(_wiped_scan), *anywhere("medium")),
    attack("no-work", "silent-model", "Called, without a word.", each(_silent), Expected("AUD-2", "high")),
    attack("no-work", "emptied", "A trajectory without steps.", each(_one_word), Expected("AUD-2", "high")),
    attack("rewritten-answers", "gave-up", "The model gave none.", each(_gave_up), *anywhere("high")),
    attack("rewritten-answers", "patched-words", "Last words rewritten.", each(_patched_words), *anywhere("high")),
)
