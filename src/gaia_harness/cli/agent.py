"""`gaia agent`."""

import os
import tempfile
from pathlib import Path

import click


@click.group("agent")
def command() -> None:
    """Agents that are programs."""


@command.command("list")
def list_agents() -> None:
    """The agents that can be named, and how each is installed."""
    from gaia_harness.box.agents import presets

    for name, preset in presets().items():
        click.echo(f"{name:<14} {preset.about}")
        click.echo(f"{'':<14} {preset.install} (tried with {preset.tried.rpartition(' ')[2]})")
    click.echo(f"{'a folder':<14} with agent.toml, or any command: see docs/agents.md")


@command.command("check")
@click.argument("agent", metavar="NAME|DIR|COMMAND")
@click.option("--agent-dir", type=click.Path(path_type=Path), metavar="DIR", help="Its folder, where it is a command.")
@click.option("--model", metavar="PROVIDER/NAME", help="openai/…, anthropic/… or google/…; else agent.toml's.")
@click.option("--base-url", help="Another server that speaks the provider's protocol.")
@click.option("--also-model", multiple=True, metavar="NAME", help="A model that the agent may also ask for.")
@click.option("--allow-hosted-tools", is_flag=True, help="Let the agent use tools that the provider runs.")
@click.option("--dataset", default="demo", show_default=True, help="Whose questions are looked for in its folder.")
@click.option("--out", type=click.Path(path_type=Path), help="Keep the run in this new folder.")
@click.pass_context
def check(
    ctx: click.Context,
    agent: str,
    agent_dir: Path | None,
    model: str | None,
    base_url: str | None,
    also_model: tuple[str, ...],
    allow_hosted_tools: bool,
    dataset: str,
    out: Path | None,
) -> None:
    """Run one task of the demo, and explain every contact with the gateway.

    Exit 0: it answered. 1: it did not, or its folder holds questions of the benchmark. 2: wrong use.
    """
    from gaia_harness.box.agents import model_in_file
    from gaia_harness.cli.agent_contacts import show_contacts, show_copies
    from gaia_harness.cli.run import check_addresses
    from gaia_harness.cli.running import start_run
    from gaia_harness.records.config import RunConfig, Selection
    from gaia_harness.run.boxed_run import agent_config

    env = dict(os.environ)
    check_addresses({"base_url": base_url})
    model = model or model_in_file(agent, agent_dir)
    asked = agent_config(agent, agent_dir, model, env, models=also_model, hosted_tools=allow_hosted_tools)
    with tempfile.TemporaryDirectory(prefix="gaia-agent-") as folder:
        run = out or Path(folder) / "run"
        config = RunConfig(
            model=model, base_url=base_url, dataset="demo", selection=Selection(first=1, last=1), agent=asked
        )
        code = start_run(config, run, env, is_kept=out is not None)
        answered = show_contacts(run)
    copies = asked.folder is not None and show_copies(Path(asked.folder), dataset, env)
    ctx.exit(0 if code == 0 and answered and not copies else 1)
