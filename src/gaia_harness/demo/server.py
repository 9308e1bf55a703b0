"""How does the demo have a web without the network? A small server on loopback with a search engine and all pages.

The search speaks the JSON form of SearXNG (`GET /search?q=…&format=json`) at the server's own address; each site
is a virtual host, `http://<site>.localhost:<port>/`.
"""

import contextlib
import json
import threading
from functools import cached_property
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from gaia_harness.demo.pages import PORT, Web, document, read_web
from gaia_harness.demo.ranking import Ranking
from gaia_harness.errors import RunError

_HTML = "text/html; charset=utf-8"
_LONGEST_QUERY = 1000
_IDLE_SECONDS = 30  # after which a connection that is kept open is closed


class DemoServer:
    """The demo's web. Use it as a context manager; it listens on 127.0.0.1 only."""

    allow_host = "localhost"
    """The host that the fetch tool must be allowed: this name and all names below it."""

    def __init__(self, port: int = 0, web: Web | None = None) -> None:
        self._web = _Served(web or read_web())
        self._wanted_port = port
        self._http: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def port(self) -> int:
        """The port in use, while the server runs."""
        if self._http is None:
            raise RuntimeError("the demo server is not running")
        return self._http.server_port

    @property
    def search_url(self) -> str:
        """The address to give the search tool as that of a SearXNG instance."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        try:
            self._http = _Server(("127.0.0.1", self._wanted_port), _Handler, self._web)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise RunError(
                f"the demo's web cannot listen on 127.0.0.1:{self._wanted_port}: {reason}",
                hint="Leave the port out: any free one will do.",
            ) from None
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="demo-web", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._http is not None and self._thread is not None:
            self._http.shutdown()
            self._thread.join()
            self._http.server_close()
            self._http = self._thread = None


class _Answer(msgspec.Struct, frozen=True, kw_only=True):
    status: HTTPStatus = HTTPStatus.OK
    body: bytes = b""
    media_type: str = _HTML
    location: str | None = None


class _Served:
    """What the server says to a request, as a function of host and target."""

    def __init__(self, web: Web) -> None:
        self._web = web
        self._pages = {(page.site, page.path): page for page in web.pages}

    @cached_property
    def _ranking(self) -> Ranking:
        return Ranking(self._web.pages)

    def answer(self, host: str, target: str, port: int) -> _Answer:
        try:
            parts = urlsplit(target)
            path = unquote(parts.path, errors="strict").removeprefix("/")
        except ValueError:
            return _page(HTTPStatus.BAD_REQUEST, "Bad request", "<p>That is not an address.</p>")
        name = host.rpartition(":")[0] if ":" in host else host
        site = name.lower().rstrip(".").removesuffix(".localhost")
        if site in self._web.sites:
            return self._of_site(site, path, port)
        if site not in ("127.0.0.1", "localhost"):
            return _page(HTTPStatus.NOT_FOUND, "No such site", "<p>There is no such place on the isles.</p>")
        if path == "search":
            return self._found(parse_qs(parts.query), port)
        return self._front(port) if path == "" else _missing()

    def _of_site(self, site: str, path: str, port: int) -> _Answer:
        if path == "":
            return _Answer(body=self._web.front(site).encode())
        location = self._web.redirects.get(f"{site}/{path}")
        if location is not None:
            return _Answer(status=HTTPStatus.MOVED_PERMANENTLY, location=location)
        page = self._pages.get((site, path))
        if page is None:
            return _missing()
        body = page.body.replace(PORT.encode(), f":{port}".encode()) if page.media_type == _HTML else page.body
        return _Answer(body=body, media_type=page.media_type)

    def _found(self, query: dict[str, list[str]], port: int) -> _Answer:
        asked = " ".join(query.get("q", []))[:_LONGEST_QUERY]
        if not asked.strip():
            return _page(HTTPStatus.BAD_REQUEST, "Bad request", "<p>Nothing was searched for.</p>")
        if query.get("format") != ["json"]:
            return _page(HTTPStatus.FORBIDDEN, "Forbidden", "<p>This search answers in format=json only.</p>")
        results = [
            {
                "url": hit.page.url(port),
                "title": hit.page.title,
                "content": hit.snippet,
                "engine": "orrel",
                "engines": ["orrel"],
                "category": "general",
                "positions": [position],
                "score": hit.score,
            }
            for position, hit in enumerate(self._ranking.search(asked), 1)
        ]
        found: dict[str, Any] = {
            "query": asked,
            "number_of_results": len(results),
            "results": results,
            "answers": [],
            "corrections": [],
            "infoboxes": [],
            "suggestions": [],
            "unresponsive_engines": [],
        }
        return _Answer(body=json.dumps(found, ensure_ascii=False).encode(), media_type="application/json")

    def _front(self, port: int) -> _Answer:
        items = "\n".join(f'<li><a href="http://{name}.localhost:{port}/">{name}</a></li>' for name in self._web.sites)
        return _Answer(body=document("The demo's web", f"<ul>\n{items}\n</ul>").encode())


def _page(status: HTTPStatus, title: str, content: str) -> _Answer:
    return _Answer(status=status, body=document(title, content).encode())


def _missing() -> _Answer:
    content = "<p>The page you ask for is not here. It may have been taken by the tide, or by a goat.</p>"
    return _page(HTTPStatus.NOT_FOUND, "Not found", content)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64  # every task of a run may ask at once

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], web: _Served) -> None:
        self.web = web
        super().__init__(address, handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    server_version = "demo-web"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_SECONDS
    # Headers and body leave in one packet: in two, the client's delayed acknowledgement would cost 40 ms.
    wbufsize = -1

    def do_GET(self) -> None:
        self._reply(with_body=True)

    def do_HEAD(self) -> None:
        self._reply(with_body=False)

    def _reply(self, *, with_body: bool) -> None:
        answer = self.server.web.answer(self.headers.get("host", ""), self.path, self.server.server_port)
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.media_type)
        self.send_header("Content-Length", str(len(answer.body)))
        if answer.location is not None:
            self.send_header("Location", answer.location)
        self.end_headers()
        if with_body:
            self.wfile.write(answer.body)

    def handle(self) -> None:
        with contextlib.suppress(ConnectionError):  # the client went away
            super().handle()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the demo's output is the run's."""
