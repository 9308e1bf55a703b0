"""What a run's log says, read line by line against its tree, its signed checkpoints and its own rules."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.moments import moment
from gaia_harness.records.events import (
    AnyEvent,
    AttemptFinished,
    AttemptInterrupted,
    AttemptStarted,
    IntegrityEvent,
    Judged,
    RecordingFailed,
    RunClosed,
    RunResumed,
    RunStarted,
    TaskFinished,
)
from gaia_harness.records.interruptions import InterruptionCount
from gaia_harness.records.log import read_log
from gaia_harness.signing.checkpoints import read_checkpoints
from gaia_harness.signing.merkle import Tree
from gaia_harness.signing.signers import PublicKey
from gaia_harness.submission.file_set import CHECKPOINTS, LOG

NEVER_CLOSED = "the run was never closed"


class Attempt(msgspec.Struct, gc=False):
    """An attempt of a task, and the steps up to its end; `steps` is None where a crash cut it off."""

    number: int
    line: int
    steps: int | None = None
    steps_sha256: str | None = None
    interrupted: bool = False

    def under_way(self, number: int) -> bool:
        """Whether this is the attempt of that number, and has not come to its end."""
        return self.number == number and self.steps is None and not self.interrupted


class FinishedTask(msgspec.Struct, frozen=True, gc=False):
    """A task that is done, on which line the log says so, what it binds, and the attempts that led there."""

    line: int
    task_id: str
    trajectory_sha256: str | None
    outcome_sha256: str | None
    attempts: tuple[Attempt, ...]
    salted: bool


class LogReading(msgspec.Struct, kw_only=True):
    """A whole log that keeps every rule."""

    size: int
    root: str
    started: RunStarted
    closed: RunClosed
    finished: tuple[FinishedTask, ...]
    integrity_events: int
    failures: tuple[str, ...]
    resumed: tuple[int, ...]
    roots: dict[int, str]
    checkpoints: int
    interruptions: InterruptionCount
    earlier: tuple[int, ...]
    """Lines with an earlier time than one before them, which only a log of version 0.1 may have."""
    judges: dict[str, int]
    """The models that judged, each with the line where it first did."""
    judged: dict[str, Judged]
    """What was last said of a task's answer."""

    @property
    def of_version_0_1(self) -> bool:
        """Whether the run was begun by version 0.1, by its own word: several things were not recorded then."""
        return self.started.schema is msgspec.UNSET


def read_run_log(folder: Path, run_id: str, key: PublicKey, *, roots_at: Iterable[int] = ()) -> LogReading:
    """The log of a run in a folder whose checkpoints this key has signed; an EvidenceError names the line at fault.

    `roots_at` are lengths at which somebody wants to know the head of its tree.
    """
    try:
        return _Reader(folder, run_id, key, frozenset(roots_at)).read()
    except EvidenceError as error:
        raise EvidenceError(error.message.replace(f"{folder}/", "")) from error


class _Reader:
    def __init__(self, folder: Path, run_id: str, key: PublicKey, wanted: frozenset[int]) -> None:
        self.path = folder / LOG
        self.points = read_checkpoints(folder / CHECKPOINTS, f"gaia-harness/run/{run_id}", key=key)
        self.wanted = wanted
        self.tree = Tree()
        self.roots: dict[int, str] = {}
        self.started: RunStarted | None = None
        self.closed: RunClosed | None = None
        self.attempts: dict[str, list[Attempt]] = {}
        self.finished: dict[str, FinishedTask] = {}
        self.failures: list[str] = []
        self.resumed: list[int] = []
        self.integrity_events = 0
        self.interruptions = InterruptionCount()
        self.latest: datetime | None = None
        self.earlier: list[int] = []
        self.judges: dict[str, int] = {}
        self.judged: dict[str, Judged] = {}

    def read(self) -> LogReading:
        if not self.points:
            raise EvidenceError(f"{CHECKPOINTS}: has no checkpoint")
        signed = {point.size: point.root for point in self.points}
        last = 0
        for line, event in read_log(self.path):
            self.tree.append(line.data[:-1])
            if self.tree.size in signed:
                if signed[self.tree.size] != self.tree.root():
                    raise EvidenceError(
                        f"{LOG}:{line.number}: lines {last + 1} to {line.number} are not those of the signed checkpoint"
                    )
                last = line.number
            if self.tree.size in self.wanted:
                self.roots[self.tree.size] = self.tree.root().hex()
            self._note(event, line.number)
        if self.points[-1].size > self.tree.size:
            raise EvidenceError(f"{LOG}:{self.tree.size + 1}: lines are missing: a checkpoint has seen {last}")
        if self.started is None or self.closed is None:
            raise EvidenceError(f"{LOG}:{self.tree.size}: {NEVER_CLOSED}")
        if last != self.tree.size:
            raise EvidenceError(f"{LOG}:{last + 1}: lines that no signed checkpoint has seen")
        if self.earlier and self.names_schema:  # ours never goes back, whatever the clock does
            raise EvidenceError(f"{LOG}:{self.earlier[0]}: is of an earlier time than a line before it")
        return LogReading(
            size=self.tree.size,
            root=self.tree.root().hex(),
            started=self.started,
            closed=self.closed,
            finished=tuple(self.finished.values()),
            integrity_events=self.integrity_events,
            failures=tuple(self.failures),
            resumed=tuple(self.resumed),
            roots=self.roots,
            checkpoints=len(self.points),
            interruptions=self.interruptions,
            earlier=tuple(self.earlier),
            judges=self.judges,
            judged=self.judged,
        )

    @property
    def names_schema(self) -> bool:
        """Whether the log is of a later version than 0.1: what that one did not write may not be left out of it."""
        return self.started is not None and self.started.schema is not msgspec.UNSET

    def _note(self, event: AnyEvent, line: int) -> None:
        at = moment(event.time)
        if at is None:
            raise EvidenceError(f"{LOG}:{line}: {event.time[:40]!a} is not a time as we write it")
        if self.latest is not None and at < self.latest:
            self.earlier.append(line)
        else:
            self.latest = at
        if isinstance(event, RunStarted) is not (line == 1):
            raise EvidenceError(f"{LOG}:{line}: a log begins with run_started, and nothing else does")
        if self.closed is not None:
            raise EvidenceError(f"{LOG}:{line}: an event behind the end of the run")
        self.interruptions.note(event, line - 1)
        match event:
            case RunStarted():
                self.started = event
                if (event.schema is msgspec.UNSET) is not (event.concurrency is msgspec.UNSET):
                    raise EvidenceError(f"{LOG}:{line}: has a part of what a log of this schema begins with")
            case AttemptStarted():
                before = self.attempts.setdefault(event.task_id, [])
                if event.attempt != len(before) + 1 or event.task_id in self.finished:
                    raise EvidenceError(f"{LOG}:{line}: attempt {event.attempt} cannot follow what stands before")
                before.append(Attempt(event.attempt, line))
            case AttemptFinished():
                began = self.attempts.get(event.task_id, [])
                if not began or not began[-1].under_way(event.attempt):
                    raise EvidenceError(f"{LOG}:{line}: attempt {event.attempt} ends and is not under way")
                began[-1].steps, began[-1].steps_sha256 = event.steps, event.steps_sha256
            case AttemptInterrupted():
                began = self.attempts.get(event.task_id, [])
                if not began or not began[-1].under_way(event.attempt):
                    raise EvidenceError(f"{LOG}:{line}: attempt {event.attempt} is interrupted and not under way")
                began[-1].interrupted = True
            case TaskFinished():
                began = self.attempts.get(event.task_id, [])
                if event.task_id in self.finished:
                    raise EvidenceError(f"{LOG}:{line}: the task {event.task_id[:80]!a} is done already")
                if self.names_schema and event.salted is not True:
                    raise EvidenceError(f"{LOG}:{line}: a result without a salt, as only version 0.1 wrote them")
                if not began or event.attempts != len(began) or began[-1].steps is None:
                    raise EvidenceError(f"{LOG}:{line}: {event.attempts} attempts are not those that were made")
                self.finished[event.task_id] = FinishedTask(
                    line,
                    event.task_id,
                    event.trajectory_sha256,
                    event.outcome_sha256,
                    tuple(began),
                    event.result_sha256 is None or event.salted is True,
                )
                del self.attempts[event.task_id]
            case Judged():
                self.judges.setdefault(event.model, line)
                self.judged[event.task_id] = event
            case IntegrityEvent():
                self.integrity_events += 1
            case RecordingFailed():
                self.failures.append(event.reason)
            case RunResumed():
                if self.names_schema and event.concurrency is msgspec.UNSET:
                    raise EvidenceError(f"{LOG}:{line}: does not say how many tasks are at work at once")
                self.resumed.append(line)
            case RunClosed():
                self._close(event, line)

    def _close(self, event: RunClosed, line: int) -> None:
        attempts = sum(len(task.attempts) for task in self.finished.values())
        if event.status != "complete":
            raise EvidenceError(f"{LOG}:{line}: the run was closed as {event.status[:40]!a}, not as complete")
        if not event.tasks == event.finished == len(self.finished):
            raise EvidenceError(f"{LOG}:{line}: {len(self.finished)} tasks are done, not {event.finished}")
        if event.attempts != attempts:
            raise EvidenceError(f"{LOG}:{line}: {attempts} attempts were made, not {event.attempts}")
        self.closed = event
