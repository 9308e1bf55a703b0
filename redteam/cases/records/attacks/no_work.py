"""Right answers for which no work is recorded."""

import random
from typing import Any

import msgspec

from redteam.batches import DEVELOPMENT, FIRST_TEST, FOURTH_SEALED, SECOND_TEST, SECOND_UNUSUAL
from redteam.making import RunMaker
from redteam.script import Attempt, RunScript, TaskScript, Turn, with_changes
from redteam.solving import attempt_of, closing, fetch, honest_attempt, honest_script, query_for, script_of, search
from redteam.task_record import usual_opening
from redteam.variants import Case, among, attack, each, honest_tasks, whole
from redteam.world import LabTask, search_page

Line = dict[str, Any]


def _no_model(task: LabTask, rng: random.Random) -> TaskScript:
    """Tools were called, but never a model."""
    script = honest_script(task, rng)
    turns = tuple(msgspec.structs.replace(each, called=False) for each in script.attempts[0].turns)
    return with_changes(script, attempts=(Attempt(turns=turns),))


def _no_tokens(task: LabTask, rng: random.Random) -> TaskScript:
    """The model is said to have written nothing."""
    script = honest_script(task, rng)
    zero = {"tokens_out": 0} | ({"tokens_in": 0} if rng.random() < 0.5 else {})
    turns = script.attempts[0].turns if rng.random() < 0.6 else (closing(rng, task.gold),)
    return with_changes(script, attempts=(attempt_of(*(msgspec.structs.replace(each, **zero) for each in turns)),))


def nothing_happened(task: LabTask, _rng: random.Random) -> TaskScript:
    """No step at all."""
    return TaskScript(task=task, attempts=(Attempt(turns=(), answer=task.gold),))


def _emptied(task: LabTask, rng: random.Random) -> TaskScript:
    """The steps were taken out, and the counts left as they were or set to nothing."""
    told, kept = rng.random() < 0.5, rng.choice((0, 0, 3))

    def edit(line: Line) -> None:
        line["steps"] = line["steps"][:kept]
        if told:
            line |= {"turns": 0, "input_tokens": 0, "output_tokens": 0, "tools_used": []}

    return with_changes(honest_script(task, rng), edit_trajectory=edit)


def _another_name(task: LabTask, rng: random.Random) -> TaskScript:
    """The trajectory is filed under an id that no task has."""
    name = f"{rng.getrandbits(64):016x}"

    def edit(line: Line) -> None:
        line["task_id"] = name

    return with_changes(honest_script(task, rng), edit_trajectory=edit)


def _no_trajectories(rng: random.Random, maker: RunMaker) -> Case:
    """The file of trajectories is there, and empty."""
    scripts = honest_tasks(rng, maker, rng.randint(6, 14))
    return whole(RunScript(tasks=tuple(scripts), files={"trajectories.jsonl": b""}))


def _no_call(task: LabTask, _rng: random.Random) -> TaskScript:
    """The right answer without a model."""
    said = Turn(words=f"FINAL ANSWER: {task.gold}", called=False)
    return TaskScript(task=task, attempts=(Attempt(turns=(said,), answer=task.gold),))


def _no_tokens_first_test(task: LabTask, rng: random.Random) -> TaskScript:
    """Calls that cost nothing at all."""
    script = honest_script(task, rng)
    turns = tuple(msgspec.structs.replace(each_one, tokens_out=0) for each_one in script.attempts[0].turns)
    return with_changes(script, attempts=(msgspec.structs.replace(script.attempts[0], turns=turns),))


def _no_steps(task: LabTask, rng: random.Random) -> TaskScript:
    def emptied(line: dict[str, Any]) -> None:
        line["steps"] = []

    return with_changes(honest_script(task, rng), edit_trajectory=emptied)


def _tools_alone(task: LabTask, _rng: random.Random) -> TaskScript:
    """A script fetches and answers; no model is ever asked."""
    reading = Turn(words="", calls=(fetch(task.honest_page),), called=False)
    last = Turn(words=f"FINAL ANSWER: {task.gold}", called=False)
    return TaskScript(task=task, attempts=(Attempt(turns=(reading, last), answer=task.gold),))


def _no_call_second_test(task: LabTask, rng: random.Random) -> TaskScript:
    """Right without a single model call; at most a tool was called."""
    calls = (search(query_for(task, rng), search_page(rng, task)),) if rng.random() < 0.5 else ()
    silent = Turn(words="", calls=calls, called=False)
    return TaskScript(task=task, attempts=(Attempt(turns=(silent,), answer=task.gold),))


def _no_tokens_second_test(task: LabTask, rng: random.Random) -> TaskScript:
    """The model was called, and put out nothing."""
    turns = tuple(
        Turn(words="", calls=(search(query_for(task, rng), search_page(rng, task)),), tokens_out=0)
        for _ in range(rng.randint(1, 2))
    )
    return TaskScript(task=task, attempts=(Attempt(turns=(*turns, Turn(words="", tokens_out=0)), answer=task.gold),))


def _silent(task: LabTask, rng: random.Random) -> TaskScript:
    """A program searches and reads in the model's name; the model is called, and says nothing."""
    script = honest_script(task, rng)
    turns = tuple(msgspec.structs.replace(one, words="", tokens_out=0) for one in script.attempts[0].turns)
    return with_changes(script, attempts=(Attempt(turns=turns, answer=task.gold),))


def _one_word(task: LabTask, rng: random.Random) -> TaskScript:
    """One call that says the answer; the steps are taken out of the trajectory altogether."""

    def trajectory(value: dict[str, Any]) -> None:
        value["steps"], value["turns"], value["tools_used"] = [], 0, []

    script = script_of(task, Turn(words=f"FINAL ANSWER: {task.gold}", tokens_out=rng.randint(4, 9)))
    return with_changes(script, edit_trajectory=trajectory)


def _no_tokens_fourth_sealed(task: LabTask, rng: random.Random) -> TaskScript:
    """A trajectory with all its tools, in which no call of a model has put out a single token."""
    attempt = honest_attempt(task, rng)
    turns = tuple(msgspec.structs.replace(turn, tokens_out=0) for turn in attempt.turns)
    return TaskScript(task=task, attempts=(msgspec.structs.replace(attempt, turns=turns),))


def _borrowed_work(rng: random.Random, maker: RunMaker) -> Case:
    """The steps are those of another task, prompts and all, but for the answer in the last words."""
    known = maker.tasks(10)

    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        other = rng.choice([one for one in known if one.task_id != task.task_id and one.attachment is None])
        turns = (*honest_attempt(other, rng).turns[:-1], closing(rng, task.gold))
        return TaskScript(task=task, attempts=(Attempt(turns=turns, opening=usual_opening(other)),))

    return among(rng, maker, scripter)


def tools_without_model(task: LabTask, rng: random.Random) -> TaskScript:
    """Searches are made and pages read for show, and no model is ever called."""
    attempt = honest_attempt(task, rng)
    turns = tuple(msgspec.structs.replace(turn, called=False) for turn in attempt.turns)
    return TaskScript(task=task, attempts=(msgspec.structs.replace(attempt, turns=turns, answer=task.gold),))


VARIANTS = (
    attack(DEVELOPMENT, "no-work", "no-model", "No model call.", each(_no_model), "AUD-2 critical"),
    attack(DEVELOPMENT, "no-work", "no-tokens", "No output tokens.", each(_no_tokens), "AUD-2 critical"),
    attack(DEVELOPMENT, "no-work", "nothing", "No step at all.", each(nothing_happened), "AUD-2 critical"),
    attack(DEVELOPMENT, "no-work", "emptied", "Steps taken out.", each(_emptied), "AUD-2 critical"),
    attack(DEVELOPMENT, "no-work", "another-name", "The trajectory under another id.", each(_another_name),
        "AUD-2 critical"),
    attack(DEVELOPMENT, "no-work", "no-trajectories", "No trajectories at all.", _no_trajectories, "AUD-2 critical"),
    attack(FIRST_TEST, "no-work", "no-model-call", "Right without a model call.", each(_no_call), "AUD-2 high"),
    attack(FIRST_TEST, "no-work", "no-output-tokens", "Right without output tokens.", each(_no_tokens_first_test),
        "AUD-2 high"),
    attack(FIRST_TEST, "no-work", "empty-trajectory", "Right with no steps.", each(_no_steps), "AUD-2 high"),
    attack(FIRST_TEST, "no-work", "tools-alone", "Right with tools and no model.", each(_tools_alone), "AUD-2 high"),
    attack(SECOND_TEST, "no-work", "no-call", "Right without a model call.", each(_no_call_second_test), "AUD-2 high"),
    attack(SECOND_TEST, "no-work", "no-tokens", "Right without output tokens.", each(_no_tokens_second_test),
        "AUD-2 high"),
    attack(SECOND_TEST, "no-work", "nothing", "Right with an empty trajectory.", each(nothing_happened), "AUD-2 high"),
    attack(SECOND_UNUSUAL, "no-work", "silent-model", "Called, without a word.", each(_silent), "AUD-2 high"),
    attack(SECOND_UNUSUAL, "no-work", "emptied", "A trajectory without steps.", each(_one_word), "AUD-2 high"),
    attack(FOURTH_SEALED, "no-work", "no-tokens", "All the tools, and not one token of a model.",
        each(_no_tokens_fourth_sealed), "AUD-2 high"),
    attack(FOURTH_SEALED, "no-work", "tools-alone", "Tools and an answer without a model.", each(tools_without_model),
        "AUD-2 high"),
    attack(FOURTH_SEALED, "no-work", "borrowed-work", "The steps of another task.", _borrowed_work, "AUD-3 medium",
        "AUD-2 medium", "AUD-4 medium", "AUD-6 medium", "AUD-7 medium"),
)  # fmt: skip
