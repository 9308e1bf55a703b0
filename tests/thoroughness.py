"""How much of what could be tried is tried: all of it with `--thorough`, which is what `make test-all` does."""

asked = False
"""Every example of a property, every program started anew, every kill."""


def of(count: int) -> int:
    """So many with `--thorough`, and a quarter of them, if that is ten or more, without."""
    return count if asked else min(count, max(10, count // 4))
