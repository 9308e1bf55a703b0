"""The protocol of all checks: each looks at every task by itself, then concludes from what it noted."""

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import msgspec

from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.findings import Check, Finding


class Notes(msgspec.Struct, frozen=True, gc=False):
    """What most checks note of a task: what was found there, and how much could not be looked at."""

    task_id: str
    findings: tuple[Finding, ...] = ()
    not_seen: int = 0


class Examiner(Protocol):
    """One check at work on one run. Made from the `RunEvidence`.

    Tasks may be looked at in several processes, so `look` depends on the task and on what the run states, and on
    nothing that it saw before. What it returns is all that is kept: little, for runs can be large.
    """

    noted: ClassVar[Any]
    """The type of what `look` returns, which msgspec can send from one process to another."""

    def look(self, task: TaskEvidence) -> Any:
        """Note what matters of one task; None if nothing does."""
        ...

    def conclude(self, notes: Sequence[Any]) -> Check:
        """Say what was found, from the notes of all tasks in the order of the file."""
        ...
