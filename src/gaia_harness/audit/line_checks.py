"""Checks and hashes the lines of trajectories.jsonl for an audit.

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
from gaia_harness.records import trajectories
from gaia_harness.records.line_work import LARGE, Batch, Cut, Worker, split_lines, too_long
from gaia_harness.records.trajectories import Trajectory, decode_unchecked

AHEAD = 3
HERE = 2
"""Batches that the other process may be ahead; and those at the beginning, while it starts, that are looked at here."""


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


CheckedLine = tuple[int, bytes, LineCheck, Trajectory | None]
"""Number, bytes, what the check says, and the trajectory if it holds up."""


class CheckedLines:
    """The lines of a file in order; `sha256` is that of the whole file at the end, None where a line was too long."""

    def __init__(self, path: Path, *, large: int = LARGE) -> None:
        self.sha256: str | None = None
        self._path = path
        self._large = large
        self._number = 0

    def __iter__(self) -> Iterator[CheckedLine]:
        """A line too long is an error, behind all those before it."""
        alone = len(os.sched_getaffinity(0)) < 2 or self._path.stat().st_size < self._large
        cut = Cut(self._path, longest=trajectories.LONGEST_LINE, alone=alone, hold=alone)
        if alone:
            for batch in cut:
                yield from self._lines(batch, None)
            self.sha256 = cut.sha256
            return
        endless = False
        with Worker("gaia_harness.audit.line_worker") as worker:
            under_way: deque[tuple[Batch, bool]] = deque()
            try:
                for turn, batch in enumerate(cut):
                    worker.ask(Ask(batch, look=turn >= HERE))
                    under_way.append((batch, turn >= HERE))
                    if len(under_way) > AHEAD:
                        yield from self._answered(worker, *under_way.popleft())
            except EvidenceError:
                endless = True
            worker.ask(Ask(None))
            while under_way:
                yield from self._answered(worker, *under_way.popleft())
            if endless:
                raise EvidenceError(f"{self._path.name}:{self._number + 1}: {too_long(trajectories.LONGEST_LINE)}")
            self.sha256 = worker.answer(_hash)

    def _answered(self, worker: Worker, batch: Batch, asked: bool) -> Iterator[CheckedLine]:
        return self._lines(batch, worker.answer(_checks) if asked else None)

    def _lines(self, batch: Batch, checks: list[LineCheck] | None) -> Iterator[CheckedLine]:
        for index, data in enumerate(split_lines(batch.read())):
            self._number += 1
            if checks is None or index >= len(checks):
                yield (self._number, data, *look_at(data, self._number))
                continue
            check = checks[index]
            yield self._number, data, check, None if check.fault is not None else decode_unchecked(data)


def look_at(data: bytes, number: int) -> tuple[LineCheck, Trajectory | None]:
    """Everything about one line, here and now."""
    read = trajectories.read_line(data, number)
    steps = trajectories.steps_as_written(read.data) if len(read.data) < len(data) else None
    check = LineCheck(
        hashlib.sha256(read.data).hexdigest(), None if steps is None else hashlib.sha256(steps).hexdigest(), read.fault
    )
    return check, read.trajectory


def work(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Do what is asked for, one after another, until there is no more."""
    whole = hashlib.sha256()
    number = 0

    def answer(value: str | list[LineCheck]) -> None:
        answers.write(msgspec.json.encode(value) + b"\n")
        answers.flush()

    for request in requests:
        ask = _ask.decode(request)
        if ask.batch is None:
            answer(whole.hexdigest())
        else:
            data = ask.batch.read()
            whole.update(data)
            if not ask.look:
                number += data.count(b"\n")
                continue
            checks = []
            for line in split_lines(data):
                number += 1
                checks.append(look_at(line, number)[0])
            answer(checks)
