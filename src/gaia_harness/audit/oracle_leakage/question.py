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
        self._telling = {word for word in self.words.split() if len(word) >= TELLING}

    def likeness(self, words: bytes) -> float:
        """The share of its telling words that stand in others."""
        return len(self._telling.intersection(words.split())) / len(self._telling) if self._telling else 0.0

    def is_other(self, pieces: Sequence[bytes]) -> bool:
        """Whether these pieces of a text ask a question that is not this one, as an example does."""
        asks = any(each.split(maxsplit=1)[0] in phrases().asking for each in pieces)
        return asks and self.likeness(b" ".join(pieces)) < RELATED

    def is_asked_before(self, at: int, reading: Reading) -> bool:
        """Whether it is asked not far before a place, with no other question between."""
        start = max(0, at - len(self.words) - FAR)
        words = reading.words[start : at + 1]
        copy, begun = words.rfind(MARK), words.rfind(self._begin)
        row = commonprefix([words[begun:], self.words])  # noqa: RUF071 - these are words and no paths
        end = copy if copy > begun else begun + len(row)
        if max(copy, begun) >= 0 and len(words) - end <= FAR:
            return not self.is_other(reading.pieces[reading.piece_at(start + end) + 1 : reading.piece_at(at + 1)])
        return self.likeness(words) >= RELATED

    def concluded_in(self, reading: Reading, answer: GoldForms) -> set[int]:
        """The pieces that are called the answer, restate the question, which stands there twice, and end in it."""
        if reading.words.count(MARK) < 2:
            return set()
        ending = (n for n, piece in enumerate(reading.pieces) if n and piece.endswith(answer.words))
        called = (n for n in ending if reading.pieces[n - 1].rsplit(maxsplit=1)[-1] in phrases().cues)
        return {n for n in called if self.likeness(reading.pieces[n]) >= RESTATED}
