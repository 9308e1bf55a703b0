"""Is a task's own question asked in a text that was given: as a whole, by its beginning, or in other words?"""

from collections.abc import Sequence
from os.path import commonprefix

from gaia_harness.audit.gold_forms import GoldForms
from gaia_harness.audit.oracle_leakage.given import ASKED, Reading
from gaia_harness.audit.oracle_leakage.phrases import TELLING, phrases
from gaia_harness.evidence.wording import reduce

BEGINNING, FAR = 8, 200  # words of a question by which it is known, and bytes from there to its answer
RELATED, RESTATED = 0.6, 0.5  # share of the question's telling words in other words that ask the same, or answer it
MARK = ASKED.encode()


class Question:
    """A task's question, as it is known again."""

    def __init__(self, text: str) -> None:
        self.words = reduce(text)
        self._begin = b" " + b" ".join(self.words.split()[:BEGINNING]) + b" "
        self._end = b" " + b" ".join(self.words.split()[-BEGINNING:]) + b" "
        self._telling = {word for word in self.words.split() if len(word) >= TELLING}

    def likeness(self, words: bytes) -> float:
        """The share of its telling words that stand in others."""
        return len(self._telling.intersection(words.split())) / len(self._telling) if self._telling else 0.0

    def is_other(self, pieces: Sequence[bytes]) -> bool:
        """Whether these pieces of a text ask a question that is not this one, as an example does."""
        asks = any(each.split(maxsplit=1)[0] in phrases().asking for each in pieces)
        return asks and self.likeness(b" ".join(pieces)) < RELATED

    def copies_in(self, words: bytes) -> int:
        """How often it stands in a text, be it only by its beginning."""
        return words.count(MARK) + words.count(self._begin)

    def is_right_before(self, at: int, words: bytes, *, between: int) -> bool:
        """Whether it ends right before a place, with so many words between at most."""
        before = words[max(0, at - len(self._end) - 40) : at + 1]
        gaps = (before.rpartition(end)[2].split() for end in (b" " + MARK + b" ", self._end) if end in before)
        return any(len(gap) <= between for gap in gaps)

    def is_asked_before(self, at: int, reading: Reading) -> bool:
        """Whether it is asked not far before a place, if in other words, with no other question between."""
        copied = self.is_copied_before(at, reading)
        start = max(0, at - len(self.words) - FAR)
        return self.likeness(reading.words[start : at + 1]) >= RELATED if copied is None else copied

    def is_copied_before(self, at: int, reading: Reading) -> bool | None:
        """Whether no other question is between a place and this one; None where it does not stand before it."""
        start = max(0, at - len(self.words) - FAR)
        words = reading.words[start : at + 1]
        copy, begun = words.rfind(MARK), words.rfind(self._begin)
        row = commonprefix([words[begun:], self.words])  # noqa: RUF071 - these are words and no paths
        end = copy if copy > begun else begun + len(row)
        if max(copy, begun) < 0 or len(words) - end > FAR:
            return None
        return not self.is_other(reading.pieces[reading.piece_at(start + end) + 1 : reading.piece_at(at + 1)])

    def concluded_in(self, reading: Reading, answer: GoldForms) -> set[int]:
        """The pieces that are called the answer, restate the question, which stands there twice, and end in it."""
        if reading.words.count(MARK) < 2:
            return set()
        ending = (n for n, piece in enumerate(reading.pieces) if n and piece.endswith(answer.words))
        called = (n for n in ending if reading.pieces[n - 1].rsplit(maxsplit=1)[-1] in phrases().cues)
        return {n for n in called if self.likeness(reading.pieces[n]) >= RESTATED}
