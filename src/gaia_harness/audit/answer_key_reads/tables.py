"""Does a call hold a table of answers: ids or questions of the run's tasks, each with its answer behind it?"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

import msgspec

from gaia_harness.evidence.matcher import best_matcher
from gaia_harness.evidence.views import views
from gaia_harness.evidence.wording import reduce
from gaia_harness.tasks.answers import Gold

SHORTEST = 20
"""Characters: less holds no id, or no five words of a question, with an answer."""

SHORTEST_ID = 6
"""Characters of an id's first part, so that it stands for the whole: `90f59395` does, `task` does not."""

BEHIND = 16
"""Words behind an id, or behind words of a question, among which its answer is: a level and a label fit between."""

GRAM, STRIDE, LONGEST_QUESTION = 5, 3, 20_000
"""Words of a question in a row that stand for it, from one such row to the next, and characters that are taken."""

MOST_PLACES = 2_000
LONGEST_ANSWER = 20_000
TELLING = 4
"""Letters or digits of an answer that is no mere "3" or "yes"."""

_PATH = re.compile(r"(?<![\w.~-])[\w.~-]*+(?:[/\\]++[\w.~-]++)++[/\\]?+|(?<![\w.-])[\w-]++\.[a-zA-Z]\w{1,4}+(?![\w.])")


class Table(msgspec.Struct, frozen=True):
    """What stands in a call: tasks whose id or whose question has its answer behind it."""

    view: str
    by_id: frozenset[str]
    by_question: frozenset[str]
    own: bool  # the task's own id, with its answer right behind it
    telling: bool


class TableFinder:
    """Finds ids and questions of a run's tasks in what tool calls are given."""

    def __init__(self, golds: Mapping[str, Gold], questions: Mapping[str, str]) -> None:
        self._golds = {task_id: words for task_id, gold in sorted(golds.items()) if (words := reduce(gold.answer))}
        phrases: dict[bytes, tuple[str, bool]] = {}
        spread: Counter[bytes] = Counter()
        for task_id in self._golds:
            ids, grams = _ids(task_id), set(_grams(questions.get(task_id, "")))
            spread.update(ids | grams)
            phrases |= dict.fromkeys(grams, (task_id, False)) | dict.fromkeys(ids, (task_id, True))
        # what two tasks have in common tells nothing of either
        own = {phrase: meaning for phrase, meaning in phrases.items() if spread[phrase] == 1}
        self._meaning = list(own.values())
        self._matcher = best_matcher(list(own))

    def find(self, text: str, task_id: str) -> Table | None:
        """The table in the texts of a call, plain or encoded; None where they have none."""
        if len(text) < SHORTEST or not self._meaning:
            return None
        found = self._in(text, task_id, "")
        for view in views(text) if found is None else ():
            if len(view.text) >= SHORTEST and (found := self._in(view.text, task_id, view.name)) is not None:
                break
        return found

    def _in(self, text: str, task_id: str, view: str) -> Table | None:
        # an id in a path is no id: work folders and files are named after tasks
        words = reduce(_PATH.sub(" ", text))
        by_id: set[str] = set()
        by_question: set[str] = set()
        own = False
        for phrase, start in self._matcher.find(words)[:MOST_PLACES]:
            whose, is_id = self._meaning[phrase]
            behind = words[start + 1 :][:LONGEST_ANSWER].split(maxsplit=BEHIND + GRAM)[1 if is_id else GRAM :]
            if whose == task_id:
                rest = behind[: 2 + task_id.count("-")]  # the words behind the rest of a long id
                own = own or (is_id and self._tells(whose) and self._stands(whose, rest))
            elif self._stands(whose, behind[:BEHIND]):
                (by_id if is_id else by_question).add(whose)
        if not (by_id or by_question or own):
            return None
        telling = any(self._tells(whose) for whose in by_id | by_question)
        return Table(view, frozenset(by_id), frozenset(by_question), own, telling)

    def _stands(self, task_id: str, behind: list[bytes]) -> bool:
        return self._golds[task_id] in b" " + b" ".join(behind) + b" "

    def _tells(self, task_id: str) -> bool:
        return len(self._golds[task_id].replace(b" ", b"")) >= TELLING


def _ids(task_id: str) -> set[bytes]:
    """What an id may stand as: whole, in one piece, or by its first part."""
    whole = reduce(task_id)
    parts = whole.split()
    found = {whole, b" " + b"".join(parts) + b" ", b" " + parts[0] + b" "} if parts else set()
    return {name for name in found if len(name) - 2 >= SHORTEST_ID and any(byte in b"0123456789" for byte in name)}


def _grams(question: str) -> Iterator[bytes]:
    asked = reduce(question[:LONGEST_QUESTION]).split()
    last = len(asked) - GRAM
    places = (*range(0, last, STRIDE), last) if last >= 0 else ()
    return (b" " + b" ".join(asked[at : at + GRAM]) + b" " for at in places)
