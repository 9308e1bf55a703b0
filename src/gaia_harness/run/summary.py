"""Sums up a run. The denominator is every task that was asked for, answered or not."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from gaia_harness.figures import rate, total, total_cost
from gaia_harness.judge import scorer
from gaia_harness.records.interruptions import Interruptions
from gaia_harness.records.origin import Origin
from gaia_harness.records.results import Judgment, TaskResult, Transcribed
from gaia_harness.records.summary import JudgeSummary, Summary
from gaia_harness.records.tool_use import ToolUses
from gaia_harness.run.results import transcribed
from gaia_harness.run.tool_warnings import ToolTally


def not_submittable(
    *,
    recorded: bool,
    declared: bool,
    closed: bool,
    sandboxed: bool,
    integrity_events: int,
    recording_failures: Iterable[str],
    imported: bool = False,
) -> list[str]:
    """Why a run cannot be submitted, beside what its interruptions say."""
    reasons = []
    if imported:
        return ["the run was imported: nobody witnessed it"]
    if not recorded:
        reasons.append("evidence recording was off (--record-evidence=false)")
    if not declared:
        reasons.append("the run was not started with --submit-intent")
    if not closed:
        reasons.append("the run is not closed")
    if not sandboxed:
        reasons.append("python ran without a sandbox")
    if integrity_events:
        reasons.append(f"{integrity_events} entries of the judge cache were not as they were signed")
    return reasons + [f"recording failed: {failure}" for failure in recording_failures]


class Tally:
    """Adds results up one by one: what it keeps does not grow with their number."""

    def __init__(self, asked_by_level: Mapping[int, int], *, has_gold: bool) -> None:
        self.asked = dict(sorted(asked_by_level.items()))
        self.has_gold = has_gold
        self.finished = self.passed = self.first_passed = self.errors = self.answered = 0
        self.turns = self.wall_ms = self.attempts = 0
        self.input_tokens: int | None = 0
        self.output_tokens: int | None = 0
        self.cost_usd: float | None = 0.0
        self._passed_by_level = dict.fromkeys(self.asked, 0)
        self.legacy_entries = 0
        self._judge: JudgeSummary | None = None
        self._tools = ToolTally()
        self._transcription: Transcribed | None = None

    @property
    def total(self) -> int:
        """Every task that was asked for."""
        return sum(self.asked.values())

    def add(self, result: TaskResult) -> None:
        """Count one finished task."""
        self.finished += 1
        self.passed += bool(result.correct)
        self._passed_by_level[result.level] += bool(result.correct)
        self.first_passed += bool(result.voting.first_attempt_correct)
        self.errors += result.error is not None
        self.answered += bool(result.answer)
        self.turns += result.turns
        self.attempts += result.attempts
        self.wall_ms += result.wall_ms
        self.input_tokens = total((self.input_tokens, result.input_tokens))
        self.output_tokens = total((self.output_tokens, result.output_tokens))
        self.cost_usd = total_cost((self.cost_usd, result.cost_usd))
        self._tools.add(
            result.task_id,
            None if result.tools is msgspec.UNSET else result.tools,
            result.tools_used,
            unopened=result.attachment_opened is False,
            # no tokens at all: every call of the model failed
            replied=bool(result.answer) or result.input_tokens != 0,
        )
        if result.transcription:
            self._transcription = transcribed(filter(None, (self._transcription, result.transcription)))
        if result.judge is not None:
            self._add_judgment(result.judge)

    def add_lost(self, tools: ToolUses) -> None:
        """Count the tool calls of lost attempts."""
        self._tools.add_lost(tools)

    @property
    def replied(self) -> bool:
        """Whether the model has replied in any finished task."""
        return self._tools.replied

    def _add_judgment(self, judgment: Judgment) -> None:
        self.legacy_entries += judgment.cache == "legacy"
        so_far = self._judge or JudgeSummary(
            model=judgment.model,
            asked=0,
            said_correct=0,
            said_wrong=0,
            no_verdict=0,
            cache_hits=0,
            calls=0,
            input_tokens=0,
            output_tokens=0,
            est_cost_usd=0.0,
        )
        self._judge = JudgeSummary(
            model=judgment.model,
            asked=so_far.asked + 1,
            said_correct=so_far.said_correct + (judgment.verdict is True),
            said_wrong=so_far.said_wrong + (judgment.verdict is False),
            no_verdict=so_far.no_verdict + (judgment.verdict is None),
            cache_hits=so_far.cache_hits + judgment.cached,
            calls=so_far.calls + judgment.calls,
            input_tokens=total((so_far.input_tokens, judgment.input_tokens)),
            output_tokens=total((so_far.output_tokens, judgment.output_tokens)),
            est_cost_usd=total_cost((so_far.est_cost_usd, judgment.cost_usd)),
        )

    def summary(
        self,
        *,
        seed: int | None,
        dataset: str,
        dataset_revision: str | None,
        dataset_digest: str,
        split: str,
        voting_attempts: int,
        integrity_events: int,
        non_submittable_reasons: Iterable[str],
        interruptions: Interruptions | msgspec.UnsetType = msgspec.UNSET,
        paused: str | None = None,
        origin: Origin | msgspec.UnsetType = msgspec.UNSET,
        warnings: Sequence[str] = (),
    ) -> Summary:
        """The figures so far. `warnings` are those that no task shows."""
        total = self.total
        overall = rate(self.passed, total) if self.has_gold else None
        reasons = tuple(non_submittable_reasons)
        return Summary(
            total=total,
            finished=self.finished,
            passed=None if overall is None else overall.passed,
            pass_rate=None if overall is None else overall.pass_rate,
            pass_rate_interval_95=None if overall is None else (overall.low, overall.high),
            passed_first_attempt=self.first_passed if self.has_gold else None,
            levels={
                str(level): rate(self._passed_by_level[level], asked) if self.has_gold else None
                for level, asked in self.asked.items()
            },
            errors=self.errors,
            empty_rate=(total - self.answered) / total if total else 0.0,
            mean_turns=self.turns / self.finished if self.finished else None,
            mean_wall_ms=self.wall_ms / self.finished if self.finished else None,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            est_cost_usd=self.cost_usd,
            seed=seed,
            dataset=dataset,
            dataset_revision=dataset_revision,
            dataset_digest=dataset_digest,
            scorer=scorer.NAME,
            scorer_version=scorer.VERSION,
            gaia_split=split,
            voting_attempts=voting_attempts,
            view="primary" if voting_attempts == 1 else "majority",
            judge=self._judge,
            judge_cache_integrity_events=integrity_events,
            judge_cache_legacy_entries=self.legacy_entries,
            interruptions=interruptions,
            paused=paused,
            tools=self._tools.uses,
            warnings=(*warnings, *self._tools.warnings()),
            transcription=self._transcription or msgspec.UNSET,
            origin=origin,
            submittable=not reasons,
            non_submittable_reasons=reasons,
        )
