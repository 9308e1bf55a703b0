"""Reads single entries of a foreign zip file, with bounds on what they unpack to."""

import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO, cast

import zstandard

from gaia_harness.exchange.inputs import LARGEST_PIECE, ImportRefused, InputFile

MOST_ENTRIES = 50_000
LARGEST_DIRECTORY = 16 << 20
MOST_RATIO, SPARE_BYTES = 200, 64 << 20
"""A file may unpack to so many times its own size and so much more, as packages may: beyond is a bomb."""

ZSTANDARD = 93
_LARGEST_WINDOW = 128 << 20
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")
_BROKEN = (
    zipfile.BadZipFile, zipfile.LargeZipFile, struct.error, EOFError, NotImplementedError, ValueError, RuntimeError,
    OverflowError, IndexError, zlib.error, zstandard.ZstdError,
)  # fmt: skip


class ZippedFile:
    """The entries of a zip file by their names. Where a name stands twice, the last one counts."""

    def __init__(self, file: InputFile) -> None:
        self._file = file
        self._opened = file.path.open("rb")
        try:
            with zipfile.ZipFile(cast(IO[bytes], _Bounded(self._opened, file.name))) as opened:
                infos = opened.infolist()
        except _BROKEN as error:
            self.close()
            raise ImportRefused(f"{file.name}: not a whole zip file: {error}") from None
        except ImportRefused:
            self.close()
            raise
        if sum(info.file_size for info in infos) > MOST_RATIO * file.size + SPARE_BYTES:
            self.close()
            raise ImportRefused(f"{file.name}: unpacks to more than {MOST_RATIO} times its size: not a log but a bomb")
        self.entries = {info.filename: info for info in infos}

    def __enter__(self) -> "ZippedFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the file."""
        self._opened.close()

    def read(self, name: str, limit: int = LARGEST_PIECE) -> bytes:
        """The bytes of an entry; refused where they are more than the limit, or not what its directory says."""
        info, where = self.entries[name], f"{self._file.name}: {Path(name).name}"
        if info.file_size > limit or info.compress_size > limit:
            raise ImportRefused(f"{where}: larger than {limit >> 20} MiB, more than one task-run may take")
        if info.flag_bits & 0x1:
            raise ImportRefused(f"{where}: is encrypted")
        try:
            self._opened.seek(info.header_offset)
            header = _LOCAL_HEADER.unpack(self._opened.read(_LOCAL_HEADER.size))
            self._opened.seek(header[-2] + header[-1], 1)
            data = _unpacked(self._opened.read(info.compress_size), info.compress_type, info.file_size, where)
        except (*_BROKEN, OSError) as error:
            raise ImportRefused(f"{where}: damaged: {error}") from None
        if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
            raise ImportRefused(f"{where}: damaged: not what the directory of the zip file says")
        return data


def _unpacked(data: bytes, method: int, size: int, where: str) -> bytes:
    if method == zipfile.ZIP_STORED:
        return data
    if method == zipfile.ZIP_DEFLATED:
        return zlib.decompressobj(-15).decompress(data, size + 1)
    if method == ZSTANDARD:
        parts, missing = [], size + 1
        reader = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).stream_reader(
            data, read_across_frames=True
        )
        while missing and (part := reader.read(min(missing, 1 << 20))):
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)
    raise ImportRefused(f"{where}: compressed in a way that is not read here (method {method})")


class _Bounded:
    """The file for Python's zipfile, which reads the list of entries as a whole."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file = file
        self._name = name
        self.seek, self.tell = file.seek, file.tell

    def read(self, count: int = -1) -> bytes:
        data = self._file.read(min(count, LARGEST_DIRECTORY + 1) if count >= 0 else LARGEST_DIRECTORY + 1)
        if len(data) > LARGEST_DIRECTORY or data.count(b"PK\x01\x02") > MOST_ENTRIES:
            raise ImportRefused(f"{self._name}: its directory has more than {MOST_ENTRIES} entries")
        return data

    def seekable(self) -> bool:
        return True
