"""Answers every connection of a box: on its web ports and its fixed port, with TLS or without, or as a proxy.

The gateway reads whole requests and hands them to a handler, which answers as it sees fit. It is strict: what is not
HTTP, or names another host than the connection was made to, is refused and told.
"""

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable

import h11
import msgspec

from gaia_harness.box.authority import Authority
from gaia_harness.box.connection import ONLY_THESE, Connection
from gaia_harness.box.doors import Doors
from gaia_harness.box.heads import LARGEST_HEAD
from gaia_harness.box.names import Names, NameService
from gaia_harness.box.proxying import Wish, begins_tls, read_wish, say
from gaia_harness.box.refused_ports import Place, RefusedPorts
from gaia_harness.box.refused_sockets import NO_SUCH_SOCKETS, RefusedSockets
from gaia_harness.box.requests import Handler, Incoming, Outgoing, Room

GRACE = 2.0
"""Seconds in which the world may end its answers when the box is gone: what a model call took is told at its end."""
MOST_CONNECTIONS = 256


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Something that a program in the box tried and was not allowed: where, and why not.

    `place` is the address of a port, such as tcp://example.org:22, where it was that.
    """

    where: str
    why: str
    place: str | None = None


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
        self.ports = frozenset((80, 443, *(door.getsockname()[1] for door in doors.more)))
        self._service: NameService | None = None
        self._kernel: RefusedPorts | None = None
        self._sockets: RefusedSockets | None = None
        self._tls = authority.context()
        self._accepting: list[asyncio.Task[None]] = []
        self._open: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "Gateway":
        doors = self._doors
        if doors.names is not None:
            self._service = NameService(doors.names, self._names)
        if doors.refusals is not None:
            self._kernel = RefusedPorts(doors.refusals, self._refused_by_kernel)
        if doors.calls is not None:
            self._sockets = RefusedSockets(doors.calls, lambda kind: self.refuse(kind, NO_SUCH_SOCKETS))
        for door in (doors.web, doors.secure_web, doors.loopback, doors.proxy, *doors.more):
            if door is not None:
                self._accepting.append(asyncio.create_task(self._accept(door)))
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the doors, and whatever is still open. What is under way has a moment to come to its end."""
        if self._service is not None:
            self._service.close()
        if self._kernel is not None:
            self._kernel.close()
        if self._sockets is not None:
            self._sockets.close()
        for task in self._accepting:
            task.cancel()
        await asyncio.wait(self._accepting)
        for seconds in (GRACE, 5.0):
            if self._open:
                await asyncio.wait(self._open, timeout=seconds)
            for task in self._open:
                task.cancel()
        self._doors.close()

    def refuse(self, where: str, why: str, place: str | None = None) -> None:
        """Tell of something that was not allowed."""
        self._refused(Refusal(where=where[:2000], why=why, place=place))

    def _refused_by_kernel(self, place: Place) -> None:
        protocol, address, port = place
        host = self.host_of(address)
        host = f"[{host}]" if ":" in host else host
        self.refuse(f"{host}:{port}", ONLY_THESE, f"{protocol}://{host}:{port}")

    async def _accept(self, door: socket.socket) -> None:
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
            task = loop.create_task(self._connected(sock, door))
            self._open.add(task)
            task.add_done_callback(self._open.discard)

    async def _connected(self, sock: socket.socket, door: socket.socket) -> None:
        writer: asyncio.StreamWriter | None = None
        try:
            wish = await self._wish(sock, door)
            if wish is None:
                return
            try:
                reader, writer = await _streams(sock, self._tls if wish.tls else None)
            except (OSError, TimeoutError) as error:
                if wish.tls:
                    why = getattr(error, "reason", None) or " ".join(str(error).split())[:200] or "it ended"
                    self.refuse(f"{wish.host}:{wish.port}", f"no TLS came about: {why}")
                return
            await Connection(self, reader, writer, wish.host, wish.port, early=wish.early).serve()
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

    async def _wish(self, sock: socket.socket, door: socket.socket) -> Wish | None:
        """Whom a connection is for: by the address that it was made to or, at a proxy, by what is said first.

        None where that is refused.
        """
        if door is not self._doors.proxy:
            address, port = sock.getsockname()[:2]
            return Wish(host=self.host_of(address), port=port, tls=door is self._doors.secure_web)
        try:
            wish = await read_wish(sock)
        except h11.RemoteProtocolError as error:
            self.refuse("the proxy", f"not HTTP: {error}")
            await say(sock, error.error_status_hint, "This is not HTTP/1.1.")
            return None
        if not wish.host:
            return wish
        self.named(wish.host)
        if wish.port not in self.ports:
            self.refuse(f"{wish.host}:{wish.port}", ONLY_THESE, f"tcp://{wish.host}:{wish.port}")
            await say(sock, 403, ONLY_THESE)
            return None
        await say(sock, 200, "")
        return msgspec.structs.replace(wish, tls=await begins_tls(sock))

    def named(self, host: str) -> None:
        """A program has named a host without asking for its address."""
        self._names.address(host)

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
