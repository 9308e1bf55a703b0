"""What were tasks given beside their questions, sentence by sentence, and what of it did hardly another task get?"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable

import msgspec

from gaia_harness.evidence.wording import reduce

MOST_TEXTS = 50_000
"""Different texts that are remembered for a run: some hundred tasks have at most a few each."""

MOST_PIECES = 400_000
"""Sentences of them all; of texts beyond that only the whole is known."""

LONGEST = 64 << 10
"""Characters of a text that are taken apart."""

BRIEF = 40
"""Words that a task was given for itself, at most, so that even "17" or "no" among them says something."""

MOSTLY = 0.8
"""Share of the tasks with a sentence whose own answer stands in it: then it was written for them."""

_ENDS = re.compile(r"\n+|(?<=[.!?:;])\s+")
_DIGITS = re.compile(rb"\d+")

# What the agent's loop says now and then, to few tasks or to none: it is known, and nobody's own.
_KNOWN = (
    "Your reply called no tool and has no final answer. Go on working, or end with a line of the form\n"
    "FINAL ANSWER: your answer",
    "You have used up your turns: no more tools can be called. Answer now with what you know, ending with a "
    "line of the form\nFINAL ANSWER: your answer",
)


class Piece(msgspec.Struct, frozen=True):
    """A sentence or a line, by its words; `form` is the same whatever numbers stand in it."""

    key: bytes
    form: bytes
    size: int
    words: bytes


class Place(msgspec.Struct, frozen=True):
    """A task's own answer in a text that it was given: in which of its pieces, and whether it is a number."""

    text: bytes
    pieces: tuple[tuple[bytes, bytes], ...]
    number: bool


def pieces_of(text: str) -> list[Piece]:
    """The sentences and lines of a text."""
    found = []
    for part in _ENDS.split(text[:LONGEST]):
        words = reduce(part)
        if words:
            found.append(Piece(_hash(words), _hash(_DIGITS.sub(b"#", words)), words.count(b" ") - 1, words))
    return found


def _hash(words: bytes) -> bytes:
    return hashlib.blake2b(words, digest_size=8).digest()


class _Text(msgspec.Struct):
    last: str
    tasks: int
    pieces: tuple[tuple[bytes, bytes, int], ...]


class GivenTexts:
    """All texts of a run. Tasks come one after another, each with all that it was given."""

    def __init__(self) -> None:
        self._texts: dict[bytes, _Text] = {}
        self._left = MOST_PIECES
        self.known = frozenset(piece.key for text in _KNOWN for piece in pieces_of(text))

    def see(self, key: bytes, text: str, task_id: str) -> bool:
        """Note that a task was given a text, known by its key; whether another task was given it before."""
        known = self._texts.get(key)
        if known is None:
            if len(self._texts) < MOST_TEXTS:
                pieces = tuple((p.key, p.form, p.size) for p in pieces_of(text)) if self._left > 0 else ()
                self._left -= len(pieces)
                self._texts[key] = _Text(task_id, 1, pieces)
            return False
        if known.last != task_id:
            known.last = task_id
            known.tasks += 1
        return known.tasks > 1

    def weigh(self, places: Iterable[Place]) -> "Weights":
        """What the places in which answers stand are worth, when all tasks have been seen."""
        return Weights(self._texts, self.known, list(places))


class Weights:
    """Whose a text is, by how many tasks were given it, and how many of these have their answer there."""

    def __init__(self, texts: dict[bytes, _Text], known: frozenset[bytes], places: list[Place]) -> None:
        self._texts = texts
        self._known = known
        self._given: Counter[bytes] = Counter()
        self._forms: Counter[bytes] = Counter()
        for text in texts.values() if places else ():
            self._given.update(dict.fromkeys((key for key, _, _ in text.pieces), text.tasks))
            self._forms.update(dict.fromkeys((form for _, form, _ in text.pieces), text.tasks))
        self._hits = Counter(key for place in places for key in {key for key, _ in place.pieces})
        self._form_hits = Counter(form for place in places for form in {form for _, form in place.pieces})
        self._text_hits = Counter(place.text for place in places)

    def own(self, place: Place) -> bool:
        """Whether a text, or a sentence in it that has the answer, was written for the tasks with this answer."""
        text = self._texts.get(place.text)
        if text is None or self._text_hits[place.text] >= MOSTLY * text.tasks:
            return any(key not in self._known for key, _ in place.pieces) or not place.pieces
        return self.own_piece(place)

    def own_piece(self, place: Place) -> bool:
        """Whether such a sentence was. One that other tasks have with other numbers in it is a form to fill in."""
        return any(
            key not in self._known
            and self._hits[key] >= MOSTLY * self._given[key]
            and not (place.number and 2 * self._form_hits[form] < self._forms[form])
            for key, form in place.pieces
        )

    def is_brief(self, place: Place) -> bool:
        """Whether what hardly another task was given in that text is a remark, and no prompt of its own."""
        text = self._texts.get(place.text)
        if text is None or not text.pieces:
            return False
        own = sum(size for key, _, size in text.pieces if self._given[key] <= max(1, self._hits[key] / MOSTLY))
        return own <= BRIEF
