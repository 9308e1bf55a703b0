"""Splits a large file into batches of lines, and has them worked on in other processes."""

import contextlib
import hashlib
import io
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, NoReturn, Self, TypeVar, cast

import msgspec

from gaia_harness.errors import EvidenceError, GaiaError
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

    On the way the file is hashed and its lines are numbered: `sha256` is None until its end, and `number` is that of
    the line behind the last batch. With `hold`, batches bring their bytes, so that who looks at them here and now reads
    the file once; others open it again for their batch.
    A line too long ends it with an EvidenceError: nothing behind it can be found.
    """

    def __init__(self, path: Path, *, longest: int, hold: bool = False, size: int | None = None) -> None:
        self.path = path
        self.sha256: str | None = None
        self.number = 1
        self._longest = longest
        self._hold = hold
        self._size = BATCH if size is None else size

    def __iter__(self) -> Iterator[Batch]:
        hasher = hashlib.sha256()
        start = at = 0
        name = str(self.path.resolve())
        block = bytearray(self._size)
        held = bytearray()  # of a line that is not at its end
        with _open(self.path) as file:
            while count := file.readinto(block):
                hasher.update(memoryview(block)[:count])
                end = block.rfind(b"\n", 0, count) + 1
                if end:
                    first = self.number
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
        self.sha256 = hasher.hexdigest()
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
    """Another process of this program that runs a module of ours. Where it cannot be had, there are no answers.

    Requests and answers are msgpack, each behind its length. The answers come in the order of the requests.
    """

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

    def __enter__(self) -> Self:
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
        """Let it work on something."""
        if self._process is not None:
            with contextlib.suppress(OSError):
                send(cast(IO[bytes], self._process.stdin), msgspec.msgpack.encode(request))

    def answer(self, decoder: "msgspec.msgpack.Decoder[T]") -> T | None:
        """Its next answer; None if it gives none, and then it never will again."""
        if self._process is None:
            return None
        with contextlib.suppress(OSError, msgspec.MsgspecError):
            data = receive(cast(IO[bytes], self._process.stdout))
            if data is not None:
                return decoder.decode(data)
        self.__exit__()
        return None


class Copies:
    """Copies of this process, with all that it has in memory, each of which works on one turn after another.

    Whoever is free takes the next turn, so that all end at about the same time. Where no copy can be had, every answer
    is empty.
    """

    def __init__(self, count: int, first: int, answers: Callable[[Callable[[], int]], Iterator[tuple[int, bytes]]]):
        """`answers` is what a copy does: it calls what it is given for the number of its next turn, from `first` on."""
        self._held: dict[int, bytes] = {}
        self._at_work = selectors.DefaultSelector()  # the pipes on which they answer, each with the id of its process
        self._next = os.pipe()  # has the number of the next turn in it, unless somebody is just taking it
        os.write(self._next[1], first.to_bytes(_LENGTH, "big"))
        for _ in range(count):
            pipe: tuple[int, ...] = ()
            try:
                pipe = os.pipe()
                pid = os.fork()
            except OSError:
                for end in pipe:
                    os.close(end)
                break
            ours, theirs = pipe
            if pid == 0:
                _send_all(answers(self._take), theirs)
            os.close(theirs)
            self._at_work.register(open(ours, "rb", buffering=0), selectors.EVENT_READ, pid)  # noqa: PTH123, SIM115

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for copy in list(self._at_work.get_map().values()):
            os.kill(copy.data, signal.SIGKILL)
            self._ended(copy)
        self._at_work.close()
        for end in self._next:
            os.close(end)

    def answer(self, turn: int) -> bytes:
        """What a copy made of this turn; a GaiaError where one came to a sudden end."""
        while turn not in self._held and self._at_work.get_map():
            for copy, _ in self._at_work.select():
                data = receive(cast(IO[bytes], copy.fileobj))
                if data is not None:
                    self._held[int.from_bytes(data[:_LENGTH], "big")] = data[_LENGTH:]
                elif status := self._ended(copy):
                    how = f"was ended by signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else "ended too early"
                    raise GaiaError(
                        f"a process that worked on part of the lines {how}",
                        hint="if memory is short, work in one process: `taskset -c 0 gaia ...`",
                    )
        return self._held.pop(turn, b"")

    def _ended(self, copy: selectors.SelectorKey) -> int:
        self._at_work.unregister(copy.fileobj)
        cast(IO[bytes], copy.fileobj).close()
        return os.waitpid(copy.data, 0)[1]

    def _take(self) -> int:
        turn = int.from_bytes(os.read(self._next[0], _LENGTH), "big")
        os.write(self._next[1], (turn + 1).to_bytes(_LENGTH, "big"))
        return turn


def _send_all(answers: Iterator[tuple[int, bytes]], pipe: int) -> NoReturn:
    """What a copy does. It leaves nothing behind and says nothing: buffers and clean-up are those of the original."""
    try:
        with open(pipe, "wb") as file:
            for turn, answer in answers:
                send(file, turn.to_bytes(_LENGTH, "big") + answer)
    except BaseException:
        os._exit(1)  # whoever waits for an answer sees that there is none
    os._exit(0)


_LENGTH = 8


def send(pipe: IO[bytes], data: bytes) -> None:
    """Write one message."""
    left = memoryview(len(data).to_bytes(_LENGTH, "big") + data)
    while left:
        left = left[pipe.write(left) :]
    pipe.flush()


def receive(pipe: IO[bytes]) -> bytes | None:
    """The next message; None at the end, be it in the middle of one."""
    length = _exactly(pipe, _LENGTH)
    return None if length is None else _exactly(pipe, int.from_bytes(length, "big"))


def _exactly(pipe: IO[bytes], size: int) -> bytes | None:
    pieces = []
    while size:
        piece = pipe.read(min(size, 1 << 20))
        if not piece:
            return None
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
