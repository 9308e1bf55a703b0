"""The `web_search` tool, which keeps its hits apart."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from gaia_harness.protocol import WEB_FETCH, WEB_SEARCH
from gaia_harness.shortening import shorten
from gaia_harness.tools.arguments import schema, text_argument
from gaia_harness.tools.base import Source, ToolOutput

HITS = 10
_URL, _TITLE, _SNIPPET = 2_000, 200, 1_000


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """One result of a search."""

    url: str
    title: str
    snippet: str


class SearchBackend(Protocol):
    """A search engine. `search` raises ToolError, and nothing else, when it cannot answer."""

    @property
    def name(self) -> str:
        """What it is called in the record of a run."""
        ...

    async def search(self, query: str) -> Sequence[Hit]:
        """What was found, best first."""
        ...

    async def aclose(self) -> None:
        """Give back connections."""
        ...


class WebSearch:
    """The `web_search` tool."""

    name = WEB_SEARCH
    description = (
        f"Search the web. Gives up to {HITS} hits, each with title, URL and a snippet; read a page with {WEB_FETCH}."
    )

    def __init__(self, backend: SearchBackend) -> None:
        self._backend = backend

    @property
    def parameters(self) -> dict[str, Any]:
        """The JSON schema of the arguments."""
        return schema("query", "What to search for, as one would type it into a search engine.")

    async def call(self, args: Mapping[str, Any]) -> ToolOutput:
        """Search."""
        query = text_argument(args, "query", at_most=500)
        return render(await self._backend.search(" ".join(query.split())))


def render(hits: Sequence[Hit]) -> ToolOutput:
    """Hits as text, with a source for each that says where in the text it stands."""
    blocks: list[str] = []
    sources: list[Source] = []
    offset = 0
    for hit in hits:
        url, title, snippet = one_line(hit.url, _URL), one_line(hit.title, _TITLE), one_line(hit.snippet, _SNIPPET)
        if not url.startswith(("http://", "https://")) or any(source.url == url for source in sources):
            continue
        block = "\n".join(line for line in (f"{len(blocks) + 1}. {title or '(no title)'}", url, snippet) if line)
        size = len(block.encode())
        sources.append(Source(url=url, title=title, offset=offset, bytes=size))
        blocks.append(block)
        offset += size + len(b"\n\n")
        if len(blocks) == HITS:
            break
    return ToolOutput(text="\n\n".join(blocks) or "Nothing was found.", sources=tuple(sources), empty=not blocks)


def one_line(text: str, at_most: int) -> str:
    """Foreign text as one line of printable characters, no longer than `at_most`."""
    printable = "".join(c if c.isprintable() else " " for c in text[: at_most * 4])
    line = " ".join(printable.split())
    return shorten(line, at_most)
