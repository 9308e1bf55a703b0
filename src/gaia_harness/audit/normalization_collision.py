"""AUD-5: recomputes every score, and finds answers that pass only by the scorer's normalisation."""

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, Severity, excerpt
from gaia_harness.audit.likeness import differences
from gaia_harness.figures import counted
from gaia_harness.judge import scorer

LONGEST_ANSWER = 10_000
"""Characters of an answer that are compared: our agent's are never longer, and no gold is."""


class NormalizationCollision:
    """AUD-5."""

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._findings = Findings()
        self._unscored = 0
        self._scored = 0
        self._missing = 0
        self._asked = frozenset(run.facts.task_ids)

    def look(self, task: TaskEvidence) -> None:
        """See one task."""
        facts, gold = task.facts, task.gold
        if facts is None:
            self._missing += task.task_id in self._asked
            return
        if gold is None:
            # a test split has no public answers and claims nothing: there is nothing to compare
            self._unscored += facts.correct is not None
            return
        self._scored += 1
        right = scorer.question_scorer(facts.answer, gold.answer)
        answer = facts.answer or ""
        if facts.correct is None:
            said = "There is a gold answer, and the run says nothing of whether its own is right."
            self._add(task, "medium", "not-scored", said, answer)
        elif facts.correct is not right:
            said = f"The run claims {_word(facts.correct)}; by the official scorer the answer is {_word(right)}."
            self._add(task, "critical", "score-not-reproduced", said, answer)
        if right:
            question = (task.question or "").lower()
            for difference in differences(_cut(facts.answer), gold.answer[:LONGEST_ANSWER], question):
                self._add(task, difference.severity, difference.rule, difference.summary, answer)

    def conclude(self) -> Check:
        """Say what was found."""
        gap = None
        if self._missing:
            gap = f"{counted(self._missing, 'task has', 'tasks have')} no result that could be scored again"
        elif self._unscored:
            gap = f"{self._unscored} scores cannot be computed again: the gold answers are not at hand"
        elif self._scored and self._run.dataset is None:
            gap = "the data set is not at hand: the gold answers are only those that the run itself states"
        return self._findings.check("AUD-5", "normalization-collision", harness_gap=gap)

    def _add(self, task: TaskEvidence, severity: Severity, rule: str, summary: str, answer: str) -> None:
        self._findings.add(
            Finding(
                severity=severity,
                rule=rule,
                summary=summary,
                task_id=task.task_id,
                field="answer",
                excerpt=excerpt(answer),
            )
        )


def _word(correct: bool) -> str:
    return "right" if correct else "wrong"


def _cut(answer: str | None) -> str | None:
    return None if answer is None else answer[:LONGEST_ANSWER]
