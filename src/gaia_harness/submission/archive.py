"""A package as one file: a .tar.gz that is the same for the same package, and a reader that trusts none of it."""

import contextlib
import gzip
import os
import re
import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NoReturn

from gaia_harness.errors import EvidenceError, UsageError
from gaia_harness.files import open_plain, sync_folder, unfinished
from gaia_harness.submission.file_set import (
    BUFFER,
    MOST_BYTES,
    MOST_FILES,
    is_package_name,
    largest_size,
    list_files,
    shown,
    strange,
)
from gaia_harness.submission.private_folder import private_folder

BLOCK = 512
RECORD = 20 * BLOCK
MOST_RATIO = 200
SPARE_BYTES = 64 << 20
"""An archive may unpack to so many bytes, to so many times its own size and so much more: beyond is a bomb."""

LARGEST_ENTRY = 8**11 - 1
"""What the eleven octal digits of a tar header can say."""

GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_FOLDER = re.compile(r"gaia-[0-9a-f]{12}")
_SIZE = re.compile(rb"[0-7]{11}\0")
_TOO_LARGE = re.compile(rb"[0-7]{12}|[\x80-\xff].{11}", re.DOTALL)
_KINDS = {
    b"1": "is a link",
    b"2": "is a link",
    b"3": "is not a plain file (a device)",
    b"4": "is not a plain file (a device)",
    b"6": "is not a plain file (a pipe)",
    b"x": "is not a file (a pax header, of an extended form of tar)",
    b"g": "is not a file (a pax header, of an extended form of tar)",
    b"L": "is not a file (a long name, in GNU's form of tar)",
    b"K": "is not a file (a long link, in GNU's form of tar)",
    b"S": "is not a plain file (one with holes, in GNU's form of tar)",
}
_HINT = "unpack it yourself and verify the folder, if another program packed it"


def write_archive(package: Path, run_id: str, out: Path) -> None:
    """Put a package into one file, which is whole or not there at all."""
    files = list_files(package)
    if files.refused:
        raise EvidenceError(files.faults[0])
    for name, size in files.sizes.items():
        if size > LARGEST_ENTRY:
            raise EvidenceError(
                f"{name}: larger than {LARGEST_ENTRY} bytes, which is all that a tar file of this form has"
            )
    prefix = f"gaia-{run_id[:12]}"
    temporary = unfinished(out)
    try:
        with temporary.open("xb") as raw:
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0) as packed:
                written = 0
                for name, size in files.sizes.items():
                    packed.write(_header(f"{prefix}/{name}", size))
                    with files.open(name) as file:
                        shutil.copyfileobj(file, packed, BUFFER)
                    packed.write(bytes(-size % BLOCK))
                    written += BLOCK + size + -size % BLOCK
                packed.write(bytes(2 * BLOCK + -(written + 2 * BLOCK) % RECORD))
            raw.flush()
            os.fsync(raw.fileno())
        os.link(temporary, out)  # unlike a rename, never takes the place of a file
        sync_folder(out.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def unpacked(archive: Path) -> Iterator[Path]:
    """The package in an archive, in a private folder that is gone afterwards."""
    try:
        file = open_plain(archive, called=archive.name)
    except FileNotFoundError as error:
        raise EvidenceError(f"{archive.name}: cannot be read: {error.strerror}") from error
    with file:
        stream = _Unzipped(file, archive.name)
        with contextlib.ExitStack() as stack:
            try:
                place = stack.enter_context(private_folder("gaia-verify"))
            except OSError as error:
                _no_room("a temporary folder", archive.name, error)
            try:
                _unpack(stream, place, archive.name)
            except OSError as error:  # of what is written: what is read has errors of ours
                _no_room(str(place.parent), archive.name, error)
            yield place


def _no_room(place: str, archive: str, error: OSError) -> NoReturn:
    """The verifier's own trouble: it says nothing about the package."""
    raise UsageError(
        f"{place}: {archive} cannot be unpacked there: {error.strerror or error}",
        hint="make room, or let TMPDIR name a folder with room; or unpack it yourself with tar and verify the folder",
    ) from error


class _Unzipped:
    """What a gzip file holds, read bit by bit, with an end to how much that may be."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name
        self._zlib = zlib.decompressobj(wbits=31)
        self._ready = memoryview(b"")
        self._limit = min(MOST_BYTES, MOST_RATIO * os.fstat(file.fileno()).st_size + SPARE_BYTES)
        self.at = 0
        start = self._raw(len(GZIP_HEADER))
        if start != GZIP_HEADER:
            raise EvidenceError(f"{name}: not an archive as `gaia submit --archive` writes it", hint=_HINT)
        self._inflate(start)

    def read(self, count: int) -> bytes:
        """The next bytes; fewer only at the end."""
        parts: list[memoryview] = []
        missing = count
        while missing:
            if not self._ready and not self._more():
                break
            parts.append(self._ready[:missing])
            missing -= len(parts[-1])
            self._ready = self._ready[len(parts[-1]) :]
        data = b"".join(parts)
        self.at += len(data)
        if self.at > self._limit:
            raise EvidenceError(f"{self._name}: unpacks to more than {self._limit} bytes")
        return data

    def end(self) -> None:
        """Nothing may follow, and the checksum must have been right."""
        if self._more() or self._zlib.unused_data or self._raw(1):
            raise EvidenceError(f"{self._name}: has something behind its end", hint=_HINT)

    def _more(self) -> bool:
        while not self._ready and not self._zlib.eof:
            data = self._zlib.unconsumed_tail or self._raw(1 << 16)
            if not data:
                raise EvidenceError(f"{self._name}: is cut short")
            self._inflate(data)
        return bool(self._ready)

    def _raw(self, count: int) -> bytes:
        try:
            return self._file.read(count)
        except OSError as error:
            raise EvidenceError(f"{self._name}: cannot be read: {error.strerror}") from error

    def _inflate(self, data: bytes) -> None:
        try:
            self._ready = memoryview(self._zlib.decompress(data, BUFFER))
        except zlib.error as error:
            raise EvidenceError(f"{self._name}: damaged: {error}") from None


def _unpack(stream: _Unzipped, folder: Path, archive: str) -> None:
    """Every entry must be, to the last byte of its header, what we would write for a plain file of its name."""
    count, last = 0, ""
    prefix: str | None = None
    while (header := stream.read(BLOCK)) and header != bytes(BLOCK):
        name, size = _entry(header, archive)
        first, _, inner = name.partition("/")
        prefix = first if prefix is None else prefix
        if not _FOLDER.fullmatch(first) or first != prefix:
            raise EvidenceError(f"{archive}: {strange(name)}", hint=_HINT)
        if not is_package_name(inner):
            raise EvidenceError(f"{archive}: {strange(inner)}")
        if inner <= last:
            raise EvidenceError(f"{archive}: {inner} stands twice, or not in order", hint=_HINT)
        if _header(name, size) != header:
            raise EvidenceError(f"{archive}: {inner} is not a plain file as we pack it", hint=_HINT)
        if size > largest_size(inner):
            raise EvidenceError(f"{archive}: {inner} is larger than {largest_size(inner)} bytes")
        count, last = count + 1, inner
        if count > MOST_FILES:
            raise EvidenceError(f"{archive}: more than {MOST_FILES} files")
        _copy(stream, folder / inner, size, archive)
    padding = BLOCK + -(stream.at + BLOCK) % RECORD
    if len(header) < BLOCK or stream.read(padding) != bytes(padding):
        raise EvidenceError(f"{archive}: is cut short, or has no end")
    stream.end()


def _copy(stream: _Unzipped, path: Path, size: int, archive: str) -> None:
    path.parent.mkdir(exist_ok=True, mode=0o700)
    left = size
    with path.open("xb") as file:
        while left:
            data = stream.read(min(left, BUFFER))
            if not data:
                raise EvidenceError(f"{archive}: {path.name} is cut short")
            file.write(data)
            left -= len(data)
    if any(stream.read(-size % BLOCK)):
        raise EvidenceError(f"{archive}: {path.name} has something behind its end")


def _entry(header: bytes, archive: str) -> tuple[str, int]:
    """Name and size in a header."""
    try:
        name = header[:100].rstrip(b"\0").decode("ascii")
    except UnicodeDecodeError:
        raise EvidenceError(f"{archive}: an entry whose name is not as we write it", hint=_HINT) from None
    size, kind = header[124:136], header[156:157]
    if _TOO_LARGE.fullmatch(size):  # first of all: where it has run over, everything behind it is shifted
        raise EvidenceError(f"{archive}: {shown(name)}: says that it is larger than {LARGEST_ENTRY} bytes")
    if kind in _KINDS:
        raise EvidenceError(f"{archive}: {shown(name)}: {_KINDS[kind]}", hint=_HINT)
    if kind not in (b"0", b"5", b"\0"):
        raise EvidenceError(f"{archive}: {shown(name)}: is not a plain file (of a type {kind!r} that we do not know)")
    if not _SIZE.fullmatch(size):
        raise EvidenceError(f"{archive}: {shown(name)}: its size is not written as we write it", hint=_HINT)
    return name, int(size[:11], 8)


def _header(name: str, size: int) -> bytes:
    """A ustar header (POSIX.1-1988): no owner, no time."""
    fields = (
        name.encode().ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + b"%011o\0" % size + b"%011o\0" % 0
        + b" " * 8 + b"0" + bytes(100) + b"ustar\0" + b"00" + bytes(32) * 2 + b"0000000\0" * 2 + bytes(155 + 12)
    )  # fmt: skip
    return fields[:148] + b"%06o\0 " % sum(fields) + fields[156:]
