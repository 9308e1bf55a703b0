"""The events of a run's log: one per line, in the order in which they happened."""

from typing import Literal

import msgspec

from gaia_harness.records.outcome import Count

LogSchema = Literal["gaia-harness/log/2", "gaia-harness/log/3"]
LOG_SCHEMA: LogSchema = "gaia-harness/log/3"
"""With such a log the trajectories have the model's words in full. With `log/2`, of version 0.2, they were cut.

Times in both never go back. Version 0.1 wrote logs that name no schema, with the time that the clock had.
"""


ToolSums = tuple[Count, Count, Count]
"""Calls of a tool, how many of them failed, and the milliseconds that they took."""


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
    concurrency: int | msgspec.UnsetType = msgspec.UNSET  # tasks at work at once; version 0.1 did not say
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


class AttemptInterrupted(Event, frozen=True, kw_only=True, tag="attempt_interrupted"):
    """An attempt was lost through no fault of the agent; the task is tried again when the run is resumed.

    `cause` is there where it was no outage. `cost_usd` is of all that this process had spent on the task, if known.
    `tools` has the sums of each tool that it had called for the task.
    """

    task_id: str
    attempt: int
    reason: str
    cause: Literal["max_cost"] | msgspec.UnsetType = msgspec.UNSET
    cost_usd: float | msgspec.UnsetType = msgspec.UNSET
    tools: dict[str, ToolSums] | msgspec.UnsetType = msgspec.UNSET


class TaskFinished(Event, frozen=True, kw_only=True, tag="task_finished"):
    """A task is done: hashes of its line in trajectories.jsonl (None without evidence) and in results.jsonl.

    `outcome_sha256` is of what a package may tell of the result (`records.outcome.TaskFacts`): no question, no gold.
    `salted`: the result's line has a salt, without which its gold could be guessed from the hash, as in 0.1.
    """

    task_id: str
    attempts: int
    trajectory_sha256: str | None
    result_sha256: str | None
    outcome_sha256: str | None = None
    salted: bool | msgspec.UnsetType = msgspec.UNSET


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


class Rollback(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The log was `kept` lines long when the run went on, though `seen` lines had been on record; None: not known."""

    kept: int
    seen: int | None


class RunResumed(Event, frozen=True, kw_only=True, tag="run_resumed"):
    """The run goes on after a crash or an interruption; what a crash left half-written was taken away.

    `rollback` is there if the submitter accepted one; version and sources, if they are not those of the intent.
    """

    healed: tuple[str, ...] = ()
    concurrency: int | msgspec.UnsetType = msgspec.UNSET
    rollback: Rollback | msgspec.UnsetType = msgspec.UNSET
    harness_version: str | msgspec.UnsetType = msgspec.UNSET
    source_sha256: str | msgspec.UnsetType = msgspec.UNSET


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
    | AttemptInterrupted
    | TaskFinished
    | Judged
    | IntegrityEvent
    | RecordingFailed
    | RunResumed
    | RunClosed
)
