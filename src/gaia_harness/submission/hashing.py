"""The hashes of all files of a package, and of what its compressed texts unpack to, made beside other work."""

import concurrent.futures
import contextlib
import hashlib
import os
import threading
from collections.abc import Iterator
from typing import BinaryIO

import msgspec
import zstandard

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.bodies import LARGEST
from gaia_harness.submission.file_set import BUFFER, FileSet

BATCH_FILES = 64
BATCH_BYTES = 4 << 20


class Hashed(msgspec.Struct, frozen=True):
    """The hash of a file, and of what it unpacks to if it is a compressed text; `fault` says why that cannot be had."""

    sha256: str
    content_sha256: str | None = None
    fault: str | None = None


class Hashing:
    """Threads that hash: hashing and unpacking let other threads go on meanwhile."""

    def __init__(self, files: FileSet, *, later: frozenset[str] = frozenset()) -> None:
        """`later` are files that may well be hashed by somebody else, and here only when asked for."""
        self._files = files
        self._own = threading.local()
        self._threads = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)), thread_name_prefix="hash")
        self._batches: dict[str, concurrent.futures.Future[dict[str, Hashed | EvidenceError]]] = {}
        for names in _batches(files, later):
            self._submit(names)

    def close(self) -> None:
        """Let go of what still runs."""
        self._threads.shutdown(cancel_futures=True)

    def of(self, name: str) -> Hashed:
        """What came of a file; waits for it if need be."""
        if name not in self._files.sizes:
            raise EvidenceError(f"{name}: is missing")
        if name not in self._batches:
            self._submit([name])
        hashed = self._batches[name].result()[name]
        if isinstance(hashed, EvidenceError):
            raise hashed
        return hashed

    def _submit(self, names: list[str]) -> None:
        batch = self._threads.submit(self._hash, names)
        self._batches.update(dict.fromkeys(names, batch))

    def _hash(self, names: list[str]) -> dict[str, Hashed | EvidenceError]:
        hashed: dict[str, Hashed | EvidenceError] = {}
        for name in names:
            try:
                compressed = name.startswith("bodies/")
                hashed[name] = self._unpack(name) if compressed else Hashed(self._files.sha256(name, self._buffer()))
            except EvidenceError as error:
                hashed[name] = error
        return hashed

    def _unpack(self, name: str) -> Hashed:
        """Read once: hashed as it is, and what it unpacks to hashed too."""
        content, size, fault = hashlib.sha256(), 0, None
        buffer = self._buffer()
        with self._files.open(name) as raw:
            file = _Tapped(raw)
            try:
                with zstandard.ZstdDecompressor().stream_reader(file, closefd=False) as reader:  # type: ignore[arg-type]
                    while count := reader.readinto(buffer):
                        content.update(buffer[:count])
                        size += count
                        if size > LARGEST:
                            fault = f"unpacks to more than {LARGEST} bytes"
                            break
                while file.read(BUFFER):
                    pass
            except zstandard.ZstdError:
                fault = "not a zstd file"
                while file.read(BUFFER):
                    pass
            except OSError as error:
                raise EvidenceError(f"{name}: cannot be read: {error.strerror}") from error
        return Hashed(file.hasher.hexdigest(), None if fault else content.hexdigest(), fault)

    def _buffer(self) -> memoryview:
        """One for each thread."""
        with contextlib.suppress(AttributeError):
            return self._own.buffer  # type: ignore[no-any-return]
        self._own.buffer = memoryview(bytearray(BUFFER))
        return self._own.buffer  # type: ignore[no-any-return]


class _Tapped:
    """A file of which everything that is read is hashed."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.hasher = hashlib.sha256()

    def read(self, count: int = -1) -> bytes:
        """The next bytes."""
        data = self._file.read(count)
        self.hasher.update(data)
        return data


def _batches(files: FileSet, later: frozenset[str]) -> Iterator[list[str]]:
    """Large files alone and first, small ones together: to hand over each by itself takes longer than to hash it."""
    names: list[str] = []
    size = 0
    for name in sorted(files.sizes.keys() - later, key=lambda name: (-files.sizes[name], name)):
        names.append(name)
        size += files.sizes[name]
        if size >= BATCH_BYTES or len(names) >= BATCH_FILES:
            yield names
            names, size = [], 0
    if names:
        yield names
