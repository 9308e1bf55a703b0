"""The lines that GAIA's leaderboard takes: task_id, model_answer and reasoning_trace."""

from pathlib import Path

import msgspec

from gaia_harness.exchange.export_source import ExportSource
from gaia_harness.submission.results import reasoning_trace

NAME = "leaderboard"
FOLDER = False
ENDING = ""


class Line(msgspec.Struct, frozen=True):
    """One task. A task without an answer has an empty one."""

    task_id: str
    model_answer: str
    reasoning_trace: str


def write(source: ExportSource, out: Path) -> list[str]:
    """One line per task."""
    with out.open("xb") as file:
        for task in source.tasks():
            trace = "" if task.trajectory is None else reasoning_trace(task.trajectory)
            file.write(msgspec.json.encode(Line(task.facts.task_id, task.facts.answer or "", trace)) + b"\n")
    return []
