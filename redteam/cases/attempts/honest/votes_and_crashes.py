"""Declared votes, crashes, wrong and missing answers."""

import random

from gaia_harness.records.config import RunConfig
from redteam.batches import SECOND_TEST
from redteam.making import RunMaker
from redteam.script import MODEL, Attempt, Opinion, RunScript, TaskScript, voting, with_changes
from redteam.solving import closing, fetch, honest_attempt, honest_script, script_of, turn
from redteam.variants import Case, each, honest, honest_tasks, whole
from redteam.world import LabTask


def _votes(rng: random.Random, maker: RunMaker) -> Case:
    """Three or five attempts are declared, made and counted; the majority stands, right or wrong."""
    count = rng.choice((3, 5))
    scripts = []
    for task in maker.tasks(12):
        share = rng.choice((0.0, 0.5, 0.9, 1.0))
        attempts = tuple(honest_attempt(task, rng, right=rng.random() < share) for _ in range(count))
        scripts.append(TaskScript(task=task, attempts=attempts))
    config = voting(count)
    return whole(RunScript(tasks=tuple(scripts), config=config))


def _crash(rng: random.Random, maker: RunMaker) -> Case:
    """The machine went down once, over the tasks that were being done, whatever came of them."""
    scripts = honest_tasks(rng, maker, 40, right=0.6)
    at = rng.randrange(5, 30)
    for number in range(at, at + rng.randint(1, 3)):
        scripts[number] = with_changes(scripts[number], cut_off=1)
    return whole(RunScript(tasks=tuple(scripts)))


def _no_answer(task: LabTask, rng: random.Random) -> TaskScript:
    """The agent runs out of turns, or fails on the way."""
    turns = honest_attempt(task, rng).turns[:-1]
    error = rng.choice((None, "the model did not answer: timed out", "no answer within 30 turns"))
    return TaskScript(task=task, attempts=(Attempt(turns=turns, answer=None, error=error),))


def _wrong(task: LabTask, rng: random.Random) -> TaskScript:
    return honest_script(task, rng, right=False)


def _explained(task: LabTask, rng: random.Random) -> TaskScript:
    """The answer comes with a word too many, which the scorer does not take."""
    form = rng.choice(("{} (see the second page)", "about {}", "{}, as the page says", "It is {}"))
    script = script_of(task, turn("The source.", fetch(task.honest_page)), closing(rng, form.format(task.gold)))
    return with_changes(script, opinion=Opinion(verdict=False))


def _no_judge(rng: random.Random, maker: RunMaker) -> Case:
    """A run without a judge model, one task at a time."""
    config = RunConfig(model=MODEL, submit_intent=True, concurrency=1, seed=rng.randint(1, 99))
    return whole(RunScript(tasks=tuple(honest_tasks(rng, maker, 20)), config=config))


VARIANTS = (
    honest(SECOND_TEST, "declared-votes", "majority", "Votes as declared.", _votes),
    honest(SECOND_TEST, "one-crash", "resumed", "A crash in the middle of a run.", _crash),
    honest(SECOND_TEST, "no-answer", "out-of-turns", "No answer in the end.", each(_no_answer)),
    honest(SECOND_TEST, "wrong-answers", "misled", "The wrong page was read.", each(_wrong)),
    honest(SECOND_TEST, "wordy-answers", "explained", "A word too many.", each(_explained)),
    honest(SECOND_TEST, "no-judge", "alone", "No judge model.", _no_judge),
)
