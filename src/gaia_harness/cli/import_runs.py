"""`gaia import`."""

import contextlib
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gaia_harness.exchange.importing import ImportResult, Progress

MOST_SHOWN = 10
EVERY = 2.0
"""Seconds between lines of progress where there is no terminal."""


@click.command("import")
@click.argument("paths", metavar="FILE…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder to write to, new or empty.")
@click.option("--dataset", default="hub", show_default=True, help="hub, demo or a folder: what the runs were asked.")
@click.option("--split", default="validation", show_default=True, help="The split of the data set.")
@click.option("--format", "format_", metavar="FORMAT", help="The format of the files. Without it, it is detected.")
@click.option("--run-name", metavar="NAME", help="Put everything into one run of this name.")
@click.option("--keep-going", is_flag=True, help="Skip what cannot be read, and count it.")
@click.option("--json", "as_json", is_flag=True, envvar="GAIA_IMPORT_JSON", help="Print the outcome as JSON alone.")
def command(
    paths: tuple[Path, ...],
    out: Path,
    dataset: str,
    split: str,
    format_: str | None,
    run_name: str | None,
    keep_going: bool,
    as_json: bool,
) -> None:
    """Import runs that were made elsewhere, to audit and to look at: they can not be submitted.

    FILE is a file, a folder, or a zip or tar file of one of the formats inspect, harbor, atif, hal, magentic-one, owl,
    tapeagents, openinference, smolagents and jsonl. Answers are scored again by the official rules.
    """
    import msgspec

    from gaia_harness.cli.plain import plain_json
    from gaia_harness.errors import UsageError
    from gaia_harness.exchange.formats import FORMATS
    from gaia_harness.exchange.importing import import_runs

    names = list(paths)
    if format_ is None and str(names[0]) in FORMATS and not names[0].exists():
        format_ = str(names.pop(0))  # `gaia import inspect FILE`
    if format_ is not None and format_ not in FORMATS:
        raise UsageError(f"there is no format {format_[:40]!a}", hint=f"the formats are {', '.join(FORMATS)}")
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))  # so that nothing is left behind
    with _progress(quiet=as_json) as progress:
        result = import_runs(
            names,
            out,
            dataset=dataset,
            split=split,
            format=format_,
            run_name=run_name,
            keep_going=keep_going,
            progress=progress,
        )
    if as_json:
        click.echo(plain_json(msgspec.json.format(msgspec.json.encode(result, enc_hook=str)) + b"\n"), nl=False)
        return
    _show(result)


def _show(result: "ImportResult") -> None:
    from gaia_harness.cli.plain import plain
    from gaia_harness.figures import counted

    for run in result.runs[:MOST_SHOWN]:
        right = "no answers to score by" if run.passed is None else f"{run.passed} right by the official rules"
        stated = "" if run.stated is None or run.stated == run.passed else f" ({run.stated} by the file)"
        click.echo(f"{plain(str(run.path))}: {counted(run.tasks, 'task')} of {plain(run.model)}, {right}{stated}")
        if run.score_differs:
            named = ", ".join(map(plain, run.score_differs[:3])) + (" …" if len(run.score_differs) > 3 else "")
            click.echo(f"  score differs from the file's: {counted(len(run.score_differs), 'task')}: {named}")
        for gap in run.gaps[:MOST_SHOWN]:
            click.echo(f"  gap: {plain(gap)}")
        if len(run.gaps) > MOST_SHOWN:
            click.echo(f"  … and {counted(len(run.gaps) - MOST_SHOWN, 'more gap')}: see run.json")
    if len(result.runs) > MOST_SHOWN:
        click.echo(f"… and {counted(len(result.runs) - MOST_SHOWN, 'more run')}")
    for note in result.notes:
        click.echo(plain(note))
    for noun, what, count, some in (
        ("fault", "passed over", result.skipped_count, result.skipped),
        ("task-run", "about no task of the data set", result.unmatched_count, result.unmatched),
    ):
        if count:
            click.echo(f"{counted(count, noun)} {what}:")
            for line in some[:MOST_SHOWN]:
                click.echo(f"  {plain(line)}")
            if count > MOST_SHOWN:
                click.echo("  …")
    total = sum(run.tasks for run in result.runs)
    click.echo(f"imported {counted(len(result.runs), 'run')}, {counted(total, 'task')}, format {result.format}")
    first = result.runs[0].path
    click.echo(f"next:  gaia audit {plain(str(first))}")


@contextlib.contextmanager
def _progress(*, quiet: bool) -> "Iterator[Progress]":
    """Says how far the import is: a bar on a terminal, a line every few seconds elsewhere."""
    if quiet:
        yield lambda what, done, total: None
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bars

        columns = (
            TextColumn("{task.description}"),
            BarColumn(bar_width=30),
            TaskProgressColumn(),
            TimeRemainingColumn(),
        )
        with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
            bar = bars.add_task("reading", total=1)
            yield lambda what, done, total: bars.update(bar, description=what, completed=done, total=total or 1)
    else:
        yield _PlainLines()


class _PlainLines:
    """A line every few seconds."""

    def __init__(self) -> None:
        self._said = time.monotonic()

    def __call__(self, what: str, done: int, total: int) -> None:
        moment = time.monotonic()
        if moment - self._said < EVERY:
            return
        self._said = moment
        said = f"{done / 1e6:,.0f} of {total / 1e6:,.0f} MB" if what == "reading" else f"{done} of {total} task-runs"
        click.echo(f"{what}: {said}", err=True)
