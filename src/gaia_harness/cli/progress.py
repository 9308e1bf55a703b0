"""Progress of a run: a live line on a terminal, plain lines elsewhere."""

import contextlib
import logging
import sys
from collections.abc import Iterator
from typing import Any

import click

from gaia_harness.figures import counted
from gaia_harness.records.results import TaskResult
from gaia_harness.run.runner import Watcher
from gaia_harness.run.summary import Tally
from gaia_harness.shortening import shorten


@contextlib.contextmanager
def watching(total: int) -> Iterator[Watcher]:
    """Show progress while the block runs."""
    if not sys.stderr.isatty():
        yield PlainLines(total)
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.completed:.0f}/{task.total:.0f}"),
        BarColumn(bar_width=30),
        TextColumn("{task.fields[figures]}"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
    )
    terminal = sys.stderr
    with Progress(*columns, console=Console(stderr=True)) as progress, _log_lines_above(terminal):
        yield LiveLine(progress, total)


@contextlib.contextmanager
def _log_lines_above(terminal: object) -> Iterator[None]:
    """Warnings go where `sys.stderr` leads while there is a live line: not to the terminal itself, into its middle."""
    handlers = [
        handler
        for handler in logging.getLogger().handlers
        if isinstance(handler, logging.StreamHandler) and handler.stream is terminal
    ]
    for handler in handlers:
        handler.setStream(sys.stderr)
    try:
        yield
    finally:
        for handler in handlers:
            handler.setStream(terminal)


class PlainLines:
    """One line per finished task."""

    def __init__(self, total: int) -> None:
        self._width = len(str(total))
        self._total = total

    def finished(self, result: TaskResult, tally: Tally) -> None:
        """Say how a task came out."""
        count = f"[{tally.finished:>{self._width}}/{self._total}]"
        click.echo(f"{count} {line(result)}", err=True)

    def waiting(self, running: int, longest: float) -> None:
        """Say that work goes on."""
        click.echo(waiting_line(running, longest), err=True)


class LiveLine:
    """A bar with the figures so far, and a line above it for each failure."""

    def __init__(self, progress: Any, total: int) -> None:
        self._progress = progress
        self._bar = progress.add_task("", total=total, figures="")

    def finished(self, result: TaskResult, tally: Tally) -> None:
        """Move the bar; say a failure in full."""
        if result.error is not None:
            self._progress.console.print(line(result), markup=False, highlight=False)
        self._progress.update(self._bar, completed=tally.finished, figures=figures(tally))

    def waiting(self, running: int, longest: float) -> None:
        """Say that work goes on."""
        self._progress.console.print(waiting_line(running, longest), markup=False, highlight=False)


def waiting_line(running: int, longest: float) -> str:
    """What is under way."""
    return f"{counted(running, 'task')} running, the longest for {longest:.0f} s"


def line(result: TaskResult) -> str:
    """One finished task in one line."""
    verdict = {True: "correct", False: "wrong  ", None: "done   "}[result.correct]
    if result.error is not None:
        verdict = "failed "
    turns = counted(result.turns, "turn")
    said = f"error: {result.error}" if result.error is not None else f"answer: {result.answer}"
    said = "".join(character if character.isprintable() else " " for character in said)  # no terminal is steered
    said = shorten(" ".join(said.split()), 160)
    return f"{verdict} level {result.level}  {result.task_id}  {turns}, {result.wall_ms / 1000:.1f} s  {said}"


def figures(tally: Tally) -> str:
    """Correct, tokens and cost so far."""
    parts = [f"{tally.passed} correct"] if tally.has_gold else []
    if tally.input_tokens is not None and tally.output_tokens is not None:
        parts.append(f"{(tally.input_tokens + tally.output_tokens) / 1000:,.0f}k tokens")
    if tally.cost_usd is not None:
        parts.append(money(tally.cost_usd))
    return " · ".join(parts)


def money(usd: float) -> str:
    """An amount in dollars, exact enough to be of use."""
    return f"${usd:,.2f}" if usd >= 0.995 or usd == 0 else f"${usd:.4f}"
