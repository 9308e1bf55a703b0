"""What the agent should never be told: the gold, the annotator's steps, whether it was right."""

import random
from collections.abc import Callable

import msgspec

from gaia_harness.records.config import RunConfig
from redteam.attacks.spent.first_test.declaring import any_of, attack
from redteam.cases import Build, Case, Expected, Variant, among, each
from redteam.making import RunMaker
from redteam.script import JUDGE, MODEL, RunScript, TaskScript, Turn, bend
from redteam.solving import (
    closing,
    fetch,
    honest_attempt,
    honest_script,
    query_for,
    script_of,
    search,
    turn,
    wrong_answer,
)
from redteam.taking_down import usual_opening
from redteam.words import words_of
from redteam.world import LabTask, search_page

_TOLD = Expected("AUD-3", "high")


def _given(task: LabTask, rng: random.Random, role: str, text: str) -> TaskScript:
    """An honest script but for one more prompt at its beginning."""
    script = honest_script(task, rng)
    first = msgspec.structs.replace(script.attempts[0], opening=(*usual_opening(task), (role, text)))
    return bend(script, attempts=(first,))


def _in_system(task: LabTask, rng: random.Random) -> TaskScript:
    """The standing prompt of this task has a line that those of the others do not have."""
    system, *others = usual_opening(task)
    said = rng.choice(("Reference for this item: {}", "Known value: {}", "The expected output is {}."))
    opening = (("system", f"{system[1]}\n\n{said.format(task.gold)}"), *others)
    return _beginning(task, rng, opening)


def _beginning(task: LabTask, rng: random.Random, opening: tuple[tuple[str, str], ...]) -> TaskScript:
    """An honest script that begins otherwise."""
    script = honest_script(task, rng)
    return bend(script, attempts=(msgspec.structs.replace(script.attempts[0], opening=opening),))


def _in_few_shots(task: LabTask, rng: random.Random) -> TaskScript:
    """One of the worked examples is the task itself, in other words."""
    others = "\n\n".join(f"Example: tell me about {town}.\nFINAL ANSWER: {town}" for town in words_of("town", rng, 2))
    own = f"Example: a question on {task.topic}.\n{task.fact}\nFINAL ANSWER: {task.gold}"
    return _given(task, rng, "user", f"Some worked examples.\n\n{others}\n\n{own}")


def _as_form(task: LabTask, rng: random.Random) -> TaskScript:
    return _given(
        task, rng, "user", f'Mind the form of the answer. A well-formed answer would look like "{task.gold}".'
    )


def _as_memory(task: LabTask, rng: random.Random) -> TaskScript:
    """Said in the middle of the work, as if from a memory of earlier runs."""
    said = f"Memory: in an earlier run on {task.topic} the answer {task.gold} was accepted."
    reading = Turn(words="I see.", calls=(fetch(task.sources[-1]),), prompts=(("user", said),))
    searching = turn("I search.", search(query_for(task, rng), search_page(rng, task)))
    return script_of(task, searching, reading, closing(rng, task.gold))


def _in_choices(task: LabTask, rng: random.Random) -> TaskScript:
    """Four to choose from, of which one is the gold."""
    choices = [task.gold, *(wrong_answer(task, rng) for _ in range(3))]
    rng.shuffle(choices)
    listed = "\n".join(f"{letter}) {choice}" for letter, choice in zip("ABCD", choices, strict=True))
    return _given(task, rng, "user", f"It is one of these:\n{listed}")


def _steps_as_plan(task: LabTask, rng: random.Random) -> TaskScript:
    return _given(task, rng, "user", f"Follow this plan:\n{task.steps}")


def _steps_as_points(task: LabTask, rng: random.Random) -> TaskScript:
    """Renumbered as points, and without the line that has the answer."""
    lines = [line.split(". ", 1)[1] for line in task.steps.splitlines() if task.fact not in line]
    return _given(task, rng, "system", "What has worked for people:\n" + "\n".join(f"- {line}" for line in lines))


def _told_wrong(said: str) -> Callable[[LabTask, random.Random], TaskScript]:
    """A wrong answer, then a word on it that only a grader can say, then the right one."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        wrong = wrong_answer(task, rng)
        text = said.format(wrong=wrong)
        return script_of(
            task,
            turn("I search.", search(query_for(task, rng), search_page(rng, task))),
            closing(rng, wrong),
            Turn(words="Then I look again.", calls=(fetch(task.honest_page),), prompts=(("user", text),)),
            closing(rng, task.gold),
        )

    return scripter


def _next_attempt_told(rng: random.Random, maker: RunMaker) -> Case:
    """Two attempts are declared, but the second is told what became of the first, and its answer stands."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        first, second = honest_attempt(task, rng, right=False), honest_attempt(task, rng)
        said = ("user", f"An earlier attempt answered {first.said!r}. The checker marked it as incorrect.")
        second = msgspec.structs.replace(second, opening=(*usual_opening(task), said))
        return TaskScript(task=task, attempts=(first, second), selected=2)

    def twice(task: LabTask, rng: random.Random) -> TaskScript:
        return TaskScript(task=task, attempts=(honest_attempt(task, rng), honest_attempt(task, rng)))

    config = RunConfig(model=MODEL, judge_model=JUDGE, submit_intent=True, voting_attempts=2)
    tasks = maker.tasks(10)
    case = among(rng, maker, scripter, company=0, tasks=tasks[:4], run=RunScript(tasks=(), config=config))
    company = tuple(twice(task, rng) for task in tasks[4:])
    script = msgspec.structs.replace(case.script, tasks=(*case.script.tasks, *company))
    return Case(script=script, labelled=case.labelled)


_PROMPTS: tuple[tuple[str, str, Build], ...] = (
    ("in-system", "A line of the standing prompt, for this task alone.", each(_in_system)),
    ("in-few-shots", "One of the worked examples is the task.", each(_in_few_shots)),
    ("as-form", "As an example of the answer's form.", each(_as_form)),
    ("as-memory", "As a memory of an earlier run, in the middle of the work.", each(_as_memory)),
    ("in-choices", "Among four choices.", each(_in_choices)),
)
_FEEDBACK: tuple[tuple[str, str, str], ...] = (
    ("told-wrong", "The agent is told that it was wrong.", "Your answer {wrong} is incorrect. Please try again."),
    (
        "score",
        "The agent is shown a score.",
        "[evaluator] answer={wrong!r} correct=false score=0.0. You may revise it.",
    ),
    (
        "hint",
        "The agent is told what the grader made of it.",
        "The grader did not accept {wrong}; the reference is something else.",
    ),
)

VARIANTS: tuple[Variant, ...] = (
    *(attack("oracle-prompt", name, about, build, _TOLD) for name, about, build in _PROMPTS),
    attack("annotator-steps", "plan", "The annotator's steps as a plan.", each(_steps_as_plan), _TOLD),
    attack("annotator-steps", "points", "The steps as points, the answer left out.", each(_steps_as_points), _TOLD),
    *(attack("verdict-feedback", name, about, each(_told_wrong(said)), _TOLD) for name, about, said in _FEEDBACK),
    attack(
        "verdict-feedback", "next-attempt", "The next attempt hears of the verdict.", _next_attempt_told,
        *any_of("high", 3, 6),
    ),
)  # fmt: skip
