"""A package as one file: a .tar.gz that is the same for the same package, and a reader that trusts none of it."""

import gzip
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from gaia_harness.errors import EvidenceError
from gaia_harness.files import sync_folder
from gaia_harness.submission.file_set import BUFFER, MOST_FILES, is_package_name, list_files, shown, strange

BLOCK = 512
RECORD = 20 * BLOCK
MOST_BYTES = 16 << 30
MOST_RATIO = 200
SPARE_BYTES = 64 << 20
"""An archive may unpack to so many bytes, to so many times its own size and so much more: beyond is a bomb."""

GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_FOLDER = re.compile(r"gaia-[0-9a-f]{12}")
_HINT = "unpack it yourself and verify the folder, if another program packed it"


def write_archive(package: Path, run_id: str, out: Path) -> None:
    """Put a package into one file, which is whole or not there at all."""
    files = list_files(package)
    prefix = f"gaia-{run_id[:12]}"
    temporary = out.with_name(f".{out.name}.{os.getpid()}.tmp")
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
    with tempfile.TemporaryDirectory(prefix="gaia-verify-") as place:
        folder = Path(place)
        try:
            with archive.open("rb") as file:
                _unpack(_Unzipped(file, archive.name), folder, archive.name)
        except OSError as error:
            raise EvidenceError(f"{archive.name}: cannot be unpacked: {error.strerror or error}") from error
        yield folder


class _Unzipped:
    """What a gzip file holds, read bit by bit, with an end to how much that may be."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file = file
        self._name = name
        self._zlib = zlib.decompressobj(wbits=31)
        self._ready = memoryview(b"")
        self._limit = min(MOST_BYTES, MOST_RATIO * os.fstat(file.fileno()).st_size + SPARE_BYTES)
        self.at = 0
        start = file.read(len(GZIP_HEADER))
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
        while self._more():
            if self._ready:
                raise EvidenceError(f"{self._name}: has something behind its end", hint=_HINT)
        if not self._zlib.eof:
            raise EvidenceError(f"{self._name}: is cut short")
        if self._zlib.unused_data or self._file.read(1):
            raise EvidenceError(f"{self._name}: has something behind its end", hint=_HINT)

    def _more(self) -> bool:
        while not self._ready and not self._zlib.eof:
            data = self._zlib.unconsumed_tail or self._file.read(1 << 16)
            if not data:
                raise EvidenceError(f"{self._name}: is cut short")
            self._inflate(data)
        return bool(self._ready)

    def _inflate(self, data: bytes) -> None:
        try:
            self._ready = memoryview(self._zlib.decompress(data, BUFFER))
        except zlib.error as error:
            raise EvidenceError(f"{self._name}: damaged: {error}") from None


def _unpack(stream: _Unzipped, folder: Path, archive: str) -> None:
    """Every entry must be, to the last byte of its header, what we would write for a plain file of its name."""
    seen: set[str] = set()
    prefix: str | None = None
    while (header := stream.read(BLOCK)) and header != bytes(BLOCK):
        name, size = _entry(header, archive)
        first, _, inner = name.partition("/")
        prefix = first if prefix is None else prefix
        if not _FOLDER.fullmatch(first) or first != prefix:
            raise EvidenceError(f"{archive}: {strange(name)}", hint=_HINT)
        if not is_package_name(inner):
            raise EvidenceError(f"{archive}: {strange(inner)}")
        if inner in seen or (seen and inner < max(seen)):
            raise EvidenceError(f"{archive}: {inner} stands twice, or not in order", hint=_HINT)
        if _header(name, size) != header:
            raise EvidenceError(f"{archive}: {inner} is not a plain file as we pack it", hint=_HINT)
        seen.add(inner)
        if len(seen) > MOST_FILES:
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
        size = int(header[124:135], 8)
    except ValueError:
        raise EvidenceError(f"{archive}: an entry that is not as we write it", hint=_HINT) from None
    kind = header[156:157]
    if kind in (b"1", b"2"):
        raise EvidenceError(f"{archive}: {shown(name)}: is a link")
    if kind not in (b"0", b"5", b"g", b"x", b"L", b"K", b"\0"):
        raise EvidenceError(f"{archive}: {shown(name)}: is not a plain file (a device, pipe or socket)")
    return name, size


def _header(name: str, size: int) -> bytes:
    """A ustar header (POSIX.1-1988): no owner, no time."""
    fields = (
        name.encode().ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + b"%011o\0" % size + b"%011o\0" % 0
        + b" " * 8 + b"0" + bytes(100) + b"ustar\0" + b"00" + bytes(32) * 2 + b"0000000\0" * 2 + bytes(155 + 12)
    )  # fmt: skip
    return fields[:148] + b"%06o\0 " % sum(fields) + fields[156:]
