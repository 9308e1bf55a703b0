"""Tries a box: whether this machine lets us make a network of our own and bubblewrap run in it.

Where only bubblewrap may make networks, there is a weaker box, in which the gateway is a proxy.
"""

import datetime
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from gaia_harness.box.authority import Authority
from gaia_harness.box.boxing import Box, BoxLimits, Mounts, find_bwrap, standard_environment
from gaia_harness.box.doors import Doors
from gaia_harness.box.gateway import Gateway
from gaia_harness.box.names import Names
from gaia_harness.box.requests import Incoming, Outgoing
from gaia_harness.errors import GaiaError
from gaia_harness.shortening import shorten

HOST = "gateway.test"
_SCRIPT = "import urllib.request; print(urllib.request.urlopen('http://gateway.test/', timeout=10).read().decode())"


class BoxTrial(msgspec.Struct, frozen=True, kw_only=True):
    """Whether boxes work here; if not, why, and what would help. `proxied`: only the weaker kind does, by `reason`."""

    bwrap: str | None = None
    proxied: bool = False
    reason: str | None = None
    hint: str | None = None


async def try_box() -> BoxTrial:
    """Run a small program in a box, which asks the gateway for a page."""
    bwrap = find_bwrap()
    if bwrap is None:
        return BoxTrial(
            reason="bubblewrap is not installed", hint="install it: apt-get install bubblewrap (or dnf, pacman, zypper)"
        )
    best = await _try(bwrap, proxied=False)
    if best.bwrap is not None:
        return best
    weaker = await _try(bwrap, proxied=True)
    return best if weaker.bwrap is None else msgspec.structs.replace(best, bwrap=bwrap, proxied=True)


async def _try(bwrap: str, *, proxied: bool) -> BoxTrial:
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
        box = Box(bwrap, Mounts(), authority.pem, proxied=proxied)
        python = str(box.python)
        environment = standard_environment(("/usr/bin", "/bin"), proxied=proxied)
        done = await box.run([python, "-I", "-c", _SCRIPT], environment, None, BoxLimits(seconds=30), serve, cwd="/")
    except (GaiaError, OSError) as error:
        return BoxTrial(reason=f"a box cannot be made here: {error}", hint=HINT)
    if done.status == 0 and done.out.head.strip() == b"42":
        return BoxTrial(bwrap=bwrap)
    said = " ".join((done.errors.head or done.out.head).decode(errors="replace").split())
    return BoxTrial(reason=f"a box does not work here: {shorten(said, 300) or done.ended.value}", hint=HINT)


HINT = (
    "a container or a security profile may forbid namespaces: allow them (for example docker run --privileged, or "
    "sysctl kernel.apparmor_restrict_unprivileged_userns=0), or run outside"
)
