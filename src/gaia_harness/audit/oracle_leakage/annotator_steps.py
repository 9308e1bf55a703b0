"""Does the wording of the annotator's solution stand in what a task was given?

Of one step alone that is no sign: annotators quote the task's file, and a scaffold may put it into its prompt.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate

from gaia_harness.audit.findings import Severity
from gaia_harness.audit.oracle_leakage.prompts import Prompts, Told
from gaia_harness.evidence.wording import reduce

MOST_LINES = 200  # of an annotator's solution
GRAM, FEW_GRAMS, MANY_GRAMS = 5, 3, 6  # words in a row as the annotator has them; rows that are medium, and critical

_NUMBERED = re.compile(r"\s*(?:step\s*)?\d+\s*[.:)]", re.IGNORECASE)


def steps_in(
    texts: Sequence[Told], prompts: Prompts, solution: str, question: bytes
) -> Iterator[tuple[Told, Severity, list[bytes]]]:
    """The texts that have rows of words of a solution which were not there before, how grave that is, and which."""
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
        yield told, "critical" if several and len(there) >= MANY_GRAMS else "medium", there


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
