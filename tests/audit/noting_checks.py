"""Checks of the new protocol that note who looked, and fail where they are told."""

import os
import select
import signal
from collections.abc import Sequence
from typing import Any, ClassVar

import msgspec

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings

ORIGINAL = os.getpid()
"""The process that imported this: a copy of it has another number."""


def in_a_copy() -> bool:
    return os.getpid() != ORIGINAL


class Noted(msgspec.Struct, frozen=True):
    task_id: str
    place: str
    texts: tuple[str, ...]
    pid: int


class WhoLooked:
    """Notes every task, with what stands in it, in which process."""

    noted: ClassVar[Any] = Noted
    pids: ClassVar[list[int]] = []

    def __init__(self, run: RunEvidence) -> None:
        self._run = run

    def look(self, task: TaskEvidence) -> Noted | None:
        texts = tuple(moment.text[:40] for moment in task.timeline if moment.origin == "heard")
        return Noted(task.task_id, f"{task.place} {task.fault} {task.line_sha256} {task.gold}", texts, os.getpid())

    def conclude(self, notes: Sequence[Noted]) -> Check:
        type(self).pids = [note.pid for note in notes]
        findings = Findings()
        for note in notes:
            summary = " ".join((note.place, *note.texts))
            findings.add(Finding(severity="info", rule="who-looked", task_id=note.task_id, summary=summary))
        return findings.check("AUD-0", "who looked")


class EndedThere(WhoLooked):
    """Ends every other process that it looks in, as a system without memory does."""

    def look(self, task: TaskEvidence) -> Noted | None:
        if in_a_copy():
            os.kill(os.getpid(), signal.SIGKILL)
        return super().look(task)


class FailsThere(WhoLooked):
    """Cannot look at anything in another process."""

    def look(self, task: TaskEvidence) -> Noted | None:
        if in_a_copy():
            raise MemoryError
        return super().look(task)


class SlowThere(WhoLooked):
    """Is not done with the second line in another process before somebody has looked at the fourth."""

    fourth: ClassVar[tuple[int, int]]

    def look(self, task: TaskEvidence) -> Noted | None:
        if in_a_copy() and task.place.endswith(":2"):
            select.select([self.fourth[0]], [], [], 20)
        if in_a_copy() and task.place.endswith(":4"):
            os.write(self.fourth[1], b".")
        return super().look(task)
