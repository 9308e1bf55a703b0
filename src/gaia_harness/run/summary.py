"""What a run came to: summary.json. The denominator is every task that was asked for, answered or not."""

import math
from collections.abc import Iterable, Mapping

import msgspec

from gaia_harness.judge import scorer
from gaia_harness.run.results import TaskResult

Z95 = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """A share of `total`, with its Wilson 95 % interval."""

    total: int
    passed: int
    pass_rate: float
    low: float
    high: float


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
    submittable: bool
    non_submittable_reasons: tuple[str, ...]


def wilson(passed: int, total: int) -> tuple[float, float]:
    """Wilson's 95 % score interval of a share (E. B. Wilson, 1927)."""
    if total == 0:
        return 0.0, 1.0
    share, z2 = passed / total, Z95 * Z95
    centre = share + z2 / (2 * total)
    spread = Z95 * math.sqrt(share * (1 - share) / total + z2 / (4 * total * total))
    low, high = (centre - spread) / (1 + z2 / total), (centre + spread) / (1 + z2 / total)
    # at the ends the interval touches the end exactly; floating point would leave it just beside
    return (0.0 if passed == 0 else low), (1.0 if passed == total else high)


def rate(passed: int, total: int) -> Rate:
    """The share with its interval."""
    low, high = wilson(passed, total)
    return Rate(total=total, passed=passed, pass_rate=passed / total if total else 0.0, low=low, high=high)


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
        self.input_tokens = _plus(self.input_tokens, result.input_tokens)
        self.output_tokens = _plus(self.output_tokens, result.output_tokens)
        if self.cost_usd is not None:
            self.cost_usd = None if result.cost_usd is None else self.cost_usd + result.cost_usd

    def summary(
        self,
        *,
        seed: int | None,
        dataset: str,
        dataset_revision: str | None,
        dataset_digest: str,
        split: str,
        voting_attempts: int,
        non_submittable_reasons: Iterable[str],
    ) -> Summary:
        """The figures so far."""
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
            submittable=not reasons,
            non_submittable_reasons=reasons,
        )


def _plus(total: int | None, more: int | None) -> int | None:
    return None if total is None or more is None else total + more
