"""Warnings about failing tools, during a run and at its end."""

import logging
from collections.abc import Callable, Sequence

from gaia_harness.evidence.redaction import Redactor
from gaia_harness.figures import counted
from gaia_harness.protocol import FILE_READ
from gaia_harness.records.tool_use import NOT_OFFERED, ToolUse, ToolUses, in_short, merge_uses

log = logging.getLogger("gaia_harness")

FAILED_FROM_THE_START = 3
"""So many calls of a tool that failed or found nothing, and none before that worked, are said at once."""

FAILED_IN_A_ROW = 10
"""So many are said at once also of a tool that has worked before: a quota that is used up, a ban."""

MOST_SAID = 20
"""Failed calls of one attempt that are told."""

MOST_NAMED = 5
"""Tasks that a warning names."""


class FailingTools:
    """Says of a tool that its calls come to nothing, as soon as it is so; once, until it has worked again."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._in_a_row: dict[str, list[bool]] = {}  # the last calls, each by whether it found nothing
        self._worked: set[str] = set()

    def note(self, name: str, use: ToolUse) -> None:
        """A call has ended."""
        if use.last_error is None and not use.found_nothing:
            self._worked.add(name)
            self._in_a_row.pop(name, None)
            return
        calls, worked = self._in_a_row.setdefault(name, []), name in self._worked
        enough = FAILED_IN_A_ROW if worked else FAILED_FROM_THE_START
        if len(calls) == enough:
            return
        calls.append(use.last_error is None)
        if len(calls) < enough:
            return
        which = f"the {'last' if worked else 'first'} {enough} calls of {_of(name)}"
        if use.last_error is None or any(calls):
            log.warning("%s found nothing or failed", which)
            return
        error = in_short(self._redactor.hide(use.last_error))
        log.warning("%s all failed; the last error: %s", which, in_one_line(error))


class FailingCalls:
    """Says of each call of a boxed agent to the model that it failed: whether to ask again is the agent's to decide."""

    def __init__(self, task_id: str, waits: Callable[[str | None], None], redactor: Redactor) -> None:
        self._task_id = task_id
        self._waits = waits
        self._redactor = redactor
        self._said = 0

    def note(self, error: str | None) -> None:
        """A call has ended; None: with a reply."""
        said = None if error is None else in_short(in_one_line(self._redactor.hide(error)))
        self._waits(None if said is None else f"the model's server: {said}")
        if said is None or self._said >= MOST_SAID:
            return
        self._said += 1
        last = "; further ones are not told" if self._said == MOST_SAID else ""
        log.warning("task %s: a call of the agent to the model failed: %s%s", in_one_line(self._task_id), said, last)


def in_one_line(text: str) -> str:
    """A stranger's words as they may be printed: no terminal is steered."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


class ToolTally:
    """Adds up the tools of finished tasks, one by one; what it keeps does not grow with their number."""

    def __init__(self) -> None:
        self.uses: dict[str, ToolUse] = {}
        self.tasks = self.counted = self.unopened = 0
        self._named: list[str] = []
        self._unread: str | None = None
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
            if uses is not None and FILE_READ in uses:
                self._unread = uses[FILE_READ].last_error
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
            last = "" if use.last_error is None else f"; the last error: {use.last_error}"
            if use.calls == use.errors:
                found.append(f"every call of {_of(name)} failed ({use.errors} of {use.calls}){last}")
            elif use.calls == use.errors + use.found_nothing >= FAILED_FROM_THE_START:
                failed = f" or failed ({use.errors} of {use.calls}){last}" if use.errors else f" ({use.calls} calls)"
                found.append(f"every call of {_of(name)} found nothing{failed}")
            elif use.errors >= FAILED_IN_A_ROW and use.errors * 2 >= use.calls:
                found.append(f"{_of(name)} failed in {use.errors} of {use.calls} calls{last}")
        if self.unopened:
            more = f" and {self.unopened - len(self._named)} more" if self.unopened > len(self._named) else ""
            tasks = counted(self.unopened, "task has", "tasks have")
            why = "" if self._unread is None else f"; the last error of {FILE_READ}: {self._unread}"
            found.append(f"{tasks} a file that was never opened: {', '.join(self._named)}{more}{why}")
        if self.counted < self.tasks:
            found.append(
                f"calls of tools were counted in {self.counted} of {self.tasks} tasks: version 0.1 did not count them"
            )
        return tuple(found)


def _of(name: str) -> str:
    return "tools that are not offered" if name == NOT_OFFERED else name
