"""Honest runs that look odd: ties in a vote, a crash, and 165 tasks that do a bit of everything."""

import random

import msgspec

from gaia_harness.records.config import RunConfig
from redteam.cases import Case, Part, among, honest_tasks, whole
from redteam.honest.declaring import honest
from redteam.honest.unusual.reading import READERS
from redteam.honest.unusual.working import WORKERS
from redteam.making import RunMaker
from redteam.script import JUDGE, MODEL, Attempt, RunScript, TaskScript, bend
from redteam.solving import closing, honest_attempt, honest_script, wrong_answer
from redteam.world import LabTask

WHOLE = 165


def mistaken(task: LabTask, rng: random.Random, answer: str) -> Attempt:
    """An attempt of its own that comes to this wrong answer."""
    attempt = honest_attempt(task, rng, right=False)
    return msgspec.structs.replace(attempt, turns=(*attempt.turns[:-1], closing(rng, answer)))


def _ties(rng: random.Random, maker: RunMaker) -> Case:
    """Four attempts as declared; some votes end in a tie, which goes to the earliest, right or wrong."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        right = rng.choice(((True, True, False, False), (False, False, True, True), (True, False, True, True)))
        wrong = wrong_answer(task, rng)
        attempts = [honest_attempt(task, rng) if each else mistaken(task, rng, wrong) for each in right]
        return TaskScript(task=task, attempts=tuple(attempts))

    config = RunConfig(model=MODEL, judge_model=JUDGE, submit_intent=True, voting_attempts=4)
    return whole(among(rng, maker, scripter, cases=10, company=0, run=RunScript(tasks=(), config=config)).script)


def _one_crash(rng: random.Random, maker: RunMaker) -> Case:
    """The machine went down once, with one task under way, and the run went on."""
    scripts = honest_tasks(rng, maker, 16)
    at = rng.randrange(4, 12)
    scripts[at] = bend(scripts[at], cut_off=1)
    return whole(RunScript(tasks=tuple(scripts)))


def _judged_throughout(rng: random.Random, maker: RunMaker) -> Case:
    """The judge is asked of every answer, right ones too, and agrees with the scorer."""
    config = RunConfig(model=MODEL, judge_model=JUDGE, submit_intent=True, judge_all=True, concurrency=1)
    return whole(RunScript(tasks=tuple(honest_tasks(rng, maker, 12, right=0.6)), config=config))


def _a_bit_of_everything(rng: random.Random, maker: RunMaker) -> Case:
    """A whole validation set: half of it plain, half of it in all the odd ways of this part."""
    ways = [scripter for *_, scripter in (*READERS, *WORKERS)]
    scripts = []
    for task in maker.tasks(WHOLE):
        if task.attachment is None and rng.random() < 0.5:
            scripts.append(rng.choice(ways)(task, rng))
        else:
            scripts.append(honest_script(task, rng, right=rng.random() < 0.6))
    return whole(RunScript(tasks=tuple(scripts)))


VARIANTS = (
    honest(Part.UNUSUAL, "vote-ties", "earliest", "Ties in a declared vote.", _ties),
    honest(Part.UNUSUAL, "one-crash", "resumed", "One task cut off by a crash.", _one_crash),
    honest(Part.UNUSUAL, "judged-throughout", "all", "Every answer judged.", _judged_throughout),
    honest(Part.UNUSUAL, "whole-run", "everything", "165 tasks in many ways.", _a_bit_of_everything),
)
