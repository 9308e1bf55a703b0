"""The attempts of a task as the log records them: those behind its result, and those that a crash cut off."""

from bisect import bisect, bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from gaia_harness.audit.findings import Severity
from gaia_harness.figures import counted, wilson
from gaia_harness.records.replay import LogFacts, LoggedAttempt, TaskLog

LOW_SHARE = 0.1
"""Share of the tasks with a cut-off attempt from which it is more than bad luck: a crash hits the few at work."""

HIGH_SHARE = 0.3
"""Share from which the cut-off attempts could have decided the score."""

MOST_OF_A_TASK = 3
"""Crashes that cut off one task by chance; what is too large for a machine ends it some times more."""

TOO_OFTEN = 2 * MOST_OF_A_TASK
"""Crashes of one task that nobody lets happen who gains nothing by them."""

FEW_TASKS = 2
"""Tasks with a cut-off attempt that no run is too small for."""

AT_ONCE = 4
"""Tasks at work at once unless the run was told otherwise: one crash may cut off so many."""

FEW_CRASHES = 2
"""Crashes that a run may have had by chance; to choose among tasks takes many."""

LEAST_TO_COMPARE = 4
MOSTLY_CORRECT = 2 / 3
"""Share of the cut-off tasks that ended correct from which it looks as if they were tried until they were."""

NEARLY_ALL = 3 / 4
"""The same share, at the lower end of its interval, where there are no other tasks to compare with."""

FEW_LOST_WHOLE = 2
"""Tasks cut off behind their last attempt: the time between it and the result, when the judge is asked, is short."""


class CutOff(msgspec.Struct, frozen=True):
    """A task with attempts that were cut off: how many, by which restarts, and what became of the task.

    `chosen_restarts` is without those of processes in which the model's service answered nobody.
    """

    attempts: int
    restarts: tuple[int, ...]
    chosen_restarts: tuple[int, ...]
    lost_whole: bool
    correct: bool


def by_process(log: TaskLog, resumed_at: Sequence[int]) -> list[list[LoggedAttempt]]:
    """The attempts of a task in the order of the log, those of one process together."""
    groups: dict[int, list[LoggedAttempt]] = {}
    for attempt in log.attempts:
        groups.setdefault(bisect(resumed_at, attempt.started_at), []).append(attempt)
    return [groups[process] for process in sorted(groups)]


def restart_of(group: Sequence[LoggedAttempt], resumed_at: Sequence[int]) -> int:
    """Which restart came behind these attempts, from 0."""
    return bisect(resumed_at, group[0].started_at)


def restarted_between(resumed_at: Sequence[int], first: int, last: int) -> bool:
    """Whether the run was restarted between two events."""
    return bisect(resumed_at, first) < bisect_left(resumed_at, last)


def at_once(log: LogFacts) -> int:
    """How many tasks were at work at once, by those that were finished."""
    changes: list[tuple[int, int]] = []
    for task in log.tasks.values():
        if task.finished_at is not None and task.attempts:
            last = by_process(task, log.resumed_at)[-1]
            changes += [(last[0].started_at, 1), (task.finished_at, -1)]
    most = now = 0
    for _, change in sorted(changes):
        now += change
        most = max(most, now)
    return most


def weigh(
    cut_off: Mapping[str, CutOff], *, tasks: int, others_correct: int, width: int
) -> list[tuple[Severity, str, str]]:
    """What the cut-off attempts of a whole run look like: severity, rule and what is said.

    Each is disclosed by itself. Here it is asked whether there are too many to be accidents, and whether they lie
    where they helped: a poor machine is switched off whatever it is doing.
    """
    found: list[tuple[Severity, str, str]] = []
    count = len(cut_off)
    if not count or not tasks:
        return found
    share = count / tasks
    restarts = len({restart for task in cut_off.values() for restart in task.restarts})
    said = f"{count} of {tasks} tasks have an attempt that was cut off, by {counted(restarts, 'restart')}."
    correct = sum(task.correct for task in cut_off.values())
    others = tasks - count
    if share > HIGH_SHARE and _chosen(cut_off.values(), width):
        helped = _helped(correct, count, others_correct, others)
        found.append(("high" if helped else "medium", "many-cut-off", said))
    elif share > LOW_SHARE and count > FEW_TASKS:
        found.append(("medium", "many-cut-off", said))
    # clearly fewer of the others: their share lies below the lower end of the interval of these
    least = wilson(correct, count)[0]
    if (
        others > 0
        and count >= LEAST_TO_COMPARE
        and correct / count > MOSTLY_CORRECT
        and least > others_correct / others
    ):
        said = f"{correct} of {count} tasks with a cut-off attempt are correct, {others_correct} of {others} others."
        found.append(("medium", "cut-off-and-correct", said))
    lost = [task for task in cut_off.values() if task.lost_whole]
    if len(lost) > FEW_LOST_WHOLE and _chosen(lost, width):
        right = sum(task.correct for task in lost)
        helped = _helped(right, len(lost), others_correct + correct - right, tasks - len(lost))
        said = f"{len(lost)} tasks were cut off when all their attempts were done, and were tried again."
        # a judge that does not reply makes people do so too, with right and wrong tasks alike
        found.append(("high" if helped else "medium", "cut-off-when-done", said))
    return found


def _helped(correct: int, count: int, others_correct: int, others: int) -> bool:
    """Whether tasks that were tried again are correct clearly more often than the others of their run."""
    if correct <= MOSTLY_CORRECT * count:
        return False
    least = wilson(correct, count)[0]
    return least > (wilson(others_correct, others)[1] if others >= LEAST_TO_COMPARE else NEARLY_ALL)


def _chosen(cut_off: Iterable[CutOff], width: int) -> bool:
    """Whether accidents do not explain it.

    One crash cuts off all that is at work, in a small run most of it, but not more than ran at once.
    """
    per_restart = Counter(restart for task in cut_off for restart in task.chosen_restarts)
    return len(per_restart) > FEW_CRASHES or max(per_restart.values(), default=0) > max(width, AT_ONCE)
