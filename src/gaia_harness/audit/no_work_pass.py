"""AUD-2: results without real work behind them, or other than the work came to."""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence

import msgspec

from gaia_harness.audit.claims import miscounted
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, Severity, excerpt
from gaia_harness.audit.kept_bodies import untruth, untruth_of_words
from gaia_harness.audit.work_done import MOST_WORDS, Work, came_up, may_hide, said_something, stands_in, work_of
from gaia_harness.figures import total
from gaia_harness.normalization import ballot
from gaia_harness.protocol import LONGEST_ANSWER, readings
from gaia_harness.records.masks import MASK, SHORTEST_SECRET
from gaia_harness.records.origin import is_unknown
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.steps import Answer, LlmCall, Step
from gaia_harness.records.trajectories import Trajectory, hash_prefixes, is_proven

QUESTION_HEAD = 1500
"""Characters of a question that are looked for: what is kept of a prompt has room for them."""

LEAST_ASKED = 0.5
"""Share of the question's longer words in one prompt: half of them are there in whatever way it is put."""

LONG_REPLY = 600
LARGEST_TOKEN = 30
"""Bytes to a token, on the average of so long a reply: prose has four or five, and rows of dashes twenty."""

_LONGER_WORDS = re.compile(r"\w{4,}")
_KEPT_IN_TRANSLATION = re.compile(r"(?<=\s)[A-Z]\w{2,}|\d{2,}")
_NAME_PARTS = re.compile(r"[a-z]+|[0-9]+")


class NoWorkPass:
    """AUD-2."""

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        self._findings = Findings()
        self._known = set(run.facts.task_ids)
        self._uncounted: list[Finding] = []  # of right tasks without a token, either way
        self._counts_tokens = False
        # a run that has not come to its end may have been cut off in the middle of a line
        self._broken: Severity = "medium" if run.log.closed is None else "high"
        for fault in run.faults:
            self._add(None, self._broken, "results-broken", "What the run says of itself cannot be read.", fault)

    def look(self, task: TaskEvidence) -> None:
        """See one task."""
        facts, trajectory = task.facts, task.trajectory
        if trajectory is None:
            self._without_trajectory(task)
        elif facts is None:
            self._without_result(task)
        else:
            weight: Severity = "critical" if _is_correct(task) else "high"
            work = work_of(trajectory)
            self._counts_tokens |= any(call.tokens_in or call.tokens_out for call in work.calls)
            self._effort(task, facts, work, weight)
            self._answer(task, facts, trajectory, work, weight)
            self._counts(task, facts, trajectory, work)
            self._hashes(task, facts, trajectory, weight)
            self._bodies(task, work)
            if weight == "critical":
                self._question(task, work)

    def conclude(self) -> Check:
        """Say what was found."""
        for finding in self._uncounted:
            # where the run has no token at all, its server does not count; what was counted elsewhere is missing here
            severity: Severity = "critical" if self._counts_tokens else "medium"
            self._findings.add(msgspec.structs.replace(finding, severity=severity))
        self._uncounted = []
        if unread := self._run.bodies.unread:
            said = f"Outputs unpack to more than is read in all: {unread} times one was read in part only."
            self._add(None, "medium", "outputs-unread", said)
        gap = "the run was made without recording evidence" if self._recorded_nothing() else None
        return self._findings.check("AUD-2", "no-work-pass", harness_gap=gap)

    def _recorded_nothing(self) -> bool:
        """Whether the run said from its beginning that it would record nothing."""
        started = self._run.log.started
        return not self._run.facts.record_evidence and (started is None or not started.record_evidence)

    def _without_trajectory(self, task: TaskEvidence) -> None:
        if task.fault is not None:
            if task.facts is None:
                self._add(None, self._broken, "unsound-trajectory", "A trajectory does not hold up.", task.fault)
            else:
                weight: Severity = "critical" if _is_correct(task) else "high"
                self._add(task, weight, "unsound-trajectory", "The trajectory does not hold up.", task.fault)
        elif task.facts is not None:  # also where nothing was to be recorded: a score without evidence is no clean one
            weight = "critical" if _is_correct(task) else "medium"
            self._add(task, weight, "no-trajectory", "There is a result and no trajectory.")

    def _without_result(self, task: TaskEvidence) -> None:
        if task.task_id in self._known:
            unfinished = self._run.log.was_given_up and (task.log is None or task.log.finished_at is None)
            severity: Severity = "medium" if unfinished else self._broken
            self._add(task, severity, "no-result", "There is a trajectory and no result.", task.place)
        else:
            said = "There is a trajectory of a task that is not one of the run's."
            self._add(None, "high", "unknown-trajectory", said, f"{task.place}: {task.task_id}")

    def _effort(self, task: TaskEvidence, facts: TaskFacts, work: Work, weight: Severity) -> None:
        if facts.answer is None and weight != "critical":
            return  # no answer and nothing gained: a model that could not be reached leaves no more than this
        assert task.trajectory is not None  # noqa: S101 - looked at before
        calls = work.calls
        if not calls and is_unknown(self._run.facts.origin, "replies"):
            return  # a gap: the run is imported from where nobody kept them
        if not task.trajectory.steps:
            self._add(task, weight, "empty-trajectory", "The trajectory of an answer has no steps.")
        elif not calls:
            self._add(task, weight, "no-model-call", "There is an answer, and no model was asked.")
        elif not any(map(said_something, work.closing or calls)):
            # a server that counts nothing says zero: a wrong answer gains nothing by it
            silent: Severity = weight if weight == "critical" else "medium"
            finding = _finding(
                task, silent, "no-output", "No call of the model gave any output.", at=(work.closing or calls)[-1]
            )
            counted = any(call.tokens_in or call.tokens_out for call in calls)
            wordless = not any(call.bytes for call in work.closing)
            (self._findings.add if counted or wordless else self._uncounted.append)(finding)
        elif not work.closing:
            said = "The attempt that the answer is said to be from has no call of the model."
            self._add(task, weight, "no-model-call", said)
        elif weight == "critical" and len(calls) == 1 and not work.asked:
            self._add(task, "info", "closed-book", "Answered with one call of the model and no tool.", at=calls[0])
        unknown = is_unknown(self._run.facts.origin, "context_sha256")
        if weight == "critical" and calls and work.prompts and not work.sent and not unknown:
            # an agent that is not ours may not know what was sent; ours does for every request that left
            self._add(
                task, "medium", "never-sent", "The model answered, and no request is said to have left.", at=calls[0]
            )
        short = [
            call
            for call in calls
            if call.bytes >= LONG_REPLY and 0 < (call.tokens_out or 0) * LARGEST_TOKEN < call.bytes
        ]
        if short:
            # a server may leave the count out; where it counts so little everywhere, nobody knows what was spent
            few: Severity = "medium" if len(short) == sum(call.bytes >= LONG_REPLY for call in calls) else "low"
            said = f"A reply of {short[0].bytes} bytes is said to have {short[0].tokens_out} tokens."
            self._add(task, few, "fewer-tokens-than-words", said, at=short[0])
        mute = next((call for call in calls if call.tokens_out == 0 and call.bytes), None)
        if mute is not None and any(call.tokens_out for call in calls):
            # some providers leave the count out of one reply or another, so this alone says little
            self._add(task, "low", "words-without-tokens", "A reply has words and is said to have no tokens.", at=mute)

    def _answer(
        self, task: TaskEvidence, facts: TaskFacts, trajectory: Trajectory, work: Work, weight: Severity
    ) -> None:
        answer = facts.answer
        if answer != trajectory.final_answer:
            said = "The answer in the results is not the one that the trajectory ends with."
            self._add(task, weight, "other-answer", said, trajectory.final_answer or "")
            return
        if answer is None or not work.closing:
            return
        if work.handed_in is not None and self._is_handed_in(answer, work.handed_in):
            if weight == "critical" and not came_up(answer, trajectory, task.code_tools):
                said = "The answer was handed in, and stands nowhere in what the model said, asked for or was given."
                self._add(task, "medium", "answer-from-nowhere", said, answer, at=work.handed_in)
            return
        last = work.closing[-1]
        words = self._words(last)
        cut = last.truncated and words is last.head
        if cut and last.body is True:
            said = "A reply is said to be kept whole, and its text is missing."
            self._findings.add(_finding(task, "medium", "words-missing", said, at=last))
        given = readings(words) if not cut and not work.last_calls else []
        if given:
            masked = bool(last.redactions) and MASK.search(given[0]) is not None and len(answer) >= SHORTEST_SECRET
            if not masked and answer not in given and ballot(answer) not in map(ballot, given):
                said = "The answer is not the one that the model gave in its last reply."
                self._add(task, weight, "other-words", said, given[0], at=last)
            elif weight == "critical" and not is_proven(last, words):
                said = "The reply that has the answer was masked, or was no text, so that its hash proves nothing."
                self._add(task, "medium", "words-not-proven", said, at=last)
            return
        if stands_in(answer, work, self._words):
            return
        if len(work.closing) <= MOST_WORDS and not any(may_hide(call, answer, self._words) for call in work.closing):
            said = "The answer stands nowhere in the model's own words."
            self._add(task, "high", "answer-not-said", said, answer, at=last)
        elif weight == "critical":
            said = "The answer is not in what was kept of the model's words, which were longer."
            self._add(task, "info", "words-cut", said, at=last)

    def _is_handed_in(self, answer: str, step: Answer) -> bool:
        """Whether the answer is the one that was handed in by a tool or a variable. Another model may word it anew."""
        masked = step.redactions > 0 and len(answer) >= SHORTEST_SECRET
        handed_in = step.head[:LONGEST_ANSWER]
        return masked or answer == handed_in or ballot(answer) == ballot(handed_in)

    def _words(self, call: LlmCall) -> str:
        """The whole of a reply, also where it is longer than the step has."""
        whole = self._run.bodies.text(call) if call.body is True else None
        return call.head if whole is None else whole

    def _counts(self, task: TaskEvidence, facts: TaskFacts, trajectory: Trajectory, work: Work) -> None:
        declared = self._run.facts
        tokens_in, tokens_out = total(c.tokens_in for c in work.calls), total(c.tokens_out for c in work.calls)
        wrong = [
            name
            for name, said, found in (
                ("turns", trajectory.turns, work.turns),
                ("input_tokens", trajectory.input_tokens, tokens_in),
                ("output_tokens", trajectory.output_tokens, tokens_out),
                ("tools_used", trajectory.tools_used, tuple(sorted(work.asked))),
                ("model", trajectory.model, facts.model),
                ("model of the run", facts.model, declared.model),
                ("voting_attempts", trajectory.voting_attempts, declared.voting_attempts),
            )
            if said != found
        ]
        found = miscounted(
            facts,
            turns=work.turns,
            input_tokens=tokens_in,
            output_tokens=tokens_out,
            asked=work.asked,
            used=work.used,
        )
        wrong += [f"{name} of the result" for name in found]
        if wrong:
            self._add(
                task, "high", "counts-do-not-add-up", "What is said of the work is not what its steps add up to.",
                ", ".join(wrong),
            )  # fmt: skip
        unlike = {name for name in {call.model for call in work.calls} if not _alike(facts.model, name)}
        other = next((call for call in work.calls if call.model in unlike), None)
        if other is not None:
            said = "A reply is from a model whose name has nothing of the one that was declared."
            self._add(task, "medium", "other-model", said, other.model, at=other)

    def _hashes(self, task: TaskEvidence, facts: TaskFacts, trajectory: Trajectory, weight: Severity) -> None:
        log = task.log
        if log is None:
            return  # what the log does not know is for AUD-6 to say
        if log.finished_at is not None and log.trajectory_sha256 is None:
            self._add(task, "high", "line-not-bound", "The log knows of no trajectory, and there is one.", task.place)
        elif log.trajectory_sha256 not in (None, task.line_sha256):
            said = "The trajectory is not the one that the log binds: it was changed after the run."
            self._add(task, weight, "line-changed", said, task.place)
        if log.outcome_sha256 is not None and log.outcome_sha256 != _outcome(facts):
            said = "The result is not the one that the log binds: it was changed after the run."
            self._add(task, weight, "result-changed", said)
        before = facts.attempts - len(facts.voting.answers)
        bound = {
            a.number: (a.steps, a.steps_sha256)
            for a in log.attempts
            if a.number > before and a.finished_at is not None and a.steps_sha256 is not None
        }
        if len(bound) == 1 and bound.get(trajectory.steps[-1].attempt if trajectory.steps else 0) == (
            len(trajectory.steps),
            task.steps_sha256,
        ):
            return
        for attempt, found in _prefixes(trajectory.steps, sorted(bound)):
            if found != bound[attempt]:
                said = "The steps are not those that the log had bound when the attempt ended."
                self._add(task, weight, "steps-changed", said, f"attempt {attempt}", attempt=attempt)
                break

    def _bodies(self, task: TaskEvidence, work: Work) -> None:
        """What the steps say of outputs, against those that are kept whole."""
        for step in work.kept:
            wrong = untruth(step, self._run.bodies)
            if wrong is not None:
                said = "What a step says of its output is not what the output is that is kept."
                self._add(task, "high", "other-body", said, wrong, at=step)
                return
        for call in work.calls:
            for words in (call, call.thoughts):
                if words is None or words.body is not True:
                    continue
                if (wrong := untruth_of_words(words, self._run.bodies)) is not None:
                    said = "What a step says of the model's words is not what is kept of them."
                    self._add(task, "high", "other-body", said, wrong, at=call)
                    return

    def _question(self, task: TaskEvidence, work: Work) -> None:
        """Whether the model was shown the question; silent where what was kept does not tell."""
        if not task.question or not work.prompts or any(p.truncated or p.redactions for p in work.prompts):
            return
        question = task.question[:QUESTION_HEAD]
        if any(question in prompt.head for prompt in work.prompts):
            return
        sought = {word.lower() for word in _LONGER_WORDS.findall(question)}
        if len(sought) < 4:  # too few to tell one question from another
            return
        if not any(
            sum(word in head for word in sought) >= LEAST_ASKED * len(sought)
            for head in (prompt.head.lower() for prompt in work.prompts)
        ):
            kept = set(_KEPT_IN_TRANSLATION.findall(question))
            shared = max(sum(name in prompt.head for name in kept) for prompt in work.prompts)
            # in another language only names and numbers are the same
            severity: Severity = "medium" if kept and shared >= LEAST_ASKED * len(kept) else "high"
            said = "The model was never shown the question that it is said to have answered."
            self._add(task, severity, "question-not-asked", said, work.prompts[0].head, at=work.prompts[0])

    def _add(
        self,
        task: TaskEvidence | None,
        severity: Severity,
        rule: str,
        summary: str,
        shown: str = "",
        *,
        at: Step | None = None,
        attempt: int | None = None,
    ) -> None:
        self._findings.add(_finding(task, severity, rule, summary, shown, at=at, attempt=attempt))


def _finding(
    task: TaskEvidence | None,
    severity: Severity,
    rule: str,
    summary: str,
    shown: str = "",
    *,
    at: Step | None = None,
    attempt: int | None = None,
) -> Finding:
    return Finding(
        severity=severity,
        rule=rule,
        summary=summary,
        task_id=None if task is None else task.task_id,
        attempt=attempt if at is None else at.attempt,
        seq=None if at is None else at.seq,
        excerpt=excerpt(shown),
    )


def _is_correct(task: TaskEvidence) -> bool:
    """Whether the task counts as right, by the scorer or by what the run claims."""
    return bool(task.correct or (task.facts is not None and task.facts.correct))


def _alike(declared: str, found: str) -> bool:
    """Whether two names may be of one model: providers add dates, sizes and owners, but keep something of the name."""
    if declared == found or not found:
        return True
    name = declared.lower().partition("/")[2] or declared.lower()
    ours = {part for part in _NAME_PARTS.findall(name) if part.isalpha() and len(part) > 1}
    return not ours or any(part in found.lower() for part in ours)


def _outcome(facts: TaskFacts) -> str | None:
    try:
        return facts.sha256()
    except (ValueError, RecursionError):  # what cannot be written down was never bound
        return None


def _prefixes(steps: Sequence[Step], attempts: Sequence[int]) -> Iterator[tuple[int, tuple[int, str]]]:
    """How many steps there are up to the end of each attempt, and their hash."""
    ends = [bisect(steps, attempt, key=lambda step: step.attempt) for attempt in attempts]
    return zip(attempts, zip(ends, hash_prefixes(steps, ends), strict=True), strict=True)
