"""Crashes, votes and second thoughts of honest runs."""

import random

import msgspec

from gaia_harness.records.events import AttemptInterrupted
from redteam.batches import FIFTH_SEALED
from redteam.cases.attempts.attacks.author_c_held_out import Event, crashing_run, finished, later
from redteam.honest_steps import all_tasks, maybe_wrong, prompted, tool
from redteam.making import RunMaker
from redteam.script import EMPTY_RUN, Attempt, TaskScript, voting, with_changes
from redteam.solving import closing, fetch, honest_attempt, honest_script, turn, wrong_answer
from redteam.variants import Case, Scripter, among, honest
from redteam.world import LabTask, tasks_asking


def _power_cut(rng: random.Random, maker: RunMaker) -> Case:
    """In a voting run four tasks have one attempt done and a second under way when the power goes."""
    own = maker.tasks(8)
    hit = {task.task_id for task in own[:4]}
    crashes = [True, False]  # after the first attempts there was none

    def ending(begun: Event) -> Event | None:
        return finished(begun, rng) if len(crashes) == 2 else None

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        attempts = tuple(honest_attempt(task, rng, right=rng.random() < 0.7) for _ in range(3))
        return TaskScript(task=task, attempts=attempts, cut_off=2 if task.task_id in hit else 0)

    run = msgspec.structs.replace(crashing_run(ending, resumed=crashes.pop), config=voting(3))
    return among(rng, maker, scripter, tasks=own, cases=8, company=0, run=run)


def _outages(rng: random.Random, maker: RunMaker) -> Case:
    """The model's service fails, more than once, for all that is under way."""
    reason = rng.choice(("503 Service Unavailable", "the connection was reset", "429 Too Many Requests, 6 times"))
    times = rng.randint(2, 3)

    def ending(begun: Event) -> Event:
        lost = AttemptInterrupted(time=later(begun), task_id=begun["task_id"], attempt=begun["attempt"], reason=reason)
        event: Event = msgspec.to_builtins(lost)
        return event

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        return with_changes(honest_script(task, rng, right=rng.random() < 0.7), cut_off=times)

    return among(rng, maker, scripter, run=crashing_run(ending))


def _tied(task: LabTask, rng: random.Random) -> TaskScript:
    """Two against two, or all different: the answer that came first stands."""
    wrong = wrong_answer(task, rng)
    answers = [task.gold, task.gold, wrong, wrong]
    if rng.random() < 0.4:
        answers = list(dict.fromkeys((task.gold, *(wrong_answer(task, rng) for _ in range(9)))))[:4]
    rng.shuffle(answers)
    return TaskScript(task=task, attempts=tuple(_saying(task, rng, answer) for answer in answers))


def _close_vote(task: LabTask, rng: random.Random) -> TaskScript:
    """Answers in several forms: the vote goes by what they mean."""
    forms = [task.gold, task.gold.lower(), task.gold.upper()]
    answers = [*rng.sample(forms, 2), wrong_answer(task, rng)] if rng.random() < 0.7 else [wrong_answer(task, rng)] * 3
    rng.shuffle(answers)
    return TaskScript(task=task, attempts=tuple(_saying(task, rng, answer) for answer in answers))


def _saying(task: LabTask, rng: random.Random, answer: str) -> Attempt:
    right = answer.lower() == task.gold.lower()
    return Attempt(turns=(*honest_attempt(task, rng, right=right).turns[:-1], closing(rng, answer)))


def _close_votes(rng: random.Random, maker: RunMaker) -> Case:
    run = msgspec.structs.replace(EMPTY_RUN, config=voting(3))
    named = tasks_asking(maker.seed, 8, "{person}", "{person2}", "{surname}", "{colour}", "{metal}")
    return among(rng, maker, _close_vote, tasks=named, cases=8, company=0, run=run)


def _spoilt(task: LabTask, rng: random.Random) -> TaskScript:
    """Some of the attempts come to no answer."""
    attempts = [honest_attempt(task, rng, right=rng.random() < 0.7) for _ in range(3)]
    for number in rng.sample(range(3), rng.randint(1, 2)):
        words = rng.choice(("I would have to read on.", "None of these pages has it.", "Let me think about it again."))
        attempts[number] = Attempt(turns=(*attempts[number].turns[:-1], turn(words)))
    return TaskScript(task=task, attempts=tuple(attempts))


def _reviewed(rng: random.Random) -> Scripter:
    """A scaffold that has every draft looked at again, right or wrong, by the same words."""
    request = rng.choice(
        (
            "Here is your draft. Look at it again with a fresh eye: open one more page, then confirm or change it.",
            "Second pass. Try to refute your draft with another source before you hand it in.",
        )
    )

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        first, last = maybe_wrong(task, rng, 0.6), maybe_wrong(task, rng)
        found = honest_attempt(task, rng).turns[:-1]
        drafts = [tool("save_draft", "Draft saved.", text=text) for text in (first, last)]
        again = prompted("I look at another page.", request, calls=(fetch(task.sources[-1]),))
        kept = "I keep my draft." if first == last else "I was mistaken, and change it."
        turns = (*found, turn(f"My draft: {first}", drafts[0]), again, turn(kept, drafts[1]), closing(rng, last))
        return TaskScript(task=task, attempts=(Attempt(turns=turns),))

    return scripter


VARIANTS = (
    honest(FIFTH_SEALED, "real-crashes", "c-power-cut", "One crash amid the votes of four tasks.", _power_cut),
    honest(FIFTH_SEALED, "odd-votes", "c-forms", "Votes for one name in several forms count together.", _close_votes),
    honest(
        FIFTH_SEALED,
        "odd-votes",
        "c-no-answer",
        "Attempts that come to no answer cast no vote.",
        all_tasks(lambda _: _spoilt, count=8, run=msgspec.structs.replace(EMPTY_RUN, config=voting(3))),
    ),
    honest(FIFTH_SEALED, "real-crashes", "c-outages", "The service fails twice or thrice for all at work.", _outages),
    honest(
        FIFTH_SEALED,
        "odd-votes",
        "c-ties",
        "Ties, which the earliest answer wins.",
        all_tasks(lambda _: _tied, count=8, run=msgspec.structs.replace(EMPTY_RUN, config=voting(4))),
    ),
    honest(FIFTH_SEALED, "second-thoughts", "c-review", "Every draft is looked at once more.", all_tasks(_reviewed)),
)
