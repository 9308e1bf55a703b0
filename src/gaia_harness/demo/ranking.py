"""Okapi BM25 ranking over title and text, for the demo's search engine."""

import math
import re
from collections import Counter
from collections.abc import Sequence

import msgspec

from gaia_harness.demo.pages import Page

# The customary constants: how soon repeating a word stops to help, and how much a long page is held back.
_K1, _B = 1.2, 0.75
_TITLE_WEIGHT = 3  # a word in the title counts as often as three in the text
_SNIPPET_WORDS = 36
_LONGEST_QUERY = 40
_WORD = re.compile(r"\w+")
_COMMON = frozenset(
    _WORD.findall(
        "a an and are as at be by for from has have how in is it its of on or that the their this to was were what "
        "when where which who with"
    )
)


class Hit(msgspec.Struct, frozen=True):
    """A page that was found, with its score and a piece of its text around the words of the query."""

    page: Page
    score: float
    snippet: str


class Ranking:
    """An index of pages."""

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = pages
        self._counts = [Counter(words(p.title) * _TITLE_WEIGHT + words(p.text)) for p in pages]
        self._lengths = [counts.total() for counts in self._counts]
        self._mean = sum(self._lengths) / max(1, len(pages)) or 1.0
        self._holding = Counter(word for counts in self._counts for word in counts)

    def search(self, query: str, limit: int = 10) -> list[Hit]:
        """The best pages, best first; those with the same score in the order of the pages."""
        asked = list(dict.fromkeys(words(query)))[:_LONGEST_QUERY]
        scored = [(self._score(number, asked), number) for number in range(len(self._pages))]
        best = sorted((entry for entry in scored if entry[0] > 0), key=lambda entry: (-entry[0], entry[1]))
        return [Hit(self._pages[n], round(score, 4), _snippet(self._pages[n].text, asked)) for score, n in best[:limit]]

    def _score(self, number: int, asked: Sequence[str]) -> float:
        counts, total = self._counts[number], 0.0
        for word in asked:
            count = counts[word]
            if count:
                holding = self._holding[word]
                rarity = math.log(1 + (len(self._pages) - holding + 0.5) / (holding + 0.5))
                length = self._lengths[number] / self._mean
                total += rarity * count * (_K1 + 1) / (count + _K1 * (1 - _B + _B * length))
        return total


def words(text: str) -> list[str]:
    """The words that count, in lower case, without the plural s of the longer ones."""
    found = (word.lower() for word in _WORD.findall(text))
    return [_stem(word) for word in found if word not in _COMMON]


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _snippet(text: str, asked: Sequence[str]) -> str:
    """The stretch of text that holds the most different words of the query."""
    pieces = text.split()
    wanted = set(asked)
    matches = [wanted.intersection(words(piece)) for piece in pieces]
    best, most = 0, 0
    for start in range(0, max(1, len(pieces) - _SNIPPET_WORDS + 1), 4):
        found = len(set().union(*matches[start : start + _SNIPPET_WORDS]))
        if found > most:
            best, most = start, found
    end = best + _SNIPPET_WORDS
    return ("… " if best else "") + " ".join(pieces[best:end]) + (" …" if end < len(pieces) else "")
