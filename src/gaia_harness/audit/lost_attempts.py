"""Attempts without a result, by process: more of them than crashes and outages explain are suspicious.

Whoever puts a server of their own before the model can let a reply fail that looks wrong, or hold it back and kill the
run, and has only those tasks tried again. When a service is down it answers nobody, and the run pauses soon.
"""

from bisect import bisect
from collections import Counter

import msgspec

from gaia_harness.audit.attempts import AT_ONCE, FEW_CRASHES, FEW_TASKS, HIGH_SHARE, LOW_SHARE
from gaia_harness.audit.findings import Severity
from gaia_harness.figures import counted
from gaia_harness.records.replay import LogFacts

IN_A_ROW = 3
"""Tasks that fail in a row before a run pauses: when it does, the others at work fail as well."""

FEW_OUTAGES = 1
"""Outages in the middle of many tasks that a run may have by chance. A server of one's own can stage any number."""

SMALL_RUN = 10
"""A run of so few tasks is a trial; nobody is ranked by it."""


class Lost(msgspec.Struct, frozen=True):
    """`silent` are the processes, from 0, in which the service answered nobody.

    `beyond` counts, over all processes, the lost attempts that are more than an accident explains.
    """

    silent: frozenset[int]
    beyond: int


def count_lost(log: LogFacts, tasks: int) -> Lost:
    """What each process lost, held against what one crash or outage ends at once."""
    answered = {bisect(log.resumed_at, task.finished_at) for task in log.tasks.values() if task.finished_at is not None}
    lost: Counter[int] = Counter()
    with_outage = set()
    for task in log.tasks.values():
        for attempt in task.attempts:
            if attempt.finished_at is None:
                process = bisect(log.resumed_at, attempt.started_at)
                lost[process] += 1
                if attempt.interrupted:
                    with_outage.add(process)
    worst = sorted(lost, key=lambda process: -lost[process])
    # an accident ends all that is at work, however much that is; to choose among tasks takes more than a few
    accidents = [process for process in worst if process in with_outage][:FEW_OUTAGES]
    accidents += [process for process in worst if process not in with_outage][:FEW_CRASHES]
    silent, beyond = set(), 0
    for process in lost:
        most = AT_ONCE + IN_A_ROW - 1
        if process in with_outage and process not in answered:
            # nothing was finished, so nothing was chosen, as long as it was not the whole run
            most = max(most, int(LOW_SHARE * tasks) + IN_A_ROW - 1)
            if lost[process] <= most:
                silent.add(process)
        if process not in accidents:
            beyond += max(0, lost[process] - most)
    return Lost(frozenset(silent), beyond)


def weigh(lost: Lost, tasks: int) -> list[tuple[Severity, str, str]]:
    """Severity, rule and what is said of attempts that accidents do not explain."""
    if lost.beyond <= max(FEW_TASKS, LOW_SHARE * tasks):
        return []
    gates = tasks > SMALL_RUN and lost.beyond > HIGH_SHARE * tasks
    attempts = counted(lost.beyond, "attempt")
    said = f"{attempts} came to nothing beyond what crashes and outages end at once; {counted(tasks, 'task')}."
    return [("high" if gates else "medium", "more-lost-than-by-accident", said)]
