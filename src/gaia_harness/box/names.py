"""The name service of a box (RFC 1035): every name gets an address of its own that leads to the gateway.

No question leaves the machine. Which host is meant by an address is known from here when a connection comes in.
"""

import asyncio
import ipaddress
import socket
import struct
from collections.abc import Callable

FIRST = int(ipaddress.IPv4Address("198.18.0.1"))  # RFC 2544: for tests of networks, and nobody's
MOST_NAMES = 65_000
LONGEST_NAME = 253
_SECONDS = 60

A, AAAA, IN = 1, 28, 1
_NO_ERROR, _FORMAT_ERROR, _NAME_ERROR, _NOT_IMPLEMENTED = 0, 1, 3, 4
_IP_PKTINFO = 8


class Names:
    """Made-up addresses by name, and names by address, for one box."""

    def __init__(self, asked: Callable[[str], None] = lambda name: None) -> None:
        """`asked` is told every name that is asked for the first time."""
        self._addresses: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._asked = asked

    def address(self, name: str) -> str | None:
        """The address that stands for a name; None when there are no more."""
        name = name.rstrip(".").lower()
        if name not in self._addresses:
            if len(self._addresses) >= MOST_NAMES:
                return None
            address = str(ipaddress.IPv4Address(FIRST + len(self._addresses)))
            self._addresses[name], self._names[address] = address, name
            self._asked(name)
        return self._addresses[name]

    def host(self, address: str) -> str:
        """The name that an address stands for, or the address itself where a program used one of its own."""
        return self._names.get(address, address)

    def answer(self, message: bytes) -> bytes | None:
        """The answer to a question; None to what is none, which gets no answer at all."""
        if len(message) < 12:
            return None
        number, flags, questions = struct.unpack_from("!HHH", message)
        if flags & 0x8000:
            return None  # an answer, and not a question
        if flags & 0x7800:
            return _reply(number, flags, _NOT_IMPLEMENTED, b"")
        name, at = _name(message, 12)
        if questions != 1 or name is None or len(message) < at + 4:
            return _reply(number, flags, _FORMAT_ERROR, b"")
        kind, family = struct.unpack_from("!HH", message, at)
        question = message[12 : at + 4]
        if family != IN or not name:
            return _reply(number, flags, _NO_ERROR, question)
        if name.rstrip(".").lower() in ("localhost",) or name.lower().endswith(".localhost"):
            address: str | None = "127.0.0.1"  # RFC 6761
        else:
            address = self.address(name)
        if address is None:
            return _reply(number, flags, _NAME_ERROR, question)
        if kind != A:  # there is no other way than IPv4, and nothing else is known of any name
            return _reply(number, flags, _NO_ERROR, question)
        record = struct.pack("!HHHIH", 0xC00C, A, IN, _SECONDS, 4) + socket.inet_aton(address)
        return _reply(number, flags, _NO_ERROR, question, record)


def _reply(number: int, flags: int, code: int, question: bytes, record: bytes = b"") -> bytes:
    # an answer, authoritative, recursion available as far as it was wanted
    head = struct.pack("!HHHHHH", number, 0x8400 | (flags & 0x0100) | 0x80 | code, bool(question), bool(record), 0, 0)
    return head + question + record


def _name(message: bytes, at: int) -> tuple[str | None, int]:
    """The name at a place, and where it ends; None where it is none that a host can have. No pointers in a question."""
    labels: list[str] = []
    while at < len(message):
        size = message[at]
        if size == 0:
            name = ".".join(labels)
            return (name if len(name) <= LONGEST_NAME else None), at + 1
        if size > 63 or at + 1 + size > len(message):
            break
        label = message[at + 1 : at + 1 + size].decode("ascii", "replace")
        if not label.replace("-", "").replace("_", "").isalnum() or not label.isascii():
            return None, at
        labels.append(label)
        at += 1 + size
    return None, at


class NameService:
    """Answers the questions that come in at a door, from the address that they were sent to."""

    def __init__(self, door: socket.socket, names: Names) -> None:
        self._door = door
        self._names = names
        door.setsockopt(socket.IPPROTO_IP, _IP_PKTINFO, 1)
        asyncio.get_running_loop().add_reader(door, self._serve)

    def close(self) -> None:
        """Answer no more."""
        asyncio.get_running_loop().remove_reader(self._door)

    def _serve(self) -> None:
        for _ in range(64):  # then others have their turn
            try:
                message, extra, _, sender = self._door.recvmsg(4096, 256)
            except OSError:
                return
            answer = self._names.answer(message)
            if answer is None:
                continue
            asked = next((data[4:8] for _, kind, data in extra if kind == _IP_PKTINFO), bytes(4))
            info = struct.pack("=I4s4s", 0, asked, bytes(4))
            try:
                self._door.sendmsg([answer], [(socket.IPPROTO_IP, _IP_PKTINFO, info)], 0, sender)
            except OSError:
                continue
