"""Records with something missing: prompts, steps, events, the sandbox, or the truth of a sum."""

import hashlib
import random
from typing import Any

import msgspec

from gaia_harness import protocol
from gaia_harness.records.events import RecordingFailed
from redteam.batches import SIXTEENTH_SEALED
from redteam.honest_steps import opened_with
from redteam.making import RunMaker
from redteam.prose import prose
from redteam.script import Attempt, Call, RunScript, TaskScript, Turn, declared, with_changes, with_turn
from redteam.solving import attempt_of, calculation, closing, fetch, honest_attempt, honest_script, turn
from redteam.task_record import usual_opening
from redteam.variants import (
    Build,
    Case,
    any_check,
    attack,
    blind_spot,
    each,
    honest_tasks,
    whole,
    with_other_tasks,
)
from redteam.world import LabTask, page_about

Json = dict[str, Any]

_DISK = (
    "step {n}: OSError: [Errno 28] No space left on device",
    "step {n}: OSError: [Errno 5] Input/output error",
    "step {n}: UnicodeEncodeError: surrogates not allowed",
    "step {n}: PermissionError: [Errno 13] Permission denied",
)


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _notes_not_kept(task: LabTask, rng: random.Random) -> TaskScript:
    """A long prompt with the answer near its end, of which only the head is there."""
    notes = f"{task.question}\n\nNotes of the preparation stage:\n{prose(rng, 2600)}\n\nResult so far: {task.gold}"

    def unkept(line: Json) -> None:
        for step in line["steps"]:
            if step["type"] == "prompt" and step.pop("whole", False):
                step["content_sha256"] = _sha(step["head"])

    opened = opened_with(honest_script(task, rng), (*usual_opening(task)[:2], ("user", notes)))
    return with_changes(opened, edit_trajectory=unkept)


def _prompt_swapped(rng: random.Random, maker: RunMaker) -> Case:
    """The instructions that were sent had answers in them; the file that is kept under their hash has none."""
    tasks = maker.tasks(10)
    clean = f"{protocol.SYSTEM}\n\nHouse style:\n{prose(rng, 1500)}"
    sent = f"{clean}\n\nFrom earlier sessions:\n" + "\n".join(f"- {task.topic}: {task.gold}" for task in tasks)
    scripts = [opened_with(honest_script(task, rng), (("system", sent), *usual_opening(task)[1:])) for task in tasks]
    files = {f"prompts/{_sha(sent)}": clean.encode(), "system_prompt.txt": clean.encode()}
    config = declared(system_prompt_sha256=_sha(sent))
    return whole(RunScript(tasks=tuple(scripts), config=config, files=files))


def _unanswered(script: TaskScript) -> TaskScript:
    """The same task with no result of any tool on record."""
    attempts = tuple(
        msgspec.structs.replace(
            attempt,
            turns=tuple(
                msgspec.structs.replace(
                    each_turn, calls=tuple(msgspec.structs.replace(call, output=None) for call in each_turn.calls)
                )
                for each_turn in attempt.turns
            ),
        )
        for attempt in script.attempts
    )
    return with_changes(script, attempts=attempts)


def _recorder_failed(*, hushed: bool) -> Build:
    def build(rng: random.Random, maker: RunMaker) -> Case:
        scripts = honest_tasks(rng, maker, right=0.9)
        lost = rng.sample(range(len(scripts)), rng.randint(2, 4))
        for at in lost:
            scripts[at] = _unanswered(scripts[at])
        events = tuple(
            RecordingFailed(reason=rng.choice(_DISK).format(n=rng.randint(4, 19)), task_id=scripts[at].task.task_id)
            for at in lost
        )
        script = RunScript(tasks=tuple(scripts), events=events)
        return whole(_hushed(script) if hushed else script)

    return build


def _hushed(script: RunScript) -> RunScript:
    """The same run with a summary and an end that know of nothing."""

    def clean(summary: Json) -> None:
        summary |= {"submittable": True, "non_submittable_reasons": []}

    def fit(events: list[Json]) -> list[Json]:
        events[-1]["submittable"] = True
        return events

    return msgspec.structs.replace(script, edit_summary=clean, edit_log=fit)


def _contained(*isolations: dict[str, str]) -> Build:
    """A run that uses code in many tasks, and says one of these things of its sandbox."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        scripts = honest_tasks(rng, maker)
        for at in rng.sample(range(len(scripts)), rng.randint(4, 8)):
            scripts[at] = with_turn(scripts[at], turn("A sum, to be sure.", calculation(rng)))
        return whole(RunScript(tasks=tuple(scripts), isolation=dict(rng.choice(isolations))))

    return build


def _better_sums(rng: random.Random, maker: RunMaker) -> Case:
    more = rng.randint(2, 4)

    def lift(summary: Json) -> None:
        summary["passed"] += more
        summary["passed_first_attempt"] += more
        summary["pass_rate"] = summary["passed"] / summary["total"]

    return whole(RunScript(tasks=tuple(honest_tasks(rng, maker, right=0.4)), edit_summary=lift))


def _with_shortcut(task: LabTask, rng: random.Random) -> TaskScript:
    """Work with a turn in it that somebody would rather not show."""
    page = page_about(rng, f"solutions, {task.topic}", f"{task.question} Answer: {task.gold}", size=900)
    return with_turn(honest_script(task, rng), turn("Here is the whole thing.", fetch(page)))


def _without_turn(line: Json) -> None:
    """Take out the last turn but one."""
    last = max(step["turn"] for step in line["steps"])
    line["steps"] = [step for step in line["steps"] if step["turn"] != last - 1]
    for number, step in enumerate(line["steps"]):
        step["seq"] = number


def _cut_afterwards(task: LabTask, rng: random.Random) -> TaskScript:
    return with_changes(_with_shortcut(task, rng), edit_trajectory_late=_without_turn)


def _cut_in_time(task: LabTask, rng: random.Random) -> TaskScript:
    return with_changes(_with_shortcut(task, rng), edit_trajectory=_without_turn)


def _from_nowhere(task: LabTask, rng: random.Random) -> TaskScript:
    words = rng.choice(("", "Done.", "The task is complete.", "See the result."))
    return TaskScript(task=task, attempts=(Attempt(turns=(Turn(words=words),), answer=task.gold),))


def _work_on_another(task: LabTask, rng: random.Random, others: list[LabTask]) -> TaskScript:
    """Steps that were made for another question, with this one's answer in the files."""
    other = rng.choice([each_other for each_other in others if each_other.attachment is None])
    attempt = honest_attempt(other, rng)
    opening = usual_opening(other)
    return TaskScript(task=task, attempts=(msgspec.structs.replace(attempt, opening=opening, answer=task.gold),))


def _done_twice(rng: random.Random, maker: RunMaker) -> Case:
    """The log has an end of some tasks, with other hashes, before the one that the files have."""
    scripts = honest_tasks(rng, maker, right=0.9)
    again = rng.sample([script.task.task_id for script in scripts], 4)
    hashes = [rng.randbytes(32).hex() for _ in range(12)]

    def edit(events: list[Json]) -> list[Json]:
        changed, drawn = [], iter(hashes)
        for event in events:
            if event["event"] == "task_finished" and event["task_id"] in again:
                first = dict(event)
                for name in ("trajectory_sha256", "result_sha256", "outcome_sha256"):
                    first[name] = next(drawn)
                changed.append(first)
            changed.append(event)
        return changed

    return Case(script=RunScript(tasks=tuple(scripts), edit_log=edit), labelled=tuple(again))


def _never_logged(task: LabTask, rng: random.Random) -> TaskScript:
    return with_changes(honest_script(task, rng), in_log=False)


def _no_results(task: LabTask, rng: random.Random) -> TaskScript:
    return _unanswered(honest_script(task, rng))


def _fewer_calls(task: LabTask, rng: random.Random) -> TaskScript:
    """The result tells of fewer turns, tokens and tools than the steps have."""

    def shrink(line: Json) -> None:
        line["turns"] = 1
        line["tools_used"] = []
        line["output_tokens"] = max(1, line["output_tokens"] // 5)

    return with_changes(honest_script(task, rng), edit_result=shrink)


def _all_invented(task: LabTask, rng: random.Random) -> TaskScript:
    """Pages that nobody ever read, made up to lead to the answer."""
    page = page_about(rng, task.topic, task.fact)
    return TaskScript(
        task=task,
        attempts=(
            attempt_of(
                turn("I open the page.", fetch(page)),
                turn("I check it.", Call(name="python", args={"code": "print(1)"}, output=calculation(rng).output)),
                closing(rng, task.gold),
            ),
        ),
    )


VARIANTS = (
    attack(
        SIXTEENTH_SEALED,
        "prompts-out-of-sight",
        "notes-cut-at-the-head",
        "A long prompt of which only the beginning is kept; the answer stood near its end.",
        each(_notes_not_kept),
        "AUD-2 medium",
        "AUD-3 medium",
        "AUD-4 medium",
    ),
    attack(
        SIXTEENTH_SEALED,
        "prompts-out-of-sight",
        "another-text-under-its-hash",
        "The kept text of the standing instructions is not the one that was sent.",
        _prompt_swapped,
        "AUD-2 high",
        "AUD-3 high",
        "AUD-4 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "recorder-gave-up",
        "disk-full-and-said",
        "The recorder failed in some tasks, whose tool results are missing, and the run says so.",
        _recorder_failed(hushed=False),
        "AUD-4 medium",
        "AUD-2 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "recorder-gave-up",
        "disk-full-and-hushed-up",
        "The same, and the summary calls the run submittable.",
        _recorder_failed(hushed=True),
        "AUD-4 high",
        "AUD-2 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "box-in-doubt",
        "sandbox-not-stated",
        "Code was run, and the record does not say in what.",
        _contained(
            {"memory": "watched", "web_search": "searxng"},
            {"web_search": "keyless"},
            {"python": "", "memory": "watched", "web_search": "searxng"},
        ),
        "AUD-4 medium",
    ),
    attack(
        SIXTEENTH_SEALED,
        "box-in-doubt",
        "not-offered-and-used",
        "By the record there was no python tool, and tasks called it.",
        _contained({"python": "not offered", "reason": "bubblewrap is not installed", "web_search": "searxng"}),
        "AUD-4 medium",
        "AUD-2 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "untrue-figures",
        "better-sums",
        "The summary counts more right answers than there are results.",
        _better_sums,
        *any_check("medium"),
    ),
    attack(
        SIXTEENTH_SEALED,
        "untrue-figures",
        "fewer-turns-than-steps",
        "The result tells of less work than the steps have.",
        each(_fewer_calls),
        *any_check("medium"),
    ),
    attack(
        SIXTEENTH_SEALED,
        "steps-taken-out",
        "turn-cut-afterwards",
        "A turn with a page of solutions was taken out after the log had bound the line.",
        each(_cut_afterwards),
        "AUD-2 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "steps-taken-out",
        "turn-cut-in-time",
        "The same before the log bound it: the turns do not follow one another, nor do the sums fit.",
        each(_cut_in_time),
        "AUD-2 medium",
    ),
    attack(
        SIXTEENTH_SEALED,
        "steps-taken-out",
        "tools-that-never-answered",
        "Not one tool call has a result, and the answers are right.",
        each(_no_results),
        "AUD-2 medium",
    ),
    attack(
        SIXTEENTH_SEALED,
        "no-such-work",
        "answer-from-nowhere",
        "One reply without an answer in it, and a right answer in the files.",
        each(_from_nowhere),
        "AUD-2 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "no-such-work",
        "work-on-another-question",
        "The steps are those of another question.",
        with_other_tasks(_work_on_another),
        "AUD-2 high",
        "AUD-3 high",
        "AUD-7 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "holes-in-the-log",
        "never-logged",
        "Tasks with results and steps, of which the log knows nothing.",
        each(_never_logged),
        "AUD-2 high",
        "AUD-6 high",
    ),
    attack(
        SIXTEENTH_SEALED,
        "holes-in-the-log",
        "done-twice",
        "The log says twice that a task is done, and the files have the second time.",
        _done_twice,
        "AUD-2 high",
        "AUD-6 high",
        "AUD-7 high",
    ),
    blind_spot(
        SIXTEENTH_SEALED,
        "no-such-work",
        "pages-all-invented",
        "A record that is whole and sound, of pages that nobody read.",
        each(_all_invented),
        "AUD-2 medium",
    ),
)
