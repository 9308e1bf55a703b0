"""Which connections to the world are kept for the next page."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

import pytest

from gaia_harness.box.requests import Headers, Incoming, Spool
from gaia_harness.box.upstream import KEPT_HOSTS, Answered, Upstream
from gaia_harness.errors import ToolError


class Heard:
    """The way back, to nobody."""

    def __init__(self) -> None:
        self.body = b""

    async def start(self, status: int, headers: Headers = ()) -> None:
        pass

    async def send(self, data: bytes) -> None:
        self.body += data

    async def end(self) -> None:
        pass

    async def switch(self, headers: Headers) -> tuple[asyncio.StreamReader, asyncio.StreamWriter, bytes]:
        raise AssertionError


class World:
    """A server behind every name, which says in each answer by which of its connections it came."""

    def __init__(self) -> None:
        self.connections = 0
        self.answers_each = 1000
        """After so many it ends a connection, at the next request."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        number = b"%d" % self.connections
        with contextlib.suppress(asyncio.IncompleteReadError, OSError):
            for answered in range(self.answers_each + 1):
                head = await reader.readuntil(b"\r\n\r\n")
                if b"content-length: 1" in head.lower():
                    await reader.readexactly(1)
                if answered == self.answers_each:
                    break
                writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%b" % (len(number), number))
        writer.close()


@pytest.fixture
async def world() -> AsyncIterator[tuple[World, "Asker"]]:
    found = World()
    server = await asyncio.start_server(found.serve, "127.0.0.1", 0)
    asker = Asker(server.sockets[0].getsockname()[1])
    async with server:
        yield found, asker
        await asker.upstream.aclose()


class Asker:
    """Asks for pages, one after another; gives the number of the connection that each came by."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.upstream = Upstream(allow_hosts=("test",), resolve=self.resolve)

    @staticmethod
    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"]

    async def ask(self, host: str, method: str = "GET", body: bytes = b"") -> int:
        spool = Spool()
        spool.write(body)
        headers = [(b"host", f"{host}:{self.port}".encode())]
        headers += [(b"content-length", b"%d" % len(body))] if body else []
        request = Incoming(
            method=method, scheme="http", host=host, port=self.port, target="/", headers=headers, body=spool
        )
        heard = Heard()
        await self.upstream.forward(request, heard, Answered(body=Spool()))
        return int(heard.body)


async def test_a_connection_is_kept_for_pages_of_the_same_host_alone(world):
    _, asker = world
    assert [await asker.ask("one.test") for _ in range(3)] == [1, 1, 1]
    assert await asker.ask("two.test") == 2  # at the same address
    assert await asker.ask("one.test", "POST", b"x") == 3  # which may not be sent twice
    assert [await asker.ask(host) for host in ("two.test", "one.test")] == [2, 1]


async def test_a_page_is_asked_for_again_where_the_server_has_ended_what_was_kept(world):
    there, asker = world
    there.answers_each = 2
    assert [await asker.ask("one.test") for _ in range(3)] == [1, 1, 2]


async def test_a_server_that_says_nothing_is_asked_once(world):
    there, asker = world
    there.answers_each = 0
    with pytest.raises(ToolError, match="cannot be reached"):
        await asker.ask("one.test")
    assert there.connections == 1


async def test_of_many_hosts_only_the_first_are_kept(world):
    there, asker = world
    for number in range(KEPT_HOSTS + 2):
        await asker.ask(f"{number}.test")
    before = there.connections
    assert await asker.ask("0.test") == 1
    assert await asker.ask(f"{KEPT_HOSTS + 1}.test") == before + 1
