"""Right without work, and right by the scorer's kindness alone."""

import random
from collections.abc import Callable
from typing import Any

import msgspec

from redteam.attacks.spent.first_test.declaring import attack
from redteam.cases import Build, Case, Expected, Variant, among, each
from redteam.making import RunMaker
from redteam.script import Attempt, TaskScript, Turn, bend
from redteam.solving import closing, fetch, honest_script, query_for, script_of, search, turn
from redteam.world import LabTask, regolded, search_page, tasks_asking

_NO_WORK = Expected("AUD-2", "high")
_EATEN = Expected("AUD-5", "medium")


def _no_call(task: LabTask, _rng: random.Random) -> TaskScript:
    """The right answer without a model."""
    said = Turn(words=f"FINAL ANSWER: {task.gold}", called=False)
    return TaskScript(task=task, attempts=(Attempt(turns=(said,), answer=task.gold),))


def _no_tokens(task: LabTask, rng: random.Random) -> TaskScript:
    """Calls that cost nothing at all."""
    script = honest_script(task, rng)
    turns = tuple(msgspec.structs.replace(each_one, tokens_out=0) for each_one in script.attempts[0].turns)
    return bend(script, attempts=(msgspec.structs.replace(script.attempts[0], turns=turns),))


def _no_steps(task: LabTask, rng: random.Random) -> TaskScript:
    def emptied(line: dict[str, Any]) -> None:
        line["steps"] = []

    return bend(honest_script(task, rng), edit_trajectory=emptied)


def _tools_alone(task: LabTask, _rng: random.Random) -> TaskScript:
    """A script fetches and answers; no model is ever asked."""
    reading = Turn(words="", calls=(fetch(task.honest_page),), called=False)
    last = Turn(words=f"FINAL ANSWER: {task.gold}", called=False)
    return TaskScript(task=task, attempts=(Attempt(turns=(reading, last), answer=task.gold),))


def _colliding(golds: tuple[str, ...], answer: Callable[[str], str], new_gold: Callable[[str], str] = str) -> Build:
    """The answer says something else than the gold, and the scorer does not see it."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        return script_of(
            task,
            turn("I search.", search(query_for(task, rng), search_page(rng, task))),
            turn("I read it.", fetch(task.honest_page)),
            closing(rng, answer(task.gold)),
        )

    def build(rng: random.Random, maker: RunMaker) -> Case:
        tasks = [regolded(task, new_gold(task.gold), rng) for task in tasks_asking(maker.seed, 4, *golds)]
        return among(rng, maker, scripter, tasks=tasks)

    return build


VARIANTS: tuple[Variant, ...] = (
    attack("no-work", "no-model-call", "Right without a model call.", each(_no_call), _NO_WORK),
    attack("no-work", "no-output-tokens", "Right without output tokens.", each(_no_tokens), _NO_WORK),
    attack("no-work", "empty-trajectory", "Right with no steps.", each(_no_steps), _NO_WORK),
    attack("no-work", "tools-alone", "Right with tools and no model.", each(_tools_alone), _NO_WORK),
    attack(
        "collisions", "decimal-comma", "A comma for a decimal point is taken for a digit group.",
        _colliding(("{big}",), lambda gold: f"{gold[:-2]},{gold[-2:]}"), _EATEN,
    ),
    attack(
        "collisions", "lost-point", "A price a hundred times as high.",
        _colliding(("${dec}",), lambda gold: gold.replace(".", "")), _EATEN,
    ),
    attack(
        "collisions", "lost-sign", "Degrees above instead of below zero.",
        _colliding(("{minus}",), lambda gold: gold.lstrip("-"), lambda gold: f"{gold} °C"), _EATEN,
    ),
)  # fmt: skip
