"""AUD-6: all attempts were declared and disclosed, and the answer was chosen without knowledge of the score."""

from bisect import bisect_left

import msgspec

from gaia_harness.audit import lost_attempts, lost_votes, restarts
from gaia_harness.audit.attempts import (
    MOST_OF_A_TASK,
    TOO_OFTEN,
    CutOff,
    at_once,
    by_process,
    restart_of,
    restarted_between,
    weigh,
)
from gaia_harness.audit.declared import differs_from_intent, differs_from_log, ending_of, read_intent
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, Severity, excerpt
from gaia_harness.judge import scorer
from gaia_harness.normalization import ballot
from gaia_harness.protocol import CUT_SHORT_REASONS, choose, final_answer, readings
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.replay import LoggedAttempt, TaskLog
from gaia_harness.records.steps import LlmCall, ToolCallStep
from gaia_harness.records.trajectories import Trajectory


class VotingDisclosure:
    """AUD-6."""

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._declared = run.facts.voting_attempts
        self._findings = Findings()
        self._gaps: list[str] = []
        self._cut_off: dict[str, CutOff] = {}
        self._votes: list[lost_votes.Vote] = []
        self._correct = 0
        self._ending = ending_of(run)
        self._lost_attempts = lost_attempts.count_lost(run.log, len(set(run.facts.task_ids)))
        # without every event an attempt may be missing because the log could not be written, not to hide it
        self._stray: Severity = "high" if run.log.failures else "critical"
        self._log()
        self._intent()

    def look(self, task: TaskEvidence) -> None:
        """See one task."""
        correct = bool(task.correct or (task.facts is not None and task.facts.correct))
        self._correct += correct
        weight: Severity = "critical" if correct else "high"
        last: list[LoggedAttempt] = []
        if task.log is not None:
            self._order(task.task_id, task.log, correct)
            last = self._attempts(task, task.log, correct)
        if task.facts is not None:
            self._vote(task, task.facts, weight)
            self._lost(task.task_id, task.facts, correct)
            if task.log is not None and self._run.log.fault is None:
                self._disclosed(task.task_id, task.facts, task.log, last, weight)
        if task.trajectory is not None:
            said = _said(task.trajectory)
            if task.log is not None and self._run.log.fault is None:
                self._steps(task.task_id, said, task.log, last)
            if task.facts is not None:
                self._given(task, task.facts, task.trajectory, said)

    def conclude(self) -> Check:
        """Say what was found."""
        correct = self._correct - sum(task.correct for task in self._cut_off.values())
        tasks, width = len(set(self._run.facts.task_ids)), at_once(self._run.log)
        for severity, rule, said in weigh(self._cut_off, tasks=tasks, others_correct=correct, width=width):
            self._add(None, severity, rule, said)
        for severity, rule, said in (
            *restarts.weigh(self._run.log, tasks),
            *lost_attempts.weigh(self._lost_attempts, tasks),
            *lost_votes.weigh(self._votes),
        ):
            self._add(None, severity, rule, said)
        self._cut_off, self._votes = {}, []
        return self._findings.check("AUD-6", "voting-disclosure", harness_gap="; ".join(self._gaps) or None)

    def _log(self) -> None:
        log = self._run.log
        if log.fault is not None:
            if not log.events and log.fault.endswith(" is missing"):
                self._gaps.append("there is no log: attempts cannot be counted")
                if self._run.facts.submit_intent:
                    self._add(None, "high", "log-missing", "The run was declared, and its log is missing.")
                return
            # a crash may leave half a line at the end; a log that goes on, or was closed, has none
            cut = log.closed is None and log.fault.endswith("the line is cut short")
            severity: Severity = "medium" if cut else "critical"
            self._add(None, severity, "log-broken", "The log cannot be read to its end.", log.fault)
        if log.started is None:
            self._add(None, "critical", "log-broken", "The log has no beginning.")
        for stray in log.stray:
            self._add(None, self._stray, "event-out-of-place", "The log has an event out of place.", stray)
        others = differs_from_log(self._run)
        if others:
            said = "What the run says of itself is not what its log began with."
            self._add(None, "critical", "declared-otherwise", said, ", ".join(others))
        self._end()

    def _end(self) -> None:
        log = self._run.log
        if self._ending.differs is not None:
            summary = "What the run says of its end is not what its log says."
            self._add(None, "medium", "state-differs", summary, self._ending.differs)
        if log.closed is None:
            self._add(None, "medium", "run-not-closed", "The log has no end: the run may still go on.")
            if self._ending.goes_on:
                self._gaps.append("the run is not closed: attempts may be under way")
        elif log.closed.status != "complete":
            self._add(None, "medium", "run-aborted", "The run was given up before its end.", log.closed.status)
        elif log.fault is None:
            finished = sum(task.finished_at is not None for task in log.tasks.values())
            started = sum(len(task.attempts) for task in log.tasks.values())
            said = (log.closed.tasks, log.closed.finished, log.closed.attempts)
            if said != (len(self._run.facts.task_ids), finished, started):
                self._add(
                    None, "high", "end-does-not-add-up", "Tasks and attempts at the end are not those of the log.",
                    f"{said[0]} tasks, {said[1]} finished, {said[2]} attempts",
                )  # fmt: skip

    def _intent(self) -> None:
        run = self._run
        intent = read_intent(run)
        bound = run.log.started is not None and run.log.started.intent_sha256 is not None
        if intent is None:
            if run.facts.submit_intent or bound:
                self._gaps.append("the run was declared, and its intent is missing")
            if bound:
                self._add(None, "high", "intent-missing", "The log binds an intent, which is missing.")
        elif isinstance(intent, str):
            self._add(None, "critical", "intent-broken", "The intent cannot be read.", intent)
        else:
            others = differs_from_intent(run, intent)
            if others:
                said = "The run is not the one that was declared."
                self._add(None, "critical", "declared-otherwise", said, ", ".join(others))

    def _order(self, task_id: str, log: TaskLog, correct: bool) -> None:
        """Events of one task: what came behind what."""
        numbers = [attempt.number for attempt in log.attempts]
        told = False
        judged_at = [at for at, _ in log.judged]
        if numbers != list(range(1, len(numbers) + 1)):
            told = True
            shown = ", ".join(map(str, numbers[:20]))
            self._add(
                task_id, self._stray, "attempt-gap", "The attempts in the log are not numbered without gaps.", shown
            )
        if log.finished_times > 1:
            told = True
            self._add(task_id, "critical", "finished-again", f"The task was finished {log.finished_times} times.")
        for attempt in log.attempts:
            if log.finished_at is not None and attempt.started_at > log.finished_at:
                told = True
                said = "An attempt was begun when the task was finished."
                self._add(task_id, "critical", "attempt-after-the-end", said, attempt=attempt.number)
            spoken = bisect_left(judged_at, attempt.started_at)
            if spoken:
                at, verdict = log.judged[spoken - 1]
                crashed = restarted_between(self._run.log.resumed_at, at, attempt.started_at)
                # a crash just behind a verdict is possible; to make a "no" right is what one would stage it for
                severity: Severity = "medium" if crashed and not (verdict is False and correct) else "critical"
                said = "An attempt was begun when the judge had spoken on the task."
                self._add(task_id, severity, "attempt-after-verdict", said, attempt=attempt.number)
        for stray in log.stray if not told else ():
            self._add(task_id, self._stray, "event-out-of-place", "The log has an event out of place.", stray)

    def _attempts(self, task: TaskEvidence, log: TaskLog, correct: bool) -> list[LoggedAttempt]:
        """The attempts that belong to the result; what a crash cut off before them is disclosed."""
        resumed_at = self._run.log.resumed_at
        groups = by_process(log, resumed_at)
        for group in groups:
            if len(group) > self._declared:
                said = f"{len(group)} attempts were begun in one go, {self._declared} declared."
                self._add(task.task_id, "critical", "more-attempts-than-declared", said, attempt=group[-1].number)
            for attempt in group[:-1]:
                if attempt.finished_at is None:
                    said = "An attempt was dropped: the next was begun with no restart between them."
                    self._add(task.task_id, "high", "attempt-dropped", said, attempt=attempt.number)
        if not groups:
            return []
        last = groups[-1]
        if log.finished_at is not None:
            if last[-1].finished_at is None:
                said = "The task was finished, and its last attempt was not."
                self._add(task.task_id, "high", "attempt-dropped", said, attempt=last[-1].number)
            if restarted_between(resumed_at, last[-1].started_at, log.finished_at):
                said = "The task was finished by another process than the one that worked on it."
                self._add(task.task_id, "high", "event-out-of-place", said)
        before = groups[:-1]
        silent = self._lost_attempts.silent
        # where the service answered nobody, nobody could choose
        chosen = [g for g in before if not (g[-1].interrupted and restart_of(g, resumed_at) in silent)]
        lost = [attempt for group in before for attempt in group]
        for attempt in lost:
            said = f"An attempt was cut off by {'an outage' if attempt.interrupted else 'a crash'}."
            self._add(task.task_id, "low", "cut-off", said, attempt=attempt.number)
        if len(before) > MOST_OF_A_TASK:  # of a vote one crash cuts off several
            said = f"One task was cut off by {len(before)} restarts: {len(lost)} of its attempts."
            gates = len(chosen) > TOO_OFTEN or len(before) > restarts.MANY_RESTARTS
            self._add(task.task_id, "high" if correct and gates else "medium", "often-cut-off", said)
        if lost:
            whole = any(
                len(group) >= self._declared and all(a.finished_at is not None for a in group) for group in before
            )
            if whole:
                said = "The task was cut off when all its attempts were done, and was tried again."
                self._add(task.task_id, "medium", "cut-off-when-done", said)
            by, by_choice = (tuple(restart_of(group, resumed_at) for group in some) for some in (before, chosen))
            self._cut_off[task.task_id] = CutOff(len(lost), by, by_choice, whole, correct)
        return last

    def _disclosed(
        self, task_id: str, facts: TaskFacts, log: TaskLog, last: list[LoggedAttempt], weight: Severity
    ) -> None:
        """The attempts of the result against those of the log."""
        started = len(log.attempts)
        if facts.attempts < started:
            said = f"The result has {facts.attempts} attempts, the log {started}."
            self._add(task_id, "critical", "attempts-hidden", said)
        elif facts.attempts > started:
            said = f"The result has {facts.attempts} attempts, the log only {started}."
            self._add(task_id, "high", "attempts-not-in-log", said)
        if log.finished_at is not None and log.said_attempts != started:
            said = f"The task was finished with {log.said_attempts} attempts, {started} were begun."
            self._add(task_id, "high", "attempts-not-in-log", said)
        if len(facts.voting.answers) < len(last):
            said = f"{len(last)} attempts came to an end, {len(facts.voting.answers)} were counted in the vote."
            self._add(task_id, weight, "answer-left-out", said)
        elif len(facts.voting.answers) > len(last):
            said = f"{len(facts.voting.answers)} attempts were counted in the vote, {len(last)} came to an end."
            self._add(task_id, weight, "attempts-not-in-log", said)

    def _vote(self, task: TaskEvidence, facts: TaskFacts, weight: Severity) -> None:
        """The choice among the answers, by the rule that knows no gold."""
        vote = facts.voting
        answers = vote.answers
        if len(answers) > self._declared:
            said = f"{len(answers)} attempts were carried out, {self._declared} declared."
            self._add(task.task_id, "critical", "more-attempts-than-declared", said)
        elif len(answers) < self._declared:
            said = f"{len(answers)} attempts were carried out, {self._declared} declared."
            severity: Severity = "high" if weight == "critical" else "medium"
            self._add(task.task_id, severity, "attempts-not-carried-out", said)
        if not answers:
            return
        place = vote.selected_attempt - (facts.attempts - len(answers))
        if not 1 <= place <= len(answers):
            said = "The attempt that was chosen is none of those that were counted."
            self._add(task.task_id, weight, "other-choice", said, attempt=vote.selected_attempt)
            return
        if answers[place - 1] != facts.answer:
            said = "The answer is not that of the attempt that was chosen."
            self._add(task.task_id, weight, "other-choice", said, attempt=vote.selected_attempt)
        rule = choose(answers)
        if place != rule.attempt:
            gold = task.gold
            gained = weight == "critical" and gold is not None
            gained = gained and gold is not None and not scorer.question_scorer(answers[rule.attempt - 1], gold.answer)
            said = "The attempt that was chosen is not the one that the majority picks."
            self._add(
                task.task_id, "critical" if gained else "high", "other-choice", said, attempt=vote.selected_attempt
            )
        elif (vote.votes, vote.cast) != (rule.votes, rule.cast):
            said = f"{vote.votes} of {vote.cast} votes are said, {rule.votes} of {rule.cast} were given."
            self._add(task.task_id, "high", "votes-do-not-add-up", said)

    def _lost(self, task_id: str, facts: TaskFacts, correct: bool) -> None:
        """The attempts without an answer, where others had one: they are disclosed, and weighed at the end."""
        answers = facts.voting.answers
        if len(answers) < 2:
            return
        choice = choose(answers)
        lost = len(answers) - choice.cast
        self._votes.append(lost_votes.Vote(lost, choice.cast, choice.votes, correct))
        if lost and choice.cast:
            said = f"{lost} of {len(answers)} attempts ended without an answer; the vote is that of the others."
            self._add(task_id, "low", "no-answer", said)

    def _steps(self, task_id: str, said: "dict[int, _Said]", log: TaskLog, last: list[LoggedAttempt]) -> None:
        """The attempts of the trajectory against those of the log."""
        logged = {attempt.number for attempt in log.attempts}
        of_result = {attempt.number for attempt in last}
        for number in sorted(said):
            if number not in logged:
                summary = "The trajectory has an attempt that the log does not know."
                # of a run that goes on the log was read before its trajectories: these may be further
                severity: Severity = "medium" if self._ending.goes_on else "critical"
                self._add(task_id, severity, "attempts-not-in-log", summary, attempt=number)
            elif number not in of_result:
                summary = "The trajectory has steps of an attempt that a crash cut off."
                self._add(task_id, "high", "steps-of-another-attempt", summary, attempt=number)
        before = 0
        for attempt in last:
            steps = attempt.steps or 0
            if steps > before and attempt.number not in said:
                summary = "An attempt came to an end, and the trajectory has none of its steps."
                self._add(task_id, "high", "attempt-without-steps", summary, attempt=attempt.number)
            before = max(before, steps)

    def _given(self, task: TaskEvidence, facts: TaskFacts, trajectory: Trajectory, said: "dict[int, _Said]") -> None:
        """The answers that were counted against those that the model gave."""
        if trajectory.selected_attempt != facts.voting.selected_attempt:
            summary = "The results name another attempt as chosen than the trajectory."
            self._add(task.task_id, "high", "other-choice", summary, attempt=trajectory.selected_attempt)
        before = facts.attempts - len(facts.voting.answers)
        for place, counted in enumerate(facts.voting.answers, start=before + 1):
            attempt = said.get(place)
            call = None if attempt is None else attempt.last
            if attempt is None or call is None or attempt.went_on or call.truncated or call.redactions:
                continue
            if counted is None:
                first = final_answer(call.head)
            else:
                given = readings(call.head)
                same = counted in given or ballot(counted) in map(ballot, given)
                first = None if same or not given else given[0]
            if first is None:
                continue
            summary = "The answer that was counted for an attempt is not the one that the model gave."
            self._findings.add(
                Finding(
                    severity="high",
                    rule="other-vote",
                    summary=summary,
                    task_id=task.task_id,
                    attempt=place,
                    seq=call.seq,
                    field="head",
                    excerpt=excerpt(first),
                )
            )

    def _add(
        self,
        task_id: str | None,
        severity: Severity,
        rule: str,
        summary: str,
        shown: str = "",
        *,
        attempt: int | None = None,
    ) -> None:
        self._findings.add(
            Finding(
                severity=severity,
                rule=rule,
                summary=summary,
                task_id=task_id,
                attempt=attempt,
                excerpt=excerpt(shown),
            )
        )


class _Said(msgspec.Struct):
    """An attempt's last reply, and whether it went on behind it: with a tool, or to have a cut reply finished."""

    last: LlmCall | None = None
    went_on: bool = False


def _said(trajectory: Trajectory) -> dict[int, _Said]:
    found: dict[int, _Said] = {}
    number, now = 0, _Said()
    for step in trajectory.steps:
        if step.attempt != number:
            number = step.attempt
            now = found.setdefault(number, _Said())
        if type(step) is LlmCall:
            now.last, now.went_on = step, False
        elif type(step) is ToolCallStep or (now.last is not None and now.last.stop_reason in CUT_SHORT_REASONS):
            now.went_on = True
    return found
