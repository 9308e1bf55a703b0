"""One pass over the tasks of a run: what does each check note of each task, and what does it conclude?

A check is a class, made from the `RunEvidence`. Its `look(task)` notes what matters of one task, None if nothing does;
its `conclude(notes)` says what was found, from the notes of all tasks in the order of the file. What `look` returns is
all that is kept: little, for runs can be large. `noted` is the type of it, which msgspec can send.

The lines of a large file are looked at by copies of this process: whoever is free takes the next batch. So `look`
depends on the task and on what the run states, and on nothing that it saw before.
"""

import hashlib
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, ClassVar

import msgspec

from gaia_harness.audit.coverage import Coverage
from gaia_harness.audit.evidence import Line, RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, Notes
from gaia_harness.errors import EvidenceError
from gaia_harness.records import trajectories
from gaia_harness.records.line_work import Batch, Copies

LARGE = 2 << 20
"""From this size on it pays to copy the process, which takes some hundredths of a second."""
BATCH = 32 << 10

CheckClass = type[Any]
Watch = Callable[[bytes, str | None], None]
"""Somebody who also wants the lines of an audit in their order, each with its fault if it has one."""


class TaskCheck:
    """A check as `looking` wants it. What is of no use to one is left as it is here: nothing to say."""

    id: ClassVar[str]
    name: ClassVar[str]
    noted: ClassVar[type] = Notes

    def __init__(self, run: RunEvidence) -> None:
        self.run = run

    def of_task(self, task: TaskEvidence) -> Iterator[Finding]:
        """What is wrong with a task; which task it is need not be said."""
        yield from ()

    def of_run(self, task_ids: Sequence[str]) -> Iterator[Finding]:
        """What is wrong with the run as a whole, which has these tasks: a task once for every line about it."""
        yield from ()

    def is_unseen(self, task: TaskEvidence) -> bool:
        """Whether the check lacks something that it needs to see this task: most need its trajectory."""
        return task.is_unseen

    def gaps(self, unseen: int) -> Iterator[str]:
        """What could not be looked at, if so many tasks are unseen."""
        yield from self.run.gaps_of_unseen(unseen)

    def look(self, task: TaskEvidence) -> Notes:
        """See one task."""
        of_task = (msgspec.structs.replace(each, task_id=task.task_id or None) for each in self.of_task(task))
        return Notes(task.task_id, Findings().add_all(of_task).sorted(), not_seen=int(self.is_unseen(task)))

    def conclude(self, notes: Sequence[Notes]) -> Check:
        """Say what was found, and what was not seen."""
        findings = Findings().keep(*(finding for note in notes for finding in note.findings))
        findings.add_all(self.of_run([note.task_id for note in notes if note.task_id]))
        gaps = self.gaps(sum(note.not_seen for note in notes))
        return findings.check(self.id, self.name, harness_gap="; ".join(gaps) or None)


class Seen(Line, gc=False):
    """What came of one task: what each check noted, and what was counted."""

    coverage: Coverage
    notes: tuple[Any, ...]


class Pass:
    """The checks of a run at work."""

    def __init__(self, run: RunEvidence, checks: Sequence[CheckClass]) -> None:
        self.run = run
        self.examiners = [check(run) for check in checks]

    def look(self, task: TaskEvidence) -> Seen:
        """Let every check look at a task."""
        before, coverage = self.run.texts.unread, Coverage()
        coverage.count(task)
        notes = tuple(examiner.look(task) for examiner in self.examiners)
        coverage.texts_unread = self.run.texts.unread - before or msgspec.UNSET
        return Seen(task.task_id, task.place, task.fault, task.line_sha256, coverage, notes)

    def lines(self, processes: int, watch: Watch | None) -> Iterator[Seen]:
        """What came of the lines, in the order of the file."""
        copies: Copies | None = None
        with ExitStack() as stack:
            for turn, batch in enumerate(self.run.batches(BATCH)):
                if turn == 1 and processes > 1:  # behind the first, so that copies have what checks made for it
                    copies = stack.enter_context(Copies(processes, 1, self._answers))
                answer = b"" if copies is None else copies.answer(turn)
                # where a copy failed, or could not be had, all is done here, and fails in the same way
                found = self._decode(answer) if answer else self._look_at(batch)
                if watch is not None:
                    _show(batch, found, watch)
                yield from found

    def _look_at(self, batch: Batch) -> list[Seen]:
        return [self.look(task) for task in self.run.read(batch)]

    def _answers(self, take: Callable[[], int]) -> Iterator[tuple[int, bytes]]:
        """What comes of each batch that it is one copy's turn to look at; nothing, where it fails."""
        mine = take()
        for turn, batch in enumerate(self.run.batches(BATCH)):
            if turn == mine:
                try:
                    yield turn, msgspec.msgpack.encode(self._look_at(batch))
                except Exception:
                    yield turn, b""
                mine = take()

    def _decode(self, answer: bytes) -> list[Seen]:
        """What a copy saw, with its notes as each check has them."""
        found = msgspec.msgpack.decode(answer, type=list[Seen])
        for seen in found:
            each = zip(seen.notes, self.examiners, strict=True)
            seen.notes = tuple(None if note is None else msgspec.convert(note, made.noted) for note, made in each)
        return found


def look_at_all(
    run: RunEvidence, checks: Sequence[CheckClass], *, processes: int | None = None, watch: Watch | None = None
) -> tuple[Coverage, tuple[Check, ...]]:
    """Look at every task once. `processes` is how many to use; if not given, as file and machine allow."""
    here = Pass(run, checks)
    coverage = Coverage()
    notes: list[list[Any]] = [[] for _ in checks]
    for seen in run.complete(here.lines(processes or _processes(run), watch), here.look):
        coverage.add(seen.coverage)
        for kept, noted in zip(notes, seen.notes, strict=True):
            if noted is not None:
                kept.append(noted)
    coverage.attachments_unopened = sorted(coverage.attachments_unopened or ())
    return coverage, tuple(each.conclude(noted) for each, noted in zip(here.examiners, notes, strict=True))


def _processes(run: RunEvidence) -> int:
    path = run.trajectories_file
    # a copy of a process has one thread, whatever the others were at
    if not path.exists() or path.stat().st_size < LARGE or threading.active_count() > 1:
        return 1
    return min(4, len(os.sched_getaffinity(0)))


def _show(batch: Batch, found: Sequence[Seen], watch: Watch) -> None:
    """Give the lines of a batch to somebody who wants what was looked at, and nothing else."""
    lines = [data for _, data in batch.lines()]
    if [hashlib.sha256(data.removesuffix(b"\n")).hexdigest() for data in lines] != [seen.line_sha256 for seen in found]:
        raise EvidenceError(f"{trajectories.FILE_NAME}: changed while it was audited")
    for data, seen in zip(lines, found, strict=True):
        watch(data, seen.fault)
