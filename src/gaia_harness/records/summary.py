"""summary.json: the figures of a run."""

import msgspec

from gaia_harness.figures import Rate
from gaia_harness.records.interruptions import Interruptions
from gaia_harness.records.origin import Origin
from gaia_harness.records.outcome import Count
from gaia_harness.records.results import Transcribed
from gaia_harness.records.tool_use import ToolUse


class JudgeSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What the LLM judge did, beside the score and never part of it. Its calls, tokens and cost are its own."""

    model: str
    asked: int
    said_correct: int
    said_wrong: int
    no_verdict: int
    cache_hits: int
    calls: int
    input_tokens: int | None
    output_tokens: int | None
    est_cost_usd: float | None


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a run. `passed` and all rates are None where there is no gold, and nothing is claimed."""

    total: int
    finished: int
    passed: int | None
    pass_rate: float | None
    pass_rate_interval_95: tuple[float, float] | None
    passed_first_attempt: int | None
    levels: dict[str, Rate | None]
    errors: int
    empty_rate: float
    mean_turns: float | None
    mean_wall_ms: float | None
    input_tokens: int | None
    output_tokens: int | None
    est_cost_usd: float | None
    seed: int | None
    dataset: str
    dataset_revision: str | None
    dataset_digest: str
    scorer: str
    scorer_version: str
    gaia_split: str
    voting_attempts: int
    view: str
    judge: JudgeSummary | None
    judge_cache_integrity_events: int
    judge_cache_legacy_entries: int
    interruptions: Interruptions | msgspec.UnsetType = msgspec.UNSET
    paused: str | None = None
    tools: dict[str, ToolUse] | msgspec.UnsetType = msgspec.UNSET
    warnings: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    transcription: Transcribed | msgspec.UnsetType = msgspec.UNSET
    origin: Origin | msgspec.UnsetType = msgspec.UNSET
    submittable: bool
    non_submittable_reasons: tuple[str, ...]


class StatedSummary(msgspec.Struct):
    """What an audit asks of the summary of a run that any version may have made, or anybody changed."""

    judge_cache_integrity_events: Count
    gaia_split: str | None = None
    dataset_digest: str | None = None
    total: Count | None = None
    finished: Count | None = None
    passed: Count | None = None
