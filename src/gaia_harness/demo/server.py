"""The demo's web server on loopback: a search engine and all pages, without any network.

The search speaks the JSON form of SearXNG (`GET /search?q=…&format=json`) at the server's own address; each site
is a virtual host, `http://<site>.localhost:<port>/`.
"""

import json
from functools import cached_property
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from gaia_harness.demo.loopback import HTML, Answer, LoopbackWeb
from gaia_harness.demo.pages import PORT, Web, document, read_web
from gaia_harness.demo.ranking import Ranking

_LONGEST_QUERY = 1000


class DemoServer(LoopbackWeb):
    """The demo's web."""

    def __init__(self, port: int = 0, web: Web | None = None) -> None:
        super().__init__(port)
        self._web = web or read_web()
        self._pages = {(page.site, page.path): page for page in self._web.pages}

    @cached_property
    def _ranking(self) -> Ranking:
        return Ranking(self._web.pages)

    def answer(self, site: str, target: str) -> Answer:
        """See `LoopbackWeb`."""
        try:
            parts = urlsplit(target)
            path = unquote(parts.path, errors="strict").removeprefix("/")
        except ValueError:
            return _page(HTTPStatus.BAD_REQUEST, "Bad request", "<p>That is not an address.</p>")
        if site in self._web.sites:
            return self._of_site(site, path)
        if site:
            return _page(HTTPStatus.NOT_FOUND, "No such site", "<p>There is no such place on the isles.</p>")
        if path == "search":
            return self._found(parse_qs(parts.query))
        return self._front() if path == "" else _missing()

    def _of_site(self, site: str, path: str) -> Answer:
        if path == "":
            return Answer(body=self._web.front(site).encode())
        location = self._web.redirects.get(f"{site}/{path}")
        if location is not None:
            return Answer(status=HTTPStatus.MOVED_PERMANENTLY, location=location)
        page = self._pages.get((site, path))
        if page is None:
            return _missing()
        body = page.body.replace(PORT.encode(), f":{self.port}".encode()) if page.media_type == HTML else page.body
        return Answer(body=body, media_type=page.media_type)

    def _found(self, query: dict[str, list[str]]) -> Answer:
        asked = " ".join(query.get("q", []))[:_LONGEST_QUERY]
        if not asked.strip():
            return _page(HTTPStatus.BAD_REQUEST, "Bad request", "<p>Nothing was searched for.</p>")
        if query.get("format") != ["json"]:
            return _page(HTTPStatus.FORBIDDEN, "Forbidden", "<p>This search answers in format=json only.</p>")
        results = [
            {
                "url": hit.page.url(self.port),
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
        return Answer(body=json.dumps(found, ensure_ascii=False).encode(), media_type="application/json")

    def _front(self) -> Answer:
        items = "\n".join(
            f'<li><a href="http://{name}.localhost:{self.port}/">{name}</a></li>' for name in self._web.sites
        )
        return Answer(body=document("The demo's web", f"<ul>\n{items}\n</ul>").encode())


def _page(status: HTTPStatus, title: str, content: str) -> Answer:
    return Answer(status=status, body=document(title, content).encode())


def _missing() -> Answer:
    content = "<p>The page you ask for is not here. It may have been taken by the tide, or by a goat.</p>"
    return _page(HTTPStatus.NOT_FOUND, "Not found", content)
