"""Does the wording of the annotator's solution stand in what a task was given?

Of one step alone that is no sign: annotators quote the task's file, and a scaffold may put it into its prompt.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate

from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.findings import Severity
from gaia_harness.audit.oracle_leakage.prompts import Prompts, Told
from gaia_harness.evidence.wording import reduce
from gaia_harness.tasks.answers import Gold

MOST_LINES = 200  # of an annotator's solution
GRAM, FEW_GRAMS, MANY_GRAMS = 5, 3, 6  # words in a row as the annotator has them; rows that are medium, and critical

_NUMBERED = re.compile(r"\s*(?:step\s*)?\d+\s*[.:)]", re.IGNORECASE)


class Solutions:
    """The annotators' solutions of all tasks of a run: rows of words that many write are no one's."""

    def __init__(self, golds: Mapping[str, Gold]) -> None:
        self._golds = golds

    @cached_property
    def _whose(self) -> dict[bytes, list[str]]:
        whose: dict[bytes, list[str]] = {}
        for task_id, gold in self._golds.items():
            for row in _rows(gold.annotator_steps or ""):
                whose.setdefault(row, []).append(task_id)
        return whose

    def most_of_another(self, words: bytes, task_id: str) -> int:
        """How many rows of some other task's solution stand in a text."""
        each = words.split()
        rows = {b" " + b" ".join(each[at : at + GRAM]) + b" " for at in range(len(each) - GRAM + 1)}
        counts = Counter(other for row in rows for other in self._whose.get(row, ()) if other != task_id)
        return max(counts.values(), default=0)


def steps_in(
    texts: Sequence[Told], prompts: Prompts, task: TaskEvidence, solutions: Solutions
) -> Iterator[tuple[Told, Severity, list[bytes]]]:
    """The texts that have rows of words of a solution which were not there before, how grave that is, and which."""
    solution = "" if task.gold is None else task.gold.annotator_steps or ""
    question = reduce(task.question or "")
    rows = {row: step for row, step in _rows(solution).items() if row not in question}
    found = []
    for told in texts if rows else ():
        there = [row for row in rows if row in told.reading.words]
        if len(there) >= FEW_GRAMS and not told.opening:
            before = prompts.before(told)
            there = [] if before is None else [row for row in there if not any(row in each.words for each in before)]
        if len(there) >= FEW_GRAMS:
            found.append((told, there))
    shown = Counter(rows[row] for row in {row for _, there in found for row in there})
    several = sum(count > 1 for count in shown.values()) > 1  # one row alone may be chance
    for told, there in found:
        grave = several and len(there) >= MANY_GRAMS
        # worked examples of other tasks are in the wording of annotators, and have as much of another's
        grave = grave and 3 * len(there) > 4 * solutions.most_of_another(told.reading.words, task.task_id)
        yield told, "critical" if grave else "medium", there


def _rows(solution: str) -> dict[bytes, int]:
    """The words in a row, as they stand in reduced text, of each line of a solution, and in which of its steps.

    Lines without a number belong to the step above, where any line has one.
    """
    rows: dict[bytes, int] = {}
    lines = solution.splitlines()[:MOST_LINES]
    begins = [_NUMBERED.match(line) is not None for line in lines]
    steps = accumulate(begins if any(begins) else [True] * len(lines))
    for step, line in zip(steps, lines, strict=True):
        words = reduce(line).split()
        for at in range(len(words) - GRAM + 1):
            rows[b" " + b" ".join(words[at : at + GRAM]) + b" "] = step
    return rows
