"""The results of an audit: findings with severity and place, grouped by check."""

from collections import Counter
from collections.abc import Iterable
from itertools import chain
from typing import Any, Literal, Self

import msgspec

from gaia_harness.records.steps import Step
from gaia_harness.shortening import shorten

Severity = Literal["critical", "high", "medium", "low", "info"]
Status = Literal["pass", "fail", "warn", "skip"]

SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low", "info")
GATING: tuple[Severity, ...] = ("critical", "high")
"""A finding of these fails the audit; one on leakage makes its task count as wrong."""
LONGEST_EXCERPT = 240
MOST_OF_A_RULE = 20
"""Findings of one rule on one task; a hostile run could have millions. How many more there were is said."""


class Waived(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Why somebody lets a finding pass, and who."""

    reason: str
    who: str


class Finding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Something to look at, and where: task, attempt, step, and the place in the text that `field` names, in bytes.

    Without a task it is about the whole run.
    """

    severity: Severity
    rule: str
    summary: str
    task_id: str | None = None
    attempt: int | None = None
    seq: int | None = None
    field: str | None = None
    offset: int | None = None
    source: int | None = None
    view: str | None = None
    excerpt: str = ""
    waived: Waived | None = None


class Notes(msgspec.Struct, frozen=True, gc=False):
    """What most checks note of a task: what was found in it, and how much could not be looked at."""

    task_id: str
    findings: tuple[Finding, ...] = ()
    not_seen: int = 0


class Check(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of the ten. `harness_gap` says which data were not there; without them it is a skip, never a pass."""

    id: str
    name: str
    status: Status
    findings: tuple[Finding, ...] = ()
    harness_gap: str | None = None


def found(
    severity: Severity,
    rule: str,
    summary: str,
    shown: str = "",
    *,
    task_id: str | None = None,
    at: Step | None = None,
    attempt: int | None = None,
) -> Finding:
    """A finding at a step, on an attempt, on a task or, without any of them, on the whole run; `shown` as excerpt."""
    return Finding(
        severity=severity,
        rule=rule,
        summary=summary,
        task_id=task_id,
        attempt=attempt if at is None else at.attempt,
        seq=None if at is None else at.seq,
        excerpt=excerpt(shown),
    )


def excerpt(text: str, start: int = 0) -> str:
    """A piece of text as one line that a terminal can show, of whole words, with what cannot be seen as escapes."""
    start = max(0, start)
    before = range(start, max(-1, start - 40), -1)  # not within a word, unless it is a long one
    start = next((begin for begin in before if not text[begin - 1 : begin + 1].isalnum()), start)
    line = " ".join(text[start : start + 4 * LONGEST_EXCERPT].split())
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
    return shorten(line, LONGEST_EXCERPT)


class Findings:
    """Collects the findings of one check; of one kind on one task no more than a person reads."""

    def __init__(self) -> None:
        self._kept: list[Finding] = []
        self._counts: Counter[tuple[str, Severity, str | None]] = Counter()

    def add(self, finding: Finding) -> None:
        """Take one. Those of a task come in the order of its steps, so that the same ones are kept every time."""
        group = finding.rule, finding.severity, finding.task_id
        self._counts[group] += 1
        if self._counts[group] <= MOST_OF_A_RULE:
            self._kept.append(finding)

    def add_all(self, *groups: Iterable[Finding]) -> Self:
        """Take all of these."""
        for finding in chain(*groups):
            self.add(finding)
        return self

    def keep(self, *findings: Finding) -> Self:
        """Take some that were taken before: they count no more."""
        self._kept += findings
        return self

    def sorted(self) -> tuple[Finding, ...]:
        """Worst first, with a line for what was left out."""
        more = [
            Finding(severity=severity, rule=rule, task_id=task_id, summary=f"{left_out} more of this rule")
            for (rule, severity, task_id), count in self._counts.items()
            if (left_out := count - MOST_OF_A_RULE) > 0
        ]
        return tuple(sorted([*self._kept, *more], key=order))

    def check(self, id: str, name: str, *, harness_gap: str | None = None) -> Check:
        """The check that these are the findings of. With a gap it is a skip, unless what was there fails already."""
        found = self.sorted()
        worst = found[0].severity if found else "info"
        status: Status = "warn" if worst == "medium" else "pass"
        if worst in GATING:
            status = "fail"
        elif harness_gap is not None:
            status = "skip"
        return Check(id=id, name=name, status=status, findings=found, harness_gap=harness_gap)


def order(finding: Finding) -> tuple[int, list[tuple[bool, Any]]]:
    """Worst first, then by place: the same order whatever order the findings came in. What has no place is first."""
    names = ("task_id", "attempt", "seq", "rule", "source", "offset", "view", "field", "summary")
    places = (getattr(finding, name) for name in names)
    return SEVERITIES.index(finding.severity), [(place is not None, place) for place in places]
