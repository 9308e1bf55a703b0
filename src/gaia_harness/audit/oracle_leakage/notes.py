"""What is noted of one task, and what it is worth among the notes of all: chance is measured over the run.

An answer in what a task was given says something if it was given to this task and to hardly another.
"""

from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from gaia_harness.audit.findings import Finding, Severity
from gaia_harness.audit.oracle_leakage.verdicts import Remark

MOSTLY = 0.8  # share of the tasks with a piece whose own answer stands in it: then it was written for them
FEWEST_TASKS = 3  # from which on it can be said what only one of them was given
BRIEF = 40  # words that a task was given for itself, at most, among which even "17" says something

How = Literal["solved", "announced", "example", "hidden", "plain", "inlined", "steps", "told"]
"""How an answer stands there: behind this very question, called an answer, as that of another question, in disguise, by
itself, or by itself where the task's file may have been put into the prompt; or what there is instead: steps of the
annotator, earlier answers judged."""


class Suspicion(msgspec.Struct, frozen=True, gc=False):
    """Something that a task was given, and in which pieces; what that means is known at the end."""

    finding: Finding
    how: How
    forms: tuple[int, ...]
    common: bool = False
    text: bytes = b""  # the pieces of the text in which it stands


class Note(msgspec.Struct, frozen=True, gc=False):
    """What is noted of one task. `forms` are the pieces that it was given, as an array in bytes: runs have many."""

    task_id: str
    forms: bytes = b""
    suspicions: tuple[Suspicion, ...] = ()
    remarks: tuple[Remark, ...] = ()
    findings: tuple[Finding, ...] = ()
    unseen: int = 0
    not_kept: int = 0


def by_chance(notes: Sequence[Note]) -> Iterator[Finding]:
    """What is suspicious in prompts, as bad as it is among what all tasks were given."""
    given = Counter(form for note in notes for form in array("Q", note.forms))
    hits = Counter(form for note in notes for form in {form for each in note.suspicions for form in each.forms})
    alone = sum(bool(note.forms) for note in notes) < FEWEST_TASKS
    for each in (suspicion for note in notes for suspicion in note.suspicions):
        if each.how in ("steps", "told"):
            own = not each.forms or any(given[form] < FEWEST_TASKS for form in each.forms)
        else:
            own = any(hits[form] >= MOSTLY * given[form] for form in each.forms)
        words = (form & 0xFFFF for form in array("Q", each.text) if given[form] <= max(1, hits[form] / MOSTLY))
        severity = _severity(each, own=own, alone=alone, brief=sum(words) <= BRIEF)
        if severity is not None:
            yield msgspec.structs.replace(each.finding, severity=severity)


def _severity(suspicion: Suspicion, *, own: bool, alone: bool, brief: bool) -> Severity | None:
    how = suspicion.how
    if how == "steps":
        return suspicion.finding.severity if own else "medium"
    if how == "told":
        return "critical" if own and not alone else "medium"
    if not own:
        return None
    if how in ("plain", "inlined"):
        return "critical" if how == "plain" and brief and not alone else None if suspicion.common else "medium"
    if how == "example" or (how == "announced" and alone and suspicion.common):
        return "medium"  # any word may be the answer there
    return "critical"
