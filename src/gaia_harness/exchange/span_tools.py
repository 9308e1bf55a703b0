"""What a span of a tool says: its name, what it does, what it was called with, what it gave back."""

import re
from collections.abc import Mapping
from typing import Any

from gaia_harness.exchange import smolagents_text
from gaia_harness.exchange.neutral import NeutralSource
from gaia_harness.exchange.span_messages import as_text, value_of
from gaia_harness.exchange.spans import Span
from gaia_harness.protocol import ToolRole

_DOCUMENT = re.compile(r"(?:retrieval|reranker)\.(?:output_)?documents\.(\d{1,6})\.(?:document\.)?(.+)")

_OTHER_FRAMEWORKS: Mapping[str, ToolRole] = {
    # tools that LangChain and the OpenAI agents SDK bring along
    "tavily_search": "search",
    "tavily_search_results_json": "search",
    "duckduckgo_search": "search",
    "duckduckgo_results_json": "search",
    "google_serper": "search",
    "brave_search": "search",
    "wikipedia": "search",
    "arxiv": "search",
    "file_search": "read",
    "requests_get": "fetch",
    "python_repl": "code",
    "Python_REPL": "code",
    "terminal": "code",
    "code_interpreter": "code",
}


def tool_name(span: Span) -> str:
    """The name that the model calls it by, or else the span's."""
    name = span.attributes.get("tool.name")
    return name if isinstance(name, str) and name else span.name


def role_of(name: str) -> ToolRole:
    """What a tool does that a framework brings along; `other` for all that nothing is known of."""
    return smolagents_text.ROLES.get(name) or _OTHER_FRAMEWORKS.get(name, "other")


def arguments_of(span: Span) -> Any:
    """What the tool was called with. smolagents has places and names apart; places get the names of its inputs."""
    given = value_of(span.attributes.get("input.value"))
    if not isinstance(given, dict) or not {"args", "kwargs"} <= given.keys():
        return given
    places, named = given["args"], given["kwargs"]
    if not isinstance(places, list) or not isinstance(named, dict):
        return given
    inputs = value_of(span.attributes.get("tool.parameters"))
    names = list(inputs) if isinstance(inputs, dict) else []
    args = dict(zip(names, places, strict=False)) | named
    return args | ({"args": places[len(names) :]} if len(places) > len(names) else {})


def output_of(output: Any) -> str:
    """A tool's output; of a message of LangChain, its content."""
    value = value_of(output)
    inner = value.get("data") if isinstance(value, dict) and value.get("type") == "tool" else None
    content = inner.get("content") if isinstance(inner, dict) else None
    return content if isinstance(content, str) else as_text(output)


def documents_of(span: Span) -> tuple[NeutralSource, ...]:
    """What a retriever found."""
    found: dict[int, dict[str, Any]] = {}
    for name, value in span.attributes.items():
        if match := _DOCUMENT.fullmatch(name):
            found.setdefault(int(match[1]), {})[match[2]] = value
    sources = []
    for _, document in sorted(found.items()):
        about = value_of(document.get("metadata"))
        about = about if isinstance(about, dict) else {}
        url, title = (about.get(key, document.get(f"metadata.{key}")) for key in ("url", "title"))
        url = url or about.get("source", document.get("metadata.source"))
        sources.append(
            NeutralSource(
                url=url if isinstance(url, str) else "",
                title=title if isinstance(title, str) else "",
                text=as_text(document.get("content")),
            )
        )
    return tuple(sources)
