"""What programs in a box tried at ports where nobody listens: refused by the kernel, and seen here.

Each refusal is a packet: a TCP reset that answers a first packet, or an ICMP message that a datagram could not be
delivered. The launcher's filter lets only these through.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Callable

MOST_PLACES = 10_000
"""Places that are remembered, so that each is told once."""
_TCP, _UDP, _ICMP, _ICMP6 = 6, 17, 1, 58
_PROTOCOLS = {_TCP: "tcp", _UDP: "udp"}

Place = tuple[str, str, int]
"""Protocol, address and port."""


def refused_place(packet: bytes) -> Place | None:
    """Where the program wanted to go, by the packet that says it may not."""
    if not packet or packet[0] >> 4 not in (4, 6):
        return None
    protocol, source, _, rest = _parts(packet)
    if protocol == _TCP:
        return ("tcp", source, int.from_bytes(rest[:2], "big")) if len(rest) >= 2 else None
    if protocol not in (_ICMP, _ICMP6) or len(rest) < 9:
        return None
    protocol, _, target, rest = _parts(rest[8:])  # an ICMP message has the packet that it is about
    name = _PROTOCOLS.get(protocol)
    return None if name is None or len(rest) < 4 else (name, target, int.from_bytes(rest[2:4], "big"))


def _parts(packet: bytes) -> tuple[int, str, str, bytes]:
    """Protocol, source, destination and content of an IP packet; of what is none, nothing."""
    four = packet[0] >> 4 == 4
    size = (packet[0] & 15) * 4 if four else 40
    if len(packet) < max(size, 20):
        return 0, "", "", b""
    if four:
        source, target = (str(ipaddress.IPv4Address(packet[at : at + 4])) for at in (12, 16))
        return packet[9], source, target, packet[size:]
    source, target = (str(ipaddress.IPv6Address(packet[at : at + 16])) for at in (8, 24))
    return packet[6], source, target, packet[size:]


class RefusedPorts:
    """Tells of each place once, for as long as the box lives."""

    def __init__(self, door: socket.socket, told: Callable[[Place], None]) -> None:
        self._door = door
        self._told = told
        self._seen: set[Place] = set()
        asyncio.get_running_loop().add_reader(door, self.read)

    def close(self) -> None:
        """Take what is still there, and no more."""
        self.read(10_000)
        asyncio.get_running_loop().remove_reader(self._door)

    def read(self, most: int = 64) -> None:
        """Take what came, so much at once; then others have their turn."""
        for _ in range(most):
            try:
                packet = self._door.recv(256)
            except OSError:
                return
            place = refused_place(packet)
            if place is not None and place not in self._seen and len(self._seen) < MOST_PLACES:
                self._seen.add(place)
                self._told(place)
