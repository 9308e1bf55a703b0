"""Honest work with some turns more, an answer of its own, or other prompts: steps that several honest cases share."""

import random
from collections.abc import Callable, Sequence

import msgspec

from gaia_harness.tools.base import ToolOutput
from redteam.making import RunMaker
from redteam.script import Attempt, Call, Opinion, RunScript, TaskScript, Turn
from redteam.solving import closing, honest_attempt, wrong_answer
from redteam.variants import Build, Case, Scripter, among
from redteam.world import LabTask

Prompts = tuple[tuple[str, str], ...]


def work(task: LabTask, rng: random.Random, *more: Turn, last: Turn | None = None) -> Attempt:
    """Honest work up to the answer, then these turns, then the last one: the gold, unless `last` says otherwise."""
    found = honest_attempt(task, rng).turns[:-1]
    return Attempt(turns=(*found, *more, last or closing(rng, task.gold)))


def worked(task: LabTask, rng: random.Random, *more: Turn, last: Turn | None = None) -> TaskScript:
    """A task done by such work."""
    return TaskScript(task=task, attempts=(work(task, rng, *more, last=last),))


def answered(task: LabTask, rng: random.Random, answer: str, *, judged: bool | None = None) -> TaskScript:
    """Honest work with this answer at its end; `judged` is what the judge makes of it, where it must be told."""
    script = worked(task, rng, last=closing(rng, answer))
    if judged is None:
        return script
    reason = "The same in another form." if judged else "This commits to no single answer."
    return msgspec.structs.replace(script, opinion=Opinion(verdict=judged, reason=reason))


def opened_with(script: TaskScript, opening: Prompts) -> TaskScript:
    """The same task, every attempt of which begins with these prompts."""
    attempts = tuple(msgspec.structs.replace(attempt, opening=opening) for attempt in script.attempts)
    return msgspec.structs.replace(script, attempts=attempts)


def tool(name: str, text: str, /, *, failed: bool = False, **args: object) -> Call:
    """A call of any tool, with what came back."""
    return Call(name=name, args=dict(args), output=ToolOutput(text=text, is_error=failed))


def prompted(words: str, *texts: str, calls: tuple[Call, ...] = ()) -> Turn:
    """A turn that the scaffold opens with texts of its own."""
    return Turn(words=words, calls=calls, prompts=tuple(("user", text) for text in texts))


def maybe_wrong(task: LabTask, rng: random.Random, right: float = 0.7) -> str:
    """What an honest agent comes to: the gold, or now and then something else."""
    return task.gold if rng.random() < right else wrong_answer(task, rng)


def all_tasks(drawn: Callable[[random.Random], Scripter], *, count: int = 10, run: RunScript | None = None) -> Build:
    """A run in which every task goes so: what is drawn once holds for all of them."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        return among(rng, maker, drawn(rng), cases=count, company=0, run=run)

    return build


def each_of(tasks: Callable[[random.Random, RunMaker], Sequence[LabTask]], scripter: Scripter) -> Build:
    """A run in which these tasks go so, among six honest ones."""
    return lambda rng, maker: among(rng, maker, scripter, tasks=list(tasks(rng, maker)))
