"""AUD-2: is there work behind every answer, and is the record of it sound?"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Finding, Severity, found
from gaia_harness.audit.looking import TaskCheck
from gaia_harness.evidence.wording import reduce
from gaia_harness.figures import counted, total
from gaia_harness.normalization import words
from gaia_harness.records.claims import miscounted
from gaia_harness.records.origin import is_unknown
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.steps import LlmCall, Prompt, ToolCallStep, ToolResultStep
from gaia_harness.records.trajectories import Trajectory

LONGEST_TOKEN = 64
"""Bytes of words to a token, over a whole task: no tokenizer comes near."""

LONGER = 4
"""Letters of a word that tells a question from others."""


class Work:
    """What the rules go by: the steps of a task. The answer is from one attempt, the chosen one."""

    def __init__(self, run: RunEvidence, task: TaskEvidence, facts: TaskFacts, trajectory: Trajectory) -> None:
        self.run, self.task, self.facts, self.trajectory = run, task, facts, trajectory
        self.calls = [step for step in trajectory.steps if type(step) is LlmCall]
        self.replies = [call for call in self.calls if call.attempt == trajectory.selected_attempt]
        self.tool_calls = [step for step in trajectory.steps if type(step) is ToolCallStep]


def replies_unknown(run: RunEvidence, task: TaskEvidence) -> bool:
    """Whether the task is imported from where nobody kept the model's replies, of the chosen attempt at least."""
    chosen = None if task.trajectory is None else task.trajectory.selected_attempt
    kept = any(type(step) is LlmCall and step.attempt == chosen for step in task.steps)
    return is_unknown(run.facts.origin, "replies") and not kept


def no_work(work: Work) -> Iterator[Finding]:
    """Somebody must have worked: an answer without a word of a model is not a model's."""
    task, chosen, gained = work.task, work.trajectory.selected_attempt, work.task.counted_right
    if work.facts.answer is None or replies_unknown(work.run, task):
        return  # a model that could not be reached leaves no more than this; replies that nobody kept are a gap
    tools = {task.around.role(step.name) for step in work.tool_calls if step.attempt == chosen}
    if not work.replies:
        said = "There is an answer, and the attempt that it is said to be from has no call of the model."
        yield found(task.weight, "no-work", said)
    elif all(call.tokens_out == 0 for call in work.replies):
        # a server that counts nothing says zero in all tasks, and another program's log in some: words are work there
        uncounted = task.around.imported or not work.run.counts_tokens
        spared = uncounted and (tools - {"answer"} or any(call.bytes for call in work.replies))
        said = "No call of the model gave any output."
        yield found("critical" if gained and not spared else "medium", "no-work", said, at=work.replies[-1])
    elif gained and tools <= {"answer"}:
        # what the model knows by heart: a count, and no accusation
        yield found("info", "closed-book", "Answered right without the use of any tool.", at=work.replies[-1])


def answer(work: Work) -> Iterator[Finding]:
    """The answer that counts is the one that the trajectory ends with; whether its attempt gave it is for AUD-6 to say.

    Our own loop takes answers from the model's words alone: some reply of the attempt must have it.
    """
    facts, task = work.facts, work.task
    ends_with = work.trajectory.final_answer, work.trajectory.selected_attempt
    if (facts.answer, facts.voting.selected_attempt) != ends_with:
        said = "The answer in the results, or its attempt, is not the one that the trajectory ends with."
        yield found(task.weight, "other-answer", said, work.trajectory.final_answer or "")
    elif work.run.is_ours and facts.answer is not None and work.replies:
        replies = [task.replied(call) for call in work.replies]
        sought = words(facts.answer, keep_punctuation=False)
        if not any(reply is None or sought in words(reply, keep_punctuation=False) for reply in replies):  # None: cut
            said = "The answer stands nowhere in the model's own words."
            yield found(task.weight, "other-answer", said, facts.answer, at=work.replies[-1])


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
    """The log binds lines, results and numbers of steps as they come: what differs was changed afterwards."""
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
    if changed:
        said = "What the log binds was changed after the run."
        yield found(work.task.weight, "changed-after-the-run", said, f"{task.place}: {', '.join(changed)}")


def question(work: Work) -> Iterator[Finding]:
    """Our own loop puts the question before the model: steps without half of its longer words are another task's."""
    given = [moment for moment in work.task.timeline if type(moment.step) is Prompt]
    if not (work.run.is_ours and given) or any(moment.step.redactions for moment in given):
        return  # what is masked may be the question
    sought = {word for word in reduce(work.task.question or "").split() if len(word) >= LONGER}
    if all(2 * len(sought.intersection(moment.words.split())) < len(sought) for moment in given):
        said = "The model was never asked this question: its steps are another task's."
        yield found(work.task.weight, "no-work", said, at=given[0].step)


def prompts(work: Work) -> Iterator[Finding]:
    """What the model was given is on record: in what is not, an answer may stand. In an imported run that is a gap."""
    if work.task.around.imported:
        return
    prompted: set[int] = set()  # attempts with a prompt, and those of which it was said that they have none
    for step in work.trajectory.steps:
        if type(step) is LlmCall and step.attempt not in prompted:
            said = "The model was asked, and what it was given is not recorded."
            yield found("high", "unsound-record", said, at=step)
        if type(step) is LlmCall or (type(step) is Prompt and step.bytes):
            prompted.add(step.attempt)


RULES: tuple[Callable[[Work], Iterator[Finding]], ...] = (no_work, answer, counts, bindings, question, prompts)


class NoWorkPass(TaskCheck):
    """AUD-2."""

    id, name = "AUD-2", "no-work-pass"

    def __init__(self, run: RunEvidence) -> None:
        super().__init__(run)
        # a run that has not come to its end may have been cut off in the middle of a line
        self._broken: Severity = "medium" if run.log.closed is None else "high"

    def of_task(self, task: TaskEvidence) -> Iterator[Finding]:
        """A trajectory that does not hold up, or none, is all there is to say; one without a result is for AUD-7."""
        if task.trajectory is not None and task.facts is not None:
            work = Work(self.run, task, task.facts, task.trajectory)
            yield from chain.from_iterable(rule(work) for rule in RULES)
        elif task.fault is not None:
            severity = self._broken if task.facts is None else task.weight
            yield found(severity, "unsound-record", "A trajectory does not hold up.", task.fault)
        elif task.facts is not None:  # also where nothing was to be recorded: a score without evidence is no clean one
            severity = "critical" if task.counted_right else "medium"
            yield found(severity, "no-work", "There is a result and no trajectory.")

    def of_run(self, task_ids: Sequence[str]) -> Iterator[Finding]:
        """What cannot be read of results and summary, and what was not recorded."""
        if failures := self.run.log.failures:
            yield found("high", "unsound-record", f"{counted(len(failures), 'time')} evidence could not be kept.")
        for fault in self.run.faults:
            yield found(self._broken, "unsound-record", "What the run says of itself cannot be read.", fault)

    def is_unseen(self, task: TaskEvidence) -> bool:
        """Whether nobody kept what the model said."""
        return replies_unknown(self.run, task)

    def gaps(self, unseen: int) -> Iterator[str]:
        """Without evidence, or without the model's replies, nobody can tell what work there was."""
        started = self.run.log.started
        if not (self.run.facts.record_evidence or (started is not None and started.record_evidence)):
            yield "the run was made without recording evidence"
        if unseen:
            yield f"what the model said is not known of {counted(unseen, 'task')}"
