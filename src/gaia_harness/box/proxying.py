"""What a program says first to a proxy: CONNECT and a host, or a request with a whole address (RFC 9110, 9.3.6)."""

import asyncio
import re
import socket
from http import HTTPStatus

import h11
import msgspec

from gaia_harness.box.heads import HeadReader
from gaia_harness.box.requests import CHUNK

FIRST_WORDS = 60.0
"""Seconds for them."""
_CONNECT = re.compile(rb"CONNECT ([A-Za-z0-9._-]{1,253}):([0-9]{1,5}) HTTP/1\.[01]")
_TLS = b"\x16"


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """Whom a connection is for. Without a host, each of its requests says it; `early` is what was read of these."""

    host: str = ""
    port: int = 0
    tls: bool = False
    early: bytes = b""


async def read_wish(sock: socket.socket) -> Wish:
    """Read what is said first. h11.RemoteProtocolError where that is not HTTP."""
    head = HeadReader()
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(FIRST_WORDS):
        while not head.complete:
            data = await loop.sock_recv(sock, CHUNK)
            if not data:
                raise ConnectionResetError
            head.feed(data)
    line = bytes(head.data).partition(b"\r\n")[0]
    if not line.startswith(b"CONNECT "):
        return Wish(early=bytes(head.data))
    asked = _CONNECT.fullmatch(line)
    if asked is None or len(head.data) > head.size:
        raise h11.RemoteProtocolError("a tunnel to no host and port, or with words before it is open")
    return Wish(host=asked[1].decode("ascii").lower().rstrip("."), port=int(asked[2]))


async def say(sock: socket.socket, status: int, text: str) -> None:
    """Answer what was said first."""
    data = f"{text}\n".encode() if text else b""
    head = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\n"
    if data:
        head += f"content-type: text/plain\r\ncontent-length: {len(data)}\r\nconnection: close\r\n"
    await asyncio.get_running_loop().sock_sendall(sock, f"{head}\r\n".encode() + data)


async def begins_tls(sock: socket.socket) -> bool:
    """Whether what comes through a tunnel is TLS, by its first byte, which stays where it is."""
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(sock, ready.set)
    try:
        async with asyncio.timeout(FIRST_WORDS):
            await ready.wait()
    finally:
        loop.remove_reader(sock)
    return sock.recv(1, socket.MSG_PEEK) == _TLS
