"""What is noted in a run's log: one event per line, in the order in which things happened."""

from typing import Literal

import msgspec

LogSchema = Literal["gaia-harness/log/2"]
LOG_SCHEMA: LogSchema = "gaia-harness/log/2"
"""Times in such a log never go back. Version 0.1 wrote logs that name no schema, with the time that the clock had."""


class Event(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", forbid_unknown_fields=True):
    """An event has its place in the log and its time."""

    seq: int = -1
    time: str = ""


class RunStarted(Event, frozen=True, kw_only=True, tag="run_started"):
    """The run begins, to do exactly this."""

    run_id: str
    model: str
    gaia_split: str
    voting_attempts: int
    tasks: int
    dataset_digest: str
    record_evidence: bool
    intent_sha256: str | None
    schema: LogSchema | msgspec.UnsetType = msgspec.UNSET


class AttemptStarted(Event, frozen=True, kw_only=True, tag="attempt_started"):
    """On disk before the attempt's first model call: an attempt that was started is never forgotten."""

    task_id: str
    attempt: int


class AttemptFinished(Event, frozen=True, kw_only=True, tag="attempt_finished"):
    """An attempt came to its end; the hash is of its steps as they stand in the trajectory, as a JSON array."""

    task_id: str
    attempt: int
    steps: int
    steps_sha256: str | None


class TaskFinished(Event, frozen=True, kw_only=True, tag="task_finished"):
    """A task is done: hashes of its line in trajectories.jsonl (None without evidence) and in results.jsonl.

    `outcome_sha256` is of what a package may tell of the result (`outcome.TaskFacts`): no question, no gold.
    """

    task_id: str
    attempts: int
    trajectory_sha256: str | None
    result_sha256: str | None
    outcome_sha256: str | None = None


class Judged(Event, frozen=True, kw_only=True, tag="judged"):
    """The LLM judge was asked about a task's answer; `verdict` is None where it gave none."""

    task_id: str
    model: str
    prompt_sha256: str
    verdict: bool | None
    cached: bool


class IntegrityEvent(Event, frozen=True, kw_only=True, tag="integrity_event"):
    """Something stored was not what it must be."""

    kind: str
    detail: str


class RecordingFailed(Event, frozen=True, kw_only=True, tag="recording_failed"):
    """Evidence could not be kept: the run cannot be submitted."""

    reason: str
    task_id: str | None = None


class RunResumed(Event, frozen=True, kw_only=True, tag="run_resumed"):
    """The run goes on after a crash or an interruption; what a crash left half-written was taken away."""

    healed: tuple[str, ...] = ()


class RunClosed(Event, frozen=True, kw_only=True, tag="run_closed"):
    """The run is over: `complete`, with every task done, or `aborted`."""

    status: str
    tasks: int
    finished: int
    attempts: int
    submittable: bool


AnyEvent = (
    RunStarted
    | AttemptStarted
    | AttemptFinished
    | TaskFinished
    | Judged
    | IntegrityEvent
    | RecordingFailed
    | RunResumed
    | RunClosed
)
