"""The `web_fetch` tool: fetches a URL, and refuses addresses in the local network."""

import asyncio
import copy
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from gaia_harness.errors import ToolError
from gaia_harness.models.wire import tls_context
from gaia_harness.protocol import ERROR_STATUS, WEB_FETCH
from gaia_harness.shortening import shorten
from gaia_harness.tools.addresses import HostNotFound, Resolver, checked_addresses, is_allowed, system_resolver
from gaia_harness.tools.arguments import PARTS, find_argument, offset_argument, schema, text_argument
from gaia_harness.tools.base import Source, ToolOutput
from gaia_harness.tools.kept_pages import KeptPages
from gaia_harness.tools.parts import WINDOW, part_of, shown
from gaia_harness.tools.proxies import Proxies
from gaia_harness.tools.reader_worker import ReadReply
from gaia_harness.tools.reading import FileReader
from gaia_harness.tools.unpacking import read_body
from gaia_harness.version import __version__

if TYPE_CHECKING:
    import httpx2

_ERROR_TEXT = 2_000  # characters of a page that came with an error status
_REDIRECTS = 10
_NAMES = {  # how the readers are told what a server says it sends
    "text/html": "page.html",
    "application/xhtml+xml": "page.html",
    "application/json": "page.json",
    "application/xml": "page.xml",
    "text/xml": "page.xml",
    "text/csv": "page.csv",
    "text/plain": "page.txt",
}


class FetchLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What one fetch may use."""

    seconds: float = 60.0
    bytes: int = 20 << 20


class _Page(msgspec.Struct, frozen=True):
    url: str
    status: int
    content_type: str
    body: bytes


class WebFetch:
    """The `web_fetch` tool."""

    name = WEB_FETCH
    description = (
        "Fetch a web page, PDF, office document or picture by its URL (http or https) and get its text, or the "
        f"picture. At most {WINDOW:,} characters a call: read on with offset, or search in the page with find; both go "
        "on in the page as it was fetched. Pages up to 20 MB; no forms, no logins, no JavaScript, no private networks."
    )

    def __init__(
        self,
        readers: FileReader,
        *,
        allow_hosts: Sequence[str] = (),
        resolve: Resolver = system_resolver,
        proxies: Proxies | None = None,
        limits: FetchLimits | None = None,
        tls: Any = None,
    ) -> None:
        """`allow_hosts` are hosts that may be read although they are private; `tls` is an SSL context."""
        self._readers = readers
        self._allow_hosts = tuple(allow_hosts)
        self._resolve = resolve
        self._proxies = proxies or Proxies()
        self._limits = limits or FetchLimits()
        self._tls = tls
        self._clients: dict[str | None, httpx2.AsyncClient] = {}
        self._kept = KeptPages[_Page]()
        self._attempt = object()

    def for_attempt(self, readers: FileReader | None = None) -> "WebFetch":
        """The tool for one attempt: it goes on in the pages that this attempt fetched, and in no others."""
        own = copy.copy(self)
        own._attempt = object()
        own._readers = readers or self._readers
        return own

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return schema("url", "The address of the page, beginning with http:// or https://.", parts=True)

    async def call(self, args: Mapping[str, Any]) -> ToolOutput:
        """Fetch the page. A page with an error status is a result too, marked as an error."""
        url = text_argument(args, "url", at_most=4_000, optional=PARTS).strip()
        offset, find = offset_argument(args), find_argument(args)
        key = url.partition("#")[0]
        kept = self._kept.get(self._attempt, key) if offset or find else None
        page = kept or await self._fetch_in_time(url)
        if page.status >= 400:
            return await self._failed(page)
        self._kept.keep(self._attempt, key, page)
        reply = await self._read(page, offset, find)
        text = shown(reply.part, offset=offset, find=find, tool=self.name)
        if page.url.partition("#")[0] != key:
            text += f"\n[read from {page.url}]"
        if kept is not None:
            text += "\n[from the page as it was fetched before, not fetched again]"
        return ToolOutput(text=text, images=reply.images, sources=_sources(page.url, reply.title, text))

    async def aclose(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            await client.aclose()
        self._clients.clear()

    async def _fetch_in_time(self, url: str) -> _Page:
        try:
            async with asyncio.timeout(self._limits.seconds):
                return await self._fetch(url)
        except TimeoutError:
            raise ToolError(f"The page did not come within {self._limits.seconds:g} seconds.") from None

    async def _failed(self, page: _Page) -> ToolOutput:
        try:
            reply = await self._read(page) if page.body else ReadReply()
        except ToolError:
            reply = ReadReply()
        text = f"{ERROR_STATUS.format(status=page.status)}\n{reply.text[:_ERROR_TEXT]}".strip()
        return ToolOutput(text=text, is_error=True, sources=_sources(page.url, reply.title, text))

    async def _read(self, page: _Page, offset: int = 0, find: str = "") -> ReadReply:
        if not page.body:
            return ReadReply(part=part_of("(The page is empty.)", offset=offset, find=find))
        media_type, _, rest = page.content_type.partition(";")
        charset = rest.partition("charset=")[2].split(";")[0].strip(" \"'")[:40] or None
        tail = page.url.partition("?")[0].partition("#")[0].rpartition("/")[2][-60:]
        name = _NAMES.get(media_type.strip().lower()) or (tail if "." in tail else "page")
        return await self._readers.read(page.body, name, charset=charset, offset=offset, find=find)

    async def _fetch(self, url: str) -> _Page:
        import httpx2

        try:
            target = httpx2.URL(url)
            for _ in range(_REDIRECTS + 1):
                response = await self._request(target)
                try:
                    location = response.headers.get("location")
                    if response.status_code not in (301, 302, 303, 307, 308) or location is None:
                        return await self._page(target, response)
                finally:
                    await response.aclose()
                target = target.join(location)
        except (httpx2.InvalidURL, UnicodeError, ValueError):
            raise ToolError(f"{url[:200]!r} is not a URL, or leads to one that is not.") from None
        except httpx2.TimeoutException:
            raise ToolError("The server did not answer in time.") from None
        except httpx2.ConnectError as error:
            raise ToolError(f"The server cannot be reached: {_words(error)}") from None
        except (httpx2.HTTPError, ImportError) as error:
            raise ToolError(f"The page could not be fetched: {_words(error)}") from None
        raise ToolError(f"The page redirects more than {_REDIRECTS} times.")

    async def _request(self, url: "httpx2.URL") -> "httpx2.Response":
        """Send the request to an address that was checked, so that a second look-up cannot give another one."""
        import httpx2

        if url.scheme not in ("http", "https") or not url.host:
            raise ToolError(f"{str(url)[:200]!r} cannot be read: a URL must begin with http:// or https://.")
        if url.userinfo:
            raise ToolError("A URL with a user name or password in it is not read.")
        host = url.raw_host.decode("ascii")
        proxy = self._proxies.proxy_for(url.scheme, host)
        port = (443 if url.scheme == "https" else 80) if url.port is None else url.port
        if not 0 < port < 65536:
            raise ToolError(f"{str(url)[:200]!r} is not a URL: there is no port {port}.")
        allowed = is_allowed(host, self._allow_hosts)
        addresses: Sequence[str] = ()
        try:
            addresses = await checked_addresses(host, port, self._resolve, self._allow_hosts)
        except HostNotFound:
            if proxy is None:
                raise
            if not allowed:  # the proxy may know it, and it may be a machine of the local network
                raise ToolError(
                    f"The host {host[:200]} cannot be found here, and a name that only the proxy knows is not read "
                    "unless the run allows it (--allow-host)."
                ) from None
        else:
            proxy = None if allowed else proxy
        client = self._client(proxy)
        headers = {"host": url.netloc.decode("ascii")}
        if proxy is not None:
            return await client.send(client.build_request("GET", url, headers=headers), stream=True)
        for address in addresses[:-1]:
            try:
                return await self._send(client, url, address, headers)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue
        return await self._send(client, url, addresses[-1], headers)

    async def _send(
        self, client: "httpx2.AsyncClient", url: "httpx2.URL", address: str, headers: dict[str, str]
    ) -> "httpx2.Response":
        name = url.raw_host.decode("ascii").rstrip(".")
        request = client.build_request(
            "GET", url.copy_with(host=address), headers=headers, extensions={"sni_hostname": name}
        )
        return await client.send(request, stream=True)

    async def _page(self, url: "httpx2.URL", response: "httpx2.Response") -> _Page:
        body = await read_body(response, self._limits.bytes, what="The page")
        return _Page(str(url), response.status_code, response.headers.get("content-type", ""), body)

    def _client(self, proxy: str | None) -> "httpx2.AsyncClient":
        import httpx2

        if proxy not in self._clients:
            self._clients[proxy] = httpx2.AsyncClient(
                proxy=proxy,
                trust_env=False,  # proxies are decided above, host by host
                verify=self._tls if self._tls is not None else tls_context(),
                timeout=httpx2.Timeout(30.0, connect=10.0),
                # A kept connection would be found by its address and serve another host's name without a new check.
                limits=httpx2.Limits(max_keepalive_connections=0),
                headers={
                    "user-agent": f"Mozilla/5.0 (compatible; gaia-harness/{__version__})",
                    "accept": "text/html,application/xhtml+xml,application/pdf;q=0.9,*/*;q=0.8",
                    "accept-language": "en,*;q=0.5",
                    "accept-encoding": "gzip",
                },
            )
            self._clients[proxy].cookies.jar.set_policy(_no_cookies())  # one task must not carry them to the next
        return self._clients[proxy]


def _no_cookies() -> Any:
    from http.cookiejar import DefaultCookiePolicy

    return DefaultCookiePolicy(allowed_domains=[])


def _sources(url: str, title: str, text: str) -> tuple[Source, ...]:
    title = " ".join(title.split())[:300]
    return (Source(url=url[:4_000], title=title, offset=0, bytes=len(text.encode())),)


def _words(error: BaseException) -> str:
    return shorten(" ".join(str(error).split()), 200) or type(error).__name__
