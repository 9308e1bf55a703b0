"""AUD-6: were all attempts declared and disclosed, and the answer chosen without knowledge of the score?

Log, result and trajectory of a task must tell one story, and so must the log, the intent and the end of the run.
Crashes and outages are honest and common: they are disclosed, and gate only where they fell so as to help.
"""

from bisect import bisect
from collections.abc import Iterator, Sequence
from typing import ClassVar

import msgspec

from gaia_harness.audit.claims import closing_replies, given_instead, replied
from gaia_harness.audit.declared import differences, goes_on, read_intent
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, Notes, Severity, found
from gaia_harness.figures import counted, wilson
from gaia_harness.protocol import choose, final_answer
from gaia_harness.records.intent import Intent
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.replay import LogFacts, LoggedAttempt, TaskLog
from gaia_harness.records.steps import LlmCall, Prompt

LEAST_TO_COMPARE = 4
"""Tasks of a kind, below which their share of right answers says nothing."""

LOST_SHARE = 0.3
"""Of all tasks: with fewer attempts thrown away, or tasks tried again, the score could hardly have been decided."""


class VotingNotes(Notes, frozen=True, gc=False):
    """What is noted of a task. It was `tried_again` where a restart cut it off, or lost attempts could outvote it."""

    right: bool = False
    tried_again: bool = False


class VotingDisclosure:
    """AUD-6."""

    noted: ClassVar[type] = VotingNotes

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._goes_on = goes_on(run)
        self._no_log = run.log.fault == "log.jsonl is missing"
        self._binds_intent = run.log.started is not None and run.log.started.intent_sha256 is not None

    def look(self, task: TaskEvidence) -> VotingNotes | None:
        """See one task."""
        facts, log = task.facts, task.log
        if facts is None and log is None:
            return None
        groups: dict[int, list[LoggedAttempt]] = {}  # the attempts of one process together; the last have the result
        for attempt in () if log is None else log.attempts:
            groups.setdefault(bisect(self._run.log.resumed_at, attempt.started_at), []).append(attempt)
        findings = [*self._attempts(task, list(groups.values())), *self._begun_anew(task)]
        if log is not None:
            findings += [*_out_of_place(log.stray, self._run.log), *_after_the_verdict(task, log)]
        again = len(groups) > 1
        if facts is not None and facts.voting.answers:
            findings += [*_other_choice(task, facts), *self._other_ballot(task, facts)]
            choice = choose(facts.voting.answers)
            without_vote = len(facts.voting.answers) - choice.cast
            again |= 0 < choice.votes <= without_vote
        of_task = tuple(msgspec.structs.replace(finding, task_id=task.task_id) for finding in findings)
        return VotingNotes(task.task_id, of_task, right=task.counted_right, tried_again=again)

    def _attempts(self, task: TaskEvidence, groups: list[list[LoggedAttempt]]) -> Iterator[Finding]:
        """Result, log and trajectory have the same attempts, as many as declared; all that came to an end are counted.

        Of a run that goes on the log was read before its trajectories: these may be further.
        """
        facts, log, declared = task.facts, task.log, self._run.facts.voting_attempts
        voted = declared if facts is None else len(facts.voting.answers)
        last = groups[-1] if groups else []
        differ = voted > declared or any(len(group) > declared for group in groups)
        said = f"{declared} declared, {voted} in the vote"
        if log is not None and self._run.log.fault is None:
            begun = len(log.attempts)
            said += f", {begun} in the log with {len(last)} since the last restart"
            differ |= log.finished_at is not None and log.said_attempts != begun
            differ |= not self._goes_on and not {step.attempt for step in task.steps} <= {each.number for each in last}
            differ |= facts is not None and (facts.attempts, voted) != (begun, len(last))
        if differ:
            summary = "Log, result and trajectory do not have the same attempts, or more than were declared."
            yield found("critical", "attempts-differ", summary, said)
        elif voted < declared:
            summary = "Fewer attempts were carried out than declared."
            yield found("high" if task.counted_right else "medium", "attempts-differ", summary, said)

    def _begun_anew(self, task: TaskEvidence) -> Iterator[Finding]:
        """Our loop tells the model once who it is: a system prompt behind an answer begins another attempt."""
        answered = 0
        for step in task.steps if self._run.is_ours else ():
            if type(step) is LlmCall and final_answer(step.head) is not None:
                answered = step.attempt
            elif type(step) is Prompt and step.role == "system" and answered == step.attempt:
                yield found("medium", "attempts-differ", "The conversation begins anew within an attempt.", at=step)
                return

    def _other_ballot(self, task: TaskEvidence, facts: TaskFacts) -> Iterator[Finding]:
        """The votes are the answers that the attempts ended with; AUD-2 looks at the one that was chosen."""
        answers, closing = facts.voting.answers, closing_replies(task.steps)
        for attempt, answer in enumerate(answers, facts.attempts - len(answers) + 1):
            last = None if attempt == facts.voting.selected_attempt else closing.get(attempt)
            if last and (other := given_instead(answer, replied(task, last), ours=self._run.is_ours)):
                said = "An attempt has another vote than the answer that the model gave, or none."
                yield found(task.weight, "other-choice", said, other, at=last)
                return

    def conclude(self, notes: Sequence[VotingNotes]) -> Check:
        """Say what was found."""
        run = self._run
        once = list({note.task_id: note for note in reversed(notes)}.values())  # the first of many lines of a task
        findings = Findings().add_all(*(note.findings for note in once))
        findings.add_all(self._record(), self._restarts(), _tried_again(once))
        gaps = []
        if self._no_log:
            gaps.append("there is no log: attempts cannot be counted")
        elif self._goes_on:
            gaps.append("the run is not closed: attempts may be under way")
        if run.intent_sha256 is None and (run.facts.submit_intent or self._binds_intent):
            gaps.append("the run was declared, and its intent is missing")
        return findings.check("AUD-6", "voting-disclosure", harness_gap="; ".join(gaps) or None)

    def _record(self) -> Iterator[Finding]:
        """The log must be whole, and log and run must be what was declared."""
        log, intent = self._run.log, read_intent(self._run, Intent)
        if self._no_log and self._run.facts.submit_intent:
            yield found("high", "record-broken", "The run was declared, and its log is missing.")
        elif log.fault is not None and not self._no_log:
            # a crash may leave half a line at the end; a log that goes on, or was closed, has none
            cut = log.closed is None and log.fault.endswith("the line is cut short")
            said = "The log cannot be read to its end."
            yield found("medium" if cut else "critical", "record-broken", said, log.fault)
        if log.started is None and not self._no_log:
            yield found("critical", "record-broken", "The log has no beginning.")
        if intent is None and self._binds_intent:
            yield found("high", "record-broken", "The log binds an intent, which is missing.")
        elif isinstance(intent, str):
            yield found("critical", "record-broken", "The intent cannot be read.", intent)
        if others := differences(self._run, intent if isinstance(intent, Intent) else None):
            said = "The run is not what its log began with, or not what was declared."
            yield found("critical", "declared-otherwise", said, ", ".join(others))
        yield from _out_of_place(log.stray, log)

    def _restarts(self) -> Iterator[Finding]:
        """The end and the restarts by themselves: facts that are disclosed, and those that our runner never makes."""
        log, tasks = self._run.log, len(set(self._run.facts.task_ids))
        if log.closed is None and not self._no_log:
            yield found("medium", "interrupted", "The log has no end: the run may still go on.")
        elif log.closed is not None and log.closed.status != "complete":
            yield found("medium", "interrupted", "The run was given up before its end.", log.closed.status)
        total = log.interruptions.total("the one that began it")
        for rollback in total.rollbacks:
            had = "more" if rollback.seen is None else str(rollback.seen)
            said = f"The run went on from line {rollback.kept} of its log, when it had {had}: what stood there is gone."
            yield found("high", "interrupted", said)
        if total.resumed:
            much = total.unfinished_attempts + total.discarded_attempts > LOST_SHARE * tasks
            said = f"The run was {total.said[:200]}; {counted(tasks, 'task')}."
            yield found("medium" if much else "low", "interrupted", said)


def _out_of_place(strays: list[str], log: LogFacts) -> Iterator[Finding]:
    """Where the log could not be written, an event may be missing for that, and not to hide it."""
    severity: Severity = "high" if log.failures else "critical"
    for stray in strays:
        yield found(severity, "event-out-of-place", "The log has an event out of place.", stray)


def _after_the_verdict(task: TaskEvidence, log: TaskLog) -> Iterator[Finding]:
    """No attempt follows the judge's word. A crash just behind it is honest, unless it made a no right."""
    for last in log.attempts[-1:]:
        if before := [verdict for at, verdict in log.judged if at < last.started_at]:
            gained = False in before and task.counted_right
            said = "An attempt was begun when the judge had spoken on the task."
            yield found("critical" if gained else "medium", "event-out-of-place", said, attempt=last.number)


def _other_choice(task: TaskEvidence, facts: TaskFacts) -> Iterator[Finding]:
    """Of the answers the one counts that most attempts gave, by a rule that knows no gold."""
    stated, answers = facts.voting, facts.voting.answers
    rule, before = choose(answers), facts.attempts - len(answers)
    picked = (before + rule.attempt, answers[rule.attempt - 1], rule.votes, rule.cast)
    chosen = stated.selected_attempt if task.trajectory is None else task.trajectory.selected_attempt
    if picked != (stated.selected_attempt, facts.answer, stated.votes, stated.cast) or chosen != picked[0]:
        said = "The attempt that was chosen, its answer or its votes are not what the majority picks."
        shown = f"the majority is attempt {picked[0]} with {rule.votes} of {rule.cast} votes"
        yield found(task.weight, "other-choice", said, shown, attempt=stated.selected_attempt)


def _tried_again(notes: Sequence[VotingNotes]) -> Iterator[Finding]:
    """Tasks that were tried again and are right more often than the others: what fails by itself hits all alike."""
    again = [task.right for task in notes if task.tried_again]
    others = [task.right for task in notes if not task.tried_again]
    if min(len(again), len(others)) < LEAST_TO_COMPARE:
        return
    at_least, others_at_most = wilson(sum(again), len(again))[0], wilson(sum(others), len(others))[1]
    if at_least > sum(others) / len(others):
        said = (
            f"{len(again)} of {len(notes)} tasks were tried again, after a restart or without an answer; "
            f"{sum(again)} of them are correct, {sum(others)} of the {len(others)} others."
        )
        gates = at_least > others_at_most and len(again) > LOST_SHARE * len(notes)
        yield found("high" if gates else "medium", "tried-again-and-correct", said)
