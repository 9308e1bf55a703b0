"""`gaia export`."""

import time
from pathlib import Path

import click

EVERY = 2.0
"""Seconds between lines of progress."""


@click.command("export")
@click.argument("path", metavar="RUN|PACKAGE", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format_",
    required=True,
    metavar="FORMAT",
    help="leaderboard, atif, eee, openinference, parquet or inspect.",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The file or folder to write: a new one.")
def command(path: Path, format_: str, out: Path) -> None:
    """Write a run or a package in a format that other tools read. Gold answers are never written.

    A package is read strictly, but its signatures are not checked: `gaia verify` does that.
    """
    from gaia_harness.cli.plain import plain
    from gaia_harness.offline import export_run

    said = time.monotonic()

    def progress(what: str, done: int, total: int) -> None:
        nonlocal said
        if what == "auditing":
            click.echo("auditing the run for its findings", err=True)
        elif (moment := time.monotonic()) - said >= EVERY:
            said = moment
            click.echo(f"{done} of {total} tasks", err=True)

    done = export_run(path, out, format=format_, progress=progress)
    for note in done.notes:
        click.echo(f"note: {plain(note)}")
    click.echo(f"{plain(str(done.path))}: {done.tasks} task{'s' * (done.tasks != 1)}, format {done.format}")
