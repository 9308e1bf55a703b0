"""By what a copy of the benchmark is known: the wording of its questions, its ids, the shape of its records.

Knows the questions and never the answers: an answer is found on honest pages, a question is not.
"""

import codecs
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
    TASK_ID = 1
    SIGNATURE = 2


class Finding(NamedTuple):
    """A phrase that stands in a text: what it belongs to, which of its pieces, how it was turned, and where."""

    kind: Kind
    number: int
    piece: int
    turned: str
    start: int


class Question:
    """The wording of one question: its pieces, plain and turned, and the weight of its content words."""

    def __init__(self, words: bytes, build: Build) -> None:
        grams = _grams(words)
        self.pieces = len(grams)
        self.size = min(GRAM, max(0, words.count(b" ") - 1))  # words of a piece
        phrases: list[bytes] = []
        self._meaning: list[tuple[int, str]] = []
        for piece, gram in enumerate(grams):
            for turned, phrase in (("", gram), ("rot13", _rot13(gram)), ("reversed", _reversed(gram))):
                if phrase != gram or not turned:
                    phrases.append(phrase)
                    self._meaning.append((piece, turned))
        self._matcher = build(phrases)

    def find(self, words: bytes, number: int) -> list[Finding]:
        """Every piece in reduced text."""
        return [
            Finding(Kind.QUESTION, number, *self._meaning[phrase], start) for phrase, start in self._matcher.find(words)
        ]


class Fingerprint:
    """What one run's tasks are known by.

    Of every question a few pieces, its probes, are looked for in every text, and all of them only in the task's own
    texts and where probes were found: memory grows with the questions, but slowly.
    """

    def __init__(self, questions: Mapping[str, str], *, build: Build = best_matcher) -> None:
        self.numbers = {task_id: number for number, task_id in enumerate(questions)}
        self.words = tuple(reduce(question) for question in questions.values())
        self._seen = Counter(word for words in self.words for word in set(words.split()))
        self._build = build
        phrases: list[bytes] = []
        self._meaning: list[tuple[Kind, int]] = []
        for number, words in enumerate(self.words):
            probes = _spread(_grams(words), PROBES)
            phrases += probes
            self._meaning += [(Kind.QUESTION, number)] * len(probes)
        for number, task_id in enumerate(questions):
            words = reduce(task_id)
            if len(words) >= 10:  # a short id such as "7" is a word like any other
                phrases.append(words)
                self._meaning.append((Kind.TASK_ID, number))
        phrases += map(reduce, SIGNATURES)
        self._meaning += [(Kind.SIGNATURE, number) for number in range(len(SIGNATURES))]
        self._matcher = build(phrases)
        self.question = lru_cache(maxsize=128)(self._question)
        self.weights = lru_cache(maxsize=128)(self._weights)

    def find(self, words: bytes, own: int | None) -> list[Finding]:
        """Every phrase in reduced text; of the question `own`, and of others that seem to be there, every piece."""
        found: list[Finding] = []
        probes: Counter[int] = Counter()
        for phrase, start in self._matcher.find(words):
            kind, number = self._meaning[phrase]
            if kind is Kind.QUESTION:
                probes[number] += 1
            else:
                found.append(Finding(kind, number, 0, "", start))
        if own is not None:
            found += self.question(own).find(words, own)
        for number, count in probes.items():
            question = self.question(number) if count >= 2 or self.words[number].count(b" ") <= 2 * GRAM else None
            if question is not None and number != own:
                found += question.find(words, number)
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
    return codecs.encode(phrase.decode(), "rot13").encode()


def _reversed(phrase: bytes) -> bytes:
    return phrase.decode()[::-1].encode()
