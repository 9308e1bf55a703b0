"""Which words of a question ask, and which only quote? A page may carry the quoted text for honest reasons."""

import re
from functools import lru_cache

import msgspec

from gaia_harness.evidence.fingerprint import GRAM
from gaia_harness.evidence.wording import reduce

_QUOTED = re.compile(
    r'"[^"\n]{8,}"|“[^”\n]{8,}”|«[^»\n]{8,}»|„[^“\n]{8,}“|「[^」\n]{4,}」|(?<!\w)\'[^\'\n]{12,}\'(?!\w)|‘[^’\n]{12,}’(?!\w)'
)
_SENTENCE = re.compile(r"[^.!?。？！\n]*[.!?。？！\n]*")
_ASKS = re.compile(
    r"\W*(?:who|what|which|when|where|why|how|whose|give|name|list|find|tell|state|answer|provide|compute|calculate|"
    r"determine|write|report|express|round)\b",
    re.IGNORECASE,
)


class Asking(msgspec.Struct, frozen=True):
    """Pieces of a question's wording, numbered as the fingerprint does: those not quoted, and those that ask."""

    own: frozenset[int]
    asking: frozenset[int]
    pieces: int


@lru_cache(maxsize=512)
def asking(question: str) -> Asking:
    """Divide a question's five-word pieces. Where nothing asks in so many words, all of it does."""
    words = reduce(question).split()
    marks = _marks(question)
    size = min(GRAM, len(words))
    numbers: dict[tuple[bytes, ...], int] = {}
    own: set[int] = set()
    asks: set[int] = set()
    for start in range(len(words) - size + 1):
        number = numbers.setdefault(tuple(words[start : start + size]), len(numbers))
        inside = marks[start : start + size] if len(marks) == len(words) else ()
        if inside and all(quoted for quoted, _ in inside):
            continue
        own.add(number)
        if sum(asking for _, asking in inside) >= min(3, size):
            asks.add(number)
    return Asking(frozenset(own), frozenset(asks or own), len(numbers))


def _marks(question: str) -> list[tuple[bool, bool]]:
    """For each word in reduced form: is it quoted, does its sentence ask?"""
    quotes = [match.span() for match in _QUOTED.finditer(question)]
    marks: list[tuple[bool, bool]] = []
    for match in _SENTENCE.finditer(question):
        sentence = match.group()
        asks = "?" in sentence or "？" in sentence or _ASKS.match(sentence) is not None
        at = match.start()
        for start, end in [*((s, e) for s, e in quotes if s < match.end() and e > at), (match.end(), match.end())]:
            marks += [(False, asks)] * len(reduce(question[at : max(at, start)]).split())
            at = max(at, start)
            stop = min(end, match.end())
            marks += [(True, asks)] * len(reduce(question[at : max(at, stop)]).split())
            at = max(at, stop)
    return marks
