"""AUD-8: tool calls that went for answers, and facts about the runner's own sources."""

import posixpath
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from gaia_harness.audit.answer_key_reads.tables import TableFinder
from gaia_harness.audit.answer_key_reads.verdicts import ANSWER_FILE, Own, verdicts
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.examiner import Notes
from gaia_harness.audit.findings import Check, Finding, Findings
from gaia_harness.audit.reaching import Action, TaskActions, finding_of, got_there
from gaia_harness.audit.reaching.paths import resolve
from gaia_harness.audit.source_facts import facts_of_what_ran
from gaia_harness.audit.timeline import Moment
from gaia_harness.figures import counted
from gaia_harness.records.steps import Scan, ToolCallStep

COPIED = 0.5
"""Share of the question's wording in one place from which on it is a copy, as for answer-leakage."""

SHORTEST_QUERY = 120
"""Characters of a query that could hold ids of two tasks with their answers."""

MOST_VALUES = 10_000
"""Values of one call's arguments that are looked at; the arguments that are kept have a few KB."""

_BY_RESULT = ("dataset-page", "dataset-load", "answer-column")
"""Rules of which what comes back says which data set it was."""


class AnswerKeyReads:
    """Reads tool calls by where they lead, and the file of facts about the runner's sources."""

    noted: ClassVar[type[Notes]] = Notes

    def __init__(self, run: RunEvidence, facts: Path | None = None) -> None:
        self._run = run
        self._file = facts
        paths = [resolve(path, run.around.workdir) for path in run.around.attachments]
        folders = frozenset(folder for path in paths if (folder := posixpath.dirname(path)).count("/") > 1)
        self._attached = frozenset(map(posixpath.basename, paths)), folders
        self._tables = TableFinder({} if run.key is None else run.key.golds)

    def look(self, task: TaskEvidence) -> Notes | None:
        """See the tool calls of one task."""
        if task.trajectory is None:
            unseen = task.facts is not None or task.fault is not None
            return Notes(task.task_id, not_seen=1) if unseen else None
        own = Own(task.around.workdir, *self._attached, task.task_id)
        actions, findings, fetched = TaskActions(task.around), Findings(), False
        for moment in task.timeline:
            if moment.origin != "asked":
                continue
            if (table := self._table(task.task_id, moment)) is not None:
                findings.add(table)
            fetched = self._reads(moment, actions.of(moment), own, findings, fetched=fetched)
        return Notes(task.task_id, findings.sorted()) if findings.sorted() else None

    def _reads(self, moment: Moment, actions: list[Action], own: Own, findings: Findings, *, fetched: bool) -> bool:
        """Find what one call went for; say whether code has brought in something from elsewhere by now."""
        step, result = moment.step, moment.result
        assert type(step) is ToolCallStep  # noqa: S101 - for the type checker: of what was asked
        said: set[str] = set()
        for action in actions:
            reaches = action.reading.reaches
            fetched = fetched or (action.is_code and any(each.kind in ("url", "download") for each in reaches))
            for reach, verdict in verdicts(action.reading, own, fetched=fetched, by_code=action.is_code):
                if verdict[2] in said:
                    continue
                said.add(verdict[2])
                there = got_there(result, action.reading)
                if there and verdict[2] in _BY_RESULT and result is not None and _is_benchmark(result.scan):
                    verdict = ANSWER_FILE
                severity = verdict[0] if there else verdict[1]
                findings.add(finding_of(own.task_id, step, action, reach, severity, verdict[2], verdict[3], there))
        return fetched

    def _table(self, task_id: str, moment: Moment) -> Finding | None:
        """An agent is told no ids and no questions but its own: others, with their answers, come from a key."""
        step = moment.step
        assert type(step) is ToolCallStep  # noqa: S101 - for the type checker: of what was asked
        text = "\n".join(_texts(step.args))
        if len(text) < SHORTEST_QUERY and moment.role in ("search", "fetch"):
            return None  # a query or an address, as most calls are
        table = self._tables.find(text, task_id)
        if not table:
            return None
        others = len(table - {task_id})
        said = f"ids of {others} other tasks of the run, each" if others else "its own id"
        return Finding(
            severity="critical" if others > 1 else "high",
            rule="answer-table",
            task_id=task_id,
            attempt=step.attempt,
            seq=step.seq,
            field="args",
            summary=f"A call of {step.name[:40]!a} has {said} with the answer behind it.",
        )

    def conclude(self, notes: Sequence[Notes]) -> Check:
        """Say which calls went for answers, and whether the runner's own code can."""
        findings, gaps = Findings(), []
        for note in notes:
            for finding in note.findings:
                findings.keep(finding)
        unseen = sum(note.not_seen for note in notes)
        if not self._run.facts.record_evidence:
            gaps.append("no evidence was recorded")
        elif unseen:
            gaps.append(f"{counted(unseen, 'task has', 'tasks have')} no trajectory that could be read")
        facts, gap = facts_of_what_ran(self._run, self._file)
        for finding in () if facts is None else facts.answer_reads:
            findings.keep(finding)
        gaps += [] if gap is None else [gap]
        return findings.check("AUD-8", "answer-key-reads", harness_gap="; ".join(gaps) or None)


def _texts(args: object) -> Iterator[str]:
    """The texts, keys and numbers in a call's arguments, in their order."""
    waiting = [args]
    for _ in range(MOST_VALUES):
        if not waiting:
            return
        value = waiting.pop()
        if isinstance(value, str | int | float):
            yield str(value)
        elif isinstance(value, dict):
            waiting += [part for pair in reversed(value.items()) for part in reversed(pair)]
        elif isinstance(value, list | tuple):
            waiting += reversed(value)


def _is_benchmark(scan: Scan | None) -> bool:
    """Whether a result is the benchmark's own material, by what the scan found in it."""
    if scan is None:
        return False
    rows = bool(scan.signatures) and (scan.copy >= COPIED or scan.own_id or scan.other_ids > 1)
    return rows or scan.together > 1
