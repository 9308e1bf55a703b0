"""A cheap test for kept text that holds a copy of the question which the recorded scan denies."""

import base64
import codecs
from collections.abc import Iterable

import msgspec

from gaia_harness.records.steps import Step, ToolResultStep

PROBE = 28
"""Characters of a question that are looked for as they stand."""

WORDS = 4
"""Words of a question, its longest, that must all be there before a head is scanned anew."""

LONG = 4
"""Letters of such a word, at least."""

SHORTEST_ID = 10
"""A shorter id is a word like any other."""

_MARKS = "\"'“”‘’«»()[]{},.;:!?*"


class Signs(msgspec.Struct, frozen=True):
    """The results of a task, by number of the step, whose heads may hold a copy; and those that may in base64."""

    plain: frozenset[int]
    coded: frozenset[int]


class Denials:
    """The signs of one task's question and id in a head, whatever its recorded scan says."""

    __slots__ = ("_id", "_phrases", "_turned", "_words")

    def __init__(self, question: str, task_id: str) -> None:
        """Single words, because lines may be broken anywhere; small ones, because capitals may be gone."""
        words = {word.strip(_MARKS) for word in question.split() if len(word) >= LONG}
        small = [word for word in words if len(word) >= LONG and word.isalpha() and word.islower()]
        chosen = sorted(small, key=lambda word: (-len(word), word))[:WORDS]
        text = " ".join(question.split())
        third = max(0, len(text) - PROBE) // 3
        self._phrases = text[third : third + PROBE], text[2 * third : 2 * third + PROBE]
        self._words = tuple(chosen) if len(chosen) > 1 else self._phrases[:1]
        self._turned = self._phrases[0].upper(), codecs.encode(self._phrases[0], "rot13")
        self._id = task_id if len(task_id) >= SHORTEST_ID else self._turned[0]

    def may_be(self, head: str) -> bool:
        """Whether a copy may stand there: as it is, in capitals, in rot13; or the id. Asked of every result."""
        capitals, rot13 = self._turned
        if self._words[0] in head and all(word in head for word in self._words):
            return True
        return capitals in head or rot13 in head or self._id in head

    def signs(self, steps: Iterable[Step]) -> Signs:
        """All that may be in the results of a task."""
        first, second, third = self.in_base64()
        plain, coded = [], []
        for step in steps:
            if type(step) is ToolResultStep:
                head = step.head
                if self.may_be(head):
                    plain.append(step.seq)
                if first in head or second in head or third in head:
                    coded.append(step.seq)
        return Signs(frozenset(plain), frozenset(coded))

    def in_base64(self) -> tuple[str, ...]:
        """A stretch of the question in base64, wherever its groups of three begin."""
        data = self._phrases[0].encode("utf-8", "replace")
        ends = ((before, base64.b64encode(b"\0" * before + data).decode()) for before in range(3))
        # without the signs in which its neighbours have a part
        blocks = (block[(0, 2, 3)[before] : (before + len(data)) // 3 * 4] for before, block in ends)
        return tuple(blocks)

    def has_id(self, head: str) -> bool:
        """Whether the task's id stands there."""
        return len(self._id) >= SHORTEST_ID and self._id not in self._turned and self._id in head

    def sent(self, text: str) -> bool:
        """Whether the agent's own words are those of the question."""
        return any(phrase in text for phrase in self._phrases)
