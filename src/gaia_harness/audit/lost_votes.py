"""Attempts of a vote that ended without an answer, and whether they removed wrong answers more than right ones."""

from collections.abc import Sequence

import msgspec

from gaia_harness.audit.attempts import FEW_TASKS, HIGH_SHARE, LEAST_TO_COMPARE, LOW_SHARE, MOSTLY_CORRECT
from gaia_harness.audit.findings import Severity
from gaia_harness.figures import wilson

LEAST_FOR_HIGH = 8
"""Tasks decided by lost votes: of fewer, all may be right by chance."""

EXPECTED_EMPTY = 3.0
"""Tasks that ought to have lost all their votes, at the rate at which votes were lost, so that none of them tells."""


class Vote(msgspec.Struct, frozen=True):
    """What became of a task's attempts: the lost have no answer, `votes` of those cast are for the one that stands."""

    lost: int
    cast: int
    votes: int
    correct: bool

    @property
    def decided_by_loss(self) -> bool:
        """Whether the lost attempts, had they agreed on something else, could have outvoted the answer."""
        return 0 < self.votes <= self.lost


def weigh(tasks: Sequence[Vote]) -> list[tuple[Severity, str, str]]:
    """What the lost votes of a whole run look like: severity, rule and what is said.

    What fails by itself hits hard tasks more than easy ones, and some tasks whole. What was taken away leaves right
    answers behind: so tasks that lost votes decided are compared with those in which they did not.
    """
    decided = [task for task in tasks if task.decided_by_loss]
    others = [task for task in tasks if task.cast and not task.decided_by_loss]
    count, correct = len(decided), sum(task.correct for task in decided)
    if count <= FEW_TASKS or count < LEAST_TO_COMPARE or correct <= MOSTLY_CORRECT * count:
        return []
    right = sum(task.correct for task in others)
    least, share = wilson(correct, count)[0], count / len(tasks)
    if len(others) >= LEAST_TO_COMPARE:
        unlike, clearly = least > right / len(others), least > wilson(right, len(others))[1]
    else:
        unlike, clearly = share > HIGH_SHARE, least > MOSTLY_CORRECT and _none_is_empty(tasks)
    if not unlike or share <= LOW_SHARE:
        return []
    severity: Severity = "high" if clearly and share > HIGH_SHARE and count >= LEAST_FOR_HIGH else "medium"
    said = (
        f"{correct} of {count} tasks in which attempts without an answer could have changed the vote are correct, "
        f"{right} of {len(others)} others."
    )
    return [(severity, "no-answer-and-correct", said)]


def _none_is_empty(tasks: Sequence[Vote]) -> bool:
    """Whether no task lost all its votes, although so many were lost that some should have."""
    lost, cast = sum(task.lost for task in tasks), sum(task.cast for task in tasks)
    rate = lost / (lost + cast)
    return all(task.cast for task in tasks) and sum(rate ** (t.lost + t.cast) for t in tasks) >= EXPECTED_EMPTY
