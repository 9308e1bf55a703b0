"""Finds gold answers that somebody could derive from a package, although it contains none."""

from gaia_harness.records.facts import RunFacts
from gaia_harness.submission.log_reading import LogReading


def guessable_golds(facts: RunFacts, log: LogReading) -> int:
    """How many: those of wrong answers whose result line was hashed without a salt, as version 0.1 did.

    Everything else in such a line stands in the package or in the data set, so every guess at the gold can be checked.
    """
    wrong = {task.task_id for task in facts.tasks if task.correct is False}
    return sum(not task.salted and task.task_id in wrong for task in log.finished)


def describe_guessable(golds: int) -> str:
    """What to say of them."""
    tasks = f"{golds} task{'s' * (golds != 1)} that it did not get right"
    return f"the gold answers of {tasks} can be worked out from hashes in log.jsonl, which have no salt"
