"""Progress of a run: a bar and a line per running task on a terminal, plain lines elsewhere."""

import contextlib
import logging
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import click

from gaia_harness.cli.plain import plain
from gaia_harness.figures import counted
from gaia_harness.figures import money as money
from gaia_harness.records.results import TaskResult
from gaia_harness.run.at_work import LONGEST_NAME, AtWork, Glance
from gaia_harness.run.runner import Watcher
from gaia_harness.run.summary import Tally
from gaia_harness.shortening import shorten

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

REFRESHED = 4
"""Times a second that the lines of a terminal are drawn."""


@contextlib.contextmanager
def watching(total: int, at_work: Mapping[str, AtWork]) -> Iterator[Watcher]:
    """Show progress while the block runs: on a terminal also what each of the tasks `at_work` is doing."""
    if not sys.stderr.isatty():
        yield PlainLines(total)
        return
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True)
    if console.is_dumb_terminal:  # which cannot go back to a line
        yield PlainLines(total)
        return
    terminal = sys.stderr
    lines = LiveLines(console, total, at_work)
    with Live(get_renderable=lines.now, console=console, refresh_per_second=REFRESHED), _log_lines_above(terminal):
        yield lines


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


class LiveLines:
    """A bar with the figures so far, a line under it for each task at work, and one above it for each finished."""

    def __init__(self, console: "Console", total: int, at_work: Mapping[str, AtWork]) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        self._console = console
        self._at_work = at_work
        self._progress = Progress(
            TextColumn("{task.completed:.0f}/{task.total:.0f}"),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[figures]}"),
            TimeRemainingColumn(compact=True),
            TextColumn("left"),
            console=console,
        )
        self._bar = self._progress.add_task("", total=total, figures="")

    def finished(self, result: TaskResult, tally: Tally) -> None:
        """Move the bar, and say how a task came out."""
        self._console.print(line(result), markup=False, highlight=False)
        self._progress.update(self._bar, completed=tally.finished, figures=figures(tally))

    def waiting(self, running: int, longest: float) -> None:
        """The lines say already that work goes on."""

    def now(self) -> "RenderableType":
        """The bar, and as many lines as the terminal has room for."""
        from rich.console import Group
        from rich.text import Text

        running = list(self._at_work.values())  # a copy: tasks come and go meanwhile
        room = max(self._console.height - 4, 1)
        said = [glance_line(work.glance()) for work in running[:room]]
        if len(running) > room:
            said[-1] = f"  … and {counted(len(running) - room + 1, 'more task')}"
        lines = (Text(text, no_wrap=True, overflow="ellipsis") for text in said)
        return Group(self._progress.get_renderable(), *lines)


def glance_line(glance: Glance) -> str:
    """One running task in one line: turn, tool, tokens and seconds, and why it waits."""
    return f"  {plain(shorten(glance.task_id, LONGEST_NAME))}  {plain(str(glance))}"


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
    return f"{verdict} level {result.level}  {plain(result.task_id)}  {turns}, {result.wall_ms / 1000:.1f} s  {said}"


def figures(tally: Tally) -> str:
    """Correct, tokens and cost so far."""
    parts = [f"{tally.passed} correct"] if tally.has_gold else []
    if tally.input_tokens is not None and tally.output_tokens is not None:
        parts.append(f"{(tally.input_tokens + tally.output_tokens) / 1000:,.0f}k tokens")
    if tally.cost_usd is not None:
        parts.append(money(tally.cost_usd))
    return " · ".join(parts)
