"""The restarts of a run: whether there are more of them, or costlier ones, than accidents explain.

What each task lost by them is weighed in attempts.py.
"""

from bisect import bisect
from collections import Counter

from gaia_harness.audit.attempts import HIGH_SHARE
from gaia_harness.audit.findings import Severity
from gaia_harness.figures import counted
from gaia_harness.records.replay import LogFacts

MANY_RESTARTS = 12
"""Restarts that a run does not come to by itself: it is a matter of hours, in which a rented machine is taken away a
few times. To try tasks again until they come out right, and lose no more than those, takes about one for each."""

FEW_TASKS = 10
"""A run of so few is a trial, stopped and begun again until everything is set up; nobody is ranked by it."""


def weigh(log: LogFacts, tasks: int) -> list[tuple[Severity, str, str]]:
    """Severity, rule and what is said. A run that crashed or was interrupted a few times has a low finding."""
    found: list[tuple[Severity, str, str]] = []
    total = log.interruptions.total("the one that began it")
    for rollback in total.rollbacks:
        seen = "more" if rollback.seen is None else str(rollback.seen)
        said = f"The run went on from line {rollback.kept} of its log, when it had {seen}: what stood there is gone."
        found.append(("high", "rolled-back", said))
    for process, lost in sorted(_lost_by_process(log).items()):
        workers = log.workers[process] if process < len(log.workers) else None
        if workers is not None and lost > workers:  # our runner never has more attempts under way than that
            said = f"{lost} attempts were cut off at once, and the run worked on {workers} at once."
            found.append(("high", "more-cut-off-than-at-work", said))
    if total.resumed:
        lost = total.unfinished_attempts + total.discarded_attempts
        often = tasks > FEW_TASKS and total.resumed > MANY_RESTARTS and lost > HIGH_SHARE * tasks
        said = f"The run was {total.said[:200]}; {counted(tasks, 'task')}."
        found.append(("high" if often else "low", "resumed-often" if often else "resumed", said))
    return found


def _lost_by_process(log: LogFacts) -> Counter[int]:
    """How many attempts each process left unfinished without a reason."""
    return Counter(
        bisect(log.resumed_at, attempt.started_at)
        for task in log.tasks.values()
        for attempt in task.attempts
        if attempt.finished_at is None and not attempt.interrupted
    )
