"""Prints one task: question, answer, verdicts, attempts, and its steps with what is kept of their texts."""

import shutil
import sys
import textwrap

import click

from gaia_harness.cli.plain import plain
from gaia_harness.cli.task_list import outcome
from gaia_harness.errors import UsageError
from gaia_harness.figures import counted
from gaia_harness.viewing.glance import duration
from gaia_harness.viewing.page import find_task
from gaia_harness.viewing.story import FindingTold, RunTold, StepTold, Story, TaskTold, Words

LINES, CHARACTERS = 6, 500
"""Of a text, unless all of it is asked for."""
DEEPEST = 6
"""How far sub-agents inside each other are indented."""
INDENT = "        "
NARROWEST = 40
_KINDS = {"prompt": "prompt", "model": "model", "call": "call", "result": "result", "answer": "answer"}
_COLOURS = {"critical": "red", "high": "red", "medium": "yellow", "low": None, "info": None}


def show_task(story: Story, wanted: str, *, step: int | None, full: bool, expected: bool) -> None:
    """Print the task whose id begins so, or one of its steps."""
    ids = [task.line.id for task in story.tasks()]
    task_id = find_task(wanted, ids)
    task = next(task for task in story.tasks() if task.line.id == task_id)
    if step is not None and step >= len(task.steps):
        steps = counted(len(task.steps), "step")
        raise UsageError(f"there is no step {step}: the task has {steps}, from 0 on")
    findings = [story.run.findings[number - 1] for number in task.line.findings]
    shown = _Shown(story, findings, full=full or step is not None, whole=full)
    if step is None:
        _head(task, findings, story.run, expected)
    depths: dict[int, int] = {}
    attempt = 1
    for place, each in enumerate(task.steps):
        depths[each.seq] = 0 if each.parent is None else min(DEEPEST, depths.get(each.parent, 0) + 1)
        if step is not None and place != step:
            continue
        if each.attempt != attempt and step is None:
            click.echo(f"\nattempt {each.attempt}")
        attempt = each.attempt
        shown.step(each, "    " * depths[each.seq])


def _head(task: TaskTold, findings: list[FindingTold], run: RunTold, expected: bool) -> None:
    line = task.line
    click.echo(f"task {plain(line.id)}")
    said = outcome(line) + ("" if line.level is None else f", level {line.level}")
    _pair("outcome", said + (", not counted in the audited score" if line.not_counted else ""))
    if task.question:
        _pair("prompt" if task.question_is_prompt else "question", task.question)
    _pair("answer", "left out" if run.redacted else "none" if task.answer is None else task.answer)
    if task.expected is not None:
        _pair("expected", task.expected if expected else "covered: --expected shows it")
    elif expected:
        _pair("expected", "not here: only the folder of a run has it")
    if line.error:
        _pair("error", line.error)
    if task.judge is not None:
        verdict = {True: "right", False: "wrong", None: "no verdict"}[task.judge.verdict]
        _pair("judge", f"{task.judge.model}: {verdict}; a second opinion")
    for attempt in task.attempts if len(task.attempts) > 1 else ():
        answer = "" if not attempt.has_answer or run.redacted else f": {attempt.answer}"
        state = "chosen" if attempt.selected else "interrupted" if attempt.interrupted else ""
        _pair(f"attempt {attempt.number}", f"{state}{answer}".removeprefix(": ") or "-")
    if task.cast > 1:
        _pair("votes", f"{task.votes} of {task.cast} for the answer")
    if task.fault:
        _pair("fault", task.fault)
    for finding in findings:
        if finding.seq is None:
            _finding(finding, "  ")
    click.echo("")


def _pair(name: str, said: str) -> None:
    first, *others = said.split("\n")
    click.echo(f"  {name:<11}{plain(first)}")
    for other in others:
        click.echo(f"  {'':<11}{plain(other)}".rstrip())


def _finding(finding: FindingTold, indent: str) -> None:
    head = f"! {finding.severity} {finding.check} {finding.rule}"
    click.echo(f"{indent}{click.style(plain(head), fg=_COLOURS[finding.severity])}: {plain(finding.summary)}")
    if finding.excerpt:
        click.echo(f"{indent}  > {plain(finding.excerpt)}")


class _Shown:
    """Prints steps, with the findings at their places."""

    def __init__(self, story: Story, findings: list[FindingTold], *, full: bool, whole: bool) -> None:
        """`full`: all that a step has of its text; `whole`: also what is kept beside it."""
        self._story = story
        self._full = full
        self._whole = whole
        self._findings: dict[int, list[FindingTold]] = {}
        for finding in findings:
            if finding.seq is not None:
                self._findings.setdefault(finding.seq, []).append(finding)

    def step(self, step: StepTold, indent: str) -> None:
        """Print one step."""
        parts = [f"{step.seq:>4}  {_KINDS[step.kind]:<7} {step.name}"]
        if step.agent:
            parts.append(f"by {step.agent}")
        if step.answers is not None:
            parts.append(f"of step {step.answers}")
        if step.together:
            parts.append(f"one of {step.together} calls made at once")
        if step.ms is not None:
            parts.append(duration(step.ms))
        if step.tokens_in is not None and step.tokens_out is not None:
            parts.append(f"{step.tokens_in:,} tokens in, {step.tokens_out:,} out")
        if step.failed:
            parts.append("failed")
        click.echo(indent + click.style(plain(" · ".join(parts)), bold=step.kind == "model"))
        inner = indent + INDENT
        for finding in self._findings.get(step.seq, ()):
            _finding(finding, inner)
        if step.thoughts is not None:
            click.echo(f"{inner}thoughts:")
            self._words(step.thoughts, inner)
        if step.text is not None and (step.text.bytes or step.kind != "prompt"):
            self._words(step.text, inner)
        for argument in step.args:
            cut, out = " (cut)" if argument.cut else "", " left out" if self._story.run.redacted else ""
            click.echo(f"{inner}{plain(argument.name or 'arguments')}:{cut}{out}")
            self._text(argument.text, f"{inner}  ")
        for source in step.sources if self._full else ():
            click.echo(f"{inner}source {plain(source.url)} {plain(source.title)}".rstrip())
        for window in step.windows if self._full else ():
            click.echo(f"{inner}kept from byte {window.offset:,} on ({plain(window.why)}):")
            self._text(window.text, f"{inner}  ")
        for note in step.notes:
            click.echo(f"{inner}{plain(note)}")

    def _words(self, words: Words, indent: str) -> None:
        if self._story.run.redacted:
            known = f"; sha256 {words.sha256}" if words.sha256 else ""
            click.echo(click.style(f"{indent}[{words.bytes:,} bytes, left out{known}]", dim=True))
            return
        whole = self._story.whole(words.whole) if words.whole and self._whole else None
        self._text(words.head if whole is None else whole, indent)
        if words.cut and whole is None:
            kept = f"{len(words.head.encode('utf-8', 'surrogatepass')):,} of {words.bytes:,} bytes kept"
            more = "; --full shows the whole" if words.whole and not self._whole else ""
            click.echo(click.style(f"{indent}[{kept}; sha256 {plain(words.sha256)}{more}]", dim=True))

    def _text(self, text: str, indent: str) -> None:
        if self._story.run.redacted:
            return
        lines = text.split("\n")
        if not self._full:
            lines = [*_first(lines)]
        for line in lines:
            for piece in _wrapped(plain(line.expandtabs(4)), len(indent)):
                click.echo(f"{indent}{piece}".rstrip())


def _wrapped(line: str, indent: int) -> list[str]:
    """A line as several that fit on the terminal; as it is where there is none."""
    if not sys.stdout.isatty():
        return [line]
    room = max(NARROWEST, shutil.get_terminal_size().columns - indent)
    return [line] if len(line) <= room else textwrap.wrap(line, room, drop_whitespace=False) or [line]


def _first(lines: list[str]) -> list[str]:
    """The first lines, no longer than a person reads in passing."""
    left, kept = CHARACTERS, list[str]()
    for line in lines[:LINES]:
        if len(line) > left:
            return [*kept, f"{line[:left]} …"]
        kept.append(line)
        left -= len(line)
    return [*kept, "…"] if len(lines) > LINES else kept
