"""Validates addresses that a user gives, before anything is done with them."""

import ipaddress
import re
from urllib.parse import urlsplit

from gaia_harness.errors import UsageError

KEYS = "the key of a model is read from OPENAI_API_KEY or ANTHROPIC_API_KEY"

_HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?")


def check_address(
    url: str, origin: str, *, example: str = "http://localhost:8888", keys: str = KEYS, old: bool = False
) -> None:
    """Refuse what is no http(s) address, or one with more in it than a place: it would end up in the run's record.

    `keys` says where a key is to be put instead. With `old`, a query is let pass: runs were begun with one before.
    """
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fine = False
    if not fine or any(character.isspace() or not character.isprintable() for character in url):
        raise UsageError(
            f"{origin} is not an http or https address: {shown_address(url)[:200]!r}",
            hint=f"Give an address such as {example}.",
        )
    host = parts.hostname or ""
    if not old and not _HOST.fullmatch(host) and not _is_ipv6(host):
        raise UsageError(
            f"{origin} has a host that is not written in plain letters: {host[:200]!a}",
            hint="Give its ASCII form (xn--…), so that everybody who reads the record sees which host it is.",
        )
    for what, found in (
        ("a user name or a password", "@" in parts.netloc),
        ("a query", "?" in url and not old),
        ("a fragment", "#" in url and not old),
    ):
        if found:
            raise UsageError(
                f"{origin} has {what} in it, which would stand in the run's record",
                hint=f"Give the address up to its path; {keys}.",
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


def shown_address(url: str) -> str:
    """An address as it may be shown, whatever it is: without a user name, a password, a query or a fragment."""
    return re.sub(r"[?#].*", "", re.sub(r"//[^/]*@", "//…@", url), flags=re.DOTALL)
