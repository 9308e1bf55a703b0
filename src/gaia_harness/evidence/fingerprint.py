"""The fingerprint of the benchmark: the wording of its questions, its ids, the shape of its records.

Knows the questions and never the answers: an answer is found on honest pages, a question is not.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from gaia_harness.evidence.matcher import Matcher, best_matcher
from gaia_harness.evidence.wording import reduce

GRAM = 5
"""Words in a row that count as one piece of a question's wording."""

PROBES = 8
"""Pieces of each question that are looked for everywhere. Half a copy still holds about four of them."""

WHOLE = 400
"""More questions than GAIA's splits have; each takes about 50 KB."""

Build = Callable[[Sequence[bytes]], Matcher]

SIGNATURES = (
    "task_id",
    "final answer",
    "final_answer",
    "ground truth",
    "ground_truth",
    "annotator metadata",
    "expected answer",
    "expected_output",
    "reference answer",
    "gold answer",
    "golden answer",
    "true answer",
    "correct answer",
    "answer key",
    "model answer",
    "file_name",
    "number of steps",
    "how long did this take",
    "number of tools",
    "gaia benchmark",
    "metadata jsonl",
    "metadata parquet",
)
"""Keys and headings of data sets and answer sheets. One alone says little; several near a question say much."""


class Kind(IntEnum):
    """What a phrase belongs to."""

    QUESTION = 0
    TURNED = 1
    TASK_ID = 2
    SIGNATURE = 3


class Finding(NamedTuple):
    """A phrase that stands in a text: what it belongs to, which of its pieces, how it was turned, and where."""

    kind: Kind
    number: int
    piece: int
    turned: str
    start: int


class Question:
    """The wording of one question. Turned round and in rot13 it is looked for by probes before by every piece."""

    def __init__(self, words: bytes, build: Build) -> None:
        self._grams = _grams(words)
        self._build = build
        self._plain: Matcher | None = None
        self._turned: Matcher | None = None
        self.pieces = len(self._grams)
        self.size = min(GRAM, max(0, words.count(b" ") - 1))  # words of a piece

    def find(self, words: bytes, number: int) -> list[Finding]:
        """Every piece in reduced text, plain or turned."""
        if self._plain is None:
            self._plain = self._build([*self._grams, *_turned(_spread(self._grams, PROBES))])
        hits = self._plain.find(words)
        found = [Finding(Kind.QUESTION, number, phrase, "", start) for phrase, start in hits if phrase < self.pieces]
        return found if len(found) == len(hits) else found + self.find_turned(words, number)

    def find_turned(self, words: bytes, number: int) -> list[Finding]:
        """Every piece in reduced text that is turned round or in rot13."""
        if self._turned is None:
            self._turned = self._build(_turned(self._grams))
        names = list(_TURNS)
        return [
            Finding(Kind.QUESTION, number, phrase % self.pieces, names[phrase // self.pieces], start)
            for phrase, start in self._turned.find(words)
            # a piece may be the same turned round
            if not words.startswith(self._grams[phrase % self.pieces], start)
        ]


class Fingerprint:
    """What one run's tasks are known by.

    Up to `WHOLE` questions are looked for by all their pieces at once. Of more, a few pieces of each, its probes, are
    looked for in every text, and all of them only in the task's own texts and where probes were found: memory grows
    with the questions, but slowly.
    """

    def __init__(self, questions: Mapping[str, str], *, build: Build = best_matcher, whole: int = WHOLE) -> None:
        self.numbers = {task_id: number for number, task_id in enumerate(questions)}
        self.words = tuple(reduce(question) for question in questions.values())
        self._seen = Counter(word for words in self.words for word in set(words.split()))
        self._build = build
        self._whole = len(self.words) <= whole
        phrases: list[bytes] = []
        self._meaning: list[tuple[Kind, int, int]] = []

        def add(kind: Kind, number: int, grams: Sequence[bytes]) -> None:
            phrases.extend(grams)
            self._meaning.extend((kind, number, piece) for piece in range(len(grams)))

        for number, words in enumerate(self.words):
            grams = _grams(words)
            add(Kind.QUESTION, number, grams if self._whole else _spread(grams, PROBES))
            if self._whole:
                add(Kind.TURNED, number, _turned(_spread(grams, PROBES)))
        for number, task_id in enumerate(questions):
            add(Kind.TASK_ID, number, id_forms(task_id))
        for number, name in enumerate(SIGNATURES):
            add(Kind.SIGNATURE, number, [reduce(name)])
        self._matcher = build(phrases)
        self.question = lru_cache(maxsize=128)(self._question)
        self.weights = lru_cache(maxsize=128)(self._weights)

    def find(self, words: bytes, own: int | None) -> list[Finding]:
        """Every phrase in reduced text; of the question `own`, and of others that seem to be there, every piece."""
        found: list[Finding] = []
        turned: set[int] = set()
        probes: Counter[int] = Counter()
        for phrase, start in self._matcher.find(words):
            kind, number, piece = self._meaning[phrase]
            if kind is Kind.TURNED:
                turned.add(number)
            elif kind is Kind.QUESTION and not self._whole:
                probes[number] += 1
            else:
                found.append(Finding(kind, number, piece, "", start))
        for number in sorted(turned):
            found += self.question(number).find_turned(words, number)
        if own is not None and not self._whole:
            found += self.question(own).find(words, own)
        for number, count in probes.items():
            if number != own and (count >= 2 or self.words[number].count(b" ") <= 2 * GRAM):
                found += self.question(number).find(words, number)
        return found

    def _question(self, number: int) -> Question:
        return Question(self.words[number], self._build)

    def _weights(self, number: int) -> dict[bytes, float]:
        """The content words of a question: the longer, and the fewer questions have it, the more it weighs."""
        return {
            word: len(word) / self._seen[word]
            for word in dict.fromkeys(self.words[number].split())
            if len(word) > 3 or word.isdigit()
        }


def id_forms(task_id: str) -> list[bytes]:
    """An id as it may stand in a text: as it is, and without hyphens, as data bases show it."""
    if len(reduce(task_id)) < 10:  # a short id such as "7" is a word like any other
        return []
    bare = task_id.replace("-", "")
    return list(dict.fromkeys(map(reduce, (task_id, bare, f"0x{bare}"))))


def _grams(words: bytes) -> list[bytes]:
    """Runs of five words, each once; a shorter question is one run."""
    parts = words.split()
    if not parts:
        return []
    size = min(GRAM, len(parts))
    runs = (b" " + b" ".join(parts[i : i + size]) + b" " for i in range(len(parts) - size + 1))
    return list(dict.fromkeys(runs))


def _spread(grams: list[bytes], count: int) -> list[bytes]:
    """So many of them, from all over the question."""
    return grams if len(grams) <= count else [grams[i * (len(grams) - 1) // (count - 1)] for i in range(count)]


def _rot13(phrase: bytes) -> bytes:
    return phrase.translate(_ROT13)


def _reversed(phrase: bytes) -> bytes:
    return phrase[::-1] if phrase.isascii() else phrase.decode()[::-1].encode()


_ROT13 = bytes.maketrans(b"abcdefghijklmnopqrstuvwxyz", b"nopqrstuvwxyzabcdefghijklm")
_TURNS = {"rot13": _rot13, "reversed": _reversed}


def _turned(grams: Sequence[bytes]) -> list[bytes]:
    """The pieces in rot13, then the pieces turned round."""
    return [turn(gram) for turn in _TURNS.values() for gram in grams]
