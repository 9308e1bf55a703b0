"""Did restarts or lost attempts of a run fall where they helped? What fails by itself hits right and wrong alike."""

from bisect import bisect
from collections import Counter
from collections.abc import Collection, Iterator

import msgspec

from gaia_harness.audit.findings import Finding, Severity, found
from gaia_harness.audit.voting_disclosure import limits
from gaia_harness.figures import counted, wilson
from gaia_harness.records.replay import LogFacts


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """What became of a task: by which restarts it was cut off, and how its vote went.

    `lost` of its attempts have no answer, and `votes` of the others are for the one that stands.
    """

    right: bool
    restarts: tuple[int, ...] = ()
    lost: int = 0
    votes: int = 0


def restarted(log: LogFacts, tasks: int) -> Iterator[Finding]:
    """The restarts by themselves: facts that are disclosed, and those that our runner never makes."""
    total = log.interruptions.total("the one that began it")
    for rollback in total.rollbacks:
        seen = "more" if rollback.seen is None else str(rollback.seen)
        said = f"The run went on from line {rollback.kept} of its log, when it had {seen}: what stood there is gone."
        yield found("high", "rolled-back", said)
    crashed = Counter(
        bisect(log.resumed_at, attempt.started_at)
        for task in log.tasks.values()
        for attempt in task.attempts
        if attempt.finished_at is None and not attempt.interrupted
    )
    for process, lost in sorted(crashed.items()):
        workers = log.workers[process] if process < len(log.workers) else None
        if workers is not None and lost > workers:
            said = f"{lost} attempts were cut off at once, and the run worked on {workers} at once."
            yield found("high", "more-cut-off-than-at-work", said)
    if total.resumed:
        lost = total.unfinished_attempts + total.discarded_attempts
        many = total.resumed > limits.MANY_RESTARTS and lost > limits.LOST_SHARE * tasks
        said = f"The run was {total.said[:200]}; {counted(tasks, 'task')}."
        if many and tasks > limits.SMALL_RUN:
            yield found("high", "resumed-often", said)
        else:
            yield found("low", "resumed", said)


def cut_off(outcomes: Collection[Outcome], tasks: int) -> Iterator[Finding]:
    """Tasks that were tried again, because a restart cut them off, and are right more often than the others."""
    again = [task for task in outcomes if task.restarts]
    others = tasks - len(again)
    right, right_others = sum(t.right for t in again), sum(t.right for t in outcomes if not t.restarts)
    restarts = len({restart for task in again for restart in task.restarts})
    thrown_away = sum(len(task.restarts) for task in again) > tasks  # as much as a whole run
    much = len(again) > limits.LOST_SHARE * tasks and (restarts > limits.FEW_CRASHES or thrown_away)
    better = _better(right, len(again), right_others, others)
    said = (
        f"{len(again)} of {tasks} tasks have an attempt that was cut off, by {counted(restarts, 'restart')}; "
        f"{right} of them are correct, {right_others} of the {others} others."
    )
    if much:
        yield found("high" if better == "high" else "medium", "many-cut-off", said)
    elif better is not None and others:
        yield found("medium", "cut-off-and-correct", said)


def lost_votes(outcomes: Collection[Outcome]) -> Iterator[Finding]:
    """Attempts without an answer that could have outvoted the one that stands, in tasks that came out right."""
    voted = [task for task in outcomes if task.votes]
    decided = [task for task in voted if task.votes <= task.lost]
    others = [task for task in voted if task.votes > task.lost]
    right, right_others = sum(t.right for t in decided), sum(t.right for t in others)
    better = _better(right, len(decided), right_others, len(others))
    if better is None:
        return
    said = (
        f"{right} of {len(decided)} tasks in which attempts without an answer could have changed the vote are correct, "
        f"{right_others} of {len(others)} others."
    )
    # a service that fails most of the time leaves no others, and says nothing
    gates = better == "high" and min(len(decided) / 2, len(others)) >= limits.LEAST_TO_COMPARE
    yield found("high" if gates else "medium", "no-answer-and-correct", said)


def _better(right: int, count: int, right_others: int, others: int) -> Severity | None:
    """Whether tasks came out right more often than the others of their run: clearly (high), or likely (medium)."""
    if count < limits.LEAST_TO_COMPARE or right <= limits.MOSTLY_RIGHT * count:
        return None
    least = wilson(right, count)[0]
    if others < limits.LEAST_TO_COMPARE:
        return "high" if least > limits.NEARLY_ALL else "medium"
    if least > wilson(right_others, others)[1]:
        return "high"
    return "medium" if least > right_others / others else None
