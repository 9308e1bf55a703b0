"""What does a tool call reach for, argument by argument, and does its result say that it got there?"""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import msgspec

from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.findings import Finding, Severity, excerpt, found
from gaia_harness.audit.reaching.folding import LONGEST_PATH
from gaia_harness.audit.reaching.paths import is_address, is_file_address, resolve
from gaia_harness.audit.reaching.reading import Reach, Reading, read_code, read_shell
from gaia_harness.audit.reaching.tables import argument, says, table
from gaia_harness.audit.timeline import Moment
from gaia_harness.records.steps import ToolCallStep, ToolResultStep

MOST_CODE = 2 << 20  # characters of code read for one task, in a second or two; no honest task has a tenth of it


class Action(msgspec.Struct, frozen=True):
    """One argument of a tool call: its name, its text, what it reaches for, and what came back of the call."""

    step: ToolCallStep
    result: ToolResultStep | None
    field: str
    text: str
    reading: Reading


class Verdict(NamedTuple):
    """What a reach comes to: severity if it got there, and if not, the rule, and in words what was reached for."""

    reached: Severity
    refused: Severity
    rule: str
    what: str


Judge = Callable[[Action, Reach], Verdict | None]
"""Says what a reach of an action comes to, if anything. It is asked about all of a task, in order."""


def calls_in(timeline: Iterable[Moment]) -> list[tuple[Moment, ToolCallStep]]:
    """The calls of a task."""
    return [(moment, moment.step) for moment in timeline if type(moment.step) is ToolCallStep]


def findings_in(task: TaskEvidence, judge: Judge, unread: str = "") -> Iterator[Finding]:
    """What the calls of a task come to, by this judge; those not read to their end, by a rule of this name if any."""
    left, not_read = MOST_CODE, 0
    for moment, step in calls_in(task.timeline):
        said: set[tuple[str, str]] = set()
        cut = left < 0
        for action in () if cut else _actions(moment, step, task.around.workdir):
            left -= len(action.text)
            cut = cut or action.reading.cut
            for reach in action.reading.reaches:
                verdict = judge(action, reach)
                if verdict is not None and (verdict.rule, reach.target) not in said:
                    said.add((verdict.rule, reach.target))
                    yield _finding(action, reach, verdict)
        not_read += cut
    if not_read and unread:
        summary = f"{not_read} calls were not read to their end: no honest task has so much code."
        yield found("high", unread, summary)


def got_there(action: Action) -> bool:
    """Whether what was reached for was reached: there is a result, and nothing in it says that it was not.

    What gives nothing back, such as a copy, counts as refused, which for most is high, and gates as well.
    """
    result = action.result
    if result is None or result.is_error or says(result.head, "results", "refusals"):
        return False
    return any(line.strip() not in table("results")["empty"] for line in result.head.splitlines())


def _actions(moment: Moment, step: ToolCallStep, workdir: str) -> Iterator[Action]:
    """The arguments of a call that may reach for something, by their names and the tool's role."""
    runs_code, args = moment.role == "code", step.args
    if isinstance(args, str):  # not JSON: what would have been code in it has its line ends and quotes as escapes
        args = {"args": args.replace("\\n", "\n").replace('\\"', '"')} if runs_code else {}
    kinds = {key: argument(key) for key, value in args.items() if value}
    downloads = any(is_address(str(args[key])) for key, kind in kinds.items() if kind == "address")
    writes = "text" in kinds.values() or downloads or re.search("write|create|save|append|export", step.name)
    for key, kind in kinds.items():
        value = args[key]
        text = shlex.join(value) if isinstance(value, list) and all(isinstance(each, str) for each in value) else value
        if not isinstance(text, str):
            continue
        bare = text.strip()
        if kind == "shell":
            reading = read_shell(text, workdir)
        elif kind == "code" or (runs_code and kind not in ("path", "address", "shell")):
            reading = read_code(text, workdir)
        elif is_address(bare):
            reading = Reading((Reach("page", bare[:LONGEST_PATH], 1),))
        elif kind == "path" or is_file_address(bare):
            reading = Reading((Reach("write" if writes else "read", resolve(text, workdir), 1),))
        else:
            continue
        yield Action(step, moment.result, key, text, reading)


def _finding(action: Action, reach: Reach, verdict: Verdict) -> Finding:
    step, there = action.step, got_there(action)
    *above, line = action.text.split("\n", reach.line)[: reach.line]
    how = "and nothing says that it was refused" if there else "and did not get there"
    return Finding(
        severity=verdict.reached if there else verdict.refused,
        rule=verdict.rule,
        attempt=step.attempt,
        seq=step.seq,
        field=action.field if action.field == "args" else f"args.{action.field}"[:80],
        offset=len("".join(f"{each}\n" for each in above).encode("utf-8", "replace")),
        summary=f"A call of {step.name[:40]!a} goes for {verdict.what}, {how}.",
        excerpt=excerpt(line),
    )
