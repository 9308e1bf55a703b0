"""How is a sealed attack put down, and which tasks does it get?"""

import random
from collections.abc import Callable

from redteam.cases import Build, Case, Expected, Kind, Part, Variant, among
from redteam.making import RunMaker
from redteam.script import TaskScript
from redteam.world import LabTask

Neighbourly = Callable[[LabTask, random.Random, list[LabTask]], TaskScript]


def attack(
    family: str, name: str, about: str, build: Build, expects: tuple[Expected, ...], kind: Kind = Kind.ATTACK
) -> Variant:
    """A sealed variant."""
    return Variant(
        family=family, name=f"sealed-{name}", part=Part.SEALED, kind=kind, about=about, build=build, expects=expects
    )


def any_of(severity: str, *checks: str) -> tuple[Expected, ...]:
    """Each of these checks could rightly speak up, at least so severely."""
    return tuple(Expected(check, severity) for check in checks)


def with_neighbours(scripter: Neighbourly) -> Build:
    """Four such tasks among six honest ones; the scripter also gets the other tasks of the run."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        everyone = maker.tasks(10)
        return among(rng, maker, lambda task, rng: scripter(task, rng, [t for t in everyone if t != task]))

    return build


def long_golds(maker: RunMaker, count: int) -> list[LabTask]:
    """Tasks beside the run's first ten with golds that nothing says by chance."""
    return [task for task in maker.tasks(80)[10:] if len(task.gold) >= 6 and not task.gold.isdigit()][:count]
