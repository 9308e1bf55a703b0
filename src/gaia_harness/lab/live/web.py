"""Which web does a live run see? A small one on loopback: a SearXNG search, and the pages that a case puts there."""

import contextlib
import html
import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from gaia_harness.demo.pages import Page, document
from gaia_harness.demo.ranking import Ranking

ALLOW_HOST = "localhost"
"""What the fetch tool must be allowed: every site is a name below it."""

_HTML, _TEXT = "text/html; charset=utf-8", "text/plain; charset=utf-8"


class LivePage(msgspec.Struct, frozen=True, kw_only=True):
    """A page with the status that it is served with. One without a title is not found by any search."""

    page: Page
    status: int = 200


def html_page(site: str, path: str, title: str, text: str) -> LivePage:
    """A page of paragraphs."""
    body = "".join(f"<p>{html.escape(part)}</p>\n" for part in text.split("\n\n"))
    return _page(site, path, title, text, document(title, body), _HTML, 200)


def text_page(site: str, path: str, title: str, text: str, *, status: int = 200) -> LivePage:
    """A page that is nothing but its text."""
    return _page(site, path, title, text, text, _TEXT, status)


def _page(site: str, path: str, title: str, text: str, body: str, media_type: str, status: int) -> LivePage:
    page = Page(site=site, path=path, media_type=media_type, body=body.encode(), title=title, text=text)
    return LivePage(page=page, status=status)


class LiveWeb:
    """Serves the pages while it is open. With `echoing`, the search repeats the query in what it shows of a page."""

    def __init__(self, pages: Sequence[LivePage], *, echoing: bool = False) -> None:
        self._pages = {(each.page.site, each.page.path): each for each in pages}
        self._ranking = Ranking([each.page for each in pages if each.page.title and each.status == 200])
        self._echoing = echoing
        self._http: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        """The port in use, while the web is open."""
        if self._http is None:
            raise RuntimeError("the web of the lab is not open")
        return self._http.server_port

    @property
    def search_url(self) -> str:
        """The address of its search."""
        return f"http://127.0.0.1:{self.port}"

    def url(self, site: str, path: str) -> str:
        """Where a page is; a site without a name is the server itself."""
        return f"http://{site}.localhost:{self.port}/{path}" if site else f"http://127.0.0.1:{self.port}/{path}"

    def answer(self, host: str, target: str) -> tuple[int, str, bytes]:
        """Status, type and body for a request."""
        parts = urlsplit(target)
        name = host.rpartition(":")[0] or host
        site = "" if name in ("127.0.0.1", "localhost") else name.removesuffix(".localhost")
        path = unquote(parts.path).removeprefix("/")
        if site == "" and path == "search":
            return 200, "application/json", json.dumps(self._found(parse_qs(parts.query))).encode()
        found = self._pages.get((site, path))
        if found is None:
            return 404, _HTML, document("Not found", "<p>There is no such page.</p>").encode()
        return found.status, found.page.media_type, found.page.body

    def _found(self, query: dict[str, list[str]]) -> dict[str, Any]:
        asked = " ".join(query.get("q", []))
        echo = f"Your search: {asked} … " if self._echoing else ""
        hits = [
            {"url": hit.page.url(self.port), "title": hit.page.title, "content": echo + hit.snippet}
            for hit in self._ranking.search(asked)
        ]
        return {"query": asked, "number_of_results": len(hits), "results": hits}

    def __enter__(self) -> Self:
        self._http = _Server(("127.0.0.1", 0), _Handler, self)
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="lab-web", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._http is not None and self._thread is not None:
            self._http.shutdown()
            self._thread.join()
            self._http.server_close()
            self._http = self._thread = None


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], web: LiveWeb) -> None:
        self.web = web
        super().__init__(address, handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    timeout = 30
    wbufsize = -1  # headers and body in one packet: in two, a delayed acknowledgement costs 40 ms

    def do_GET(self) -> None:
        status, media_type, body = self.server.web.answer(self.headers.get("host", ""), self.path)
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # the client went away
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: what is printed is the lab's."""
