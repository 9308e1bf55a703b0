"""Does a call hold a table of answers: ids of the run's tasks, each with its answer behind it?"""

import re
from collections.abc import Mapping
from functools import lru_cache

from gaia_harness.evidence.wording import reduce
from gaia_harness.tasks.answers import Gold

SHORTEST_ID = 6
"""Characters of an id's first part, so that it stands for the whole: `90f59395` does, `task` does not."""

BEHIND = 16
"""Words behind an id among which its answer is: a level and a label fit between."""

TELLING = 4
"""Letters or digits of an answer that is no mere "3" or "yes"."""

_PLAIN = bytes(ord(chr(code).lower()) if chr(code).isalnum() and code < 0x80 else 0x20 for code in range(256))
"""Makes words of plain letters and digits: enough to tell whether an id stands in a text, at a third of the work."""

_PATH = re.compile(r"(?<![\w.~-])[\w.~-]*+(?:[/\\]++[\w.~-]++)++[/\\]?+|(?<![\w.-])[\w-]++\.[a-zA-Z]\w{1,4}+(?![\w.])")


class TableFinder:
    """Finds ids of a run's tasks in what tool calls are given."""

    def __init__(self, golds: Mapping[str, Gold]) -> None:
        self._golds = {task_id: words for task_id, gold in golds.items() if (words := reduce(gold.answer).split())}
        self._ids = {task_id: reduce(task_id).split() for task_id in self._golds}
        self._begin: dict[bytes, list[str]] = {}  # an id stands whole, in one piece, or by its first part
        for task_id, parts in self._ids.items():
            for name in {b"".join(parts), *parts[:1]}:
                if len(name) >= SHORTEST_ID and any(byte in b"0123456789" for byte in name):
                    self._begin.setdefault(name, []).append(task_id)

    def find(self, text: str, task_id: str) -> frozenset[str]:
        """The tasks whose ids stand in a text with their answers behind them; the own one only right behind."""
        if self._begin.keys().isdisjoint(text.encode("utf-8", "replace").translate(_PLAIN).split()):
            return frozenset()
        # an id in a path is no id: work folders and files are named after tasks
        words = reduce(_PATH.sub(" ", text)).split()
        found: set[str] = set()
        for at, word in enumerate(words):
            for whose in (begin := self._begin.get(word, ())):
                parts, gold = self._ids[whose], self._golds[whose]
                whole = words[at : at + len(parts)] == parts
                if len(begin) > 1 and not whole:
                    continue  # what two tasks have in common tells nothing of either
                start = at + (len(parts) if whole else 1)
                behind = words[start : start + BEHIND]
                if whose == task_id:
                    behind = behind[: len(gold) + 1] if len(b"".join(gold)) >= TELLING else []
                if b" " + b" ".join(gold) + b" " in b" " + b" ".join(behind) + b" ":
                    found.add(whose)
        return frozenset(found)


@lru_cache(maxsize=1)
def table_finder(golds: tuple[tuple[str, Gold], ...]) -> TableFinder:
    """The same for all runs of the same tasks."""
    return TableFinder(dict(golds))
