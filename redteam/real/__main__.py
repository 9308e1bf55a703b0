"""`python -m redteam.real SOURCE… --dataset D`: the audit on real public runs.

The sources hold gated text: they stay in a folder of yours, outside of the repository. Labels have ids alone.
"""

import logging
import os
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path

import click
import msgspec

from gaia_harness.files import write_atomic
from redteam.real.measure import Label, Source, measure, table

LABELS = Path(__file__).with_name("labels")


def read_labels(files: Iterable[Path]) -> list[Label]:
    """The labels of these files, or of ours; where two speak of the same task-run, the first one counts."""
    files = list(files) or sorted(LABELS.glob("*.json"))
    return [label for file in files for label in msgspec.json.decode(file.read_bytes(), type=list[Label])]


def read_sources(named: Sequence[str]) -> list[Source]:
    """Sources as they are named on the command line."""
    for each in named:
        if not all(each.partition("=")):
            raise click.UsageError(f"{each}: a source is written NAME=FOLDER")
    return [Source(*each.split("=", 1)) for each in named]


@click.command("real", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("sources", metavar="NAME=FOLDER…", nargs=-1, required=True)
@click.option("--dataset", required=True, help="hub or a folder: the data set that the runs were asked.")
@click.option(
    "--labels",
    type=click.Path(path_type=Path, exists=True),
    multiple=True,
    help="A JSON file of labels, by ids; default: ours.",
)
@click.option("--work", type=click.Path(path_type=Path), help="Keep the imported runs in this folder.")
@click.option("--json", "out", type=click.Path(path_type=Path), help="Write the figures to this file.")
@click.option("--workers", type=click.IntRange(1, 64), help="Processes; default: one for each processor.")
@click.option("--show", is_flag=True, help="Name every run that is gated and every copy that is missed.")
def command(
    sources: tuple[str, ...],
    dataset: str,
    labels: tuple[Path, ...],
    work: Path | None,
    out: Path | None,
    workers: int | None,
    show: bool,
) -> None:
    """Import public runs, audit them, and print for each source what is gated and which labelled copies are found."""
    logging.getLogger("gaia_harness").setLevel(logging.ERROR)
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        named, known = read_sources(sources), read_labels(labels)
        measured = measure(named, dataset, known, work or Path(scratch), workers=workers or os.cpu_count() or 1)
    for line in table(measured, show=show):
        click.echo(line)
    click.echo(f"{time.monotonic() - began:.0f} s")
    if out is not None:
        figures = msgspec.json.encode([each.figures for each in measured])
        write_atomic(out, msgspec.json.format(figures, indent=2) + b"\n")


if __name__ == "__main__":
    command()
