"""Which words of a question ask, and does a passage ask it too? Honest pages state the fact in the same words."""

import re
from functools import cache, lru_cache

import msgspec

from gaia_harness.audit.gold_forms import GoldForms, called_answer, places_in
from gaia_harness.audit.phrases import phrases_of
from gaia_harness.evidence.fingerprint import GRAM
from gaia_harness.evidence.wording import count_words, reduce

AROUND = 1200  # characters around a passage in which something is called its answer, or the benchmark is named
LEAD = 60  # before a passage, in which the subject of its sentence stands
LONGEST = 600  # behind a passage, in which the end of its sentence is looked for
ROOM = 160  # behind a passage, in which its question mark may stand: the last words of a copy may be others


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    return phrases_of(dict[str, re.Pattern[str]], "answer_leakage/questions.toml")


class Asked(msgspec.Struct, frozen=True):
    """A sentence of a question that asks: its first word, and its words that ask, as numbers of words."""

    first: int
    words: tuple[int, ...]


class QuestionShape(msgspec.Struct, frozen=True):
    """A question in reduced words."""

    words: tuple[bytes, ...]
    grams: tuple[range, ...]  # the words of each, as the fingerprint numbers them
    quoted: frozenset[int]  # these do not count: whoever quotes the same has them
    asked: tuple[Asked, ...]
    names: frozenset[int]  # by which it is told from others of its kind


@lru_cache(maxsize=512)
def shape_of(question: str) -> QuestionShape:
    """Divide a question."""
    words = tuple(reduce(question).split())
    size = min(GRAM, len(words))
    grams: dict[tuple[bytes, ...], range] = {}
    for start in range(len(words) - size + 1):
        grams.setdefault(words[start : start + size], range(start, start + size))
    quoted: set[int] = set()
    for match in _patterns()["quoted"].finditer(question):
        start = count_words(question[: match.start()])
        quoted.update(range(start, start + count_words(match[0])))
    asked: list[Asked] = []
    at = last = 0
    for match in _patterns()["sentence"].finditer(question):
        if count := count_words(match[0]):
            places = [at + place for place in _question_words(match[0]) if at + place not in quoted]
            asked += [Asked(at, tuple(places))] if places else []
            at, last = at + count, at
    names = {word for match in _patterns()["names"].finditer(question) for word in reduce(match[0]).split()}
    return QuestionShape(
        words=words,
        grams=tuple(grams.values()),
        quoted=frozenset(quoted) if len(quoted) < len(words) else frozenset(),
        asked=tuple(asked) or (Asked(last, (last,)),),
        names=frozenset(place for place, word in enumerate(words) if word in names),
    )


def _question_words(sentence: str) -> list[int]:
    """Where in a sentence with a question mark its question words stand, in words."""
    asking = _patterns()["question_word"].finditer(sentence) if _patterns()["mark"].search(sentence) else ()
    return [count_words(sentence[: match.start()]) for match in asking]


def asks(gold: GoldForms, text: str, start: int, end: int) -> bool:
    """Whether a passage has the form of a question: a mark, or something that is called its answer.

    A sentence that says the answer, as its subject too, asks nothing.
    """
    closing = _patterns()["end"].search(text, end, end + LONGEST)
    last = closing.end() if closing else min(len(text), end + LONGEST)
    first = start - len(_patterns()["begins"].split(text[max(0, start - LEAD) : start])[-1])
    said = _place_of(gold.plain, text[first:last])
    if said is not None and first + said >= end and not _patterns()["says"].search(text[end : first + said].lower()):
        said = None
    mark = _patterns()["mark"].search(text, start, min(last, end + ROOM))
    if mark is not None and (said is None or mark.start() < max(first + said, end)):
        return True
    return said is None and called_answer(gold, text[max(0, start - AROUND) : end + AROUND])


def _place_of(gold: str, text: str) -> int | None:
    """Where an answer stands in a text, and not within a longer word or number."""
    small = text.lower()
    for place in places_in(small, gold):
        if not small[max(0, place - 1) : place].isalnum() and not small[place + len(gold) :][:1].isalnum():
            return place
    return None


def begins(text: str, start: int) -> bool:
    """Whether a sentence, a line, a cell or a field begins there: not in the middle of a clause, as a relative does."""
    lead = text[max(0, start - 12) : start].rstrip("\"'“‘«*_`([{")
    within = lead.rstrip()[-1:].isalnum() or lead.endswith(", ")
    return text[start : start + 1].isupper() or lead.endswith("\n\n") or not within


def names_benchmark(text: str) -> bool:
    """Whether a text says by name that something is the benchmark's."""
    return _patterns()["benchmark"].search(text) is not None
