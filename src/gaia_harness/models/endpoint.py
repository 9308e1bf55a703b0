"""Model endpoints: the address, and which API key belongs to it."""

from collections.abc import Mapping
from urllib.parse import urlsplit

import msgspec

from gaia_harness.disclosure import OWN_ADDRESSES, same_origin
from gaia_harness.errors import ModelError, UsageError
from gaia_harness.urls import check_address, shown_address

PLACEHOLDER_KEY = "no-key"  # local servers want some key and look at none


class Provider(msgspec.Struct, frozen=True):
    """A provider's own address, and the variables that name another address and the key."""

    url: str
    url_variable: str
    key_variable: str
    path: str  # what the SDK puts behind the base URL
    headers_variable: str  # headers that the SDK adds by itself
    sdk_variables: tuple[str, ...] = ()  # what else the SDK reads from its process' environment


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider(
        OWN_ADDRESSES["openai"],
        "OPENAI_BASE_URL",
        "OPENAI_API_KEY",
        "/chat/completions",
        "OPENAI_CUSTOM_HEADERS",
        ("OPENAI_ORG_ID", "OPENAI_PROJECT_ID"),
    ),
    "anthropic": Provider(
        OWN_ADDRESSES["anthropic"],
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_API_KEY",
        "/v1/messages",
        "ANTHROPIC_CUSTOM_HEADERS",
    ),
    "google": Provider(  # for agents in a box alone: our own loop has no client for it
        OWN_ADDRESSES["google"], "GOOGLE_GEMINI_BASE_URL", "GEMINI_API_KEY", "/v1beta", "GEMINI_CLI_CUSTOM_HEADERS"
    ),
}


class Endpoint(msgspec.Struct, frozen=True, kw_only=True):
    """An address with its key. `own` means the provider's own; `key` is None where none is needed."""

    provider: str
    url: str
    own: bool
    key_variable: str
    key: str | None

    @property
    def shown_url(self) -> str:
        """The address without a password or a query that may be in it."""
        return shown_address(self.url)

    @property
    def plain_url(self) -> str:
        """The same as a run discloses it: a user name is left out without a trace, and so is a slash at the end."""
        return self.shown_url.replace("//…@", "//").rstrip("/")

    def __repr__(self) -> str:
        return f"Endpoint({self.provider}, {self.shown_url})"  # never the key


def find_endpoint(provider: str, base_url: str | None, env: Mapping[str, str]) -> Endpoint:
    """The address and the key for a provider, from the option, the environment, or the provider itself."""
    known = PROVIDERS[provider]
    given = (base_url or "").strip()
    url = address_of(provider, base_url, env)
    # an option may be that of a run that is resumed; what is given today was looked at by the command
    _check_url(url, "--base-url" if given else known.url_variable, known, old=bool(given))
    if env.get(known.headers_variable, "").strip():
        raise UsageError(
            f"{known.headers_variable} is set: its headers would go with every call, and stand in no record",
            hint=f"Unset it: env -u {known.headers_variable} gaia …",
        )
    own = same_origin(url, known.url)
    key = env.get(known.key_variable, "").strip() or None
    if key is not None and not (key.isascii() and key.isprintable()):
        raise ModelError(
            f"{known.key_variable} contains characters that no key has",
            hint=f"Set {known.key_variable} again, and copy only the key itself.",
        )
    if key is None and own:
        raise ModelError(
            f"{known.key_variable} is not set, and {shown_address(url)} wants a key",
            hint=f"Set {known.key_variable}, or give --base-url for a server of your own.",
        )
    return Endpoint(provider=provider, url=url, own=own, key_variable=known.key_variable, key=key)


def is_own_endpoint(provider: str, base_url: str | None, env: Mapping[str, str]) -> bool:
    """Whether calls would go to the provider itself. Its price list holds only there."""
    return same_origin(address_of(provider, base_url, env), PROVIDERS[provider].url)


def address_of(provider: str, base_url: str | None, env: Mapping[str, str]) -> str:
    """Where calls would go: by the option, the environment, or the provider itself. Nothing is checked."""
    known = PROVIDERS[provider]
    return (base_url or "").strip() or env.get(known.url_variable, "").strip() or known.url


def _check_url(url: str, origin: str, known: Provider, *, old: bool) -> None:
    keys = f"the key is read from {known.key_variable}"
    check_address(url, origin, example=f"{known.url} or http://localhost:8000/v1", keys=keys, old=old)
    if urlsplit(url).path.rstrip("/").endswith(known.path):
        raise UsageError(
            f"{origin} ends in {known.path}, which is added by itself",
            hint=f"Give the part before {known.path}.",
        )
