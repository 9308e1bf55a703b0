"""A story without questions, page texts and answers: what may be put on the open web under GAIA's terms.

Hashes, sizes, verdicts and names stay. A name that a model wrote is one only if it looks like one: it could be a text.
Of a short text the hash is left out too: whoever tries all numbers and names would find the answer by it.
"""

import hashlib
import re
from collections.abc import Iterator

import msgspec

from gaia_harness.viewing.steps import host_of
from gaia_harness.viewing.story import (
    Argument,
    AttemptTold,
    FindingTold,
    JudgeTold,
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


class RedactedStory:
    """Another story, with everything taken out that a stranger may not read."""

    def __init__(self, story: Story) -> None:
        self._story = story
        self.run = _run(story.run)

    def tasks(self) -> Iterator[TaskTold]:
        """Every task, with the sizes and hashes of its texts alone."""
        return map(_task, self._story.tasks())

    def whole(self, name: str) -> str | None:
        """No text at all."""
        return None


def name_or_hash(text: str) -> str:
    """A name as it is; of what could be a text, the beginning of its hash, by which it is known all the same."""
    if not text or _NAME(text):
        return text
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}"


def _run(run: RunTold) -> RunTold:
    means = {(rule.check, rule.name): rule.means for rule in run.rules}
    return msgspec.structs.replace(
        run,
        redacted=True,
        name=name_or_hash(run.name),
        faults=tuple("something in this run's files does not hold up" for _ in run.faults[:1]),
        not_counted=tuple(map(name_or_hash, run.not_counted)),
        findings=tuple(_finding(finding, means.get((finding.check, finding.rule), "")) for finding in run.findings),
    )


def _finding(finding: FindingTold, means: str) -> FindingTold:
    return msgspec.structs.replace(
        finding,
        check=name_or_hash(finding.check),
        rule=name_or_hash(finding.rule),
        summary=means,
        task=None if finding.task is None else name_or_hash(finding.task),
        field=name_or_hash(finding.field),
        view=name_or_hash(finding.view),
        excerpt="",
        waived="waived" if finding.waived else "",
    )


def _task(task: TaskTold) -> TaskTold:
    return TaskTold(
        line=_line(task.line),
        judge=None if task.judge is None else _judge(task.judge),
        votes=task.votes,
        cast=task.cast,
        attempts=tuple(map(_attempt, task.attempts)),
        steps=tuple(map(_step, task.steps)),
        fault="what is recorded of this task does not hold up" if task.fault else "",
        place=name_or_hash(task.place),
    )


def _judge(judge: JudgeTold) -> JudgeTold:
    return msgspec.structs.replace(judge, model=name_or_hash(judge.model))


def _attempt(attempt: AttemptTold) -> AttemptTold:
    return msgspec.structs.replace(
        attempt,
        answer=None,
        started_at=name_or_hash(attempt.started_at),
        finished_at=name_or_hash(attempt.finished_at),
    )


def _line(line: TaskLine) -> TaskLine:
    return msgspec.structs.replace(
        line,
        id=name_or_hash(line.id),
        question="",
        answer=None,
        error="left out" if line.error else "",
        tools=tuple(map(name_or_hash, line.tools)),
    )


def _step(step: StepTold) -> StepTold:
    return msgspec.structs.replace(
        step,
        name=name_or_hash(step.name),
        agent=name_or_hash(step.agent),
        stop=name_or_hash(step.stop),
        text=_words(step.text),
        thoughts=_words(step.thoughts),
        args=tuple(Argument(name=name_or_hash(each.name), text="", cut=each.cut) for each in step.args),
        sources=tuple(
            SourceTold(url=name_or_hash(host_of(each.url)), offset=each.offset, bytes=each.bytes)
            for each in step.sources
        ),
        windows=tuple(
            WindowTold(
                text="", offset=each.offset, bytes=each.bytes, why=name_or_hash(each.why), view=name_or_hash(each.view)
            )
            for each in step.windows
        ),
        args_sha256=_hash(step.args_sha256, sum(len(each.text.encode("utf-8", "replace")) for each in step.args)),
        scan=(),
        notes=(),
    )


def _words(words: Words | None) -> Words | None:
    return (
        None
        if words is None
        else Words(bytes=words.bytes, sha256=_hash(words.sha256, words.bytes), cut=words.cut, masked=words.masked)
    )


def _hash(sha256: str, size: int) -> str:
    return name_or_hash(sha256) if size >= SHORT else ""
