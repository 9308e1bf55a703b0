"""AUD-6: were all attempts declared and disclosed, and the answer chosen without knowledge of the score?

Log, result and trajectory of a task must tell one story, and so must the log, the intent and the end of the run.
Crashes and outages are honest and common: they are disclosed, and gate only where they fell so as to help.
"""

from bisect import bisect, bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

import msgspec

from gaia_harness.audit.claims import closing_replies, given_instead
from gaia_harness.audit.declared import differs_from_intent, differs_from_log, goes_on, read_intent
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, Severity, found
from gaia_harness.figures import counted, wilson
from gaia_harness.judge import scorer
from gaia_harness.protocol import choose, final_answer
from gaia_harness.records.intent import Intent
from gaia_harness.records.replay import LogFacts, LoggedAttempt
from gaia_harness.records.steps import LlmCall, Prompt, Step

LEAST_TO_COMPARE = 4
"""Tasks of a kind, below which their share of right answers says nothing."""

LOST_SHARE = 0.3
"""Of all tasks: with fewer attempts thrown away, or tasks tried again, the score could hardly have been decided."""


class Case:
    """A task under examination. `groups` are its attempts, those of one process together; the last have the result."""

    def __init__(self, run: RunEvidence, task: TaskEvidence, *, goes_on: bool) -> None:
        self.task, self.log = task, run.log
        self.declared = run.facts.voting_attempts
        self.goes_on = goes_on  # the run is at work, or was killed
        self.ours = isinstance(run.facts.origin, msgspec.UnsetType)
        self.weight: Severity = "critical" if task.counted_right else "high"
        groups: dict[int, list[LoggedAttempt]] = {}
        for attempt in () if task.log is None else task.log.attempts:
            groups.setdefault(bisect(run.log.resumed_at, attempt.started_at), []).append(attempt)
        self.groups = groups
        self.last = groups[max(groups)] if groups else []
        self.choice = choose(() if task.facts is None else task.facts.voting.answers)


def order(case: Case) -> Iterator[Finding]:
    """Attempts follow each other without gaps, and none follows the end of the task or the judge's word on it."""
    log = case.task.log
    if log is None:
        return
    yield from _out_of_place(log.stray, case.log)
    judged_at = [at for at, _ in log.judged]
    for attempt in log.attempts:
        if spoken := bisect_left(judged_at, attempt.started_at):
            at, verdict = log.judged[spoken - 1]
            # a crash just behind a verdict is possible; to make a "no" right is what one would stage it for
            crashed = bisect(case.log.resumed_at, at) < bisect_left(case.log.resumed_at, attempt.started_at)
            gained = verdict is False and case.task.counted_right
            said = "An attempt was begun when the judge had spoken on the task."
            severity: Severity = "medium" if crashed and not gained else "critical"
            yield found(severity, "event-out-of-place", said, attempt=attempt.number)


def disclosed(case: Case) -> Iterator[Finding]:
    """Result, log and trajectory have the same attempts, as many as declared; all that came to an end are counted."""
    facts, log, trajectory = case.task.facts, case.task.log, case.task.trajectory
    for group in case.groups.values():
        if len(group) > case.declared:
            said = f"{len(group)} attempts were begun in one go, {case.declared} declared."
            yield found("critical", "attempts-differ", said, attempt=group[-1].number)
    if case.ours and trajectory is not None:
        for step in _begun_again(trajectory.steps):
            yield found("medium", "attempts-differ", "The conversation begins anew within an attempt.", at=step)
    if log is None or case.log.fault is not None:
        return
    there = set() if trajectory is None else {step.attempt for step in trajectory.steps}
    for number in sorted(there - {attempt.number for attempt in case.last}):
        said = "The trajectory has steps of an attempt that the result is not from."
        # of a run that goes on the log was read before its trajectories: these may be further
        yield found("medium" if case.goes_on else "critical", "attempts-differ", said, attempt=number)
    begun, ended = len(log.attempts), len(case.last)
    if log.finished_at is not None and log.said_attempts != begun:
        said = f"The task was finished with {log.said_attempts} attempts, {begun} were begun."
        yield found("high", "attempts-differ", said)
    if facts is None:
        return
    if facts.attempts != begun:
        said = f"The result has {facts.attempts} attempts, the log {begun}."
        yield found("critical" if facts.attempts < begun else "high", "attempts-differ", said)
    if len(facts.voting.answers) != ended:
        said = f"{len(facts.voting.answers)} attempts were counted in the vote, {ended} came to an end."
        yield found(case.weight, "attempts-differ", said)


def vote(case: Case) -> Iterator[Finding]:
    """As many attempts as declared, and of their answers the one that most gave, by a rule that knows no gold."""
    facts, gold = case.task.facts, case.task.gold
    if facts is None:
        return
    stated, answers, right = facts.voting, facts.voting.answers, case.task.counted_right
    if len(answers) != case.declared:
        said = f"{len(answers)} attempts were carried out, {case.declared} declared."
        fewer: Severity = "high" if right else "medium"
        yield found("critical" if len(answers) > case.declared else fewer, "attempts-differ", said)
    if not answers:
        return
    rule = case.choice
    place = stated.selected_attempt - (facts.attempts - len(answers))
    severity: Severity | None = None
    if not 1 <= place <= len(answers) or answers[place - 1] != facts.answer:
        severity, said = case.weight, "The answer is not that of the attempt that was chosen."
    elif place != rule.attempt:
        gained = right and gold is not None and not scorer.question_scorer(answers[rule.attempt - 1], gold.answer)
        severity = "critical" if gained else "high"
        said = "The attempt that was chosen is not the one that the majority picks."
    elif (stated.votes, stated.cast) != (rule.votes, rule.cast):
        severity = "high"
        said = f"{stated.votes} of {stated.cast} votes are said, {rule.votes} of {rule.cast} were given."
    if severity is not None:
        yield found(severity, "other-choice", said, attempt=stated.selected_attempt)


def words(case: Case) -> Iterator[Finding]:
    """The answers that were counted are those that the model gave in the last words of each attempt."""
    trajectory, facts = case.task.trajectory, case.task.facts
    if trajectory is None or facts is None:
        return
    if trajectory.selected_attempt != facts.voting.selected_attempt:
        said = "The results name another attempt as chosen than the trajectory."
        yield found("high", "other-choice", said, attempt=trajectory.selected_attempt)
    closing = closing_replies(trajectory.steps)
    before = facts.attempts - len(facts.voting.answers)
    for place, answer in enumerate(facts.voting.answers, start=before + 1):
        last = closing.get(place)
        if last is None or last.truncated or last.redactions:
            continue
        if answer is not None:
            other = given_instead(answer, last.head, ours=case.ours)
        else:
            other = final_answer(last.head) if case.ours else None
        if other is not None:
            said = "The answer that was counted for an attempt is not the one that the model gave."
            yield found("high", "other-choice", said, other, at=last)


RULES: tuple[Callable[[Case], Iterator[Finding]], ...] = (order, disclosed, vote, words)


def _begun_again(steps: Sequence[Step]) -> Iterator[Prompt]:
    """The prompts that tell the model who it is when the attempt has had an answer: our loop says that once."""
    answered = 0
    for step in steps:
        if type(step) is LlmCall and final_answer(step.head) is not None:
            answered = step.attempt
        elif type(step) is Prompt and step.role == "system" and answered == step.attempt:
            yield step


def _out_of_place(strays: list[str], log: LogFacts) -> Iterator[Finding]:
    """Where the log could not be written, an event may be missing for that, and not to hide it."""
    severity: Severity = "high" if log.failures else "critical"
    for stray in strays:
        yield found(severity, "event-out-of-place", "The log has an event out of place.", stray)


class Seen(msgspec.Struct, frozen=True, gc=False):
    """What is noted of a task. It was tried `again` where a restart cut it off, or lost attempts could outvote it."""

    task_id: str
    findings: tuple[Finding, ...]
    right: bool
    again: bool


class VotingDisclosure:
    """AUD-6."""

    noted: ClassVar[type] = Seen

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._goes_on = goes_on(run)
        self._no_log = run.log.fault is not None and not run.log.events and run.log.fault.endswith(" is missing")
        self._binds_intent = run.log.started is not None and run.log.started.intent_sha256 is not None

    def look(self, task: TaskEvidence) -> Seen | None:
        """See one task."""
        if task.facts is None and task.log is None:
            return None
        case = Case(self._run, task, goes_on=self._goes_on)
        findings = Findings()
        for rule in RULES:
            for finding in rule(case):
                findings.add(msgspec.structs.replace(finding, task_id=task.task_id))
        lost = 0 if task.facts is None else len(task.facts.voting.answers) - case.choice.cast
        again = len(case.groups) > 1 or 0 < case.choice.votes <= lost
        return Seen(task.task_id, findings.sorted(), task.counted_right, again)

    def conclude(self, notes: Sequence[Seen]) -> Check:
        """Say what was found."""
        findings, run = Findings(), self._run
        once = list({note.task_id: note for note in reversed(notes)}.values())  # there may be many lines of one task
        for note in once:
            for finding in note.findings:
                findings.keep(finding)
        findings.add_all(self._log(), self._intent(), self._restarts(), _tried_again(once))
        gaps = []
        if self._no_log:
            gaps.append("there is no log: attempts cannot be counted")
        elif self._goes_on:
            gaps.append("the run is not closed: attempts may be under way")
        if run.intent_sha256 is None and (run.facts.submit_intent or self._binds_intent):
            gaps.append("the run was declared, and its intent is missing")
        return findings.check("AUD-6", "voting-disclosure", harness_gap="; ".join(gaps) or None)

    def _log(self) -> Iterator[Finding]:
        """The log must be whole, and begin with what the run says of itself."""
        log = self._run.log
        if self._no_log:
            if self._run.facts.submit_intent:
                yield found("high", "record-broken", "The run was declared, and its log is missing.")
            return
        if log.fault is not None:
            # a crash may leave half a line at the end; a log that goes on, or was closed, has none
            cut = log.closed is None and log.fault.endswith("the line is cut short")
            said = "The log cannot be read to its end."
            yield found("medium" if cut else "critical", "record-broken", said, log.fault)
        if log.started is None:
            yield found("critical", "record-broken", "The log has no beginning.")
        yield from _out_of_place(log.stray, log)
        if others := differs_from_log(self._run):
            said = "What the run says of itself is not what its log began with."
            yield found("critical", "declared-otherwise", said, ", ".join(others))
        if log.closed is None:
            yield found("medium", "interrupted", "The log has no end: the run may still go on.")
        elif log.closed.status != "complete":
            yield found("medium", "interrupted", "The run was given up before its end.", log.closed.status)

    def _intent(self) -> Iterator[Finding]:
        """A run that was declared is the one that was declared."""
        intent = read_intent(self._run, Intent)
        if intent is None:
            if self._binds_intent:
                yield found("high", "record-broken", "The log binds an intent, which is missing.")
        elif isinstance(intent, str):
            yield found("critical", "record-broken", "The intent cannot be read.", intent)
        elif others := differs_from_intent(self._run, intent):
            said = "The run is not the one that was declared."
            yield found("critical", "declared-otherwise", said, ", ".join(others))

    def _restarts(self) -> Iterator[Finding]:
        """The restarts by themselves: facts that are disclosed, and those that our runner never makes."""
        tasks = len(set(self._run.facts.task_ids))
        total = self._run.log.interruptions.total("the one that began it")
        for rollback in total.rollbacks:
            seen = "more" if rollback.seen is None else str(rollback.seen)
            said = (
                f"The run went on from line {rollback.kept} of its log, when it had {seen}: what stood there is gone."
            )
            yield found("high", "interrupted", said)
        if total.resumed:
            much = total.unfinished_attempts + total.discarded_attempts > LOST_SHARE * tasks
            said = f"The run was {total.said[:200]}; {counted(tasks, 'task')}."
            yield found("medium" if much else "low", "interrupted", said)


def _tried_again(notes: Sequence[Seen]) -> Iterator[Finding]:
    """Tasks that were tried again and are right more often than the others: what fails by itself hits all alike."""
    again, others = [task for task in notes if task.again], [task for task in notes if not task.again]
    if min(len(again), len(others)) < LEAST_TO_COMPARE:
        return
    right, right_others = sum(task.right for task in again), sum(task.right for task in others)
    if wilson(right, len(again))[0] > right_others / len(others):
        clearly = wilson(right, len(again))[0] > wilson(right_others, len(others))[1]
        said = (
            f"{len(again)} of {len(notes)} tasks were tried again, after a restart or without an answer; "
            f"{right} of them are correct, {right_others} of the {len(others)} others."
        )
        gates = clearly and len(again) > LOST_SHARE * len(notes)
        yield found("high" if gates else "medium", "tried-again-and-correct", said)
