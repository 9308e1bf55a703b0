"""The part of a long text that a model gets: a window at an offset, or passages around a search text."""

import re

import msgspec

from gaia_harness.errors import ToolError

WINDOW = 40_000
"""Characters of a text that a model gets in one call."""
MOST_MATCHES = 20
"""Matches of a search that are shown in one call."""
LONGEST_SEARCH = 200
"""Characters that can be searched for."""
_AROUND = 300  # characters shown before and after a match


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a text, and the character it begins at."""

    start: int
    text: str


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a text of `total` characters. For a search, `matches` counts all from the place asked for on.

    `more` is the place from which the next call goes on, None where there is nothing more.
    """

    passages: tuple[Passage, ...]
    total: int
    matches: int | None = None
    more: int | None = None


def window(text: str, offset: int, size: int = WINDOW) -> Part:
    """The characters from `offset` on, as many as a call gives."""
    piece = text[offset : offset + size]
    end = offset + len(piece)
    more = end if end < len(text) else None
    return Part(passages=(Passage(start=offset, text=piece),), total=len(text), more=more)


def search(text: str, wanted: str, offset: int) -> Part:
    """The passages around the first matches from `offset` on. Letter case and the kind of white space do not count."""
    pattern = re.compile(r"\s++".join(map(re.escape, wanted.split())), re.IGNORECASE)
    spans: list[tuple[int, int]] = []
    matches, more = 0, None
    for match in pattern.finditer(text, offset):
        matches += 1
        if matches > MOST_MATCHES:
            more = match.start() if more is None else more
            continue
        # A match may be long: white space between two words can go on for ever.
        start, end = max(0, match.start() - _AROUND), min(match.end(), match.start() + LONGEST_SEARCH) + _AROUND
        if spans and start <= spans[-1][1]:
            start = spans.pop()[0]
        spans.append((start, end))
    passages = tuple(Passage(start=start, text=text[start:end]) for start, end in spans)
    return Part(passages=passages, total=len(text), matches=matches, more=more)


def part_of(text: str, *, offset: int = 0, find: str = "", size: int = WINDOW) -> Part:
    """The part that a call asks for."""
    return search(text, find, offset) if find else window(text, offset, size)


def shown(part: Part, *, offset: int, find: str, tool: str) -> str:
    """The part as a model reads it, with lines that say which part it is and how to get another."""
    if offset and offset >= part.total:
        raise ToolError(f"The text has {part.total:,} characters: there is nothing at offset {offset:,}.")
    return _matches_shown(part, offset, find, tool) if find else _window_shown(part, offset, tool)


def _window_shown(part: Part, offset: int, tool: str) -> str:
    (passage,) = part.passages
    if part.more is not None:
        return (
            f"{passage.text}\n{_place(passage)} of {part.total:,}; "
            f'call {tool} again with "offset": {part.more} to read on, or with "find" to search in it]'
        )
    if offset:
        return f"{passage.text}\n{_place(passage)} of {part.total:,}: the end]"
    return passage.text or "(no text)"


def _matches_shown(part: Part, offset: int, find: str, tool: str) -> str:
    whole = f"{part.total:,} characters" + (f" from {offset:,} on" if offset else "")
    if not part.matches:
        return f'[no match for "{find}" in {whole}; try fewer words, or another spelling]'
    count = f"{part.matches:,} match{'es' if part.matches > 1 else ''}"
    lines = [f'[{count} for "{find}" in {whole}]']
    lines += [f"{_place(passage)}]\n{passage.text}" for passage in part.passages]
    if part.more is not None:
        lines.append(
            f"[the first {MOST_MATCHES} matches are shown; "
            f'call {tool} again with the same "find" and "offset": {part.more} for the next]'
        )
    return "\n".join(lines)


def _place(passage: Passage) -> str:
    return f"[characters {passage.start:,} to {passage.start + len(passage.text):,}"
