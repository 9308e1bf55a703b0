"""Lines of trajectories.jsonl for an audit: each with its hashes, and whether it holds up.

All of that is as much work as the audit's own. For a large file another process does it, some lines ahead.
"""

import hashlib
import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.line_work import LARGE, Batch, Cut, Worker, too_long
from gaia_harness.evidence.trajectory import Trajectory, decode, decode_unchecked

LONGEST_TRAJECTORY = 64 << 20
"""Longer lines are not read: a task of ours has a few hundred KB, and what is read must fit into memory."""

AHEAD = 3
HERE = 4
"""Batches that the other process may be ahead; and those at the beginning, while it starts, that are looked at here."""

_STEPS = b',"steps":['


class LineCheck(msgspec.Struct, frozen=True):
    """The hash of a line, that of its steps as they stand in it, and why it does not hold up, if it does not."""

    sha256: str
    steps_sha256: str | None
    fault: str | None


class Ask(msgspec.Struct, frozen=True):
    """What the other process is to do: hash a batch and look at its lines, or only hash it; at last, say the hash."""

    batch: Batch | None
    look: bool = True


_ask = msgspec.json.Decoder(Ask)
_checks = msgspec.json.Decoder(list[LineCheck])
_hash = msgspec.json.Decoder(str)


class CheckedLines:
    """The lines of a file in order; `sha256` is that of the whole file at the end, None where a line was too long."""

    def __init__(self, path: Path, *, large: int = LARGE) -> None:
        self.sha256: str | None = None
        self._path = path
        self._large = large

    def __iter__(self) -> Iterator[tuple[int, bytes, LineCheck, Trajectory | None]]:
        """Number, bytes, what the check says, and the trajectory if it holds up. A line too long is an error."""
        alone = len(os.sched_getaffinity(0)) < 2 or self._path.stat().st_size < self._large
        cut = Cut(self._path, longest=LONGEST_TRAJECTORY, hashed=alone)
        if alone:
            for batch in cut:
                yield from _lines(batch, None)
            self.sha256 = cut.sha256
            return
        endless = None
        with Worker("gaia_harness.audit.line_worker") as worker:
            under_way: deque[tuple[Batch, bool]] = deque()
            try:
                for turn, batch in enumerate(cut):
                    worker.ask(Ask(batch, look=turn >= HERE))
                    under_way.append((batch, turn >= HERE))
                    if len(under_way) > AHEAD:
                        yield from _answered(worker, *under_way.popleft())
            except EvidenceError as error:
                endless = error
            worker.ask(Ask(None))
            while under_way:
                yield from _answered(worker, *under_way.popleft())
            if endless is not None:
                raise endless
            self.sha256 = worker.answer(_hash)


def look_at(data: bytes, number: int) -> tuple[LineCheck, Trajectory | None]:
    """Everything about one line, here and now."""
    line = memoryview(data)[: -1 if data.endswith(b"\n") else None]
    # what begins the steps stands in no text: there, quotes are escaped
    at = data.find(_STEPS)
    steps = line[at + len(_STEPS) - 1 : -1] if at >= 0 and data.endswith(b"]}\n") else None
    trajectory, fault = None, None
    where = f"trajectories.jsonl:{number}"
    try:
        if len(data) > LONGEST_TRAJECTORY:
            raise EvidenceError(f"{where}: {too_long(LONGEST_TRAJECTORY)}")
        if len(line) == len(data):
            raise EvidenceError(f"{where}: the line is cut short")
        trajectory = decode(data[:-1], where=where)
    except EvidenceError as error:
        fault = error.message
    check = LineCheck(
        hashlib.sha256(line).hexdigest(), None if steps is None else hashlib.sha256(steps).hexdigest(), fault
    )
    return check, trajectory


def work(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Do what is asked for, one after another, until there is no more."""
    whole = hashlib.sha256()
    for line in requests:
        ask = _ask.decode(line)
        if ask.batch is not None:
            whole.update(ask.batch.read())
            if not ask.look:
                continue
        checks = None if ask.batch is None else [look_at(data, number)[0] for number, data in ask.batch.lines()]
        answers.write(msgspec.json.encode(whole.hexdigest() if checks is None else checks) + b"\n")
        answers.flush()


def _answered(worker: Worker, batch: Batch, asked: bool) -> Iterator[tuple[int, bytes, LineCheck, Trajectory | None]]:
    return _lines(batch, worker.answer(_checks) if asked else None)


def _lines(batch: Batch, checks: list[LineCheck] | None) -> Iterator[tuple[int, bytes, LineCheck, Trajectory | None]]:
    for index, (number, data) in enumerate(batch.lines()):
        if checks is None or index >= len(checks):
            yield (number, data, *look_at(data, number))
            continue
        check = checks[index]
        yield number, data, check, None if check.fault is not None else decode_unchecked(data)
