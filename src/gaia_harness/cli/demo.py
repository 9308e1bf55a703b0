"""`gaia demo`."""

import os
import tempfile
from pathlib import Path

import click


@click.command("demo")
@click.option("--out", type=click.Path(path_type=Path), help="A new or empty folder; else a temporary one.")
@click.pass_context
def command(ctx: click.Context, out: Path | None) -> None:
    """Run the bundled tasks with the bundled scripted model: no key, no network.

    The tasks, the small web they are about and the model's scripts are fictional; the tools, the sandbox, the
    agent loop and the scorer are those of every other run.
    """
    from gaia_harness.cli.running import carry_out
    from gaia_harness.run.config import RunConfig

    folder = out or Path(tempfile.mkdtemp(prefix="gaia-demo-"))
    config = RunConfig(
        model="scripted/demo", judge_model="scripted/judge", dataset="demo", concurrency=2 * (os.cpu_count() or 1)
    )
    ctx.exit(carry_out(config, folder, dict(os.environ)))
