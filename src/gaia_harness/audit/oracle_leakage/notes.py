"""What is noted of one task, and what it is worth among the notes of all: chance is measured over the run.

An answer in what a task was given says something if it was given to this task and to hardly another.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import msgspec

from gaia_harness.audit.findings import Finding, Severity
from gaia_harness.audit.oracle_leakage.verdicts import Remark

MOSTLY = 0.8
"""Share of the tasks with a piece whose own answer stands in it: then it was written for them."""

FEWEST_TASKS = 3
"""Tasks from which on it can be said what only one of them was given."""

BRIEF = 40
"""Words that a task was given for itself, at most, among which even "17" says something."""

How = Literal["solved", "announced", "example", "hidden", "plain", "steps", "told"]


class Suspicion(msgspec.Struct, frozen=True, gc=False):
    """A task's own answer in what it was given, and in which pieces; what that means is known at the end."""

    finding: Finding
    how: How
    forms: tuple[int, ...]
    common: bool = False
    text: bytes = b""  # the pieces of the text in which it stands


class Note(msgspec.Struct, frozen=True, gc=False):
    """What is noted of one task. `forms` are the pieces that it was given."""

    task_id: str
    forms: bytes = b""
    suspicions: tuple[Suspicion, ...] = ()
    remarks: tuple[Remark, ...] = ()
    findings: tuple[Finding, ...] = ()
    unseen: int = 0
    not_kept: int = 0


class Chance:
    """How many tasks were given each piece, and how many of them have their answer in it."""

    def __init__(self, notes: Sequence[Note]) -> None:
        self._notes = notes
        self._alone = sum(bool(note.forms) for note in notes) < FEWEST_TASKS
        self._given = Counter(form for note in notes for form in _unpacked(note.forms))
        self._hits: Counter[int] = Counter()
        for note in notes:
            self._hits.update({form for each in note.suspicions for form in each.forms})

    def findings(self) -> Iterator[Finding]:
        """What stands in prompts, as bad as it is."""
        for note in self._notes:
            for suspicion in note.suspicions:
                severity = self._severity(suspicion)
                if severity is not None:
                    yield msgspec.structs.replace(suspicion.finding, severity=severity)

    def _severity(self, suspicion: Suspicion) -> Severity | None:
        """The decision table.

        | how it stands there          | only this task has it | severity                                         |
        |------------------------------|-----------------------|--------------------------------------------------|
        | behind this very question    | yes                   | critical                                         |
        | announced, or in disguise    | yes                   | critical; medium where no other task can be seen |
        | in an example to another one | yes                   | medium: any word may be the answer there         |
        | by itself                    | yes                   | critical among few words; a telling one medium   |
        |                              |                       | among more                                       |
        | steps of the annotator       | yes, medium if shared | critical                                         |
        | earlier answers judged       | yes, medium if shared | critical                                         |
        """
        how, noted = suspicion.how, suspicion.finding.severity
        own = not suspicion.forms or any(self._hits[form] >= MOSTLY * self._given[form] for form in suspicion.forms)
        if how in ("steps", "told"):
            few = not suspicion.forms or any(self._given[form] < FEWEST_TASKS for form in suspicion.forms)
            return noted if few and not (self._alone and how == "told") else "medium"
        if not own:
            return None
        if how == "example" or noted == "medium" or (how == "announced" and self._alone and suspicion.common):
            return "medium"
        if how != "plain":
            return "critical"
        few = self._own_words(suspicion.text) <= BRIEF and not self._alone
        return "critical" if few else None if suspicion.common else "medium"

    def _own_words(self, text: bytes) -> int:
        """How many words of a text hardly another task was given."""
        forms = _unpacked(text)
        return sum(form & 0xFFFF for form in forms if self._given[form] <= max(1, self._hits[form] / MOSTLY))


def packed(forms: Iterable[int]) -> bytes:
    """Numbers of pieces as bytes: runs have many."""
    return array("Q", forms).tobytes()


def _unpacked(data: bytes) -> "array[int]":
    forms: array[int] = array("Q")
    forms.frombytes(data)
    return forms
