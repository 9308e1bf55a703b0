"""Counts, from the log, how often a run was interrupted and which attempts were lost."""

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.figures import counted
from gaia_harness.records.events import (
    AttemptFinished,
    AttemptInterrupted,
    AttemptStarted,
    Event,
    Rollback,
    RunResumed,
    TaskFinished,
)

NEVER = "never resumed"
MOST_SAID = 3


class Program(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A program that went on with a run that another one had begun."""

    version: str
    source_sha256: str


class Interruptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a log says of its interruptions. `said` is all of it in words.

    `outages` are those of the unfinished attempts that, by the log, the model's service or the clock ended.
    Discarded attempts came to their end, but not their task: a later process began it again.
    """

    said: str
    resumed: int
    unfinished_attempts: int
    outages: int
    discarded_attempts: int
    rollbacks: tuple[Rollback, ...]
    programs: tuple[Program, ...]

    def reasons(self) -> list[str]:
        """Why a run that was interrupted so is not clean."""
        return [f"the log was rolled back {_rolled_back(rollback)}" for rollback in self.rollbacks]


class _Open(msgspec.Struct):
    """A task that is not done: by which process it was last begun, and what became of the attempts of that one."""

    process: int
    finished: int = 0
    running: bool = False


class InterruptionCount:
    """Counts while a log is written or read, one event after the other."""

    def __init__(self) -> None:
        self._resumed = self._unfinished = self._outages = self._discarded = 0
        self._open: dict[str, _Open] = {}
        self._rollbacks: list[Rollback] = []
        self._programs: dict[Program, None] = {}

    def note(self, event: Event, seq: int) -> None:
        """Take the event that stands at this place of the log."""
        match event:
            case AttemptStarted():
                task = self._open.get(event.task_id)
                if task is None or task.process != self._resumed:
                    self._drop(event.task_id)
                    task = self._open[event.task_id] = _Open(self._resumed)
                self._unfinished += task.running
                task.running = True
            case AttemptFinished():
                task = self._open.get(event.task_id)
                if task is not None and task.running:
                    task.running, task.finished = False, task.finished + 1
            case AttemptInterrupted():
                self._outages += event.cause is msgspec.UNSET
            case TaskFinished():
                task = self._open.pop(event.task_id, None)
                self._unfinished += task is not None and task.running
            case RunResumed():
                self._resume(event, seq)

    def total(self, begun_by: str) -> Interruptions:
        """The figures so far; what is under way counts as unfinished. `begun_by` is the version in the intent."""
        unfinished = self._unfinished + sum(task.running for task in self._open.values())
        discarded = self._discarded + sum(task.finished for task in self._open.values())
        said = _said(
            self._resumed, unfinished, self._outages, discarded, self._rollbacks, list(self._programs), begun_by
        )
        return Interruptions(
            said=said,
            resumed=self._resumed,
            unfinished_attempts=unfinished,
            outages=self._outages,
            discarded_attempts=discarded,
            rollbacks=tuple(self._rollbacks),
            programs=tuple(self._programs),
        )

    def _drop(self, task_id: str) -> None:
        task = self._open.pop(task_id, None)
        if task is not None:
            self._unfinished += task.running
            self._discarded += task.finished

    def _resume(self, event: RunResumed, seq: int) -> None:
        self._resumed += 1
        if (event.harness_version is msgspec.UNSET) != (event.source_sha256 is msgspec.UNSET):
            raise EvidenceError(f"log.jsonl:{seq + 1}: names a version without its sources, or sources without version")
        if event.harness_version is not msgspec.UNSET and event.source_sha256 is not msgspec.UNSET:
            self._programs[Program(version=event.harness_version, source_sha256=event.source_sha256)] = None
        rollback = event.rollback
        if rollback is msgspec.UNSET:
            return
        if rollback.kept != seq or (rollback.seen is not None and rollback.seen <= seq):
            raise EvidenceError(f"log.jsonl:{seq + 1}: a rollback to another place than this one")
        self._rollbacks.append(rollback)


def _said(
    resumed: int,
    unfinished: int,
    outages: int,
    discarded: int,
    rollbacks: list[Rollback],
    programs: list[Program],
    begun_by: str,
) -> str:
    said = [f"resumed {counted(resumed, 'time')}"] if resumed else []
    if unfinished:
        by_outages = f" ({outages} by an outage)" if outages else ""
        said.append(f"{counted(unfinished, 'attempt')} begun and not finished{by_outages}")
    if discarded:
        said.append(f"{discarded} finished and not counted")
    if rollbacks:
        said.append(f"rolled back {_few([_rolled_back(rollback) for rollback in rollbacks])}")
    if programs:
        versions = [
            f"another build of {begun_by[:40]}" if program.version == begun_by
            else f"another version ({begun_by[:40]} -> {program.version[:40]})"
            for program in programs[: MOST_SAID + 1]
        ]  # fmt: skip
        said.append(f"resumed by {_few(versions, len(programs))}")
    return ", ".join(said) or NEVER


def _rolled_back(rollback: Rollback) -> str:
    seen = "a length that is not known" if rollback.seen is None else f"{rollback.seen} lines"
    return f"from {seen} to {rollback.kept}"


def _few(items: list[str], count: int | None = None) -> str:
    more = (len(items) if count is None else count) - MOST_SAID
    return " and ".join(items[:MOST_SAID]) + (f" and {more} more" if more > 0 else "")
