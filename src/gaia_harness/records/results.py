"""results.jsonl of a run: outcomes with questions and gold answers. It never leaves the machine."""

import msgspec

from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.tool_use import ToolUse


class Scoring(msgspec.Struct, frozen=True, kw_only=True):
    """How `correct` was decided. `rule` is None where there is no gold to decide it by."""

    scorer: str
    version: str
    rule: str | None


class Voting(msgspec.Struct, frozen=True, kw_only=True):
    """How an answer was chosen: the attempt it is from, votes for it, votes cast, what each finished attempt said."""

    selected_attempt: int
    votes: int
    cast: int
    answers: tuple[str | None, ...]
    first_attempt_correct: bool | None


class Judgment(msgspec.Struct, frozen=True, kw_only=True):
    """What the judge thinks, as it stands in the `judge` field of results.jsonl.

    `verdict` is None where there is none, and `error` says why. `cache` is what the cache had: `off`, `miss`, `hit`,
    `legacy` or `tampered`. Calls, tokens and cost are the judge's own; a cached judgment has none.
    """

    verdict: bool | None
    reason: str
    error: str | None
    model: str
    prompt_version: str
    prompt_sha256: str
    cached: bool
    cache: str
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


class Transcribed(msgspec.Struct, frozen=True, kw_only=True):
    """Audio that was transcribed: files, their length, and a cost that is not part of the task's. None: not known."""

    files: int
    seconds: float | None
    cost_usd: float | None


class TaskResult(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of one task. Turns, tokens, cost and time are those of all its attempts together.

    `salt` is random and never leaves this file: it keeps the gold from being guessed from the line's hash in the log.
    `attachment_opened` is None where the task has no file.
    """

    task_id: str
    level: int
    question: str
    model: str
    correct: bool | None
    answer: str | None
    expected_output: str | None
    error: str | None
    turns: int
    wall_ms: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    attempts: int
    tools_used: tuple[str, ...]
    scoring: Scoring
    voting: Voting
    judge: Judgment | None = None
    salt: str | msgspec.UnsetType = msgspec.UNSET
    tools: dict[str, ToolUse] | msgspec.UnsetType = msgspec.UNSET
    attachment_opened: bool | msgspec.UnsetType | None = msgspec.UNSET
    transcription: Transcribed | msgspec.UnsetType = msgspec.UNSET


class StatedResult(TaskFacts, frozen=True, kw_only=True):
    """What an audit asks of a line that any version may have written, or anybody changed."""

    question: str
    expected_output: str | None
