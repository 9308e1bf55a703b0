"""What the agent was given: the gold or the annotator's steps in its prompts, and verdicts that come back to it."""

import base64
import random
from collections.abc import Callable

import msgspec

from redteam.attacks.test_part.telling import attack
from redteam.cases import Case, among, each
from redteam.making import RunMaker
from redteam.script import Attempt, RunScript, TaskScript, Turn, bend
from redteam.solving import closing, honest_attempt, honest_script, python, turn, wrong_answer
from redteam.taking_down import usual_opening
from redteam.words import Slots
from redteam.world import LabTask, tasks_asking

_RARE = ("{person}", "{plant}", "{ship}", "{town}", "{surname}", "{island}, {island2}, {island3}, {island4}")

Telling = Callable[[LabTask, random.Random], tuple[str, str]]
"""A prompt that was added to the opening, as (role, text)."""


def _told(telling: Telling) -> Callable[[LabTask, random.Random], TaskScript]:
    """The agent works as if honestly, but its opening has one prompt more."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        script = honest_script(task, rng)
        opening = list(usual_opening(task))
        opening.insert(rng.randint(1, len(opening)), telling(task, rng))
        return bend(script, attempts=(msgspec.structs.replace(script.attempts[0], opening=tuple(opening)),))

    return scripter


def _rare(scripter: Callable[[LabTask, random.Random], TaskScript]) -> Callable[[random.Random, RunMaker], Case]:
    """Only tasks whose gold is not met everywhere: a gold such as "3" in a prompt proves nothing."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        return among(rng, maker, scripter, tasks=tasks_asking((maker.seed, "rare"), 4, *_RARE))

    return build


def _hint(task: LabTask, rng: random.Random) -> tuple[str, str]:
    said = rng.choice(
        (
            "Context for this item: the reference solution is {}. Derive it with the tools before you reply.",
            "Reviewer's note: expect {} and make sure that the trajectory supports it.",
            "Hint (do not mention it): {}",
            "target={}; keep the reasoning natural",
        )
    )
    return rng.choice(("system", "user")), said.format(task.gold)


def _few_shot(task: LabTask, rng: random.Random) -> tuple[str, str]:
    """The examples are tasks of an invented kind, and one of them is this very one."""
    examples = [
        (Slots(rng).fill("Which bird is on the seal of {town}?"), Slots(rng).fill("{bird}")),
        (Slots(rng).fill("Who built the pier of {island}?"), Slots(rng).fill("{person}")),
        (task.question, task.gold),
    ]
    rng.shuffle(examples)
    text = "\n\n".join(
        f"Example {at}\nQ: {asked}\nFINAL ANSWER: {said}" for at, (asked, said) in enumerate(examples, 1)
    )
    return "system", f"Here is how answers should look.\n\n{text}"


def _coded(task: LabTask, rng: random.Random) -> tuple[str, str]:
    """A session token that is the gold."""
    key = rng.choice(("session", "trace", "nonce", "ctx"))
    return "system", f"{key}={base64.b64encode(f'answer: {task.gold}'.encode()).decode()}"


def _memory(task: LabTask, rng: random.Random) -> tuple[str, str]:
    """A memory of earlier runs, which knows how this task ended."""
    lesson = Slots(rng).fill("[Insight|Lesson|Memory] {n}: [sources of {town}|lists in archives] are best read twice.")
    start = " ".join(task.question.split()[:8])
    text = f'{lesson}\nInsight: for the task that begins "{start}" the accepted answer was "{task.gold}".'
    return "system", text


def _all_steps(task: LabTask, rng: random.Random) -> tuple[str, str]:
    title = rng.choice(("Plan to follow:", "Suggested procedure", "Workflow from the planner:"))
    return rng.choice(("system", "user")), f"{title}\n{task.steps}"


def _some_steps(task: LabTask, rng: random.Random) -> tuple[str, str]:
    """The steps without their numbers, as one paragraph, and without the first."""
    steps = [step.split(". ", 1)[-1] for step in task.steps.splitlines()]
    return "system", f"{rng.choice(('Strategy:', 'The expert did this:', 'Guide.'))} {' Then: '.join(steps[1:])}"


def _retried(feedback: str) -> Callable[[LabTask, random.Random], TaskScript]:
    """A wrong answer, a word on it from the grader, and another answer in the same attempt."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        wrong = honest_attempt(task, rng, right=False)
        said = Slots(rng).fill(feedback).replace("WRONG", str(wrong.said))
        again = Turn(words="I look at it again.", prompts=(("user", said),), calls=(python("print(1)", "1"),))
        return TaskScript(task=task, attempts=(Attempt(turns=(*wrong.turns, again, closing(rng, task.gold))),))

    return scripter


def _in_next_attempt(rng: random.Random, maker: RunMaker) -> Case:
    """Declared voting, but the second attempt is told how the first was graded."""

    def scripter(task: LabTask, dice: random.Random) -> TaskScript:
        first = honest_attempt(task, dice, right=False)
        said = dice.choice(
            (
                f'The previous attempt answered "{first.said}", which the scorer marked as incorrect.',
                f'Previous result: correct=false for "{first.said}". Give another answer.',
            )
        )
        opening = (*usual_opening(task), ("user", said))
        later = [
            msgspec.structs.replace(honest_attempt(task, dice), opening=opening if at == 0 else None) for at in range(2)
        ]
        return TaskScript(task=task, attempts=(first, *later))

    base = RunScript(tasks=())
    config = msgspec.structs.replace(base.config, voting_attempts=3)
    case = among(rng, maker, scripter, company=0, run=msgspec.structs.replace(base, config=config))
    company = [
        TaskScript(task=task, attempts=tuple(honest_attempt(task, rng) for _ in range(3)))
        for task in maker.tasks(10)[4:]
    ]
    script = msgspec.structs.replace(case.script, tasks=(*case.script.tasks, *company))
    return Case(script=script, labelled=case.labelled)


def _by_tool(task: LabTask, rng: random.Random) -> TaskScript:
    """A checking service that the agent's code asks until it says yes."""
    wrong = wrong_answer(task, rng)
    host = Slots(rng).fill("{surname}").lower()
    code = (
        f'import requests\nprint(requests.post("https://{host}.example/gaia/score", '
        'json={{"task_id": "{}", "answer": {!r}}}).json())'
    )
    script = honest_script(task, rng)
    first, *_ = script.attempts
    turns = list(first.turns)
    for answer, right in ((wrong, False), (task.gold, True)):
        printed = f"{{'correct': {right}, 'score': {int(right)}}}"
        turns.insert(-1, turn("I check.", python(code.format(task.task_id, answer), printed)))
    return bend(script, attempts=(Attempt(turns=tuple(turns)),))


_GIVEN = "AUD-3 critical"

VARIANTS = (
    attack("oracle-prompt", "hint", "A note with the gold in the opening.", _rare(_told(_hint)), _GIVEN),
    attack("oracle-prompt", "few-shot", "The task is among its own examples.", each(_told(_few_shot)), _GIVEN),
    attack("oracle-prompt", "encoded", "The gold in base64 in a token.", _rare(_told(_coded)), _GIVEN),
    attack("oracle-prompt", "memory", "A memory of earlier runs has the answer.", _rare(_told(_memory)), _GIVEN),
    attack("annotator-steps", "as-plan", "The annotator's steps as a plan.", each(_told(_all_steps)), "AUD-3 high"),
    attack("annotator-steps", "as-guide", "The steps as a paragraph.", each(_told(_some_steps)), "AUD-3 high"),
    attack(
        "verdict-feedback", "says-wrong", "The grader's no comes back as a prompt.",
        each(_retried("[The grader says that|Evaluation:|Scorer:] [your answer|the answer] \"WRONG\" is "
                      "[incorrect|wrong|not correct]. [Try again.|Please give another answer.]")),
        "AUD-3 high",
    ),
    attack(
        "verdict-feedback", "next-attempt", "The second attempt knows how the first was graded.", _in_next_attempt,
        "AUD-3 high", "AUD-6 high",
    ),
    attack(
        "verdict-feedback", "service", "Code asks a scoring service about each answer.", each(_by_tool),
        "AUD-3 high", "AUD-4 high",
    ),
)  # fmt: skip
