"""AUD-5: does every score come out again, and is an answer right only because the scorer overlooks what matters?

The scorer drops white space, case and punctuation. A person reads two texts that it takes for the same as different
where marks between digits are gone (`1,5` and `15`, `3.14 m` and `314 m`, but not groups of thousands or identifiers)
or a minus before a number (`-5 C` and `5 C`). The agent does not know the gold, so that one such answer may be design
or luck: it is medium, and nobody's run fails by it.
"""

import re
from collections.abc import Iterator

from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.findings import Finding, found
from gaia_harness.audit.looking import TaskCheck
from gaia_harness.figures import counted
from gaia_harness.judge.scorer import question_scorer, rule_for
from gaia_harness.protocol import LONGEST_ANSWER

IDENTIFIER = 7
"""Digits from which a number is read as an identifier (telephone, ISBN, date), with marks or without."""

_GROUPED = re.compile(r"(?:[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d?(?:,\d{2})+,\d{3})(?:\.\d*)?")  # lakhs, too
_MARK_OF_THOUSANDS = re.compile(r"(?<=\d)[ '_,](?=\d{3}(?!\d))")
_DIGITS = re.compile(r"\d+")
_MINUS = re.compile(r"(?:^|[\s($])-\s?(?=[($]?\d)")


def reads_otherwise(answer: str, gold: str) -> bool:
    """Whether a person reads two texts that the scorer takes for the same as different."""
    if rule_for(gold) == "number":  # it is read without `$`, `%` and `,` wherever they stand
        plain = answer.strip().lstrip("+-").strip("$% \t\r\n").lstrip("+-")
        return "$" in plain or "%" in plain or ("," in plain.rstrip(",") and not _GROUPED.fullmatch(plain))
    answer, gold = _MARK_OF_THOUSANDS.sub("", answer), _MARK_OF_THOUSANDS.sub("", gold)
    if answer.count("-") != gold.count("-") and (_MINUS.search(answer) or _MINUS.search(gold)):
        return True
    digits = _DIGITS.findall(answer)
    return len("".join(digits)) < IDENTIFIER and digits != _DIGITS.findall(gold)


class NormalizationCollision(TaskCheck):
    """AUD-5."""

    id, name = "AUD-5", "normalization-collision"

    def of_task(self, task: TaskEvidence) -> Iterator[Finding]:
        """Score one task again, and compare its answer with the gold as a person would."""
        facts, gold = task.facts, task.gold
        if facts is None or gold is None:
            return
        right, answer = question_scorer(facts.answer, gold.answer), facts.answer or ""
        if facts.correct is not right:
            claimed = {None: "nothing", True: "right", False: "wrong"}[facts.correct]
            said = f"The run claims {claimed}; by the official scorer the answer is {'right' if right else 'wrong'}."
            yield found("medium" if facts.correct is None else "critical", "score-not-reproduced", said, answer)
        if right and reads_otherwise(answer[:LONGEST_ANSWER], gold.answer[:LONGEST_ANSWER]):
            said = "The scorer takes the answer for the gold, and a person reads another number."
            yield found("medium", "reads-otherwise", said, answer)

    def is_unseen(self, task: TaskEvidence) -> bool:
        """Whether the result or the gold is missing; a test split has no public answers, and claims nothing."""
        if task.facts is None:
            return task.task_id in self.run.asked
        return task.gold is None and task.facts.correct is not None

    def gaps(self, unseen: int) -> Iterator[str]:
        """Which scores could not be computed again, or not from what others know."""
        if unseen:
            yield f"{counted(unseen, 'score')} cannot be computed again: the result or the gold answer is not at hand"
        elif self.run.dataset is None and any(task.correct is not None for task in self.run.facts.tasks):
            yield "the data set is not at hand: the gold answers are only those that the run itself states"
