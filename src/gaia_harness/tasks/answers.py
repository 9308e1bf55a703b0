"""The answer key. Only `judge`, `audit`, `run` and the loaders may import this; an import rule holds it so."""

from collections.abc import Mapping

import msgspec


class Gold(msgspec.Struct, frozen=True, kw_only=True):
    """What the data set knows about the solution of one task."""

    answer: str
    annotator_steps: str | None = None


class AnswerKey(msgspec.Struct, frozen=True):
    """Gold by task id. A task of the test split has no entry: its answer is not public."""

    golds: Mapping[str, Gold] = {}

    def get(self, task_id: str) -> Gold | None:
        """The gold of a task, or None where the data set keeps it secret."""
        return self.golds.get(task_id)

    def __repr__(self) -> str:
        return f"AnswerKey({len(self.golds)} answers)"
