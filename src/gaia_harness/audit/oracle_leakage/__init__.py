"""AUD-3: the scaffold tells the agent the answer, or whether its answer is right."""

from collections.abc import Sequence

import msgspec

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Findings
from gaia_harness.audit.oracle_leakage.given import Golds
from gaia_harness.audit.oracle_leakage.notes import Note, by_chance
from gaia_harness.audit.oracle_leakage.reader import TaskReader
from gaia_harness.audit.oracle_leakage.verdicts import weighed
from gaia_harness.figures import counted

__all__ = ["OracleLeakage"]


class OracleLeakage:
    """Notes what each task was given and told, and weighs it by what all tasks were."""

    noted = Note

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._imported = run.facts.origin is not msgspec.UNSET and run.facts.origin.kind == "imported"
        self._key = {} if run.key is None else run.key.golds
        self._golds = Golds(self._key.values())

    def look(self, task: TaskEvidence) -> Note | None:
        """See what one task was given."""
        if task.trajectory is None:
            return Note(task.task_id, unseen=1) if task.facts is not None or task.fault is not None else None
        gold = self._key.get(task.task_id)
        answer = None if gold is None else gold.answer
        return TaskReader(task, answer, self._golds, imported=self._imported).note()

    def conclude(self, notes: Sequence[Note]) -> Check:
        """Say what was given away."""
        noted = (finding for note in notes for finding in note.findings)
        remarks = [remark for note in notes for remark in note.remarks]
        findings = Findings().add_all(noted, by_chance(notes), weighed(remarks, golds_known=bool(self._key)))
        return findings.check("AUD-3", "oracle-leakage", harness_gap="; ".join(self._gaps(notes)) or None)

    def _gaps(self, notes: Sequence[Note]) -> list[str]:
        gaps = []
        if not self._key:
            gaps.append("the answers are not at hand")
        elif self._run.dataset is None:
            gaps.append("the annotators' steps are not at hand: name the data set")
        unseen, not_kept = sum(note.unseen for note in notes), sum(note.not_kept for note in notes)
        if not self._run.facts.record_evidence:
            gaps.append("no evidence was recorded")
        elif unseen:
            gaps.append(f"{counted(unseen, 'task has', 'tasks have')} no trajectory that could be read")
        if not_kept:
            gaps.append(f"{counted(not_kept, 'prompt was', 'prompts were')} not kept whole")
        return gaps
