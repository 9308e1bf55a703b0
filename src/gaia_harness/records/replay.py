"""Replays a run's log: one state machine for every reader."""

import enum
import hashlib
from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.figures import counted
from gaia_harness.files import Line
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
from gaia_harness.shortening import shorten
from gaia_harness.timestamps import parse_timestamp

MOST_STRAY = 100
LONGEST_STRAY = 300


class Rule(enum.Enum):
    """What holds in every log that a run of ours has written to its end."""

    FIRST = "it begins with run_started, and nothing else does"
    LAST = "nothing stands behind run_closed"
    TIME = "times are written as we write them, and never go back"
    FIELDS = "events have all that events of the log's schema have"
    BEGUN = "attempts are begun in order, of tasks that are not done"
    ENDED = "an attempt ends, or is interrupted, while it is under way, and before its task is done"
    DONE = "a task is done once, with as many attempts as were begun"
    COMPLETE = "the run is closed as complete, with the figures of its tasks"


STRICT: frozenset[Rule] = frozenset(Rule)
"""For a run that is submitted or verified."""

RESUMABLE: frozenset[Rule] = frozenset((Rule.FIRST, Rule.BEGUN, Rule.DONE))
"""For a run that goes on: what a crash or a full disk may have left out is no fault."""

LENIENT: frozenset[Rule] = frozenset()
"""For an audit: what breaks a rule is noted, and read all the same."""


class LoggedAttempt(msgspec.Struct, gc=False):
    """An attempt, and at which events it began and ended; `finished_at` is None where a crash cut it off.

    `interrupted`: the log gives a reason, such as an outage of the model's service.
    """

    number: int
    started_at: int
    finished_at: int | None = None
    steps: int | None = None
    steps_sha256: str | None = None
    interrupted: bool = False


class TaskLog(msgspec.Struct, gc=False):
    """What the log has about one task. Places are numbers of events."""

    task_id: str = ""
    attempts: list[LoggedAttempt] = []
    judged: list[tuple[int, bool | None]] = []  # at which event, and the verdict
    judgment: Judged | None = None  # the last one
    finished_at: int | None = None
    finished_times: int = 0
    trajectory_sha256: str | None = None
    result_sha256: str | None = None
    outcome_sha256: str | None = None
    salted: bool = True
    """Whether the gold cannot be guessed from the hash of the result's line."""
    running: dict[int, LoggedAttempt] = {}  # by number: begun and not ended
    stray: list[str] = []  # events that do not fit the ones before them

    @property
    def line(self) -> int:
        """The line of the log that says that the task is done."""
        return 0 if self.finished_at is None else self.finished_at + 1


class LogFacts(msgspec.Struct):
    """The log of a run. `fault` says why it could not be read to its end; what stood before it is here."""

    sha256: str = ""
    events: int = 0
    started: RunStarted | None = None
    closed: RunClosed | None = None
    tasks: dict[str, TaskLog] = {}
    finished: dict[str, TaskLog] = {}  # in the order in which they were done
    integrity_events: int = 0
    failures: list[str] = []
    resumed_at: list[int] = []
    workers: list[int | None] = []  # of each process: how many tasks it worked on at once, where it says so
    judges: dict[str, int] = {}  # the models that judged, and at which event each first did
    earlier: list[int] = []  # events with an earlier time than one before them, which version 0.1 may have written
    interruptions: InterruptionCount = msgspec.field(default_factory=InterruptionCount)
    stray: list[str] = []
    fault: str | None = None

    @property
    def was_given_up(self) -> bool:
        """Whether the log says that the run was ended before all was done."""
        return self.closed is not None and self.closed.status == "aborted"

    @property
    def names_schema(self) -> bool:
        """Whether the log is of a later version than 0.1: what that one did not write may not be left out of it."""
        return self.started is not None and self.started.schema is not msgspec.UNSET


def replay(path: Path, facts: LogFacts, rules: Collection[Rule]) -> Iterator[tuple[Line, AnyEvent]]:
    """Read a log into `facts`, and give each line and its event before it is taken.

    What breaks one of the `rules` is an EvidenceError that names the line; what breaks another is noted as stray.
    """
    state = _State(path, facts, rules)
    for line, event in read_log(path):
        yield line, event
        state.take(event, line.number)
    state.end()


def read_log_facts(path: Path) -> LogFacts:
    """Read a log. It is never an error here that a log is broken or missing: that is for the audit to say."""
    facts = LogFacts()
    hasher = hashlib.sha256()
    if not path.is_file():
        facts.fault = f"{path.name} is missing"
        return facts
    try:
        for line, _ in replay(path, facts, LENIENT):
            hasher.update(line.data)
    except EvidenceError as error:
        facts.fault = error.message.replace(str(path), path.name)
    facts.sha256 = hasher.hexdigest()
    return facts


class _State:
    """The state of a run, event by event."""

    def __init__(self, path: Path, facts: LogFacts, rules: Collection[Rule]) -> None:
        self.path = path
        self.facts = facts
        self.rules = rules
        self.latest: datetime | None = None

    def take(self, event: AnyEvent, line: int) -> None:
        facts, at = self.facts, line - 1
        if Rule.TIME in self.rules:
            self._time(event, line)
        if isinstance(event, RunStarted) is not (line == 1):
            again = facts.stray if isinstance(event, RunStarted) else None
            self._broken(Rule.FIRST, line, "a log begins with run_started, and nothing else does", again)
        if facts.closed is not None:
            self._broken(Rule.LAST, line, "an event behind the end of the run", facts.stray)
        facts.interruptions.note(event, at)
        facts.events += 1
        match event:
            case RunStarted():
                if (event.schema is msgspec.UNSET) is not (event.concurrency is msgspec.UNSET):
                    self._broken(Rule.FIELDS, line, "has a part of what a log of this schema begins with")
                facts.started = facts.started or event
                facts.workers.append(None if event.concurrency is msgspec.UNSET else event.concurrency)
            case AttemptStarted():
                self._attempt_started(event, line)
            case AttemptFinished():
                self._attempt_finished(event, line)
            case AttemptInterrupted():
                self._attempt_interrupted(event, line)
            case TaskFinished():
                self._task_finished(event, line)
            case Judged():
                task = self._task(event.task_id)
                task.judged.append((at, event.verdict))
                task.judgment = event
                facts.judges.setdefault(event.model, at)
            case IntegrityEvent():
                facts.integrity_events += 1
            case RecordingFailed():
                facts.failures.append(event.reason)
            case RunResumed():
                if facts.names_schema and event.concurrency is msgspec.UNSET:
                    self._broken(Rule.FIELDS, line, "does not say how many tasks are at work at once")
                facts.resumed_at.append(at)
                facts.workers.append(None if event.concurrency is msgspec.UNSET else event.concurrency)
            case RunClosed():
                self._closed(event, line)

    def end(self) -> None:
        """The log is at its end, or at a line that is none."""
        if self.facts.earlier and self.facts.names_schema:  # ours never goes back, whatever the clock does
            self._broken(Rule.TIME, self.facts.earlier[0] + 1, "is of an earlier time than a line before it")

    def _time(self, event: AnyEvent, line: int) -> None:
        time = parse_timestamp(event.time)
        if time is None:
            self._broken(Rule.TIME, line, f"{event.time[:40]!a} is not a time as we write it")
        elif self.latest is not None and time < self.latest:
            self.facts.earlier.append(line - 1)
        else:
            self.latest = time

    def _attempt_started(self, event: AttemptStarted, line: int) -> None:
        task = self._task(event.task_id)
        if event.attempt != len(task.attempts) + 1 or task.finished_at is not None:
            said = f"attempt {event.attempt} cannot follow what stands before"
            self._broken(Rule.BEGUN, line, said, task.stray)
        task.attempts.append(LoggedAttempt(event.attempt, line - 1))
        task.running.setdefault(event.attempt, task.attempts[-1])

    def _attempt_finished(self, event: AttemptFinished, line: int) -> None:
        task = self._task(event.task_id)
        attempt = task.running.pop(event.attempt, None)
        if attempt is None or attempt.interrupted or attempt is not task.attempts[-1]:
            said = f"attempt {event.attempt} ends and is not under way"
            self._broken(Rule.ENDED, line, said, task.stray if attempt is None else None)
        if attempt is not None:
            attempt.finished_at, attempt.steps, attempt.steps_sha256 = line - 1, event.steps, event.steps_sha256

    def _attempt_interrupted(self, event: AttemptInterrupted, line: int) -> None:
        task = self._task(event.task_id)
        attempt = task.running.get(event.attempt)
        if attempt is None or attempt.interrupted or attempt is not task.attempts[-1]:
            said = f"attempt {event.attempt} is interrupted and not under way"
            self._broken(Rule.ENDED, line, said, task.stray if attempt is None or attempt.interrupted else None)
        if attempt is not None:
            attempt.interrupted = True

    def _task_finished(self, event: TaskFinished, line: int) -> None:
        task = self._task(event.task_id)
        if task.finished_at is not None:
            self._broken(Rule.DONE, line, f"the task {event.task_id[:80]!a} is done already", task.stray)
        if self.facts.names_schema and event.salted is not True:
            self._broken(Rule.FIELDS, line, "a result without a salt, as only version 0.1 wrote them")
        said = f"{counted(event.attempts, 'attempt is not what was', 'attempts are not those that were')} made"
        if event.attempts != len(task.attempts):
            self._broken(Rule.DONE, line, said)
        if not task.attempts or task.attempts[-1].finished_at is None:
            self._broken(Rule.ENDED, line, said)
        task.finished_times += 1
        task.finished_at = line - 1
        task.trajectory_sha256, task.outcome_sha256 = event.trajectory_sha256, event.outcome_sha256
        task.result_sha256 = event.result_sha256
        task.salted = event.result_sha256 is None or event.salted is True
        self.facts.finished.setdefault(event.task_id, task)

    def _closed(self, event: RunClosed, line: int) -> None:
        finished = self.facts.finished
        attempts = sum(len(task.attempts) for task in finished.values())
        if event.status != "complete":
            said = f"the run was closed as {event.status[:40]!a}, not as complete"
            self._broken(Rule.COMPLETE, line, said)
        if not event.tasks == event.finished == len(finished):
            self._broken(
                Rule.COMPLETE, line, f"{counted(len(finished), 'task is', 'tasks are')} done, not {event.finished}"
            )
        if event.attempts != attempts:
            self._broken(
                Rule.COMPLETE, line, f"{counted(attempts, 'attempt was', 'attempts were')} made, not {event.attempts}"
            )
        self.facts.closed = event

    def _task(self, task_id: str) -> TaskLog:
        task = self.facts.tasks.get(task_id)
        if task is None:
            task = self.facts.tasks[task_id] = TaskLog(task_id)
        return task

    def _broken(self, rule: Rule, line: int, said: str, stray: list[str] | None = None) -> None:
        if rule in self.rules:
            raise EvidenceError(f"{self.path}:{line}: {said}")
        if stray is not None and len(stray) < MOST_STRAY:
            stray.append(shorten(f"event {line - 1}: {said}", LONGEST_STRAY))
