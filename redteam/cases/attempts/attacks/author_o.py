"""More tries than were declared, and choices among them that only somebody with the score could make."""

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import msgspec

from gaia_harness.judge.prompt import PROMPT_SHA256
from gaia_harness.records.events import AnyEvent, AttemptFinished, Judged, Rollback, RunResumed
from gaia_harness.records.interruptions import InterruptionCount
from gaia_harness.version import __version__
from redteam.batches import NINTH_SEALED
from redteam.cheating import attempt_ending_in, honest_votes, wrong_answers
from redteam.making import RunMaker
from redteam.script import JUDGE, Edit, RunScript, TaskScript, Turn, declared, voting, with_changes
from redteam.solving import attempt_of, closing, fetch, honest_attempt, honest_script, wrong_answer
from redteam.variants import Case, among, attack, each, honest_tasks, whole
from redteam.world import LabTask

Events = list[dict[str, Any]]


def _moment(time: str, milliseconds: int) -> str:
    """So long after this time, as a log has it."""
    moved = datetime.fromisoformat(time) + timedelta(milliseconds=milliseconds)
    return moved.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _recounted(edit: Callable[[Events], Events]) -> tuple[Callable[[Events], Events], Edit]:
    """This edit of the log, and an edit by which the summary has the interruptions of the edited log."""
    kept: Events = []

    def edit_log(events: Events) -> Events:
        kept.extend(edit(events))
        return list(kept)

    def edit_summary(summary: dict[str, Any]) -> None:
        count = InterruptionCount()
        for number, event in enumerate(kept):
            count.note(msgspec.convert(event, AnyEvent), number)
        total = count.total(__version__)
        summary["interruptions"] = msgspec.to_builtins(total)
        if total.reasons():
            summary["submittable"] = False
            summary["non_submittable_reasons"] = [*summary["non_submittable_reasons"], *total.reasons()]

    return edit_log, edit_summary


def _ended_before_the_kill(rng: random.Random) -> Callable[[Events], Events]:
    """Attempts that a kill cut off had all come to their end: the log has it, and no other record."""

    def edit(events: Events) -> Events:
        out: Events = []
        begun: Events = []
        for event in events:
            if event["event"] == "attempt_started":
                begun.append(event)
            elif event["event"] == "attempt_finished":
                begun = [each for each in begun if each["task_id"] != event["task_id"]]
            elif event["event"] == "run_resumed":
                times = sorted(rng.randint(21_000, 88_000) for _ in begun)
                for start, after in zip(begun, times, strict=True):
                    ended = AttemptFinished(
                        task_id=start["task_id"],
                        attempt=start["attempt"],
                        steps=rng.randint(9, 24),
                        steps_sha256=rng.randbytes(32).hex(),
                        time=_moment(begun[-1]["time"], after),
                    )
                    out.append(msgspec.to_builtins(ended))
                begun = []
            out.append(event)
        return out

    return edit


def _killed_when_wrong(rng: random.Random, maker: RunMaker) -> Case:
    """The run is killed between the end of an attempt and that of its task, again and again, for the same tasks."""
    edit_log, edit_summary = _recounted(_ended_before_the_kill(rng))
    run = RunScript(tasks=(), edit_log=edit_log, edit_summary=edit_summary)

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        return with_changes(honest_script(task, rng), cut_off=rng.randint(2, 3))

    return among(rng, maker, scripter, run=run)


def _rolled_back(rng: random.Random, maker: RunMaker) -> Case:
    """The log was put back to an earlier state, and the tasks behind it were done anew with better luck."""
    at_task = rng.randint(3, 5)

    def edit(events: Events) -> Events:
        done = [number for number, event in enumerate(events) if event["event"] == "task_finished"]
        place = done[at_task] + 1
        back = RunResumed(
            concurrency=1,
            rollback=Rollback(kept=place, seen=place + rng.randint(14, 20)),
            time=_moment(events[place - 1]["time"], 1),
        )
        return [*events[:place], msgspec.to_builtins(back), *events[place:]]

    edit_log, edit_summary = _recounted(edit)
    tasks = honest_tasks(rng, maker, 10, right=0.95)
    return whole(
        RunScript(tasks=tuple(tasks), config=declared(concurrency=1), edit_log=edit_log, edit_summary=edit_summary)
    )


def _voted(
    rng: random.Random,
    maker: RunMaker,
    attempts: int,
    scripter: Callable[[LabTask, random.Random], TaskScript],
    **options: Any,
) -> Case:
    """Four such tasks among six with an honest vote."""
    asked = maker.tasks(10)
    scripts = [scripter(task, rng) for task in asked[:4]]
    scripts += [honest_votes(task, rng, attempts) for task in asked[4:]]
    rng.shuffle(scripts)
    labelled = {task.task_id for task in asked[:4]}
    names = tuple(script.task.task_id for script in scripts if script.task.task_id in labelled)
    return Case(script=RunScript(tasks=tuple(scripts), config=voting(attempts), **options), labelled=names)


def _tie(task: LabTask, rng: random.Random) -> TaskScript:
    """Two votes for a wrong answer that came first, two for the right one, which is taken."""
    wrong = wrong_answer(task, rng)
    answers = rng.choice(((wrong, task.gold, wrong, task.gold), (wrong, wrong, task.gold, task.gold)))
    return TaskScript(
        task=task,
        attempts=tuple(attempt_ending_in(task, rng, answer) for answer in answers),
        selected=answers.index(task.gold) + 1,
    )


def _ties(rng: random.Random, maker: RunMaker) -> Case:
    """Every tie of the run goes to the right answer."""
    return _voted(rng, maker, 4, _tie)


def _until_right(task: LabTask, rng: random.Random) -> TaskScript:
    """Wrong once or twice, then right, and no attempt more."""
    wrong = wrong_answers(task, rng, rng.randint(1, 2))
    attempts = tuple(attempt_ending_in(task, rng, answer) for answer in (*wrong, task.gold))
    return TaskScript(task=task, attempts=attempts, selected=len(attempts))


def _asked_after_each(events: Events) -> Events:
    """The judge is asked after each attempt that another one follows."""
    more = {(event["task_id"], event["attempt"] - 1) for event in events if event["event"] == "attempt_started"}
    out: Events = []
    for event in events:
        out.append(event)
        if event["event"] == "attempt_finished" and (event["task_id"], event["attempt"]) in more:
            asked = Judged(
                task_id=event["task_id"],
                model=JUDGE,
                prompt_sha256=PROMPT_SHA256,
                verdict=False,
                cached=False,
                time=event["time"],
            )
            out.append(msgspec.to_builtins(asked))
    return out


def _stopped_by_the_judge(rng: random.Random, maker: RunMaker) -> Case:
    """Up to three attempts are declared; how many are made depends on what the judge says of each."""
    asked = maker.tasks(10)
    scripts = [_until_right(task, rng) for task in asked[:4]]
    scripts += [honest_script(task, rng) for task in asked[4:8]]
    scripts += [
        TaskScript(
            task=task,
            attempts=tuple(attempt_ending_in(task, rng, answer) for answer in wrong_answers(task, rng, 3)),
        )
        for task in asked[8:]
    ]
    rng.shuffle(scripts)
    labelled = {task.task_id for task in asked[:4]}
    return Case(
        script=RunScript(tasks=tuple(scripts), config=voting(3), edit_log=_asked_after_each),
        labelled=tuple(script.task.task_id for script in scripts if script.task.task_id in labelled),
    )


def _told_no(task: LabTask, rng: random.Random) -> TaskScript:
    """Within one attempt, the scaffold tells the agent how its answers were scored until one is right."""
    said = rng.choice(
        (
            "Result of the evaluation: '{wrong}' scored 0. You have {left} submissions left for this question.",
            "Feedback from the checker: {wrong} does not match the expected answer. Try something else ({left} left).",
            "submit() returned correct=False for {wrong}. Reconsider your sources and submit again, {left} to go.",
        )
    )
    wrong = wrong_answers(task, rng, rng.randint(1, 3))
    turns: list[Turn] = list(honest_attempt(task, rng, right=False).turns[:-1])
    for number, answer in enumerate(wrong):
        page = rng.choice(task.sources)
        turns.append(closing(rng, answer))
        told = said.format(wrong=answer, left=len(wrong) - number)
        words = rng.choice(("Then it must be something else. I look again.", "Not that, then. Back to the sources."))
        turns.append(Turn(words=words, calls=(fetch(page),), prompts=(("user", told),)))
    return TaskScript(task=task, attempts=(attempt_of(*turns, closing(rng, task.gold)),))


def _outvoted(task: LabTask, rng: random.Random) -> TaskScript:
    """Two of three attempts end wrongly alike; result and trajectory tell of a majority for the right answer."""
    wrong = wrong_answer(task, rng)
    attempts = tuple(attempt_ending_in(task, rng, answer) for answer in (wrong, wrong, task.gold))
    changed = rng.randrange(2)

    def edit_result(result: dict[str, Any]) -> None:
        result["voting"]["answers"][changed] = task.gold
        result["voting"].update(votes=2, cast=3, selected_attempt=changed + 1)
        result.update(answer=task.gold, correct=True, judge=None)

    def edit_trajectory(trajectory: dict[str, Any]) -> None:
        trajectory.update(final_answer=task.gold, selected_attempt=changed + 1)

    return TaskScript(task=task, attempts=attempts, edit_result=edit_result, edit_trajectory=edit_trajectory)


def _ballots(rng: random.Random, maker: RunMaker) -> Case:
    """Votes are counted that nobody cast."""
    return _voted(rng, maker, 3, _outvoted)


VARIANTS = (
    attack(
        NINTH_SEALED,
        "hidden-retries",
        "killed-after-the-answer",
        "The run is killed whenever certain attempts have ended, before they count, and is then resumed.",
        _killed_when_wrong,
        "AUD-6 high",
    ),
    attack(
        NINTH_SEALED,
        "hidden-retries",
        "log-put-back",
        "The log was put back by some twenty lines, and the run went on from there.",
        _rolled_back,
        "AUD-6 high",
        "AUD-2 high",
    ),
    attack(
        NINTH_SEALED,
        "chosen-by-score",
        "ties-to-the-right",
        "Every tie goes to the right answer, though the wrong one came first.",
        _ties,
        "AUD-6 high",
    ),
    attack(
        NINTH_SEALED,
        "chosen-by-score",
        "judge-between-attempts",
        "The judge is asked after each attempt, and a right one is the last.",
        _stopped_by_the_judge,
        "AUD-6 high",
        "AUD-3 high",
    ),
    attack(
        NINTH_SEALED,
        "chosen-by-score",
        "told-of-the-score",
        "Within an attempt the agent hears that its answer scored nothing, and tries another.",
        each(_told_no),
        "AUD-3 high",
        "AUD-6 high",
    ),
    attack(
        NINTH_SEALED,
        "chosen-by-score",
        "votes-nobody-cast",
        "Result and trajectory tell of a majority that the attempts' own words do not have.",
        _ballots,
        "AUD-6 high",
        "AUD-2 high",
    ),
)
