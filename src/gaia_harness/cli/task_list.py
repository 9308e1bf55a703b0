"""Prints a run at a glance and the list of its tasks."""

import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from gaia_harness.audit.findings import SEVERITIES
from gaia_harness.cli.plain import plain
from gaia_harness.figures import counted
from gaia_harness.shortening import shorten
from gaia_harness.submission.verdict import Verdict
from gaia_harness.viewing.glance import STATES, audit, duration, facts, going_on, rates, submission
from gaia_harness.viewing.pictures import said_rate
from gaia_harness.viewing.story import RunTold, Story, TaskLine

COLUMNS = ("outcome", "level", "task", "turns", "time", "cost", "findings", "answer")
LONGEST_ANSWER = 60
NARROW, KEPT = 72, ("outcome", "task", "answer")
"""On a terminal of fewer columns, these alone: cut ones tell nothing."""
SHORT_ID = 8
_COLOURS = {"right": "green", "wrong": "red", "error": "red"}


def show_tasks(story: Story, path: Path) -> None:
    """Print the glance and the tasks; into a pipe, the tasks alone, with tabs between the columns."""
    if not sys.stdout.isatty():
        click.echo("\t".join(COLUMNS))
        for task in story.tasks():
            click.echo("\t".join(_cells(task.line, story.run)))
        for fault in story.run.faults:
            click.echo(f"fault: {plain(fault)}", err=True)
        return
    _glance(story.run)
    lines = [task.line for task in story.tasks()]
    short = len({line.id[:SHORT_ID] for line in lines}) == len(lines)
    _table(_cells(line, story.run, short=short) for line in lines)
    click.echo(f"next:  {plain(shlex.join(['gaia', 'show', str(path)]))} TASK")


def outcome(line: TaskLine) -> str:
    """How a task ended, in a word."""
    if line.state != "done":
        return line.state
    if line.error:
        return "error"
    return "not scored" if line.correct is None else "right" if line.correct else "wrong"


def _cells(line: TaskLine, run: RunTold, *, short: bool = False) -> tuple[str, ...]:
    """The columns of a task; `short`: with the beginning of its id, by which it can be named."""
    worst = min((SEVERITIES.index(run.findings[number - 1].severity) for number in line.findings), default=None)
    said = outcome(line) + (", not counted" if line.not_counted else "")
    answer = line.error or line.now if line.answer is None else line.answer
    return (
        said,
        "" if line.level is None else str(line.level),
        plain(line.id[:SHORT_ID] if short else line.id),
        "" if line.turns is None else str(line.turns),
        "" if line.ms is None else duration(line.ms),
        "" if line.cost is None else f"${line.cost:.2f}",
        "" if worst is None else f"{len(line.findings)} {SEVERITIES[worst]}",
        shorten(plain(answer), LONGEST_ANSWER),
    )


def _glance(run: RunTold) -> None:
    agent = f", agent {run.agent}" if run.agent else ""
    click.echo(plain(f"{run.model}, {run.dataset}, {run.split} split{agent}: {STATES[run.state]}"))
    if run.redacted:
        click.echo("redacted: no question, page text or answer is shown")
    if said := going_on(run):
        click.echo(said)
    for name, rate in rates(run):
        click.echo(f"  {name:<11}{said_rate(rate)}")
    for name, said in facts(run):
        click.echo(f"  {name.lower():<18}{plain(said)}")
    click.echo(f"  {'submission':<18}{plain(submission(run))}")
    for reason in run.reasons:
        click.echo(f"  {'':<18}{plain(reason)}")
    if run.declared:
        click.echo(f"  {'declared':<18}{plain(run.declared)}")
    if run.verdict is not None:
        who = run.verdict.authentication if isinstance(run.verdict, Verdict) else run.verdict.error
        click.echo(f"  {'verified here':<18}{plain(f'{run.verdict.verdict}; signed: {who}')}")
    click.echo(f"  {'audit':<18}{plain(audit(run))}; {counted(len(run.findings), 'finding')}")
    for fault in run.faults:
        click.echo(f"  {'fault':<18}{plain(fault)}")
    click.echo("")


def _table(rows: Iterable[tuple[str, ...]]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_edge=False, header_style="dim")
    console = Console(highlight=False)
    shown = [at for at, name in enumerate(COLUMNS) if console.width >= NARROW or name in KEPT]
    for name in (COLUMNS[at] for at in shown):
        wraps = name == "answer"
        table.add_column(name, no_wrap=not wraps, justify="right" if name in ("turns", "time", "cost") else "left")
    for row in rows:
        colour = _COLOURS.get(row[0].partition(",")[0], "")
        table.add_row(*(Text(row[at], style="" if at else colour) for at in shown))
    console.print(table)
