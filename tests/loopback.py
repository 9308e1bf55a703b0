"""A real HTTP server on loopback for tests, which can also misbehave: hang, cut a body short, drop a connection."""

import contextlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Seen:
    """A request as the server got it."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: Mapping[str, str]  # names in lower case
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Answer:
    """What to send back. `cut` sends only so many bytes of the announced body, then closes the connection;
    `delay` waits first (a hung server); `drop` closes without a word."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    delay: float = 0.0
    drop: bool = False

    @staticmethod
    def json(value: Any, status: int = 200, **headers: str) -> "Answer":
        names = {name.replace("_", "-"): text for name, text in headers.items()}
        return Answer(status, json.dumps(value).encode(), {"content-type": "application/json", **names})

    def in_chunks(self, size: int = 60_000) -> "Answer":
        """The same without an announcement of how long it is."""
        parts = [self.body[at : at + size] for at in range(0, len(self.body), size)]
        body = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in [*parts, b""])
        return replace(self, body=body, headers={**self.headers, "transfer-encoding": "chunked"})


@dataclass
class Loopback:
    """A running server: `url` and every request it has seen, in order."""

    url: str
    port: int
    seen: list[Seen] = field(default_factory=list)


@contextlib.contextmanager
def loopback(answer: Callable[[Seen], Answer], port: int = 0) -> Iterator[Loopback]:
    """Serve `answer` on this port of 127.0.0.1, or on a free one, until the block ends."""
    stopping = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _serve(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            parts = urlsplit(self.path)
            seen = Seen(
                self.command,
                parts.path,
                parse_qs(parts.query, keep_blank_values=True),
                {name.lower(): value for name, value in self.headers.items()},
                self.rfile.read(length) if length else b"",
            )
            server.seen.append(seen)
            reply = answer(seen)
            stopping.wait(reply.delay)
            if reply.drop:
                self.close_connection = True
                return
            self.send_response(reply.status)
            length = {} if "transfer-encoding" in reply.headers else {"content-length": str(len(reply.body))}
            headers = {**length, **reply.headers}
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(reply.body if reply.cut is None else reply.body[: reply.cut])
            if reply.cut is not None:
                self.close_connection = True

        do_GET = do_POST = do_HEAD = do_PUT = _serve

        def log_message(self, *args: Any) -> None:
            pass

        def handle(self) -> None:
            with contextlib.suppress(ConnectionError, ValueError):  # the client went away
                super().handle()

    http = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    http.daemon_threads = True
    server = Loopback(f"http://127.0.0.1:{http.server_port}", http.server_port)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        stopping.set()
        http.shutdown()
        http.server_close()
