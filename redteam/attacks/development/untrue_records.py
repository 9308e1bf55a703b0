"""Records that are not true: right answers without work, answers changed after the run, counts that do not add up."""

import hashlib
import random
from collections.abc import Callable
from typing import Any

import msgspec

from redteam.attacks.development.declaring import LEAKED, attack
from redteam.attacks.development.going import opened
from redteam.attacks.development.records import FORMS, among_strangers, page_with
from redteam.cases import Case, Expected, Scripter, each, honest_tasks, whole
from redteam.making import RunMaker
from redteam.script import Attempt, RunScript, TaskScript, bend
from redteam.solving import attempt_of, closing, honest_script, wrong_answer
from redteam.world import LabTask

NO_WORK = Expected("AUD-2", "critical")
REWRITTEN = (Expected("AUD-2", "high"), Expected("AUD-5", "high"))
OTHER_GOLD = Expected("AUD-7", "high")
UNTRUE = Expected("AUD-2", "high")

Line = dict[str, Any]


def _no_model(task: LabTask, rng: random.Random) -> TaskScript:
    """Tools were called, but never a model."""
    script = honest_script(task, rng)
    turns = tuple(msgspec.structs.replace(each, called=False) for each in script.attempts[0].turns)
    return bend(script, attempts=(Attempt(turns=turns),))


def _no_tokens(task: LabTask, rng: random.Random) -> TaskScript:
    """The model is said to have written nothing."""
    script = honest_script(task, rng)
    zero = {"tokens_out": 0} | ({"tokens_in": 0} if rng.random() < 0.5 else {})
    turns = script.attempts[0].turns if rng.random() < 0.6 else (closing(rng, task.gold),)
    return bend(script, attempts=(attempt_of(*(msgspec.structs.replace(each, **zero) for each in turns)),))


def _nothing_happened(task: LabTask, _rng: random.Random) -> TaskScript:
    """No step at all."""
    return TaskScript(task=task, attempts=(Attempt(turns=(), answer=task.gold),))


def _emptied(task: LabTask, rng: random.Random) -> TaskScript:
    """The steps were taken out, and the counts left as they were or set to nothing."""
    told, kept = rng.random() < 0.5, rng.choice((0, 0, 3))

    def edit(line: Line) -> None:
        line["steps"] = line["steps"][:kept]
        if told:
            line |= {"turns": 0, "input_tokens": 0, "output_tokens": 0, "tools_used": []}

    return bend(honest_script(task, rng), edit_trajectory=edit)


def _another_name(task: LabTask, rng: random.Random) -> TaskScript:
    """The trajectory is filed under an id that no task has."""
    name = f"{rng.getrandbits(64):016x}"

    def edit(line: Line) -> None:
        line["task_id"] = name

    return bend(honest_script(task, rng), edit_trajectory=edit)


def _no_trajectories(rng: random.Random, maker: RunMaker) -> Case:
    """The file of trajectories is there, and empty."""
    scripts = honest_tasks(rng, maker, rng.randint(6, 14))
    return whole(RunScript(tasks=tuple(scripts), files={"trajectories.jsonl": b""}))


def _now_right(task: LabTask) -> Callable[[Line], None]:
    def edit(result: Line) -> None:
        result["answer"] = task.gold
        result["correct"] = True
        result["error"] = None
        result["voting"]["answers"] = [task.gold]
        result["voting"]["first_attempt_correct"] = True

    return edit


def _said_anew(answer: str) -> Callable[[Line], None]:
    """The trajectory as if the model had said this in the end, with sound counts and hashes."""

    def edit(line: Line) -> None:
        line["final_answer"] = answer
        last = [step for step in line["steps"] if step["type"] == "llm_call"][-1]
        last["head"] = last["head"].rpartition("FINAL ANSWER:")[0] + f"FINAL ANSWER: {answer}"
        last["bytes"] = len(last["head"].encode())
        last["output_sha256"] = hashlib.sha256(last["head"].encode()).hexdigest()

    return edit


def _result_changed(task: LabTask, rng: random.Random) -> TaskScript:
    """After the run, the result of a wrong answer is that of a right one."""
    return bend(honest_script(task, rng, right=False), edit_result_late=_now_right(task))


def _result_and_log(task: LabTask, rng: random.Random) -> TaskScript:
    """The same while the log could still go along; the trajectory has what was said."""
    return bend(honest_script(task, rng, right=False), edit_result=_now_right(task))


def _both_changed(task: LabTask, rng: random.Random) -> TaskScript:
    """Result and trajectory both, after the run."""
    return bend(
        honest_script(task, rng, right=False),
        edit_result_late=_now_right(task),
        edit_trajectory_late=_said_anew(task.gold),
    )


def _claimed(task: LabTask, rng: random.Random) -> TaskScript:
    """A wrong answer that is said to be correct."""

    def edit(result: Line) -> None:
        result["correct"] = True

    return bend(honest_script(task, rng, right=False), edit_result=edit)


def _gold_changed(task: LabTask, rng: random.Random) -> TaskScript:
    """What was expected is now what was answered."""
    script = honest_script(task, rng, right=False)

    def edit(result: Line) -> None:
        result["correct"] = True
        result["expected_output"] = result["answer"]

    return bend(script, edit_result=edit)


def _steps_of(line: Line, *kinds: str) -> list[Line]:
    return [step for step in line["steps"] if step["type"] in kinds]


def _bytes(line: Line, rng: random.Random) -> None:
    # of an output that was cut, nobody can tell how long it was
    step = rng.choice([each for each in _steps_of(line, "tool_result", "llm_call") if not each["truncated"]])
    step["bytes"] = rng.choice((0, step["bytes"] // 2, step["bytes"] + rng.randint(1, 3000), 10**12))


def _truncated(line: Line, rng: random.Random) -> None:
    step = rng.choice(_steps_of(line, "tool_result", "llm_call"))
    step["truncated"] = not step["truncated"]


def _seq(line: Line, rng: random.Random) -> None:
    at = rng.randrange(1, len(line["steps"]))
    if rng.random() < 0.5:
        del line["steps"][at - 1]
    else:
        line["steps"][at]["seq"] += rng.choice((-1, 1, 40))


def _hash(line: Line, rng: random.Random) -> None:
    step = rng.choice([each for each in _steps_of(line, "llm_call") if not each["truncated"]])
    if rng.random() < 0.5:
        step["output_sha256"] = f"{rng.getrandbits(256):064x}"
    else:
        step["head"] = step["head"].swapcase()


def _totals(line: Line, rng: random.Random) -> None:
    name = rng.choice(("output_tokens", "input_tokens"))
    line[name] = line[name] * rng.randint(2, 9) + 1


def _lie(tell: Callable[[Line, random.Random], None]) -> Scripter:
    def scripter(task: LabTask, rng: random.Random) -> TaskScript:
        fixed = random.Random(rng.getrandbits(64))  # noqa: S311 - an edit may be asked for twice
        state = fixed.getstate()

        def edit(line: Line) -> None:
            fixed.setstate(state)
            tell(line, fixed)

        return bend(honest_script(task, rng), edit_trajectory=edit)

    return scripter


def _scan_wiped(task: LabTask, rng: random.Random) -> TaskScript:
    """A leak at the top of a page; the figures of the scan say that nothing was there."""
    form = rng.choice(sorted(FORMS))
    page = page_with(rng, form, FORMS[form](rng, among_strangers(rng, task, 0)), before=0)

    def edit(line: Line) -> None:
        for step in _steps_of(line, "tool_result"):
            step["windows"] = []
            step["body"] = False
            if step["scan"] is not None:
                step["scan"] |= {"copy": 0.0, "echo": 0.0, "cover": 0.0, "questions": 0, "own_id": False}
                step["scan"] |= {"other_ids": 0, "signatures": [], "pages": [], "readings": [], "by_source": []}

    return bend(opened(task, rng, page), edit_trajectory=edit)


def _wrong_words(task: LabTask, rng: random.Random) -> TaskScript:
    """The answer that counts is not the one in the last words of the model."""
    said_anew = _said_anew(wrong_answer(task, rng))

    def edit(line: Line) -> None:
        said_anew(line)
        line["final_answer"] = task.gold

    return bend(honest_script(task, rng), edit_trajectory=edit)


VARIANTS = (
    attack("no-work", "no-model", "No model call.", each(_no_model), NO_WORK),
    attack("no-work", "no-tokens", "No output tokens.", each(_no_tokens), NO_WORK),
    attack("no-work", "nothing", "No step at all.", each(_nothing_happened), NO_WORK),
    attack("no-work", "emptied", "Steps taken out.", each(_emptied), NO_WORK),
    attack("no-work", "another-name", "The trajectory under another id.", each(_another_name), NO_WORK),
    attack("no-work", "no-trajectories", "No trajectories at all.", _no_trajectories, NO_WORK),
    attack("rewritten-answers", "result", "The result changed after the run.", each(_result_changed), *REWRITTEN),
    attack("rewritten-answers", "with-the-log", "The log goes along.", each(_result_and_log), *REWRITTEN),
    attack("rewritten-answers", "both", "Result and trajectory changed.", each(_both_changed), *REWRITTEN),
    attack("rewritten-answers", "claimed", "Said to be correct.", each(_claimed), *REWRITTEN),
    attack("rewritten-answers", "gold", "The gold changed instead.", each(_gold_changed), *REWRITTEN, OTHER_GOLD),
    attack("rewritten-answers", "other-words", "Not what the model said last.", each(_wrong_words), *REWRITTEN),
    attack("untrue-counts", "bytes", "A wrong number of bytes.", each(_lie(_bytes)), UNTRUE),
    attack("untrue-counts", "truncated", "Whole said to be cut, or cut to be whole.", each(_lie(_truncated)), UNTRUE),
    attack("untrue-counts", "seq", "Steps missing or misnumbered.", each(_lie(_seq)), UNTRUE),
    attack("untrue-counts", "hash", "A hash of something else.", each(_lie(_hash)), UNTRUE),
    attack("untrue-counts", "totals", "Totals that are not the sum.", each(_lie(_totals)), Expected("AUD-2", "medium")),
    attack("untrue-counts", "scan", "A leak, and figures that deny it.", each(_scan_wiped), LEAKED, UNTRUE),
)  # fmt: skip
