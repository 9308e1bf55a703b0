"""AUD-6: were all attempts declared and disclosed, and the answer chosen without knowledge of the score?

Log and result of a task must tell one story, and so must the log, the intent and the end of the run. Crashes and
outages are honest and common: restarts are disclosed, and gate only where the log was set back, or where an attempt
was begun after the judge's no and became right.
"""

import contextlib
from bisect import bisect
from collections.abc import Iterator, Sequence

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Finding, found
from gaia_harness.audit.looking import TaskCheck
from gaia_harness.errors import EvidenceError
from gaia_harness.figures import counted
from gaia_harness.normalization import ballot
from gaia_harness.protocol import choose, final_answer, readings
from gaia_harness.records.intent import Intent, compare, compare_start, differences_from_record, different
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.replay import TaskLog
from gaia_harness.records.run import read_as_written
from gaia_harness.records.steps import LlmCall, Prompt

LOST_SHARE = 0.3
"""Of all tasks: with fewer attempts thrown away, the score could hardly have been decided."""


class VotingDisclosure(TaskCheck):
    """AUD-6."""

    id, name = "AUD-6", "voting-disclosure"

    def __init__(self, run: RunEvidence) -> None:
        super().__init__(run)
        self._no_log = run.log.fault == "log.jsonl is missing"
        self._binds_intent = run.log.started is not None and run.log.started.intent_sha256 is not None

    def of_task(self, task: TaskEvidence) -> Iterator[Finding]:
        """The attempts that there were, and the choice among their answers."""
        facts, log = task.facts, task.log
        if log is not None:
            yield from self._out_of_place(log.stray)
            yield from _after_the_verdict(task, log)
        if facts is not None:
            yield from self._attempts(task, facts)
            yield from self._begun_anew(task)
            yield from _other_choice(task, facts)
            yield from self._other_vote(task, facts)

    def _attempts(self, task: TaskEvidence, facts: TaskFacts) -> Iterator[Finding]:
        """Result and log have the same attempts, of which the last process made as many as declared and voted on."""
        log, declared, voted = task.log, self.run.facts.voting_attempts, len(facts.voting.answers)
        differ = voted > declared
        said = f"{declared} declared, {voted} in the vote"
        if log is not None and self.run.log.fault is None:
            begun = len(log.attempts)
            processes = [bisect(self.run.log.resumed_at, attempt.started_at) for attempt in log.attempts]
            last = processes.count(max(processes, default=0))
            said += f", {begun} in the log with {last} since the last restart"
            differ |= (facts.attempts, voted) != (begun, last)
        if differ:
            summary = "Log and result do not have the same attempts, or more than were declared."
            yield found("critical", "attempts-differ", summary, said)
        elif voted < declared:
            summary = "Fewer attempts were carried out than declared."
            yield found("high" if task.counted_right else "medium", "attempts-differ", summary, said)

    def _begun_anew(self, task: TaskEvidence) -> Iterator[Finding]:
        """Our loop tells the model once who it is: a system prompt behind an answer begins another attempt."""
        answered = 0
        for step in task.steps if self.run.is_ours else ():
            if type(step) is LlmCall and final_answer(step.head) is not None:
                answered = step.attempt
            elif type(step) is Prompt and step.role == "system" and answered == step.attempt:
                yield found("medium", "attempts-differ", "The conversation begins anew within an attempt.", at=step)
                return

    def _other_vote(self, task: TaskEvidence, facts: TaskFacts) -> Iterator[Finding]:
        """In our own loop, an attempt votes for the answer that its last reply gives."""
        answers, ends = facts.voting.answers, {step.attempt: step for step in task.steps}
        for attempt, answer in enumerate(answers, facts.attempts - len(answers) + 1):
            last = ends.get(attempt)
            reply = task.replied(last) if self.run.is_ours and type(last) is LlmCall else None
            if reply is None:
                continue  # there is none, or its end is kept nowhere
            given = readings(reply)
            other = final_answer(reply) if answer is None else next(iter(given), None)
            if other is not None and (answer is None or ballot(answer) not in map(ballot, given)):
                said = "An attempt has another vote than the answer that the model gave, or none."
                yield found(task.weight, "other-choice", said, other, at=last)
                return

    def of_run(self, task_ids: Sequence[str]) -> Iterator[Finding]:
        """The log must be whole, and log and run must be what was declared."""
        log, intent = self.run.log, self.run.read_intent(Intent)
        if self._no_log and self.run.facts.submit_intent:
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
        if others := _differences(self.run, intent if isinstance(intent, Intent) else None):
            said = "The run is not what its log began with, or not what was declared."
            yield found("critical", "declared-otherwise", said, ", ".join(others))
        yield from self._out_of_place(log.stray)
        yield from self._restarts()

    def _out_of_place(self, strays: list[str]) -> Iterator[Finding]:
        """Where the log could not be written, an event may be missing for that, and not to hide it."""
        for stray in strays:
            said = "The log has an event out of place."
            yield found("high" if self.run.log.failures else "critical", "event-out-of-place", said, stray)

    def _restarts(self) -> Iterator[Finding]:
        """The end and the restarts by themselves: facts that are disclosed, and those that our runner never makes."""
        log, tasks = self.run.log, len(self.run.asked)
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

    def gaps(self, unseen: int) -> Iterator[str]:
        """What is missing, or may be yet to come."""
        if self._no_log:
            yield "there is no log: attempts cannot be counted"
        elif self.run.goes_on:
            yield "the run is not closed: attempts may be under way"
        if self.run.intent_sha256 is None and (self.run.facts.submit_intent or self._binds_intent):
            yield "the run was declared, and its intent is missing"


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
    if not answers:
        return
    rule, before = choose(answers), facts.attempts - len(answers)
    picked = (before + rule.attempt, answers[rule.attempt - 1], rule.votes, rule.cast)
    if picked != (stated.selected_attempt, facts.answer, stated.votes, stated.cast):
        said = "The attempt that was chosen, its answer or its votes are not what the majority picks."
        shown = f"the majority is attempt {picked[0]} with {rule.votes} of {rule.cast} votes"
        yield found(task.weight, "other-choice", said, shown, attempt=stated.selected_attempt)


def _differences(run: RunEvidence, intent: Intent | None) -> list[str]:
    """What the run says of itself otherwise than its log did when it began, or than it was declared."""
    facts, started = run.facts, run.log.started
    names = []
    if started is not None:
        begun = compare_start(facts, started)
        names += different(begun | {"submit_intent": (facts.submit_intent, started.intent_sha256 is not None)})
    if intent is not None:
        bound = run.intent_sha256 if started is None else started.intent_sha256
        names += different(compare(intent, facts) | {"log": (run.intent_sha256, bound)})
        with contextlib.suppress(EvidenceError):  # a package has no run.json, which tells of the options
            names += differences_from_record(intent, read_as_written(run.folder))
    return list(dict.fromkeys(names))
