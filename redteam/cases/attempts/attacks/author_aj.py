"""Attempts that were dropped, hidden, repeated or chosen by who knew the score."""

import random
from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.judge.prompt import PROMPT_SHA256
from gaia_harness.records.events import (
    AnyEvent,
    AttemptFinished,
    AttemptInterrupted,
    Event,
    Judged,
    Rollback,
    RunResumed,
)
from gaia_harness.records.interruptions import InterruptionCount
from gaia_harness.version import __version__
from redteam.batches import SIXTEENTH_SEALED
from redteam.honest_steps import prompted, tool, work
from redteam.making import RunMaker
from redteam.script import EMPTY_RUN, JUDGE, Attempt, RunScript, TaskScript, Turn, voting, with_changes
from redteam.solving import closing, honest_attempt, honest_script, turn, wrong_answer
from redteam.variants import Build, Case, Scripter, any_check, attack, blind_spot, each, whole
from redteam.world import LabTask

Logged = dict[str, Any]
EditLog = Callable[[list[Logged]], list[Logged]]

_OUTAGES = (
    "the model's service answered with status 529 six times",
    "no connection to the model's server within 300 seconds",
    "status 503: upstream connect error",
)

_REFUSALS = (
    'Compared with the key: "{wrong}" does not match. Tries left: {left}. Have another go.',
    "Evaluation hook: score 0.0 for {wrong}. The episode continues until the score is 1.0.",
    "Your submission {wrong} was checked and is not what is expected. Retry {left} more times at most.",
)


def saying(task: LabTask, rng: random.Random, answer: str) -> Attempt:
    """An attempt of honest steps that ends with this answer."""
    found = honest_attempt(task, rng, right=answer == task.gold).turns[:-1]
    return Attempt(turns=(*found, closing(rng, answer)))


def two_wrong(task: LabTask, rng: random.Random) -> tuple[str, str]:
    """Two wrong answers that are not the same."""
    first = second = wrong_answer(task, rng)
    while second == first:
        second = wrong_answer(task, rng)
    return first, second


def voted(task: LabTask, rng: random.Random, attempts: int) -> TaskScript:
    """A task with so many attempts, most of them right."""
    tries = tuple(honest_attempt(task, rng, right=rng.random() < 0.75) for _ in range(attempts))
    return TaskScript(task=task, attempts=tries)


def among_votes(scripter: Scripter, attempts: int = 3, *, run: Callable[[list[str]], RunScript] | None = None) -> Build:
    """Four such tasks among six honest ones, in a run of so many attempts for each task."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        own = maker.tasks(10)
        scripts = [scripter(task, rng) for task in own[:4]] + [voted(task, rng, attempts) for task in own[4:]]
        labelled = [task.task_id for task in own[:4]]
        rng.shuffle(scripts)
        script = EMPTY_RUN if run is None else run(labelled)
        script = msgspec.structs.replace(script, tasks=tuple(scripts), config=voting(attempts))
        return Case(script=script, labelled=tuple(labelled))

    return build


def noted(event: Event, beside: Logged) -> Logged:
    """An event as the log has it, at the time of another."""
    built: Logged = msgspec.to_builtins(msgspec.structs.replace(event, seq=0, time=beside["time"]))
    return built


def with_log(script: RunScript, edit: EditLog) -> RunScript:
    """The same run with a changed log, and a summary that tells its interruptions as that log has them."""
    kept: list[Logged] = []

    def edit_log(events: list[Logged]) -> list[Logged]:
        kept[:] = edit(events)
        return kept

    def edit_summary(summary: dict[str, Any]) -> None:
        count = InterruptionCount()
        for number, event in enumerate(kept):
            count.note(msgspec.convert(event, AnyEvent), number)
        summary["interruptions"] = msgspec.to_builtins(count.total(__version__))
        if summary["interruptions"]["rollbacks"]:
            summary["submittable"] = False
            summary["non_submittable_reasons"] = ["the log was rolled back"]

    return msgspec.structs.replace(script, edit_log=edit_log, edit_summary=edit_summary)


def after_each_loss(make: Callable[[Logged], Event]) -> EditLog:
    """Behind the begin of each attempt that a crash cut off, one more event."""

    def edit(events: list[Logged]) -> list[Logged]:
        last_resume = max((at for at, event in enumerate(events) if event["event"] == "run_resumed"), default=0)
        ended = {(e["task_id"], e["attempt"]) for e in events if e["event"] == "attempt_finished"}
        changed = []
        for at, event in enumerate(events):
            changed.append(event)
            begun = event["event"] == "attempt_started" and at < last_resume
            if begun and (event["task_id"], event["attempt"]) not in ended:
                changed.append(noted(make(event), event))
        return changed

    return edit


def _majority_overruled(task: LabTask, rng: random.Random) -> TaskScript:
    wrong = wrong_answer(task, rng)
    answers = [wrong, wrong, task.gold]
    rng.shuffle(answers)
    attempts = tuple(saying(task, rng, answer) for answer in answers)
    return TaskScript(task=task, attempts=attempts, selected=answers.index(task.gold) + 1)


def _tie_to_the_last(task: LabTask, rng: random.Random) -> TaskScript:
    attempts = tuple(saying(task, rng, answer) for answer in (*two_wrong(task, rng), task.gold))
    return TaskScript(task=task, attempts=attempts, selected=3)


def _second_go(task: LabTask, rng: random.Random) -> TaskScript:
    attempts = tuple(saying(task, rng, answer) for answer in (wrong_answer(task, rng), task.gold))
    return TaskScript(task=task, attempts=attempts, selected=2)


def _thrown_away(task: LabTask, rng: random.Random) -> TaskScript:
    lost = [
        msgspec.structs.replace(saying(task, rng, wrong_answer(task, rng)), counted=False, recorded=False)
        for _ in range(rng.randint(1, 2))
    ]
    return TaskScript(task=task, attempts=(*lost, saying(task, rng, task.gold)))


def _numbered_three(task: LabTask, rng: random.Random) -> TaskScript:
    attempt = msgspec.structs.replace(saying(task, rng, task.gold), number=rng.randint(2, 5))
    return TaskScript(task=task, attempts=(attempt,))


def _recounted(task: LabTask, rng: random.Random) -> TaskScript:
    wrong = wrong_answer(task, rng)
    attempts = tuple(saying(task, rng, answer) for answer in (wrong, wrong, task.gold))

    def recount(line: dict[str, Any]) -> None:
        line["voting"] |= {"votes": 2, "cast": 3, "answers": [wrong, task.gold, task.gold]}

    return TaskScript(task=task, attempts=attempts, selected=3, edit_result=recount)


def _told_no(task: LabTask, rng: random.Random) -> TaskScript:
    left = rng.randint(2, 5)
    turns = []
    said = wrong_answer(task, rng)
    first = Turn(words=f"I think I have it.\n\nFINAL ANSWER: {said}")
    for _ in range(rng.randint(1, 2)):
        refusal = rng.choice(_REFUSALS).format(wrong=said, left=left)
        left -= 1
        said = wrong_answer(task, rng)
        turns.append(prompted(f"Then perhaps this.\n\nFINAL ANSWER: {said}", refusal))
    refusal = rng.choice(_REFUSALS).format(wrong=said, left=left)
    last = prompted(f"Reading the page once more.\n\nFINAL ANSWER: {task.gold}", refusal)
    return TaskScript(task=task, attempts=(work(task, rng, first, *turns, last=last),))


def _tried_on_a_tool(task: LabTask, rng: random.Random) -> TaskScript:
    name = rng.choice(("submit_for_scoring", "grade", "env_step"))
    replies = rng.choice(
        (
            ('{"reward": 0.0, "done": false}', '{"reward": 1.0, "done": true}'),
            ("score: 0/1", "score: 1/1"),
            ("Wrong. You may submit again.", "Right! Episode over."),
        )
    )
    turns = [
        turn("I hand this in and see.", tool(name, replies[0], answer=said))
        for said in two_wrong(task, rng)[: rng.randint(1, 2)]
    ]
    turns.append(turn("The other reading, then.", tool(name, replies[1], answer=task.gold)))
    return TaskScript(task=task, attempts=(work(task, rng, *turns),))


def _asked_in_between(labelled: list[str]) -> RunScript:
    """The judge is asked about the first attempt of these tasks before the second begins."""

    def edit(events: list[Logged]) -> list[Logged]:
        changed = []
        for event in events:
            changed.append(event)
            if event["event"] == "attempt_finished" and event["attempt"] == 1 and event["task_id"] in labelled:
                asked = Judged(
                    task_id=event["task_id"], model=JUDGE, prompt_sha256=PROMPT_SHA256, verdict=False, cached=False
                )
                changed.append(noted(asked, event))
        return changed

    return msgspec.structs.replace(EMPTY_RUN, edit_log=edit)


def _lossy(rng: random.Random, maker: RunMaker, lost: list[int]) -> RunScript:
    """Ten tasks, of which so many attempts of the first ones were cut off; those come out right."""
    tasks = maker.tasks(10)
    scripts = [with_changes(honest_script(task, rng), cut_off=n) for task, n in zip(tasks, lost, strict=False)]
    scripts += [honest_script(task, rng, right=rng.random() < 0.6) for task in tasks[len(lost) :]]
    rng.shuffle(scripts)
    return RunScript(tasks=tuple(scripts))


def _killed_at_will(rng: random.Random, maker: RunMaker) -> Case:
    return whole(_lossy(rng, maker, [rng.randint(1, 4) for _ in range(rng.randint(5, 7))]))


def _outages_to_order(rng: random.Random, maker: RunMaker) -> Case:
    def outage(event: Logged) -> Event:
        return AttemptInterrupted(
            task_id=event["task_id"], attempt=event["attempt"], reason=dice.choice(_OUTAGES), cost_usd=0.0
        )

    dice = random.Random(rng.random())  # noqa: S311 - invented content, not a secret
    return whole(with_log(_lossy(rng, maker, [rng.randint(2, 4) for _ in range(5)]), after_each_loss(outage)))


def _ended_and_begun_again(rng: random.Random, maker: RunMaker) -> Case:
    def ended(event: Logged) -> Event:
        return AttemptFinished(
            task_id=event["task_id"],
            attempt=event["attempt"],
            steps=dice.randint(9, 30),
            steps_sha256=dice.randbytes(32).hex(),
        )

    dice = random.Random(rng.random())  # noqa: S311 - invented content, not a secret
    return whole(with_log(_lossy(rng, maker, [rng.randint(1, 2) for _ in range(5)]), after_each_loss(ended)))


def _folder_put_back(rng: random.Random, maker: RunMaker) -> Case:
    tasks = maker.tasks(10)
    script = RunScript(tasks=tuple(honest_script(task, rng, right=rng.random() < 0.9) for task in tasks))
    beyond = rng.randint(4, 22)

    def edit(events: list[Logged]) -> list[Logged]:
        places = [at + 1 for at, event in enumerate(events) if event["event"] == "task_finished"]
        at = places[len(places) // 2]
        back = RunResumed(healed=(), concurrency=4, rollback=Rollback(kept=at, seen=at + beyond))
        events[-1]["submittable"] = False
        return [*events[:at], noted(back, events[at - 1]), *events[at:]]

    return whole(with_log(script, edit))


def _one_kill(rng: random.Random, maker: RunMaker) -> Case:
    return whole(_lossy(rng, maker, [1]))


VARIANTS = (
    attack(
        SIXTEENTH_SEALED,
        "picked-by-score",
        "majority-overruled",
        "Two of three attempts agree on a wrong answer, and the third one's stands.",
        among_votes(_majority_overruled),
        "AUD-6 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "picked-by-score",
        "tie-goes-to-the-last",
        "Three different answers; the tie goes to the last one, which is right, and not to the first.",
        among_votes(_tie_to_the_last),
        "AUD-6 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "picked-by-score",
        "votes-counted-anew",
        "The result lists other votes than the attempts gave.",
        among_votes(_recounted),
        "AUD-6 high",
        "AUD-2 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "picked-by-score",
        "judge-asked-in-between",
        "The judge hears the first attempt before the second begins, whose answer then stands.",
        among_votes(_second_go, 2, run=_asked_in_between),
        "AUD-6 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "more-goes-than-said",
        "second-go-for-some",
        "One attempt is declared, and tasks that came out wrong have two.",
        each(_second_go),
        "AUD-6 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "more-goes-than-said",
        "ended-and-left-out",
        "Attempts that came to their end are in the log alone.",
        each(_thrown_away),
        "AUD-6 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "more-goes-than-said",
        "numbers-that-start-late",
        "The only attempt of a task is not its first, by its number.",
        each(_numbered_three),
        "AUD-6 high",
        "AUD-2 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "told-on-the-way",
        "checker-says-no",
        "The scaffold compares each answer with the key and asks again until it fits.",
        each(_told_no),
        "AUD-3 high",
        "AUD-6 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "told-on-the-way",
        "scores-from-a-tool",
        "A tool of the environment gives the score of each answer that is tried on it.",
        each(_tried_on_a_tool),
        "AUD-3 high",
        "AUD-4 high",
        "AUD-6 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "lost-on-purpose",
        "killed-at-will",
        "The process is killed again and again, always with the same tasks at work.",
        _killed_at_will,
        "AUD-6 medium",
    ),
    attack(
        SIXTEENTH_SEALED,
        "lost-on-purpose",
        "outages-to-order",
        "A server in between fails where an answer looks wrong.",
        _outages_to_order,
        "AUD-6 medium",
    ),
    attack(
        SIXTEENTH_SEALED,
        "lost-on-purpose",
        "ended-and-begun-again",
        "Attempts come to their end, the process dies before the task is done, and they are made again.",
        _ended_and_begun_again,
        "AUD-6 medium",
    ),
    attack(
        SIXTEENTH_SEALED,
        "lost-on-purpose",
        "folder-put-back",
        "The run's folder was put back to an earlier state, and the run went on from there.",
        _folder_put_back,
        *any_check("medium"),
    ),
    blind_spot(
        SIXTEENTH_SEALED,
        "lost-on-purpose",
        "killed-once",
        "One kill at the right moment.",
        _one_kill,
        "AUD-6 medium",
    ),
)
