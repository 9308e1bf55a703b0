"""Reads trajectories.jsonl for an audit: is each line sound, and what are its hashes?"""

import hashlib

import msgspec

from gaia_harness.records import trajectories
from gaia_harness.records.trajectories import Trajectory


class CheckedLine(msgspec.Struct, frozen=True):
    """A line by its number and size, with its hash and that of its steps as they stand in it.

    `fault` says why it does not hold up, if it does not.
    """

    number: int
    size: int
    sha256: str
    steps_sha256: str | None
    task_id: str
    fault: str | None


def check_line(number: int, data: bytes) -> tuple[CheckedLine, Trajectory | None]:
    """Check and hash a line, given with its newline; its trajectory, if it holds up."""
    read = trajectories.read_line(data, number)
    steps = trajectories.steps_as_written(read.data) if len(read.data) < len(data) else None
    checked = CheckedLine(
        number=number,
        size=len(data),
        sha256=hashlib.sha256(read.data).hexdigest(),
        steps_sha256=None if steps is None else hashlib.sha256(steps).hexdigest(),
        task_id=_task_id(data) if read.trajectory is None else read.trajectory.task_id,
        fault=read.fault,
    )
    return checked, read.trajectory


class _Named(msgspec.Struct):
    task_id: str


def _task_id(line: bytes) -> str:
    """The id in a line that is no trajectory, if it has one."""
    if not line.endswith(b"\n"):
        return ""
    try:
        return msgspec.json.decode(line, type=_Named).task_id
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
