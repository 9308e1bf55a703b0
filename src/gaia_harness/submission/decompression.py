"""Decompresses gzip, bzip2, xz and Zstandard, with a limit on the output."""

import bz2
import lzma
import os
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from gaia_harness.errors import EvidenceError, UnreadableError
from gaia_harness.submission.file_set import BUFFER, MOST_BYTES

MOST_RATIO = 200
SPARE_BYTES = 64 << 20
"""An archive may unpack to so many bytes, to so many times its own size and so much more: beyond is a bomb."""

MOST_MEMORY = 128 << 20
"""What a decompressor may take: `xz -9` needs 65 MiB, `zstd --long` as much as this."""

INPUT = 1 << 16
GZIP, BZIP2, XZ, ZSTD = b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd"
AGAIN = "get it again: the copy may not be whole"


def largest_unpacked(file: BinaryIO) -> int:
    """How many bytes an archive of this size may unpack to."""
    return min(MOST_BYTES, MOST_RATIO * os.fstat(file.fileno()).st_size + SPARE_BYTES)


class Decompressed:
    """The bytes in a file, compressed or not, read in order. Errors are ours, and memory does not grow with it."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._name = name
        self._limit = largest_unpacked(file)
        self._pieces = _pieces(file, name)
        self._ready = memoryview(b"")
        self.at = 0

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

    def _more(self) -> bool:
        while not self._ready:
            try:
                self._ready = memoryview(next(self._pieces))
            except StopIteration:
                return False
            except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as error:
                said = error.strerror if isinstance(error, OSError) and error.strerror else error
                raise UnreadableError(f"{self._name}: damaged: {said}", hint=AGAIN) from None
        return True


def _pieces(file: BinaryIO, name: str) -> Iterator[bytes]:
    """The content of a file, none of the pieces larger than BUFFER."""
    start = file.read(len(XZ))
    file.seek(0)
    if start.startswith(GZIP):
        return _gzip(file, name)
    if start.startswith(BZIP2):
        return _streams(file, name, BZIP2)
    if start.startswith(XZ):
        return _streams(file, name, XZ)
    return _zstd(file, name) if start.startswith(ZSTD) else iter(lambda: file.read(BUFFER), b"")


def _gzip(file: BinaryIO, name: str) -> Iterator[bytes]:
    data = file.read(INPUT)
    while data:
        member = zlib.decompressobj(wbits=31)
        while not member.eof:
            if not data:
                raise UnreadableError(f"{name}: is cut short", hint=AGAIN)
            yield member.decompress(data, BUFFER)
            data = member.unused_data if member.eof else member.unconsumed_tail or file.read(INPUT)
        data = _next_stream(file, name, data, GZIP)


def _streams(file: BinaryIO, name: str, magic: bytes) -> Iterator[bytes]:
    data = file.read(INPUT)
    while data:
        stream: bz2.BZ2Decompressor | lzma.LZMADecompressor = (
            bz2.BZ2Decompressor() if magic == BZIP2 else lzma.LZMADecompressor(lzma.FORMAT_XZ, MOST_MEMORY)
        )
        while not stream.eof:
            if stream.needs_input:
                data = data or file.read(INPUT)
                if not data:
                    raise UnreadableError(f"{name}: is cut short", hint=AGAIN)
            piece, data = stream.decompress(data, BUFFER), b""  # it keeps what it has not used
            yield piece
        data = _next_stream(file, name, stream.unused_data, magic)


def _next_stream(file: BinaryIO, name: str, left: bytes, magic: bytes) -> bytes:
    """What stands behind a stream: nothing, or a further one of its kind, as programs that use all cores write it."""
    data = left if len(left) >= len(magic) else left + file.read(INPUT)
    if data and not data.startswith(magic):
        raise EvidenceError(f"{name}: has something behind its end")
    return data


def _zstd(file: BinaryIO, name: str) -> Iterator[bytes]:
    import zstandard

    reader = zstandard.ZstdDecompressor(max_window_size=MOST_MEMORY).stream_reader(
        file, read_size=INPUT, read_across_frames=True, closefd=False
    )
    try:
        while piece := reader.read(BUFFER):
            yield piece
    except zstandard.ZstdError as error:
        raise ValueError(error) from None
    if not reader.tell():  # it does not say so itself; where something came out, the tar file has no end
        raise UnreadableError(f"{name}: is cut short", hint=AGAIN)
