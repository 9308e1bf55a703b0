"""The statistics of comparisons: exact formulas in plain Python, each with its source."""

import math
import random
from collections.abc import Sequence
from fractions import Fraction

from gaia_harness.figures import wilson

RESAMPLES = 2000
SEED = 20231121
"""Of the bootstrap: the same runs give the same interval, whoever compares them. It is the date of GAIA's paper."""


def newcombe_paired(both: int, first: int, second: int, neither: int) -> tuple[float, float]:
    """The 95 % interval of the second share minus the first, of pairs that both, one or neither got right.

    R. G. Newcombe, Improved confidence intervals for the difference between binomial proportions based on paired data,
    Statistics in Medicine 17 (1998), 2635-2650: method 10.
    """
    n = both + first + second + neither
    if n == 0:
        return -1.0, 1.0
    right_first, right_second = both + first, both + second
    p1, p2 = right_first / n, right_second / n
    (low1, high1), (low2, high2) = wilson(right_first, n), wilson(right_second, n)
    phi = _phi(both, first, second, neither)
    below = _hypotenuse(p2 - low2, high1 - p1, phi)
    above = _hypotenuse(high2 - p2, p1 - low1, phi)
    return max(-1.0, p2 - p1 - below), min(1.0, p2 - p1 + above)


def _phi(both: int, first: int, second: int, neither: int) -> float:
    """How alike the two are, corrected for continuity where that is above nothing; 0 where one never varies."""
    margins = (both + first) * (second + neither) * (both + second) * (first + neither)
    if margins == 0:
        return 0.0
    product = both * neither - first * second
    if product > 0:
        return max(product - (both + first + second + neither) / 2, 0.0) / math.sqrt(margins)
    return product / math.sqrt(margins)


def _hypotenuse(one: float, other: float, phi: float) -> float:
    return math.sqrt(max(one * one - 2 * phi * one * other + other * other, 0.0))


def mcnemar_exact(first: int, second: int) -> float:
    """The exact two-sided p of McNemar's test, of the pairs that only the first or only the second got right.

    Q. McNemar, Psychometrika 12 (1947), 153-157, with the binomial distribution in place of the approximation.
    """
    n = first + second
    tail = ways = 1  # whole numbers until the end: exact for any number of pairs
    for k in range(min(first, second)):
        ways = ways * (n - k) // (k + 1)
        tail += ways
    return 1.0 if 2 * tail >= 1 << n else float(Fraction(2 * tail, 1 << n))


def holm(p_values: Sequence[float]) -> list[float]:
    """p-values corrected for their number, in the order in which they came.

    S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979),
    65-70.
    """
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, at in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[at]))
        corrected[at] = largest
    return corrected


Columns = Sequence[tuple[Sequence[float], Sequence[float]]]
"""What is measured of each pair: for every measure, the values of the first and those of the second."""


def ratio_intervals(
    columns: Columns, *, resamples: int = RESAMPLES, seed: int = SEED
) -> list[tuple[float, float] | None]:
    """The 95 % interval of each ratio of sums, second to first; None where the first may come to nothing.

    The percentile bootstrap over pairs: B. Efron, R. J. Tibshirani, An Introduction to the Bootstrap (1993), chapter
    13. All measures have the same pairs, and are drawn together.
    """
    size = len(columns[0][0]) if columns else 0
    if size == 0:
        return [None] * len(columns)
    draw = random.Random(seed).random  # noqa: S311 - of which Python promises the same numbers for ever
    ratios: list[list[float]] = [[] for _ in columns]
    for _ in range(resamples):
        picks = [int(draw() * size) for _ in range(size)]
        for found, (first, second) in zip(ratios, columns, strict=True):
            below = math.fsum(map(first.__getitem__, picks))
            if below > 0:
                found.append(math.fsum(map(second.__getitem__, picks)) / below)
    return [
        (quantile(found, 0.025), quantile(found, 0.975)) if len(found) == resamples else None
        for found in map(sorted, ratios)
    ]


def quantile(ordered: Sequence[float], share: float) -> float:
    """A quantile of values in their order, between the two next to it (R. J. Hyndman, Y. Fan, 1996: type 7)."""
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def pass_at(runs: int, right: int, k: int) -> float:
    """Of a task: how likely one of `k` runs is right, by `right` of `runs`; unbiased.

    M. Chen and others, Evaluating Large Language Models Trained on Code, arXiv 2107.03374 (2021), equation 1.
    """
    return 1.0 - math.comb(runs - right, k) / math.comb(runs, k)


def pass_all(runs: int, right: int, k: int) -> float:
    """Of a task: how likely all of `k` runs are right (pass^k), by `right` of `runs`; unbiased.

    S. Yao and others, tau-bench, arXiv 2406.12045 (2024), section 3.
    """
    return math.comb(right, k) / math.comb(runs, k)


def mean_and_error(values: Sequence[float]) -> tuple[float, float | None]:
    """The mean and its standard error; no error of a single value."""
    mean = math.fsum(values) / len(values)
    if len(values) < 2:
        return mean, None
    variance = math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1)
    return mean, math.sqrt(variance / len(values))
