"""The four sockets by which a box reaches the gateway, taken over from the launcher that made them in its namespace."""

import asyncio
import json
import os
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from gaia_harness.errors import ToolError

PORT = 8317
"""The fixed port on the box's own loopback: model endpoints and our tools for those who read base addresses."""

FIRST, MOST_MORE = 4, 16
"""Doors that every box has, and how many it may have beside them."""

_LAUNCHER = Path(__file__).with_name("launcher.py")
_MESSAGE = b"doors"


class Doors(msgspec.Struct, frozen=True):
    """Listening sockets in the namespace of a box: web, web with TLS, the fixed port, the name service, other ports."""

    web: socket.socket
    secure_web: socket.socket
    loopback: socket.socket
    names: socket.socket
    more: tuple[socket.socket, ...] = ()

    def close(self) -> None:
        """Close them all: whoever still knocks is refused."""
        for door in (self.web, self.secure_web, self.loopback, self.names, *self.more):
            door.close()


class Launch:
    """The command that makes the network of a box and then becomes the given program, and its end of the channel."""

    def __init__(self, argv: Sequence[str], *, more: Sequence[int] = (), root: bool | None = None) -> None:
        """`argv` begins with the whole path of a program. `more` are ports of servers that the user has named."""
        ours, theirs = socket.socketpair()
        self._ours = ours
        self._theirs = theirs
        settings = {
            "channel": theirs.fileno(),
            "user": os.geteuid() != 0 if root is None else not root,
            "port": PORT,
            "more": list(more),
            "argv": list(argv),
        }
        python = getattr(sys, "_base_executable", None) or sys.executable
        self.argv = [python, "-I", "-S", str(_LAUNCHER), json.dumps(settings)]
        self.descriptor = theirs.detach()
        """To be passed on to the command, and closed here afterwards."""

    async def doors(self, seconds: float = 20.0) -> Doors:
        """Wait for the sockets; ToolError if there are none."""
        loop = asyncio.get_running_loop()
        self._ours.setblocking(False)
        ready = asyncio.Event()
        loop.add_reader(self._ours, ready.set)
        try:
            await asyncio.wait_for(ready.wait(), seconds)
            message, descriptors, _, _ = socket.recv_fds(self._ours, 16, FIRST + MOST_MORE)
        except (TimeoutError, OSError) as error:
            raise ToolError("The network of the box could not be made.") from error
        finally:
            loop.remove_reader(self._ours)
        found = [socket.socket(fileno=descriptor) for descriptor in descriptors]
        if message != _MESSAGE or len(found) < FIRST:
            for each in found:
                each.close()
            raise ToolError("The network of the box could not be made.")
        for each in found:
            each.setblocking(False)
        web, secure_web, loopback, names = found[:FIRST]
        return Doors(web, secure_web, loopback, names, tuple(found[FIRST:]))

    def go(self) -> None:
        """Let the program start: somebody answers the doors now."""
        self._ours.send(b"go")

    def close(self) -> None:
        """Give the channel up. A launcher that still waits ends."""
        self._ours.close()
