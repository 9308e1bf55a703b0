"""Extracts the main text of an HTML page."""

import re
from typing import Any

from gaia_harness.tools.readers import Document, decode

# fmt: off
_BLOCKS = frozenset((
    "p", "div", "li", "tr", "br", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", "section", "article",
    "header", "footer", "main", "pre", "blockquote", "dt", "dd", "title",
))
# fmt: on
_SILENT = ("script", "style", "noscript", "template", "svg", "head")


def read_html(data: bytes, charset: str | None) -> Document:
    """The title first, then the text as trafilatura finds it, or all text of the body where it finds none."""
    from lxml import html  # type: ignore[import-untyped]

    source = decode(data, charset or _announced(data))
    source = re.sub(r"^\s*<\?xml[^>]*\?>", "", source)  # lxml refuses text with an encoding declaration
    tree = html.document_fromstring(source or "<html></html>", parser=html.HTMLParser(encoding=None))
    found = tree.find(".//title")
    title = " ".join((found.text_content() if found is not None else "").split())[:300]
    body = (_main_text(source) or _all_text(tree)).strip()
    text = body if not title or body.startswith(title) else f"{title}\n\n{body}"
    return Document(text=text.strip() or "(The page has no text.)", title=title)


def _main_text(source: str) -> str | None:
    import trafilatura

    try:
        return trafilatura.extract(source, include_links=False, include_tables=True, favor_recall=True)
    except Exception:  # whatever it stumbles over, the plain text is still there
        return None


def _all_text(tree: Any) -> str:
    from lxml import etree

    parts: list[str] = []
    silent = 0
    for event, element in etree.iterwalk(tree, events=("start", "end", "comment", "pi")):
        quiet = event in ("comment", "pi") or element.tag in _SILENT
        if event == "start":
            silent += quiet
            parts += ["\n" if element.tag in _BLOCKS else "", (not silent and element.text) or ""]
        else:
            silent -= quiet and event == "end"
            parts += ["\n" if element.tag in _BLOCKS else "", (not silent and element.tail) or ""]
            parts.append(" | " if element.tag in ("td", "th") else "")
    lines = (" ".join(line.split()) for line in "".join(parts).splitlines())
    return "\n".join(line for line in lines if line)


def _announced(data: bytes) -> str | None:
    found = re.search(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([a-zA-Z0-9_\-:]{2,40})""", data[:4096], re.IGNORECASE)
    return found.group(1).decode("ascii") if found else None
