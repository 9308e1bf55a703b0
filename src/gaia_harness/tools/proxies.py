"""Proxy settings from HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY."""

import ipaddress
from collections.abc import Mapping

import msgspec


class Proxies(msgspec.Struct, frozen=True, kw_only=True):
    """Proxies by scheme, and the hosts that go without."""

    http: str | None = None
    https: str | None = None
    without: str = ""

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> "Proxies":
        """As the environment says; names in lower case come first, as in curl."""

        def value(name: str) -> str:
            return (env.get(name) or env.get(name.upper()) or "").strip()

        def address(name: str) -> str | None:
            found = value(name) or value("all_proxy")
            return (found if "://" in found else f"http://{found}") if found else None

        return cls(http=address("http_proxy"), https=address("https_proxy"), without=value("no_proxy"))

    def proxy_for(self, scheme: str, host: str) -> str | None:
        """The proxy for requests to a host, or None."""
        proxy = self.https if scheme == "https" else self.http
        if proxy is None or any(_covers(entry.strip(), host) for entry in self.without.split(",")):
            return None
        return proxy


def _covers(entry: str, host: str) -> bool:
    """Whether an entry of NO_PROXY means the host: `*`, a name with all beneath it, an address, a network."""
    name, host = entry.lower().lstrip(".").strip("[]"), host.lower().rstrip(".")
    if name in ("*", host):
        return True
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(name, strict=False)
    except ValueError:
        return bool(name) and host.endswith(f".{name}")
