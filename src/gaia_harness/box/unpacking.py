"""Unpacks the bodies of HTTP messages, in bounded memory (RFC 9110, section 8.4; RFC 8878 for zstd)."""

import io
import zlib
from collections.abc import Iterator
from typing import IO, Any

import zstandard

from gaia_harness.errors import GaiaError

READABLE = "gzip, deflate, zstd"
"""For `Accept-Encoding`. Brotli is not among them: Python's standard library cannot read it."""
CHUNK = 64 << 10

_LITTLE = 256
"""Bytes of zstd that are unpacked at a time, which knows no limit: four bytes can be 128 KB."""
_MOST_MEMBERS = 1_000
_LARGEST_WINDOW = 8 << 20
_DAMAGED = "It cannot be unpacked to its end."


class UnpackingError(GaiaError):
    """Why a body, or the rest of it, is not unpacked."""


def unpacked(body: IO[bytes], packing: str) -> Iterator[bytes]:
    """The body in pieces of bounded size: a few kilobytes can hold gigabytes."""
    if packing in ("", "identity"):
        yield from pieces(body)
        return
    if packing not in ("gzip", "x-gzip", "deflate", "zstd"):
        raise UnpackingError(f"It is packed as {packing[:40]!r}, which is not read.")
    zstd = packing == "zstd"
    member: Any = None
    members = 0
    for piece in pieces(body, _LITTLE if zstd else CHUNK):
        while piece:
            if member is None or member.eof:
                members += 1
                if members > _MOST_MEMBERS:
                    raise UnpackingError(f"It is packed in more than {_MOST_MEMBERS} pieces; the rest is not read.")
                member = _unpacker(packing, piece[0])
            try:
                yield member.decompress(piece) if zstd else member.decompress(piece, CHUNK)
            except (zlib.error, zstandard.ZstdError):
                raise UnpackingError(_DAMAGED) from None
            piece = member.unused_data if member.eof else member.unconsumed_tail
    if member is not None:
        yield member.flush()
        if not member.eof:
            raise UnpackingError(_DAMAGED)


def _unpacker(packing: str, first: int) -> Any:
    if packing == "zstd":
        return zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW).decompressobj()
    bare = packing == "deflate" and first & 0x0F != 8  # some servers leave the header of RFC 1950 out
    return zlib.decompressobj(wbits=-15 if bare else 47)


def unpacked_whole(data: bytes, packing: str, most: int) -> bytes:
    """A small body, such as a model call's, in one piece. UnpackingError if it has more than `most` bytes."""
    whole = bytearray()
    for piece in unpacked(io.BytesIO(data), packing):
        whole += piece
        if len(whole) > most:
            raise UnpackingError(f"It has more than {most} bytes.")
    return bytes(whole)


def pieces(file: IO[bytes], size: int = CHUNK) -> Iterator[bytes]:
    """What is left of a file, in pieces."""
    while piece := file.read(size):
        yield piece
