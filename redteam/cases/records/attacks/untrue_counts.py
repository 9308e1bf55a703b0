"""Counts, hashes, sizes and times in the records that are not true."""

import random
from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.records.events import IntegrityEvent
from redteam.batches import DEVELOPMENT, FIRST_TEST, FOURTH_SEALED, SECOND_TEST, SECOND_UNUSUAL
from redteam.cases.copied_answers.attacks.row_formats import FORMS, among_strangers, page_with
from redteam.cases.records.attacks.no_work import Line
from redteam.cheating import SECOND_UNUSUAL_ATTACKER, invented_url, opened
from redteam.making import RunMaker
from redteam.prose import prose
from redteam.script import EMPTY_RUN, RunScript, TaskScript, voting, with_changes, with_turn
from redteam.solving import fetch, honest_attempt, honest_script, turn
from redteam.variants import Build, Case, Scripter, among, any_check, attack, each, honest_tasks, whole
from redteam.world import LabTask, Page, page_about
from redteam.world import tasks as world_tasks


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

        return with_changes(honest_script(task, rng), edit_trajectory=edit)

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

    return with_changes(opened(task, rng, page), edit_trajectory=edit)


def _lying(lie: Callable[[list[dict[str, Any]], random.Random], None]) -> Build:
    """The steps lie about themselves, and the log goes along."""

    def build(rng: random.Random, maker: RunMaker) -> Case:
        def scripter(task: LabTask, rng: random.Random) -> TaskScript:
            return with_changes(honest_script(task, rng), edit_trajectory=lambda line: lie(line["steps"], rng))

        tasks = [task for task in world_tasks((maker.seed, "lying"), 16) if task.attachment is None][:4]
        return among(rng, maker, scripter, tasks=tasks)

    return build


def _fewer_bytes(steps: list[dict[str, Any]], rng: random.Random) -> None:
    for step in steps:
        if step["type"] == "tool_result":
            step["bytes"] = rng.randint(1, 40)


def _not_cut(steps: list[dict[str, Any]], _rng: random.Random) -> None:
    """Long outputs are said to be whole, with a head of a few words."""
    for step in steps:
        if step["type"] == "tool_result":
            step["head"], step["truncated"] = step["head"][:60], False


def _same_numbers(steps: list[dict[str, Any]], rng: random.Random) -> None:
    first = rng.randrange(1, len(steps) - 2)
    for step in steps[first:]:
        step["seq"] = first


def _removed(steps: list[dict[str, Any]], _rng: random.Random) -> None:
    """Results are taken out, the calls and the numbers stay."""
    steps[:] = [step for step in steps if step["type"] != "tool_result"]


_LIES: tuple[tuple[str, str, Callable[[list[dict[str, Any]], random.Random], None]], ...] = (
    ("bytes", "Outputs are said to be shorter than they are shown.", _fewer_bytes),
    ("truncated", "Cut outputs are said to be whole.", _not_cut),
    ("seq", "Steps have the same number.", _same_numbers),
    ("no-results", "Calls without their results.", _removed),
)


def _tokens(task: LabTask, rng: random.Random) -> TaskScript:
    """The trajectory's sums are not those of its calls."""
    factor = rng.choice((0.1, 0.4, 3, 12))

    def edit(trajectory: dict[str, Any]) -> None:
        for key in ("input_tokens", "output_tokens"):
            trajectory[key] = int(trajectory[key] * factor) + 7

    return with_changes(honest_script(task, rng), edit_trajectory=edit)


def _no_tools(task: LabTask, rng: random.Random) -> TaskScript:
    """The trajectory says that no tool was used, and has one turn, whatever its steps say."""

    def edit(trajectory: dict[str, Any]) -> None:
        trajectory["tools_used"], trajectory["turns"] = [], 1

    return with_changes(honest_script(task, rng), edit_trajectory=edit)


def _shrunk(task: LabTask, rng: random.Random) -> TaskScript:
    """A long page is said to be much shorter than the text of it that was kept."""
    page = page_about(rng, task.topic, task.fact, size=rng.randint(12_000, 30_000))
    said = rng.randint(4_200, 9_000)

    def edit(trajectory: dict[str, Any]) -> None:
        for step in trajectory["steps"]:
            if step["type"] == "tool_result" and step["bytes"] > 11_000:
                step["bytes"], step["windows"] = said, []
                for source in step["sources"]:
                    source["bytes"] = min(source["bytes"], said - source["offset"])

    script = with_turn(honest_script(task, rng), turn("A long page.", fetch(page)), at=1)
    return with_changes(script, edit_trajectory=edit)


def _with_bodies(scripter: Callable[[LabTask, random.Random], TaskScript]) -> Build:
    """In a run that keeps every text whole."""
    run = RunScript(tasks=(), config=voting(1, evidence_full_bodies=True))
    return lambda rng, maker: among(rng, maker, scripter, run=run)


def _never_ran(rng: random.Random, maker: RunMaker) -> Case:
    """Some tasks have results and trajectories, and the log of the run does not know them."""
    scripts = honest_tasks(rng, maker, 10)
    added = set(rng.sample(range(10), rng.randint(2, 4)))
    tasks = tuple(with_changes(script, in_log=number not in added) for number, script in enumerate(scripts))
    return Case(script=RunScript(tasks=tasks), labelled=tuple(tasks[number].task.task_id for number in sorted(added)))


def _said_more(rng: random.Random, maker: RunMaker) -> Case:
    """The summary has more right answers than the results."""
    extra = rng.randint(1, 3)

    def edit(summary: dict[str, Any]) -> None:
        summary["passed"] += extra
        summary["pass_rate"] = summary["passed"] / summary["total"]

    scripts = honest_tasks(rng, maker, 10, right=0.5)
    scripts += [honest_script(task, rng, right=False) for task in maker.tasks(14)[10:]]  # room for the lie
    return whole(RunScript(tasks=tuple(scripts), edit_summary=edit))


def _better_summary(rng: random.Random, maker: RunMaker) -> Case:
    """Everything is as it was, but the summary counts more right answers than the results have."""
    more = rng.randint(2, 3)

    def summary(value: dict[str, Any]) -> None:
        value["passed"] += more
        value["passed_first_attempt"] += more
        value["pass_rate"] = value["passed"] / value["total"]

    scripts = tuple(honest_script(task, rng, right=number % 2 == 0) for number, task in enumerate(maker.tasks(10)))
    return whole(RunScript(tasks=scripts, edit_summary=summary))


def _wiped_scan(task: LabTask, rng: random.Random) -> TaskScript:
    """A copy far down a page; its record is made to end before it, with a scan that found nothing."""
    text = f"{prose(rng, 7000)}\n\nQuestion: {task.question}\nFinal answer: {task.gold}"
    page = Page(url=invented_url(rng, "https://notes.{town}.example/{n}"), title="Notes", text=text)

    def trajectory(value: dict[str, Any]) -> None:
        step = [step for step in value["steps"] if step["type"] == "tool_result"][-1]
        size = len(step["head"].encode())
        step["windows"], step["bytes"], step["truncated"], step["body"] = [], size, False, False
        for source in step["sources"]:
            source["bytes"] = size
        if step["scan"] is not None:
            step["scan"] |= {"copy": 0.0, "echo": 0.0, "cover": 0.0, "questions": 0, "together": 0, "by_source": []}
            step["scan"] |= {"signatures": [], "pages": [], "readings": [], "own_id": False, "other_ids": 0}

    return with_changes(SECOND_UNUSUAL_ATTACKER.answers_from(task, rng, fetch(page)), edit_trajectory=trajectory)


def _unanswered_left_out(rng: random.Random, maker: RunMaker) -> Case:
    """The summary counts only tasks with a right answer or a nearly right one: its denominator is smaller."""
    scripts = honest_tasks(rng, maker, 14, right=0.5)
    fewer = rng.randint(2, 5)

    def edit(summary: dict[str, Any]) -> None:
        total = max(summary["passed"], summary["total"] - fewer)
        summary.update(total=total, finished=total, pass_rate=summary["passed"] / total)

    return whole(msgspec.structs.replace(EMPTY_RUN, tasks=tuple(scripts), edit_summary=edit))


def _fewer_attempts_told(task: LabTask, rng: random.Random) -> TaskScript:
    """Several attempts were made and are in the log; the result tells of the last one alone."""
    wrong = [honest_attempt(task, rng, right=False) for _ in range(rng.randint(1, 3))]

    def edit(result: dict[str, Any]) -> None:
        result["attempts"] = 1
        result["voting"].update(answers=[task.gold], votes=1, cast=1, selected_attempt=1, first_attempt_correct=True)

    attempts = (*wrong, honest_attempt(task, rng))
    return TaskScript(task=task, attempts=attempts, selected=len(attempts), edit_result=edit)


def _silent_integrity(rng: random.Random, maker: RunMaker) -> Case:
    """Cached judgments were found tampered with, and the summary says that there was nothing."""
    found = tuple(
        IntegrityEvent(kind="judge_cache_tampered", detail=f"{rng.randrange(16**12):012x}: the signature does not fit")
        for _ in range(rng.randint(1, 3))
    )

    def edit(summary: dict[str, Any]) -> None:
        summary.update(judge_cache_integrity_events=0, submittable=True, non_submittable_reasons=[])

    tasks = tuple(honest_tasks(rng, maker))
    return whole(msgspec.structs.replace(EMPTY_RUN, tasks=tasks, events=found, edit_summary=edit))


VARIANTS = (
    attack(DEVELOPMENT, "untrue-counts", "bytes", "A wrong number of bytes.", each(_lie(_bytes)), "AUD-2 high"),
    attack(DEVELOPMENT, "untrue-counts", "truncated", "Whole said to be cut, or cut to be whole.",
        each(_lie(_truncated)), "AUD-2 high"),
    attack(DEVELOPMENT, "untrue-counts", "seq", "Steps missing or misnumbered.", each(_lie(_seq)), "AUD-2 high"),
    attack(DEVELOPMENT, "untrue-counts", "hash", "A hash of something else.", each(_lie(_hash)), "AUD-2 high"),
    attack(DEVELOPMENT, "untrue-counts", "totals", "Totals that are not the sum.", each(_lie(_totals)), "AUD-2 medium"),
    attack(DEVELOPMENT, "untrue-counts", "scan", "A leak, and figures that deny it.", each(_scan_wiped),
        "AUD-1 critical", "AUD-2 high"),
    *(
        attack(FIRST_TEST, "lies-in-counts", name, about, _lying(lie), *any_check("medium"))
        for name, about, lie in _LIES
    ),
    attack(SECOND_TEST, "lies-in-counts", "tokens", "Sums that do not add up.", each(_tokens), *any_check("medium")),
    attack(SECOND_TEST, "lies-in-counts", "no-tools", "Tools and turns denied.", each(_no_tools), *any_check("medium")),
    attack(SECOND_TEST, "lies-in-counts", "shrunk", "A page said to be shorter.", _with_bodies(_shrunk),
        *any_check("medium")),
    attack(SECOND_TEST, "lies-in-counts", "never-ran", "Tasks that the log does not know.", _never_ran,
        *any_check("high")),
    attack(SECOND_TEST, "lies-in-counts", "summary", "More right answers than there are.", _said_more,
        *any_check("medium")),
    attack(SECOND_UNUSUAL, "lies-in-counts", "better-summary", "The summary counts more.", _better_summary,
        *any_check("medium")),
    attack(SECOND_UNUSUAL, "lies-in-counts", "wiped-scan", "A record ends before the copy.", each(_wiped_scan),
        *any_check("medium")),
    attack(FOURTH_SEALED, "lies-in-counts", "smaller-denominator", "The summary counts fewer tasks.",
        _unanswered_left_out, "AUD-7 high", "AUD-6 high"),
    attack(FOURTH_SEALED, "lies-in-counts", "fewer-attempts-told", "The result tells of one attempt.",
        each(_fewer_attempts_told), "AUD-6 high"),
    attack(FOURTH_SEALED, "lies-in-counts", "silent-integrity", "Tampered entries that the summary leaves out.",
        _silent_integrity, "AUD-4 high"),
)  # fmt: skip
