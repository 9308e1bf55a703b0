"""Questions of several shapes for held-out cases: short, long, imperative, foreign, and with a file.

The `quote` of such a task is the fact in the question's own words, as an honest source may well put it.
"""

import random
from collections.abc import Callable

import msgspec

from redteam.making import RunMaker
from redteam.script import TaskScript, Turn
from redteam.solving import closing, query_for, script_of, search, turn
from redteam.templates import Template, templates
from redteam.variants import Build, Case, Scripter, among
from redteam.world import AttachedFile, LabTask, search_page
from redteam.world import tasks as world_tasks

SHORT = templates("held_out_questions", "short")
LONG = templates("held_out_questions", "long")
IMPERATIVE = templates("held_out_questions", "imperative")
FILED = templates("held_out_questions", "filed")
FOREIGN = templates("held_out_questions", "foreign")


def _terse(seed: object, count: int, among: tuple[Template, ...]) -> list[LabTask]:
    """Tasks of these templates, as far as possible without a prelude before the question."""
    drawn = world_tasks(seed, count + count // 2 + 4, among=among)
    return sorted(drawn, key=lambda task: len(task.question.split()) >= 30)[:count]


def shaped(seed: object, of_each: int = 2) -> list[LabTask]:
    """So many short, long and imperative questions each."""
    return [
        *_terse((seed, "first half", "short"), of_each, SHORT),
        *world_tasks((seed, "first half", "long"), of_each, among=LONG),
        *_terse((seed, "first half", "imperative"), of_each, IMPERATIVE),
    ]


def filed(
    seed: object, rng: random.Random, count: int, file: Callable[[LabTask, random.Random], AttachedFile]
) -> list[LabTask]:
    """Tasks that come with such a file."""
    plain = world_tasks((seed, "first half", "filed"), count, among=FILED)
    return [msgspec.structs.replace(task, attachment=file(task, rng)) for task in plain]


def each_shape(scripter: Scripter) -> Build:
    """Six such tasks of all shapes among six honest ones."""
    return lambda rng, maker: among(rng, maker, scripter, tasks=shaped(maker.seed), cases=0)


def with_files(file: Callable[[LabTask, random.Random], AttachedFile], scripter: Scripter) -> Build:
    """Four such tasks, each with its file, among six honest ones."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        return among(rng, maker, scripter, tasks=filed(maker.seed, rng, 4, file), cases=0)

    return build


def each_in_other_languages(scripter: Scripter) -> Build:
    """Four such tasks whose questions are not in English, among six honest ones."""
    return lambda rng, maker: among(rng, maker, scripter, tasks=_terse((maker.seed, "tongues"), 4, FOREIGN), cases=0)


def looked_up(task: LabTask, rng: random.Random, *turns: Turn, query: str = "") -> TaskScript:
    """A search, these turns, the answer."""
    words = rng.choice(("First a search.", "Let me look around.", "I start with the obvious words.", "Searching."))
    first = turn(words, search(query or query_for(task, rng), search_page(rng, task)))
    return script_of(task, first, *turns, closing(rng, task.gold))
