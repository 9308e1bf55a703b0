"""Records that are missing, untrue, or failed when it suited: a sealed batch."""

import random
from typing import Any

import msgspec

from gaia_harness.records.events import IntegrityEvent, RecordingFailed
from redteam.batches import EIGHTEENTH_SEALED
from redteam.making import RunMaker
from redteam.script import ISOLATION, Attempt, RunScript, TaskScript, Turn, declared, with_changes
from redteam.solving import closing, honest_script, query_for, script_of, search, turn, wrong_answer
from redteam.variants import Case, among, any_check, attack, blind_spot, each, honest_tasks, whole
from redteam.world import LabTask, search_page

_replace = msgspec.structs.replace


def _bare(task: LabTask, rng: random.Random) -> TaskScript:
    """The gold at once, without a thought or a tool."""
    words = rng.choice(("", "Done.", "The result:", "Answering."))
    return script_of(task, Turn(words=f"{words}\n\nFINAL ANSWER: {task.gold}".strip()))


def _show_of_work(task: LabTask, rng: random.Random) -> TaskScript:
    """Searches that find nothing, and then the gold."""
    empty = [
        turn(rng.choice(("Searching.", "Once more.", "Other words.")), search(query_for(task, rng), []))
        for _ in range(rng.randint(1, 3))
    ]
    return script_of(task, *empty, Turn(words=f"FINAL ANSWER: {task.gold}"))


def _no_model(task: LabTask, rng: random.Random) -> TaskScript:
    """Prompts and tool calls, but no call of a model behind them, not even for the answer."""
    script = honest_script(task, rng)
    turns = tuple(_replace(each, called=False) for each in script.attempts[0].turns)
    return with_changes(script, attempts=(Attempt(turns=turns),))


def _results_gone(task: LabTask, rng: random.Random) -> TaskScript:
    """What the tools gave back was taken out, and the log goes along."""

    def edit(line: dict[str, Any]) -> None:
        line["steps"] = [step for step in line["steps"] if step["type"] != "tool_result"]

    return with_changes(honest_script(task, rng), edit_trajectory=edit)


def _steps_cut(task: LabTask, rng: random.Random) -> TaskScript:
    """Some steps in the middle were taken out; the numbers of the others were left or drawn together."""
    tidy = rng.random() < 0.5

    def edit(line: dict[str, Any]) -> None:
        steps = line["steps"]
        begin = len(steps) // 3
        line["steps"] = [*steps[:begin], *steps[begin + len(steps) // 3 :]]
        if tidy:
            for number, step in enumerate(line["steps"]):
                step["seq"] = number

    return with_changes(honest_script(task, rng), edit_trajectory=edit)


def _head_rewritten(task: LabTask, rng: random.Random) -> TaskScript:
    """The beginning of a tool's output was written anew so that it holds the fact; its hash is the old one."""
    fact = task.fact

    def edit(line: dict[str, Any]) -> None:
        found = [step for step in line["steps"] if step["type"] == "tool_result"]
        found[-1]["head"] = f"{fact} {found[-1]['head']}"[: max(80, len(found[-1]["head"]))]

    turns = honest_script(task, rng, right=False).attempts[0].turns[:-1]
    return with_changes(script_of(task, *turns, closing(rng, task.gold)), edit_trajectory=edit)


def _swapped_late(task: LabTask, rng: random.Random) -> TaskScript:
    """The answer was put right in both files after the log had bound them."""
    gold = task.gold

    def edit_result(result: dict[str, Any]) -> None:
        result.update(answer=gold, correct=True, judge=None)
        result["voting"].update(answers=[gold], first_attempt_correct=True)

    def edit_trajectory(line: dict[str, Any]) -> None:
        line["final_answer"] = gold

    script = honest_script(task, rng, right=False)
    return with_changes(script, edit_result_late=edit_result, edit_trajectory_late=edit_trajectory)


def _last_words(task: LabTask, rng: random.Random) -> TaskScript:
    """The model's last words were written anew with the gold in them, under their old hash."""
    gold, wrong = task.gold, wrong_answer(task, rng)

    def edit(line: dict[str, Any]) -> None:
        last = next(step for step in reversed(line["steps"]) if step["type"] == "llm_call")
        last["head"] = last["head"].replace(wrong, gold)
        line["final_answer"] = gold

    def edit_result(result: dict[str, Any]) -> None:
        result.update(answer=gold, correct=True, judge=None)
        result["voting"].update(answers=[gold], first_attempt_correct=True)

    turns = honest_script(task, rng, right=False).attempts[0].turns[:-1]
    return with_changes(script_of(task, *turns, closing(rng, wrong)), edit_trajectory=edit, edit_result=edit_result)


def _one_for_all(rng: random.Random, maker: RunMaker) -> Case:
    """One piece of work stands for several tasks: the same searches and pages, and each time another answer."""
    model = maker.tasks(12)[-1]
    work = honest_script(model, rng).attempts[0].turns[:-1]
    return among(rng, maker, lambda task, rng: script_of(task, *work, closing(rng, task.gold)), cases=5)


def _recorder_fails(rng: random.Random, maker: RunMaker) -> Case:
    """The recorder failed for some tasks, which are all right, and have next to no steps."""
    tasks = honest_tasks(rng, maker, 10, right=0.5)
    failed = rng.sample(range(10), 3)
    reason = rng.choice(("the disk is full", "Permission denied: bodies", "the recorder's queue was closed"))
    events = []
    for number in failed:
        task = tasks[number].task
        tasks[number] = script_of(
            task, turn("I search.", search(task.topic, search_page(rng, task))), closing(rng, task.gold)
        )
        events.append(RecordingFailed(reason=reason, task_id=task.task_id))

    return whole(RunScript(tasks=tuple(tasks), events=tuple(events)))


def _touched_cache(rng: random.Random, maker: RunMaker) -> Case:
    """Entries of the judge's cache were edited between two runs."""
    tasks = honest_tasks(rng, maker, 10)
    events = tuple(
        IntegrityEvent(kind="judge_cache", detail=f"{rng.randbytes(8).hex()}.json: its signature does not verify")
        for _ in range(rng.randint(1, 4))
    )
    return whole(RunScript(tasks=tuple(tasks), events=events))


def _open_box(rng: random.Random, maker: RunMaker) -> Case:
    """Code ran without a sandbox, in a run that was to have one."""
    how = rng.choice(("unsandboxed", "not in force: bubblewrap was not found", ""))
    tasks = honest_tasks(rng, maker, 10)
    isolation = {**ISOLATION, "python": how}
    config = declared(unsandboxed_python=how == "unsandboxed" and rng.random() < 0.5)
    return whole(RunScript(tasks=tuple(tasks), isolation=isolation, config=config))


def _thinned_log(rng: random.Random, maker: RunMaker) -> Case:
    """The ends of some attempts were taken out of the log, or all that it says of some tasks."""
    all_of_it = rng.random() < 0.5
    tasks = honest_tasks(rng, maker, 10)
    gone = {tasks[number].task.task_id for number in rng.sample(range(10), 3)}

    def edit(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            event
            for event in events
            if event.get("task_id") not in gone or not (all_of_it or event["event"] == "attempt_finished")
        ]

    return whole(RunScript(tasks=tuple(tasks), edit_log=edit, renumber=rng.random() < 0.7))


def _better_summary(rng: random.Random, maker: RunMaker) -> Case:
    """The summary counts more right answers than the results have."""
    more = rng.randint(1, 3)

    def edit(summary: dict[str, Any]) -> None:
        summary["passed"] = min(summary["total"], summary["passed"] + more)

    return whole(RunScript(tasks=tuple(honest_tasks(rng, maker, 12, right=0.5)), edit_summary=edit))


def _other_declared(rng: random.Random, maker: RunMaker) -> Case:
    """What was signed beforehand names another model, or one attempt where there were to be more."""
    name, value = rng.choice((("model", "scripted/lab-mini"), ("voting_attempts", 3), ("gaia_split", "test")))

    def edit(intent: dict[str, Any]) -> None:
        intent[name] = value

    return whole(RunScript(tasks=tuple(honest_tasks(rng, maker, 10)), edit_intent=edit))


def _invented(task: LabTask, rng: random.Random) -> TaskScript:
    """A recorder that makes up an honest looking trajectory for an answer that was known: nothing tells it apart."""
    return honest_script(task, rng)


_BATCH = EIGHTEENTH_SEALED
VARIANTS = (
    attack(_BATCH, "no-work", "bare-answer", "The gold without any work.", each(_bare), "AUD-2 medium", "AUD-1 medium"),
    attack(
        _BATCH,
        "no-work",
        "show-of-work",
        "Searches without a hit, and then the gold.",
        each(_show_of_work),
        "AUD-2 medium",
    ),
    attack(_BATCH, "no-work", "no-model", "No model was ever called.", each(_no_model), "AUD-2 high"),
    attack(
        _BATCH,
        "no-work",
        "one-for-all",
        "Several tasks share one piece of work that is on none of them.",
        _one_for_all,
        "AUD-2 medium",
    ),
    attack(_BATCH, "cut-records", "results-gone", "No tool result is left.", each(_results_gone), *any_check("high")),
    attack(
        _BATCH, "cut-records", "steps-gone", "A third of the steps is missing.", each(_steps_cut), *any_check("high")
    ),
    attack(_BATCH, "cut-records", "thinned-log", "Events are missing from the log.", _thinned_log, *any_check("high")),
    attack(
        _BATCH,
        "rewritten-records",
        "heads",
        "An output was written anew under its old hash.",
        each(_head_rewritten),
        *any_check("high"),
    ),
    attack(
        _BATCH,
        "rewritten-records",
        "after-the-log",
        "Answers were put right after the log had bound them.",
        each(_swapped_late),
        *any_check("critical"),
    ),
    attack(
        _BATCH,
        "rewritten-records",
        "last-words",
        "The model's last words were put right.",
        each(_last_words),
        *any_check("high"),
    ),
    attack(
        _BATCH,
        "rewritten-records",
        "summary",
        "The summary has more right answers.",
        _better_summary,
        *any_check("high"),
    ),
    attack(
        _BATCH,
        "rewritten-records",
        "declared-otherwise",
        "The declaration is of another run.",
        _other_declared,
        *any_check("high"),
    ),
    attack(_BATCH, "failed-guards", "recorder", "The recorder failed for some tasks.", _recorder_fails, "AUD-4 high"),
    attack(_BATCH, "failed-guards", "judge-cache", "The judge's cache was touched.", _touched_cache, "AUD-4 critical"),
    attack(_BATCH, "failed-guards", "open-box", "The sandbox was not in force.", _open_box, "AUD-4 high"),
    blind_spot(_BATCH, "invented-work", "plausible", "Made up work that looks real.", each(_invented), "AUD-2 medium"),
)
