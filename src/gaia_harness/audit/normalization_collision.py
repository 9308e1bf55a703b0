"""AUD-5: does every score come out again, and is an answer right only because the scorer overlooks what matters?

The scorer drops white space, case and punctuation. A person reads two texts that it takes for the same as different
where marks between digits are gone, or a minus before a number, or a sign that is part of a name:

| read otherwise | read alike |
|---|---|
| `1,5` and `15`, `3.14 m` and `314 m`, `1/2` and `12` | groups of thousands, identifiers |
| `-5 C` and `5 C` | a hyphen that joins: `C-14` |
| `C++` and `C`, `O+` and `O-` | the same signs elsewhere: `Ca2+`, `Ca(2+)`; check and mate in chess |

The agent does not know the gold, so one such answer may be design or luck: it is medium, and nobody's run fails by it.
"""

import re
from collections.abc import Sequence
from typing import ClassVar

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.examiner import Notes
from gaia_harness.audit.findings import Check, Findings, Severity, found
from gaia_harness.figures import counted
from gaia_harness.judge import scorer
from gaia_harness.judge.scorer import rule_for
from gaia_harness.normalization import elements, is_number, number

LONGEST = 10_000
"""Characters of an answer that are compared: our agent's are never longer, and no gold is."""

IDENTIFIER = 7
"""Digits from which a number is read as an identifier (telephone, ISBN, date), with marks or without."""

_GROUPED = re.compile(r"(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3})(?:\.\d*)?")  # lakhs, too
_GROUPS_WITHIN = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?:(?:,\d{2})*,\d{3}|(?:[ '_,]\d{3})+)(?![\d,])")
_MARKS_WITHIN = re.compile(r"[ '_,]")
_DIGITS = re.compile(r"\d+")
_MINUS = re.compile(r"(?:^|[\s($])-\s?(?=[($]?\d)")
_MOVE = re.compile(r"\b(?:O-O(?:-O)?|[KQRBN][a-h]?[1-8]?x?[a-h][1-8]|[a-h]x?[a-h]?[18]=[QRBN])(?!\w)")


def reads_otherwise(answer: str, gold: str) -> bool:
    """Whether a person reads two texts that the scorer takes for the same as different."""
    rule = rule_for(gold)
    if rule == "list":
        if _GROUPED.fullmatch(gold.strip("$% ")) and number(answer.replace(";", ",")) != number(gold):
            return True
        pairs = zip(elements(answer) or [answer], elements(gold) or [gold], strict=False)
        return any(_odd_number(ours) if is_number(theirs) else _differ(ours, theirs) for ours, theirs in pairs)
    return _odd_number(answer) if rule == "number" else _differ(answer, gold)


def _odd_number(answer: str) -> bool:
    """Whether a number has marks where no number has them: it is read without `$`, `%` and `,` wherever they stand."""
    plain = answer.strip().lstrip("+-").strip("$% \t\r\n").lstrip("+-")
    return "$" in plain or "%" in plain or ("," in plain.rstrip(",") and not _GROUPED.fullmatch(plain))


def _differ(one: str, other: str) -> bool:
    """Whether two texts have other rows of digits, signs before numbers, or signs that are part of names."""
    minus = one.count("-") != other.count("-") and bool(_MINUS.search(one) or _MINUS.search(other))
    return minus or _read(one) != _read(other)


def _read(text: str) -> tuple[list[str], list[int]]:
    text = _GROUPS_WITHIN.sub(lambda match: _MARKS_WITHIN.sub("", match.group()), text)
    rows: list[str] = _DIGITS.findall(text)
    if sum(map(len, rows)) >= IDENTIFIER:
        rows = ["".join(rows)]
    named = "" if _MOVE.search(text) else text.lstrip("+")
    return rows, [named.count(sign) for sign in "+#"]


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
        right, answer = scorer.question_scorer(facts.answer, gold.answer), facts.answer or ""
        said: list[tuple[Severity, str, str]] = []
        if facts.correct is not right:
            claimed = {None: "nothing", True: "right", False: "wrong"}[facts.correct]
            summary = f"The run claims {claimed}; by the official scorer the answer is {'right' if right else 'wrong'}."
            said.append(("medium" if facts.correct is None else "critical", "score-not-reproduced", summary))
        if right and answer != gold.answer and reads_otherwise(answer[:LONGEST], gold.answer[:LONGEST]):
            summary = "The scorer takes the answer for the gold, and a person reads another number or name."
            said.append(("medium", "reads-otherwise", summary))
        findings = tuple(found(*each, answer, task_id=task.task_id) for each in said)
        return Notes(task.task_id, findings)

    def conclude(self, notes: Sequence[Notes]) -> Check:
        """Say what was found, and which scores could not be computed again."""
        findings = Findings().add_all(*(note.findings for note in notes))
        gap = None
        if missing := sum(note.not_seen for note in notes):
            gap = f"{counted(missing, 'score')} cannot be computed again: the result or the gold answer is not at hand"
        elif notes and not self._dataset_at_hand:
            gap = "the data set is not at hand: the gold answers are only those that the run itself states"
        return findings.check("AUD-5", "normalization-collision", harness_gap=gap)
