"""A story without questions, page texts and answers: what may be put on the open web under GAIA's terms.

Hashes, sizes, verdicts and names stay. A name that a model wrote is one only if it looks like one: it could be a text,
and is a number then. Of a short text the hash is left out too: whoever tries all numbers and names would find the
answer by it.
"""

import hashlib
import re
from collections.abc import Iterator

import msgspec

from gaia_harness.submission.verdict import CheckLine, NotExamined, Verdict
from gaia_harness.viewing.steps import host_of
from gaia_harness.viewing.story import (
    Argument,
    AttemptTold,
    FindingTold,
    RunTold,
    SourceTold,
    StepTold,
    Story,
    TaskLine,
    TaskTold,
    WindowTold,
    Words,
)

SHORT = 256
"""Bytes: a text of fewer could be found by its hash."""

_NAME = re.compile(r"[A-Za-z0-9_.:@/+-]{1,80}").fullmatch
_SHA256 = re.compile(r"[0-9a-f]{64}").fullmatch


class RedactedStory:
    """Another story, with everything taken out that a stranger may not read."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self._remover = TextRemover()
        self.run = self._remover.run(story.run)

    def tasks(self) -> Iterator[TaskTold]:
        """Every task, with the sizes and hashes of its texts alone."""
        return map(self._remover.task, self._story.tasks())

    def whole(self, name: str) -> str | None:
        """No text at all."""
        return None


class TextRemover:
    """Takes texts out of what is shown. What could be a text in place of a name has the same number everywhere."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {}

    def name(self, text: str) -> str:
        """A name as it is; a running number for what could be a text."""
        if not text or _NAME(text):
            return text
        known = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        return f"(text {self._numbers.setdefault(known, len(self._numbers) + 1)})"

    def run(self, run: RunTold) -> RunTold:
        """The run at a glance."""
        means = {(rule.check, rule.name): rule.means for rule in run.rules}
        return msgspec.structs.replace(
            run,
            redacted=True,
            name=self.name(run.name),
            faults=tuple("something in this run's files does not hold up" for _ in run.faults[:1]),
            not_audited=run.not_audited.partition(":")[0],
            not_counted=tuple(map(self.name, run.not_counted)),
            findings=tuple(self._finding(each, means.get((each.check, each.rule), "")) for each in run.findings),
            reasons=tuple(map(_reason, run.reasons)),
            verdict=_verdict(run.verdict),
        )

    def _finding(self, finding: FindingTold, means: str) -> FindingTold:
        return msgspec.structs.replace(
            finding,
            check=self.name(finding.check),
            rule=self.name(finding.rule),
            summary=means,
            task=None if finding.task is None else self.name(finding.task),
            field=self.name(finding.field),
            view=self.name(finding.view),
            excerpt="",
            waived="waived" if finding.waived else "",
        )

    def task(self, task: TaskTold) -> TaskTold:
        """A task with its steps."""
        judge = task.judge
        return TaskTold(
            line=self._line(task.line),
            judge=None if judge is None else msgspec.structs.replace(judge, model=self.name(judge.model)),
            votes=task.votes,
            cast=task.cast,
            attempts=tuple(map(self._attempt, task.attempts)),
            steps=tuple(map(self.step, task.steps)),
            fault="what is recorded of this task does not hold up" if task.fault else "",
            place=self.name(task.place),
        )

    def _attempt(self, attempt: AttemptTold) -> AttemptTold:
        return msgspec.structs.replace(
            attempt,
            answer=None,
            started_at=self.name(attempt.started_at),
            finished_at=self.name(attempt.finished_at),
        )

    def _line(self, line: TaskLine) -> TaskLine:
        return msgspec.structs.replace(
            line,
            id=self.name(line.id),
            question="",
            answer=None,
            error="left out" if line.error else "",
            now="",
            tools=tuple(map(self.name, line.tools)),
        )

    def step(self, step: StepTold) -> StepTold:
        """A step with the sizes and hashes of its texts alone."""
        return msgspec.structs.replace(
            step,
            name=self.name(step.name),
            agent=self.name(step.agent),
            stop=self.name(step.stop),
            text=_words(step.text),
            thoughts=_words(step.thoughts),
            args=tuple(Argument(name=self.name(each.name), text="", cut=each.cut) for each in step.args),
            sources=tuple(
                SourceTold(url=self.name(host_of(each.url)), offset=each.offset, bytes=each.bytes)
                for each in step.sources
            ),
            windows=tuple(
                WindowTold(
                    text="", offset=each.offset, bytes=each.bytes, why=self.name(each.why), view=self.name(each.view)
                )
                for each in step.windows
            ),
            args_sha256=_hash(step.args_sha256, sum(len(each.text.encode("utf-8", "replace")) for each in step.args)),
            scan=(),
            notes=(),
        )


def _verdict(verdict: Verdict | NotExamined | None) -> Verdict | NotExamined | None:
    """What `gaia verify` says, but for what it quotes of a file that does not hold up."""
    if isinstance(verdict, NotExamined):
        return msgspec.structs.replace(verdict, error="gaia verify says what is wrong", hint=None)
    if verdict is None:
        return None
    return msgspec.structs.replace(verdict, checks=tuple(map(_check, verdict.checks)), notes=())


def _reason(reason: str) -> str:
    """Why a run is not clean, without what somebody wrote to let a finding pass, and what a failure quotes."""
    return reason.partition(":")[0] if reason.startswith(("waived by ", "recording failed:")) else reason


def _check(line: CheckLine) -> CheckLine:
    if line.status != "FAILED":
        return line
    return msgspec.structs.replace(line, said="gaia verify says what is wrong", faults=())


def _words(words: Words | None) -> Words | None:
    return (
        None
        if words is None
        else Words(bytes=words.bytes, sha256=_hash(words.sha256, words.bytes), cut=words.cut, masked=words.masked)
    )


def _hash(sha256: str, size: int) -> str:
    return sha256 if size >= SHORT and _SHA256(sha256) else ""
