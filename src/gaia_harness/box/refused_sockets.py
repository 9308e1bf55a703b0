"""Sockets that programs in a box may not make: raw, packet and hypervisor sockets and the like, refused and seen here.

The kernel asks us about each (seccomp_unotify(2)). We never let one through; nor does it, when we are gone.
"""

import asyncio
import fcntl
import io
import select
import socket
import struct
from collections.abc import Callable

from gaia_harness.tools.seccomp import SOCKET_TYPE, socket_error

NO_SUCH_SOCKETS = "Only TCP, UDP, Unix and netlink sockets may be made here."
MOST_KINDS = 50
"""Kinds of sockets that are remembered, so that each is told once; the first of each family is told beyond them."""
_RECEIVE, _SEND = 0xC0502100, 0xC0182101  # ioctl(2): SECCOMP_IOCTL_NOTIF_RECV and _SEND
_ASKED = struct.Struct("=QII iIQ 6Q")  # struct seccomp_notif: id, pid, flags, and the call with its arguments
_ANSWER = struct.Struct("=QqiI")  # struct seccomp_notif_resp: id, value, error, flags
_FAMILIES = {int(family): family.name for family in socket.AddressFamily}
_TYPES = {int(kind): kind.name for kind in socket.SocketKind}


class RefusedSockets:
    """Answers whoever wants to make such a socket, and tells of each kind once, for as long as the box lives."""

    def __init__(self, listener: io.FileIO, told: Callable[[str], None]) -> None:
        self._listener = listener
        self._told = told
        self._seen: set[str] = set()
        self._families: set[int] = set()
        self._poll = select.poll()
        self._poll.register(listener, select.POLLIN)
        asyncio.get_running_loop().add_reader(listener, self._answer)

    def close(self) -> None:
        """Answer no more: the kernel refuses such calls by itself then."""
        if not self._listener.closed:
            asyncio.get_running_loop().remove_reader(self._listener)
            self._listener.close()

    def _answer(self) -> None:
        """Refuse one call; then others have their turn."""
        events = self._poll.poll(0)
        if not events or not events[0][1] & select.POLLIN:  # nobody asks any more: we would wait in the kernel
            if events:
                self.close()  # nor can anybody, for all are gone
            return
        try:
            asked = fcntl.ioctl(self._listener, _RECEIVE, bytes(_ASKED.size))
            number, *_, family, kind, protocol, _, _, _ = _ASKED.unpack(asked)
            family, kind, protocol = (argument & 0xFFFFFFFF for argument in (family, kind, protocol))
            self._tell(family, named(family, kind, protocol))  # before the answer: whoever asks may be gone by then
            fcntl.ioctl(self._listener, _SEND, _ANSWER.pack(number, 0, -socket_error(family), 0))
        except OSError:
            return  # it does not wait for an answer any more

    def _tell(self, family: int, wanted: str) -> None:
        room = len(self._seen) < MOST_KINDS or (family in _FAMILIES and family not in self._families)
        if wanted not in self._seen and room:
            self._seen.add(wanted)
            self._families.add(family)
            self._told(wanted)


def named(family: int, kind: int, protocol: int) -> str:
    """A kind of socket, in the words of socket(2)."""
    kind &= SOCKET_TYPE
    return f"socket({_FAMILIES.get(family, family)}, {_TYPES.get(kind, kind)}, {protocol})"
