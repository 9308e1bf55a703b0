"""Does a text have a table of answers: ids of tasks of the run, each with its answer behind it?"""

import re
from collections.abc import Mapping

from gaia_harness.evidence.matcher import any_of
from gaia_harness.evidence.wording import reduce
from gaia_harness.tasks.answers import Gold

SHORTEST_ID = 6  # characters of an id's first part that stand for the whole: `90f59395` do, `task` does not
BEHIND = 16  # words behind an id among which its answer is: a level and a label fit between
TELLING = 4  # letters or digits of an answer that is no mere "3" or "yes"

_PATH = re.compile(r"(?<![\w.~-])[\w.~-]*+(?:[/\\]++[\w.~-]++)++[/\\]?+|(?<![\w.-])[\w-]++\.[a-zA-Z]\w{1,4}+(?![\w.])")


class AnswerTables:
    """Finds tables of answers in a text: ids of the run's tasks, each with its answer behind it."""

    def __init__(self, golds: Mapping[str, Gold]) -> None:
        self._golds = {task_id: words for task_id, gold in golds.items() if (words := reduce(gold.answer))}
        self._ids = {task_id: reduce(task_id).split() for task_id in self._golds}
        self._begin: dict[bytes, list[str]] = {}  # an id stands whole, in one piece, or by its first part
        for task_id, parts in self._ids.items():
            for name in {b"".join(parts), *parts[:1]}:
                if len(name) >= SHORTEST_ID and any(byte in b"0123456789" for byte in name):
                    self._begin.setdefault(name, []).append(task_id)
        self._has_id = any_of([name.decode() for name in self._begin])

    def find(self, text: str, task_id: str) -> frozenset[str]:
        """The tasks whose ids stand in a text with their answers behind them; the own one only right behind."""
        if not self._has_id(text.lower()):
            return frozenset()
        # an id in a path is no id: work folders and files are named after tasks
        words = reduce(_PATH.sub(" ", text)).split()
        tasks: set[str] = set()
        for at, word in enumerate(words):
            begun = self._begin.get(word, ())
            for whose in begun:
                parts, gold = self._ids[whose], self._golds[whose]
                whole = words[at : at + len(parts)] == parts
                if len(begun) > 1 and not whole:
                    continue  # what two tasks have in common tells nothing of either
                start, far = at + (len(parts) if whole else 1), BEHIND
                if whose == task_id:
                    far = len(gold.split()) + 1 if len(gold.replace(b" ", b"")) >= TELLING else 0
                if gold in b" ".join((b"", *words[start : start + far], b"")):
                    tasks.add(whose)
        return frozenset(tasks)
