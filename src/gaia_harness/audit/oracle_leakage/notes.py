"""What is noted of one task, and what it is worth among the notes of all: chance is measured over the run.

An answer in what a task was given says something if it was given to this task and to hardly another, and if it stands
in what other tasks were given no more often than chance has it.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from gaia_harness.audit.findings import Finding, Severity
from gaia_harness.audit.oracle_leakage.verdicts import Given, Remark

MOSTLY = 0.8
"""Share of the tasks with a piece whose own answer stands in it: then it was written for them."""

CHANCE = 0.03
"""Share of the other tasks whose own pieces have an answer, too, at most: then it is hardly chance."""

FEWEST_TASKS = 3
"""Tasks from which on it can be said what only one of them was given."""

BRIEF, IN_FILE = 40, 25
"""Words that a task was given for itself, at most, among which even "17" says something; with a file a name does."""

HALF = 0.5
"""Share of the tasks with longer texts of their own in which their answer stands: then it is hardly chance."""

How = Literal["solved", "announced", "example", "hidden", "plain", "steps", "told"]


class Suspicion(msgspec.Struct, frozen=True, gc=False):
    """A task's own answer in what it was given, and in which pieces; what that means is known at the end."""

    finding: Finding
    how: How
    forms: tuple[int, ...]
    number: int = -1
    common: bool = False
    file: bool = False  # the task has a file, which may stand in the prompt
    text: bytes = b""  # the pieces of the text in which it stands


class Note(msgspec.Struct, frozen=True, gc=False):
    """What is noted of one task. `forms` are the pieces that it was given; `stands` telling answers in them."""

    task_id: str
    number: int = -1
    forms: bytes = b""
    stands: tuple[tuple[int, int], ...] = ()
    suspicions: tuple[Suspicion, ...] = ()
    remarks: tuple[Remark, ...] = ()
    answers: tuple[Given, ...] = ()
    findings: tuple[Finding, ...] = ()
    unseen: int = 0
    not_kept: int = 0


class Chance:
    """How many tasks were given each piece, and how many have each answer in pieces of their own."""

    def __init__(self, notes: Sequence[Note]) -> None:
        self._forms = {note.task_id: _unpacked(note.forms) for note in notes if note.forms}
        self.tasks = len(self._forms)
        self._given = Counter(form for forms in self._forms.values() for form in forms)
        self._hits: Counter[int] = Counter()
        stands: dict[int, set[str]] = {}
        for note in notes:
            self._hits.update({form for each in note.suspicions for form in each.forms})
            for number, form in note.stands:
                if number != note.number and self._given[form] <= max(1, self.tasks / 2):
                    stands.setdefault(number, set()).add(note.task_id)
        self._stands = {number: len(tasks) for number, tasks in stands.items()}
        plain = {s.finding.task_id for note in notes for s in note.suspicions if s.how == "plain" and self._own(s)}
        long = {note.task_id for note in notes if note.forms and self.own_words(note.forms) > BRIEF}
        self._often = len(plain & long) >= HALF * len(long)

    def is_own(self, form: int) -> bool:
        """Whether a piece was written for the tasks whose answer stands in it."""
        return self._hits[form] >= MOSTLY * self._given[form]

    def _own(self, suspicion: Suspicion) -> bool:
        return any(map(self.is_own, suspicion.forms)) or not suspicion.forms

    def is_rare(self, number: int) -> bool:
        """Whether an answer stands in what hardly another task was given."""
        return self._stands.get(number, 0) <= CHANCE * self.tasks

    def own_words(self, text: bytes) -> int:
        """How many words of a text hardly another task was given."""
        forms = _unpacked(text)
        return sum(form & 0xFFFF for form in forms if self._given[form] <= max(1, self._hits[form] / MOSTLY))

    def severity(self, suspicion: Suspicion) -> Severity | None:
        """The decision table.

        | how it stands there          | only this task has it | severity                                           |
        |------------------------------|-----------------------|----------------------------------------------------|
        | behind this very question    | yes                   | critical                                           |
        | announced, or in disguise    | yes                   | critical                                           |
        | in an example to another one | yes                   | medium for a common answer or a single word        |
        | by itself, telling           | yes, and rare         | critical among few words, high among some, else    |
        |                              |                       | medium, as with a file that may stand there        |
        | by itself, common            | yes                   | critical among few words                           |
        | steps of the annotator       | yes                   | critical, medium if shared                         |
        """
        own = self._own(suspicion)
        if suspicion.how == "steps":
            few = any(self._given[form] < FEWEST_TASKS for form in suspicion.forms) or not suspicion.forms
            return suspicion.finding.severity if few else "medium"
        if suspicion.how == "told":
            return "critical" if own and self.tasks >= FEWEST_TASKS else "medium"
        if not own:
            return None
        if suspicion.how == "example" or suspicion.finding.severity == "medium":
            return "medium"
        if suspicion.how in ("solved", "hidden"):
            return "critical"
        alone = self.tasks < FEWEST_TASKS
        if suspicion.how == "announced":
            return "medium" if alone and suspicion.common else "critical"
        words = self.own_words(suspicion.text)
        if suspicion.common:
            return "critical" if words <= (IN_FILE if suspicion.file else BRIEF) and not alone else None
        if not self.is_rare(suspicion.number):
            return None
        if alone or (suspicion.file and words > IN_FILE):
            return "medium"
        return "critical" if words <= BRIEF else "high" if self._often else "medium"

    def findings(self, notes: Sequence[Note]) -> Iterator[Finding]:
        """What stands in prompts, as bad as it is."""
        for note in notes:
            for suspicion in note.suspicions:
                severity = self.severity(suspicion)
                if severity is not None:
                    yield msgspec.structs.replace(suspicion.finding, severity=severity)


def packed(forms: Iterable[int]) -> bytes:
    """Numbers of pieces as bytes: runs have many."""
    return array("Q", forms).tobytes()


def _unpacked(data: bytes) -> "array[int]":
    forms: array[int] = array("Q")
    forms.frombytes(data)
    return forms
