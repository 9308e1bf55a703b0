"""Hashes all files of a package, and their decompressed contents, in the background."""

import concurrent.futures
import contextlib
import hashlib
import os
import threading
from collections.abc import Iterator

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.bodies import NotOneFrame, most_unpacked, unpack
from gaia_harness.submission.file_set import BUFFER, MOST_BYTES, FileSet

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
        self._stopped = threading.Event()
        self._counting = threading.Lock()
        self._unpacked = 0
        packed = sum(size for name, size in files.sizes.items() if name.startswith("bodies/"))
        self._most_unpacked = min(MOST_BYTES, most_unpacked(packed))
        self._threads = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)), thread_name_prefix="hash")
        self._batches: dict[str, concurrent.futures.Future[dict[str, Hashed | EvidenceError]]] = {}
        for names in _batches(files, later):
            self._submit(names)

    def close(self) -> None:
        """Let go of what still runs, at its next block."""
        self._stopped.set()
        self._threads.shutdown(cancel_futures=True)

    def of(self, name: str) -> Hashed:
        """What came of a file; waits for it if need be."""
        self._files.require(name)
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
                hashed[name] = self._unpack(name) if compressed else self._read(name)
            except EvidenceError as error:
                hashed[name] = error
        return hashed

    def _read(self, name: str) -> Hashed:
        hasher = hashlib.sha256()
        for _ in self._blocks(name, hasher):
            pass
        return Hashed(hasher.hexdigest())

    def _unpack(self, name: str) -> Hashed:
        """Read once: hashed as it is, and what it unpacks to hashed too."""
        hasher, content, size, fault = hashlib.sha256(), hashlib.sha256(), 0, None
        blocks = self._blocks(name, hasher)
        try:
            if self._unpacked > self._most_unpacked:
                raise NotOneFrame(f"the texts in bodies/ unpack to more than {self._most_unpacked} bytes in all")
            for text in unpack(blocks):
                content.update(text)
                size += len(text)
        except NotOneFrame as error:
            fault = error.message
            for _ in blocks:
                pass
        with self._counting:
            self._unpacked += size
        return Hashed(hasher.hexdigest(), None if fault else content.hexdigest(), fault)

    def _blocks(self, name: str, hasher: "hashlib._Hash") -> Iterator[memoryview]:
        """A file block by block, each in the place of the one before, and hashed."""
        buffer = self._buffer()
        with self._files.open(name) as file:
            while True:
                if self._stopped.is_set():
                    raise EvidenceError(f"{name}: was not read to its end")
                try:
                    count = file.readinto(buffer)
                except OSError as error:
                    raise EvidenceError(f"{name}: cannot be read: {error.strerror}") from error
                if not count:
                    return
                hasher.update(buffer[:count])
                yield buffer[:count]

    def _buffer(self) -> memoryview:
        """One for each thread."""
        with contextlib.suppress(AttributeError):
            return self._own.buffer  # type: ignore[no-any-return]
        self._own.buffer = memoryview(bytearray(BUFFER))
        return self._own.buffer  # type: ignore[no-any-return]


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
