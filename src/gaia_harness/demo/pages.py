"""The pages of the demo's web.

The pages are files under `data/pages/<site>/`. All are read once: a request can name only what is in this list,
so that no path can lead out of the folder.
"""

import html
import json
import mimetypes
import re
from collections.abc import Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import msgspec

DATA = Path(__file__).parent / "data"
PORT = "{{port}}"
"""Stands in a page for the port of the server, as in `http://ferries.localhost{{port}}/`."""

_TYPES = {".html": "text/html; charset=utf-8", ".txt": "text/plain; charset=utf-8", ".csv": "text/csv; charset=utf-8"}
_FURNITURE = frozenset(("nav", "header", "footer", "script", "style", "title"))
_BREAKS = frozenset(("p", "br", "tr", "li", "h1", "h2", "td", "th", "table"))
_SHOWN_IN_PDF = re.compile(rb"\(((?:[^()\\]|\\.)*)\) Tj")


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """One page as it is served, with the title and the text by which it can be found."""

    site: str
    path: str
    media_type: str
    body: bytes
    title: str
    text: str

    def url(self, port: int) -> str:
        """Where a server on this port has the page."""
        return f"http://{self.site}.localhost:{port}/{self.path}"


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """Whose pages these are."""

    name: str
    tagline: str


class Web(msgspec.Struct, frozen=True, kw_only=True):
    """All sites, all pages in a fixed order, and the redirects from `site/path` to a path of the same site."""

    sites: Mapping[str, Site]
    pages: tuple[Page, ...]
    redirects: Mapping[str, str]

    def front(self, name: str) -> str:
        """The front page of a site: the list of its pages."""
        site = self.sites[name]
        items = "\n".join(
            f'<li><a href="{html.escape(page.path)}">{html.escape(page.title)}</a></li>'
            for page in self.pages
            if page.site == name
        )
        return document(site.name, f"<p>{html.escape(site.tagline)}</p>\n<ul>\n{items}\n</ul>")


@cache
def read_web(folder: Path = DATA / "pages") -> Web:
    """The web that lies in a folder."""
    sites = msgspec.json.decode((folder / "sites.json").read_bytes(), type=dict[str, Site])
    redirects = msgspec.json.decode((folder / "redirects.json").read_bytes(), type=dict[str, str])
    pages = []
    for site in sites:
        root = folder / site
        for file in sorted(root.rglob("*")):
            if file.is_file():
                pages.append(_page(site, file.relative_to(root).as_posix(), file, sites[site]))
    return Web(sites=sites, pages=tuple(pages), redirects=redirects)


def document(title: str, content: str) -> str:
    """A plain page that the server writes itself."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{html.escape(title)}</title>\n'
        f"</head>\n<body>\n<main>\n<h1>{html.escape(title)}</h1>\n{content}\n</main>\n</body>\n</html>\n"
    )


def _page(site: str, path: str, file: Path, owner: Site) -> Page:
    body = file.read_bytes()
    name = f"{file.stem.replace('-', ' ')} – {owner.name}"
    if file.suffix == ".html":
        reader = _Reader()
        reader.feed(body.decode())
        title, text = reader.title, reader.text
    elif file.suffix == ".pdf":
        lines = [re.sub(rb"\\(.)", rb"\1", line).decode("ascii") for line in _SHOWN_IN_PDF.findall(body)]
        title, text = f"{lines[0]} – {owner.name}", " ".join(lines)
    elif file.suffix == ".json":
        title, text = name, " ".join(_strings(json.loads(body)))
    else:
        title, text = name, " ".join(re.split(r"[\s,]+", body.decode()))
    media_type = _TYPES.get(file.suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"
    return Page(site=site, path=path, media_type=media_type, body=body, title=title, text=text.replace(PORT, ""))


class _Reader(HTMLParser):
    """Keeps the words of a page and leaves out what stands on every page of a site."""

    def __init__(self) -> None:
        super().__init__()
        self._inside: list[str] = []
        self._titles: list[str] = []
        self._words: list[str] = []

    @property
    def title(self) -> str:
        return " ".join("".join(self._titles).split())

    @property
    def text(self) -> str:
        return " ".join("".join(self._words).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _FURNITURE:
            self._inside.append(tag)
        if tag in _BREAKS:
            self._words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()
        if tag in _BREAKS:
            self._words.append(" ")

    def handle_data(self, data: str) -> None:
        if self._inside:
            if self._inside[-1] == "title":
                self._titles.append(data)
        else:
            self._words.append(data)


def _strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _strings(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _strings(inner)]
    return [value] if isinstance(value, str) else []
