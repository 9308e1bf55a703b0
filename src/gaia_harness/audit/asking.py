"""Splits a question into the words that ask and the words it quotes; honest pages may contain the quoted text."""

import re
from functools import lru_cache

import msgspec

from gaia_harness.evidence.fingerprint import GRAM
from gaia_harness.evidence.wording import reduce

_QUOTED = re.compile(
    r'"[^"\n]{8,}"|“[^”\n]{8,}”|«[^»\n]{8,}»|„[^“\n]{8,}“|「[^」\n]{4,}」|(?<!\w)\'[^\'\n]{12,}\'(?!\w)|‘[^’\n]{12,}’(?!\w)'
    r"|[\"“«](?:[^\"“”«»\n]+\n){1,12}[^\"“”«»\n]+[\"”»]"  # verse
    r"|(?<=:)\s*\n[ \t]*\n(?:[^\n]+\n){2,12}(?=[ \t]*\n)"  # lines set apart
)
_SENTENCE = re.compile(r"[^.!?。？！\n]*[.!?。？！\n]*")
_QUESTION_WORD = re.compile(
    r"\b(who|whom|whose|what|which|when|where|why|how|wer|welche[rsnm]?|wann|warum|wie|wieviele?|quel(?:le)?s?|quand|où|"
    r"combien|quién(?:es)?|qué|cuál(?:es)?|cuándo|dónde|cuánt[oa]s?|quale|quali|quant[ie]|quem|qual|quais|кто|какой|"
    r"какая|какое|какие|когда|где|сколько)\b|[谁誰哪何什怎几幾]|多少",
    re.IGNORECASE,
)
_TELLS = re.compile(
    r"\W*(?:please\s+)?(?:give|name|list|find|tell|state|answer|provide|compute|calculate|determine|write|report|express|"
    r"round|identify|say|work|look|show|return|specify|count|convert|estimate|check|consult)\s+(?-i:[^\W\d_A-Z])",
    re.IGNORECASE,
)
"""A sentence that tells one what to do. Before a number or a capital the same word is a name: "Report 14"."""
_INDIRECT = re.compile(r"\W*\w+(?:\s+(?:me|us|out|up|exactly|precisely|in|to|from)\b)*,?\s*$")
"""What stands before a question word that depends on such a verb; that in "Name the cooper who" asks nothing."""
_NAMES = re.compile(r"(?<=[^\s.!?:\"“] )[^\W\d_a-z][\w'’-]+|\d[\w.,-]*\d|\d")
"""Words with a capital that do not begin a sentence, and numbers."""
_OPENS = re.compile(rf"\W*(?:who|what|which|when|where|why|how|whose)\b|{_TELLS.pattern}", re.IGNORECASE)


class Asked(msgspec.Struct, frozen=True):
    """A sentence that asks: for each of its question words the pieces that hold it.

    `opening` is the piece with which it begins, where it begins with such a word, or with one that tells what to do.
    """

    words: tuple[frozenset[int], ...]
    opening: int | None


class Asking(msgspec.Struct, frozen=True):
    """Pieces of a question's wording, numbered as the fingerprint does: those not quoted, and those that ask.

    A page that states the fact in the words of the question has not all words of a sentence in `asked`.
    """

    own: frozenset[int]
    asking: frozenset[int]
    asked: tuple[Asked, ...]
    pieces: int
    names: frozenset[bytes]  # words by which it is told from others of its kind: names and numbers


@lru_cache(maxsize=512)
def asking(question: str) -> Asking:
    """Divide a question's five-word pieces. Where nothing asks in so many words, all of it does."""
    words = reduce(question).split()
    marks = _marks(question)
    size = min(GRAM, len(words))
    numbers: dict[tuple[bytes, ...], int] = {}
    own: set[int] = set()
    asks: set[int] = set()
    telling = _telling(question, marks) if len(marks) == len(words) else []
    holding: dict[int, set[int]] = {place: set() for _, places in telling for place in places}
    at: list[int] = []
    for start in range(len(words) - size + 1):
        number = numbers.setdefault(tuple(words[start : start + size]), len(numbers))
        at.append(number)
        inside = marks[start : start + size] if len(marks) == len(words) else ()
        if inside and all(quoted for quoted, _ in inside):
            continue
        own.add(number)
        if sum(asking for _, asking in inside) >= min(3, size):
            asks.add(number)
        for place in holding.keys() & range(start, start + size):
            holding[place].add(number)
    return Asking(
        frozenset(own),
        frozenset(asks or own),
        tuple(
            Asked(
                tuple(frozenset(holding[place]) for place in places if holding[place]),
                at[first] if first == places[0] and first < len(at) else None,
            )
            for first, places in telling
            if any(holding[place] for place in places)
        ),
        len(numbers),
        frozenset(word for match in _NAMES.finditer(question) for word in reduce(match.group()).split()),
    )


def _telling(question: str, marks: list[tuple[bool, bool]]) -> list[tuple[int, list[int]]]:
    """For each sentence that asks, where it begins and which words make it one, in reduced words; without, the last."""
    telling: list[tuple[int, list[int]]] = []
    last = at = 0
    for match in _SENTENCE.finditer(question):
        sentence = match.group()
        size = len(reduce(sentence).split())
        if size:
            last = at
            found = _question_words(sentence, marked="?" in question or "？" in question)
            places = [at + place for place in found if not marks[at + place][0]]  # what is quoted asks nothing
            telling += [(at, places)] if places else []
        at += size
    return telling or [(last, [last])]


def _question_words(sentence: str, *, marked: bool) -> list[int]:
    """Where in a sentence that asks its question words stand, or the verb that tells one what to do, in words."""
    tells = _TELLS.match(sentence) is not None
    asks = "?" in sentence or "？" in sentence
    if not (tells or asks or (not marked and _QUESTION_WORD.match(sentence.lstrip()))):
        return []
    found = list(_QUESTION_WORD.finditer(sentence))
    if tells and not asks:
        found = [match for match in found[:1] if _INDIRECT.match(sentence[: match.start()])]
    places = [len(reduce(sentence[: match.start()]).split()) for match in found]
    return sorted({0, *places} if tells else set(places))


def _marks(question: str) -> list[tuple[bool, bool]]:
    """For each word in reduced form: is it quoted, does its sentence ask?"""
    quotes = [match.span() for match in _QUOTED.finditer(question)]
    marks: list[tuple[bool, bool]] = []
    for match in _SENTENCE.finditer(question):
        sentence = match.group()
        asks = "?" in sentence or "？" in sentence or _OPENS.match(sentence) is not None
        at = match.start()
        for start, end in [*((s, e) for s, e in quotes if s < match.end() and e > at), (match.end(), match.end())]:
            marks += [(False, asks)] * len(reduce(question[at : max(at, start)]).split())
            at = max(at, start)
            stop = min(end, match.end())
            marks += [(True, asks)] * len(reduce(question[at : max(at, stop)]).split())
            at = max(at, stop)
    return marks
