"""AUD-2 at work: which results have no work behind them, or another than the work came to?"""

from collections.abc import Sequence
from typing import ClassVar

import msgspec

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, Severity, found
from gaia_harness.audit.no_work_pass.case import Case
from gaia_harness.audit.no_work_pass.rules import RULES


class Seen(msgspec.Struct, frozen=True, gc=False):
    """What is noted of a task. `uncounted`: where no call has a token, the run tells whether its server counts any."""

    findings: tuple[Finding, ...]
    counts_tokens: bool = False
    uncounted: bool = False


class NoWorkPass:
    """AUD-2."""

    noted: ClassVar[type] = Seen

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._known = set(run.facts.task_ids)
        # a run that has not come to its end may have been cut off in the middle of a line
        self._broken: Severity = "medium" if run.log.closed is None else "high"

    def look(self, task: TaskEvidence) -> Seen | None:
        """See one task."""
        if task.trajectory is None or task.facts is None:
            incomplete = self._incomplete(task)
            return None if incomplete is None else Seen((incomplete,))
        case = Case(self._run, task, task.facts, task.trajectory)
        findings = tuple(
            msgspec.structs.replace(finding, task_id=task.task_id) for rule in RULES for finding in rule(case)
        )
        counts = any(call.tokens_in or call.tokens_out for call in case.calls)
        uncounted = not counts and any(call.bytes for call in case.replies)
        return Seen(findings, counts, uncounted)

    def conclude(self, notes: Sequence[Seen]) -> Check:
        """Say what was found."""
        findings = Findings()
        for fault in self._run.faults:
            findings.add(found(self._broken, "results-broken", "What the run says of itself cannot be read.", fault))
        counts_tokens = any(note.counts_tokens for note in notes)
        for note in notes:
            for finding in note.findings:
                # where the run has no token at all, its server does not count; elsewhere what was counted is missing
                spared = finding.rule == "no-output" and note.uncounted and not counts_tokens
                findings.add(msgspec.structs.replace(finding, severity="medium") if spared else finding)
        gap = "the run was made without recording evidence" if self._recorded_nothing() else None
        return findings.check("AUD-2", "no-work-pass", harness_gap=gap)

    def _recorded_nothing(self) -> bool:
        """Whether the run said from its beginning that it would record nothing."""
        started = self._run.log.started
        return not self._run.facts.record_evidence and (started is None or not started.record_evidence)

    def _incomplete(self, task: TaskEvidence) -> Finding | None:
        """A task without its result, or without a trajectory that holds up."""
        right = task.counted_right
        if task.fault is not None:
            if task.facts is None:
                return found(self._broken, "unsound-trajectory", "A trajectory does not hold up.", task.fault)
            return found(
                "critical" if right else "high", "unsound-trajectory", "The trajectory does not hold up.", task.fault,
                task_id=task.task_id,
            )  # fmt: skip
        if task.facts is not None:  # also where nothing was to be recorded: a score without evidence is no clean one
            said = "There is a result and no trajectory."
            return found("critical" if right else "medium", "no-trajectory", said, task_id=task.task_id)
        if task.trajectory is None:
            return None
        if task.task_id not in self._known:
            said = "There is a trajectory of a task that is not one of the run's."
            return found("high", "unknown-trajectory", said, f"{task.place}: {task.task_id}")
        unfinished = self._run.log.was_given_up and (task.log is None or task.log.finished_at is None)
        said = "There is a trajectory and no result."
        return found("medium" if unfinished else self._broken, "no-result", said, task.place, task_id=task.task_id)
