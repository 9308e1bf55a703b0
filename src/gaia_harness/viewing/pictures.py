"""The geometry of the page's pictures. The template draws it as SVG; every mark differs by shape, not by colour alone.

Lengths are units of the picture's own coordinates, of which a picture is `WIDTH` wide.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import median

import msgspec

from gaia_harness.figures import Rate, counted
from gaia_harness.viewing.story import TaskLine
from gaia_harness.viewing.unseen import named

WIDTH = 380
LEFT, RIGHT = 74, 8
FIGURES = 66
"""Room for the figures behind the intervals."""
ROW = 30
BINS = 72
PITCH, TALLEST = 4.6, 96.0
"""Between marks above each other, and how high they may stand: where they are many, they stand closer."""
MOST_TOOLS = 12
NAMES, LONGEST_NAME = 100, 15
"""Room for the names of tools, and how many characters of one fit there."""


class Tick(msgspec.Struct, frozen=True):
    """A line of a scale, and what it stands for."""

    x: float
    said: str


class IntervalRow(msgspec.Struct, frozen=True):
    """A rate with its interval."""

    label: str
    short: str
    said: str
    y: float
    low: float
    x: float
    high: float


class Intervals(msgspec.Struct, frozen=True):
    """Several rates on one scale from 0 to 100 %."""

    height: float
    rows: tuple[IntervalRow, ...]
    ticks: tuple[Tick, ...]
    said: str


class Strip(msgspec.Struct, frozen=True):
    """One group of marks, as the path that draws them; `median` is where half of them are."""

    label: str
    y: float
    dots: str
    crosses: str
    median: float | None
    said: str


class Strips(msgspec.Struct, frozen=True):
    """Tasks along a scale, right and wrong apart."""

    title: str
    height: float
    strips: tuple[Strip, ...]
    ticks: tuple[Tick, ...]
    said: str


class Bar(msgspec.Struct, frozen=True):
    """A tool: how often it was called, and how many of these calls failed."""

    label: str
    y: float
    width: float
    failed: float
    said: str


class Bars(msgspec.Struct, frozen=True):
    """Tools, the most used first."""

    height: float
    left: float
    bars: tuple[Bar, ...]
    said: str


def intervals(rates: Sequence[tuple[str, Rate]]) -> Intervals:
    """Rates below each other, each with its 95 % interval."""
    rows = tuple(
        IntervalRow(
            label=label,
            short=f"{rate.passed} of {rate.total}",
            said=said_rate(rate),
            y=round(14 + place * ROW, 1),
            low=_across(rate.low, FIGURES),
            x=_across(rate.pass_rate, FIGURES),
            high=_across(rate.high, FIGURES),
        )
        for place, (label, rate) in enumerate(rates)
    )
    ticks = tuple(Tick(_across(share, FIGURES), f"{share:.0%}") for share in (0.0, 0.25, 0.5, 0.75, 1.0))
    said = "; ".join(f"{row.label}: {row.said}" for row in rows)
    return Intervals(height=len(rows) * ROW + 22, rows=rows, ticks=ticks, said=said)


def said_rate(rate: Rate) -> str:
    """A rate in words, with its interval."""
    return f"{rate.passed} of {rate.total}, {rate.pass_rate:.1%} ({rate.low:.1%} to {rate.high:.1%})"


LEAST = 1e-9
"""What is less is drawn as nothing: no power of ten need be found for it."""


def strips(
    title: str,
    lines: Iterable[TaskLine],
    value: Callable[[TaskLine], float | None],
    said: Callable[[float], str],
    *,
    logarithmic: bool = False,
) -> Strips | None:
    """One mark for each task that is done; None where the figure is known of none, or nothing for all."""
    groups: dict[str, list[float]] = {}
    for line in lines:
        figure = value(line) if line.state == "done" else None
        if figure is not None and math.isfinite(figure) and figure >= 0:
            groups.setdefault(_group(line), []).append(figure if figure >= LEAST else 0.0)
    figures = [figure for group in groups.values() for figure in group]
    most = max(figures, default=0.0)
    if most <= 0:
        return None
    least = min((figure for figure in figures if figure > 0), default=most)
    logarithmic = logarithmic and most / least > 20
    scale = _log_scale(least, most) if logarithmic else _linear_scale(most)
    found, y = [], 0.0
    for label in (each for each in ("right", "wrong", "not scored") if each in groups):
        path, height = _marks(groups[label], scale, y, cross=label == "wrong")
        middle = median(groups[label])
        y += height
        found.append(
            Strip(
                label=label,
                y=round(y, 1),
                dots="" if label == "wrong" else path,
                crosses=path if label == "wrong" else "",
                median=round(scale(middle), 1),
                said=f"{label}: {counted(len(groups[label]), 'task')}, median {said(middle)}",
            )
        )
    marks = _decades(least, most) if logarithmic else _round_steps(most)
    ticks = tuple(Tick(round(scale(mark), 1), said(mark)) for mark in marks)
    return Strips(title, y + 20, tuple(found), ticks, "; ".join(strip.said for strip in found))


def bars(tools: Mapping[str, tuple[int, int]]) -> Bars | None:
    """Calls and failures by tool; None where no tool was called."""
    ranked = sorted(tools.items(), key=lambda item: (-item[1][0], item[0]))
    if not ranked:
        return None
    most = ranked[0][1][0] or 1
    room = WIDTH - NAMES - RIGHT - 90
    found = []
    for place, (tool, (calls, failed)) in enumerate(ranked[:MOST_TOOLS]):
        name = named(tool)
        said = counted(calls, "call") + (f", {failed} failed" if failed else "")
        found.append(
            Bar(
                label=name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…",
                y=place * 24 + 4,
                width=round(max(2, room * calls / most), 1),
                failed=round(room * failed / most, 1),
                said=said,
            )
        )
    said = "; ".join(f"{bar.label}: {bar.said}" for bar in found)
    if len(ranked) > MOST_TOOLS:
        said += f"; and {len(ranked) - MOST_TOOLS} more"
    return Bars(len(found) * 24 + 8, NAMES, tuple(found), said)


def _across(share: float, right: float = RIGHT) -> float:
    return round(LEFT + share * (WIDTH - LEFT - right - 6), 1)


def _group(line: TaskLine) -> str:
    return "not scored" if line.correct is None else "right" if line.correct else "wrong"


def _linear_scale(most: float) -> Callable[[float], float]:
    top = _round_steps(most)[-1]
    return lambda figure: _across(figure / top)


def _log_scale(least: float, most: float) -> Callable[[float], float]:
    low, high = math.floor(math.log10(least)), math.ceil(math.log10(most))
    span = max(1, high - low)
    return lambda figure: _across((math.log10(max(figure, 10.0**low)) - low) / span)


def _decades(least: float, most: float) -> list[float]:
    low, high = math.floor(math.log10(least)), math.ceil(math.log10(most))
    every = max(1, (high - low) // 5 + 1)
    return [10.0**power for power in range(low, max(high, low + 1) + 1, every)]


def _round_steps(most: float) -> list[float]:
    """Four or five round figures from nothing to a little more than the most."""
    rough = most / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)
    return [step * number for number in range(math.ceil(most / step - 1e-9) + 1)]


def _marks(figures: Sequence[float], scale: Callable[[float], float], top: float, *, cross: bool) -> tuple[str, float]:
    """The path of stacked marks, and how high they are together."""
    bins: dict[int, int] = {}
    places = []
    for figure in sorted(figures):
        column = round((scale(figure) - LEFT) / (WIDTH - LEFT - RIGHT) * BINS)
        level = bins.get(column, 0)
        bins[column] = level + 1
        places.append((LEFT + column * (WIDTH - LEFT - RIGHT) / BINS, level))
    highest = max(bins.values())
    pitch = min(PITCH, TALLEST / highest)
    height = max(3 * PITCH, highest * pitch) + 8
    bottom = top + height - 4
    drawn = dict.fromkeys((round(x, 1), round(bottom - level * pitch, 1)) for x, level in places)
    if cross:
        return "".join(f"M{x - 1.6:.1f} {y - 1.6:.1f}l3.2 3.2m0-3.2l-3.2 3.2" for x, y in drawn), height
    return "".join(f"M{x} {y}h0" for x, y in drawn), height
