"""`python -m redteam`: measure the audit on the attack lab."""

import logging
import os
from pathlib import Path

import click

from gaia_harness.cli import main
from gaia_harness.cli.executors import asked_ray, ray_options, say_where

PARTS = ("development", "test", "unusual", "sealed")


@click.command("redteam", context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    *("--part", "parts"),
    type=click.Choice(PARTS),
    multiple=True,
    envvar="GAIA_REDTEAM_PART",
    help="Only this part; may be repeated.",
)
@click.option("--batch", "batches", multiple=True, help="Only variants that were written together in this batch.")
@click.option("--seeds", type=click.IntRange(1, 1000), default=3, show_default=True, help="Runs of each variant.")
@click.option("--live/--no-live", default=True, show_default=True, help="Also run attacks through the real harness.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the figures to this JSON file.")
@click.option(
    "--page", type=click.Path(path_type=Path), help="Put the tables into this Markdown file, between its marks."
)
@click.option("--workers", type=click.IntRange(1, 64), help="Processes; default: one for each processor.")
@ray_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    parts: tuple[str, ...],
    batches: tuple[str, ...],
    seeds: int,
    live: bool,
    out: Path | None,
    page: Path | None,
    workers: int | None,
    **_: object,
) -> None:
    """Run the attack lab, and print what the audit caught and what it must leave alone.

    Attackers and honest agents, all fictional, are audited by family: recall and false alarms with 95 % intervals,
    the old rule ("the gold stands in some tool output") beside ours. Exit 1 if a bar is missed.
    """
    import msgspec

    from gaia_harness.files import write_atomic
    from redteam.batches import BATCHES, Part
    from redteam.figures import measure
    from redteam.live.figures import measure_live
    from redteam.page import bars, put_into, render

    def progress(done: int, total: int) -> None:
        if done % 25 == 0 or done == total:
            click.echo(f"{done} of {total} runs made and audited", err=True)

    unknown = set(batches) - set(BATCHES)
    if unknown:
        raise click.UsageError(f"no batch is named {', '.join(sorted(unknown))}; there are {', '.join(BATCHES)}")
    ray = asked_ray(ctx)
    logging.getLogger("gaia_harness").setLevel(logging.ERROR)  # attackers are warned about things that they mean to do
    ran = measure_live(lambda name: click.echo(f"live: {name}", err=True)) if live else ()
    say_where(ray)
    figures = measure(
        [Part(part) for part in (parts or PARTS)],
        batches=batches,
        seeds=seeds,
        workers=workers or os.cpu_count() or 1,
        ray=ray,
        live=ran,
        progress=progress,
    )
    if out is not None:
        write_atomic(out, msgspec.json.format(msgspec.json.encode(figures), indent=2) + b"\n")
    if page is not None:
        write_atomic(page, put_into(page.read_text("utf-8"), figures).encode())
    click.echo(render(figures), nl=False)
    missed = [bar for bar in bars(figures) if not bar.met]
    for bar in missed:
        click.echo(f"missed: {bar.what}: {bar.wanted}, measured {bar.measured}", err=True)
    ctx.exit(1 if missed else 0)


if __name__ == "__main__":
    main(command)
