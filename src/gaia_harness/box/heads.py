"""The head of a request, read strictly: what two readers could take for two different requests is refused (RFC 9112).

Refused are lines that end with a bare LF, folded headers, a body's length that is given twice or in two ways. What
passes is then read by h11.
"""

import h11

LARGEST_HEAD = 64 << 10
_PRINTED = range(0x21, 0x7F)


class HeadReader:
    """Takes bytes as they come, until a head is complete. Each byte is looked at once."""

    def __init__(self, early: bytes = b"") -> None:
        """`early` are bytes that came behind the request before."""
        self.data = bytearray()
        self.complete = False
        self.size = 0
        """Bytes of the head itself, once it is complete."""
        self._looked = 0
        self._line = 0
        self._lengths = 0
        self._coded = False
        self.feed(early)

    def feed(self, data: bytes) -> bool:
        """Whether the head is complete now. RemoteProtocolError for what is no sound head."""
        self.data += data
        if self.data and self.data[0] not in _PRINTED:
            raise _unsound("it does not begin with a method")
        while not self.complete:
            end = self.data.find(b"\n", self._looked)
            if min(end, len(self.data)) > LARGEST_HEAD or (end < 0 and len(self.data) > LARGEST_HEAD):
                raise _unsound("its head is too long", 431)
            if end < 0:
                self._looked = len(self.data)
                return False
            if end == self._line or self.data[end - 1] != 0x0D:
                raise _unsound("a line ends with a bare LF")
            self._take(bytes(self.data[self._line : end - 1]))
            self._looked = self._line = end + 1
        return True

    def _take(self, line: bytes) -> None:
        if not line:
            self.complete, self.size = True, self._line + 2
            if self._coded and self._lengths:
                raise _unsound("it has a content-length and a transfer-encoding")
            return
        if not self._line:
            return  # the request itself, which h11 reads
        if line[:1] in (b" ", b"\t"):
            raise _unsound("a header is folded over two lines")
        name, _, value = line.partition(b":")
        name = name.lower()
        if name.strip() == b"transfer-encoding":
            self._coded = True
        if name.strip() == b"content-length":
            self._lengths += 1
            if self._lengths > 1 or not value.strip(b" \t").isdigit():
                raise _unsound("its content-length is given twice, or is no number")


def _unsound(why: str, status: int = 400) -> h11.RemoteProtocolError:
    return h11.RemoteProtocolError(why, error_status_hint=status)
