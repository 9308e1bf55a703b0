"""What does a tool call reach for, argument by argument, and does its result say that it got there?"""

import re
import shlex
from collections.abc import Iterator
from functools import cache

import msgspec

from gaia_harness.audit.findings import Finding, Severity, excerpt
from gaia_harness.audit.reaching.paths import is_file_address, resolve
from gaia_harness.audit.reaching.reading import Reach, Reading, read_code, read_shell
from gaia_harness.audit.reaching.tables import calls
from gaia_harness.audit.timeline import Moment, Surroundings
from gaia_harness.protocol import PRINTED_NOTHING
from gaia_harness.records.steps import ToolCallStep, ToolResultStep

MOST_CODE = 2 << 20
"""Characters of code read for one task, which takes a second or two. No honest task has a tenth of it."""

_ADDRESS = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{0,20}://\S")


class Action(msgspec.Struct, frozen=True):
    """One argument of a tool call: its name, its text, and what it reaches for."""

    field: str
    text: str
    reading: Reading
    is_code: bool = True


class TaskActions:
    """The calls of one task, as far as there is room to read them; `unread` counts those that were not read whole."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._left = MOST_CODE
        self.unread = 0

    def of(self, moment: Moment) -> list[Action]:
        """What a call reaches for."""
        step = moment.step
        assert type(step) is ToolCallStep  # noqa: S101 - for the type checker: of what was asked
        if self._left < 0:
            self.unread += 1
            return []
        found = list(_actions(step, moment.role == "code", self._around.workdir))
        self._left -= sum(len(action.text) for action in found)
        self.unread += any(action.reading.cut for action in found)
        return found


def _actions(step: ToolCallStep, runs_code: bool, workdir: str) -> Iterator[Action]:
    if isinstance(step.args, str):
        if runs_code:  # not JSON: what would have been code in it has its line ends and quotes as escapes
            text = step.args.replace("\\n", "\n").replace('\\"', '"')
            yield Action("args", text, read_code(text, workdir))
        return
    for key, value in step.args.items():
        whole = isinstance(value, list) and value and all(isinstance(part, str) for part in value)
        text = shlex.join(value) if whole else value
        if not isinstance(text, str) or not text:
            continue
        kind = _field(key)
        if kind == "shell" and not (runs_code and len(step.args) > 1 and "path" in map(_field, step.args)):
            yield Action(key, text, read_shell(text, workdir))
        elif kind == "code" or (runs_code and kind not in ("path", "address", "shell")):
            yield Action(key, text, read_code(text, workdir))
        elif kind in ("path", "address") or _ADDRESS.match(text):
            address = _ADDRESS.match(text.strip()) and not is_file_address(text.strip())
            reach = Reach("url", text.strip(), 1)
            if not address:
                reach = Reach(_what_with_files(step), resolve(text, workdir), 1)
            if address or kind == "path" or is_file_address(text.strip()):
                yield Action(key, text, Reading((reach,)), is_code=False)


@cache
def _field(name: str) -> str:
    last = re.split(r"[^a-z]+", name.lower().strip("_"))[-1]
    return next((kind for kind in ("code", "shell", "path", "address") if last in calls().fields[kind]), "")


def _what_with_files(step: ToolCallStep) -> str:
    """For what a tool takes a path: by what it is told to do, or because it is given a text."""
    assert isinstance(step.args, dict)  # noqa: S101 - for the type checker
    fields = calls().fields
    orders = {value for key in fields["order"] if isinstance(value := step.args.get(key), str)}
    if orders & set(fields["changing"]):
        return "change"
    last = {re.split(r"[^a-z]+", key.lower())[-1] for key in step.args}
    if orders & set(fields["creating"]) or last & set(fields["text"]):
        return "write"
    return (
        "list"
        if re.search(r"list|dir", step.name)
        else "write"
        if re.search(r"write|create|save", step.name)
        else "read"
    )


@cache
def _results(name: str) -> re.Pattern[str]:
    return re.compile("|".join(calls().results[name]), re.IGNORECASE)


def got_there(result: ToolResultStep | None, reading: Reading) -> bool:
    """Whether what was reached for was reached: nothing in the result says that it was not."""
    if result is None or _results("refusals").search(result.head):
        return False
    text = result.head.strip()
    if result.is_error:
        printed, failed, error = text.partition("Traceback (most recent call last)")
        if not printed.strip() and _results("empty_handed").search(error):
            return False
        return bool(failed)  # of something else, behind what was reached for
    if text == PRINTED_NOTHING:
        return not reading.guarded  # an error would have shown, unless it was caught
    return any(line.strip() not in calls().results["empty"] for line in text.splitlines())


def ran_through(result: ToolResultStep | None, reading: Reading) -> bool:
    """Whether a program came to its end, so that all it imports is there, whatever it printed."""
    return not (result is None or result.is_error or reading.guarded or _results("refusals").search(result.head))


def finding_of(
    task_id: str,
    step: ToolCallStep,
    action: Action,
    reach: Reach,
    severity: Severity,
    rule: str,
    what: str,
    there: bool,
) -> Finding:
    """The finding on something that a call reached for."""
    lines = action.text.split("\n", reach.line) if reach.line < 10_000 else [action.text]
    line = lines[reach.line - 1] if 0 < reach.line <= len(lines) else lines[0]
    before = len("\n".join(lines[: reach.line - 1]).encode("utf-8", "replace")) + (reach.line > 1)
    how = "and nothing says that it was refused" if there else "and did not get there"
    return Finding(
        severity=severity,
        rule=rule,
        task_id=task_id,
        attempt=step.attempt,
        seq=step.seq,
        field=action.field if action.field == "args" else f"args.{action.field}"[:80],
        offset=before,
        summary=f"A call of {step.name[:40]!a} goes for {what}, {how}.",
        excerpt=excerpt(line),
    )
