"""The neutral form of a task-run: what every importer gives, and what the format `jsonl` is written in.

What a format does not say stays unset. Nothing is made up: no time, no token count, no hash.
"""

from typing import Any, Literal

import msgspec

from gaia_harness.protocol import ToolRole

StepType = Literal["prompt", "llm_call", "tool_call", "tool_result", "answer"]


class NeutralSource(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a part of a tool's output comes from: one search hit, one page."""

    url: str = ""
    title: str = ""
    text: str = ""


class NeutralStep(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One thing that happened, in order.

    prompt: `text` was put before the model, with the `role` system, user or tools.
    llm_call: the model said `text`, perhaps with `thoughts` beside it.
    tool_call: the tool `name` was called with `args` (an object), or with `text` where that is no object.
    tool_result: it gave back `text`. Without a `call_id` it belongs to the last open call of that name.
    answer: `text` was handed in as the answer, by a tool or a variable.

    `role` of a call says what the tool does (see `protocol.ToolRole`) where the format knows it for this call alone.
    `agent` names the sub-agent that did it; `parent` is the `call_id` of the call that started that agent.
    `cut` says that the text was cut before it was recorded, so that more of it existed.
    `time` is as the format has it, in ISO 8601; `took_ms` is how long the model or the tool took.
    """

    type: StepType
    text: str = ""
    role: str | None = None
    name: str | None = None
    args: dict[str, Any] | None = None
    call_id: str | None = None
    url: str | None = None
    sources: tuple[NeutralSource, ...] = ()
    is_error: bool = False
    agent: str | None = None
    parent: str | None = None
    time: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    model: str | None = None
    thoughts: str = ""
    stop_reason: str | None = None
    took_ms: int | None = None
    cut: bool = False


class NeutralRun(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One task-run: what was asked, what happened, what was answered.

    `task_id` or `question` is there, or both. Rows with the same `run` (a name) go into one run folder. Several rows
    of one run and one task are attempts where they have the numbers 1, 2, … in `attempt`; else the second begins a run
    `NAME-2`.
    `correct` is the score that the file states, to be compared with ours; it is never taken over.
    `tools` gives the role of each tool by its name. `attachments` are the paths under which the agent had the task's
    files, `workdir` is the folder it worked in, `isolation` how its code was contained.
    `gaps` says in plain sentences what the file does not have, of this run.
    """

    steps: tuple[NeutralStep, ...]
    task_id: str | None = None
    question: str | None = None
    run: str = "run"
    model: str | None = None
    answer: str | None = None
    attempt: int | None = None
    correct: bool | None = None
    error: str | None = None
    tools: dict[str, ToolRole] = {}
    workdir: str | None = None
    attachments: tuple[str, ...] = ()
    isolation: str | None = None
    gaps: tuple[str, ...] = ()
