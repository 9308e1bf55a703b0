"""Splits a large file into batches of lines, and processes them in parallel worker processes."""

import contextlib
import hashlib
import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TypeVar, cast

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.files import open_plain

LARGE = 32 << 20
BATCH = 4 << 20
"""From this size on it pays to start processes; each is given so many bytes of lines at once."""

_ROOM = {"MALLOC_MMAP_THRESHOLD_": str(64 << 20), "MALLOC_TRIM_THRESHOLD_": str(64 << 20)}
"""For the C library: a line's memory is kept for the next line, and not given back and fetched anew for each."""

T = TypeVar("T")


class Batch(msgspec.Struct, frozen=True, omit_defaults=True):
    """Some lines: where they begin, how many bytes they have, the number of the first, and the bytes if at hand."""

    path: str
    offset: int
    size: int
    number: int
    data: bytes | None = None

    def read(self) -> bytes:
        """All of their bytes."""
        if self.data is not None:
            return self.data
        with _open(Path(self.path)) as file:
            file.seek(self.offset)
            return file.read(self.size)

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """Each line with its number and its newline, if it has one."""
        return enumerate(split_lines(self.read()), start=self.number)


def split_lines(data: bytes) -> Iterator[bytes]:
    """Each line with its newline, if it has one."""
    start = 0
    while start < len(data):
        end = data.find(b"\n", start) + 1 or len(data)
        yield data[start:end]
        start = end


class Cut:
    """Cuts a file into batches of whole lines; the last may have one that is cut short.

    On the way the file is hashed and its lines are numbered, unless somebody else does both (`alone` is false):
    `sha256` is None until its end, and `number` is that of the line behind the last batch. With `hold`, batches bring
    their bytes, so that who looks at them here and now reads the file once; others open it again for their batch.
    A line too long ends it with an EvidenceError: nothing behind it can be found.
    """

    def __init__(self, path: Path, *, longest: int, alone: bool = True, hold: bool = False) -> None:
        self.path = path
        self.sha256: str | None = None
        self.number = 1
        self._longest = longest
        self._hashed = self._numbered = alone
        self._hold = hold

    def __iter__(self) -> Iterator[Batch]:
        hasher = hashlib.sha256()
        start = at = 0
        name = str(self.path.resolve())
        block = bytearray(BATCH)
        held = bytearray()  # of a line that is not at its end
        with _open(self.path) as file:
            while count := file.readinto(block):
                if self._hashed:
                    hasher.update(memoryview(block)[:count])
                end = block.rfind(b"\n", 0, count) + 1
                if end:
                    first = self.number
                    if self._numbered:
                        self.number += block.count(b"\n", 0, count)
                    data = bytes(held + block[:end]) if self._hold else None
                    held.clear()
                    yield Batch(name, start, at + end - start, first, data)
                    start = at + end
                if self._hold:
                    held += block[end:count]
                at += count
                if at - start > self._longest:
                    raise EvidenceError(f"{self.path.name}:{self.number}: {too_long(self._longest)}")
        self.sha256 = hasher.hexdigest() if self._hashed else None
        if at > start:
            yield Batch(name, start, at - start, self.number, bytes(held) if self._hold else None)


def _open(path: Path) -> io.BufferedReader:
    try:
        return open_plain(path, called=path.name)
    except FileNotFoundError as error:
        raise EvidenceError(f"{path.name}: cannot be read: {error.strerror}") from error


def too_long(longest: int) -> str:
    """What is said of a line that is not read."""
    return f"a line of more than {longest} bytes"


class Worker:
    """Another process of this program that runs a module of ours. Where it cannot be had, there are no answers."""

    def __init__(self, module: str) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        with contextlib.suppress(OSError):
            # -P and another folder: nothing from the folder in which a package is checked may ever be imported
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", module],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd="/",
                env={**os.environ, **_ROOM},
            )

    def __enter__(self) -> "Worker":
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

    def ask(self, request: msgspec.Struct) -> None:
        """Let it work on something; the answers come in the order of the questions."""
        if self._process is not None:
            with contextlib.suppress(OSError):
                requests = cast(IO[bytes], self._process.stdin)
                requests.write(msgspec.json.encode(request) + b"\n")
                requests.flush()

    def answer(self, decoder: msgspec.json.Decoder[T]) -> T | None:
        """Its next answer; None if it gives none, and then it never will again."""
        if self._process is None:
            return None
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            return decoder.decode(cast(IO[bytes], self._process.stdout).readline())
        self.__exit__()
        return None
