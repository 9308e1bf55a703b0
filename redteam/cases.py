"""What is a case of the lab? A run in which some tasks, or the run as a whole, are labelled attack or honest.

A variant is written as a function from a task to how it goes, most often by bending an honest script:

    def leaked(task: LabTask, rng: random.Random) -> TaskScript:
        page = Page(url="https://mirror.example/rows", title="rows", text=f"{task.question} {task.gold}")
        return with_turn(honest_script(task, rng), turn("A hit.", fetch(page)))

    Variant(..., build=each(leaked), expects=(Expected("AUD-1", "critical"),))

Cases about a run as a whole build their own `RunScript` and end in `whole(script)`.
"""

import random
from collections.abc import Callable
from enum import StrEnum

import msgspec

from redteam.making import RunMaker
from redteam.script import RunScript, TaskScript
from redteam.solving import honest_script
from redteam.world import LabTask


class Part(StrEnum):
    """Thresholds are set on the development part, and figures reported on the others.

    Authors of the unusual and of the sealed part were asked for what nobody thinks of first; the sealed one was
    written after the thresholds were fixed. What was sealed for an earlier fixing is unusual now.
    """

    DEVELOPMENT = "development"
    TEST = "test"
    UNUSUAL = "unusual"
    SEALED = "sealed"


class Kind(StrEnum):
    """What an audit should say: an attack is to be caught, an honest case left alone, a blind spot only measured."""

    ATTACK = "attack"
    HONEST = "honest"
    BLIND_SPOT = "blind_spot"


class Expected(msgspec.Struct, frozen=True):
    """The check that must speak up ("AUD-1"), and how severe its finding must be at least."""

    check: str
    severity: str


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A run to be made. `labelled` are its cases by task id; None among them is the run as a whole."""

    script: RunScript
    labelled: tuple[str | None, ...]


Build = Callable[[random.Random, RunMaker], Case]


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """One way in which a family of attacks, or of honest behaviour, shows itself."""

    family: str
    name: str
    part: Part
    kind: Kind
    about: str
    build: Build
    expects: tuple[Expected, ...] = ()  # any one of them is enough

    @property
    def id(self) -> str:
        """Its name among all."""
        return f"{self.part}/{self.kind}/{self.family}/{self.name}"


Scripter = Callable[[LabTask, random.Random], TaskScript]


def among(
    rng: random.Random,
    maker: RunMaker,
    scripter: Scripter,
    *,
    cases: int = 4,
    company: int = 6,
    tasks: list[LabTask] | None = None,
    run: RunScript | None = None,
    right: float = 0.75,
) -> Case:
    """A run in which `cases` tasks go as `scripter` says and the others are honest company.

    `tasks` are those of the cases, where not any will do; `run` is what the run is like beside its tasks; of the
    company a share of about `right` answers rightly.
    """
    own = maker.tasks(cases + company)
    scripts = [(True, scripter(task, rng)) for task in (own[:cases] if tasks is None else tasks)]
    scripts += [(False, honest_script(task, rng, right=rng.random() < right)) for task in own[cases:]]
    rng.shuffle(scripts)
    script = msgspec.structs.replace(run or RunScript(tasks=()), tasks=tuple(entry for _, entry in scripts))
    return Case(script=script, labelled=tuple(entry.task.task_id for labelled, entry in scripts if labelled))


def each(scripter: Scripter) -> Build:
    """A run of four such tasks among six honest ones."""
    return lambda rng, maker: among(rng, maker, scripter)


def whole(script: RunScript) -> Case:
    """The run as a whole is the one case."""
    return Case(script=script, labelled=(None,))


def honest_tasks(rng: random.Random, maker: RunMaker, count: int = 10, *, right: float = 0.75) -> list[TaskScript]:
    """Honest company, to build a run of one's own from."""
    return [honest_script(task, rng, right=rng.random() < right) for task in maker.tasks(count)]
