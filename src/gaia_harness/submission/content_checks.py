"""Checks that log, trajectories and results of a package agree line by line."""

import hashlib
from collections import Counter
from collections.abc import Iterable

from gaia_harness.errors import EvidenceError
from gaia_harness.figures import counted
from gaia_harness.files import read_lines
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.signing.intent import source_sha256
from gaia_harness.submission.checks import Fault, available, went_back
from gaia_harness.submission.examination import Examination
from gaia_harness.submission.file_set import (
    INTENT,
    LOG,
    METADATA,
    MOST_FAULTS,
    RESULTS,
    TRAJECTORIES,
)
from gaia_harness.submission.guessable import describe_guessable, guessable_golds
from gaia_harness.submission.log_reading import LogReading
from gaia_harness.submission.results import result_line
from gaia_harness.submission.stated_options import notes, system_prompt_faults
from gaia_harness.version import __version__

LONGEST_RESULT = 1 << 20


def check_log(package: Examination) -> str:
    """4. Tree, checkpoints, sequence, close; every trajectory and result line bound by it; every task there."""
    intent = available(INTENT, lambda: package.intent)
    log = package.log
    facts = available(METADATA, lambda: package.metadata).facts
    faults = []
    done = {task.task_id: task for task in log.finished}
    for task_id in sorted(set(facts.task_ids) ^ done.keys())[:20]:
        where = "is in the intent and not in the log" if task_id not in done else "is in the log and not in the intent"
        faults.append(f"{LOG}: the task {task_id[:80]!a} {where}")
    told = Counter(task.task_id for task in facts.tasks)
    if told != Counter(done.keys()):
        odd = sorted(told.keys() ^ done.keys()) or [task_id for task_id, times in told.items() if times > 1]
        faults.append(f"{METADATA}: the facts of {odd[0][:80]!a} are missing, or stand twice, or are of no task")
    for task in facts.tasks:
        bound = done.get(task.task_id)
        if bound is not None and bound.outcome_sha256 != task.sha256():
            faults.append(f"{METADATA}: the facts of {task.task_id[:80]!a} are not those that {LOG}:{bound.line} binds")
        elif bound is not None and task.attempts != len(bound.attempts):
            faults.append(
                f"{METADATA}: {task.attempts} attempts at {task.task_id[:80]!a}, and {LOG}:{bound.line} ends "
                f"{len(bound.attempts)}"
            )
    if tuple(task.task_id for task in facts.tasks) != tuple(sorted(told)):
        faults.append(f"{METADATA}: the facts of the tasks are not sorted by id")
    if facts.judge_cache_integrity_events != log.integrity_events:
        faults.append(f"{METADATA}: {log.integrity_events} integrity events are in the log, not what facts say")
    faults += _judge(log, facts.tasks, intent.judge_model)
    lines = package.lines
    faults += lines.unbound
    faults += _results(package)
    if faults:
        raise Fault(*faults)
    golds = guessable_golds(facts, log)
    if log.earlier:
        package.notes.append(went_back(LOG, log.earlier))
    held = (counted(log.size, "event"), counted(log.checkpoints, "signed checkpoint"), counted(len(done), "task"))
    return f"{', '.join(held)}, closed as complete" + (f"; {describe_guessable(golds)}" if golds else "")


def _judge(log: LogReading, tasks: Iterable[TaskFacts], declared: str | None) -> list[str]:
    """Nobody but the judge that was declared gives an opinion, and those in the facts are those of the log."""
    whom = "no judge" if declared is None else f"{declared[:80]!a}"
    faults = [
        f"{LOG}:{line}: judged by {model[:80]!a}, where {INTENT} names {whom}"
        for model, line in log.judges.items()
        if model != declared
    ][:MOST_FAULTS]
    for task in tasks:
        event = log.judged.get(task.task_id)
        if task.judge is None or (event is None and log.failures):  # an event that could not be written is disclosed
            continue
        said = (task.judge.model, task.judge.verdict, task.judge.cached)
        if event is None or (event.model, event.verdict, event.cached) != said:
            faults.append(f"{METADATA}: the judgment of {task.task_id[:80]!a} is not one that {LOG} has")
    return faults


def _results(package: Examination) -> list[str]:
    """Each line of results.jsonl must be the one that facts and trajectory give, in the order of the log."""
    facts = {task.task_id: task for task in package.metadata.facts.tasks}
    lines = package.lines
    try:
        package.files.require(RESULTS)
    except EvidenceError as error:
        return [error.message]
    expected: list[tuple[str, bytes | None]] = []
    for task in package.log.finished:
        task_id = task.task_id
        sha256 = lines.results.get(task_id) or None
        if task.trajectory_sha256 is None and task_id in facts:
            sha256 = hashlib.sha256(result_line(facts[task_id], "")).digest()
        expected.append((task_id, sha256))
    faults: list[str] = []
    number = 0
    try:
        for line in read_lines(package.files.folder / RESULTS, longest=LONGEST_RESULT):
            number = line.number
            where = f"{RESULTS}:{number}"
            if number > len(expected):
                return [*faults, f"{where}: a line of no task"]
            task_id, sha256 = expected[number - 1]
            if line.torn:
                faults.append(f"{where}: the line is cut short")
            elif sha256 is not None and hashlib.sha256(line.data[:-1]).digest() != sha256:
                faults.append(f"{where}: not what facts and trajectory of {task_id[:80]!a} give")
    except EvidenceError as error:
        return [*faults, error.message.replace(f"{package.files.folder}/", "")]
    if number < len(expected):
        faults.append(f"{RESULTS}:{number + 1}: the line of {expected[number][0][:80]!a} is missing")
    return faults[:20]


def check_trajectories(package: Examination) -> str:
    """5. Schema, sizes, order, every tool result with its call; prompts and bodies exactly those that are named."""
    lines = package.lines
    faults = lines.unsound + lines.unlike
    if not lines.unsound:
        faults += _texts(package)
    if lines.costs_not_ours and _ran_this_version(package):
        faults += lines.costs_not_ours
    elif lines.costs_unlike:
        package.notes.append(f"{lines.costs_unlike[0]}{_and_more(len(lines.costs_unlike) - 1)}")
    faults += _system_prompts(package)
    if faults:
        raise Fault(*faults[:20])
    _served(package)
    return f"{lines.sound} with {counted(lines.steps, 'step')}, {counted(len(package.files.prompts), 'prompt')}" + (
        f", {counted(len(package.files.bodies), 'full output')}" if package.files.bodies else ""
    )


def _ran_this_version(package: Examination) -> bool:
    """Whether the run says that it was made by this very program, which had these prices."""
    intent = available(INTENT, lambda: package.intent)
    return intent.harness_version == __version__ and intent.source_sha256 == source_sha256()


def _system_prompts(package: Examination) -> list[str]:
    """Standing instructions and prices of the submitter's own: say so, and hold the former to the steps."""
    try:
        facts, log, intent = package.metadata.facts, package.log, package.intent
    except EvidenceError:  # which the checks of these say
        return []
    package.notes.extend(notes(facts))
    # who resumes a run with another program gives its words to the rest of the tasks
    ours = not log.interruptions.total(intent.harness_version).programs and _ran_this_version(package)
    return system_prompt_faults(facts, package.lines.systems, ours=ours)


def _and_more(count: int) -> str:
    if count + 1 >= MOST_FAULTS:
        return " (and many more)"
    return f" (and {count} more)" if count else ""


def _served(package: Examination) -> None:
    """Say where replies gave another name than that of the declared model. A dated snapshot of it does, too."""
    asked, served = available(INTENT, lambda: package.intent).model, package.lines.served
    other = {name: count for name, count in served.items() if name not in (asked, asked.partition("/")[2])}
    if other:
        replies = counted(sum(served.values()), "reply", "replies")
        names = ", ".join(f"{name} ({count} of {replies})" for name, count in other.items())
        package.notes.append(f"asked for {asked}, answered as {names}")


def _texts(package: Examination) -> list[str]:
    """prompts/ and bodies/ against what the steps name: none missing, none besides, all with the right content."""
    files, lines = package.files, package.lines
    named, kept = lines.prompts, lines.bodies
    faults = [f"prompts/{sha256}: is missing" for sha256 in sorted(named - files.prompts)]
    faults += [f"prompts/{sha256}: no step names it" for sha256 in sorted(files.prompts - named)]
    for sha256 in sorted(named & files.prompts):
        if package.hash_of(f"prompts/{sha256}") != sha256:
            faults.append(f"prompts/{sha256}: its content does not have the hash in its name")
    if lines.words_cut and package.log.keeps_all_words:
        faults.append(f"{TRAJECTORIES}: {lines.words_cut} replies are cut, and {LOG}:1 says that none is")
    if not files.bodies - lines.words:
        kept = set()
    elif not lines.every_body:
        faults.append("bodies/: has texts, and there are tool results without one")
    kept = kept | lines.words
    faults += [f"bodies/{sha256}.zst: is missing" for sha256 in sorted(kept - files.bodies)]
    faults += [f"bodies/{sha256}.zst: no step names it" for sha256 in sorted(files.bodies - kept)]
    faults += package.body_faults(sorted(kept & files.bodies))
    return faults
