"""Values of a foreign file as text, and search hits as sources that are parts of that text."""

import json
from typing import Any

from gaia_harness.exchange.neutral import NeutralSource


def as_text(value: Any) -> str:
    """A value as a model could have read it: text as it is, nothing as no text, all else as JSON."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def are_hits(value: Any) -> bool:
    """Whether the value is a list of objects, at least one."""
    return isinstance(value, list) and bool(value) and all(isinstance(hit, dict) for hit in value)


def hits_as_text(hits: list[dict[str, Any]]) -> tuple[str, tuple[NeutralSource, ...]]:
    """A list of hits as JSON, one a line, and each hit that has an address as a source."""
    parts = [as_text(hit) for hit in hits]
    sources = tuple(
        NeutralSource(url=url, title=title if isinstance(title := hit.get("title"), str) else "", text=part)
        for hit, part in zip(hits, parts, strict=True)
        if isinstance(url := hit.get("url", hit.get("link")), str)
    )
    return "[" + ",\n".join(parts) + "]", sources
