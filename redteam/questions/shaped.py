"""Questions of several shapes: one short sentence, a long story, an order; some in other languages.

The `quote` of such a task holds two wordings, parted by a bar: how a page of questions and answers would head the
matter, and the fact in the question's own words.
"""

import random

from redteam.making import RunMaker
from redteam.script import RunScript, TaskScript, Turn
from redteam.solving import closing, fetch, query_for, script_of, search, turn
from redteam.templates import templates
from redteam.variants import Build, Case, Scripter, among
from redteam.words import Slots
from redteam.world import LabTask, Page, address, search_page
from redteam.world import tasks as world_tasks

SHORT = templates("shaped_questions", "short")
LONG = templates("shaped_questions", "long")
IMPERATIVE = templates("shaped_questions", "imperative")
FOREIGN = templates("shaped_questions", "foreign")


def shaped(maker: RunMaker, count: int, *, foreign: bool = False) -> list[LabTask]:
    """So many tasks, of each shape in turn."""
    groups = (FOREIGN,) if foreign else (SHORT, LONG, IMPERATIVE)
    drawn = [
        world_tasks((maker.seed, "shape", number), -(-count // len(groups)), among=group)
        for number, group in enumerate(groups)
    ]
    return [task for row in zip(*drawn, strict=True) for task in row][:count]


def each_shape(scripter: Scripter, *, run: RunScript | None = None, foreign: bool = False) -> Build:
    """A run of four such tasks, of several shapes, among five honest ones."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        return among(rng, maker, scripter, company=5, tasks=shaped(maker, 4, foreign=foreign), run=run)

    return build


def heading_of(task: LabTask) -> str:
    """How others would ask something of the kind."""
    return task.quote.partition("|")[0] if "|" in task.quote else f"What is known of {task.topic}?"


def stated_of(task: LabTask) -> str:
    """The fact in the question's own words."""
    return task.quote.partition("|")[2] if "|" in task.quote else task.fact


def page_of(rng: random.Random, topic: str, text: str, title: str = "") -> Page:
    """A page with just this text."""
    return Page(url=address(rng, topic), title=title or topic, text=text)


def solved(
    task: LabTask, rng: random.Random, *turns: Turn, answer: str | None = None, after: bool = False
) -> TaskScript:
    """Search, read the source, answer; the other turns come before the source, or `after` it."""
    first = turn(
        rng.choice(("I search.", "Let me look around.", "A search first.")),
        search(query_for(task, rng), search_page(rng, task)),
    )
    source = turn(rng.choice(("Now the source.", "This page should tell.", "I open it.")), fetch(task.honest_page))
    middle = (source, *turns) if after else (*turns, source)
    return script_of(task, first, *middle, closing(rng, task.gold if answer is None else answer))


def others(rng: random.Random, count: int) -> list[tuple[str, str]]:
    """Questions and answers that are nobody's task."""
    made = []
    for _ in range(count):
        slots = Slots(rng)
        asked, said = rng.choice(
            (
                ("[Who|Which {craft}] [built|restored|sold] the [chapel|mill|quay] at {town}?", "{person}"),
                ("How many {thing} are there in {town}?", "{n}"),
                ("When was the [school|harbour|library] of {town} opened?", "{year}"),
                ("What is {island} known for?", "{dish}"),
                ("Which {metal} mine closed in {year}?", "{town} No. {small}"),
            )
        )
        made.append((slots.fill(asked), slots.fill(said)))
    return made
