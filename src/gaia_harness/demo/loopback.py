"""A small web server on loopback that serves fictional sites."""

import contextlib
import threading
from abc import ABC, abstractmethod
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

import msgspec

from gaia_harness.errors import RunError

HTML = "text/html; charset=utf-8"
_IDLE_SECONDS = 30  # after which a connection that is kept open is closed


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """The response to a request."""

    status: int = HTTPStatus.OK
    body: bytes = b""
    media_type: str = HTML
    location: str | None = None


class LoopbackWeb(ABC):
    """A web of a few sites, each a virtual host `http://<site>.localhost:<port>/`. Use it as a context manager.

    It listens on 127.0.0.1 only; without a site's name, a request is for the server itself.
    """

    allow_host = "localhost"
    """The host that the fetch tool must be allowed: this name and all names below it."""

    def __init__(self, port: int = 0) -> None:
        self._wanted_port = port
        self._http: _Server | None = None
        self._thread: threading.Thread | None = None

    @abstractmethod
    def answer(self, site: str, target: str) -> Answer:
        """What is said to a request for a path, with its query, of a site; "" is the server itself."""

    @property
    def port(self) -> int:
        """The port in use, while the server runs."""
        if self._http is None:
            raise RuntimeError("the server is not running")
        return self._http.server_port

    @property
    def search_url(self) -> str:
        """The address to give the search tool as that of a SearXNG instance."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        try:
            self._http = _Server(("127.0.0.1", self._wanted_port), _Handler, self)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise RunError(
                f"the demo's web cannot listen on 127.0.0.1:{self._wanted_port}: {reason}",
                hint="Leave the port out: any free one will do.",
            ) from None
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, name="loopback-web", daemon=True
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
    request_queue_size = 64  # every task of a run may ask at once

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], web: LoopbackWeb) -> None:
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
        host = self.headers.get("host", "")
        name = (host.rpartition(":")[0] if ":" in host else host).lower().rstrip(".")
        site = "" if name in ("127.0.0.1", "localhost") else name.removesuffix(".localhost")
        answer = self.server.web.answer(site, self.path)
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
        """Say nothing: the output is the run's."""
