"""AUD-9: do the harness's sources run text as code? They are searched when a version is built."""

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Findings
from gaia_harness.audit.source_facts import facts_of_what_ran


class DynamicEval:
    """Says what was found in the sources that ran. `facts` is the file of it, unless it is this version's own."""

    noted: ClassVar[type] = type(None)

    def __init__(self, run: RunEvidence, facts: Path | None = None) -> None:
        self._run = run
        self._file = facts

    def look(self, task: TaskEvidence) -> None:
        """A task says nothing about the sources."""

    def conclude(self, notes: Sequence[None]) -> Check:
        """Say what the sources that ran do with text."""
        findings = Findings()
        facts, gap = facts_of_what_ran(self._run, self._file)
        for finding in () if facts is None else facts.text_as_code:
            findings.keep(finding)
        return findings.check("AUD-9", "dynamic-eval", harness_gap=gap)
