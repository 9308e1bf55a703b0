"""Examines one line of trajectories.jsonl; the result is small enough to keep for every line."""

import hashlib
from bisect import bisect
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.figures import total
from gaia_harness.protocol import AGENT_HTTP, AGENT_REFUSED
from gaia_harness.records.replay import TaskLog
from gaia_harness.records.steps import LlmCall, Prompt, ToolCallStep, ToolResultStep
from gaia_harness.records.trajectories import ReadLine, Trajectory, hash_prefixes, steps_as_written
from gaia_harness.submission.costs import Costs, costs_of
from gaia_harness.submission.file_set import TRAJECTORIES
from gaia_harness.submission.results import reasoning_trace

LONGEST_NAME, LONGEST_HOST = 80, 260
MOST_NAMES = 20
MOST_HOSTS = 1000
OTHER_NAMES = "any other name"
REFUSED_HOST = ", refused"
"""Stands behind a host and port that an agent in a box wanted to reach, and did not."""


class AttemptEnd(msgspec.Struct, frozen=True):
    """The end of an attempt in a trajectory: how many steps there are up to it, and their hash."""

    attempt: int
    steps: int
    sha256: str


class References(msgspec.Struct, frozen=True, kw_only=True):
    """The stored texts that a trajectory refers to, by hash, and the models that replied."""

    prompts: tuple[str, ...]
    catalogues: tuple[str, ...]
    systems: tuple[str, ...]
    bodies: tuple[str, ...]
    every_body: bool
    words: tuple[str, ...]
    """Model's words that are longer than their heads."""
    words_cut: int
    """How many of the model's words are kept in part only."""
    served: dict[str, int]
    hosts: dict[str, int]
    """Of the requests that an agent in a box made by itself."""


class LineFacts(msgspec.Struct, frozen=True, kw_only=True, tag="sound"):
    """One valid trajectory, without its steps."""

    number: int
    sha256: str
    task_id: str
    model: str
    final_answer: str | None
    voting_attempts: int
    selected_attempt: int
    turns: int
    input_tokens: int | None
    output_tokens: int | None
    asked: tuple[str, ...]
    used: tuple[str, ...]
    marks: tuple[AttemptEnd, ...]
    named: References
    trace: str
    costs: Costs | None


def references_of(trajectory: Trajectory) -> References:
    """The references of a trajectory."""
    prompts, catalogues, systems, bodies, words = set(), set(), set(), set(), set()
    words_cut = 0
    every_body = True
    served: dict[str, int] = {}
    hosts: dict[str, int] = {}
    for step in trajectory.steps:
        if isinstance(step, ToolResultStep):
            if step.name == AGENT_HTTP:
                count_served(hosts, ((host_of(source.url), 1) for source in step.sources), MOST_HOSTS)
            elif step.name == AGENT_REFUSED:
                asked = ((f"{host_of(source.url)}{REFUSED_HOST}", 1) for source in step.sources)
                count_served(hosts, asked, MOST_HOSTS)
            if step.body:
                bodies.add(step.stored_sha256)
            else:
                every_body = False
        elif isinstance(step, LlmCall):
            count_served(served, ((step.model[:LONGEST_NAME], 1),))
            for said in (step, step.thoughts):
                if said is not None and said.truncated:
                    if said.body is True:
                        words.add(said.stored_sha256)
                    else:
                        words_cut += 1
        elif isinstance(step, Prompt) and step.is_stored:
            prompts.add(step.stored_sha256)
            if step.role == "tools":
                catalogues.add(step.stored_sha256)
            elif step.role == "system":
                systems.add(step.content_sha256)
    return References(
        prompts=tuple(sorted(prompts)),
        catalogues=tuple(sorted(catalogues)),
        systems=tuple(sorted(systems)),
        bodies=tuple(sorted(bodies)),
        every_body=every_body,
        words=tuple(sorted(words)),
        words_cut=words_cut,
        served=served,
        hosts=hosts,
    )


def examine(line: ReadLine, number: int) -> LineFacts:
    """Check a line as far as it can be checked by itself; one that does not hold up is an EvidenceError."""
    where = f"{TRAJECTORIES}:{number}"
    trajectory = line.trajectory
    if trajectory is None:
        raise EvidenceError(line.fault or f"{where}: not a trajectory")
    tools, well_asked, used = set(), set(), set()
    calls: list[LlmCall] = []
    ends: dict[int, int] = {}
    index = turns = attempt = turn = 0
    for index, step in enumerate(trajectory.steps, start=1):
        if step.turn != turn or step.attempt != attempt:  # which never go back
            if step.attempt != attempt and index > 1:
                ends[attempt] = index - 1
            attempt, turn = step.attempt, step.turn
            turns += 1
        if isinstance(step, ToolResultStep):
            if not step.is_error and (step.attempt, step.call_id) in well_asked:
                used.add(step.name)
        elif isinstance(step, LlmCall):
            calls.append(step)
        elif isinstance(step, ToolCallStep):
            tools.add(step.name)
            if isinstance(step.args, dict):
                well_asked.add((step.attempt, step.call_id))
    if index:
        ends[attempt] = index
    said = {
        "turns": (trajectory.turns, turns),
        "input_tokens": (trajectory.input_tokens, total(call.tokens_in for call in calls)),
        "output_tokens": (trajectory.output_tokens, total(call.tokens_out for call in calls)),
        "tools_used": (trajectory.tools_used, tuple(sorted(tools))),
    }
    for name, (claimed, found) in said.items():
        if claimed != found:
            raise EvidenceError(f"{where}: {name} is not what its steps add up to ({found})")
    return LineFacts(
        number=number,
        sha256=hashlib.sha256(line.data).hexdigest(),
        task_id=trajectory.task_id,
        model=trajectory.model,
        final_answer=trajectory.final_answer,
        voting_attempts=trajectory.voting_attempts,
        selected_attempt=trajectory.selected_attempt,
        turns=turns,
        input_tokens=trajectory.input_tokens,
        output_tokens=trajectory.output_tokens,
        asked=trajectory.tools_used,
        used=tuple(sorted(used)),
        marks=_marks(trajectory, ends, line.data if line.as_ours else None),
        named=references_of(trajectory),
        trace=reasoning_trace(trajectory),
        costs=costs_of(trajectory.model, calls),
    )


def host_of(address: str) -> str:
    """The host in an address, with its port where that is not the usual one."""
    try:
        return urlsplit(address).netloc.encode("ascii", "backslashreplace").decode()[:LONGEST_HOST] or "no host"
    except ValueError:
        return "no host"


def count_served(served: dict[str, int], replies: Iterable[tuple[str, int]], most: int = MOST_NAMES) -> dict[str, int]:
    """Add replies by the model's name that each gave, in place; `most` names by themselves, all others together."""
    for name, count in replies:
        known = name in served or len(served) < most
        served[name if known else OTHER_NAMES] = served.get(name if known else OTHER_NAMES, 0) + count
    return served


def check_binding(line: LineFacts, task: TaskLog, resumed: Sequence[int]) -> None:
    """The line must be the one that the log binds, and each of its attempts the one that the log has.

    `resumed` are the lines of the log that say that the run was resumed, in order.
    """
    where = f"{TRAJECTORIES}:{line.number}"
    if line.sha256 != task.trajectory_sha256:
        raise EvidenceError(f"{where}: not the line that the log binds (log.jsonl:{task.line})")
    if line.task_id != task.task_id:
        raise EvidenceError(
            f"{where}: of the task {line.task_id[:80]!a}, not of the one that log.jsonl:{task.line} names"
        )
    marks = {mark.attempt: mark for mark in line.marks}
    first = min(marks, default=len(task.attempts) + 1)
    here = [attempt for attempt in task.attempts if attempt.number >= first]
    lost = [attempt for attempt in task.attempts if attempt.number < first]
    if marks.keys() - {attempt.number for attempt in here}:
        raise EvidenceError(f"{where}: has steps of an attempt that the log does not have")
    if lost and not (here and bisect(resumed, lost[-1].started_at + 1) < bisect(resumed, here[0].started_at + 1)):
        raise EvidenceError(f"{where}: attempt {lost[-1].number} has no steps, and no resume explains that")
    steps, sha256 = 0, hashlib.sha256(b"[]").hexdigest()
    for attempt in here:
        mark = marks.get(attempt.number)
        if mark is not None:
            steps, sha256 = mark.steps, mark.sha256
        if (attempt.steps, attempt.steps_sha256) != (steps, sha256):
            raise EvidenceError(f"{where}: the steps of attempt {attempt.number} are not those that the log binds")
    if line.selected_attempt not in {attempt.number for attempt in here}:
        raise EvidenceError(f"{where}: its answer is from attempt {line.selected_attempt}, which it does not have")


def _marks(trajectory: Trajectory, ends: dict[int, int], line: bytes | None) -> tuple[AttemptEnd, ...]:
    """The ends of the attempts; `line` is given where it is written as we would write it."""
    written = steps_as_written(line) if len(ends) == 1 and line is not None else None
    if written is not None:  # nearly always: nothing needs to be encoded again
        ((attempt, end),) = ends.items()
        return (AttemptEnd(attempt, end, hashlib.sha256(written).hexdigest()),)
    hashes = hash_prefixes(trajectory.steps, ends.values())
    return tuple(AttemptEnd(attempt, end, sha256) for (attempt, end), sha256 in zip(ends.items(), hashes, strict=True))
