"""What most checks are: rules on one task, rules on the whole run, and what could not be seen."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

import msgspec

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, Notes


class TaskCheck:
    """A check as `looking` wants it. What is of no use to one is left as it is here: nothing to say."""

    id: ClassVar[str]
    name: ClassVar[str]
    noted: ClassVar[type] = Notes

    def __init__(self, run: RunEvidence) -> None:
        self.run = run

    def of_task(self, task: TaskEvidence) -> Iterator[Finding]:
        """What is wrong with a task; which task it is need not be said."""
        yield from ()

    def of_run(self, task_ids: Sequence[str]) -> Iterator[Finding]:
        """What is wrong with the run as a whole, which has these tasks: a task once for every line about it."""
        yield from ()

    def is_unseen(self, task: TaskEvidence) -> bool:
        """Whether the check lacks something that it needs to see this task: most need its trajectory."""
        return task.is_unseen

    def gaps(self, unseen: int) -> Iterator[str]:
        """What could not be looked at, if so many tasks are unseen."""
        yield from self.run.gaps_of_unseen(unseen)

    def look(self, task: TaskEvidence) -> Notes:
        """See one task."""
        of_task = (msgspec.structs.replace(each, task_id=task.task_id or None) for each in self.of_task(task))
        return Notes(task.task_id, Findings().add_all(of_task).sorted(), not_seen=int(self.is_unseen(task)))

    def conclude(self, notes: Sequence[Notes]) -> Check:
        """Say what was found, and what was not seen."""
        findings = Findings().keep(*(finding for note in notes for finding in note.findings))
        findings.add_all(self.of_run([note.task_id for note in notes if note.task_id]))
        gaps = self.gaps(sum(note.not_seen for note in notes))
        return findings.check(self.id, self.name, harness_gap="; ".join(gaps) or None)
