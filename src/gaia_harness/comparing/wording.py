"""The figures of a comparison in words, for the terminal and the page alike."""

from typing import Any

from gaia_harness.comparing.pairs import Comparison, Ratio, Score
from gaia_harness.figures import counted, money
from gaia_harness.shortening import shorten

LUCK = 0.05
"""At a p above it, a difference may well be luck."""

LONGEST_VALUE = 60

MEASURED = {"cost_usd": "cost", "tokens": "tokens", "turns": "turns", "seconds": "time"}


def verdict(comparison: Comparison) -> str:
    """What the figures say; nothing where there is no score."""
    score, p = comparison.score, comparison.p
    if score is None or p is None:
        return ""
    if score.only_first == score.only_second == 0:
        return f"{comparison.second} and {comparison.first} got the same tasks right"
    counts = f"it won {counted(score.only_second, 'task')} and lost {score.only_first}"
    if p < LUCK:
        better = "better" if score.only_second > score.only_first else "worse"
        return f"{comparison.second} is {better} than {comparison.first}: {counts}"
    return f"the difference may be luck: {comparison.second} against {comparison.first}, {counts}"


def points(score: Score) -> str:
    """A difference with its interval, in percentage points."""
    return f"{100 * score.difference:+.1f} points (95 % interval {100 * score.low:+.1f} to {100 * score.high:+.1f})"


def p_value(p: float | None) -> str:
    """A p as exact as it is of use."""
    if p is None:
        return "not known"
    return f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"


def ratio(name: str, measured: Ratio, comparison: Comparison) -> str:
    """What the second took to what the first took."""
    if measured.tasks == 0:
        return "not known"
    sums = f"{comparison.first} {_amount(name, measured.first)}, {comparison.second} {_amount(name, measured.second)}"
    known = "" if measured.tasks == comparison.tasks else f"; of {measured.tasks} tasks"
    if measured.ratio is None:
        return f"{sums}{known}"
    interval = "" if measured.low is None else f" (95 % interval {measured.low:.2f} to {measured.high:.2f})"
    return f"{measured.ratio:.2f} times{interval}; {sums}{known}"


def _amount(name: str, amount: float) -> str:
    return {"cost_usd": money(amount), "seconds": f"{amount:,.1f} s"}.get(name, f"{amount:,.0f}")


def value(setting: Any) -> str:
    """A setting; one that was not given, or is not known, as a dash."""
    if setting is None:
        return "–"
    return shorten(",".join(map(str, setting)) if isinstance(setting, list | tuple) else str(setting), LONGEST_VALUE)
