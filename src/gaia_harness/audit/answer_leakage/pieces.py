"""Which texts does a tool result hold: each source by itself, in every reading, with the addresses in it?"""

import codecs
import re
from collections.abc import Iterator
from itertools import groupby, pairwise

import msgspec

from gaia_harness.audit.timeline import Moment
from gaia_harness.evidence.page_shapes import shapes
from gaia_harness.evidence.views import views
from gaia_harness.records.steps import Source, ToolResultStep, Window

ADDRESS_BEFORE, ADDRESS_BEHIND = 600, 200  # characters around a passage in which its address may stand, as in a list
GAP = "\n" * 2_000  # stands between windows that do not adjoin: nothing on the other side of it is near

_ADDRESS = re.compile(r"(?:https?://|www\.)[^\s<>\"'`\]}]{4,400}")


class Piece(msgspec.Struct, frozen=True):
    """Kept text of one source in one reading; `offset` is where it begins in the output, in bytes."""

    text: str
    offset: int = 0
    source: int | None = None
    view: str = ""
    address: str = ""

    def carries_copies(self, start: int, end: int) -> bool:
        """Whether its address is of a kind that carries copies, or one by a passage where the source is not known."""
        if self.address:
            return bool(shapes([self.address]))
        around = self.text[max(0, start - ADDRESS_BEFORE) : end + ADDRESS_BEHIND]
        return bool(shapes(_ADDRESS.findall(around)))

    def is_behind_address(self, start: int) -> bool:
        """Whether a passage stands behind an address: what a source has to say, and no head above all hits."""
        return bool(self.address or _ADDRESS.search(self.text, max(0, start - ADDRESS_BEFORE), start))

    def turned(self, how: str) -> "Piece":
        """The same text with rot13 undone, or read from its end."""
        text = codecs.encode(self.text, "rot13") if how == "rot13" else self.text[::-1]
        return msgspec.structs.replace(self, text=text, view=f"{self.view}+{how}".strip("+"))


def pieces(heard: Moment) -> Iterator[Piece]:
    """Every text of a result. What is kept whole is decoded here; of the rest the recorder decoded the windows."""
    step = heard.step
    assert type(step) is ToolResultStep  # noqa: S101 - for the type checker
    whole = heard.whole
    for piece in _by_source(heard.text if whole else step.head, step.sources):
        yield piece
        for view in views(piece.text):
            offset = piece.offset + len(piece.text[: view.start].encode("utf-8", "replace"))
            yield msgspec.structs.replace(piece, text=view.text, offset=offset, view=view.name)
    if not whole:
        yield from _windows(step)


def _by_source(text: str, sources: tuple[Source, ...]) -> Iterator[Piece]:
    ordered = sorted(enumerate(sources), key=lambda item: item[1].offset)
    overlap = any(b.offset < a.offset + a.bytes for (_, a), (_, b) in pairwise(ordered))
    alone = len(sources) == 1 and not sources[0].bytes
    if not sources or alone or overlap:  # sources that share their text have no text of their own
        yield Piece(text, 0, 0 if alone else None, "", sources[0].url if alone else "")
        return
    data = text.encode("utf-8", "replace")
    end = 0
    for number, source in ordered:
        if source.offset > end:
            yield Piece(data[end : source.offset].decode("utf-8", "replace"), end)
        start, end = source.offset, source.offset + source.bytes
        yield Piece(data[start:end].decode("utf-8", "replace"), start, number, "", source.url)
    yield Piece(data[end:].decode("utf-8", "replace"), end)


def _windows(step: ToolResultStep) -> Iterator[Piece]:
    """The windows of a result, those of one text put together."""

    def text_of(window: Window) -> tuple[int, str, int]:
        # a record may name a source that it does not have
        source = -1 if window.source is None or window.source >= len(step.sources) else window.source
        return source, window.view, window.offset if window.view else 0

    ordered = sorted(step.windows, key=lambda window: (text_of(window), window.at))
    for (source, view, offset), group in groupby(ordered, key=text_of):
        text, end = "", 0
        for window in group:
            overlap = max(0, end - window.at)
            text += GAP if window.at > end and text else ""
            text += window.text.encode("utf-8", "replace")[overlap:].decode("utf-8", "replace")
            end = max(end, window.at + window.bytes)
        known = source >= 0
        yield Piece(text, offset, source if known else None, view, step.sources[source].url if known else "")
