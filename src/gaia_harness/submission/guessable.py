"""Finds gold answers that somebody could derive from a package, although it contains none."""

from gaia_harness.figures import counted
from gaia_harness.records.facts import RunFacts
from gaia_harness.submission.log_reading import LogReading


def guessable_golds(facts: RunFacts, log: LogReading) -> int:
    """The number of gold answers that can be guessed: result lines of wrong answers hashed without a salt, as by 0.1.

    Everything else in such a line stands in the package or in the data set, so every guess at the gold can be checked.
    """
    wrong = {task.task_id for task in facts.tasks if task.correct is False}
    return sum(not task.salted and task.task_id in wrong for task in log.finished)


def describe_guessable(golds: int) -> str:
    """The warning about guessable gold answers, in words."""
    tasks = f"{counted(golds, 'task')} that it did not get right"
    return f"the gold answers of {tasks} can be worked out from hashes in log.jsonl, which have no salt"
