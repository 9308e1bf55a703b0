"""Does a call hold a table of answers: ids of the run's tasks, each with its answer behind it?"""

import re
from collections import Counter
from collections.abc import Mapping

from gaia_harness.evidence.matcher import best_matcher
from gaia_harness.evidence.wording import reduce
from gaia_harness.tasks.answers import Gold

SHORTEST_ID = 6
"""Characters of an id's first part, so that it stands for the whole: `90f59395` does, `task` does not."""

BEHIND = 16
"""Words behind an id among which its answer is: a level and a label fit between."""

MOST_PLACES = 2_000
LONGEST_ANSWER = 20_000
TELLING = 4
"""Letters or digits of an answer that is no mere "3" or "yes"."""

_PATH = re.compile(r"(?<![\w.~-])[\w.~-]*+(?:[/\\]++[\w.~-]++)++[/\\]?+|(?<![\w.-])[\w-]++\.[a-zA-Z]\w{1,4}+(?![\w.])")


class TableFinder:
    """Finds ids of a run's tasks in what tool calls are given."""

    def __init__(self, golds: Mapping[str, Gold]) -> None:
        self._golds = {task_id: words for task_id, gold in sorted(golds.items()) if (words := reduce(gold.answer))}
        names = {name: task_id for task_id in self._golds for name in _names(task_id)}
        spread = Counter(name for task_id in self._golds for name in _names(task_id))
        # what two tasks have in common tells nothing of either
        own = {name: task_id for name, task_id in names.items() if spread[name] == 1}
        self._whose = list(own.values())
        self._matcher = best_matcher(list(own))

    def find(self, text: str, task_id: str) -> frozenset[str]:
        """The tasks whose ids stand in a text with their answers behind them; the own one only right behind."""
        found: set[str] = set()
        # an id in a path is no id: work folders and files are named after tasks
        words = reduce(_PATH.sub(" ", text)) if self._whose else b""
        for name, start in self._matcher.find(words)[:MOST_PLACES]:
            whose = self._whose[name]
            gold = self._golds[whose]
            behind = words[start + 1 :][:LONGEST_ANSWER].split(maxsplit=BEHIND + 1)[1 : BEHIND + 1]
            if whose == task_id:  # the words behind the rest of a long id, and an answer that says something
                behind = behind[: 2 + task_id.count("-")] if len(gold.replace(b" ", b"")) >= TELLING else []
            if gold in b" " + b" ".join(behind) + b" ":
                found.add(whose)
        return frozenset(found)


def _names(task_id: str) -> set[bytes]:
    """What an id may stand as: whole, in one piece, or by its first part."""
    whole = reduce(task_id)
    parts = whole.split()
    found = {whole, b" " + b"".join(parts) + b" ", b" " + parts[0] + b" "} if parts else set()
    return {name for name in found if len(name) - 2 >= SHORTEST_ID and any(byte in b"0123456789" for byte in name)}
