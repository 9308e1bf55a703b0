"""Sums of figures of which some may not be known: then neither is the sum, and nobody guesses."""

import math
from collections.abc import Iterable


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
