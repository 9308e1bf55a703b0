"""The web of a live run, served on loopback: a SearXNG search, and the pages that a case puts there."""

import html
import json
from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from gaia_harness.demo.loopback import HTML, Answer, LoopbackWeb
from gaia_harness.demo.pages import Page, document
from gaia_harness.demo.ranking import Ranking

_TEXT = "text/plain; charset=utf-8"


class LivePage(msgspec.Struct, frozen=True, kw_only=True):
    """A page with the status that it is served with. One without a title is not found by any search."""

    page: Page
    status: int = 200


def html_page(site: str, path: str, title: str, text: str) -> LivePage:
    """A page of paragraphs."""
    body = "".join(f"<p>{html.escape(part)}</p>\n" for part in text.split("\n\n"))
    return _page(site, path, title, text, document(title, body), HTML, 200)


def text_page(site: str, path: str, title: str, text: str, *, status: int = 200) -> LivePage:
    """A page that is nothing but its text."""
    return _page(site, path, title, text, text, _TEXT, status)


def _page(site: str, path: str, title: str, text: str, body: str, media_type: str, status: int) -> LivePage:
    page = Page(site=site, path=path, media_type=media_type, body=body.encode(), title=title, text=text)
    return LivePage(page=page, status=status)


class LiveWeb(LoopbackWeb):
    """Serves the pages while it is open. With `echoing`, the search repeats the query in what it shows of a page."""

    def __init__(self, pages: Sequence[LivePage], *, echoing: bool = False) -> None:
        super().__init__()
        self._pages = {(each.page.site, each.page.path): each for each in pages}
        self._ranking = Ranking([each.page for each in pages if each.page.title and each.status == 200])
        self._echoing = echoing

    def url(self, site: str, path: str) -> str:
        """Where a page is; a site without a name is the server itself."""
        return f"http://{site}.localhost:{self.port}/{path}" if site else f"http://127.0.0.1:{self.port}/{path}"

    def answer(self, site: str, target: str) -> Answer:
        """See `LoopbackWeb`."""
        parts = urlsplit(target)
        path = unquote(parts.path).removeprefix("/")
        if site == "" and path == "search":
            return Answer(media_type="application/json", body=json.dumps(self._found(parse_qs(parts.query))).encode())
        found = self._pages.get((site, path))
        if found is None:
            return Answer(status=404, body=document("Not found", "<p>There is no such page.</p>").encode())
        return Answer(status=found.status, media_type=found.page.media_type, body=found.page.body)

    def _found(self, query: dict[str, list[str]]) -> dict[str, Any]:
        asked = " ".join(query.get("q", []))
        echo = f"Your search: {asked} … " if self._echoing else ""
        hits = [
            {"url": hit.page.url(self.port), "title": hit.page.title, "content": echo + hit.snippet}
            for hit in self._ranking.search(asked)
        ]
        return {"query": asked, "number_of_results": len(hits), "results": hits}
