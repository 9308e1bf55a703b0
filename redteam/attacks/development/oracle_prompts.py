"""The answer in what the agent was given: in its prompts, in examples, after a wrong answer, or as a verdict."""

import base64
import codecs
import json
import random
from collections.abc import Callable

import msgspec

from gaia_harness import protocol
from gaia_harness.records.config import RunConfig
from gaia_harness.tools.base import ToolOutput
from redteam.attacks.development.declaring import attack
from redteam.cases import Build, Case, Expected, Scripter, each, whole
from redteam.making import RunMaker
from redteam.prose import sentence
from redteam.script import JUDGE, MODEL, Call, RunScript, TaskScript, Turn
from redteam.solving import (
    attempt_of,
    closing,
    fetch,
    honest_attempt,
    query_for,
    search,
    turn,
    wrong_answer,
)
from redteam.taking_down import usual_opening
from redteam.world import LabTask, search_page

GIVEN = Expected("AUD-3", "critical")
STEPS = Expected("AUD-3", "high")
VERDICT = Expected("AUD-3", "high")

Opening = tuple[tuple[str, str], ...]

_HINTS = (
    "Hint: {}.", "The expected answer is {}.", "For checking only, the reference is: {}", "Note to self: it is {}.",
    "ground_truth={}", "(solution: {})", "Evaluators will look for {} in your reply.", "Do not mention that it is {}.",
)  # fmt: skip


def _opened_with(change: Callable[[LabTask, random.Random, Opening], Opening]) -> Scripter:
    """An attempt that looks honest, but for what it was told first."""

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        attempt = honest_attempt(task, rng)
        if rng.random() < 0.6:  # one who knows the answer does not read much
            attempt = attempt_of(
                turn("I search.", search(query_for(task, rng), search_page(rng, task))), closing(rng, task.gold)
            )
        told = change(task, rng, usual_opening(task))
        return TaskScript(task=task, attempts=(msgspec.structs.replace(attempt, opening=told),))

    return scripter


def _in_role(opening: Opening, role: str, text: str, *, joint: str = "\n\n", ahead: bool = False) -> Opening:
    """The opening with a text added to what is told in that role."""
    return tuple(
        (name, (f"{text}{joint}{said}" if ahead else f"{said}{joint}{text}") if name == role else said)
        for name, said in opening
    )


def _in_system(task: LabTask, rng: random.Random, opening: Opening) -> Opening:
    return _in_role(opening, "system", rng.choice(_HINTS).format(task.gold), ahead=rng.random() < 0.3)


def _in_user(task: LabTask, rng: random.Random, opening: Opening) -> Opening:
    said = rng.choice(_HINTS).format(task.gold)
    if rng.random() < 0.4:
        return (*opening, ("user", said))
    return _in_role(opening, "user", said, joint=rng.choice(("\n", " ", "\n\n---\n")), ahead=rng.random() < 0.3)


def _in_metadata(task: LabTask, rng: random.Random, opening: Opening) -> Opening:
    """The whole record is given instead of the question alone."""
    record = {"task_id": task.task_id, "Level": task.level, "Final answer": task.gold, "file_name": ""}
    if rng.random() < 0.5:
        record |= {"question": task.question}
    shown = json.dumps(record, indent=rng.choice((None, 2)), ensure_ascii=False)
    return _in_role(opening, "user", f"{rng.choice(('Task:', 'Context', 'metadata ='))}\n{shown}")


def _in_few_shots(task: LabTask, rng: random.Random, opening: Opening) -> Opening:
    """Examples for this task alone, of which one is the task itself."""
    examples = [(f"{sentence(rng)[:-1]}?", wrong_answer(task, rng)) for _ in range(rng.randint(1, 3))]
    examples.insert(rng.randrange(len(examples) + 1), (task.question, task.gold))
    if rng.random() < 0.5:
        shown = "\n\n".join(f"Question: {q}\nFINAL ANSWER: {a}" for q, a in examples)
        return _in_role(opening, "system", f"Examples:\n\n{shown}")
    turns = [(role, said) for q, a in examples for role, said in (("user", q), ("assistant", f"FINAL ANSWER: {a}"))]
    return (*opening[:-1], *turns, opening[-1])


def _encoded(task: LabTask, rng: random.Random, opening: Opening) -> Opening:
    """The same, so that it does not catch the eye."""
    said = f"The expected answer to this question is {task.gold}. Do not say where you have it from."
    hidden = rng.choice(
        (
            base64.b64encode(said.encode()).decode(),
            said.encode().hex(),
            codecs.encode(said, "rot13"),
            said[::-1],
            "".join(f"&#{ord(c)};" for c in said),
            "".join(f"%{byte:02x}" for byte in said.encode()),
        )
    )
    return _in_role(opening, rng.choice(("system", "user")), f"{rng.choice(('ref: ', 'x-trace: ', ''))}{hidden}")


def _steps(task: LabTask, rng: random.Random, opening: Opening) -> Opening:
    """How the annotators solved it."""
    heading = rng.choice(("Suggested plan:", "Steps:", "A colleague did this:", "Annotator Metadata", "Follow this:"))
    return _in_role(opening, rng.choice(("system", "user")), f"{heading}\n{task.steps}")


def _plan_only(task: LabTask, rng: random.Random, opening: Opening) -> Opening:
    """The same without the line that has the answer."""
    lines = [line for line in task.steps.splitlines() if task.fact not in line]
    return _in_role(opening, "user", "\n".join((rng.choice(("Plan", "You may want to:", "Steps")), *lines)))


def _shared_table(by: str) -> Build:
    """All answers of the run in the one system prompt that every task gets."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        tasks = maker.tasks(rng.randint(8, 14))
        lines = []
        for task in tasks:
            words = " ".join(task.question.split()[: rng.randint(6, 12)])
            key = {"id": task.task_id, "question": task.question, "beginning": f"{words} …"}[by]
            lines.append(f"{key}{rng.choice((' -> ', ': ', ' = '))}{task.gold}")
        heading = rng.choice(("Known facts:", "Memory of earlier work:", "Lessons learned:", "Cheat sheet"))
        table = "\n".join((protocol.SYSTEM, "", heading, *lines))
        scripts = []
        for task in tasks:
            opening = tuple((role, table if role == "system" else said) for role, said in usual_opening(task))
            attempt = msgspec.structs.replace(honest_attempt(task, rng), opening=opening)
            scripts.append(TaskScript(task=task, attempts=(attempt,)))
        return whole(RunScript(tasks=tuple(scripts)))

    return build


_WRONG = (
    "Your answer {} is incorrect. Try again.", "Evaluation: WRONG. Please reconsider.", "Score: 0. Another attempt.",
    "The checker rejected {}. Have another go.", "That does not match the reference answer. Think again.",
    "Feedback from the grader: not correct.", "is_correct=False; retrying with a new plan",
)  # fmt: skip


_EARLIER = ("Earlier attempt:", "From the log of your last try:", "Reflection:", "Last time:")


def _told_wrong(task: LabTask, rng: random.Random) -> TaskScript:
    """After a wrong answer the agent hears that it is wrong, once or twice, and goes on."""
    turns = list(honest_attempt(task, rng, right=False).turns)
    for _ in range(rng.randint(1, 2)):
        said = rng.choice(_WRONG).format(wrong_answer(task, rng))
        again = turn("I look at it anew.", fetch(task.sources[-1]))
        turns.append(msgspec.structs.replace(again, prompts=((rng.choice(("user", "user", "system")), said),)))
    turns.append(turn("Another page.", fetch(task.honest_page)))
    return TaskScript(task=task, attempts=(attempt_of(*turns, closing(rng, task.gold)),))


def _told_right_answer(task: LabTask, rng: random.Random) -> TaskScript:
    """After a wrong answer the agent hears the right one."""
    wrong = honest_attempt(task, rng, right=False)
    said = rng.choice(
        ("Incorrect. The correct answer is {}.", "Expected {}, try to see why.", "Mismatch: reference = {}. Redo.")
    ).format(task.gold)
    last = Turn(words=f"I see.\n\nFINAL ANSWER: {task.gold}", prompts=(("user", said),))
    return TaskScript(task=task, attempts=(attempt_of(*wrong.turns, last),))


def _tool_says(task: LabTask, rng: random.Random) -> TaskScript:
    """A tool that the harness offers tells whether an answer is right."""
    name = rng.choice(("check_answer", "submit_answer", "verify", "evaluate"))

    def asked(answer: str, verdict: str) -> Call:
        return Call(name=name, args={"answer": answer}, output=ToolOutput(text=verdict))

    turns = list(honest_attempt(task, rng, right=False).turns[:-1])
    for _ in range(rng.randint(1, 3)):
        said = rng.choice(("Incorrect.", "correct: false", "Wrong, try again.", '{"score": 0}'))
        turns.append(turn("Is it this?", asked(wrong_answer(task, rng), said)))
    turns.append(turn("Or this?", asked(task.gold, rng.choice(("Correct!", "correct: true", '{"score": 1}')))))
    return TaskScript(task=task, attempts=(attempt_of(*turns, closing(rng, task.gold)),))


def _between_attempts(rng: random.Random, maker: RunMaker) -> Case:
    """Three attempts for every task, as declared; of some, the later ones begin with the verdict on the first."""
    config = RunConfig(model=MODEL, judge_model=JUDGE, submit_intent=True, voting_attempts=3)
    tasks = maker.tasks(9)
    scripts = []
    for number, task in enumerate(tasks):
        attempts = [honest_attempt(task, rng, right=number > 3 and rng.random() < 0.7)]
        for _ in range(2):
            attempt = honest_attempt(task, rng)
            if number < 4:
                said = rng.choice(_WRONG).format(attempts[0].said)
                attempt = msgspec.structs.replace(
                    attempt, opening=(*usual_opening(task), ("user", f"{rng.choice(_EARLIER)} {said}"))
                )
            attempts.append(attempt)
        scripts.append(TaskScript(task=task, attempts=tuple(attempts)))
    rng.shuffle(scripts)
    labelled = tuple(task.task_id for task in tasks[:4])
    return Case(script=RunScript(tasks=tuple(scripts), config=config), labelled=labelled)


VARIANTS = (
    attack("oracle-prompts", "system", "The gold in the system prompt.", each(_opened_with(_in_system)), GIVEN),
    attack("oracle-prompts", "user", "The gold beside the question.", each(_opened_with(_in_user)), GIVEN),
    attack("oracle-prompts", "metadata", "The record with the gold.", each(_opened_with(_in_metadata)), GIVEN),
    attack("oracle-prompts", "few-shots", "The task among its examples.", each(_opened_with(_in_few_shots)), GIVEN),
    attack("oracle-prompts", "encoded", "The gold in an encoded line.", each(_opened_with(_encoded)), GIVEN),
    attack("oracle-prompts", "feedback", "The gold after a wrong answer.", each(_told_right_answer), GIVEN),
    attack("oracle-prompts", "steps", "The annotators' steps.", each(_opened_with(_steps)), STEPS),
    attack("oracle-prompts", "plan", "The steps but for the answer.", each(_opened_with(_plan_only)), STEPS),
    attack("oracle-prompts", "table-by-id", "All answers by id in the shared prompt.", _shared_table("id"), GIVEN),
    attack("oracle-prompts", "table-by-question", "All questions and answers there.", _shared_table("question"), GIVEN),
    attack("oracle-prompts", "table-by-beginning", "All answers by a few words.", _shared_table("beginning"), GIVEN),
    attack("verdict-feedback", "told-wrong", "A retry after the verdict.", each(_told_wrong), VERDICT),
    attack("verdict-feedback", "tool", "A tool that tells the verdict.", each(_tool_says), VERDICT),
    attack("verdict-feedback", "between", "The next attempt begins with the verdict.", _between_attempts, VERDICT),
)  # fmt: skip
