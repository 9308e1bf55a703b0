"""What is noted of one task, and what it is worth among the notes of all: chance is measured over the run.

An answer in what a task was given says something if it was given to this task and to hardly another.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from gaia_harness.audit.findings import Finding, Severity
from gaia_harness.audit.oracle_leakage.given import words_of
from gaia_harness.audit.oracle_leakage.verdicts import Remark

MOSTLY = 0.8  # share of the tasks with a piece whose own answer stands in it: then it was written for them
FEWEST_TASKS = 3  # from which on it can be said what only one of them was given
FEW_OWN_WORDS = 40  # that only this task was given, among which even "17" says something

How = Literal["solved", "announced", "example", "hidden", "plain", "inlined", "steps", "judged_before"]
"""How an answer stands there: behind this very question, called an answer, as that of another question, in disguise, by
itself, or by itself where the task's file may have been put into the prompt; or what there is instead: steps of the
annotator, earlier answers judged."""


class Suspicion(msgspec.Struct, frozen=True, gc=False):
    """Something that a task was given, and in which pieces; what that means is known at the end."""

    finding: Finding
    how: How
    keys: tuple[int, ...]  # of these pieces
    common: bool = False
    text: bytes = b""  # the keys of all pieces of the text in which it stands

    @property
    def of_gold(self) -> bool:
        """Whether it is the answer that stands there."""
        return self.how not in ("steps", "judged_before")


class Note(msgspec.Struct, frozen=True, gc=False):
    """What is noted of one task. `keys` are of the pieces that it was given, as an array in bytes: runs have many."""

    task_id: str
    keys: bytes = b""
    suspicions: tuple[Suspicion, ...] = ()
    remarks: tuple[Remark, ...] = ()
    findings: tuple[Finding, ...] = ()
    unseen: int = 0
    not_kept: int = 0


def weigh_suspicions(notes: Sequence[Note]) -> Iterator[Finding]:
    """What is suspicious in prompts, as bad as it is among what all tasks were given."""
    given = Counter(key for note in notes for key in array("Q", note.keys))  # tasks that were given a piece
    hits = Counter(
        key for note in notes for key in {key for each in note.suspicions if each.of_gold for key in each.keys}
    )
    alone = sum(bool(note.keys) for note in notes) < FEWEST_TASKS
    for each in (suspicion for note in notes for suspicion in note.suspicions):
        if not each.of_gold:
            own = not each.keys or any(given[key] < FEWEST_TASKS for key in each.keys)
        else:
            own = any(hits[key] >= MOSTLY * given[key] for key in each.keys)
        of_few = (key for key in array("Q", each.text) if given[key] <= max(1, hits[key] / MOSTLY))
        severity = _severity(each, own=own, alone=alone, brief=sum(map(words_of, of_few)) <= FEW_OWN_WORDS)
        if severity is not None:
            yield msgspec.structs.replace(each.finding, severity=severity)


def _severity(suspicion: Suspicion, *, own: bool, alone: bool, brief: bool) -> Severity | None:
    how = suspicion.how
    if how == "steps":
        return suspicion.finding.severity if own else "medium"
    if how == "judged_before":
        return "critical" if own and not alone else "medium"
    if not own:
        return None
    if how in ("plain", "inlined"):
        return "critical" if how == "plain" and brief and not alone else None if suspicion.common else "medium"
    if how == "example" or (how == "announced" and alone and suspicion.common):
        return "medium"  # any word may be the answer there
    return "critical"
