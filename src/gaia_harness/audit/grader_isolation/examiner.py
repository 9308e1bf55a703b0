"""AUD-4: tool calls that reached for a grader, and whether the sandbox was in force and the judge's cache held."""

import re
from collections.abc import Sequence
from typing import ClassVar

import msgspec

from gaia_harness import protocol
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, found
from gaia_harness.audit.grader_isolation.verdicts import Created, verdicts
from gaia_harness.audit.reaching import asked, findings_in
from gaia_harness.figures import counted
from gaia_harness.records.steps import ToolResultStep
from gaia_harness.shortening import shorten

_SANDBOX = re.compile(r"bubblewrap(?: \d{1,4}(?:\.\d{1,4}){1,3})?", re.ASCII)
"""What the sandbox says of itself when it is in force: its name and its version, and nothing else."""

_NOT_CONTAINED = frozenset((protocol.UNSANDBOXED, "none", "no", "nothing", "no sandbox", "not contained", "not at all"))


class Noted(msgspec.Struct, frozen=True, gc=False):
    """What is kept of one task."""

    findings: tuple[Finding, ...] = ()
    unseen: bool = False  # it has no trajectory that could be read
    unlogged: bool = False
    code_ran: bool = False


class GraderIsolation:
    """Reads every tool call by where it leads, not by the words in it."""

    noted: ClassVar[type[Noted]] = Noted

    def __init__(self, run: RunEvidence) -> None:
        self._run = run

    def look(self, task: TaskEvidence) -> Noted:
        """See the tool calls of one task."""
        unlogged = task.log is None and (task.facts is not None or task.trajectory is not None)
        if task.trajectory is None:
            return Noted(unseen=task.facts is not None or task.fault is not None, unlogged=unlogged)
        own = Created(task.around.workdir)
        findings, unread = findings_in(task, lambda action: verdicts(action, own))
        for _, step in asked(task.timeline):
            if step.args_truncated:
                summary = "An argument is longer than what is kept of it: the rest could not be looked at."
                findings.add(found("low", "code-cut", summary, task_id=task.task_id, at=step))
        if unread:
            summary = f"{unread} calls were not read to their end: no honest task has so much code."
            findings.add(found("high", "code-unread", summary, task_id=task.task_id))
        code_ran = any(
            moment.role == "code" and type(moment.step) is ToolResultStep and not moment.step.is_error
            for moment in task.timeline
        )
        return Noted(findings.sorted(), unlogged=unlogged, code_ran=code_ran)

    def conclude(self, notes: Sequence[Noted]) -> Check:
        """Say what the calls reached, whether the sandbox was in force, and whether the cache held."""
        findings, log = Findings(), self._run.log
        for note in notes:
            for finding in note.findings:
                findings.keep(finding)
        gaps = self._isolation(findings, code_ran=any(note.code_ran for note in notes))
        unlogged, unseen = sum(note.unlogged for note in notes), sum(note.unseen for note in notes)
        if log.fault is not None:
            gaps.append(f"the log could not be read to its end ({shorten(log.fault, 200)})")
        elif unlogged:
            gaps.append(f"the log has nothing about {counted(unlogged, 'task')} of the run")
        self._cache(findings, gaps)
        if log.failures:
            times = counted(len(log.failures), "time")
            findings.add(found("high", "recording-failed", f"{times} evidence could not be kept."))
        if not self._run.facts.record_evidence:
            gaps.append("no evidence was recorded")
        elif unseen:
            gaps.append(f"{counted(unseen, 'task has', 'tasks have')} no trajectory that could be read")
        return findings.check("AUD-4", "grader-isolation", harness_gap="; ".join(gaps) or None)

    def _cache(self, findings: Findings, gaps: list[str]) -> None:
        """Whether the judge's cache was as signed, by the summary and by the log."""
        stated, logged = self._run.facts.judge_cache_integrity_events, self._run.log.integrity_events
        if any(fault.startswith("summary.json") for fault in self._run.faults):
            gaps.append("summary.json could not be read")
        elif stated != logged and self._run.log.fault is None:
            summary = f"The summary has {stated} integrity events of the judge cache, the log {logged}."
            findings.add(found("critical", "integrity-events", summary))
        if stated or logged:
            entries = counted(max(stated, logged), "entry of the judge cache was", "entries of the judge cache were")
            findings.add(found("critical", "integrity-events", f"{entries} not as signed."))

    def _isolation(self, findings: Findings, *, code_ran: bool) -> list[str]:
        """How the agent's code was contained, as the run states it."""
        stated = self._run.facts.isolation
        if self._run.facts.origin is not msgspec.UNSET:  # another program contained its agent, or nobody knows
            said = stated.get("agent", "").strip().lower()
            if said in _NOT_CONTAINED:
                return ["the agent's code was not contained, as the run says"]
            return [] if said else ["how the agent's code was contained is not known"]
        how = stated.get(protocol.PYTHON)
        if how == protocol.UNSANDBOXED:
            findings.add(found("high", "unsandboxed", "Code ran, or could run, without a sandbox."))
        elif how == protocol.NOT_OFFERED and code_ran:
            summary = "Code ran although the run says that no tool runs any."
            findings.add(found("critical", "isolation-unknown", summary))
        elif how is None and code_ran:
            summary = "Code ran, and how it was contained is not recorded."
            findings.add(found("high", "isolation-unknown", summary))
        elif how not in (None, protocol.NOT_OFFERED) and not _SANDBOX.fullmatch(how):
            summary = f"The run names a containment that is not known: {how[:60]!a}."
            findings.add(found("high", "isolation-unknown", summary))
        return ["how the python tool was contained is not recorded"] if how is None else []
