"""One pass over trajectories.jsonl, in this process or, for a large file, in several."""

import contextlib
import hashlib
import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.records import trajectories
from gaia_harness.records.line_work import LARGE, Batch, Cut, Worker, receive, send
from gaia_harness.submission.trajectory_lines import LineFacts, examine


class Unsound(msgspec.Struct, frozen=True, tag="unsound"):
    """An invalid line, and why."""

    number: int
    sha256: str
    fault: str


Looked = list[LineFacts | Unsound]
_batch = msgspec.msgpack.Decoder(Batch)
_looked = msgspec.msgpack.Decoder(Looked)


class FileHash:
    """The hash of the whole file, made while it is passed over; None until the end, and where a line was too long."""

    def __init__(self) -> None:
        self.sha256: str | None = None


def examine_lines(
    path: Path, *, processes: int | None = None, large: int = LARGE, whole: FileHash | None = None
) -> Iterator[LineFacts | Unsound]:
    """Every line of the file in order. A line too long ends it, for nothing behind it can be found."""
    count = len(os.sched_getaffinity(0)) if processes is None else processes
    if count < 2 or path.stat().st_size < large:
        count = 0
    cut = Cut(path, longest=trajectories.LONGEST_LINE, hold=not count)
    with contextlib.ExitStack() as stack:
        workers = [stack.enter_context(Worker("gaia_harness.submission.line_worker")) for _ in range(count)]
        under_way: deque[tuple[Worker, Batch]] = deque()
        endless: Unsound | None = None
        try:
            for turn, batch in enumerate(cut):
                if not workers:
                    yield from look_at(batch)
                    continue
                if len(under_way) == 2 * count:  # few at once, so that memory stays flat
                    yield from _answer(*under_way.popleft())
                workers[turn % count].ask(batch)
                under_way.append((workers[turn % count], batch))
        except EvidenceError as error:
            endless = Unsound(cut.number, "", error.message)
        while under_way:
            yield from _answer(*under_way.popleft())
        if endless is not None:
            yield endless
    if whole is not None:
        whole.sha256 = cut.sha256


def work(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Look at one batch after another, until there are no more."""
    while (request := receive(requests)) is not None:
        send(answers, msgspec.msgpack.encode(look_at(_batch.decode(request))))


def look_at(batch: Batch) -> Looked:
    """What each line of a batch comes to."""
    return [_look(line, number) for number, line in batch.lines()]


def _answer(worker: Worker, batch: Batch) -> Looked:
    answer = worker.answer(_looked)
    return look_at(batch) if answer is None else answer


def _look(data: bytes, number: int) -> LineFacts | Unsound:
    line = trajectories.read_line(data, number)
    try:
        return examine(line, number)
    except EvidenceError as error:
        return Unsound(number, hashlib.sha256(line.data).hexdigest(), error.message)
