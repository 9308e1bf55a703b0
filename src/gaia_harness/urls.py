"""Addresses that a person gives: whether they can be meant, before anything is done with them."""

import ipaddress
import re
from urllib.parse import urlsplit

from gaia_harness.errors import UsageError

_HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?")


def check_address(url: str, origin: str, *, example: str = "http://localhost:8888") -> None:
    """Refuse what is no http(s) address, or one that carries a password: it would end up in the run's record."""
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fine = False
    if not fine or any(character.isspace() or not character.isprintable() for character in url):
        raise UsageError(
            f"{origin} is not an http or https address: {_without_password(url)[:200]!r}",
            hint=f"Give an address such as {example}.",
        )
    if parts.username is not None or parts.password is not None:
        raise UsageError(
            f"{origin} carries a name or a password, which would stand in the run's record",
            hint="Give the address without it, and keys by their environment variables.",
        )


def check_host(host: str) -> None:
    """Refuse what is no bare host name or address: it would never match."""
    if not _HOST.fullmatch(host) and not _is_ipv6(host.removeprefix("[").removesuffix("]")):
        raise UsageError(
            f"--allow-host takes a host name or an address alone, not {host[:200]!r}",
            hint="For example --allow-host localhost or --allow-host 192.168.1.7, without scheme, port or range.",
        )


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True


def _without_password(url: str) -> str:
    return re.sub(r"//[^/@]*@", "//…@", url)
