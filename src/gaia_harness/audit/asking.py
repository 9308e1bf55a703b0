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
_WORD = r"(?:who|whom|whose|what|which|when|where|why|how)\b"
_FIRST = re.compile(rf"\W*(?:(?:[a-z]+ ){{0,2}}[a-z]+ )??({_WORD})", re.IGNORECASE)
_WITHIN = re.compile(
    rf"(?:[,:;(—–-]|\b(?:and|or|then|but|so|me|know|out|is|was|are|were|about))\s*[\"'“‘(]*({_WORD})", re.IGNORECASE
)
_ELSEWHERE = re.compile(
    r"\b(who|whom|whose|what|which|when|where|why|how|wer|welche[rsnm]?|wann|warum|wie|wieviele?|quel(?:le)?s?|quand|où|"
    r"combien|quién(?:es)?|qué|cuál(?:es)?|cuándo|dónde|cuánt[oa]s?|quale|quali|quant[ie]|quem|qual|quais|кто|какой|"
    r"какая|какое|какие|когда|где|сколько)\b|[谁誰哪何什怎几幾]|多少",
    re.IGNORECASE,
)
"""Where a question word stands: at the beginning, perhaps behind a preposition; at the head of a clause; anywhere."""
_VERB = (
    r"\W*(?:please\s+)?(?:give|name|list|find|tell|state|answer|provide|compute|calculate|determine|write|report|express|"
    r"round|identify|say|work|look|show|return|specify|count|convert|estimate|check|consult)\b"
)
_TELLS = re.compile(_VERB, re.IGNORECASE)
_INDIRECT = re.compile(rf"{_VERB}(?:\s+(?:me|us|out|up|exactly|precisely|in|to|from)\b)*,?\s*({_WORD})", re.IGNORECASE)
_ASKS = re.compile(rf"\W*(?:who|what|which|when|where|why|how|whose)\b|{_VERB}", re.IGNORECASE)


class Asking(msgspec.Struct, frozen=True):
    """Pieces of a question's wording, numbered as the fingerprint does: those not quoted, and those that ask.

    `words` are those that hold a question word, or the word that tells one what to do: a page that states the fact in
    the words of the question has all but these.
    """

    own: frozenset[int]
    asking: frozenset[int]
    words: frozenset[int]
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
    with_word: set[int] = set()
    telling = _telling(question) if len(marks) == len(words) else set()
    for start in range(len(words) - size + 1):
        number = numbers.setdefault(tuple(words[start : start + size]), len(numbers))
        inside = marks[start : start + size] if len(marks) == len(words) else ()
        if inside and all(quoted for quoted, _ in inside):
            continue
        own.add(number)
        if sum(asking for _, asking in inside) >= min(3, size):
            asks.add(number)
        if not telling.isdisjoint(range(start, start + size)):
            with_word.add(number)
    return Asking(frozenset(own), frozenset(asks or own), frozenset(with_word), len(numbers))


def _telling(question: str) -> set[int]:
    """Which words of a question, in reduced form, make it one; without any, the first of each sentence."""
    telling: set[int] = set()
    begins: set[int] = set()
    at = 0
    for match in _SENTENCE.finditer(question):
        sentence = match.group()
        size = len(reduce(sentence).split())
        if size:
            begins.add(at)
            telling.update(at + place for place in _question_words(sentence))
        at += size
    return telling or begins


def _question_words(sentence: str) -> list[int]:
    """Where in a sentence that asks the question word stands, or the verb that tells one what to do, in words."""
    if _TELLS.match(sentence):  # "Name the cooper who": that "who" asks nothing, in "Tell me who" it does
        indirect = _INDIRECT.match(sentence)
        return [0] if indirect is None else [0, len(reduce(sentence[: indirect.start(1)]).split())]
    first = _FIRST.match(sentence)
    if not (_ASKS.match(sentence) or "?" in sentence or "？" in sentence):
        return []
    found = [first] if first else list(_WITHIN.finditer(sentence)) or list(_ELSEWHERE.finditer(sentence))
    return [len(reduce(sentence[: match.start(1) if match[1] else match.start()]).split()) for match in found]


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
