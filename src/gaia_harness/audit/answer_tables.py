"""Finds tables of answers in tool calls: task ids or questions of the run, each followed by its answer."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from gaia_harness.audit.gold_forms import GoldForms, gold_forms
from gaia_harness.audit.hidden_texts import blocks
from gaia_harness.audit.prompt_texts import GRAM, LONGEST_QUESTION, weight
from gaia_harness.evidence.matcher import best_matcher
from gaia_harness.evidence.wording import reduce
from gaia_harness.tasks.answers import Gold

SHORTEST = 20
"""Characters: less holds no id, or no five words of a question, with an answer."""

SHORTEST_ID = 6
"""Characters of an id's first part, so that it stands for the whole: `90f59395` does, `task` does not."""

BEHIND = 16
"""Words behind an id, or behind words of a question, among which its answer is: a level and a label fit between."""

RIGHT_BEHIND = 2
"""The same for the task's own id, which might be in the name of its own file."""

MOST_WORDS = 20_000
"""Of words behind an id, in bytes: no answer is longer."""

MOST_PLACES = 2_000
MOST_VALUES = 10_000
"""Values of one call's arguments that are looked at; the arguments that are kept have a few KB."""

LONG_WORD = 64
"""Characters without a space between them, as code that hides a table has them and programs seldom do."""

MANY_NUMBERS = 40
"""Commas, from which on a list may spell a text by numbers."""

STRIDE = 3
"""Words from one remembered run of five to the next: any seven words of a question have one in them."""


class Table(msgspec.Struct, frozen=True):
    """What stands in a call: tasks whose id or whose question has its answer behind it."""

    view: str
    by_id: frozenset[str]
    by_question: frozenset[str]
    own: bool  # the task's own id, with its answer right behind it
    telling: bool  # whether one of the answers is no mere "3" or "yes"


class TableFinder:
    """Finds ids and questions of a run's tasks in what tool calls are given."""

    def __init__(self, golds: Mapping[str, Gold], questions: Mapping[str, str]) -> None:
        self._forms: dict[str, GoldForms] = {}
        self._weights: dict[str, int] = {}
        phrases: dict[bytes, tuple[str, bool]] = {}
        spread: Counter[bytes] = Counter()
        for task_id, gold in sorted(golds.items()):
            forms = gold_forms(gold.answer)
            if not forms.words:
                continue
            self._forms[task_id] = forms
            self._weights[task_id] = weight(forms)
            names = _names(task_id)
            grams = set(_grams(questions.get(task_id, "")))
            spread.update(names | grams)
            phrases |= dict.fromkeys(grams, (task_id, False)) | dict.fromkeys(names, (task_id, True))
        # what two tasks have in common tells nothing of either
        own = {phrase: meaning for phrase, meaning in phrases.items() if spread[phrase] == 1}
        self._meaning = list(own.values())
        self._matcher = best_matcher(list(own))

    def find(self, args: Any, task_id: str) -> Table | None:
        """The table in a call's arguments, plain or encoded; None where they have none."""
        text = "\n".join(_texts(args))
        if len(text) < SHORTEST or not self._meaning:
            return None
        found = self._in(text, task_id, "")
        if found is None and (max(map(len, text.split()), default=0) >= LONG_WORD or text.count(",") >= MANY_NUMBERS):
            for view, reading in blocks(text):
                if len(reading) >= SHORTEST and (found := self._in(reading, task_id, view)) is not None:
                    break
        return found

    def _in(self, text: str, task_id: str, view: str) -> Table | None:
        words = reduce(text)
        by_id: set[str] = set()
        by_question: set[str] = set()
        own = False
        for phrase, start in self._matcher.find(words)[:MOST_PLACES]:
            whose, is_id = self._meaning[phrase]
            behind = words[start + 1 :][:MOST_WORDS].split(maxsplit=BEHIND + GRAM)[1 if is_id else GRAM :]
            forms = self._forms[whose]
            if whose == task_id:
                # the words behind the rest of a long id
                rest = b" " + b" ".join(behind[: RIGHT_BEHIND + task_id.count("-")]) + b" "
                own = own or (is_id and self._weights[whose] > 0 and forms.stands_in(rest))
            elif forms.stands_in(b" " + b" ".join(behind[:BEHIND]) + b" "):
                (by_id if is_id else by_question).add(whose)
        if not (by_id or by_question or own):
            return None
        telling = any(self._weights[whose] for whose in by_id | by_question)
        return Table(view, frozenset(by_id), frozenset(by_question), own, telling)


def _names(task_id: str) -> set[bytes]:
    """What an id may stand as: whole, in one piece, or by its first part."""
    whole = reduce(task_id)
    parts = whole.split()
    if not parts:
        return set()
    names = {whole, b" " + b"".join(parts) + b" ", b" " + parts[0] + b" "}
    return {name for name in names if len(name) - 2 >= SHORTEST_ID and any(byte in b"0123456789" for byte in name)}


def _grams(question: str) -> Iterator[bytes]:
    asked = reduce(question[:LONGEST_QUESTION]).split()
    last = len(asked) - GRAM
    places = (*range(0, last, STRIDE), last) if last >= 0 else ()
    return (b" " + b" ".join(asked[at : at + GRAM]) + b" " for at in places)


def _texts(args: Any) -> Iterator[str]:
    """The texts in a call's arguments, in their order."""
    waiting = [args]
    for _ in range(MOST_VALUES):
        if not waiting:
            return
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting.extend(part for pair in reversed(value.items()) for part in reversed(pair))
        elif isinstance(value, list | tuple):
            waiting.extend(reversed(value))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield str(value)
