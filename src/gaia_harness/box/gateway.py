"""Answers every connection of a box: HTTP/1.1 on its web ports and its fixed port, with TLS or without (RFC 9112).

The gateway reads whole requests and hands them to a handler, which answers as it sees fit. It is strict: what is not
HTTP, or names another host than the connection was made to, is refused and told.
"""

import asyncio
import contextlib
import socket
import ssl
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from typing import IO, Protocol

import h11
import msgspec

from gaia_harness.box.authority import Authority, asked_host
from gaia_harness.box.doors import PORT, Doors
from gaia_harness.box.names import Names, NameService

LARGEST_HEAD = 64 << 10
LARGEST_BODY = 256 << 20
"""Bytes of a request: a model takes fewer, and an upload to a website is no part of any task."""
IN_MEMORY = 1 << 20
"""Bytes of a body beyond which it is kept in a file."""
CHUNK = 64 << 10
IDLE_SECONDS = 300.0
GRACE = 2.0
"""Seconds in which the world may end its answers when the box is gone: what a model call took is told at its end."""
MOST_CONNECTIONS = 256
ROOM = 512 << 20
"""Bytes of bodies that one box may have under way: they lie on a disk that is not its own."""

Headers = Sequence[tuple[bytes, bytes]]


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a program in the box tried and was not allowed: where, and why not."""

    where: str
    why: str


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


class Gateway:
    """The other side of a box's doors, for as long as the box lives."""

    def __init__(
        self,
        doors: Doors,
        names: Names,
        authority: Authority,
        handler: Handler,
        *,
        refused: Callable[[Refusal], None] = lambda refusal: None,
        failed: Callable[[BaseException], None] = lambda error: None,
    ) -> None:
        """`failed` is told of an error of ours: the record is then not complete, and the run must not be believed."""
        self._doors = doors
        self._names = names
        self._authority = authority
        self._handler = handler
        self._refused = refused
        self._failed = failed
        self.room = Room()
        self._service: NameService | None = None
        self._accepting: list[asyncio.Task[None]] = []
        self._open: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "Gateway":
        self._service = NameService(self._doors.names, self._names)
        tls = self._authority.context()
        plain = (self._doors.web, self._doors.loopback, *self._doors.more)
        for door, context in (*((door, None) for door in plain), (self._doors.secure_web, tls)):
            self._accepting.append(asyncio.create_task(self._accept(door, context)))
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the doors, and whatever is still open. What is under way has a moment to come to its end."""
        if self._service is not None:
            self._service.close()
        for task in self._accepting:
            task.cancel()
        await asyncio.wait(self._accepting)
        for seconds in (GRACE, 5.0):
            if self._open:
                await asyncio.wait(self._open, timeout=seconds)
            for task in self._open:
                task.cancel()
        self._doors.close()

    def refuse(self, where: str, why: str) -> None:
        """Tell of something that was not allowed."""
        self._refused(Refusal(where=where[:2000], why=why))

    async def _accept(self, door: socket.socket, tls: ssl.SSLContext | None) -> None:
        """Let programs in, so many at once: each takes a descriptor of ours before it has said a word."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                sock, _ = await loop.sock_accept(door)
            except OSError:  # it went away again, or we have no descriptors left
                await asyncio.sleep(0.1)
                continue
            if len(self._open) >= MOST_CONNECTIONS:
                sock.close()
                self.refuse("the box", f"more than {MOST_CONNECTIONS} connections at once")
                continue
            task = loop.create_task(self._connected(sock, tls))
            self._open.add(task)
            task.add_done_callback(self._open.discard)

    async def _connected(self, sock: socket.socket, tls: ssl.SSLContext | None) -> None:
        writer: asyncio.StreamWriter | None = None
        try:
            address, port = sock.getsockname()[:2]
            try:
                reader, writer = await _streams(sock, tls)
            except (OSError, TimeoutError) as error:
                if tls is not None:
                    why = getattr(error, "reason", None) or " ".join(str(error).split())[:200] or "it ended"
                    self.refuse(f"{self.host_of(address)}:{port}", f"no TLS came about: {why}")
                return
            await _Connection(self, reader, writer).serve()
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            pass  # the program went away, as programs do
        except asyncio.CancelledError:
            pass
        except Exception as error:
            self._failed(error)
        finally:
            if writer is None:
                sock.close()
            else:
                writer.close()
                with contextlib.suppress(OSError, TimeoutError, asyncio.CancelledError):
                    await asyncio.wait_for(writer.wait_closed(), 2)

    def host_of(self, address: str) -> str:
        """The name that stands behind an address in the box."""
        return self._names.host(address)

    async def handle(self, request: Incoming, answer: Outgoing) -> None:
        """Let the handler answer."""
        await self._handler(request, answer)


async def _streams(
    sock: socket.socket, tls: ssl.SSLContext | None
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LARGEST_HEAD)
    protocol = asyncio.StreamReaderProtocol(reader)
    transport, _ = await loop.connect_accepted_socket(
        lambda: protocol, sock, ssl=tls, ssl_handshake_timeout=None if tls is None else 30.0
    )
    return reader, asyncio.StreamWriter(transport, protocol, reader, loop)


class _Connection:
    """One connection: requests one after another."""

    def __init__(self, gateway: Gateway, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._gateway = gateway
        self._reader = reader
        self._writer = writer
        self._bodiless = False
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=LARGEST_HEAD)
        address, self._port = writer.get_extra_info("sockname")[:2]
        tls = writer.get_extra_info("ssl_object")
        self._scheme = "http" if tls is None else "https"
        self._host = gateway.host_of(address)
        asked = "" if tls is None else asked_host(tls)
        if self._host == address:  # it had the address from elsewhere, and says whom it means
            self._host = asked or address
        self._other_name = asked not in ("", self._host)

    async def serve(self) -> None:
        """Answer requests until either side has enough."""
        while True:
            body = Spool(room=self._gateway.room)
            try:
                request = await self._request(body)
                if request is None:
                    return
                await self._gateway.handle(request, self)
                await self._finish()
            except h11.RemoteProtocolError as error:
                self._gateway.refuse(f"{self._host}:{self._port}", f"not HTTP: {error}")
                await self._say(error.error_status_hint, "This is not HTTP/1.1.")
                return
            finally:
                body.close()
            if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                return
            self._http.start_next_cycle()

    async def _request(self, body: Spool) -> Incoming | None:
        event = await self._next()
        if not isinstance(event, h11.Request):
            return None
        method = bytes(event.method).decode("ascii")
        self._bodiless = method == "HEAD"
        headers = [(bytes(name), bytes(value)) for name, value in event.headers.raw_items()]
        target = bytes(event.target).decode("latin-1")
        why = self._mismatch(target, headers)
        if why is not None:
            self._gateway.refuse(f"{self._host}:{self._port} {target[:200]}", why)
            await self._say(421, why)
            return None
        try:
            body.expect(next((int(value) for name, value in headers if name.lower() == b"content-length"), 0))
            if self._http.they_are_waiting_for_100_continue:
                await self._write(self._http.send(h11.InformationalResponse(status_code=100, headers=[])))
            while not isinstance(event := await self._next(), h11.EndOfMessage | h11.ConnectionClosed):
                if isinstance(event, h11.Data):
                    body.write(bytes(event.data))
        except TooMuch as error:
            self._gateway.refuse(f"{self._host}:{self._port} {target[:200]}", str(error))
            await self._say(413, str(error))
            return None
        if isinstance(event, h11.ConnectionClosed):
            return None
        return Incoming(
            method=method,
            scheme=self._scheme,
            host=self._meant(_host_and_port(_host_header(headers))[0]) or self._host,
            port=self._port,
            target=target,
            headers=headers,
            body=body,
        )

    def _mismatch(self, target: str, headers: Headers) -> str | None:
        """Why a request does not belong to its connection, or can be read in two ways; None where it is in order."""
        if self._other_name:
            return "TLS for another name than the connection was made to."
        if not target.startswith("/") or "#" in target:
            return "A request for another host than the connection was made to, or for no path."
        names = [name.lower() for name, _ in headers]
        if b"content-length" in names and b"transfer-encoding" in names:
            return "A request with two lengths."
        if names.count(b"host") != 1:
            return "A request without one Host header."
        named, port = _host_and_port(_host_header(headers))
        if port is not None and port != self._port:
            return "A Host header with another port than the connection's."
        if self._meant(named) is not None:
            return None
        return "A Host header with another name than the connection was made to."

    def _meant(self, named: str) -> str | None:
        """The host that a request is for, by its connection and the name that it gives; None where they differ."""
        if self._host == "127.0.0.1" and self._port != PORT and f".{named}".endswith(".localhost"):
            return named  # RFC 6761, 6.3: programs know such names without asking
        own = ("127.0.0.1", "localhost") if self._host == "127.0.0.1" else (self._host,)
        return self._host if named in own else None

    async def _next(self) -> object:
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                async with asyncio.timeout(IDLE_SECONDS):
                    self._http.receive_data(await self._reader.read(CHUNK))
                continue
            return event

    async def start(self, status: int, headers: Headers = ()) -> None:
        """See `Outgoing`."""
        await self._write(self._http.send(h11.Response(status_code=status, headers=list(headers))))

    async def send(self, data: bytes) -> None:
        """See `Outgoing`. The answer to a HEAD has no body."""
        if self._bodiless:
            return
        await self._write(self._http.send(h11.Data(data=data)))

    async def end(self) -> None:
        """See `Outgoing`."""
        await self._write(self._http.send(h11.EndOfMessage()))

    async def switch(self, headers: Headers) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes]:
        """See `Outgoing`."""
        await self._write(self._http.send(h11.InformationalResponse(status_code=101, headers=list(headers))))
        return self._reader, self._writer, self._http.trailing_data[0]

    async def _finish(self) -> None:
        """End an answer that its handler left open; without any, something of ours failed."""
        if self._http.our_state is h11.SEND_RESPONSE:
            await self._say(502, "The gateway has no answer.")
        elif self._http.our_state is h11.SEND_BODY:
            self._writer.transport.abort()  # cut short, and to be seen as that

    async def _say(self, status: int, text: str) -> None:
        if self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        data = (text + "\n").encode()
        with contextlib.suppress(h11.LocalProtocolError):
            headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
            await self.start(status, [*headers, (b"content-length", b"%d" % len(data))])
            await self.send(data)
            await self.end()

    async def _write(self, data: bytes | None) -> None:
        if data:
            self._writer.write(data)
            await self._writer.drain()


def _host_header(headers: Headers) -> bytes:
    return next(value for name, value in headers if name.lower() == b"host")


def _host_and_port(header: bytes) -> tuple[str, int | None]:
    """The name and the port that a Host header gives."""
    named = header.decode("latin-1").strip().lower()
    name, colon, port = named.rpartition(":")
    if colon and port.isdecimal():
        return name.rstrip("."), int(port[:9])
    return named.rstrip("."), None
