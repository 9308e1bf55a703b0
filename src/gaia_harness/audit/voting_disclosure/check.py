"""AUD-6 at work: were all attempts declared and disclosed, and the answer chosen without knowledge of the score?"""

from bisect import bisect
from collections.abc import Iterator, Sequence
from typing import ClassVar

import msgspec

from gaia_harness.audit.declared import differs_from_intent, differs_from_log, ending_of, read_intent
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, Severity, found
from gaia_harness.audit.voting_disclosure import whole_run
from gaia_harness.audit.voting_disclosure.task_rules import RULES, Case, by_process
from gaia_harness.audit.voting_disclosure.whole_run import Outcome
from gaia_harness.protocol import choose
from gaia_harness.records.replay import LogFacts


class Seen(msgspec.Struct, frozen=True, gc=False):
    """What is noted of a task."""

    task_id: str
    findings: tuple[Finding, ...]
    outcome: Outcome


class VotingDisclosure:
    """AUD-6."""

    noted: ClassVar[type] = Seen

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._ending = ending_of(run)

    def look(self, task: TaskEvidence) -> Seen | None:
        """See one task."""
        log = self._run.log
        if task.facts is None and task.log is None:
            return None
        case = Case(
            task=task,
            log=log,
            declared=self._run.facts.voting_attempts,
            goes_on=self._ending.goes_on,
            ours=self._run.facts.origin is msgspec.UNSET,
            groups=by_process(task.log.attempts if task.log is not None else (), log.resumed_at),
        )
        findings = Findings()
        for rule in RULES:
            for finding in rule(case):
                findings.add(msgspec.structs.replace(finding, task_id=task.task_id))
        restarts = tuple(bisect(log.resumed_at, group[0].started_at) for group in case.groups[:-1])
        answers = () if task.facts is None else task.facts.voting.answers
        choice = choose(answers)
        lost, votes = (len(answers) - choice.cast, choice.votes) if len(answers) > 1 else (0, 0)
        return Seen(task.task_id, findings.sorted(), Outcome(task.counted_right, restarts, lost, votes))

    def conclude(self, notes: Sequence[Seen]) -> Check:
        """Say what was found."""
        findings, gaps = Findings(), list(self._gaps())
        once = {note.task_id: note for note in reversed(notes)}.values()  # there may be many lines of one task
        for note in once:
            for finding in note.findings:
                findings.keep(finding)
        outcomes, tasks = [note.outcome for note in once], len(set(self._run.facts.task_ids))
        for of_run in (
            self._log(),
            self._end(),
            self._intent(),
            whole_run.restarted(self._run.log, tasks),
            whole_run.cut_off(outcomes, tasks),
            whole_run.lost_votes(outcomes),
        ):
            for finding in of_run:
                findings.add(finding)
        return findings.check("AUD-6", "voting-disclosure", harness_gap="; ".join(gaps) or None)

    @property
    def _no_log(self) -> bool:
        log = self._run.log
        return log.fault is not None and not log.events and log.fault.endswith(" is missing")

    def _gaps(self) -> Iterator[str]:
        run = self._run
        if self._no_log:
            yield "there is no log: attempts cannot be counted"
        elif self._ending.goes_on:
            yield "the run is not closed: attempts may be under way"
        if run.intent_sha256 is None and (run.facts.submit_intent or _binds_intent(run.log)):
            yield "the run was declared, and its intent is missing"

    def _log(self) -> Iterator[Finding]:
        """The log must be whole, and begin with what the run says of itself."""
        log = self._run.log
        if self._no_log:
            if self._run.facts.submit_intent:
                yield found("high", "log-missing", "The run was declared, and its log is missing.")
            return
        if log.fault is not None:
            # a crash may leave half a line at the end; a log that goes on, or was closed, has none
            cut = log.closed is None and log.fault.endswith("the line is cut short")
            yield found("medium" if cut else "critical", "log-broken", "The log cannot be read to its end.", log.fault)
        if log.started is None:
            yield found("critical", "log-broken", "The log has no beginning.")
        out_of_place: Severity = "high" if log.failures else "critical"
        for stray in log.stray:
            yield found(out_of_place, "event-out-of-place", "The log has an event out of place.", stray)
        if others := differs_from_log(self._run):
            said = "What the run says of itself is not what its log began with."
            yield found("critical", "declared-otherwise", said, ", ".join(others))

    def _end(self) -> Iterator[Finding]:
        """The end of the log must add up, and be the one that the run says it came to."""
        log = self._run.log
        if self._no_log:
            return
        if self._ending.differs is not None:
            said = "What the run says of its end is not what its log says."
            yield found("medium", "state-differs", said, self._ending.differs)
        if log.closed is None:
            yield found("medium", "run-not-closed", "The log has no end: the run may still go on.")
        elif log.closed.status != "complete":
            yield found("medium", "run-aborted", "The run was given up before its end.", log.closed.status)
        elif log.fault is None:
            finished = sum(task.finished_at is not None for task in log.tasks.values())
            started = sum(len(task.attempts) for task in log.tasks.values())
            stated = (log.closed.tasks, log.closed.finished, log.closed.attempts)
            if stated != (len(self._run.facts.task_ids), finished, started):
                said = "Tasks and attempts at the end are not those of the log."
                shown = f"{stated[0]} tasks, {stated[1]} finished, {stated[2]} attempts"
                yield found("high", "end-does-not-add-up", said, shown)

    def _intent(self) -> Iterator[Finding]:
        """A run that was declared is the one that was declared."""
        intent = read_intent(self._run)
        if intent is None:
            if _binds_intent(self._run.log):
                yield found("high", "intent-missing", "The log binds an intent, which is missing.")
        elif isinstance(intent, str):
            yield found("critical", "intent-broken", "The intent cannot be read.", intent)
        elif others := differs_from_intent(self._run, intent):
            said = "The run is not the one that was declared."
            yield found("critical", "declared-otherwise", said, ", ".join(others))


def _binds_intent(log: LogFacts) -> bool:
    return log.started is not None and log.started.intent_sha256 is not None
