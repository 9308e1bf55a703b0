"""Sends requests of a box on to the world: only to addresses that were checked, streamed as they come.

The address that is checked is the one that is connected to, so that a second look-up cannot give another.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

import h11
import msgspec

from gaia_harness.box.requests import CHUNK, Headers, Incoming, Outgoing, Spool, TooMuch
from gaia_harness.box.unpacking import READABLE
from gaia_harness.errors import ToolError
from gaia_harness.models.wire import tls_context
from gaia_harness.tools.addresses import Resolver, checked_addresses, is_allowed, system_resolver
from gaia_harness.tools.proxies import Proxies

if TYPE_CHECKING:
    import httpx2

HOP_BY_HOP = frozenset(
    (
        *(b"connection", b"keep-alive", b"proxy-connection", b"proxy-authenticate", b"proxy-authorization", b"te"),
        *(b"trailer", b"transfer-encoding", b"upgrade"),
    )
)
"""Headers that are about one connection, and not about what is sent (RFC 9110, section 7.6.1)."""

LARGEST_KEPT = 64 << 20
"""Bytes of an answer that are kept for the record; of what is longer, the beginning, the length and the hash."""
LARGEST_ANSWER = 2 << 30
KEPT_HOSTS, KEPT_EACH = 16, 2
"""Hosts whose connections are kept for the next page, and how many of each: all are descriptors of ours."""


class Answered(msgspec.Struct, kw_only=True):
    """What came back so far: its body as it was sent, maybe compressed. `fault` says why that is not all of it, `cut`
    that not all of it is kept.

    It is filled while it is passed on, so that whoever reads half of an answer has that half on record.
    """

    body: Spool
    status: int | None = None
    headers: Headers = ()
    size: int = 0
    cut: str | None = None
    fault: str | None = "The agent did not wait for the end of the answer."

    def header(self, name: bytes) -> str | None:
        """The first header of this name, in lower case."""
        return next((value.decode("latin-1") for key, value in self.headers if key.lower() == name), None)


class Upstream:
    """The connections of an attempt to the world. `allow_hosts` may be reached although they are private.

    Those for pages are kept for the next page of the same host, of the first hosts that are asked: what is found by an
    address would serve another host's name without a check, and a connection may be somebody's by its login.
    """

    def __init__(
        self,
        *,
        allow_hosts: Sequence[str] = (),
        resolve: Resolver = system_resolver,
        proxies: Proxies | None = None,
        tls: ssl.SSLContext | None = None,
        seconds: float = 300.0,
    ) -> None:
        self._allow_hosts = tuple(allow_hosts)
        self._resolve = resolve
        self._proxies = proxies or Proxies()
        self._tls = tls
        self._seconds = seconds
        self._clients: dict[str | None, httpx2.AsyncClient] = {}
        self._keeping: dict[tuple[str, int], httpx2.AsyncClient] = {}

    async def aclose(self) -> None:
        """Close all connections."""
        for client in (*self._clients.values(), *self._keeping.values()):
            await client.aclose()
        self._clients.clear()
        self._keeping.clear()

    async def forward(self, request: Incoming, answer: Outgoing, seen: Answered) -> None:
        """Send a request to the host it is for, and its answer back. ToolError where that may not or cannot be.

        `seen` is filled with what comes.
        """
        import httpx2

        own = (*HOP_BY_HOP, b"content-length", b"accept-encoding")
        headers = [(name, value) for name, value in request.headers if name.lower() not in own]
        if request.header(b"accept-encoding") is not None:
            headers.append((b"accept-encoding", READABLE.encode()))  # or the record could not have it as text
        if request.body.size or request.header(b"content-length") is not None:
            headers.append((b"content-length", b"%d" % request.body.size))
        try:
            response = await self._send(request, headers)
        except httpx2.TimeoutException:
            raise ToolError(f"{request.host} did not answer in time.") from None
        except (httpx2.HTTPError, httpx2.InvalidURL, ssl.SSLError, OSError, ValueError) as error:
            raise ToolError(f"{request.host} cannot be reached: {' '.join(str(error).split())[:200]}") from None
        try:
            await relay(response, answer, seen)
        finally:
            await response.aclose()

    async def _send(self, request: Incoming, headers: Headers) -> "httpx2.Response":
        import httpx2

        addresses = await checked_addresses(request.host, request.port, self._resolve, self._allow_hosts)
        # the very words of the request: an address that is tidied up would be another than the one on record
        url = httpx2.URL(f"{request.scheme}://{request.host}:{request.port}/")
        allowed = is_allowed(request.host, self._allow_hosts)
        proxy = None if allowed else self._proxies.proxy_for(request.scheme, request.host)
        client = self._client(proxy)
        if proxy is not None:
            return await client.send(self._build(client, request, url, headers, None), stream=True)
        known = (request.host, request.port) in self._keeping
        keeping = self._keeping_client(request)
        for each in (client,) if keeping is None else (keeping, client):
            for address in addresses:
                try:
                    return await each.send(self._build(each, request, url, headers, address), stream=True)
                except (httpx2.ConnectError, httpx2.ConnectTimeout):
                    if address == addresses[-1]:
                        raise
                except (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError):
                    if each is client or not known:
                        raise
                    break  # the server may have ended what we kept: once more, from the beginning
        raise AssertionError("each address was tried")

    @staticmethod
    def _build(
        client: "httpx2.AsyncClient", request: Incoming, url: "httpx2.URL", headers: Headers, address: str | None
    ) -> "httpx2.Request":
        extensions: dict[str, Any] = {"target": request.target.encode("latin-1")} if address else {}
        extensions |= {"sni_hostname": request.host.rstrip(".")} if address else {}
        url = url if address else url.copy_with(raw_path=request.target.encode("latin-1"))
        target = url if address is None else url.copy_with(host=address)
        return client.build_request(
            request.method,
            target,
            headers=[*headers],
            content=pieces(request.body) if request.body.size else None,
            extensions=extensions,
        )

    def _client(self, proxy: str | None) -> "httpx2.AsyncClient":
        if proxy not in self._clients:
            self._clients[proxy] = plain_client(proxy, self._tls, self._seconds)
        return self._clients[proxy]

    def _keeping_client(self, request: Incoming) -> "httpx2.AsyncClient | None":
        """For what may be asked twice; None where no connection is to be kept."""
        if request.method not in ("GET", "HEAD") or request.body.size:
            return None
        place = (request.host, request.port)
        if place not in self._keeping and len(self._keeping) < KEPT_HOSTS:
            self._keeping[place] = plain_client(None, self._tls, self._seconds, keep=KEPT_EACH)
        return self._keeping.get(place)

    async def connect(self, request: Incoming) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A bare connection to the host of a request, for what is not HTTP from then on."""
        addresses = await checked_addresses(request.host, request.port, self._resolve, self._allow_hosts)
        context = None
        if request.scheme == "https":
            context = tls_context() if self._tls is None else self._tls
        try:
            async with asyncio.timeout(30):
                return await asyncio.open_connection(
                    addresses[0],
                    request.port,
                    ssl=context,
                    server_hostname=None if context is None else request.host.rstrip("."),
                    limit=CHUNK,
                )
        except (OSError, TimeoutError, ValueError) as error:
            raise ToolError(f"{request.host} cannot be reached: {' '.join(str(error).split())[:200]}") from None


KEPT_SECONDS = 3.0
"""For how long a connection is kept: many servers end one that has been idle for five seconds."""


def plain_client(
    proxy: str | None, tls: ssl.SSLContext | None, seconds: float, *, keep: int = 0
) -> "httpx2.AsyncClient":
    """A client that adds nothing of its own to a request, keeps no cookies and follows no redirects.

    `keep` connections are kept for the next request: only where all of them go to one host.
    """
    import httpx2

    client = httpx2.AsyncClient(
        proxy=proxy,
        trust_env=False,
        verify=tls_context() if tls is None else tls,
        timeout=httpx2.Timeout(seconds, connect=20.0),
        # A kept connection would be found by its address and serve another host's name without a new check.
        limits=httpx2.Limits(max_keepalive_connections=keep, keepalive_expiry=KEPT_SECONDS),
        follow_redirects=False,
    )
    for name in ("accept", "accept-encoding", "connection", "user-agent"):
        client.headers.pop(name, None)
    from http.cookiejar import DefaultCookiePolicy

    client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
    return client


async def pieces(body: Spool) -> AsyncIterator[bytes]:
    """A body, piece by piece."""
    file = body.open()
    while piece := file.read(CHUNK):
        yield piece


async def relay(
    response: "httpx2.Response",
    answer: Outgoing,
    seen: Answered,
    scrub: "Scrubber | None" = None,
    *,
    most: int = LARGEST_ANSWER,
    to_the_end: bool = False,
) -> None:
    """Pass an answer on as it comes, and keep it for the record.

    With `scrub` it is unpacked, and keys are taken out of it. `to_the_end`: it is read on when nobody listens any more.
    """
    import httpx2

    headers = [(name, value) for name, value in response.headers.raw if name.lower() not in HOP_BY_HOP]
    pieces = response.aiter_raw
    if scrub is not None:
        if response.headers.get("content-encoding", "identity").strip().lower() != "identity":
            headers = [each for each in headers if each[0].lower() not in (b"content-encoding", b"content-length")]
            pieces = response.aiter_bytes
        headers = [(name, scrub.hide(value)) for name, value in headers]
    seen.status, seen.headers = response.status_code, headers
    listening = True
    try:
        await answer.start(response.status_code, headers)
    except OSError:
        listening = False
    except h11.LocalProtocolError as error:
        raise ToolError(f"The server's answer is not HTTP/1.1 as it is to be: {error}") from None
    scrub = scrub or Scrubber(())
    try:
        async for piece in pieces():  # as it comes: with a size, it would be held back until so much is there
            seen.size += len(piece)
            if seen.size > most:
                seen.fault = f"More than {most} bytes came; the rest was not passed on."
                return
            listening = await _pass(scrub.feed(piece), answer, seen, listening)
            if not listening and not to_the_end:
                return
        listening = await _pass(scrub.end(), answer, seen, listening)
        if listening:
            await answer.end()
        seen.fault = seen.cut
    except (httpx2.HTTPError, ssl.SSLError) as error:
        seen.fault = f"The answer broke off: {' '.join(str(error).split())[:200] or type(error).__name__}"
    except h11.LocalProtocolError:
        seen.fault = "The answer was not as long as its header said."


async def _pass(data: bytes, answer: Outgoing, seen: Answered, listening: bool) -> bool:
    """Keep a piece, then pass it on; whether somebody listens."""
    if not data:
        return listening
    try:
        if seen.body.size + len(data) > LARGEST_KEPT:
            raise TooMuch
        seen.body.write(data)
    except TooMuch:
        seen.cut = f"Only the first {seen.body.size} bytes are kept; more came."
    if listening:
        try:
            await answer.send(data)
        except OSError:
            return False
    return listening


class Scrubber:
    """Takes secrets out of a stream of bytes, also where one is cut in two. What stands there is as long as before."""

    def __init__(self, secrets: Sequence[bytes]) -> None:
        self._secrets = tuple(secret for secret in secrets if len(secret) >= 8)
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """What may go on by now: all but an end that may be the beginning of a secret."""
        text = self.hide(self._held + data)
        longest = min(max(map(len, self._secrets), default=1) - 1, len(text))
        back = next((size for size in range(longest, 0, -1) if self._begins(text[-size:])), 0)
        self._held = text[len(text) - back :]
        return text[: len(text) - back]

    def end(self) -> bytes:
        """The rest."""
        rest, self._held = self._held, b""
        return rest

    def hide(self, text: bytes) -> bytes:
        """A text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, b"*" * len(secret))
        return text

    def _begins(self, end: bytes) -> bool:
        return any(secret.startswith(end) for secret in self._secrets)
