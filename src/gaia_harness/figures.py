"""Figures in words, sums with unknown parts, and rates with their confidence intervals."""

import math
from collections.abc import Iterable

import msgspec

Z95 = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""


def counted(count: int, noun: str, plural: str = "") -> str:
    """A number with what is counted: "1 task", "2 tasks"; `plural` where an s alone does not make it."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def money(usd: float) -> str:
    """An amount in dollars, exact enough to be of use."""
    return f"${usd:,.2f}" if usd >= 0.995 or usd == 0 else f"${usd:.4f}"


def total(figures: Iterable[int | None]) -> int | None:
    """The sum of counts, or None where one of them is not known, or no count."""
    counts = list(figures)
    known = [count for count in counts if isinstance(count, int)]
    return sum(known) if len(known) == len(counts) else None


def total_cost(figures: Iterable[float | None]) -> float | None:
    """The sum of amounts, or None where one of them is not known."""
    amounts = list(figures)
    known = [amount for amount in amounts if amount is not None]
    return math.fsum(known) if len(known) == len(amounts) else None


class Rate(msgspec.Struct, frozen=True, kw_only=True):
    """A share of `total`, with its Wilson 95 % interval."""

    total: int
    passed: int
    pass_rate: float
    low: float
    high: float


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
