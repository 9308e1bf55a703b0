"""Atomic file writes and appends: a file or line is complete and on disk, or absent."""

import contextlib
import errno
import fcntl
import io
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError

LONGEST_LINE = 256 * 1024 * 1024
"""Longer lines are refused when they are read: nothing of ours comes near."""

LARGEST_DOCUMENT = 64 << 20
"""Of a file that is read as a whole."""


def refuse_special(path: Path) -> None:
    """OSError if a device or a pipe is at a path that a user has named: root could replace /dev/null."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "is not a plain file", str(path))


def write_atomic(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """Replace `path` by `data` so that a reader, or a crash at any moment, sees the old file or the new one."""
    temporary = temporary_path(path)
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make a new or renamed name in the folder survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def temporary_path(path: Path) -> Path:
    """The name under which `path` is written until it is complete."""
    return path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")


@contextlib.contextmanager
def leftovers_removed(*paths: Path) -> Iterator[None]:
    """Remove temporary files that killed processes left of these paths, which are in one folder.

    Everybody who is at work there holds the folder with a lock that ends with their process. Whoever can have it alone
    knows that nothing unfinished is anybody's; where nobody can, all of it stays.
    """
    folder = paths[0].parent
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            stack.callback(os.close, lock)
            with contextlib.suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                for path in paths:
                    _sweep(path)
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield


def _sweep(path: Path) -> None:
    """Folders and files of this user alone, with exactly the name that `temporary_path` gives."""
    pattern = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{8}}\.tmp")
    for found in [found for found in path.parent.iterdir() if pattern.fullmatch(found.name)]:
        status = found.lstat()
        if status.st_uid != os.geteuid():
            continue
        if stat.S_ISDIR(status.st_mode):
            shutil.rmtree(found)
        elif stat.S_ISREG(status.st_mode):
            found.unlink()


class LineFile:
    """A file that only ever grows by whole lines. A line that cannot be written leaves no trace of itself."""

    def __init__(self, path: Path) -> None:
        self.path = path
        new = not path.exists()
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self._size = os.fstat(self._descriptor).st_size
        self._torn = False
        if new:
            sync_folder(path.parent)

    def append(self, lines: bytes, *, sync: bool = True) -> None:
        """Add one line, or several that belong together. When this returns, they are on disk.

        Without `sync` they are with the system, safe from a crash of this program, and on disk with the next that is.
        """
        if self._torn:  # by a line that failed before and could not be taken away
            os.ftruncate(self._descriptor, self._size)
        self._torn = True
        try:
            view = memoryview(lines)
            while view:
                view = view[os.write(self._descriptor, view) :]
            if sync:
                os.fdatasync(self._descriptor)
        except BaseException:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, self._size)
                self._torn = False
            raise
        self._torn = False
        self._size += len(lines)

    def close(self) -> None:
        """Let go of the file; a second time is no harm."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class Line(msgspec.Struct, frozen=True):
    """A line of a file: its number from 1, where it begins, and its bytes with the newline."""

    number: int
    offset: int
    data: bytes

    @property
    def torn(self) -> bool:
        """Whether it was cut short: only a last line can be."""
        return not self.data.endswith(b"\n")


def open_plain(
    path: Path, *, called: str | None = None, follow: bool = True, buffering: int = io.DEFAULT_BUFFER_SIZE
) -> io.BufferedReader:
    """A plain file to read, whatever may have taken its place a moment ago: a pipe is refused, not waited for.

    `called` is its name in messages. Where there is no file, that is a FileNotFoundError; all else is an EvidenceError.
    """
    name = called or str(path)
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | (0 if follow else os.O_NOFOLLOW)
    try:
        descriptor = os.open(path, flags)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise EvidenceError(f"{name}: cannot be read: {error.strerror}") from error
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return io.BufferedReader(io.FileIO(descriptor), buffering)
    os.close(descriptor)
    raise EvidenceError(f"{name}: {'cannot be read: Is a directory' if stat.S_ISDIR(mode) else 'is not a plain file'}")


def read_whole(file: io.BufferedReader, name: str, *, largest: int) -> bytes:
    """All that a file has; one that is too large is refused unread."""
    size = os.fstat(file.fileno()).st_size
    try:
        data = file.read(size + 1) if size <= largest else None
    except OSError as error:
        raise EvidenceError(f"{name}: cannot be read: {error.strerror}") from error
    if data is None or len(data) > largest:
        raise EvidenceError(f"{name}: larger than {largest} bytes")
    return data


def read_lines(path: Path, *, longest: int = LONGEST_LINE) -> Iterator[Line]:
    """The lines of a file, one at a time; none where there is no file."""
    try:
        file = open_plain(path, buffering=1 << 20)  # lines are long
    except FileNotFoundError:
        return
    with file:
        number = offset = 0
        while data := _read_line(file, path, longest):
            number += 1
            if len(data) > longest:
                raise EvidenceError(f"{path}:{number}: a line of more than {longest} bytes")
            yield Line(number, offset, data)
            offset += len(data)


def _read_line(file: io.BufferedReader, path: Path, longest: int) -> bytes:
    try:
        return file.readline(longest + 1)
    except OSError as error:
        raise EvidenceError(f"{path}: cannot be read: {error.strerror}") from error


def cut_file(path: Path, size: int) -> None:
    """Truncate a file to its first `size` bytes."""
    with path.open("r+b") as file:
        file.truncate(size)
        os.fsync(file.fileno())
