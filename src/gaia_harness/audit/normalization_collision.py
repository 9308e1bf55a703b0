"""AUD-5: does every score come out again, and is an answer right only because the scorer overlooks what matters?

The scorer drops white space, case and punctuation. A person reads two texts that it takes for the same as different
where marks between digits are gone (`1,5` and `15`, `3.14 m` and `314 m`, but not groups of thousands or identifiers)
or a minus before a number (`-5 C` and `5 C`). The agent does not know the gold, so that one such answer may be design
or luck: it is medium, and nobody's run fails by it.
"""

import re
from collections.abc import Sequence
from typing import ClassVar

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Findings, Notes, Severity, found
from gaia_harness.figures import counted
from gaia_harness.judge.scorer import question_scorer, rule_for
from gaia_harness.protocol import LONGEST_ANSWER

IDENTIFIER = 7
"""Digits from which a number is read as an identifier (telephone, ISBN, date), with marks or without: but with as many
points, slashes or colons at other places (`2/11/1918` and `21/1/1918`) it is another one."""

_GROUPED = re.compile(r"(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3})(?:\.\d*)?")  # lakhs, too
_MARK_OF_THOUSANDS = re.compile(r"(?<=\d)[ '_,](?=\d{3}(?!\d))")
_DIGITS = re.compile(r"\d+")
_PARTS = re.compile(r"(?<=\d)[ -](?=\d)")  # of an identifier, which may be set in any way
_MINUS = re.compile(r"(?:^|[\s($])-\s?(?=[($]?\d)")


def reads_otherwise(answer: str, gold: str) -> bool:
    """Whether a person reads two texts that the scorer takes for the same as different."""
    rule = rule_for(gold)
    if rule == "number":  # it is read without `$`, `%` and `,` wherever they stand
        plain = answer.strip().lstrip("+-").strip("$% \t\r\n").lstrip("+-")
        return "$" in plain or "%" in plain or ("," in plain.rstrip(",") and not _GROUPED.fullmatch(plain))
    if rule == "text":
        answer, gold = _MARK_OF_THOUSANDS.sub("", answer), _MARK_OF_THOUSANDS.sub("", gold)
    if answer.count("-") != gold.count("-") and (_MINUS.search(answer) or _MINUS.search(gold)):
        return True
    rows, expected = _DIGITS.findall(answer), _DIGITS.findall(gold)
    if len("".join(rows)) < IDENTIFIER:
        return rows != expected
    rows, expected = (_DIGITS.findall(_PARTS.sub("", text)) for text in (answer, gold))
    return len(rows) == len(expected) and rows != expected


class NormalizationCollision:
    """AUD-5."""

    noted: ClassVar[type] = Notes

    def __init__(self, run: RunEvidence) -> None:
        self._asked = frozenset(run.facts.task_ids)
        self._dataset_at_hand = run.dataset is not None

    def look(self, task: TaskEvidence) -> Notes | None:
        """Score one task again, and compare its answer with the gold as a person would."""
        facts, gold = task.facts, task.gold
        if facts is None or gold is None:
            # a test split has no public answers and claims nothing: there is nothing to compare
            claims = task.task_id in self._asked if facts is None else facts.correct is not None
            return Notes(task.task_id, not_seen=1) if claims else None
        right, answer = question_scorer(facts.answer, gold.answer), facts.answer or ""
        findings = []
        if facts.correct is not right:
            claimed = {None: "nothing", True: "right", False: "wrong"}[facts.correct]
            said = f"The run claims {claimed}; by the official scorer the answer is {'right' if right else 'wrong'}."
            severity: Severity = "medium" if facts.correct is None else "critical"
            findings.append(found(severity, "score-not-reproduced", said, answer, task_id=task.task_id))
        if right and reads_otherwise(answer[:LONGEST_ANSWER], gold.answer[:LONGEST_ANSWER]):
            said = "The scorer takes the answer for the gold, and a person reads another number."
            findings.append(found("medium", "reads-otherwise", said, answer, task_id=task.task_id))
        return Notes(task.task_id, tuple(findings))

    def conclude(self, notes: Sequence[Notes]) -> Check:
        """Say what was found, and which scores could not be computed again."""
        findings = Findings().add_all(*(note.findings for note in notes))
        gap = None
        if missing := sum(note.not_seen for note in notes):
            gap = f"{counted(missing, 'score')} cannot be computed again: the result or the gold answer is not at hand"
        elif notes and not self._dataset_at_hand:
            gap = "the data set is not at hand: the gold answers are only those that the run itself states"
        return findings.check("AUD-5", "normalization-collision", harness_gap=gap)
