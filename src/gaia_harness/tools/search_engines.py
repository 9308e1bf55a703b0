"""Search engines: ddgs without a key, a SearXNG instance, Brave and Tavily with a key."""

import asyncio
import contextlib
import html
import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gaia_harness.errors import ToolError
from gaia_harness.models.retry import waiting
from gaia_harness.models.wire import tls_context
from gaia_harness.shortening import shorten
from gaia_harness.tools.proxies import Proxies
from gaia_harness.tools.search import HITS, Hit, one_line
from gaia_harness.tools.unpacking import read_body

if TYPE_CHECKING:
    import httpx2

_log = logging.getLogger(__name__)

_BYTES = 5 << 20
_SECONDS = 20.0
_PAUSE = 1.0
_ENGINES_NAMED = 5


class JsonEngine:
    """A search engine that answers in JSON over HTTP: one request, and once more when it was only a hiccup."""

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        proxies: Proxies | None = None,
        headers: Mapping[str, str] | None = None,
        seconds: float = _SECONDS,
        pause: float = _PAUSE,
    ) -> None:
        self.name = name
        self._base_url = base_url.rstrip("/")
        self._proxies = proxies or Proxies()
        self._headers = dict(headers or {})
        self._seconds = seconds
        self._pause = pause
        self._client: httpx2.AsyncClient | None = None

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def ask(self, method: str, path: str, **content: Any) -> Any:
        """The answer to a request, parsed; ToolError in plain words for whatever goes wrong."""
        import httpx2

        trouble = ""
        for attempt in range(2):
            try:
                with _said(self.name, trouble, self._pause) if attempt else contextlib.nullcontext():
                    await asyncio.sleep(self._pause * attempt)
                    async with asyncio.timeout(self._seconds):
                        status, body = await self._send(method, path, content)
            except TimeoutError:
                raise ToolError(f"The search engine did not answer within {self._seconds:g} seconds.") from None
            except (httpx2.TransportError, ImportError) as error:
                trouble = f"The search engine cannot be reached: {_words(error)}"
                continue
            except (httpx2.HTTPError, httpx2.InvalidURL, UnicodeError) as error:
                raise ToolError(f"The search engine cannot be asked: {_words(error)}") from None
            if status == 200:
                return _parsed(body)
            trouble = self.explain(status)
            if status != 429 and status < 500:
                break
        raise ToolError(trouble)

    def explain(self, status: int) -> str:
        """What a status means."""
        if status in (401, 403):
            return f"The search engine refuses its key (status {status})."
        if status == 429:
            return "The search engine is asked too often (status 429): try again later, or work with what there is."
        return f"The search engine failed (status {status})."

    async def _send(self, method: str, path: str, content: Mapping[str, Any]) -> tuple[int, bytes]:
        import httpx2

        if self._client is None:
            url = httpx2.URL(self._base_url)
            self._client = httpx2.AsyncClient(
                proxy=None if _is_local(url.host) else self._proxies.proxy_for(url.scheme, url.host),
                trust_env=False,
                verify=tls_context(),
                timeout=self._seconds,
                headers={"accept-encoding": "gzip", **self._headers},
            )
        async with self._client.stream(method, self._base_url + path, **content) as response:
            return response.status_code, await read_body(response, _BYTES, what="The search engine's answer")


class SearXNG(JsonEngine):
    """A SearXNG instance, by its address."""

    def __init__(self, url: str, **options: Any) -> None:
        super().__init__("searxng", url, **options)

    async def search(self, query: str) -> Sequence[Hit]:
        """GET /search?format=json."""
        answer = await self.ask("GET", "/search", params={"q": query, "format": "json"})
        found = _hits(answer, ("results",), url="url", title="title", snippet="content")
        if not found and (silent := _silent_engines(answer)):
            raise ToolError(f"The SearXNG instance found nothing, and engines that it asks did not answer: {silent}.")
        return found

    def explain(self, status: int) -> str:
        """SearXNG says 403 when its settings do not allow JSON."""
        if status == 403:
            return (
                "The SearXNG instance does not answer in JSON (status 403): its settings.yml must list json under "
                "search: formats."
            )
        return super().explain(status)


class Brave(JsonEngine):
    """Brave Search, by key."""

    def __init__(self, key: str, *, base_url: str = "https://api.search.brave.com", **options: Any) -> None:
        headers = {"x-subscription-token": key, "accept": "application/json"}
        super().__init__("brave", base_url, headers=headers, **options)

    async def search(self, query: str) -> Sequence[Hit]:
        """GET /res/v1/web/search."""
        answer = await self.ask("GET", "/res/v1/web/search", params={"q": query[:400], "count": HITS})
        found = _hits(answer, ("web", "results"), url="url", title="title", snippet="description")
        return [Hit(url=hit.url, title=_untagged(hit.title), snippet=_untagged(hit.snippet)) for hit in found]


class Tavily(JsonEngine):
    """Tavily, by key."""

    def __init__(self, key: str, *, base_url: str = "https://api.tavily.com", **options: Any) -> None:
        super().__init__("tavily", base_url, headers={"authorization": f"Bearer {key}"}, **options)

    async def search(self, query: str) -> Sequence[Hit]:
        """POST /search."""
        answer = await self.ask("POST", "/search", json={"query": query, "max_results": HITS})
        return _hits(answer, ("results",), url="url", title="title", snippet="content")


class Keyless:
    """Several engines by the `ddgs` package, which needs no key and gives no promise."""

    name = "ddgs"

    def __init__(
        self,
        proxies: Proxies | None = None,
        *,
        text: Callable[[str], list[dict[str, Any]]] | None = None,
        seconds: float = 30.0,
    ) -> None:
        """`text` does the search; by default `DDGS.text`."""
        self._proxy = (proxies or Proxies()).https
        self._text = text or self._ddgs
        self._seconds = seconds

    async def search(self, query: str) -> Sequence[Hit]:
        """Search in a thread, since ddgs is synchronous."""
        trouble = ""
        for attempt in range(2):
            try:
                with _said(self.name, trouble, 0.0) if attempt else contextlib.nullcontext():
                    found = await asyncio.wait_for(asyncio.to_thread(self._text, query), self._seconds)
            except TimeoutError:
                raise ToolError(f"The search engines did not answer within {self._seconds:g} seconds.") from None
            except Exception as error:  # ddgs passes on whatever its engines raise
                if "No results" in str(error):
                    return []
                busy = type(error).__name__ == "RatelimitException"
                trouble = "The search engines are asked too often: try again later." if busy else _unreachable(error)
                continue
            return _hits({"results": found}, ("results",), url="href", title="title", snippet="body")
        raise ToolError(trouble)

    async def aclose(self) -> None:
        """Nothing is kept open."""

    def _ddgs(self, query: str) -> list[dict[str, Any]]:
        from ddgs import DDGS

        found: list[dict[str, Any]] = DDGS(proxy=self._proxy, timeout=10).text(query, max_results=HITS)
        return found


@contextlib.contextmanager
def _said(name: str, trouble: str, pause: float) -> Iterator[None]:
    """Says that a search is tried once more, and why; also while that goes on."""
    after = f" in {pause:.1f} s" if pause else ""
    reason = one_line(f"{name} is asked once more{after}: {trouble}", 300)
    _log.warning("%s", reason)
    with waiting(reason):
        yield


def _hits(answer: Any, path: tuple[str, ...], *, url: str, title: str, snippet: str) -> list[Hit]:
    for key in path:
        answer = answer.get(key, []) if isinstance(answer, dict) else None
    if not isinstance(answer, list):
        raise ToolError("The search engine's answer has not the form that was expected.")
    found = []
    for entry in answer[: HITS * 5]:
        if isinstance(entry, dict) and isinstance(entry.get(url), str):
            texts = [value if isinstance(value := entry.get(key), str) else "" for key in (title, snippet)]
            found.append(Hit(url=entry[url], title=texts[0], snippet=texts[1]))
    return found


def _silent_engines(answer: dict[str, Any]) -> str:
    """The engines that SearXNG says it got nothing from, and why; empty where it says nothing of the kind."""
    listed = answer.get("unresponsive_engines")
    engines = [entry for entry in listed if isinstance(entry, list) and entry] if isinstance(listed, list) else []
    named = [f"{entry[0]} ({entry[1]})" if len(entry) > 1 else str(entry[0]) for entry in engines[:_ENGINES_NAMED]]
    return shorten(" ".join(", ".join(named).split()), 200)


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise ToolError("The search engine did not answer in JSON.") from None


def _untagged(text: str) -> str:
    return html.unescape(re.sub(r"</?(?:strong|b|em|i|mark)>", "", text))


def _is_local(host: str) -> bool:
    return host in ("localhost", "127.0.0.1", "::1") or host.endswith(".localhost")


def _unreachable(error: Exception) -> str:
    return f"The search engines cannot be reached ({type(error).__name__})."


def _words(error: BaseException) -> str:
    return shorten(" ".join(str(error).split()), 200) or type(error).__name__
