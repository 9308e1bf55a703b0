"""AUD-5: does every score come out again, and is an answer right only because the scorer overlooks what matters?"""

from collections.abc import Sequence
from typing import ClassVar, Literal

import msgspec

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, Severity, excerpt
from gaia_harness.audit.normalization_collision.dropped import differences
from gaia_harness.figures import counted
from gaia_harness.judge import scorer

__all__ = ["NormalizationCollision"]

LONGEST = 10_000
"""Characters of an answer that are compared: our agent's are never longer, and no gold is."""


class ScoreNotes(msgspec.Struct, frozen=True, gc=False):
    """Whether a task's score could be computed again, and what was found when it was."""

    state: Literal["scored", "no gold", "no result"]
    findings: tuple[Finding, ...] = ()


class NormalizationCollision:
    """AUD-5."""

    noted: ClassVar[type[ScoreNotes]] = ScoreNotes

    def __init__(self, run: RunEvidence) -> None:
        self._asked = frozenset(run.facts.task_ids)
        self._dataset_at_hand = run.dataset is not None

    def look(self, task: TaskEvidence) -> ScoreNotes | None:
        """Score one task again, and compare its answer with the gold as a person would."""
        facts, gold = task.facts, task.gold
        if facts is None:
            return ScoreNotes(state="no result") if task.task_id in self._asked else None
        if gold is None:
            # a test split has no public answers and claims nothing: there is nothing to compare
            return None if facts.correct is None else ScoreNotes(state="no gold")
        found: list[Finding] = []

        def say(severity: Severity, rule: str, summary: str) -> None:
            found.append(
                Finding(
                    severity=severity,
                    rule=rule,
                    summary=summary,
                    task_id=task.task_id,
                    field="answer",
                    excerpt=excerpt(facts.answer or ""),
                )
            )

        right = scorer.question_scorer(facts.answer, gold.answer)
        if facts.correct is None:
            say("medium", "not-scored", "There is a gold answer, and the run does not say whether its own is right.")
        elif facts.correct is not right:
            claimed, computed = ("right" if each else "wrong" for each in (facts.correct, right))
            said = f"The run claims {claimed}; by the official scorer the answer is {computed}."
            say("critical", "score-not-reproduced", said)
        if right and facts.answer is None:
            say("medium", "no-answer-scored", "No answer was given, and that was scored as right.")
        elif right and facts.answer is not None:
            for rule, summary in differences(facts.answer[:LONGEST], gold.answer[:LONGEST], task.question or ""):
                say("medium", rule, summary)
        return ScoreNotes(state="scored", findings=tuple(found))

    def conclude(self, notes: Sequence[ScoreNotes]) -> Check:
        """Say what was found, and which scores could not be computed again."""
        findings = Findings()
        states = [note.state for note in notes]
        for note in notes:
            for finding in note.findings:
                findings.add(finding)
        gap = None
        if missing := states.count("no result"):
            gap = f"{counted(missing, 'task has', 'tasks have')} no result that could be scored again"
        elif unscored := states.count("no gold"):
            gap = f"{unscored} scores cannot be computed again: the gold answers are not at hand"
        elif "scored" in states and not self._dataset_at_hand:
            gap = "the data set is not at hand: the gold answers are only those that the run itself states"
        return findings.check("AUD-5", "normalization-collision", harness_gap=gap)
