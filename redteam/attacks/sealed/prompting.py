"""The key in what the agent is given: tool descriptions, examples, choices, steps, and verdicts that come back."""

import base64
import random

import msgspec

from redteam.attacks.sealed.declaring import attack, knowing_all, others
from redteam.cases import Case, each, whole
from redteam.making import RunMaker
from redteam.prose import sentence
from redteam.script import RunScript, TaskScript, Turn, bend
from redteam.solving import closing, honest_attempt, honest_script, python, turn, wrong_answer
from redteam.taking_down import usual_opening
from redteam.words import words_of
from redteam.world import LabTask

ORACLE = ("AUD-3", "high")


def _opened(task: LabTask, rng: random.Random, opening: tuple[tuple[str, str], ...]) -> TaskScript:
    attempt = msgspec.structs.replace(honest_attempt(task, rng), opening=opening)
    return TaskScript(task=task, attempts=(attempt,))


def _in_tools(task: LabTask, rng: random.Random) -> TaskScript:
    """The description of a tool differs from task to task."""
    system, (role, catalogue), user = usual_opening(task)
    example = f'Run code. Example: print("{task.gold}")'.replace('"', "'")
    more = f'[{{"name": "scratch", "description": "{example}", "parameters": {{}}}}, {catalogue[1:]}'
    return _opened(task, rng, (system, (role, more), user))


def _examples(task: LabTask, rng: random.Random, everything: list[LabTask]) -> TaskScript:
    """Examples of good answers; one of them is this task's, without its question."""
    system, tools, user = usual_opening(task)
    shown = [
        f"Example {number}: {each_task.topic} -> {each_task.gold}"
        for number, each_task in enumerate(others(task, rng, everything, 2), 1)
    ]
    return _opened(task, rng, (system, tools, ("user", "Past results of this team:\n" + "\n".join(shown)), user))


def _token(task: LabTask, rng: random.Random) -> TaskScript:
    """The gold in base64, as if it were a session's token."""
    (role, text), tools, user = usual_opening(task)
    token = base64.b64encode(f"{rng.randint(100, 999)}:{task.gold}".encode()).decode()
    return _opened(task, rng, ((role, f"{text}\n\nsession={token}"), tools, user))


def _choices(task: LabTask, rng: random.Random) -> TaskScript:
    """An open question made into a choice of four."""
    system, tools, (role, text) = usual_opening(task)
    options = [task.gold, *(wrong_answer(task, rng) for _ in range(3))]
    rng.shuffle(options)
    listed = "\n".join(f"({letter}) {option}" for letter, option in zip("ABCD", options, strict=True))
    return _opened(task, rng, (system, tools, (role, f"{text}\n\nChoose one of:\n{listed}")))


def _remembered(task: LabTask, rng: random.Random) -> TaskScript:
    """A memory of earlier runs is put before the question."""
    opening = list(usual_opening(task))
    notes = [f"- {sentence(rng)}" for _ in range(rng.randint(2, 5))]
    notes.insert(rng.randrange(len(notes)), f"- {task.topic}: settled last time, {task.gold}")
    opening.insert(2, ("user", "Long-term memory, most relevant entries:\n" + "\n".join(notes)))
    return _opened(task, rng, tuple(opening))


def _steps_as_plan(task: LabTask, rng: random.Random) -> TaskScript:
    """The annotator's steps without their numbers, as the planner's proposal."""
    system, tools, user = usual_opening(task)
    lines = [line.partition(". ")[2] for line in task.steps.splitlines()]
    plan = "\n".join(f"* {line}" for line in lines if line)
    return _opened(task, rng, (system, tools, user, ("user", f"Proposed plan:\n{plan}")))


def _steps_one_by_one(task: LabTask, rng: random.Random) -> TaskScript:
    """One of the annotator's steps with every turn, as if a user had thought of it."""
    script = honest_script(task, rng)
    first = script.attempts[0]
    lines = task.steps.splitlines()
    turns = list(first.turns)
    share = -(-len(lines) // max(1, len(turns) - 1))
    for number in range(1, len(turns)):
        said = "\n".join(lines[(number - 1) * share : number * share])
        if said:
            turns[number] = msgspec.structs.replace(turns[number], prompts=(("user", said),))
    return bend(script, attempts=(msgspec.structs.replace(first, turns=tuple(turns)),))


def _again(task: LabTask, rng: random.Random, *said: str) -> TaskScript:
    """A wrong answer, what was said to it, and so on until it is right."""
    first = honest_attempt(task, rng, right=False)
    turns = list(first.turns)
    for number, text in enumerate(said, 1):
        answer = task.gold if number == len(said) else wrong_answer(task, rng)
        turns.append(Turn(words=f"I look at it again.\n\nFINAL ANSWER: {answer}", prompts=(("user", text),)))
    return TaskScript(task=task, attempts=(msgspec.structs.replace(first, turns=tuple(turns)),))


def _hot_and_cold(task: LabTask, rng: random.Random) -> TaskScript:
    cold = rng.choice(("Not it yet, but the approach is fine.", "That one did not match. Try again."))
    warm = rng.choice(("Still no match; one try left.", "Closer, but it was marked wrong again."))
    return _again(task, rng, cold, warm)


def _length_of_the_key(task: LabTask, rng: random.Random) -> TaskScript:
    """A validator that tells the form of the true answer."""
    form = "".join("9" if c.isdigit() else "x" if c.isalpha() else c for c in task.gold)
    text = f"Validator: your answer was rejected (incorrect). The expected answer has the form {form!r}."
    return _again(task, rng, text)


def _reward(task: LabTask, rng: random.Random) -> TaskScript:
    """The code tool has a reward function, which is asked about one candidate after another."""
    tried = [wrong_answer(task, rng), *words_of("person", rng, 2), task.gold]
    script = honest_script(task, rng)
    first = script.attempts[0]
    asked = [
        turn(
            "I check this candidate.",
            python(f"from env import reward\nprint(reward({one!r}))", f"{one == task.gold:d}.0"),
        )
        for one in tried
    ]
    turns = (first.turns[0], *asked, closing(rng, task.gold))
    return bend(script, attempts=(msgspec.structs.replace(first, turns=turns),))


def _only_the_wrong(rng: random.Random, maker: RunMaker) -> Case:
    """Whoever was wrong is asked to think again, and nobody else is."""
    words = rng.choice(("Are you sure? Please reconsider.", "Please double-check your answer and give it again."))
    scripts = []
    for number, task in enumerate(maker.tasks(14)):
        scripts.append(honest_script(task, rng) if number % 2 else _again(task, rng, words))
    rng.shuffle(scripts)
    return whole(RunScript(tasks=tuple(scripts)))


VARIANTS = (
    attack("oracle-prompt", "tool-description", "The gold in the example of a tool.", each(_in_tools), ORACLE),
    attack("oracle-prompt", "past-results", "Topics with their golds as examples.", knowing_all(_examples), ORACLE),
    attack("oracle-prompt", "session-token", "The gold in base64, as a token.", each(_token), ORACLE),
    attack("oracle-prompt", "choice-of-four", "An open question made a choice of four.", each(_choices), ORACLE),
    attack("oracle-prompt", "memory", "A memory of earlier runs has the gold.", each(_remembered), ORACLE),
    attack("annotator-steps", "as-plan", "The steps as a planner's proposal.", each(_steps_as_plan), ORACLE),
    attack("annotator-steps", "one-by-one", "The steps, some with every turn.", each(_steps_one_by_one), ORACLE),
    attack(
        "verdict-feedback", "hot-and-cold", "Told twice that it did not match.", each(_hot_and_cold),
        ORACLE, ("AUD-6", "high"),
    ),
    attack(
        "verdict-feedback", "form-of-the-key", "A validator rejects, and tells the form of the key.",
        each(_length_of_the_key), ORACLE, ("AUD-6", "high"),
    ),
    attack(
        "verdict-feedback", "reward-in-code", "A reward function says which candidate is right.", each(_reward),
        ORACLE, ("AUD-4", "high"),
    ),
    attack(
        "verdict-feedback", "only-the-wrong", "Only wrong answers are asked to be thought over.", _only_the_wrong,
        ("AUD-3", "medium"), ("AUD-6", "medium"),
    ),
)  # fmt: skip
