"""Everything a run writes while it goes on. A failed write is recorded and reported, and stops nothing."""

import contextlib
import hashlib
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from gaia_harness.errors import GaiaError
from gaia_harness.evidence.recording import Recording, TaskRecording
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.files import LineFile
from gaia_harness.records.events import (
    AttemptFinished,
    AttemptInterrupted,
    AttemptStarted,
    Event,
    IntegrityEvent,
    RecordingFailed,
    RunClosed,
    TaskFinished,
    ToolSums,
)
from gaia_harness.records.excerpt import sound
from gaia_harness.records.interruptions import InterruptionCount
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.results import TaskResult
from gaia_harness.run.disk_reserve import DiskFull, DiskReserve
from gaia_harness.run.results import new_salt
from gaia_harness.shortening import shorten
from gaia_harness.signing.checkpoints import Checkpoints
from gaia_harness.signing.log import RunLog
from gaia_harness.signing.newest_head import NewestHead

log = logging.getLogger("gaia_harness")

T = TypeVar("T")

LONGEST_REASON = 500


class Journal:
    """The log, the results and, unless recording is off, the evidence of one run.

    A task is done when its trajectory line, its result line and its log event are on disk, in this order: a
    crash in between leaves lines that the log does not know, and the task is run again as the next attempt.
    """

    def __init__(
        self,
        folder: Path,
        run_log: RunLog,
        checkpoints: Checkpoints,
        recording: Recording | None,
        *,
        head: NewestHead | None = None,
        interruptions: InterruptionCount | None = None,
        failures: tuple[str, ...] = (),
        integrity_events: int = 0,
        reserve: DiskReserve | None = None,
        salt: Callable[[], str] = new_salt,
        redactor: Redactor = Redactor(),  # noqa: B008 - it never changes
    ) -> None:
        """`head` is kept of a declared run, away from its folder; `reserve` is room for when the disk is full."""
        self.run_log = run_log
        self.interruptions = interruptions or InterruptionCount()
        self.redactor = redactor
        self.recording = recording
        self.failures = list(failures)
        self.integrity_events = integrity_events
        self._checkpoints = checkpoints
        self._head = head
        self._reserve = reserve
        self._out_of_room: DiskFull | None = None
        self._salt = salt
        self._results = LineFile(folder / "results.jsonl")

    def add(self, event: Event, *, sync: bool = True) -> None:
        """Note an event."""
        self.interruptions.note(event, self.run_log.tree.size)
        size = self.run_log.tree.size
        self._keep(lambda: self.run_log.add(event, sync=sync))
        head = self._head
        # never before the line is on disk: the head must be one of the log
        if sync and head is not None and self.run_log.tree.size > size:
            self._keep(lambda: head.record(self.run_log.tree))

    def attempt_started(self, task_id: str, attempt: int) -> None:
        """On disk before the attempt's first model call."""
        self.add(AttemptStarted(task_id=task_id, attempt=attempt))
        self._keep(self._checkpoints.maybe)

    def attempt_finished(self, task_id: str, attempt: int, recording: TaskRecording | None) -> None:
        """Bind what was recorded of the task so far."""
        steps = () if recording is None else recording.steps
        sha256 = self._keep(recording.steps_sha256) if recording is not None else None
        # nothing hangs on this line alone: the task is done with task_finished, which takes it along
        self.add(AttemptFinished(task_id=task_id, attempt=attempt, steps=len(steps), steps_sha256=sha256), sync=False)

    def attempt_interrupted(
        self,
        task_id: str,
        attempt: int,
        reason: str,
        *,
        by_max_cost: bool = False,
        cost_usd: float | None = None,
        tools: Mapping[str, ToolSums] | None = None,
    ) -> None:
        """The attempt came to nothing through no fault of the agent."""
        self.add(
            AttemptInterrupted(
                task_id=task_id,
                attempt=attempt,
                reason=shorten(reason, LONGEST_REASON),
                cause="max_cost" if by_max_cost else msgspec.UNSET,
                cost_usd=msgspec.UNSET if cost_usd is None else cost_usd,
                tools=dict(tools) if tools else msgspec.UNSET,
            )
        )

    @property
    def disk_is_full(self) -> bool:
        """Whether the disk was found full; what has been written since then took the last of it."""
        return self._reserve is not None and self._reserve.used

    def task_finished(self, result: TaskResult, recording: TaskRecording | None) -> None:
        """Trajectory, result, log, in this order."""
        result = self.redactor.hide(result)
        task_id, trajectory_sha256 = result.task_id, None
        if recording is not None:
            finished = self._keep(
                lambda: recording.finish(result.answer, selected_attempt=result.voting.selected_attempt), task_id
            )
            trajectory_sha256 = None if finished is None else finished.sha256
        line = _encoded(msgspec.structs.replace(result, salt=self._salt()))
        kept = self._keep(lambda: self._append(line), task_id)
        self.add(
            TaskFinished(
                task_id=task_id,
                attempts=result.attempts,
                trajectory_sha256=trajectory_sha256,
                result_sha256=hashlib.sha256(line).hexdigest() if kept else None,
                outcome_sha256=self._keep(lambda: msgspec.json.decode(line, type=TaskFacts).sha256(), task_id),
                salted=True,
            )
        )
        self._keep(self._checkpoints.maybe)

    def integrity_event(self, kind: str, detail: str) -> None:
        """Something stored was not what it must be."""
        self.integrity_events += 1
        self.add(IntegrityEvent(kind=kind, detail=detail))

    def checkpoint(self) -> None:
        """Note how long the log is, and the head of its tree."""
        self._keep(self._checkpoints.now)

    def close_run(self, *, status: str, tasks: int, finished: int, attempts: int, submittable: bool) -> None:
        """Note that the run is over."""
        self.add(RunClosed(status=status, tasks=tasks, finished=finished, attempts=attempts, submittable=submittable))
        self.checkpoint()

    def close(self) -> None:
        """Let go of the files."""
        with contextlib.suppress(OSError):
            self._results.close()
        with contextlib.suppress(OSError):
            self.run_log.close()
        with contextlib.suppress(OSError):
            self._checkpoints.close()
        if self.recording is not None:
            with contextlib.suppress(OSError):
                self.recording.close()
        if self._reserve is not None:
            with contextlib.suppress(OSError):
                self._reserve.close()

    def _append(self, line: bytes) -> bool:
        self._results.append(line + b"\n")
        return True

    def _keep(self, write: Callable[[], T], task_id: str | None = None) -> T | None:
        """Write. What fails is noted and goes on, unless the disk is full: then nothing more is written at all."""
        if self._out_of_room is not None:
            raise self._out_of_room  # a line behind one that is missing would look like tampering
        try:
            return write() if self._reserve is None else self._reserve.writing(write)
        except DiskFull as full:
            self._out_of_room = full
            raise
        except (OSError, GaiaError, ValueError, TypeError, RecursionError) as error:
            self.failed(_reason(error), task_id)
            return None

    def failed(self, reason: str, task_id: str | None = None) -> None:
        """Evidence is missing: say so once for each reason, here and, if that can still be written, in the log."""
        reason = self.redactor.hide(reason)
        if reason in self.failures:
            return
        self.failures.append(reason)
        log.warning("recording failed, this run cannot be submitted: %s", reason)
        with contextlib.suppress(OSError):
            self.run_log.add(RecordingFailed(reason=reason, task_id=task_id))


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{error.strerror or type(error).__name__}"
    return error.message if isinstance(error, GaiaError) else f"{type(error).__name__}: {error}"


def _encoded(result: TaskResult) -> bytes:
    try:
        return msgspec.json.encode(result)
    except UnicodeEncodeError:  # a lone surrogate, which JSON in UTF-8 cannot hold
        return msgspec.json.encode(sound(msgspec.to_builtins(result)))
