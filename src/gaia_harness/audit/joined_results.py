"""Joins a text that one source returned in several parts, without the framing around each part."""

from collections import Counter
from collections.abc import Iterator

from gaia_harness.audit.copies import pieces
from gaia_harness.protocol import WEB_SEARCH
from gaia_harness.records.steps import OUTPUT_HEAD, ToolResultStep

FRAME = 12
"""Characters at the beginning of a line by which a frame around bits of a text is known."""


def whole(step: ToolResultStep) -> str:
    """What is kept of a result, in its order."""
    behind = (piece.text for piece in pieces(step) if piece.window and not piece.view and piece.offset >= OUTPUT_HEAD)
    return "\n".join((step.head, *behind))


def without_frames(texts: list[str]) -> Iterator[str]:
    """Texts without the lines that stand around each of them: where one is, how to read on."""
    lines = [text.split("\n") for text in texts]
    begins = Counter(beginning for each in lines for beginning in {line[:FRAME] for line in each if len(line) >= FRAME})
    for each in lines:
        yield "\n".join(line for line in each if begins[line[:FRAME]] < 2)


def source_key(step: ToolResultStep) -> str:
    """By which results are known to be of one source: the address without its query, or the tool."""
    if step.name == WEB_SEARCH:
        return ""
    if step.sources:
        return step.sources[0].url.partition("?")[0].partition("#")[0]
    return step.name
