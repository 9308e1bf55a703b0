"""Statistics of tool use: calls, errors and time of each tool."""

from collections.abc import Iterable, Mapping

import msgspec

from gaia_harness.shortening import shorten

NOT_OFFERED = "(not offered)"
"""Where calls of tools that do not exist are counted: their names are the model's words, of any number."""

_TRACEBACK = "Traceback (most recent call last):"

LONGEST_ERROR = 300
"""Characters that are kept of an error, once secrets are masked in it: half a secret cannot be recognised."""


class ToolUse(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of one tool. `wall_ms` is the time of each call added up, also of calls that ran side by side.

    `empty` counts searches that worked and found nothing; unset where there was none.
    """

    calls: int
    errors: int
    wall_ms: int
    last_error: str | None = None
    empty: int | msgspec.UnsetType = msgspec.UNSET

    @property
    def found_nothing(self) -> int:
        """`empty` as a number."""
        return 0 if self.empty is msgspec.UNSET else self.empty


ToolUses = Mapping[str, ToolUse]


def one_call(seconds: float, error: str | None, *, empty: bool = False) -> ToolUse:
    """A single call; without an error it worked."""
    return ToolUse(
        calls=1,
        errors=int(error is not None),
        wall_ms=round(seconds * 1000),
        last_error=error,
        empty=1 if empty else msgspec.UNSET,
    )


def in_short(error: str) -> str:
    """An error in one line that is not too long; of a traceback, the line that says what went wrong."""
    if _TRACEBACK in error:
        error = error.strip().splitlines()[-1]
    line = " ".join(error.split())
    return shorten(line, LONGEST_ERROR)


def with_short_errors(uses: ToolUses) -> dict[str, ToolUse]:
    """The same statistics, with errors shortened for storage."""
    return {
        name: use if use.last_error is None else msgspec.structs.replace(use, last_error=in_short(use.last_error))
        for name, use in uses.items()
    }


def merge_uses(uses: Iterable[ToolUses]) -> dict[str, ToolUse]:
    """Merge statistics by tool, sorted by name; the last error is kept."""
    added: dict[str, ToolUse] = {}
    for each in uses:
        for name, use in each.items():
            before = added.get(name)
            added[name] = use if before is None else _sum(before, use)
    return dict(sorted(added.items()))


def _sum(first: ToolUse, second: ToolUse) -> ToolUse:
    return ToolUse(
        calls=first.calls + second.calls,
        errors=first.errors + second.errors,
        wall_ms=first.wall_ms + second.wall_ms,
        last_error=first.last_error if second.last_error is None else second.last_error,
        empty=first.found_nothing + second.found_nothing or msgspec.UNSET,
    )
