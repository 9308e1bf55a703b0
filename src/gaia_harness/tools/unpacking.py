"""Decompresses the body of an HTTP response: every member, in bounded memory."""

import zlib
from typing import TYPE_CHECKING

from gaia_harness.errors import ToolError

if TYPE_CHECKING:
    import httpx2

MOST_MEMBERS = 1_000
"""Of one body: a compressor that works in pieces of 64 KB makes a few hundred of the largest page that is read."""

_EITHER = 47  # gzip or zlib, whichever it turns out to be
_GZIP = 31


async def read_body(response: "httpx2.Response", most: int, *, what: str) -> bytes:
    """The body, unpacked. Neither as it comes nor unpacked may it have more than `most` bytes."""
    body = _Body(response.headers.get("content-encoding", ""), most, what)
    announced = response.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > most:
        raise body.too_large
    async for chunk in response.aiter_raw():
        body.feed(chunk)
    return body.whole()


class _Body:
    def __init__(self, encoding: str, most: int, what: str) -> None:
        encoding = encoding.strip().lower()
        if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
            raise ToolError(f"{what} is packed as {encoding[:40]!r}, which was not asked for.")
        self.too_large = ToolError(f"{what} is larger than {most >> 20} MB, which is not read.")
        self._what = what
        self._most = most
        self._member = None if encoding in ("", "identity") else zlib.decompressobj(wbits=_EITHER)
        self._members = 1
        self._came = 0
        self._data = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Take what comes next."""
        self._came += len(chunk)
        if self._came > self._most:
            raise self.too_large
        if self._member is None:
            self._data += chunk
            return
        while chunk:
            if self._member.eof:  # another member of the same file, as gunzip reads it, or nothing that we know
                self._members += 1
                if self._members > MOST_MEMBERS:
                    raise ToolError(f"{self._what} is packed in more than {MOST_MEMBERS} pieces, which is not read.")
                self._member = zlib.decompressobj(wbits=_GZIP)
            try:
                # never unpacked beyond the limit: a few kilobytes can hold gigabytes
                self._data += self._member.decompress(chunk, self._most + 1 - len(self._data))
            except zlib.error:
                raise ToolError(f"{self._what} cannot be unpacked.") from None
            if len(self._data) > self._most:
                raise self.too_large
            chunk = self._member.unused_data

    def whole(self) -> bytes:
        """All of it, when nothing comes any more."""
        if self._member is not None and self._came and not self._member.eof:
            raise ToolError(f"{self._what} is cut short.")
        return bytes(self._data)
