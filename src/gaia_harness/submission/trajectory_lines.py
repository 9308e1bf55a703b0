"""What one line of trajectories.jsonl comes to: little enough to keep for every line of a large file."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from gaia_harness.audit.line_checks import LONGEST_TRAJECTORY
from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.steps import STANDING_ROLES, LlmCall, ToolCallStep, ToolResultStep
from gaia_harness.evidence.trajectory import Trajectory, decode_line, encode, steps_as_written
from gaia_harness.figures import total
from gaia_harness.files import read_lines
from gaia_harness.submission.file_set import TRAJECTORIES
from gaia_harness.submission.log_reading import FinishedTask
from gaia_harness.submission.results import reasoning_trace


class Mark(msgspec.Struct, frozen=True):
    """The end of an attempt in a trajectory: how many steps there are up to it, and their hash."""

    attempt: int
    steps: int
    sha256: str


class LineFacts(msgspec.Struct, frozen=True, kw_only=True, tag="sound"):
    """One trajectory that holds up, without its steps."""

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
    marks: tuple[Mark, ...]
    prompts: tuple[str, ...]
    catalogues: tuple[str, ...]
    bodies: tuple[str, ...]
    every_body: bool
    trace: str


def examine(line: bytes, number: int) -> LineFacts:
    """Check a line, without its newline, as far as it can be checked by itself."""
    where = f"{TRAJECTORIES}:{number}"
    trajectory, as_ours = decode_line(line, where=where)
    prompts, catalogues, bodies, tools, well_asked, used = set(), set(), set(), set(), set(), set()
    tokens_in: list[int | None] = []
    tokens_out: list[int | None] = []
    every_body = True
    ends: dict[int, int] = {}
    index = turns = attempt = turn = 0
    for index, step in enumerate(trajectory.steps, start=1):
        if step.turn != turn or step.attempt != attempt:  # which never go back
            if step.attempt != attempt and index > 1:
                ends[attempt] = index - 1
            attempt, turn = step.attempt, step.turn
            turns += 1
        if isinstance(step, ToolResultStep):
            if step.body:
                bodies.add(step.stored_sha256)
            else:
                every_body = False
            if not step.is_error and step.name in well_asked:
                used.add(step.name)
        elif isinstance(step, LlmCall):
            tokens_in.append(step.tokens_in)
            tokens_out.append(step.tokens_out)
        elif isinstance(step, ToolCallStep):
            tools.add(step.name)
            if isinstance(step.args, dict):
                well_asked.add(step.name)
        elif step.role in STANDING_ROLES:
            prompts.add(step.stored_sha256)
            if step.role == "tools":
                catalogues.add(step.stored_sha256)
    if index:
        ends[attempt] = index
    said = {
        "turns": (trajectory.turns, turns),
        "input_tokens": (trajectory.input_tokens, total(tokens_in)),
        "output_tokens": (trajectory.output_tokens, total(tokens_out)),
        "tools_used": (trajectory.tools_used, tuple(sorted(tools))),
    }
    for name, (claimed, found) in said.items():
        if claimed != found:
            raise EvidenceError(f"{where}: {name} is not what its steps add up to ({found})")
    return LineFacts(
        number=number,
        sha256=hashlib.sha256(line).hexdigest(),
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
        marks=tuple(
            Mark(attempt, end, _steps_sha256(trajectory, end, line if as_ours else None))
            for attempt, end in ends.items()
        ),
        prompts=tuple(sorted(prompts)),
        catalogues=tuple(sorted(catalogues)),
        bodies=tuple(sorted(bodies)),
        every_body=every_body,
        trace=reasoning_trace(trajectory),
    )


def examine_all(path: Path) -> Iterator[LineFacts]:
    """Every line of a file in turn, one in memory at once."""
    try:
        for line in read_lines(path, longest=LONGEST_TRAJECTORY):
            if line.torn:
                raise EvidenceError(f"{TRAJECTORIES}:{line.number}: the line is cut short")
            yield examine(line.data[:-1], line.number)
    except EvidenceError as error:
        raise EvidenceError(error.message.replace(f"{path.parent}/", "")) from error


def check_binding(line: LineFacts, task: FinishedTask, resumed: tuple[int, ...]) -> None:
    """The line must be the one that the log binds, and each of its attempts the one that the log has."""
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
    if lost and not (here and any(lost[-1].line < at < here[0].line for at in resumed)):
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


def _steps_sha256(trajectory: Trajectory, end: int, line: bytes | None) -> str:
    """Of the first steps as a JSON array; `line` is given where it is written as we would write it."""
    written = steps_as_written(line) if end == len(trajectory.steps) and line is not None else None
    return hashlib.sha256(encode(trajectory.steps[:end]) if written is None else written).hexdigest()
