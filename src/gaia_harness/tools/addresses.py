"""Which network addresses a tool may connect to: public ones, and hosts that the user has named."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence

from gaia_harness.errors import ToolError

Resolver = Callable[[str, int], Awaitable[Sequence[str]]]


class HostNotFound(ToolError):
    """The name of a host has no address here."""


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052: an IPv4 address in the last 32 bits
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
# Blocks of special use that lie within what older versions of `ipaddress` call global (IANA's special registries).
_SPECIAL = tuple(
    ipaddress.ip_network(block)
    for block in (
        "192.0.0.0/24",
        "192.88.99.0/24",
        "2001::/23",
        "2001:db8::/32",
        "2002::/16",
        "3fff::/20",
    )
)


def is_public(address: str) -> bool:
    """Whether an address belongs to a machine out on the internet."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed in _NAT64:
            return is_public(str(ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)))
        if parsed not in _GLOBAL_UNICAST or parsed.scope_id:  # leaves out ::1, fe80::, fc00::, ::ffff:1.2.3.4, ff00::
            return False
    elif parsed.is_multicast or parsed.is_reserved:
        return False
    return parsed.is_global and not any(parsed.version == block.version and parsed in block for block in _SPECIAL)


def is_allowed(host: str, allow_hosts: Sequence[str]) -> bool:
    """Whether the user has named the host, or a domain that it is part of."""
    host = host.rstrip(".").lower()
    for allowed in allow_hosts:
        name = allowed.strip().strip("[]").rstrip(".").lower()
        if host == name or (name and not _is_address(name) and host.endswith(f".{name}")):
            return True
    return False


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """The addresses of a host by the system's resolver, which also understands 2130706433 and 0x7f.1."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


async def checked_addresses(host: str, port: int, resolve: Resolver, allow_hosts: Sequence[str]) -> Sequence[str]:
    """The addresses of a host that may be connected to; ToolError when there are none, or when one is not public."""
    name = host.rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):  # RFC 6761: never a matter for the name service
        addresses: Sequence[str] = ["127.0.0.1"]
    elif _is_address(name):
        addresses = [name]
    else:
        try:
            addresses = await resolve(host, port)
        except (OSError, UnicodeError):
            addresses = ()
    if not addresses:
        raise HostNotFound(f"The host {host[:200]} cannot be found: is its name right?")
    if not is_allowed(host, allow_hosts) and not all(map(is_public, addresses)):
        raise ToolError(f"The host {host[:200]} is on a private or local network, which may not be read.")
    return addresses


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
