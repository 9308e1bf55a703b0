"""Finds many phrases in a text at once: compiled where that is installed, in plain Python with the same result."""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Protocol

Hit = tuple[int, int]
"""Which phrase, and where it starts."""


_BY_PLACE = itemgetter(1, 0)


class Matcher(Protocol):
    """Looks for its phrases, which like the text are reduced words with a space before and after."""

    def find(self, text: bytes) -> list[Hit]:
        """Every occurrence of every phrase, also overlapping ones, by place and then by phrase."""
        ...

    def which(self, text: bytes) -> set[int]:
        """The phrases that stand in a text."""
        ...


class CompiledMatcher:
    """Aho and Corasick's automaton, by `ahocorasick_rs`."""

    def __init__(self, phrases: Sequence[bytes]) -> None:
        from ahocorasick_rs import BytesAhoCorasick, Implementation

        # left to itself it makes a full table for few phrases: six times the time to build, for every task anew
        kind = Implementation.ContiguousNFA
        self._automaton = BytesAhoCorasick(phrases, implementation=kind) if phrases else None

    def find(self, text: bytes) -> list[Hit]:
        """See `Matcher`."""
        if self._automaton is None:
            return []
        found = self._automaton.find_matches_as_indexes(text, overlapping=True)
        return sorted([(phrase, start) for phrase, start, _ in found], key=_BY_PLACE) if found else []

    def which(self, text: bytes) -> set[int]:
        """See `Matcher`."""
        if self._automaton is None:
            return set()
        return {hit[0] for hit in self._automaton.find_matches_as_indexes(text, overlapping=True)}


class PlainMatcher:
    """The same by looking up every run of words in a table."""

    def __init__(self, phrases: Sequence[bytes]) -> None:
        self._numbers: dict[bytes, list[int]] = {}
        for number, phrase in enumerate(phrases):
            self._numbers.setdefault(phrase, []).append(number)
        self._lengths = sorted({phrase.count(b" ") - 1 for phrase in phrases})

    def find(self, text: bytes) -> list[Hit]:
        """See `Matcher`."""
        starts = [place for place, byte in enumerate(text) if byte == 0x20]
        hits = []
        for index in range(len(starts) - 1):
            for length in self._lengths:
                if index + length >= len(starts):
                    break
                run = text[starts[index] : starts[index + length] + 1]
                hits += [(number, starts[index]) for number in self._numbers.get(run, ())]
        return sorted(hits, key=_BY_PLACE)

    def which(self, text: bytes) -> set[int]:
        """See `Matcher`."""
        return {phrase for phrase, _ in self.find(text)}


def best_matcher(phrases: Sequence[bytes]) -> Matcher:
    """The compiled matcher where it is installed, else the plain one."""
    try:
        return CompiledMatcher(phrases)
    except ImportError:
        return PlainMatcher(phrases)


def any_of(parts: Sequence[str]) -> Callable[[str], bool]:
    """Tells whether a text has any of these in it, also within words."""
    try:
        from ahocorasick_rs import BytesAhoCorasick
    except ImportError:
        return lambda text: any(part in text for part in parts)
    automaton = BytesAhoCorasick([part.encode() for part in parts])
    return lambda text: bool(automaton.find_matches_as_indexes(text.encode("utf-8", "replace")))
