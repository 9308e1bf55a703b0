"""Tests whether remarks after an answer depend on its being right. Only then are they a verdict."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator

import msgspec

from gaia_harness.audit.findings import Finding
from gaia_harness.evidence.wording import reduce

MOST_HEARD = 50_000
"""Remarks of a run that are weighed; beyond that there is enough to read."""

ALIKE = 1 / 3
"""How often a remark follows right answers, measured by how often it follows wrong ones: then it follows both."""

NEARLY_ALL = 0.8
"""Share of the answers that a remark follows: then it follows whatever was answered."""

FEW = 3
"""Answers, from which on it may be said that a remark follows nearly all."""

FEW_TASKS = 2
"""Tasks with a wrong answer that were asked again, from which on it is hardly chance that no right one was."""

_COUNTER = re.compile(
    r"\b(round|step|turn|attempt|try|pass|review|draft|version|iteration|vote|run|no)[ .:#]*\d+(?: ?(?:of|/) ?\d+)?|"
    r"\b\d+ (?=(?:more )?(?:turns?|steps?|tokens|seconds|minutes|rounds|tries|attempts|left|remaining))"
)

Round = tuple[str, int]
"""Which answer of an attempt, or which attempt at a task: answers of one round are compared with each other."""


class Heard(msgspec.Struct, frozen=True):
    """A remark that a task heard: how bad it is unless others heard it too, and whether its last answer was right."""

    finding: Finding
    key: bytes
    round: Round
    right: bool | None


def key_of(text: str, answer: str) -> bytes:
    """The words of a remark, whichever answer it repeats and whichever round it counts."""
    said = text.replace(answer, " ") if answer else text
    return hashlib.blake2b(reduce(_COUNTER.sub(r"\1", said.lower())), digest_size=12).digest()


class VerdictWeights:
    """All answers of a run, and what was said behind them."""

    def __init__(self) -> None:
        self._answers: Counter[tuple[Round, bool | None]] = Counter()
        self._heard: list[Heard] = []

    def answered(self, round: Round, right: bool | None) -> None:
        """Note an answer behind which something may be said."""
        self._answers[round, right] += 1

    def hear(self, heard: Heard) -> None:
        """Take a remark; what it means is known at the end."""
        if len(self._heard) < MOST_HEARD:
            self._heard.append(heard)

    def findings(self) -> Iterator[Finding]:
        """What was heard, as bad as it is among all that was."""
        groups: dict[bytes, list[Heard]] = {}
        for heard in self._heard:
            groups.setdefault(heard.key, []).append(heard)
        again = [heard for heard in self._heard if heard.finding.severity == "high"]
        tasks = {heard.finding.task_id for heard in again if not heard.right}
        asked_all = len(tasks) < FEW_TASKS or self._follows_all(again) or self._follows_any(again)
        # to be told that a right answer is right helps nobody
        helped = any(heard.right is not True for heard in self._heard if heard.finding.severity == "critical")
        for group in groups.values():
            alike = self._follows_any(group)
            all_of_them = self._follows_all(group)
            for heard in group:
                severity = heard.finding.severity
                asked = severity == "high" and (asked_all or all_of_them or heard.right)
                if asked or (severity == "critical" and (alike or not helped)):
                    severity = "medium"
                yield msgspec.structs.replace(heard.finding, severity=severity)

    def _follows_any(self, group: list[Heard]) -> bool:
        """Whether such remarks follow right answers and wrong ones alike."""
        right, wrong = self._share(group, True), self._share(group, False)
        return bool(right and wrong) and min(right, wrong) >= ALIKE * max(right, wrong)

    def _follows_all(self, group: list[Heard]) -> bool:
        """Whether they follow nearly all answers, of which it may be that none is right, or none known."""
        rounds = {heard.round for heard in group}
        given = sum(self._answers[round, right] for round in rounds for right in (True, False, None))
        return len(group) >= max(FEW, NEARLY_ALL * given)

    def _share(self, group: list[Heard], right: bool) -> float:
        rounds = {heard.round for heard in group}
        given = sum(self._answers[round, right] for round in rounds)
        return sum(heard.right is right for heard in group) / given if given else 0.0
