"""How much of what could be tried is tried: all of it with `--thorough`, which is what `make test-all` does."""

from collections.abc import Sequence
from itertools import product
from typing import Any

asked = False
"""Every example of a property, every program started anew, every kill, every combination."""


def of(count: int) -> int:
    """So many with `--thorough`, and a quarter of them, if that is ten or more, without."""
    return count if asked else min(count, max(10, count // 4))


def crossed(*axes: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Every combination with `--thorough`; without, so many that each value is in one of them."""
    fewest = min(map(len, axes))
    numbers = product(*(range(len(axis)) for axis in axes))
    return [
        tuple(axis[number] for axis, number in zip(axes, at, strict=True))
        for at in numbers
        if asked or sum(at) % fewest == 0
    ]
