"""The sockets by which a box reaches the gateway, taken over from the launcher that made them in its namespace."""

import asyncio
import base64
import io
import json
import os
import socket
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from gaia_harness.errors import ToolError
from gaia_harness.tools.seccomp import socket_filter

PORT = 8317
"""The fixed port on the box's own loopback: model endpoints and our tools for those who read base addresses."""

PROXY_PORT = 8318
"""Where the gateway answers as a proxy, in a box whose network could not be made by us."""

MOST_MORE = 16
"""How many doors a box may have beside the usual ones."""

_LAUNCHER = Path(__file__).with_name("launcher.py")


class Doors(msgspec.Struct, frozen=True, kw_only=True):
    """Sockets in the namespace of a box: web, web with TLS, the fixed port, the name service, what the kernel refuses,
    other ports. Where the network is not ours to make, the fixed port and a proxy are all.

    `calls` is the listener of the filter of sockets. Without it, nobody is asked about those that are refused.
    """

    loopback: socket.socket
    web: socket.socket | None = None
    secure_web: socket.socket | None = None
    names: socket.socket | None = None
    refusals: socket.socket | None = None
    proxy: socket.socket | None = None
    more: tuple[socket.socket, ...] = ()
    calls: io.FileIO | None = None

    def close(self) -> None:
        """Close them all: whoever still knocks is refused."""
        known = (self.loopback, self.web, self.secure_web, self.names, self.refusals, self.proxy, self.calls)
        for door in (*known, *self.more):
            if door is not None:
                door.close()


_ORDER: dict[bytes, tuple[str, ...]] = {
    b"doors": ("web", "secure_web", "loopback", "names", "refusals"),
    b"proxy": ("loopback", "proxy"),
}
"""In which order they come: from the launcher, or from the first program in the box."""


class Channel:
    """The way by which the sockets of a box come to us, and by which it is told that it may begin."""

    def __init__(self) -> None:
        self._ours, theirs = socket.socketpair()
        self.descriptor = theirs.detach()
        """To be passed on to whoever makes the sockets, and closed here afterwards."""
        self._calls: io.FileIO | None = None

    async def doors(self, seconds: float = 20.0) -> Doors:
        """Wait for the sockets; ToolError if there are none."""
        self._ours.setblocking(False)
        try:
            async with asyncio.timeout(seconds):
                message, descriptors = await self._received()
                if message == b"calls" and len(descriptors) == 1:
                    self._calls = io.FileIO(descriptors[0])
                    message, descriptors = await self._received()
        except (TimeoutError, OSError) as error:
            raise ToolError("The network of the box could not be made.") from error
        found = [socket.socket(fileno=descriptor) for descriptor in descriptors]
        order = _ORDER.get(message, ())
        if not order or len(found) < len(order):
            for each in found:
                each.close()
            raise ToolError("The network of the box could not be made.")
        for each in found:
            each.setblocking(False)
        return Doors(**dict(zip(order, found, strict=False)), more=tuple(found[len(order) :]), calls=self._calls)

    async def _received(self) -> tuple[bytes, list[int]]:
        """The next message, and the descriptors that came with it."""
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        loop.add_reader(self._ours, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(self._ours)
        return socket.recv_fds(self._ours, 16, 8 + MOST_MORE)[:2]

    def go(self) -> None:
        """Let the program start: somebody answers the doors now."""
        self._ours.send(b"go")

    def close(self) -> None:
        """Give the channel up. Whoever still waits at its other end gives up as well."""
        self._ours.close()
        if self._calls is not None:
            self._calls.close()


def sees_sockets(bwrap: str) -> bool:
    """Whether the launcher may set a filter before this bubblewrap: under one, a program gets no rights by its file."""
    try:
        rights = Path(bwrap).stat().st_mode & (stat.S_ISUID | stat.S_ISGID)
        return not rights and "security.capability" not in os.listxattr(bwrap)
    except OSError:
        return False


def launched(argv: Sequence[str], channel: int, more: Sequence[int], *, root: bool, network: bool = True) -> list[str]:
    """The command that makes the network of a box and then becomes the given one, whose program has its whole path.

    `more` are ports of servers that the user has named. Without `network`, only sockets are refused, and seen.
    """
    filters = [socket_filter(ask=True), socket_filter(ask=False)]
    settings = {
        "channel": channel,
        "network": network,
        "user": not root,
        "port": PORT,
        "more": list(more),
        "filters": [base64.b64encode(each).decode() for each in filters if each is not None],
        "argv": list(argv),
    }
    python = getattr(sys, "_base_executable", None) or sys.executable
    return [python, "-I", "-S", str(_LAUNCHER), json.dumps(settings)]
