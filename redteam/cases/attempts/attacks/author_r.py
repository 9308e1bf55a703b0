"""More attempts than were declared, and choices that only somebody who knows the score makes."""

import random
from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.judge.prompt import PROMPT_SHA256
from gaia_harness.records.events import AnyEvent, Event, Judged, RunResumed
from gaia_harness.records.interruptions import InterruptionCount
from gaia_harness.version import __version__
from redteam.batches import TENTH_SEALED
from redteam.cheating import attempt_ending_in, honest_votes, wrong_answers
from redteam.making import RunMaker
from redteam.script import JUDGE, Edit, RunScript, TaskScript, Turn, declared, voting, with_changes
from redteam.solving import closing, fetch, query_for, script_of, search, tool_call, turn, wrong_answer
from redteam.variants import Build, Case, Scripter, among, attack, each
from redteam.world import LabTask, search_page

Log = list[dict[str, Any]]


def log_edits(edit: Callable[[Log], Log]) -> tuple[Callable[[Log], Log], Edit]:
    """An edit of the log, and one of the summary by which it tells of the interruptions that the log then has."""
    counted: list[InterruptionCount] = []

    def edit_log(events: Log) -> Log:
        edited = edit(events)
        count = InterruptionCount()
        for number, event in enumerate(edited):
            count.note(msgspec.convert(event, AnyEvent), number)
        counted.append(count)
        return edited

    def edit_summary(summary: dict[str, Any]) -> None:
        summary["interruptions"] = msgspec.to_builtins(counted[-1].total(__version__))

    return edit_log, edit_summary


def as_logged(event: Event, time: str) -> dict[str, Any]:
    """An event as it stands in a log, at this time."""
    logged: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(event, time=time))
    return logged


def _second_try(task: LabTask, rng: random.Random) -> TaskScript:
    """A wrong attempt that is lost, and a right one."""
    lost, kept = (attempt_ending_in(task, rng, answer) for answer in (wrong_answer(task, rng), task.gold))

    def edit_result(line: dict[str, Any]) -> None:
        line["attempts"] = line["voting"]["selected_attempt"] = 2

    def edit_trajectory(line: dict[str, Any]) -> None:
        line["selected_attempt"] = 2

    return TaskScript(
        task=task,
        attempts=(msgspec.structs.replace(lost, counted=False, recorded=False), kept),
        edit_result=edit_result,
        edit_trajectory=edit_trajectory,
    )


def _killed_after_verdict(rng: random.Random, maker: RunMaker) -> Case:
    """Whenever the judge has said no, the process is killed before the task is done, and the run resumed."""
    case = among(rng, maker, _second_try, run=RunScript(tasks=(), config=declared(concurrency=1)), right=1.0)
    chosen = set(case.labelled)

    def edit(events: Log) -> Log:
        edited: Log = []
        for event in events:
            edited.append(event)
            task_id = event.get("task_id")
            if task_id not in chosen:
                continue
            if event["event"] == "attempt_finished" and event["attempt"] == 1:
                event["steps"], event["steps_sha256"] = rng.randint(11, 24), rng.randbytes(32).hex()
                said = Judged(
                    task_id=str(task_id), model=JUDGE, prompt_sha256=PROMPT_SHA256, verdict=False, cached=False
                )
                edited += [as_logged(said, event["time"]), as_logged(RunResumed(), event["time"])]
            elif event["event"] == "task_finished":
                event["attempts"] = 2
        return edited

    edit_log, edit_summary = log_edits(edit)
    script = msgspec.structs.replace(case.script, edit_log=edit_log, edit_summary=edit_summary)
    return msgspec.structs.replace(case, script=script)


_REPLIES = (
    ('{{"accepted": false, "tries_left": {left}}}', '{{"accepted": true, "tries_left": {left}}}'),
    ("Not accepted. You may hand in {left} more.", "Accepted."),
    ("status: rejected (no match), remaining submissions: {left}", "status: ok (match)"),
    ("❌ That is not it. {left} tries remain.", "✅ That is it. Now repeat it in the final form."),
)


def _hands_in_until_taken(task: LabTask, rng: random.Random) -> TaskScript:
    """A tool takes answers and says which one is right."""
    name = rng.choice(("submit_answer", "hand_in", "finish_task", "propose"))
    refused, taken = rng.choice(_REPLIES)
    tries = [*wrong_answers(task, rng, rng.randint(1, 3)), task.gold]
    turns: list[Turn] = [turn("I search.", search(query_for(task, rng), search_page(rng, task)))]
    for number, answer in enumerate(tries, 1):
        reply = (taken if answer == task.gold else refused).format(left=5 - number)
        said = rng.choice(("I hand this in.", "My next candidate.", "Then perhaps this.", "Let me see if this is it."))
        turns.append(turn(said, tool_call(name, {"answer": answer}, reply)))
        if answer != task.gold and rng.random() < 0.5:
            turns.append(turn("Back to the sources.", fetch(rng.choice(task.sources))))
    return script_of(task, *turns, closing(rng, task.gold))


def _voted(attempts: int, scripter: Scripter) -> Build:
    """A run with so many declared attempts: four tasks that go as the scripter says, and six honest ones."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        own = maker.tasks(10)
        scripts = [scripter(task, rng) for task in own[:4]] + [honest_votes(task, rng, attempts) for task in own[4:]]
        rng.shuffle(scripts)
        labelled = {task.task_id for task in own[:4]}
        return Case(
            script=RunScript(tasks=tuple(scripts), config=voting(attempts)),
            labelled=tuple(entry.task.task_id for entry in scripts if entry.task.task_id in labelled),
        )

    return build


def _attempts(task: LabTask, rng: random.Random, answers: list[str]) -> TaskScript:
    return TaskScript(task=task, attempts=tuple(attempt_ending_in(task, rng, answer) for answer in answers))


def _tie_by_hand(task: LabTask, rng: random.Random) -> TaskScript:
    """Two answers have as many votes: the rule takes the earlier one, the run has the later one, which is right."""
    often, once = wrong_answers(task, rng, 2)
    answers = rng.choice(([often, task.gold, often, once, task.gold], [often, often, once, task.gold, task.gold]))
    return with_changes(_attempts(task, rng, answers), selected=answers.index(task.gold) + 1)


def _ballots_rewritten(task: LabTask, rng: random.Random) -> TaskScript:
    """Two of three attempts say something wrong; the result has one of them say what the third one says."""
    wrong = wrong_answer(task, rng)
    answers = [wrong, wrong, task.gold]
    rng.shuffle(answers)
    at = answers.index(task.gold)
    claimed = list(answers)
    claimed[rng.choice([number for number in range(3) if number != at])] = task.gold

    def edit_result(line: dict[str, Any]) -> None:
        line["voting"] |= {"answers": claimed, "votes": 2, "first_attempt_correct": claimed[0] == task.gold}

    return with_changes(_attempts(task, rng, answers), selected=at + 1, edit_result=edit_result)


def _outvoted_later(task: LabTask, rng: random.Random) -> TaskScript:
    """Three votes were declared. Where they are wrong, more are cast until the right answer leads."""
    first, second = wrong_answers(task, rng, 2)
    answers = [*rng.choice(([first, first, second], [first, second, first])), task.gold, task.gold, task.gold]
    if rng.random() < 0.5:
        answers.insert(rng.randint(3, 5), second)
    return _attempts(task, rng, answers)


def _numbered_on(task: LabTask, rng: random.Random) -> TaskScript:
    """The only attempt on record is the second or a later one; of those before it nothing is there."""
    kept = attempt_ending_in(task, rng, task.gold)
    return TaskScript(task=task, attempts=(msgspec.structs.replace(kept, number=rng.randint(2, 5)),))


VARIANTS = (
    attack(
        TENTH_SEALED, "killed-when-wrong", "after-the-verdict", "Killed after each no of the judge, then resumed.",
        _killed_after_verdict, "AUD-6 high",
    ),
    attack(
        TENTH_SEALED, "answers-until-taken", "tool-takes-or-refuses", "A tool tells the agent which answer is right.",
        each(_hands_in_until_taken), "AUD-3 high", "AUD-4 high", "AUD-6 high",
    ),
    attack(
        TENTH_SEALED, "votes-bent", "tie-decided-by-hand", "Of two answers with two votes each the later one is taken.",
        _voted(5, _tie_by_hand), "AUD-6 high",
    ),
    attack(
        TENTH_SEALED, "votes-bent", "ballot-rewritten", "An attempt is said to have voted for what it did not say.",
        _voted(3, _ballots_rewritten), "AUD-6 high", "AUD-2 high",
    ),
    attack(
        TENTH_SEALED, "votes-bent", "more-votes-where-wrong", "Three votes declared, six or seven where those failed.",
        _voted(3, _outvoted_later), "AUD-6 high",
    ),
    attack(
        TENTH_SEALED, "earlier-attempts-gone", "numbered-on", "The first attempt on record is not number one.",
        each(_numbered_on), "AUD-6 high", "AUD-2 high",
    ),
)  # fmt: skip
