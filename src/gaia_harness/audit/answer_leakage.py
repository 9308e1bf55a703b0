"""AUD-1: answers taken from a copy of the benchmark. The question is the fingerprint, not the gold answer."""

from gaia_harness.audit.copies import Reader
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings
from gaia_harness.audit.gold_forms import gold_forms
from gaia_harness.audit.result_origins import attachment_of
from gaia_harness.audit.task_leaks import Pending, TaskLeaks
from gaia_harness.evidence.wording import reduce
from gaia_harness.figures import counted
from gaia_harness.records.steps import ToolResultStep

FREQUENT = 0.05
"""An answer that stands in the outputs of more than this share of the other tasks proves nothing by being near."""

FEWEST_OTHERS = 10
"""Other tasks that are needed before such a share means anything."""


class AnswerLeakage:
    """One finding for each source of each result that holds something of the benchmark."""

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._found = Findings()
        self._pending: list[Pending] = []
        self._reader: Reader | None = None
        self._unknown = self._unscanned = 0
        self._seen: set[str] = set()
        self._missing: set[str] = set()

    def look(self, task: TaskEvidence) -> None:
        """See `Examiner`."""
        if task.trajectory is None:
            if task.facts is not None:
                self._missing.add(task.task_id)
            return
        self._seen.add(task.task_id)
        if task.question is None:
            self._unknown += 1
            return
        TaskLeaks(self, task).look()

    def conclude(self) -> Check:
        """See `Examiner`."""
        frequent = self._frequent()
        for number, pending in enumerate(self._pending):
            self._found.add(pending.if_frequent if number in frequent else pending.if_rare)
        return self._found.check("AUD-1", "answer-leakage", harness_gap=self._gap())

    def _gap(self) -> str | None:
        if not self._run.questions:
            return "the questions are not at hand: give the data set"
        if self._run.key is None:
            return "the answers are not at hand: give the data set"
        if not self._run.facts.record_evidence or not self._seen:
            return "no trajectories were recorded"
        if missing := self._missing - self._seen:
            return f"{len(missing)} of {len(missing | self._seen)} tasks have a result and no sound trajectory"
        if self._unknown:
            return f"the questions of {counted(self._unknown, 'task')} are not at hand"
        if self._unscanned:
            return f"{self._unscanned} tool results were cut without having been scanned"
        return None

    def _frequent(self) -> set[int]:
        """Which of the pending answers stand all over the run: the trajectories are read again for it."""
        counts = [0] * len(self._pending)
        others = 0
        for task in self._run.tasks() if self._pending else ():
            if task.trajectory is None:
                continue
            others += 1
            wanted = {number for number, pending in enumerate(self._pending) if pending.task_id != task.task_id}
            for step in task.trajectory.steps:
                if isinstance(step, ToolResultStep) and wanted:
                    words = reduce(step.head)
                    there = {number for number in wanted if self._pending[number].gold.stands_in(words)}
                    wanted -= there
                    for number in there:
                        counts[number] += 1
        return {
            number
            for number, count in enumerate(counts)
            if others - 1 >= FEWEST_OTHERS and count > FREQUENT * (others - 1)
        }

    def reader(self) -> Reader:
        """Made when it is first needed: most runs of most tasks never meet a copy."""
        if self._reader is None:
            golds = {} if self._run.key is None else self._run.key.golds
            self._reader = Reader(
                self._run.questions, {task_id: gold_forms(gold.answer) for task_id, gold in golds.items()}
            )
        return self._reader

    def add(self, finding: Finding) -> None:
        """Keep a finding that is certain."""
        self._found.add(finding)

    def wait(self, pending: Pending) -> None:
        """Keep a finding until the whole run is known."""
        self._pending.append(pending)

    def attachment(self, task: TaskEvidence) -> str:
        """The name of the file that came with a task; empty where none did."""
        return "" if task.trajectory is None else attachment_of(task.trajectory.steps, self._run.prompts)

    def unscanned(self) -> None:
        """Count a result of which only the beginning could be looked at."""
        self._unscanned += 1
