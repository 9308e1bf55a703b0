"""One pass over trajectories.jsonl: by this process alone, or for a large file by several side by side."""

import contextlib
import hashlib
import io
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

import msgspec

from gaia_harness.audit.evidence import LONGEST_TRAJECTORY
from gaia_harness.errors import EvidenceError
from gaia_harness.files import read_lines
from gaia_harness.submission.file_set import TRAJECTORIES
from gaia_harness.submission.trajectory_lines import LineFacts, examine

LARGE = 32 << 20
BATCH = 4 << 20
"""From this size on it pays to start processes; each is given so many bytes of lines at once."""


class Unsound(msgspec.Struct, frozen=True, tag="unsound"):
    """A line that does not hold up, and why."""

    number: int
    sha256: str
    fault: str


class Batch(msgspec.Struct, frozen=True):
    """Some lines: where they begin, how many bytes they have, and the number of the first."""

    path: str
    offset: int
    size: int
    number: int


Looked = list[LineFacts | Unsound]
_batch = msgspec.json.Decoder(Batch)
_looked = msgspec.json.Decoder(Looked)


class FileHash:
    """The hash of the whole file, made while it is passed over; None until the end, and where a line was too long."""

    def __init__(self) -> None:
        self.hasher = hashlib.sha256()
        self.sha256: str | None = None


def passes(
    path: Path, *, processes: int | None = None, large: int = LARGE, whole: FileHash | None = None
) -> Iterator[LineFacts | Unsound]:
    """Every line of the file in order. A line too long ends it, for nothing behind it can be found."""
    count = len(os.sched_getaffinity(0)) if processes is None else processes
    whole = FileHash() if whole is None else whole
    if count < 2 or path.stat().st_size < large:
        yield from _alone(path, whole)
        return
    with contextlib.ExitStack() as stack:
        workers = [stack.enter_context(_Worker()) for _ in range(count)]
        under_way: deque[tuple[_Worker, Batch]] = deque()
        endless: Unsound | None = None
        for turn, batch in enumerate(_batches(path, whole)):
            if isinstance(batch, Unsound):
                endless = batch
                break
            if len(under_way) == 2 * count:  # few at once, so that memory stays flat
                yield from _answer(*under_way.popleft())
            worker = workers[turn % count]
            worker.ask(batch)
            under_way.append((worker, batch))
        while under_way:
            yield from _answer(*under_way.popleft())
        if endless is not None:
            yield endless


def work(requests: IO[bytes], answers: IO[bytes]) -> None:
    """Look at one batch after another, until there are no more."""
    for line in requests:
        answers.write(msgspec.json.encode(look_at(_batch.decode(line))) + b"\n")
        answers.flush()


def look_at(batch: Batch) -> Looked:
    """What each line of a batch comes to."""
    with Path(batch.path).open("rb") as file:
        file.seek(batch.offset)
        data = file.read(batch.size)
    return [_look(line, batch.number + index) for index, line in enumerate(io.BytesIO(data))]


class _Worker:
    """Another process of this program. Where it cannot be had, the work is done here."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        with contextlib.suppress(OSError):
            # -P and another folder: nothing from the folder in which a package is checked may ever be imported
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "gaia_harness.submission.line_worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
            )

    def __enter__(self) -> "_Worker":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is None:
            return
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                cast(IO[bytes], pipe).close()
        self._process.wait()
        self._process = None

    def ask(self, batch: Batch) -> None:
        """Let it look at a batch; the answers come in the order of the questions."""
        if self._process is not None:
            with contextlib.suppress(OSError):
                requests = cast(IO[bytes], self._process.stdin)
                requests.write(msgspec.json.encode(batch) + b"\n")
                requests.flush()

    def answer(self) -> Looked | None:
        """Its next answer; None if it gives none."""
        if self._process is None:
            return None
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            return _looked.decode(cast(IO[bytes], self._process.stdout).readline())
        self.__exit__()
        return None


def _answer(worker: _Worker, batch: Batch) -> Looked:
    answer = worker.answer()
    return look_at(batch) if answer is None else answer


def _alone(path: Path, whole: FileHash) -> Iterator[LineFacts | Unsound]:
    number = 0
    try:
        for line in read_lines(path, longest=LONGEST_TRAJECTORY):
            number = line.number
            whole.hasher.update(line.data)
            yield _look(line.data, number)
        whole.sha256 = whole.hasher.hexdigest()
    except EvidenceError as error:
        yield Unsound(number + 1, "", error.message.replace(f"{path.parent}/", ""))


def _batches(path: Path, whole: FileHash) -> Iterator[Batch | Unsound]:
    """Whole lines, so many that a batch has some MB; at the end one that is cut short, or the one that is too long."""
    start = at = 0
    number = 1
    name = str(path.resolve())
    with path.open("rb") as file:
        while block := file.read(BATCH):
            whole.hasher.update(block)
            end = block.rfind(b"\n") + 1
            if end:
                yield Batch(name, start, at + end - start, number)
                number += block.count(b"\n")
                start = at + end
            at += len(block)
            if at - start > LONGEST_TRAJECTORY:
                yield Unsound(number, "", _too_long(number))
                return
    whole.sha256 = whole.hasher.hexdigest()
    if at > start:
        yield Batch(name, start, at - start, number)


def _look(data: bytes, number: int) -> LineFacts | Unsound:
    line = data.removesuffix(b"\n")
    try:
        if len(data) > LONGEST_TRAJECTORY:
            raise EvidenceError(_too_long(number))
        if len(line) == len(data):
            raise EvidenceError(f"{TRAJECTORIES}:{number}: the line is cut short")
        return examine(line, number)
    except EvidenceError as error:
        return Unsound(number, hashlib.sha256(line).hexdigest(), error.message)


def _too_long(number: int) -> str:
    return f"{TRAJECTORIES}:{number}: a line of more than {LONGEST_TRAJECTORY} bytes"
