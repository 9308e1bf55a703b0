"""Finds the task of the data set that a task-run from elsewhere is about: by its id, or by the question's text."""

from collections.abc import Iterable

from gaia_harness.exchange.neutral import NeutralRun
from gaia_harness.tasks.task import Task

SHORTEST_INSIDE = 40
"""Characters, without spaces, of a question that is looked for inside a longer text: shorter ones stand anywhere."""


class TaskIndex:
    """The tasks of a data set by id and by question."""

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._by_id = {task.task_id: task for task in tasks}
        self._by_question: dict[str, Task | None] = {}
        for task in self._by_id.values():
            words = _words(task.question)
            self._by_question[words] = None if words in self._by_question else task  # one that stands twice is no name

    def find(self, run: NeutralRun) -> Task | None:
        """The task, or None where no task fits, or more than one."""
        if run.task_id is not None and run.task_id in self._by_id:
            return self._by_id[run.task_id]
        if not run.question:
            return None
        words = _words(run.question)
        if words in self._by_question:
            return self._by_question[words]
        # a framework may have put its own words around the question
        inside = {
            task.task_id: task
            for question, task in self._by_question.items()
            if task is not None and len(question) >= SHORTEST_INSIDE and question in words
        }
        longest = max(inside.values(), key=lambda task: len(_words(task.question)), default=None)
        if longest is None or any(_words(task.question) not in _words(longest.question) for task in inside.values()):
            return None
        return longest


def _words(text: str) -> str:
    return "".join(text.split()).casefold()
