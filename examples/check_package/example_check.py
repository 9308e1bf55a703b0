"""A check of your own: it notices answers of more than twenty words.

`gaia audit RUN --check long-answers` makes one for the run: `LongAnswers(run)`.
"""

from gaia_harness import Check, Finding, RunEvidence, TaskEvidence


class LongAnswers:
    """What gaia-harness asks of a check: `look` at each task once, then `conclude`."""

    def __init__(self, run: RunEvidence) -> None:
        self._findings: list[Finding] = []

    def look(self, task: TaskEvidence) -> None:
        """See one task."""
        answer = "" if task.trajectory is None else task.trajectory.final_answer or ""
        if len(answer.split()) > 20:
            self._findings.append(
                Finding(severity="medium", rule="long-answer", summary="An answer like an essay.", task_id=task.task_id)
            )

    def conclude(self) -> Check:
        """Say what was found; the status that counts is worked out from the findings."""
        return Check(id="long-answers", name="long-answers", status="pass", findings=tuple(self._findings))
