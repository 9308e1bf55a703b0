"""The protocol of all checks: each sees every task once, and returns its findings at the end."""

from typing import Protocol

from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.findings import Check


class Examiner(Protocol):
    """One check at work on one run. Made from the `RunEvidence`; keeps little, for runs can be large."""

    def look(self, task: TaskEvidence) -> None:
        """See one task. Tasks come in any order; the outcome must not depend on it."""
        ...

    def conclude(self) -> Check:
        """Say what was found, when every task has been seen."""
        ...
