"""By what a copy of the benchmark is known: the wording of its questions, its ids, the shape of its records.

Knows the questions and never the answers: an answer is found on honest pages, a question is not.
"""

import codecs
from collections import Counter
from collections.abc import Mapping
from enum import IntEnum

from gaia_harness.evidence.matcher import Hit, Matcher, best_matcher
from gaia_harness.evidence.wording import reduce

GRAM = 5
"""Words in a row that count as one piece of a question's wording."""

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


class Fingerprint:
    """The phrases of one run's tasks, and how many pieces each question has."""

    def __init__(self, questions: Mapping[str, str], *, build: "type[Matcher] | None" = None) -> None:
        self.task_ids = tuple(questions)
        self.numbers = {task_id: number for number, task_id in enumerate(self.task_ids)}
        self.words = tuple(reduce(question) for question in questions.values())
        self.sizes = tuple(min(GRAM, max(0, words.count(b" ") - 1)) for words in self.words)  # words of a piece
        self.pieces: list[int] = []
        phrases: list[bytes] = []
        self.meaning: list[tuple[Kind, int, int, str]] = []  # kind, question, piece, reading
        for number, words in enumerate(self.words):
            grams = list(dict.fromkeys(_grams(words)))
            self.pieces.append(len(grams))
            for piece, gram in enumerate(grams):
                for reading, phrase in (("", gram), ("rot13", _rot13(gram)), ("reversed", _reversed(gram))):
                    if phrase != gram or not reading:
                        phrases.append(phrase)
                        self.meaning.append((Kind.QUESTION, number, piece, reading))
        for number, task_id in enumerate(self.task_ids):
            words = reduce(task_id)
            if len(words) >= 10:  # a short id such as "7" is a word like any other
                phrases.append(words)
                self.meaning.append((Kind.TASK_ID, number, 0, ""))
        for number, name in enumerate(SIGNATURES):
            phrases.append(reduce(name))
            self.meaning.append((Kind.SIGNATURE, number, 0, ""))
        self._matcher: Matcher = best_matcher(phrases) if build is None else build(phrases)  # type: ignore[call-arg]
        self.weights = _weights(self.words)

    def find(self, words: bytes) -> list[Hit]:
        """Every phrase in reduced text."""
        return self._matcher.find(words)


def _grams(words: bytes) -> list[bytes]:
    """Runs of five words; a shorter question is one run."""
    parts = words.split()
    if not parts:
        return []
    size = min(GRAM, len(parts))
    return [b" " + b" ".join(parts[i : i + size]) + b" " for i in range(len(parts) - size + 1)]


def _rot13(phrase: bytes) -> bytes:
    return codecs.encode(phrase.decode(), "rot13").encode()


def _reversed(phrase: bytes) -> bytes:
    return phrase.decode()[::-1].encode()


def _weights(questions: tuple[bytes, ...]) -> list[dict[bytes, float]]:
    """The content words of each question: the longer, and the fewer questions have it, the more it weighs."""
    seen = Counter(word for words in questions for word in set(words.split()))
    return [
        {word: len(word) / seen[word] for word in dict.fromkeys(words.split()) if len(word) > 3 or word.isdigit()}
        for words in questions
    ]
