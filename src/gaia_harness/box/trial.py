"""Tries a box: whether this machine lets us make a network of our own and bubblewrap run in it."""

import datetime
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from gaia_harness.box.authority import Authority
from gaia_harness.box.boxing import Box, BoxLimits, Mounts, find_bwrap, standard_environment
from gaia_harness.box.doors import Doors
from gaia_harness.box.gateway import Gateway, Incoming, Outgoing
from gaia_harness.box.names import Names
from gaia_harness.errors import GaiaError
from gaia_harness.shortening import shorten

HOST = "gateway.test"
_SCRIPT = (
    "import socket; s = socket.create_connection(('gateway.test', 80), 10); "
    "s.sendall(b'GET / HTTP/1.1\\r\\nHost: gateway.test\\r\\nConnection: close\\r\\n\\r\\n'); "
    "print(s.makefile('rb').read().decode()[-2:])"
)


class BoxTrial(msgspec.Struct, frozen=True, kw_only=True):
    """Whether boxes work here; if not, why, and what would help."""

    bwrap: str | None = None
    reason: str | None = None
    hint: str | None = None


async def try_box() -> BoxTrial:
    """Run a small program in a box, which asks the gateway for a page."""
    bwrap = find_bwrap()
    if bwrap is None:
        return BoxTrial(
            reason="bubblewrap is not installed", hint="install it: apt-get install bubblewrap (or dnf, pacman, zypper)"
        )
    authority = Authority(datetime.datetime.now(datetime.UTC))

    async def answer(request: Incoming, back: Outgoing) -> None:
        await back.start(200, [(b"content-length", b"2")])
        await back.send(b"42" if request.host == HOST else b"no")
        await back.end()

    @asynccontextmanager
    async def serve(doors: Doors) -> AsyncIterator[None]:
        async with Gateway(doors, Names(), authority, answer):
            yield

    try:
        box = Box(bwrap, Mounts(), authority.pem)
        python = str(box.python)
        path = standard_environment(("/usr/bin", "/bin"))
        done = await box.run([python, "-I", "-c", _SCRIPT], path, None, BoxLimits(seconds=30), serve, cwd="/")
    except (GaiaError, OSError) as error:
        return BoxTrial(reason=f"a box cannot be made here: {error}", hint=_HINT)
    if done.status == 0 and done.out.head.strip() == b"42":
        return BoxTrial(bwrap=bwrap)
    said = " ".join((done.errors.head or done.out.head).decode(errors="replace").split())
    return BoxTrial(reason=f"a box does not work here: {shorten(said, 300) or done.ended.value}", hint=_HINT)


_HINT = (
    "a container or a security profile may forbid namespaces: allow them (for example docker run --privileged, or "
    "sysctl kernel.apparmor_restrict_unprivileged_userns=0), or run outside"
)
