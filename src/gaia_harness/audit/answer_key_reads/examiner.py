"""AUD-8: tool calls that went for answers, and facts about the runner's own sources."""

import posixpath
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from gaia_harness.audit.answer_key_reads.tables import table_finder
from gaia_harness.audit.answer_key_reads.verdicts import Own, verdicts
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.examiner import Notes
from gaia_harness.audit.findings import Check, Findings, Severity, found
from gaia_harness.audit.reaching import asked, findings_in
from gaia_harness.audit.reaching.paths import resolve
from gaia_harness.audit.source_facts import facts_of_what_ran
from gaia_harness.figures import counted

SHORTEST_QUERY = 120
"""Characters of a query that could hold ids of two tasks with their answers."""


class AnswerKeyReads:
    """Reads tool calls by where they lead, and the file of facts about the runner's sources."""

    noted: ClassVar[type[Notes]] = Notes

    def __init__(self, run: RunEvidence, facts: Path | None = None) -> None:
        self._run = run
        self._file = facts
        paths = [resolve(path, run.around.workdir) for path in run.around.attachments]
        folders = frozenset(folder for path in paths if (folder := posixpath.dirname(path)).count("/") > 1)
        self._attached = frozenset(map(posixpath.basename, paths)), folders
        self._tables = table_finder(() if run.key is None else tuple(run.key.golds.items()))

    def look(self, task: TaskEvidence) -> Notes | None:
        """See the tool calls of one task."""
        if task.trajectory is None:
            unseen = task.facts is not None or task.fault is not None
            return Notes(task.task_id, not_seen=1) if unseen else None
        own = Own(task.around.workdir, *self._attached, task.task_id)
        findings, _ = findings_in(task, lambda action: verdicts(action, own))
        for moment, step in asked(task.timeline):
            text = moment.text
            if len(text) < SHORTEST_QUERY and moment.role in ("search", "fetch"):
                continue  # a query or an address, as most calls are
            # an agent is told no ids but its own: others, with their answers, come from a key
            if table := self._tables.find(text, task.task_id):
                others = len(table - {task.task_id})
                said = f"ids of {others} other tasks of the run, each" if others else "its own id"
                summary = f"A call of {step.name[:40]!a} has {said} with the answer behind it."
                severity: Severity = "critical" if others > 1 else "high"
                findings.add(found(severity, "answer-table", summary, task_id=task.task_id, at=step))
        return Notes(task.task_id, found_here) if (found_here := findings.sorted()) else None

    def conclude(self, notes: Sequence[Notes]) -> Check:
        """Say which calls went for answers, and whether the runner's own code can."""
        facts, gap = facts_of_what_ran(self._run, self._file)
        findings, gaps = Findings(), [] if gap is None else [gap]
        for finding in (*(each for note in notes for each in note.findings), *(facts.answer_reads if facts else ())):
            findings.keep(finding)
        unseen = sum(note.not_seen for note in notes)
        if not self._run.facts.record_evidence:
            gaps.insert(0, "no evidence was recorded")
        elif unseen:
            gaps.insert(0, f"{counted(unseen, 'task has', 'tasks have')} no trajectory that could be read")
        return findings.check("AUD-8", "answer-key-reads", harness_gap="; ".join(gaps) or None)
