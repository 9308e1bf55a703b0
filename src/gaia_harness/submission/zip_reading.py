"""Reads zip files, and refuses those whose directory and entries disagree."""

import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import IO, BinaryIO, cast

from gaia_harness.errors import EvidenceError, UnreadableError
from gaia_harness.submission.decompression import AGAIN, largest_unpacked
from gaia_harness.submission.file_set import MOST_FILES
from gaia_harness.submission.unpacking import MOST_FOLDERS, Entry

LARGEST_DIRECTORY = 16 << 20
"""Of the list of all entries, which is read as a whole: 50,000 entries take about 8 MiB."""

_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_END, _END_SIZE = b"PK\x05\x06", 22
_DESCRIPTOR = (12, 16, 20, 24)
"""Bytes that may stand behind an entry whose size was not known when it was begun."""

_BROKEN = (
    zipfile.BadZipFile, zipfile.LargeZipFile, zlib.error, struct.error, EOFError, NotImplementedError, ValueError,
    RuntimeError, OverflowError, IndexError,
)  # fmt: skip


def is_zip(file: BinaryIO, archive: str) -> bool:
    """Whether a file begins as a zip file, also one without any entry."""
    try:
        start = file.read(4)
        file.seek(0)
    except OSError as error:
        raise UnreadableError(f"{archive}: cannot be read: {error.strerror}") from error
    return start in (b"PK\x03\x04", _END)


def zip_entries(file: BinaryIO, archive: str) -> Iterator[Entry]:
    """Each entry in turn."""
    source = _Source(file, archive)
    try:
        with zipfile.ZipFile(cast(IO[bytes], source)) as opened:
            infos = opened.infolist()
            _check_places(source, opened, infos, archive)
            unpacked = sum(info.file_size for info in infos)
            if unpacked > largest_unpacked(file):
                raise EvidenceError(f"{archive}: unpacks to more than {largest_unpacked(file)} bytes")
            for info in infos:
                fault = _fault(info)
                if fault is not None:
                    yield Entry(info.orig_filename, info.is_dir(), 0, lambda count: b"", fault)
                    continue
                with opened.open(info) as content:
                    yield Entry(info.orig_filename, info.is_dir(), info.file_size, _reader(content, archive))
    except _BROKEN as error:
        raise UnreadableError(f"{archive}: damaged: {error}", hint=AGAIN) from None


def _reader(content: IO[bytes], archive: str) -> Callable[[int], bytes]:
    def read(count: int) -> bytes:
        try:
            return content.read(count)
        except _BROKEN as error:
            raise UnreadableError(f"{archive}: damaged: {error}", hint=AGAIN) from None

    return read


class _Source:
    """The file for Python's zipfile: it reads no more at once than a directory may have, and fails with our errors."""

    def __init__(self, file: BinaryIO, archive: str) -> None:
        self._file = file
        self._archive = archive

    def read(self, count: int = -1) -> bytes:
        try:
            data = self._file.read(min(count, LARGEST_DIRECTORY + 1) if count >= 0 else LARGEST_DIRECTORY + 1)
        except OSError as error:
            raise UnreadableError(f"{self._archive}: cannot be read: {error.strerror}") from error
        if len(data) > LARGEST_DIRECTORY:
            raise EvidenceError(f"{self._archive}: its directory has more than {LARGEST_DIRECTORY} bytes")
        if len(data) > 1 << 20 and data.count(b"PK\x01\x02") > MOST_FILES + MOST_FOLDERS:
            raise EvidenceError(f"{self._archive}: more than {MOST_FILES} files")
        return data

    def seek(self, offset: int, whence: int = 0) -> int:
        try:
            return self._file.seek(offset, whence)
        except OSError as error:
            raise ValueError(error.strerror) from None

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True


def _check_places(source: _Source, opened: zipfile.ZipFile, infos: list[zipfile.ZipInfo], archive: str) -> None:
    """Nothing before, between, within or behind the entries: no program can find another one there."""
    size = source.seek(0, 2)
    source.seek(max(0, size - _END_SIZE))
    if source.read(_END_SIZE)[:4] != _END:
        raise EvidenceError(f"{archive}: has something behind its end")
    at = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        gap = info.header_offset - at
        if gap and gap not in (_DESCRIPTOR if at else ()):
            raise EvidenceError(f"{archive}: has something between its entries, or one within another")
        source.seek(info.header_offset)
        header = _LOCAL_HEADER.unpack(source.read(_LOCAL_HEADER.size))
        at = info.header_offset + _LOCAL_HEADER.size + header[-2] + header[-1] + info.compress_size
    if opened.start_dir - at not in (0, *_DESCRIPTOR):
        raise EvidenceError(f"{archive}: has something between its entries, or one within another")


def _fault(info: zipfile.ZipInfo) -> str | None:
    mode = info.external_attr >> 16 if info.create_system == 3 else 0
    if stat.S_ISLNK(mode):
        return "is a link"
    if stat.S_IFMT(mode) not in (0, stat.S_IFDIR if info.is_dir() else stat.S_IFREG):
        return "is not a plain file"
    if info.flag_bits & 0x1:
        return "is encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "is compressed in a way that we do not read: unpack it yourself, and verify the folder"
    return "is a folder with content" if info.is_dir() and info.file_size else None
