"""The rules of AUD-2: each looks at one task that has a result and a sound trajectory."""

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator

from gaia_harness.audit.claims import given_instead, miscounted
from gaia_harness.audit.findings import Finding, found
from gaia_harness.audit.kept_bodies import untruth, untruth_of_words
from gaia_harness.audit.no_work_pass.case import Case
from gaia_harness.figures import total
from gaia_harness.normalization import ballot
from gaia_harness.protocol import LONGEST_ANSWER, readings
from gaia_harness.records.masks import MASK, SHORTEST_SECRET
from gaia_harness.records.origin import is_unknown
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.steps import Answer, LlmCall
from gaia_harness.records.trajectories import hash_prefixes, is_proven

QUESTION_HEAD = 1500
"""Characters of a question that are looked for word by word."""

LEAST_ASKED = 0.5
"""Share of the question's longer words in one prompt: half of them are there in whatever way it is put."""

LONG_REPLY, LARGEST_TOKEN = 600, 30
"""Bytes of a reply, and bytes to a token on the average of so long a one: prose has five, rows of dashes twenty."""

_LONGER_WORDS = re.compile(r"\w{4,}")
_KEPT_IN_TRANSLATION = re.compile(r"(?!^)\b[A-Z]\w{2,}|\d{2,}")  # names and numbers; a first word may be neither


def no_work(case: Case) -> Iterator[Finding]:
    """Somebody must have worked: an answer without a word of a model is not a model's."""
    weight = case.weight
    if case.facts.answer is None and weight != "critical":
        return  # no answer and nothing gained: a model that could not be reached leaves no more than this
    if not case.calls and is_unknown(case.run.facts.origin, "replies"):
        return  # a gap: the run is imported from where nobody kept them
    if not case.trajectory.steps:
        yield found(weight, "empty-trajectory", "The trajectory of an answer has no steps.")
    elif not case.calls:
        yield found(weight, "no-model-call", "There is an answer, and no model was asked.")
    elif not any(map(_said_something, case.replies or case.calls)):
        # a server that counts nothing says zero: a wrong answer gains nothing by it
        silent = case.replies or case.calls
        said = "No call of the model gave any output."
        yield found("critical" if weight == "critical" else "medium", "no-output", said, at=silent[-1])
    elif not case.replies:
        yield found(weight, "no-model-call", "The attempt that the answer is said to be from has no call of the model.")


def closed_book(case: Case) -> Iterator[Finding]:
    """Right without any tool: a count of what the model knows by heart, and no accusation."""
    if case.weight == "critical" and case.replies and case.roles <= {"answer"}:
        yield found("info", "closed-book", "Answered right without the use of any tool.", at=case.replies[-1])


def too_few_tokens(case: Case) -> Iterator[Finding]:
    """Long replies of next to no tokens, and all of them: the counts are not those of these words."""
    long = [call for call in case.calls if call.bytes >= LONG_REPLY]
    if long and all(0 < (call.tokens_out or 0) * LARGEST_TOKEN < call.bytes for call in long):
        said = f"A reply of {long[0].bytes} bytes is said to have {long[0].tokens_out} tokens."
        yield found("medium", "fewer-tokens-than-words", said, at=long[0])


def answer(case: Case) -> Iterator[Finding]:
    """The answer that counts must be the one that the attempt came to.

    | it was | and is | |
    |---|---|---|
    | another in the trajectory | | other-answer |
    | handed in, by a tool or a variable | nowhere else in the work, with nothing hidden | medium if right |
    | given in the last words | another one | other-words |
    | neither | nowhere in the work, with nothing hidden | high; of another program medium |
    """
    answer = case.facts.answer
    if answer != case.trajectory.final_answer:
        said = "The answer in the results is not the one that the trajectory ends with."
        yield found(case.weight, "other-answer", said, case.trajectory.final_answer or "")
        return
    if answer is None or not case.replies:
        return
    if case.handed_in is not None and _is(answer, case.handed_in):
        if case.weight == "critical" and not case.comes_up(answer):
            said = "The answer was handed in, and stands nowhere in what the model said, asked for or was given."
            yield found("medium", "answer-from-nowhere", said, answer, at=case.handed_in)
        return
    last = case.replies[-1]
    words = last.head if case.task.texts is None else case.task.texts.reply(last)
    given = readings(words) if not case.went_on and not (last.truncated and words == last.head) else ()
    if given:
        other = given_instead(answer, words, ours=case.ours)
        if other is not None and not (last.redactions and MASK.search(other) and len(answer) >= SHORTEST_SECRET):
            said = "The answer is not the one that the model gave in its last reply."
            yield found(case.weight, "other-words", said, other, at=last)
        elif case.weight == "critical" and not is_proven(last, words):
            said = "The reply that has the answer was masked, or was no text, so that its hash proves nothing."
            yield found("medium", "words-not-proven", said, at=last)
    elif not case.comes_up(answer):
        said = "The answer stands nowhere in the model's own words."
        yield found("high" if case.ours else "medium", "answer-not-said", said, answer, at=last)


def counts(case: Case) -> Iterator[Finding]:
    """What is said of the work must be what its steps add up to."""
    facts, trajectory = case.facts, case.trajectory
    tokens_in, tokens_out = total(c.tokens_in for c in case.calls), total(c.tokens_out for c in case.calls)
    wrong = [
        name
        for name, said, is_so in (
            ("turns", trajectory.turns, case.turns),
            ("input_tokens", trajectory.input_tokens, tokens_in),
            ("output_tokens", trajectory.output_tokens, tokens_out),
            ("tools_used", trajectory.tools_used, tuple(sorted(case.asked))),
            ("model", trajectory.model, facts.model),
            ("model of the run", facts.model, case.run.facts.model),
            ("voting_attempts", trajectory.voting_attempts, case.run.facts.voting_attempts),
        )
        if said != is_so
    ]
    of_result = miscounted(
        facts, turns=case.turns, input_tokens=tokens_in, output_tokens=tokens_out, asked=case.asked, used=case.used
    )
    wrong += [f"{name} of the result" for name in of_result]
    if wrong:
        said = "What is said of the work is not what its steps add up to."
        yield found("high", "counts-do-not-add-up", said, ", ".join(wrong))


def bindings(case: Case) -> Iterator[Finding]:
    """The log binds lines and steps by their hashes when they are written: what differs was changed afterwards."""
    log, weight, steps = case.task.log, case.weight, case.trajectory.steps
    if log is None:
        return  # what the log does not know is for AUD-6 to say
    if log.finished_at is not None and log.trajectory_sha256 != case.task.line_sha256:
        said = "The trajectory is not the one that the log binds: it was changed after the run."
        yield found(weight, "line-changed", said, case.task.place)
    if log.outcome_sha256 is not None and log.outcome_sha256 != _outcome(case.facts):
        said = "The result is not the one that the log binds: it was changed after the run."
        yield found(weight, "result-changed", said)
    before = case.facts.attempts - len(case.facts.voting.answers)
    bound = {
        a.number: (a.steps, a.steps_sha256)
        for a in log.attempts
        if a.number > before and a.finished_at is not None and a.steps_sha256 is not None
    }
    last = steps[-1].attempt if steps else 0
    if len(bound) == 1 and bound.get(last) == (len(steps), case.task.steps_sha256):
        return  # as nearly always, and known from when the line was read
    ends = [bisect(steps, attempt, key=lambda step: step.attempt) for attempt in sorted(bound)]
    for attempt, end, sha256 in zip(sorted(bound), ends, hash_prefixes(steps, ends), strict=True):
        if bound[attempt] != (end, sha256):
            said = "The steps are not those that the log had bound when the attempt ended."
            yield found(weight, "steps-changed", said, f"attempt {attempt}", attempt=attempt)
            return


def kept_texts(case: Case) -> Iterator[Finding]:
    """What a step says of a text must be so of the text that is kept whole."""
    for step in case.kept:
        if (wrong := untruth(step, case.run.bodies)) is not None:
            said = "What a step says of its output is not what the output is that is kept."
            yield found("high", "other-body", said, wrong, at=step)
            return
    for call in case.calls:
        for words in (call, call.thoughts):
            if words is None or words.body is not True:
                continue
            if (wrong := untruth_of_words(words, case.run.bodies)) is not None:
                said = "What a step says of the model's words is not what is kept of them."
                yield found("high", "other-body", said, wrong, at=call)
                return


def question(case: Case) -> Iterator[Finding]:
    """The model must have been shown the question; silent where what was kept does not tell."""
    prompts = case.prompts
    if case.weight != "critical" or not case.task.question or is_unknown(case.run.facts.origin, "prompts"):
        return
    asked = case.task.question[:QUESTION_HEAD]
    if not prompts or any(asked in prompt.text for prompt in prompts):
        return
    if any(p.step.redactions or (p.step.truncated and p.text == p.step.head) for p in prompts):  # type: ignore[union-attr]
        return
    sought = set(_LONGER_WORDS.findall(asked.lower()))
    if len(sought) < 4 or _most_of(sought, (_LONGER_WORDS.findall(prompt.text.lower()) for prompt in prompts)):
        return  # too few to tell one question from another, or put in other words
    kept = set(_KEPT_IN_TRANSLATION.findall(asked))
    translated = kept and _most_of(kept, (_KEPT_IN_TRANSLATION.findall(prompt.text) for prompt in prompts))
    said = "The model was never shown the question that it is said to have answered."
    gates = case.ours and not translated  # of another program a prompt may not have been recorded
    yield found("high" if gates else "medium", "question-not-asked", said, prompts[0].text, at=prompts[0].step)


RULES: tuple[Callable[[Case], Iterator[Finding]], ...] = (
    no_work, closed_book, too_few_tokens, answer, counts, bindings, kept_texts, question
)  # fmt: skip


def _said_something(call: LlmCall) -> bool:
    """By its tokens, or where they were not counted, by its words; what calls a tool has neither to be silent."""
    if call.tokens_out is not None:
        return call.tokens_out > 0
    return call.bytes > 0 or call.stop_reason in ("tool_calls", "tool_use", "function_call")


def _is(answer: str, step: Answer) -> bool:
    """Whether the answer is the one that was handed in. Another model may word it anew before it counts."""
    handed_in = step.head[:LONGEST_ANSWER]
    masked = step.redactions > 0 and len(answer) >= SHORTEST_SECRET
    return masked or answer == handed_in or ballot(answer) == ballot(handed_in)


def _outcome(facts: TaskFacts) -> str | None:
    try:
        return facts.sha256()
    except (ValueError, RecursionError):  # what cannot be written down was never bound
        return None


def _most_of(sought: set[str], prompts: Iterable[list[str]]) -> bool:
    """Whether one of the prompts, given as lists of words, has half of the words that are sought."""
    return any(len(sought.intersection(words)) >= LEAST_ASKED * len(sought) for words in prompts)
