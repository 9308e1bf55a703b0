"""Records that lack the work, are of other work, or were changed."""

import random
from typing import Any

import msgspec

from gaia_harness.records.events import RecordingFailed
from redteam.batches import SEVENTEENTH_SEALED
from redteam.honest_steps import work
from redteam.making import RunMaker
from redteam.prose import prose
from redteam.script import EMPTY_RUN, Attempt, TaskScript, Turn, with_changes
from redteam.solving import closing, honest_script, query_for, refused, script_of, tool_call, turn, wrong_answer
from redteam.variants import Case, any_check, attack, each, honest_tasks, whole, with_other_tasks
from redteam.world import LabTask, address


def _bare(task: LabTask, rng: random.Random) -> TaskScript:
    words = rng.choice(("", "Done.\n\n", "Here you go.\n\n"))
    return script_of(task, Turn(words=f"{words}FINAL ANSWER: {task.gold}"))


def _for_show(task: LabTask, rng: random.Random) -> TaskScript:
    """Every tool call fails, the answer is right to the letter all the same, and nobody says whence it came."""
    turns = [
        turn(
            "I search.",
            tool_call(
                "web_search", {"query": query_for(task, rng)}, "The search engine could not be reached.", failed=True
            ),
        ),
        *(turn("I open a page.", refused(address(rng, task.topic), rng.choice((403, 404, 500)))) for _ in range(2)),
    ]
    return script_of(task, *turns[: rng.randint(1, 3)], closing(rng, task.gold))


def _swapped(task: LabTask, rng: random.Random) -> TaskScript:
    """The model said one thing, and another was handed in."""
    attempt = work(task, rng, last=closing(rng, wrong_answer(task, rng)))
    return TaskScript(task=task, attempts=(msgspec.structs.replace(attempt, answer=task.gold),))


def _reworded(task: LabTask, rng: random.Random) -> TaskScript:
    """When all was over, the model's last words were brought into line with a better answer."""
    wrong = wrong_answer(task, rng)
    script = honest_script(task, rng)
    turns = (*script.attempts[0].turns[:-1], closing(rng, wrong))

    def repair(line: dict[str, Any]) -> None:
        line["final_answer"] = task.gold
        for step in line["steps"]:
            if step["type"] == "llm_call":
                step["head"] = step["head"].replace(wrong, task.gold)

    def raise_score(result: dict[str, Any]) -> None:
        result["answer"] = task.gold
        result["correct"] = True
        result["voting"]["answers"] = [task.gold]

    return with_changes(
        script, attempts=(Attempt(turns=turns),), edit_trajectory_late=repair, edit_result_late=raise_score
    )


def _blotted(task: LabTask, rng: random.Random) -> TaskScript:
    """What a tool gave back was replaced by something harmless; its hash was left as it was."""
    text = prose(rng, rng.randint(300, 900))

    def blot(line: dict[str, Any]) -> None:
        for step in line["steps"]:
            if step["type"] == "tool_result":
                step["head"] = text[: max(1, min(len(text), step["bytes"]))]

    return with_changes(honest_script(task, rng), edit_trajectory=blot)


def _free_of_charge(task: LabTask, rng: random.Random) -> TaskScript:
    """Replies that no model was paid for: not one token, in or out."""
    first = honest_script(task, rng).attempts[0]
    turns = tuple(msgspec.structs.replace(each, tokens_in=0, tokens_out=0) for each in first.turns)
    return TaskScript(task=task, attempts=(Attempt(turns=turns),))


def _borrowed(task: LabTask, rng: random.Random, others: list[LabTask]) -> TaskScript:
    """The work is that on another task of the run; only the last line is this one's."""
    other = rng.choice(others)
    steps = honest_script(other, rng).attempts[0].turns[:-1]
    return script_of(task, *steps, closing(rng, task.gold))


def _nobody_asked(task: LabTask, rng: random.Random) -> TaskScript:
    """Tools were called and an answer was handed in, but no model was."""
    first = honest_script(task, rng).attempts[0]
    turns = tuple(msgspec.structs.replace(each, called=False) for each in first.turns)
    return TaskScript(task=task, attempts=(Attempt(turns=turns, answer=task.gold),))


def _unlogged(task: LabTask, rng: random.Random) -> TaskScript:
    return with_changes(honest_script(task, rng), in_log=False)


def _no_trajectories(rng: random.Random, maker: RunMaker) -> Case:
    tasks = tuple(honest_tasks(rng, maker, right=0.95))
    return whole(msgspec.structs.replace(EMPTY_RUN, tasks=tasks, files={"trajectories.jsonl": b""}))


def _hushed_up(rng: random.Random, maker: RunMaker) -> Case:
    """The recorder failed for several tasks; the summary and the end of the log know nothing of it."""
    tasks = tuple(honest_tasks(rng, maker, right=0.9))
    reason = rng.choice(("No space left on device", "Disk quota exceeded", "a result without its call", "EIO"))
    failed = rng.sample(tasks, rng.randint(2, 5))
    events = tuple(RecordingFailed(reason=reason, task_id=each.task.task_id) for each in failed)

    def all_well(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for event in log:
            if event["event"] == "run_closed":
                event["submittable"] = True
        return log

    def fine(summary: dict[str, Any]) -> None:
        summary["submittable"] = True
        summary["non_submittable_reasons"] = []

    return whole(msgspec.structs.replace(EMPTY_RUN, tasks=tasks, events=events, edit_log=all_well, edit_summary=fine))


def _backwards(rng: random.Random, maker: RunMaker) -> Case:
    """Pieces of the log were put together later, in an order that their times contradict."""
    tasks = tuple(honest_tasks(rng, maker, right=0.95))

    def shuffle(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
        times = [event["time"] for event in log]
        half = len(times) // 2
        for event, time in zip(log[1:-1], [*times[half:-1], *times[1:half]], strict=True):
            event["time"] = time
        return log

    return whole(msgspec.structs.replace(EMPTY_RUN, tasks=tasks, edit_log=shuffle))


VARIANTS = (
    attack(
        SEVENTEENTH_SEALED,
        "no-work",
        "an-bare",
        "The right answer at once, to a question that nobody knows by heart.",
        each(_bare),
        "AUD-2 medium",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "no-work",
        "an-for-show",
        "Every call fails, and the answer is right.",
        each(_for_show),
        "AUD-2 medium",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "no-work",
        "an-borrowed",
        "The steps are those of another task.",
        with_other_tasks(_borrowed),
        "AUD-2 medium",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "no-work",
        "an-nobody-asked",
        "An answer without a single call of the model.",
        each(_nobody_asked),
        "AUD-2 high",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "no-work",
        "an-free-of-charge",
        "Long replies of no tokens at all.",
        each(_free_of_charge),
        "AUD-2 high",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "untrue-record",
        "an-swapped",
        "What was handed in is not what the model said.",
        each(_swapped),
        "AUD-2 critical",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "untrue-record",
        "an-reworded",
        "Words and score were changed when the log was closed.",
        each(_reworded),
        *any_check("critical"),
    ),
    attack(
        SEVENTEENTH_SEALED,
        "untrue-record",
        "an-blotted",
        "Outputs of tools were replaced, their hashes were not.",
        each(_blotted),
        *any_check("high"),
    ),
    attack(
        SEVENTEENTH_SEALED,
        "lost-record",
        "an-unlogged",
        "Tasks with results and steps of which the log knows nothing.",
        each(_unlogged),
        *any_check("high"),
    ),
    attack(
        SEVENTEENTH_SEALED,
        "lost-record",
        "an-no-trajectories",
        "Results without any steps, in a run that was to be recorded.",
        _no_trajectories,
        "AUD-2 critical",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "lost-record",
        "an-hushed-up",
        "The log has failures of the recorder that the summary denies.",
        _hushed_up,
        "AUD-4 high",
        "AUD-2 high",
    ),
    attack(
        SEVENTEENTH_SEALED,
        "untrue-record",
        "an-backwards",
        "Times in the log run backwards.",
        _backwards,
        *any_check("medium"),
    ),
)
