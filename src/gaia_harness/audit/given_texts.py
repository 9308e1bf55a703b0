"""Texts that tasks were given beside their questions, by sentence, and which of them few other tasks received."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from gaia_harness.audit.gold_forms import GoldForms
from gaia_harness.evidence.wording import reduce
from gaia_harness.protocol import REMARKS

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

USUAL = 0.5
"""Share of the tasks that were given the very same text: then it is the one that tasks are given."""

_ENDS = re.compile(r"\n+|(?<=[.!?:;])\s+")
_CALENDAR = (
    rb"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october|"
    rb"november|december"
)
_DIGITS = re.compile(rb"\d+|\b(?:" + _CALENDAR + rb")\b")
_DATES = re.compile(rb"(?:\s|\d+(?:st|nd|rd|th)?|" + _CALENDAR + rb")+")


class Piece(msgspec.Struct, frozen=True):
    """A sentence or a line, by its words; `form` is the same whatever numbers and days stand in it."""

    key: bytes
    form: bytes
    size: int
    words: bytes
    text: str = ""


class Place(msgspec.Struct, frozen=True):
    """A task's own answer in a text that it was given: in which of its pieces, and whether it is a number."""

    text: bytes
    pieces: tuple[tuple[bytes, bytes], ...]
    number: bool


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """The sentences and lines of a text, and where each begins."""
    text, at = text[:LONGEST], 0
    for end in _ENDS.finditer(text):
        yield at, text[at : end.start()]
        at = end.end()
    yield at, text[at:]


def pieces_of(text: str) -> list[Piece]:
    """The sentences and lines of a text, by their words."""
    found = []
    for part in _ENDS.split(text[:LONGEST]):
        words = reduce(part)
        if words:
            found.append(Piece(_hash(words), _hash(_DIGITS.sub(b"#", words)), words.count(b" ") - 1, words, part))
    return found


def pieces_with(text: str, forms: GoldForms) -> list[Piece]:
    """The sentences of a text in which an answer stands; of an answer with a full stop in it, all that it goes over."""
    pieces = pieces_of(text)
    found = [piece for piece in pieces if forms.stands_in(piece.words)]
    for size in range(2, 7):
        for at in range(len(pieces) - size + 1 if not found else 0):
            near = pieces[at : at + size]
            if forms.stands_in(b" ".join(piece.words.strip() for piece in near).join((b" ", b" "))):
                found.append(max(near, key=lambda piece: piece.size))
    return found


def is_of_a_calendar(answer: str) -> bool:
    """Whether an answer is a day, a month or a date: what a prompt says that tells the time."""
    return _DATES.fullmatch(reduce(answer)) is not None


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
        self._tasks = 0
        self._last: str | None = None
        # what the agent's loop says now and then, to few tasks or to none: it is nobody's own
        self.known = frozenset(piece.key for text in REMARKS for piece in pieces_of(text))

    def see(self, key: bytes, text: str, task_id: str) -> bool:
        """Note that a task was given a text, known by its key; whether another task was given it before."""
        if task_id != self._last:
            self._last = task_id
            self._tasks += 1
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

    def tasks_with(self, key: bytes) -> int:
        """How many tasks were given a text."""
        text = self._texts.get(key)
        return 0 if text is None else text.tasks

    def weigh(self, places: Iterable[Place]) -> "Weights":
        """What the places in which answers stand are worth, when all tasks have been seen."""
        return Weights(self._texts, self.known, list(places), self._tasks)


class Weights:
    """Whose a text is, by how many tasks were given it, and how many of these have their answer there."""

    def __init__(self, texts: dict[bytes, _Text], known: frozenset[bytes], places: list[Place], tasks: int) -> None:
        usual = [text for text in texts.values() if text.tasks > max(1, USUAL * tasks) and text.pieces]
        self._usual = [{key for key, _, _ in text.pieces} for text in usual]
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

    def is_added_to_the_usual(self, place: Place) -> bool:
        """Whether that text is the one that most tasks were given as it stands, and something more for this task."""
        text = self._texts.get(place.text)
        if text is None:
            return False
        has = {key for key, _, _ in text.pieces}
        return any(len(usual & has) >= MOSTLY * len(usual) for usual in self._usual)

    def is_brief(self, place: Place) -> bool:
        """Whether what hardly another task was given in that text is a remark, and no prompt of its own."""
        text = self._texts.get(place.text)
        if text is None or not text.pieces:
            return False
        own = sum(size for key, _, size in text.pieces if self._given[key] <= max(1, self._hits[key] / MOSTLY))
        return own <= BRIEF
