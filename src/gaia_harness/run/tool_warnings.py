"""Warnings about failing tools, during a run and at its end."""

import logging
from collections.abc import Sequence

from gaia_harness.evidence.redaction import Redactor
from gaia_harness.records.tool_use import NOT_OFFERED, ToolUse, ToolUses, in_short, merge_uses

log = logging.getLogger("gaia_harness")

FAILED_FROM_THE_START = 3
"""So many calls of a tool that all failed are worth a warning; fewer can be a slip of the model's."""

MOST_NAMED = 5
"""Tasks that a warning names."""


class FirstCalls:
    """Says once of a tool that its first calls have all failed, as soon as it is so."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._failed: dict[str, int] = {}
        self._settled: set[str] = set()

    def note(self, name: str, use: ToolUse) -> None:
        """A call has ended."""
        if name in self._settled:
            return
        if use.last_error is None:
            self._settled.add(name)
            return
        self._failed[name] = self._failed.get(name, 0) + 1
        if self._failed[name] == FAILED_FROM_THE_START:
            self._settled.add(name)
            error = in_short(self._redactor.hide(use.last_error))
            # the error may be a stranger's words: no terminal is steered
            said = "".join(sign if sign.isprintable() else " " for sign in error)
            log.warning("the first %d calls of %s all failed; the last error: %s", self._failed[name], _of(name), said)


class ToolTally:
    """Adds up the tools of finished tasks, one by one; what it keeps does not grow with their number."""

    def __init__(self) -> None:
        self.uses: dict[str, ToolUse] = {}
        self.tasks = self.counted = self.unopened = 0
        self._named: list[str] = []
        self._called = self.replied = False

    def add(
        self, task_id: str, uses: ToolUses | None, tools_used: Sequence[str], *, unopened: bool, replied: bool
    ) -> None:
        """Count one task. `uses` is None where the calls were not counted, `replied` whether the model ever did."""
        self.tasks += 1
        self._called |= bool(uses or tools_used)
        self.replied |= replied
        if uses is not None:
            self.counted += 1
            self.uses = merge_uses((self.uses, uses))
        if unopened:
            self.unopened += 1
            if len(self._named) < MOST_NAMED:
                self._named.append(task_id)

    def add_lost(self, uses: ToolUses) -> None:
        """Count the tool calls of lost attempts."""
        self._called |= bool(uses)
        self.uses = merge_uses((self.uses, uses))

    def warnings(self) -> tuple[str, ...]:
        """What a person should know before believing the score."""
        found = []
        if self.replied and not self._called:
            found.append(
                "no tool was ever called: the model or its server may not support tool calls "
                "(llama.cpp's server may need --jinja, vLLM's --enable-auto-tool-choice)"
            )
        for name, use in self.uses.items():
            if use.calls == use.errors >= FAILED_FROM_THE_START:
                last = "" if use.last_error is None else f"; the last error: {use.last_error}"
                found.append(f"every call of {_of(name)} failed ({use.errors} of {use.calls}){last}")
        if self.unopened:
            more = f" and {self.unopened - len(self._named)} more" if self.unopened > len(self._named) else ""
            tasks = "1 task has" if self.unopened == 1 else f"{self.unopened} tasks have"
            found.append(f"{tasks} a file that was never opened: {', '.join(self._named)}{more}")
        if self.counted < self.tasks:
            found.append(
                f"calls of tools were counted in {self.counted} of {self.tasks} tasks: version 0.1 did not count them"
            )
        return tuple(found)


def _of(name: str) -> str:
    return "tools that are not offered" if name == NOT_OFFERED else name
