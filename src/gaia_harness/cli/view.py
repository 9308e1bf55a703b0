"""`gaia view`."""

import contextlib
import os
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gaia_harness.cli.trust_options import trust_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from gaia_harness.viewing.page import WrittenPage

EVERY = 3.0
"""Seconds between two states of a run that goes on; more where writing them takes long."""
MOMENT = 2.0
"""Seconds that a person waits without a word."""
PATIENCE = 5
"""So many times longer than it took to write the page is waited before it is written again."""


@click.command("view")
@click.argument("path", metavar="RUN|PACKAGE", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The file to write; else report.html in the run's folder.")
@click.option("--open/--no-open", "opening", default=True, help="Open the page in the browser.")
@click.option("--task", metavar="ID", help="Open the page at this task. The beginning of its id will do.")
@click.option("--step", type=click.IntRange(0), metavar="N", help="With --task: at this step.")
@click.option("--finding", type=click.IntRange(1), metavar="N", help="Open the page at this finding of the audit.")
@click.option("--redacted", is_flag=True, help="Without questions, page texts and answers: for the open web.")
@click.option("--live", is_flag=True, help="While the run goes on, write the page anew; it reloads itself.")
@trust_options
def command(
    path: Path,
    out: Path | None,
    opening: bool,
    task: str | None,
    step: int | None,
    finding: int | None,
    redacted: bool,
    live: bool,
    dataset: str | None,
    allowed_signers: Path | None,
    identity: str | None,
) -> None:
    """Look at a run, a package, or a tar or zip file of one: writes one HTML page that needs no network, and opens it.

    A run is audited on the way, a package verified. The page of a run has its questions and the expected answers in
    it: keep it to yourself, or give --redacted.
    """
    from gaia_harness.cli.plain import plain
    from gaia_harness.offline import view_run

    if finding is not None and (task is not None or step is not None):
        raise click.UsageError("--finding names the task and the step itself")
    where = out or default_page(path)

    def write(every: float) -> "WrittenPage":
        progress = Progress()
        try:
            return view_run(
                path,
                where,
                task=task,
                step=step,
                finding=finding,
                live=every,
                redacted=redacted,
                dataset=dataset,
                allowed_signers=allowed_signers,
                identity=identity,
                progress=progress,
            )
        finally:
            progress.end()

    page = _write_live(path, write, opening) if live else write(0)
    click.echo(f"{plain(str(page.path))}: {page.tasks:,} task{'s' * (page.tasks != 1)}, {page.bytes:,} bytes")
    if opening and not live:
        _open(page.address)


class Progress:
    """Says what is being done where it takes more than a moment."""

    def __init__(self) -> None:
        self._said = time.monotonic()
        self._timer: threading.Timer | None = None

    def __call__(self, what: str, done: int, total: int) -> None:
        """Take note of how far it is."""
        self.end()
        if not total:
            self._timer = threading.Timer(MOMENT, lambda: click.echo(f"{what} …", err=True))
            self._timer.daemon = True
            self._timer.start()
        elif time.monotonic() - self._said >= MOMENT:
            self._said = time.monotonic()
            click.echo(f"{what}: {done:,} of {total:,} tasks", err=True)

    def end(self) -> None:
        """That is done."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def default_page(path: Path) -> Path:
    """Where the page goes: into a run's folder, and beside a package, never into it."""
    if (path / "run.json").is_file():
        return path / "report.html"
    whole = path.resolve()
    return whole.with_name(f"{whole.name}.report.html")


def _write_live(path: Path, write: "Callable[[float], WrittenPage]", opening: bool) -> "WrittenPage":
    """Write the page again and again until nobody is at work in the run's folder, or Ctrl-C; then once as it stays."""
    from gaia_harness.run.folder import is_running

    if not is_running(path):
        click.echo("nobody is at work in this folder: the page is written once", err=True)
    first = True
    with contextlib.suppress(KeyboardInterrupt):
        while is_running(path):
            began = time.monotonic()
            page = write(EVERY)
            if first:
                click.echo(f"{page.path}: follows the run; Ctrl-C ends that", err=True)
                if opening:
                    _open(page.address)
            first = False
            time.sleep(max(EVERY, PATIENCE * (time.monotonic() - began)))
    return write(0)


def _open(address: str) -> None:
    """In a browser with windows. Where there is none, the file's name has been said."""
    import webbrowser

    if sys.platform == "linux" and not any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))):
        click.echo("there is no screen here to open it on: copy the file to where there is one", err=True)
    elif not webbrowser.open(address):
        click.echo(f"no browser could be started: open {address}", err=True)
