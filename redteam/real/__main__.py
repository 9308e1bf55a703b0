"""`python -m redteam.real SOURCE… --dataset D --labels FILE`: the audit on real public runs.

The sources hold gated text: they stay in a folder of yours, outside of the repository. Labels have ids alone.
"""

import tempfile
import time
from pathlib import Path

import click
import msgspec

from redteam.real.measure import Label, Source, table


@click.command("real", context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("sources", metavar="NAME=FOLDER…", nargs=-1, required=True)
@click.option("--dataset", required=True, help="hub or a folder: the data set that the runs were asked.")
@click.option("--labels", type=click.Path(path_type=Path, exists=True), help="A JSON file of labels, by ids.")
@click.option("--work", type=click.Path(path_type=Path), help="Keep the imported runs in this folder.")
@click.option("--show", is_flag=True, help="Name every run that is gated, with its findings.")
def command(sources: tuple[str, ...], dataset: str, labels: Path | None, work: Path | None, show: bool) -> None:
    """Import public runs, audit them, and print for each source what is gated and which labelled copies are found."""
    known = [] if labels is None else msgspec.json.decode(labels.read_bytes(), type=list[Label])
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        place = work or Path(scratch)
        named = [Source(*source.split("=", 1)) for source in sources]
        for line in table(named, dataset, known, place, show=show):
            click.echo(line)
    click.echo(f"{time.monotonic() - began:.0f} s")


if __name__ == "__main__":
    command()
