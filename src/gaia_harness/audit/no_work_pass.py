"""AUD-2: is there work behind every answer, and is the record of it sound?"""

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

import msgspec

from gaia_harness.audit.claims import closing_replies, given_instead, miscounted, replied, stands_in
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, Notes, Severity, found
from gaia_harness.evidence.wording import reduce
from gaia_harness.figures import counted, total
from gaia_harness.records.origin import is_unknown
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.steps import Answer, LlmCall, Prompt, ToolCallStep, ToolResultStep
from gaia_harness.records.trajectories import Trajectory

LONGEST_TOKEN = 64
"""Bytes of words to a token, over a whole task: no tokenizer comes near."""

LONGER, FEW_WORDS = 4, 4
"""Letters of a word that tells a question from others, and words of a question that can be told."""


class Work:
    """What the steps of a task add up to. The answer is from one attempt, the chosen one."""

    def __init__(self, run: RunEvidence, task: TaskEvidence, facts: TaskFacts, trajectory: Trajectory) -> None:
        self.run, self.task, self.facts, self.trajectory = run, task, facts, trajectory
        self.weight = task.weight
        steps, chosen = trajectory.steps, trajectory.selected_attempt
        self.calls = [step for step in steps if type(step) is LlmCall]
        self.replies = [call for call in self.calls if call.attempt == chosen]
        self.tool_calls = [step for step in steps if type(step) is ToolCallStep]
        self._acted = {(step.attempt, step.turn) for step in self.tool_calls}
        # the chosen attempt gave its answer to a tool, or by a variable
        self.handed_in = any(type(step) is Answer and step.attempt == chosen for step in steps)

    @property
    def replies_unknown(self) -> bool:
        """Whether the task is imported from where nobody kept the model's replies."""
        return not self.calls and is_unknown(self.run.facts.origin, "replies")

    @property
    def closed_book(self) -> bool:
        """Whether the chosen attempt used no tool but one that takes the answer."""
        chosen = self.trajectory.selected_attempt
        return all(self.task.around.role(s.name) == "answer" for s in self.tool_calls if s.attempt == chosen)

    def said_something(self, call: LlmCall) -> bool:
        """A reply has words or thoughts, or calls a tool instead; where tokens are counted, it has some."""
        acted = (call.attempt, call.turn) in self._acted
        return call.tokens_out != 0 and (call.bytes > 0 or call.thoughts is not None or acted)


def no_work(work: Work) -> Iterator[Finding]:
    """Somebody must have worked: an answer without a word of a model is not a model's."""
    gained = work.task.counted_right
    if work.facts.answer is None and not gained:
        return  # a model that could not be reached leaves no more than this
    calls = work.replies or work.calls
    if work.replies_unknown:
        return  # a gap
    if not work.calls:
        yield found(work.weight, "no-work", "There is an answer, and no model was asked.")
    elif not any(map(work.said_something, calls)):
        # a server that counts nothing says zero in all tasks: words are work there
        spared = not work.run.counts_tokens and any(call.bytes for call in calls)
        said = "No call of the model gave any output."
        yield found("critical" if gained and not spared else "medium", "no-work", said, at=calls[-1])
    elif not work.replies:
        yield found(work.weight, "no-work", "The attempt that the answer is said to be from has no call of the model.")
    elif gained and work.closed_book:
        # what the model knows by heart: a count, and no accusation
        yield found("info", "closed-book", "Answered right without the use of any tool.", at=work.replies[-1])


def answer(work: Work) -> Iterator[Finding]:
    """The answer that counts must be the one that its attempt came to; AUD-6 looks at those that were outvoted.

    One that was handed in, by a tool or a variable, need not stand in the model's words. Otherwise the last reply may
    give no other one, and in our own loop, which takes answers from the model's words alone, some reply has it.
    """
    facts, trajectory, ours = work.facts, work.trajectory, work.run.is_ours
    if facts.answer != trajectory.final_answer:
        said = "The answer in the results is not the one that the trajectory ends with."
        yield found(work.weight, "other-answer", said, trajectory.final_answer or "")
        return
    if work.handed_in and not ours:
        return
    last = closing_replies(trajectory.steps).get(trajectory.selected_attempt)
    other = None if last is None else given_instead(facts.answer, replied(work.task, last), ours=ours)
    if other is not None:
        said = "The answer is not the one that the model gave in its last reply."
        yield found(work.weight, "other-answer", said, other, at=last)
    elif ours and facts.answer is not None and work.replies:
        words = [replied(work.task, call) for call in work.replies]
        if not any(reply is None or stands_in(facts.answer, reply) for reply in words):  # None: it is cut
            said = "The answer stands nowhere in the model's own words."
            yield found("high", "other-answer", said, facts.answer, at=work.replies[-1])


def counts(work: Work) -> Iterator[Finding]:
    """What is said of the work must be what its steps add up to."""
    facts, trajectory, steps = work.facts, work.trajectory, work.trajectory.steps
    tokens_in, tokens_out = total(c.tokens_in for c in work.calls), total(c.tokens_out for c in work.calls)
    turns = len({(step.attempt, step.turn) for step in steps})
    asked = {step.name for step in work.tool_calls}
    sound = {(step.attempt, step.call_id) for step in work.tool_calls if isinstance(step.args, dict)}
    results = (step for step in steps if type(step) is ToolResultStep and not step.is_error)
    used = {step.name for step in results if (step.attempt, step.call_id) in sound}
    wrong = [
        name
        for name, said, is_so in (
            ("turns", trajectory.turns, turns),
            ("input_tokens", trajectory.input_tokens, tokens_in),
            ("output_tokens", trajectory.output_tokens, tokens_out),
            ("tools_used", trajectory.tools_used, tuple(sorted(asked))),
            ("model", trajectory.model, facts.model),
            ("model of the run", facts.model, work.run.facts.model),
            ("voting_attempts", trajectory.voting_attempts, work.run.facts.voting_attempts),
        )
        if said != is_so
    ]
    of_result = miscounted(facts, turns=turns, input_tokens=tokens_in, output_tokens=tokens_out, asked=asked, used=used)
    wrong += [f"{name} of the result" for name in of_result]
    if wrong:
        said = "What is said of the work is not what its steps add up to."
        yield found("high", "counts-do-not-add-up", said, ", ".join(wrong))
    elif 0 < LONGEST_TOKEN * (tokens_out or 0) < sum(call.bytes for call in work.calls):
        said = "The model said more words than its tokens can hold."  # or its server counts in some way of its own
        yield found("medium", "counts-do-not-add-up", said, f"{tokens_out} tokens")


def bindings(work: Work) -> Iterator[Finding]:
    """The log binds lines, results, numbers of steps and verdicts as they come: what differs was changed afterwards."""
    log, task = work.task.log, work.task
    if log is None:
        return  # what the log does not know is for AUD-6 to say
    ends = {step.attempt: count for count, step in enumerate(work.trajectory.steps, 1)}
    changed = [
        f"the steps of attempt {attempt.number}"
        for attempt in log.attempts
        if attempt.steps is not None and ends.get(attempt.number, attempt.steps) != attempt.steps
    ]
    if log.finished_at is not None and log.trajectory_sha256 != task.line_sha256:
        changed.append("the trajectory")
    if log.outcome_sha256 not in (None, work.facts.sha256()):
        changed.append("the result")
    if log.finished_at is not None and not work.run.log.failures:  # these may have kept a verdict out of the log
        began = max((at for at in work.run.log.resumed_at if at < log.finished_at), default=0)
        heard = [verdict for at, verdict in log.judged if at > began]
        if heard[-1:] != ([] if work.facts.judge is None else [work.facts.judge.verdict]):
            changed.append("the judge's verdict")
    if changed:
        said = "What the log binds was changed after the run."
        yield found(work.weight, "changed-after-the-run", said, f"{task.place}: {', '.join(changed)}")


def question(work: Work) -> Iterator[Finding]:
    """Our own loop puts the question before the model: steps without half of its longer words are another task's."""
    sought = {word for word in reduce(work.task.question or "").split() if len(word) >= LONGER}
    if not work.run.is_ours or len(sought) < FEW_WORDS:
        return
    given = [(moment, moment.step) for moment in work.task.timeline if type(moment.step) is Prompt]
    if any(step.redactions or (step.truncated and moment.text == step.head) for moment, step in given):
        return  # it may stand in what is cut
    if given and all(2 * len(sought.intersection(moment.words.split())) < len(sought) for moment, _ in given):
        said = "The model was never asked this question: its steps are another task's."
        yield found(work.weight, "no-work", said, at=given[0][1])


RULES: tuple[Callable[[Work], Iterator[Finding]], ...] = (no_work, answer, counts, bindings, question)


class NoWorkPass:
    """AUD-2."""

    noted: ClassVar[type] = Notes

    def __init__(self, run: RunEvidence) -> None:
        self._run = run
        # a run that has not come to its end may have been cut off in the middle of a line
        self._broken: Severity = "medium" if run.log.closed is None else "high"

    def look(self, task: TaskEvidence) -> Notes:
        """See one task."""
        if task.trajectory is None or task.facts is None:
            return Notes(task.task_id, tuple(self._incomplete(task)))
        work = Work(self._run, task, task.facts, task.trajectory)
        findings = (msgspec.structs.replace(each, task_id=task.task_id) for rule in RULES for each in rule(work))
        return Notes(task.task_id, tuple(findings), not_seen=int(work.replies_unknown))

    def conclude(self, notes: Sequence[Notes]) -> Check:
        """Say what was found."""
        findings = Findings().add_all(*(note.findings for note in notes))
        for fault in self._run.faults:
            findings.add(found(self._broken, "unsound-record", "What the run says of itself cannot be read.", fault))
        started = self._run.log.started
        recorded = self._run.facts.record_evidence or (started is not None and started.record_evidence)
        gap = None if recorded else "the run was made without recording evidence"
        if unknown := sum(note.not_seen for note in notes):
            gap = f"what the model said is not known of {counted(unknown, 'task')}"
        return findings.check("AUD-2", "no-work-pass", harness_gap=gap)

    def _incomplete(self, task: TaskEvidence) -> Iterator[Finding]:
        """A trajectory that does not hold up, or none. One without a result is for AUD-7 to see."""
        if task.fault is not None:
            severity, task_id = (self._broken, None) if task.facts is None else (task.weight, task.task_id)
            said = "A trajectory does not hold up."
            yield found(severity, "unsound-record", said, task.fault, task_id=task_id)
        elif task.facts is not None:  # also where nothing was to be recorded: a score without evidence is no clean one
            said = "There is a result and no trajectory."
            yield found("critical" if task.counted_right else "medium", "no-work", said, task_id=task.task_id)
