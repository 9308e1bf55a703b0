"""`python -m redteam.ablation`: what is lost without each rule of the audit."""

import logging
import os
import tempfile
from pathlib import Path

import click
import msgspec

from gaia_harness.files import write_atomic
from redteam.ablation.earnings import PARTS, RealRuns, ablate
from redteam.ablation.page import put_into, render
from redteam.batches import Part
from redteam.corpus import variants
from redteam.real.__main__ import read_labels, read_sources
from redteam.switches import SWITCHES


@click.command("ablation", context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--part", "parts", type=click.Choice(PARTS), multiple=True, help="Only this part; may be repeated.")
@click.option("--seeds", type=click.IntRange(1, 1000), default=1, show_default=True, help="Runs of each variant.")
@click.option("--real", metavar="NAME=FOLDER", multiple=True, help="A source of real runs, as for `redteam.real`.")
@click.option("--dataset", help="The data set that the real runs were asked.")
@click.option("--labels", type=click.Path(path_type=Path, exists=True), multiple=True, help="Labels of the real runs.")
@click.option("--work", type=click.Path(path_type=Path), help="Keep the imported real runs in this folder.")
@click.option(
    "--switch", "chosen", type=click.Choice(sorted(SWITCHES)), multiple=True, help="Only this mechanism; default: all."
)
@click.option("--out", type=click.Path(path_type=Path), help="Write the figures to this JSON file.")
@click.option("--page", type=click.Path(path_type=Path), help="Put the tables into this file, between its marks.")
@click.option("--workers", type=click.IntRange(1, 64), help="Processes; default: one for each processor.")
def command(
    parts: tuple[str, ...],
    seeds: int,
    real: tuple[str, ...],
    dataset: str | None,
    labels: tuple[Path, ...],
    work: Path | None,
    chosen: tuple[str, ...],
    out: Path | None,
    page: Path | None,
    workers: int | None,
) -> None:
    """Audit the lab and real runs, and print for every rule what is lost without it.

    A rule without which no attack and no real copy is lost earns nothing, and is marked.
    """

    def progress(done: int, total: int) -> None:
        if done % 100 == 0 or done == total:
            click.echo(f"{done} of {total} runs made and audited", err=True)

    if real and dataset is None:
        raise click.UsageError("real runs need --dataset: hub, or the folder of the data set that they were asked")
    logging.getLogger("gaia_harness").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as scratch:
        given = RealRuns(
            sources=read_sources(real), dataset=dataset or "", labels=read_labels(labels), place=work or Path(scratch)
        )
        ablation = ablate(
            [variant.id for part in (parts or PARTS) for variant in variants(Part(part))],
            seeds=seeds,
            real=given if real else None,
            versioned=Part.SEALED in (parts or PARTS),
            switches=chosen or tuple(SWITCHES),
            workers=workers or os.cpu_count() or 1,
            progress=progress,
        )
    if out is not None:
        write_atomic(out, msgspec.json.format(msgspec.json.encode(ablation), indent=2) + b"\n")
    if page is not None:
        write_atomic(page, put_into(page.read_text("utf-8"), ablation).encode())
    click.echo(render(ablation), nl=False)


if __name__ == "__main__":
    command()
