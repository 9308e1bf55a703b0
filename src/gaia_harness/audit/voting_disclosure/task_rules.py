"""The rules of AUD-6 on one task: its attempts in the log, its result and its trajectory must tell one story."""

from bisect import bisect, bisect_left
from collections.abc import Callable, Iterator, Sequence

import msgspec

from gaia_harness.audit.claims import given_instead
from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.findings import Finding, Severity, found
from gaia_harness.audit.voting_disclosure import limits
from gaia_harness.judge import scorer
from gaia_harness.protocol import CUT_SHORT_REASONS, choose, final_answer
from gaia_harness.records.replay import LogFacts, LoggedAttempt
from gaia_harness.records.steps import Answer, LlmCall, ToolCallStep


class Case(msgspec.Struct, frozen=True):
    """A task under examination. `groups` are its attempts, those of one process together; the last have the result."""

    task: TaskEvidence
    log: LogFacts
    declared: int  # attempts
    goes_on: bool  # the run is at work, or was killed
    ours: bool  # recorded by our own loop
    groups: list[list[LoggedAttempt]]

    @property
    def weight(self) -> Severity:
        return "critical" if self.task.counted_right else "high"

    @property
    def out_of_place(self) -> Severity:
        """Without every event an attempt may be missing because the log could not be written, not to hide it."""
        return "high" if self.log.failures else "critical"

    @property
    def last(self) -> list[LoggedAttempt]:
        return self.groups[-1] if self.groups else []


def by_process(attempts: Sequence[LoggedAttempt], resumed_at: Sequence[int]) -> list[list[LoggedAttempt]]:
    """The attempts of a task in the order of the log, those between two restarts together."""
    groups: dict[int, list[LoggedAttempt]] = {}
    for attempt in attempts:
        groups.setdefault(bisect(resumed_at, attempt.started_at), []).append(attempt)
    return [groups[process] for process in sorted(groups)]


def order(case: Case) -> Iterator[Finding]:
    """Attempts are numbered without gaps, and none follows the end of the task or the judge's word on it."""
    log = case.task.log
    if log is None:
        return
    told = False
    numbers = [attempt.number for attempt in log.attempts]
    if numbers != list(range(1, len(numbers) + 1)):
        told = True
        said = "The attempts in the log are not numbered without gaps."
        yield found(case.out_of_place, "attempt-gap", said, ", ".join(map(str, numbers[:20])))
    if log.finished_times > 1:
        told = True
        yield found("critical", "finished-again", f"The task was finished {log.finished_times} times.")
    judged_at = [at for at, _ in log.judged]
    for attempt in log.attempts:
        if log.finished_at is not None and attempt.started_at > log.finished_at:
            told = True
            said = "An attempt was begun when the task was finished."
            yield found("critical", "attempt-after-the-end", said, attempt=attempt.number)
        if spoken := bisect_left(judged_at, attempt.started_at):
            at, verdict = log.judged[spoken - 1]
            # a crash just behind a verdict is possible; to make a "no" right is what one would stage it for
            crashed = _restarted_between(case.log, at, attempt.started_at)
            gained = verdict is False and case.task.counted_right
            said = "An attempt was begun when the judge had spoken on the task."
            severity: Severity = "medium" if crashed and not gained else "critical"
            yield found(severity, "attempt-after-verdict", said, attempt=attempt.number)
    for stray in log.stray if not told else ():
        yield found(case.out_of_place, "event-out-of-place", "The log has an event out of place.", stray)


def attempts(case: Case) -> Iterator[Finding]:
    """In one go there are as many attempts as were declared, each to its end; what a restart cut off is disclosed."""
    for group in case.groups:
        if len(group) > case.declared:
            said = f"{len(group)} attempts were begun in one go, {case.declared} declared."
            yield found("critical", "more-attempts-than-declared", said, attempt=group[-1].number)
        for attempt in group[:-1]:
            if attempt.finished_at is None:
                said = "An attempt was dropped: the next was begun with no restart between them."
                yield found("high", "attempt-dropped", said, attempt=attempt.number)
    log = case.task.log
    if log is not None and log.finished_at is not None and case.last:
        if case.last[-1].finished_at is None:
            said = "The task was finished, and its last attempt was not."
            yield found("high", "attempt-dropped", said, attempt=case.last[-1].number)
        if _restarted_between(case.log, case.last[-1].started_at, log.finished_at):
            said = "The task was finished by another process than the one that worked on it."
            yield found("high", "event-out-of-place", said)
    before = case.groups[:-1]
    for attempt in (attempt for group in before for attempt in group):
        said = f"An attempt was cut off by {'an outage' if attempt.interrupted else 'a crash'}."
        yield found("low", "cut-off", said, attempt=attempt.number)
    if len(before) > limits.MOST_OF_A_TASK:
        said = f"One task was cut off by {len(before)} restarts: {sum(map(len, before))} of its attempts."
        yield found("medium", "often-cut-off", said)


def disclosed(case: Case) -> Iterator[Finding]:
    """The result has the attempts that the log has, and counts all those that came to an end."""
    facts, log, ended = case.task.facts, case.task.log, len(case.last)
    if facts is None or log is None or case.log.fault is not None:
        return
    had, begun, counted = facts.attempts, len(log.attempts), len(facts.voting.answers)
    if had < begun:
        yield found("critical", "attempts-hidden", f"The result has {had} attempts, the log {begun}.")
    elif had > begun:
        yield found("high", "attempts-not-in-log", f"The result has {had} attempts, the log only {begun}.")
    if log.finished_at is not None and log.said_attempts != begun:
        said = f"The task was finished with {log.said_attempts} attempts, {begun} were begun."
        yield found("high", "attempts-not-in-log", said)
    if counted != ended:
        said = f"{counted} attempts were counted in the vote, {ended} came to an end."
        yield found(case.weight, "answer-left-out" if counted < ended else "attempts-not-in-log", said)


def vote(case: Case) -> Iterator[Finding]:
    """As many attempts as declared, and of their answers the one that most gave, by a rule that knows no gold."""
    facts, gold = case.task.facts, case.task.gold
    if facts is None:
        return
    stated, answers, right = facts.voting, facts.voting.answers, case.task.counted_right
    said = f"{len(answers)} attempts were carried out, {case.declared} declared."
    if len(answers) > case.declared:
        yield found("critical", "more-attempts-than-declared", said)
    elif len(answers) < case.declared:
        yield found("high" if right else "medium", "attempts-not-carried-out", said)
    if not answers:
        return
    rule = choose(answers)
    place = stated.selected_attempt - (facts.attempts - len(answers))
    if not 1 <= place <= len(answers) or answers[place - 1] != facts.answer:
        said = "The answer is not that of the attempt that was chosen, or none was counted that was chosen."
        yield found(case.weight, "other-choice", said, attempt=stated.selected_attempt)
    elif place != rule.attempt:
        gained = right and gold is not None and not scorer.question_scorer(answers[rule.attempt - 1], gold.answer)
        said = "The attempt that was chosen is not the one that the majority picks."
        yield found("critical" if gained else "high", "other-choice", said, attempt=stated.selected_attempt)
    elif (stated.votes, stated.cast) != (rule.votes, rule.cast):
        said = f"{stated.votes} of {stated.cast} votes are said, {rule.votes} of {rule.cast} were given."
        yield found("high", "votes-do-not-add-up", said)
    if 0 < rule.cast < len(answers):
        lost = len(answers) - rule.cast
        said = f"{lost} of {len(answers)} attempts ended without an answer; the vote is that of the others."
        yield found("low", "no-answer", said)


def steps(case: Case) -> Iterator[Finding]:
    """The trajectory has the steps of the attempts that the result is from, and of no other."""
    trajectory, log = case.task.trajectory, case.task.log
    if trajectory is None or log is None or case.log.fault is not None:
        return
    logged, of_result = {a.number for a in log.attempts}, {a.number for a in case.last}
    there = {step.attempt for step in trajectory.steps}
    for number in sorted(there - of_result):
        if number in logged:
            said = "The trajectory has steps of an attempt that a crash cut off."
            yield found("high", "steps-of-another-attempt", said, attempt=number)
        else:
            said = "The trajectory has an attempt that the log does not know."
            # of a run that goes on the log was read before its trajectories: these may be further
            yield found("medium" if case.goes_on else "critical", "attempts-not-in-log", said, attempt=number)
    before = 0
    for attempt in case.last:
        if (attempt.steps or 0) > before and attempt.number not in there:
            said = "An attempt came to an end, and the trajectory has none of its steps."
            yield found("high", "attempt-without-steps", said, attempt=attempt.number)
        before = max(before, attempt.steps or 0)


def words(case: Case) -> Iterator[Finding]:
    """The answers that were counted are those that the model gave in the last words of each attempt."""
    trajectory, facts = case.task.trajectory, case.task.facts
    if trajectory is None or facts is None:
        return
    if trajectory.selected_attempt != facts.voting.selected_attempt:
        said = "The results name another attempt as chosen than the trajectory."
        yield found("high", "other-choice", said, attempt=trajectory.selected_attempt)
    closing: dict[int, LlmCall | None] = {}  # of each attempt the last reply, if nothing came behind it
    for step in trajectory.steps:
        last = closing.get(step.attempt)
        if type(step) is LlmCall:
            closing[step.attempt] = step
        elif isinstance(step, ToolCallStep | Answer) or (last is not None and last.stop_reason in CUT_SHORT_REASONS):
            closing[step.attempt] = None
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
            yield found("high", "other-vote", said, other, at=last)


RULES: tuple[Callable[[Case], Iterator[Finding]], ...] = (order, attempts, disclosed, vote, steps, words)


def _restarted_between(log: LogFacts, first: int, last: int) -> bool:
    return bisect(log.resumed_at, first) < bisect_left(log.resumed_at, last)
