"""Finds tables of answers whose questions or ids are truncated."""

from collections.abc import Mapping

from gaia_harness.audit.gold_forms import GoldForms
from gaia_harness.evidence.wording import reduce

FIRST_WORDS = 5
"""Words at the beginning of a question by which a row may be known."""

FIRST_FIGURES = 8
"""Figures of an id by which a row may be known."""

ROOM = 24
"""Words behind such a beginning within which its answer stands: of a question cut short, some more words."""

MOST_PLACES = 8
"""Places of one beginning that are looked at."""


class ShortRows:
    """The beginnings of a run's questions and ids, each with its answer, where that proves something."""

    def __init__(self, questions: Mapping[str, str], golds: Mapping[str, GoldForms]) -> None:
        """Beginnings that two questions share say nothing: they are left out."""
        self._rows: dict[bytes, str] = {}
        self._golds = golds
        shared: set[bytes] = set()
        for task_id, question in questions.items():
            gold = golds.get(task_id)
            if gold is None or gold.trivial:
                continue
            parts = reduce(question).split()[:FIRST_WORDS]
            bare = task_id.replace("-", "")
            starts = [b" " + b" ".join(parts) + b" "] if len(parts) == FIRST_WORDS else []
            if len(bare) >= 2 * FIRST_FIGURES and bare.isalnum():
                starts.append(reduce(bare[:FIRST_FIGURES]))
            for start in starts:
                if start in self._rows:
                    shared.add(start)
                self._rows[start] = task_id
        for start in shared:
            del self._rows[start]

    def answered(self, words: bytes) -> frozenset[str]:
        """The tasks whose beginning stands in these words with the answer behind it, and not much between."""
        return frozenset(task_id for start, task_id in self._rows.items() if self._answered(words, start, task_id))

    def _answered(self, words: bytes, start: bytes, task_id: str) -> bool:
        gold = self._golds[task_id]
        at = words.find(start)
        for _ in range(MOST_PLACES):
            if at < 0:
                return False
            size = ROOM + max(form.count(b" ") for form in gold.words)
            behind = words[at + len(start) - 1 :].split(maxsplit=size)[:size]
            if gold.stands_in(b" " + b" ".join(behind) + b" "):
                return True
            at = words.find(start, at + 1)
        return False
