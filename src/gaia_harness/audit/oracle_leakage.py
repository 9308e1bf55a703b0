"""AUD-3: the gold answer, the annotator's steps or a verdict in what the agent was given."""

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check
from gaia_harness.audit.prompt_book import PromptBook
from gaia_harness.audit.prompt_reader import PromptReader
from gaia_harness.figures import counted


class OracleLeakage:
    """Takes out what the task itself explains, and looks for answers, solutions and verdicts in the rest."""

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._book = PromptBook(run)
        self._unseen = 0

    def look(self, task: TaskEvidence) -> None:
        """See what one task was given."""
        if task.trajectory is None:
            self._unseen += task.facts is not None or task.fault is not None
            return
        PromptReader(self._book, task).read(task.trajectory.steps)

    def conclude(self) -> Check:
        """Say what was given away, when it is known what all tasks were given."""
        gaps = []
        if self._run.key is None or not self._run.key.golds:
            gaps.append("the answers are not at hand")
        elif self._run.dataset is None:
            gaps.append("the annotators' steps are not at hand: name the data set")
        if not self._run.facts.record_evidence:
            gaps.append("no evidence was recorded")
        elif self._unseen:
            gaps.append(f"{counted(self._unseen, 'task has', 'tasks have')} no trajectory that could be read")
        if self._book.not_kept:
            gaps.append(f"{counted(self._book.not_kept, 'prompt was', 'prompts were')} not kept whole")
        return self._book.check("; ".join(gaps) or None)
