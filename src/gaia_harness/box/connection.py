"""One connection of a program in a box: HTTP/1.1 requests one after another, each read whole (RFC 9112)."""

import asyncio
import contextlib
import ipaddress
import re
from typing import Protocol

import h11

from gaia_harness.box.authority import asked_host
from gaia_harness.box.doors import PORT
from gaia_harness.box.heads import LARGEST_HEAD, HeadReader
from gaia_harness.box.requests import CHUNK, Headers, Incoming, Outgoing, Room, Spool, TooMuch

IDLE_SECONDS = 300.0
ONLY_THESE = "Nobody listens there: only ports 80 and 443 lead out of the box."

_WHOLE = re.compile(r"http://([A-Za-z0-9._-]{1,253})(?::([0-9]{1,5}))?(/.*)?", re.DOTALL)


class Keeper(Protocol):
    """Whoever keeps the connections of a box, and knows what is allowed."""

    room: Room
    ports: frozenset[int]
    """Those that lead out of the box."""

    def refuse(self, where: str, why: str, place: str | None = None) -> None:
        """Tell of something that was not allowed."""
        ...

    def named(self, host: str) -> None:
        """A program has named a host without asking for its address."""
        ...

    async def handle(self, request: Incoming, answer: Outgoing) -> None:
        """Let somebody answer."""
        ...


class Connection:
    """Answers the requests of a connection that was made to `host` and `port`.

    Without a host it was made to us as a proxy, and each request has a whole address.
    """

    def __init__(
        self,
        keeper: Keeper,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        host: str,
        port: int,
        *,
        early: bytes = b"",
    ) -> None:
        """`early` are bytes that were read already."""
        self._keeper = keeper
        self._reader = reader
        self._writer = writer
        self._early = early
        self._bodiless = False
        self._http = _new_http()
        tls = writer.get_extra_info("ssl_object")
        self._scheme = "http" if tls is None else "https"
        asked = "" if tls is None else asked_host(tls)
        self._by_proxy = not host
        self._host, self._port = host, port
        if asked and _is_address(host):  # it had the address from elsewhere, and says whom it means
            self._host = asked
        self._other_name = asked not in ("", self._host)

    async def serve(self) -> None:
        """Answer requests until either side has enough."""
        while True:
            body = Spool(room=self._keeper.room)
            try:
                request = await self._request(body)
                if request is None:
                    return
                await self._keeper.handle(request, self)
                await self._finish()
            except h11.RemoteProtocolError as error:
                self._keeper.refuse(f"{self._host}:{self._port}", f"not HTTP: {error}")
                await self._say(error.error_status_hint, "This is not HTTP/1.1.")
                return
            finally:
                body.close()
            if self._http.our_state is not h11.DONE or self._http.their_state is not h11.DONE:
                return
            self._early = self._http.trailing_data[0]
            self._http = _new_http()

    async def _request(self, body: Spool) -> Incoming | None:
        if not await self._head():
            return None
        event = await self._next()
        if not isinstance(event, h11.Request):
            return None
        method = bytes(event.method).decode("ascii")
        self._bodiless = method == "HEAD"
        headers = [(bytes(name), bytes(value)) for name, value in event.headers.raw_items()]
        target = bytes(event.target).decode("latin-1")
        if self._by_proxy:
            target = self._asked_of_proxy(target)
        why = self._mismatch(target, headers)
        if why is not None:
            self._keeper.refuse(f"{self._host}:{self._port} {target[:200]}", why)
            await self._say(421, why)
            return None
        if self._by_proxy and self._port not in self._keeper.ports:
            self._keeper.refuse(f"{self._host}:{self._port}", ONLY_THESE, f"tcp://{self._host}:{self._port}")
            await self._say(403, ONLY_THESE)
            return None
        try:
            body.expect(next((int(value) for name, value in headers if name.lower() == b"content-length"), 0))
            if self._http.they_are_waiting_for_100_continue:
                await self._write(self._http.send(h11.InformationalResponse(status_code=100, headers=[])))
            while not isinstance(event := await self._next(), h11.EndOfMessage | h11.ConnectionClosed):
                if isinstance(event, h11.Data):
                    body.write(bytes(event.data))
        except TooMuch as error:
            self._keeper.refuse(f"{self._host}:{self._port} {target[:200]}", str(error))
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

    async def _head(self) -> bool:
        """Whether a request comes, whose head is sound and then h11's to read."""
        head = HeadReader(self._early)
        while not head.complete:
            async with asyncio.timeout(IDLE_SECONDS):
                data = await self._reader.read(CHUNK)
            if not data:
                if head.data:
                    raise h11.RemoteProtocolError("it ends within its head")
                return False
            head.feed(data)
        self._http.receive_data(bytes(head.data))
        return True

    def _asked_of_proxy(self, target: str) -> str:
        """Take host and port from a whole address; its path, or what was given where it is none."""
        whole = _WHOLE.fullmatch(target)
        if whole is None:
            return target
        self._host, self._port = whole[1].lower().rstrip("."), int(whole[2] or 80)
        self._keeper.named(self._host)
        return whole[3] or "/"

    def _mismatch(self, target: str, headers: Headers) -> str | None:
        """Why a request does not belong to its connection, or can be read in two ways; None where it is in order."""
        if self._other_name:
            return "TLS for another name than the connection was made to."
        if not target.startswith("/") or "#" in target:
            return "A request for another host than the connection was made to, or for no path."
        if [name.lower() for name, _ in headers].count(b"host") != 1:
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


def _new_http() -> h11.Connection:
    return h11.Connection(h11.SERVER, max_incomplete_event_size=LARGEST_HEAD)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _host_header(headers: Headers) -> bytes:
    return next(value for name, value in headers if name.lower() == b"host")


def _host_and_port(header: bytes) -> tuple[str, int | None]:
    """The name and the port that a Host header gives."""
    named = header.decode("latin-1").strip().lower()
    name, colon, port = named.rpartition(":")
    if colon and port.isdecimal():
        return name.rstrip("."), int(port[:9])
    return named.rstrip("."), None
