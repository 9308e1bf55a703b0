"""A task as the agent may know it, without its answer."""

from pathlib import Path

import msgspec


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """One question. The gold answer lives in `AnswerKey`, never here."""

    task_id: str
    question: str
    level: int
    attachment: Path | None = None
