"""What a run's log says happened, task by task, in the order in which it happened."""

import hashlib
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError
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


class LoggedAttempt(msgspec.Struct):
    """An attempt, and at which events it began and ended; `finished_at` is None where a crash cut it off.

    `interrupted`: the log gives a reason, such as an outage of the model's service.
    """

    number: int
    started_at: int
    finished_at: int | None = None
    steps: int | None = None
    steps_sha256: str | None = None
    interrupted: bool = False


class TaskLog(msgspec.Struct):
    """What the log has about one task. Places are numbers of events."""

    attempts: list[LoggedAttempt] = []
    judged: list[tuple[int, bool | None]] = []  # at which event, and the verdict
    finished_at: int | None = None
    finished_times: int = 0
    said_attempts: int = 0
    trajectory_sha256: str | None = None
    outcome_sha256: str | None = None
    running: dict[int, LoggedAttempt] = {}  # by number: begun and not ended
    stray: list[str] = []  # events that do not fit the ones before them


class LogFacts(msgspec.Struct):
    """The log of a run. `fault` says why it could not be read to its end; what stood before it is here."""

    sha256: str = ""
    events: int = 0
    started: RunStarted | None = None
    closed: RunClosed | None = None
    tasks: dict[str, TaskLog] = {}
    integrity_events: int = 0
    failures: list[str] = []
    resumed_at: list[int] = []
    workers: list[int | None] = []  # of each process: how many tasks it worked on at once, where it says so
    interruptions: InterruptionCount = msgspec.field(default_factory=InterruptionCount)
    stray: list[str] = []
    fault: str | None = None

    @property
    def was_given_up(self) -> bool:
        """Whether the log says that the run was ended before all was done."""
        return self.closed is not None and self.closed.status == "aborted"


def read_log_facts(path: Path) -> LogFacts:
    """Read a log. It is never an error here that a log is broken or missing: that is for the audit to say."""
    facts = LogFacts()
    hasher = hashlib.sha256()
    if not path.is_file():
        facts.fault = f"{path.name} is missing"
        return facts
    try:
        for line, event in read_log(path):
            hasher.update(line.data)
            facts.events += 1
            _note(facts, event.seq, event)
    except EvidenceError as error:
        facts.fault = error.message.replace(str(path), path.name)
    facts.sha256 = hasher.hexdigest()
    return facts


def _note(facts: LogFacts, at: int, event: AnyEvent) -> None:
    facts.interruptions.note(event, at)
    if facts.closed is not None:
        _stray(facts.stray, f"event {at} stands behind the end of the run")
    match event:
        case RunStarted():
            if at:
                _stray(facts.stray, f"event {at} starts the run again")
            facts.started = facts.started or event
            facts.workers.append(None if event.concurrency is msgspec.UNSET else event.concurrency)
        case AttemptStarted():
            task = facts.tasks.setdefault(event.task_id, TaskLog())
            if task.finished_at is not None:
                _stray(task.stray, f"event {at}: attempt {event.attempt} begins behind the end of its task")
            if event.attempt != len(task.attempts) + 1:
                _stray(task.stray, f"event {at}: attempt {event.attempt} where {len(task.attempts) + 1} is next")
            task.attempts.append(LoggedAttempt(event.attempt, at))
            task.running.setdefault(event.attempt, task.attempts[-1])
        case AttemptFinished():
            task = facts.tasks.setdefault(event.task_id, TaskLog())
            attempt = task.running.pop(event.attempt, None)
            if attempt is None:
                _stray(task.stray, f"event {at}: attempt {event.attempt} ends and never began")
            else:
                attempt.finished_at, attempt.steps, attempt.steps_sha256 = at, event.steps, event.steps_sha256
        case AttemptInterrupted():
            task = facts.tasks.setdefault(event.task_id, TaskLog())
            attempt = task.running.get(event.attempt)
            if attempt is None or attempt.interrupted:
                _stray(task.stray, f"event {at}: attempt {event.attempt} is interrupted and not under way")
            else:
                attempt.interrupted = True
        case TaskFinished():
            task = facts.tasks.setdefault(event.task_id, TaskLog())
            task.finished_times += 1
            task.finished_at, task.said_attempts = at, event.attempts
            task.trajectory_sha256, task.outcome_sha256 = event.trajectory_sha256, event.outcome_sha256
        case Judged():
            facts.tasks.setdefault(event.task_id, TaskLog()).judged.append((at, event.verdict))
        case IntegrityEvent():
            facts.integrity_events += 1
        case RecordingFailed():
            _stray(facts.failures, event.reason)
        case RunResumed():
            facts.resumed_at.append(at)
            facts.workers.append(None if event.concurrency is msgspec.UNSET else event.concurrency)
        case RunClosed():
            facts.closed = event


def _stray(stray: list[str], what: str) -> None:
    if len(stray) < 100:
        stray.append(what[:300])
