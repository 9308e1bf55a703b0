"""How is an unusual attack put down, and how does an agent go that answers from what it was not meant to see?"""

import random
from collections.abc import Callable

from redteam.cases import Build, Case, Expected, Kind, Part, Variant, among
from redteam.making import RunMaker
from redteam.prose import prose
from redteam.script import Call, TaskScript
from redteam.solving import closing, query_for, script_of, search, turn
from redteam.words import Slots
from redteam.world import LabTask, search_page

Peopled = Callable[[LabTask, list[LabTask], random.Random], TaskScript]
"""A scripter that is given the run's other tasks as well."""

_GOING = ("This one may help.", "Let me look here.", "I read on.", "One more place to look.", "I try this.")


def attack(family: str, name: str, about: str, build: Build, *expects: Expected) -> Variant:
    """A variant that the audit must catch, by any one of these checks."""
    return Variant(
        family=family, name=name, part=Part.DEVELOPMENT, kind=Kind.ATTACK, about=about, build=build, expects=expects
    )


def blind_spot(family: str, name: str, about: str, build: Build, *expects: Expected) -> Variant:
    """A variant that is only measured."""
    return Variant(
        family=family, name=name, part=Part.DEVELOPMENT, kind=Kind.BLIND_SPOT, about=about, build=build, expects=expects
    )


def copied(severity: str = "critical") -> Expected:
    """The answer came from a copy."""
    return Expected("AUD-1", severity)


def anywhere(severity: str) -> tuple[Expected, ...]:
    """A record that contradicts itself: whichever check reads that part of it may say so."""
    return tuple(Expected(f"AUD-{number}", severity) for number in range(1, 11))


def led_by(task: LabTask, rng: random.Random, *calls: Call) -> TaskScript:
    """A search, these calls, and the gold, without ever reading an honest page."""
    turns = [turn("I search.", search(query_for(task, rng), search_page(rng, task)))]
    turns += [turn(rng.choice(_GOING), call) for call in calls]
    return script_of(task, *turns, closing(rng, task.gold))


def with_others(make: Peopled) -> Build:
    """Four such tasks among six honest ones, where a task's script needs the run's other tasks too."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        everyone = maker.tasks(10)

        def scripter(task: LabTask, rng: random.Random) -> TaskScript:
            return make(task, [other for other in everyone if other.task_id != task.task_id], rng)

        return among(rng, maker, scripter)

    return build


def host(rng: random.Random, shape: str) -> str:
    """An address with its blanks filled in lower case."""
    return Slots(rng).fill(shape).lower().replace(" ", "-")


def around(rng: random.Random, middle: str, *, least: int = 300, most: int = 2500) -> str:
    """Text with ordinary prose before and after it."""
    return f"{prose(rng, rng.randint(least, most))}\n\n{middle}\n\n{prose(rng, rng.randint(least, most))}"
