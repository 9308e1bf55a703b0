"""Passes WebSockets of a box on (RFC 6455), as bytes, and keeps what went each way."""

import asyncio
import contextlib
import hashlib

import h11

from gaia_harness.box.requests import CHUNK, Incoming, Outgoing
from gaia_harness.box.upstream import HOP_BY_HOP, Upstream
from gaia_harness.errors import ToolError

KEPT = 4 << 20
"""Bytes of each direction that are kept; of the rest, the length and the hash."""
MOST = 1 << 30


class Direction:
    """What went one way: its beginning, how much it was, and the hash of all."""

    def __init__(self) -> None:
        self.head = bytearray()
        self.size = 0
        self._hash = hashlib.sha256()

    def add(self, data: bytes) -> None:
        """Take what went next."""
        self.size += len(data)
        self._hash.update(data)
        self.head += data[: KEPT - len(self.head)]

    @property
    def sha256(self) -> str:
        """Of all bytes."""
        return self._hash.hexdigest()


class Talk:
    """A WebSocket, so far as it came. `status` is what the server said to the wish for one."""

    def __init__(self) -> None:
        self.status: int | None = None
        self.sent, self.received = Direction(), Direction()


async def pass_on(request: Incoming, answer: Outgoing, upstream: Upstream, talk: Talk) -> None:
    """Open the same WebSocket outside, and carry bytes until either side ends. ToolError where it cannot be opened.

    `talk` is filled with what is said.
    """
    if request.body.size:
        raise ToolError("A request for a WebSocket has no body.")
    reader, writer = await upstream.connect(request)
    try:
        await _open(request, answer, reader, writer, talk)
    finally:
        writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            await asyncio.wait_for(writer.wait_closed(), 2)


async def _open(
    request: Incoming,
    answer: Outgoing,
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    talk: Talk,
) -> None:
    http = h11.Connection(h11.CLIENT)
    left_out = (*HOP_BY_HOP, b"content-length", b"sec-websocket-extensions")  # packed, nobody could scan it
    headers = [(name, value) for name, value in request.headers if name.lower() not in left_out]
    headers += [(b"connection", b"Upgrade"), (b"upgrade", b"websocket")]
    data = http.send(h11.Request(method=request.method, target=request.target, headers=headers))
    writer.write((data or b"") + (http.send(h11.EndOfMessage()) or b""))
    await writer.drain()
    event = await _event(http, reader)
    while isinstance(event, h11.InformationalResponse) and event.status_code != 101:
        event = await _event(http, reader)
    if not isinstance(event, h11.InformationalResponse):
        talk.status = event.status_code if isinstance(event, h11.Response) else 502
        text = b"The server opens no WebSocket here.\n"
        await answer.start(talk.status, [(b"content-length", b"%d" % len(text))])
        await answer.send(text)
        await answer.end()
        return
    talk.status = 101
    own = [(bytes(name), bytes(value)) for name, value in event.headers.raw_items()]
    try:
        box_reader, box_writer, early = await answer.switch(own)
    except h11.LocalProtocolError as error:
        raise ToolError(f"No WebSocket comes about: {error}") from None
    late = http.trailing_data[0]
    for data, direction, target in ((early, talk.sent, writer), (late, talk.received, box_writer)):
        if data:
            direction.add(data)
            target.write(data)
    pumps = [
        asyncio.ensure_future(_pump(box_reader, writer, talk.sent)),
        asyncio.ensure_future(_pump(reader, box_writer, talk.received)),
    ]
    try:
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait(pumps, timeout=2)  # a close is answered by a close
    finally:
        for pump in pumps:
            pump.cancel()
        await asyncio.wait(pumps)


async def _event(http: h11.Connection, reader: asyncio.StreamReader) -> object:
    try:
        while (event := http.next_event()) is h11.NEED_DATA:
            async with asyncio.timeout(60):
                http.receive_data(await reader.read(CHUNK))
    except (OSError, TimeoutError, h11.RemoteProtocolError) as error:
        raise ToolError("The server did not answer as HTTP/1.1.") from error
    return event


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, direction: Direction) -> None:
    with contextlib.suppress(OSError):
        while direction.size < MOST and (data := await reader.read(CHUNK)):
            direction.add(data)
            writer.write(data)
            await writer.drain()
