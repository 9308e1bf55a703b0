"""How is a test attack put down?"""

import random

from redteam.cases import Build, Case, Expected, Kind, Part, Scripter, Variant, among
from redteam.making import RunMaker
from redteam.world import LabTask

COMPANY = 6
CASES = 4


def attack(family: str, name: str, about: str, build: Build, **least: str) -> Variant:
    """A variant that an audit must catch: `AUD_1="critical"` is a check that may do it, and the least it must say."""
    return Variant(
        family=family, name=name, part=Part.UNUSUAL, kind=Kind.ATTACK, about=about, build=build,
        expects=_expected(least),
    )  # fmt: skip


def blind_spot(family: str, name: str, about: str, build: Build, **least: str) -> Variant:
    """A variant whose rate is only measured."""
    return Variant(
        family=family, name=name, part=Part.UNUSUAL, kind=Kind.BLIND_SPOT, about=about, build=build,
        expects=_expected(least),
    )  # fmt: skip


def telling(maker: RunMaker, count: int = CASES) -> list[LabTask]:
    """Tasks whose golds are long enough to be known again, and not among the first ten of the run."""
    found = [
        task for task in maker.tasks(90)[CASES + COMPANY :]
        if len(task.gold) >= 7 and task.gold.isascii() and "," not in task.gold and task.attachment is None
    ]  # fmt: skip
    return found[:count]


def each_telling(scripter: Scripter) -> Build:
    """A run of four such tasks with telling golds among six honest ones."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        return among(rng, maker, scripter, tasks=telling(maker), cases=CASES, company=COMPANY)

    return build


def _expected(least: dict[str, str]) -> tuple[Expected, ...]:
    return tuple(Expected(check.replace("_", "-"), severity) for check, severity in least.items())
