"""One pass over the tasks of a run: what does each check note of each task, and what does it conclude?

The file is cut into batches of lines, for this process and for others. What comes of a task depends on nothing but the
task, so that who looked at it leaves no trace in a report.
"""

import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from gaia_harness.audit.coverage import Coverage
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check
from gaia_harness.audit.line_checks import CheckedLine, check_line
from gaia_harness.errors import EvidenceError
from gaia_harness.records import trajectories
from gaia_harness.records.line_work import Batch, Cut

LARGE = 8 << 20
"""From this size on it pays to start a process, which takes some 0.4 s of processor time until it can look at tasks."""
BATCH = 256 << 10
MOST_PROCESSES = 4
CHANGED = f"{trajectories.FILE_NAME}: changed while it was audited"

T = TypeVar("T")
MakeExaminer = type[Any]
"""A check as a class, which is made from the `RunEvidence`."""


class Seen(msgspec.Struct, Generic[T], gc=False):
    """What came of one task: what each check noted, and what was counted. A task without a line has no trajectory."""

    task_id: str
    correct: bool | None
    coverage: Coverage
    notes: T
    line: CheckedLine | None = None


AnySeen = Seen[tuple[Any, ...]]
Batched = tuple[Batch, list[AnySeen]]


class Looked(msgspec.Struct):
    """What came of all tasks: what each check concludes, what was counted, and which answers are right."""

    checks: tuple[Check, ...]
    coverage: Coverage
    correct: dict[str, bool | None]


class Pass:
    """The examiners of a run at work."""

    def __init__(self, run: RunEvidence, checks: Sequence[MakeExaminer]) -> None:
        self.run = run
        self.makers = checks
        self.examiners = [check(run) for check in checks]

    def look(self, task: TaskEvidence) -> AnySeen:
        """Let every check look at a task."""
        before, coverage = self.run.bodies.unread, Coverage()
        coverage.count(task)
        notes = tuple(examiner.look(task) for examiner in self.examiners)
        if self.run.bodies.unread > before:
            coverage.texts_unread = self.run.bodies.unread - before
        return Seen(task.task_id, task.correct, coverage, notes)

    def lines(self, batch: Batch) -> Iterator[AnySeen]:
        """Look at the tasks of some lines."""
        for number, data in batch.lines():
            line, trajectory = check_line(number, data)
            seen = self.look(self.run.task(line, trajectory))
            seen.line = line
            yield seen


class _Kept:
    """What is kept of all tasks, taken in the order of the file."""

    def __init__(self, here: Pass) -> None:
        self.here = here
        self.notes: list[list[Any]] = [[] for _ in here.examiners]
        self.coverage = Coverage(attachments_unopened=[])
        self.correct: dict[str, bool | None] = {}
        self.ids: set[str] = set()
        self._known = {*here.run.facts.task_ids} & here.run.by_task.keys()

    def take(self, seen: AnySeen) -> None:
        """Keep what came of a task. A second line with the same id is not looked at."""
        if seen.line is not None:
            if seen.task_id in self.ids and seen.line.fault is None:
                seen = self.here.look(self.here.run.task(seen.line, None))
            self.ids.add(seen.task_id)
        self.coverage.add(seen.coverage)
        if seen.task_id in self._known:
            self.correct[seen.task_id] = seen.correct
        for kept, noted in zip(self.notes, seen.notes, strict=True):
            if noted is not None:
                kept.append(noted)


def look_at_all(run: RunEvidence, checks: Sequence[MakeExaminer], *, processes: int | None = None) -> Looked:
    """Look at every task once. `processes` is how many to use; without it, by the size of the file and of the machine.

    A check of the older kind keeps what it saw to itself: then all is done here.
    """
    run.begin()
    here = Pass(run, checks)
    kept = _Kept(here)
    watch, run.watch = run.watch, None
    wanted = _processes(here, processes)
    cut = Readable(run.trajectories_file, longest=trajectories.LONGEST_LINE, size=BATCH, hold=wanted == 1)
    for batch, found in _batches(here, cut, wanted) if run.trajectories_file.exists() else ():
        if watch is not None:
            _show(batch, found, watch)
        for seen in found:
            kept.take(seen)
    if cut.unread is not None:
        kept.take(here.look(run.unread_from_here(cut.unread)))
    for task in run.without_trajectory(kept.ids):
        kept.take(here.look(task))
    run.end(cut.sha256)
    kept.coverage.attachments_unopened = sorted(kept.coverage.attachments_unopened or ())
    concluded = (
        examiner.conclude(notes) if hasattr(examiner, "noted") else examiner.conclude()
        for examiner, notes in zip(here.examiners, kept.notes, strict=True)
    )
    return Looked(tuple(concluded), kept.coverage, kept.correct)


def _processes(here: Pass, wanted: int | None) -> int:
    if not all(hasattr(examiner, "noted") for examiner in here.examiners):
        return 1
    if wanted is not None:
        return wanted
    path = here.run.trajectories_file
    small = not path.exists() or path.stat().st_size < LARGE
    return 1 if small else min(MOST_PROCESSES, len(os.sched_getaffinity(0)))


class Readable(Cut):
    """The batches of a file as far as it can be read; `unread` says why no further, if so."""

    unread: str | None = None

    def __iter__(self) -> Iterator[Batch]:
        try:
            yield from super().__iter__()
        except EvidenceError as error:
            self.unread = error.message


def _batches(here: Pass, cut: Readable, processes: int) -> Iterator[Batched]:
    """Every batch in the order of the file, with what came of its tasks."""
    if processes > 1:
        from gaia_harness.audit.line_worker import look_together

        yield from look_together(here, cut, processes - 1)
        return
    for batch in cut:
        yield batch, list(here.lines(batch))


def _show(batch: Batch, found: Sequence[AnySeen], watch: Callable[[bytes, str | None], None]) -> None:
    """Give the lines of a batch to somebody who wants what was looked at, and nothing else."""
    lines = [data for _, data in batch.lines()]
    if len(lines) != len(found):
        raise EvidenceError(CHANGED)
    for data, seen in zip(lines, found, strict=True):
        line = seen.line
        if line is None or hashlib.sha256(data.removesuffix(b"\n")).hexdigest() != line.sha256:
            raise EvidenceError(CHANGED)
        watch(data, line.fault)
