"""Cuts the windows of text that are kept around what a scan found."""

import codecs
import re
from collections.abc import Iterable, Iterator

import msgspec

from gaia_harness.evidence.redaction import Redactor
from gaia_harness.evidence.views import View
from gaia_harness.evidence.wording import count_words
from gaia_harness.records.excerpt import cut
from gaia_harness.records.steps import MOST_WINDOWS, WINDOW, Window

BEFORE, AFTER = 300, 900
"""Bytes kept around a find: an answer stands within some words before a question or, more often, after it."""

MOST_OF_ONE = 4
"""Windows for one find: the start of a very long one, and then its end, behind which an answer stands."""

_CHUNK = 4096
_GAP = re.compile(r"[\s,.;:!?。、，]")


class Segment(msgspec.Struct, frozen=True):
    """The text of one source, by its place among the sources, and how many bytes of the output stand before it."""

    source: int | None
    base: int
    text: str


class Mark(msgspec.Struct, frozen=True):
    """A place worth a window: from where to where in the reduced words of a segment or of a reading of it."""

    rank: int
    share: float
    why: str
    segment: Segment
    view: View | None
    turned: str  # rot13 or reversed, where the words stand so
    words: bytes
    start: int
    end: int

    @property
    def name(self) -> str:
        """The encodings that had to be undone."""
        return "+".join(part for part in ("" if self.view is None else self.view.name, self.turned) if part)


def cut_windows(marks: Iterable[Mark], redactor: Redactor) -> tuple[tuple[Window, ...], int]:
    """At most eight windows, for the most telling marks first, none inside another; how many secrets were masked."""
    windows: list[tuple[Window, int]] = []
    for mark in sorted(marks, key=lambda mark: (mark.rank, -mark.share, mark.segment.base, mark.start)):
        if len(windows) == MOST_WINDOWS:
            break
        for window, masked in _around(mark, redactor):
            if len(windows) < MOST_WINDOWS and not any(_covers(kept, window) for kept, _ in windows):
                windows.append((window, masked))
    windows.sort(key=lambda item: (item[0].offset, item[0].view, item[0].at))
    return tuple(window for window, _ in windows), sum(masked for _, masked in windows)


def _covers(kept: Window, window: Window) -> bool:
    same_text = (kept.view, kept.source) == (window.view, window.source) and (
        not kept.view or kept.offset == window.offset
    )
    return same_text and kept.at <= window.at and window.at + window.bytes // 2 < kept.at + kept.bytes


def _around(mark: Mark, redactor: Redactor) -> Iterator[tuple[Window, int]]:
    segment, text = mark.segment, mark.segment.text if mark.view is None else mark.view.text
    first = word_position(text, mark.words.count(b" ", 0, mark.start))
    last = word_position(text, mark.words.count(b" ", 0, mark.end), first, mark.words.count(b" ", 0, mark.start))
    if mark.turned:
        text = redactor.fill(text)
    if mark.turned == "rot13":
        text = codecs.encode(text, "rot13")
    elif mark.turned == "reversed":
        text, first, last = text[::-1], len(text) - last, len(text) - first
    lead = _tail(_bytes(text[max(0, first - BEFORE) : first]), BEFORE)
    data = lead + _bytes(text[first:last]) + cut(_bytes(text[last : last + AFTER]), AFTER)
    at = (first if text.isascii() else len(_bytes(text[:first]))) - len(lead)
    character = first - len(_text(lead))
    if mark.view is None:
        encoded_at = segment.base
    else:
        encoded_at = segment.base + len(_bytes(segment.text[: mark.view.start]))
    pieces = []
    while data:
        piece = cut(data, WINDOW)
        size = len(_text(piece))
        pieces.append((at, character, size, len(piece)))
        at, character, data = at + len(piece), character + size, data[len(piece) :]
    for at, character, size, count in pieces[1 - MOST_OF_ONE :][::-1] + pieces[: 1 - MOST_OF_ONE][:1]:
        mask = redactor.mask_filled if mark.name else redactor.mask
        shown, masked = mask(text, character, character + size)
        window = Window(
            offset=encoded_at if mark.name else segment.base + at,
            bytes=count,
            at=at,
            why=mark.why,
            view=mark.name,
            source=segment.source,
            text=_bytes(shown).decode("utf-8", "replace"),
        )
        yield window, masked


def _bytes(text: str) -> bytes:
    """The original bytes, where a segment had bytes that were no text; of a reading, bytes that stand for it."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _tail(data: bytes, limit: int) -> bytes:
    """The last bytes, at most so many, not beginning inside a character."""
    data = data[-limit:]
    skip = 0
    while skip < min(3, len(data)) and data[skip] & 0xC0 == 0x80:
        skip += 1
    return data[skip:]


def word_position(text: str, word: int, start: int = 0, before: int = 0) -> int:
    """Where the word with this number, from 0, begins: by reducing parts of the text as the whole was reduced.

    `start` is a place where a word begins, and `before` how many words stand before it.
    """
    word -= before
    stop = start
    while start < len(text):
        gap = _GAP.search(text, start + _CHUNK, start + 2 * _CHUNK)
        stop = gap.end() if gap else min(len(text), start + 2 * _CHUNK)
        count = count_words(text[start:stop])
        if word < count:
            break
        word, start = word - count, stop
    low, high = start, stop  # the word is counted once its first character is there
    while low < high:
        middle = (low + high) // 2
        if count_words(text[start:middle]) > word:
            high = middle
        else:
            low = middle + 1
    return max(start, low - 1) if low < len(text) or word < count_words(text[start:]) else len(text)
