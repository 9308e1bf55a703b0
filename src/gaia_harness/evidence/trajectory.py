"""trajectories.jsonl: one line per task, and what makes a line a good one."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness import strict_json
from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.excerpt import sound
from gaia_harness.evidence.redaction import LONGEST_MASK, MASKED
from gaia_harness.evidence.steps import (
    MOST_WINDOWS,
    OUTPUT_HEAD,
    PROMPT_HEAD,
    WINDOW,
    Count,
    LlmCall,
    Prompt,
    Step,
    ToolCallStep,
    ToolResultStep,
)
from gaia_harness.files import read_lines


class Trajectory(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How one task went: the steps of all its attempts in one ordered list."""

    task_id: str
    model: str
    turns: Count
    final_answer: str | None
    input_tokens: Count | None
    output_tokens: Count | None
    voting_attempts: Count
    selected_attempt: Count
    tools_used: tuple[str, ...]
    steps: tuple[Step, ...]


_decoder = msgspec.json.Decoder(Trajectory)


def encode(value: Trajectory | Sequence[Step]) -> bytes:
    """The bytes of a line, without its newline; of steps alone, a JSON array. No text makes this fail."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:  # a lone surrogate, which JSON in UTF-8 cannot hold
        return msgspec.json.encode(sound(msgspec.to_builtins(value)))


def decode(line: bytes, *, where: str) -> Trajectory:
    """A line as a trajectory. Everything that this format forbids is an error that names the place."""
    try:
        trajectory = _decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EvidenceError(f"{where}: not a trajectory: {error}") from error
    if encode(trajectory) != line:
        # written by another program; what its JSON may hide (a key twice, say) is looked for at leisure
        try:
            strict_json.loads(line, where=where)
        except strict_json.JsonError as error:
            raise EvidenceError(error.message) from error
    check(trajectory, where=where)
    return trajectory


def read_trajectories(path: Path) -> Iterator[tuple[int, bytes, Trajectory]]:
    """The trajectories of a file, one at a time, each with its line number and its bytes."""
    for line in read_lines(path):
        where = f"{path}:{line.number}"
        if line.torn:
            raise EvidenceError(f"{where}: the line is cut short")
        data = line.data[:-1]
        yield line.number, data, decode(data, where=where)


def check(trajectory: Trajectory, *, where: str) -> None:
    """The rules that types cannot say: order, counts, sizes, and every tool result with its call."""
    place = (1, 1)
    open_calls: dict[str, str | None] = {}
    for index, step in enumerate(trajectory.steps):
        here = f"{where}: step {index}"
        if step.seq != index:
            raise EvidenceError(f"{here} says that it is step {step.seq}")
        if step.attempt < 1 or step.turn < 1:
            raise EvidenceError(f"{here} is of attempt {step.attempt}, turn {step.turn}: both count from 1")
        if (step.attempt, step.turn) < place and index:
            raise EvidenceError(f"{here} goes back from attempt {place[0]}, turn {place[1]}")
        if step.attempt != place[0]:
            open_calls = {}
        place = (step.attempt, step.turn)
        if isinstance(step, ToolCallStep):
            _sha256(step.args_sha256, here)
            _arguments(step.args, here)
            if step.call_id in open_calls:
                raise EvidenceError(f"{here}: the call {step.call_id!r} was made before")
            open_calls[step.call_id] = step.name
        elif isinstance(step, ToolResultStep):
            if step.call_id not in open_calls or open_calls[step.call_id] != step.name:
                raise EvidenceError(f"{here} is a tool result without its call")
            open_calls[step.call_id] = None  # answered: neither a second result nor the same id again
            _sha256(step.output_sha256, here)
            _head(step, OUTPUT_HEAD, here)
            _parts(step, here)
        elif isinstance(step, Prompt):
            _sha256(step.content_sha256, here)
            if step.context_sha256 is not None:
                _sha256(step.context_sha256, here)
            _head(step, PROMPT_HEAD, here)
        else:
            _sha256(step.output_sha256, here)
            _head(step, OUTPUT_HEAD, here)


def _sha256(text: str, here: str) -> None:
    if len(text) != 64 or text.strip("0123456789abcdef"):
        raise EvidenceError(f"{here}: {text[:80]!r} is not a sha256")


def _arguments(args: dict[str, Any] | str, here: str) -> None:
    """Arguments may hold any JSON: what is more than text must be what every reader reads alike."""
    if isinstance(args, dict) and not all(isinstance(value, str) for value in args.values()):
        try:
            strict_json.loads(b"[[[[" + msgspec.json.encode(args) + b"]]]]", where=here)  # as deep as in its line
        except strict_json.JsonError as error:
            raise EvidenceError(error.message) from error


def _head(step: Prompt | LlmCall | ToolResultStep, limit: int, here: str) -> None:
    """A head must be what it says it is; one that is whole must be what was hashed, unless it was masked."""
    if step.truncated != (step.bytes > limit):
        said = "cut" if step.truncated else "whole"
        raise EvidenceError(f"{here}: a head of at most {limit} bytes cannot be {said} when {step.bytes} are said")
    head = step.head.encode()
    most = len(head)
    if step.redactions and MASKED in step.head:
        if most > 3 * limit + step.redactions * LONGEST_MASK:
            raise EvidenceError(f"{here}: a head of {most} bytes is not the first {limit}")
        return
    least = most - 2 * step.head.count("\ufffd")  # which may stand for one byte that was no text
    whole = limit if step.truncated else step.bytes
    if not (least <= whole and most >= whole - (3 if step.truncated else 0)):
        raise EvidenceError(f"{here}: a head of {most} bytes is not the first {limit} of {step.bytes}")
    said = step.content_sha256 if isinstance(step, Prompt) else step.output_sha256
    if not step.truncated and least == most and hashlib.sha256(head).hexdigest() != said:
        raise EvidenceError(f"{here}: its text does not have the hash that it says")


def _parts(step: ToolResultStep, here: str) -> None:
    """Sources and windows must lie within the output, and be no more than are kept."""
    for source in step.sources:
        if source.offset + source.bytes > step.bytes:
            raise EvidenceError(f"{here}: a source that is not within the {step.bytes} bytes of the output")
    if len(step.windows) > MOST_WINDOWS:
        raise EvidenceError(f"{here}: {len(step.windows)} windows where {MOST_WINDOWS} are the most")
    for window in step.windows:
        if not 0 < window.bytes <= WINDOW:
            raise EvidenceError(f"{here}: a window of {window.bytes} bytes at {window.offset}")
        if not window.view and window.offset + window.bytes > step.bytes:
            raise EvidenceError(f"{here}: a window that is not within the {step.bytes} bytes of the output")
