"""The sockets by which a box reaches the gateway, taken over from the launcher that made them in its namespace."""

import asyncio
import json
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from gaia_harness.errors import ToolError

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
    """

    loopback: socket.socket
    web: socket.socket | None = None
    secure_web: socket.socket | None = None
    names: socket.socket | None = None
    refusals: socket.socket | None = None
    proxy: socket.socket | None = None
    more: tuple[socket.socket, ...] = ()

    def close(self) -> None:
        """Close them all: whoever still knocks is refused."""
        known = (self.loopback, self.web, self.secure_web, self.names, self.refusals, self.proxy, *self.more)
        for door in known:
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

    async def doors(self, seconds: float = 20.0) -> Doors:
        """Wait for the sockets; ToolError if there are none."""
        loop = asyncio.get_running_loop()
        self._ours.setblocking(False)
        ready = asyncio.Event()
        loop.add_reader(self._ours, ready.set)
        try:
            await asyncio.wait_for(ready.wait(), seconds)
            message, descriptors, _, _ = socket.recv_fds(self._ours, 16, 8 + MOST_MORE)
        except (TimeoutError, OSError) as error:
            raise ToolError("The network of the box could not be made.") from error
        finally:
            loop.remove_reader(self._ours)
        found = [socket.socket(fileno=descriptor) for descriptor in descriptors]
        order = _ORDER.get(message, ())
        if not order or len(found) < len(order):
            for each in found:
                each.close()
            raise ToolError("The network of the box could not be made.")
        for each in found:
            each.setblocking(False)
        return Doors(**dict(zip(order, found, strict=False)), more=tuple(found[len(order) :]))

    def go(self) -> None:
        """Let the program start: somebody answers the doors now."""
        self._ours.send(b"go")

    def close(self) -> None:
        """Give the channel up. Whoever still waits at its other end gives up as well."""
        self._ours.close()


def launched(argv: Sequence[str], channel: int, more: Sequence[int], *, root: bool) -> list[str]:
    """The command that makes the network of a box and then becomes the given one, whose program has its whole path.

    `more` are ports of servers that the user has named.
    """
    settings = {"channel": channel, "user": not root, "port": PORT, "more": list(more), "argv": list(argv)}
    python = getattr(sys, "_base_executable", None) or sys.executable
    return [python, "-I", "-S", str(_LAUNCHER), json.dumps(settings)]
