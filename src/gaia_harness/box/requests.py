"""A request of a program in a box, its body, and the way back to the program."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from typing import IO, Protocol

import msgspec

LARGEST_BODY = 256 << 20
"""Bytes of a request: a model takes fewer, and an upload to a website is no part of any task."""
IN_MEMORY = 1 << 20
"""Bytes of a body beyond which it is kept in a file."""
CHUNK = 64 << 10
ROOM = 512 << 20
"""Bytes of bodies that one box may have under way: they lie on a disk that is not its own."""

Headers = Sequence[tuple[bytes, bytes]]


class TooMuch(ValueError):
    """A body that is too long, or one too many."""


class Room:
    """What the bodies of one box may take together."""

    def __init__(self, left: int = ROOM) -> None:
        self.left = left


class Spool:
    """A body: in memory while it is small, then in a file without a name. Read it from its beginning."""

    def __init__(self, largest: int = LARGEST_BODY, room: Room | None = None) -> None:
        self._file: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - closed by close()
        self.size = 0
        self._largest = largest
        self._room = room or Room()

    def beside(self, largest: int) -> "Spool":
        """Another body, in the same room."""
        return Spool(largest, self._room)

    def expect(self, more: int) -> None:
        """TooMuch if there is no room for so many bytes more."""
        if self.size + more > self._largest:
            raise TooMuch(f"A body of more than {self._largest} bytes.")
        if more > self._room.left:
            raise TooMuch("The bodies that are under way have too many bytes together.")

    def write(self, data: bytes) -> None:
        """Add what came next. TooMuch if there is no room for it."""
        self.expect(len(data))
        self.size += len(data)
        self._room.left -= len(data)
        self._file.write(data)

    def read(self) -> bytes:
        """All of it."""
        self._file.seek(0)
        return self._file.read()

    def open(self) -> IO[bytes]:
        """The file, at its beginning."""
        self._file.seek(0)
        return self._file

    def close(self) -> None:
        """Forget it."""
        if not self._file.closed:
            self._room.left += self.size
            self._file.close()


class Incoming(msgspec.Struct, frozen=True, kw_only=True):
    """A request as it came. `host` is what the connection was made to; `target` is the path with its query."""

    method: str
    scheme: str
    host: str
    port: int
    target: str
    headers: Headers
    body: Spool

    @property
    def url(self) -> str:
        """The whole address."""
        usual = {"http": 80, "https": 443}[self.scheme]
        return f"{self.scheme}://{self.host}{'' if self.port == usual else f':{self.port}'}{self.target}"

    def header(self, name: bytes) -> str | None:
        """The first header of this name, in lower case."""
        return next((value.decode("latin-1") for key, value in self.headers if key.lower() == name), None)

    @property
    def wants_upgrade(self) -> bool:
        """Whether it asks for a WebSocket."""
        return (self.header(b"upgrade") or "").lower() == "websocket"


class Outgoing(Protocol):
    """The way back to the program."""

    async def start(self, status: int, headers: Headers = ()) -> None:
        """Begin the answer."""
        ...

    async def send(self, data: bytes) -> None:
        """Send a piece of its body."""
        ...

    async def end(self) -> None:
        """Its body is complete."""
        ...

    async def switch(self, headers: Headers) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes]:
        """Answer with 101 and hand the connection over, with what was already read of it."""
        ...


Handler = Callable[[Incoming, Outgoing], Awaitable[None]]
