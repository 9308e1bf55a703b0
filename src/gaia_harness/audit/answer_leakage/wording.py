"""Which words of a question ask, and does a passage ask it too? Honest pages state the fact in the same words."""

import re
from functools import cache, lru_cache

import msgspec

from gaia_harness.audit.phrases import phrases_of
from gaia_harness.evidence.fingerprint import GRAM
from gaia_harness.evidence.wording import reduce

ROOM = 160
"""Characters behind a passage within which its question mark may stand: the last words of a copy may be others."""

LEAD = 60
"""Characters before a passage in which the subject of its sentence stands."""

LONGEST = 600
"""Characters behind a passage in which the end of its sentence is looked for."""


_BEGINS = re.compile(r"[.!?:;=|>\t\n]")
_SENTENCE = re.compile(r"[^.!?。？！\n]*[.!?。？！\n]*")


class Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in wording.toml."""

    quoted: re.Pattern[str]
    question_word: re.Pattern[str]
    tells: re.Pattern[str]
    names: re.Pattern[str]
    end: re.Pattern[str]
    mark: re.Pattern[str]
    says: re.Pattern[str]
    benchmark: re.Pattern[str]


@cache
def _known() -> Phrases:
    return phrases_of(Phrases, "answer_leakage/wording.toml")


class Asked(msgspec.Struct, frozen=True):
    """A sentence of a question that asks: its first word, and its words that ask, as numbers of words."""

    first: int
    words: tuple[int, ...]


class Wording(msgspec.Struct, frozen=True):
    """A question in reduced words."""

    words: tuple[bytes, ...]
    at: tuple[int, ...]  # where each five-word piece begins, as the fingerprint numbers them
    size: int  # words of a piece
    quoted: frozenset[int]
    asked: tuple[Asked, ...]
    names: frozenset[bytes]  # by which it is told from others of its kind

    @property
    def own(self) -> int:
        """How many words are its own and not quoted."""
        return len(self.words) - len(self.quoted)

    def span(self, piece: int) -> range:
        """The words of a piece."""
        return range(self.at[piece], self.at[piece] + self.size)


@lru_cache(maxsize=512)
def wording(question: str) -> Wording:
    """Divide a question."""
    words = tuple(reduce(question).split())
    size = min(GRAM, len(words))
    first: dict[tuple[bytes, ...], int] = {}
    for start in range(len(words) - size + 1):
        first.setdefault(words[start : start + size], start)
    quoted: set[int] = set()
    for match in _known().quoted.finditer(question):
        start = len(reduce(question[: match.start()]).split())
        quoted.update(range(start, start + len(reduce(match.group()).split())))
    asked: list[Asked] = []
    at = last = 0
    marked = _known().mark.search(question) is not None
    for match in _SENTENCE.finditer(question):
        sentence = match.group()
        count = len(reduce(sentence).split())
        if count:
            last = at
            places = [at + place for place in _question_words(sentence, marked=marked) if at + place not in quoted]
            asked += [Asked(at, tuple(places))] if places else []
        at += count
    return Wording(
        words=words,
        at=tuple(first.values()),
        size=size,
        quoted=frozenset(quoted) if len(quoted) < len(words) else frozenset(),
        asked=tuple(asked) or (Asked(last, (last,)),),
        names=frozenset(word for match in _known().names.finditer(question) for word in reduce(match.group()).split()),
    )


def _question_words(sentence: str, *, marked: bool) -> list[int]:
    """Where in a sentence that asks its question words stand, or the verb that tells one what to do, in words."""
    tells = _known().tells.match(sentence) is not None
    if not (
        tells or _known().mark.search(sentence) or (not marked and _known().question_word.match(sentence.lstrip()))
    ):
        return []
    found = [] if tells else list(_known().question_word.finditer(sentence))
    places = {len(reduce(sentence[: match.start()]).split()) for match in found}
    return sorted({0, *places} if tells else places)


def asks(text: str, start: int, end: int, gold: str, *, announced: bool) -> bool:
    """Whether a passage has the form of a question: a mark, or an answer that is `announced` as one.

    `gold` is the answer in small letters, empty where the question names it: a sentence that says it asks nothing.
    """
    while end > start and not text[end - 1].isalnum():
        end -= 1
    closing = _known().end.search(text, end, end + LONGEST)
    last = closing.end() if closing else min(len(text), end + LONGEST)
    mark = _known().mark.search(text, start, min(last, end + ROOM))
    said = _said(text, start, end, last, gold)
    if mark is not None and not (said is not None and said <= mark.start() and mark.start() >= end):
        return True
    return announced and said is None


def _said(text: str, start: int, end: int, last: int, gold: str) -> int | None:
    """Where a sentence in a question's words says the answer itself: among them, at its end, or as its subject."""
    if not gold:
        return None
    inside = text[start:end].lower().find(gold)
    if inside >= 0:
        return start + inside
    behind = text[end:last].lower()
    place = behind.find(gold)
    if place >= 0 and _known().says.search(behind[:place]):
        return end + place
    same = _BEGINS.split(text[max(0, start - LEAD) : start].lower())[-1]
    return start if gold in same else None


def begins(text: str, start: int) -> bool:
    """Whether a sentence, a line, a cell or a field begins there: not in the middle of a clause, as a relative does."""
    lead = text[max(0, start - 12) : start].rstrip("\"'“‘«*_`([{")
    if not lead.strip() or text[start : start + 1].isupper() or lead.endswith(("\\n", "\n\n")):
        return True
    return not (lead.rstrip()[-1].isalnum() or lead.endswith(", "))


def names_benchmark(text: str) -> bool:
    """Whether a text says by name that something is the benchmark's."""
    return _known().benchmark.search(text) is not None
