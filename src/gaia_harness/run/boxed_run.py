"""Says in the record of a run which program its agent is."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from gaia_harness.attempts.boxing import AGENT
from gaia_harness.box.agents import Agent, find_agent
from gaia_harness.box.boxing import TASK
from gaia_harness.box.roles import ROLES
from gaia_harness.errors import RunError, UsageError
from gaia_harness.protocol import WEAKER_BOX
from gaia_harness.records.config import AgentConfig
from gaia_harness.records.origin import Origin
from gaia_harness.run.live_origin import live
from gaia_harness.version import __version__

log = logging.getLogger("gaia_harness")


def agent_config(
    given: str,
    folder: Path | None,
    model: str,
    env: Mapping[str, str],
    *,
    models: Sequence[str] = (),
    hosted_tools: bool = False,
    max_calls: int | None = None,
    max_tokens: int | None = None,
) -> AgentConfig:
    """What `--agent` and its companions ask for, as the run's record has it."""
    agent = find_agent(given, folder, model, env)
    return AgentConfig(
        given=given,
        command=agent.argv,
        folder=None if agent.folder is None else str(agent.folder),
        sha256=agent.sha256,
        version=agent.version,
        models=tuple(dict.fromkeys(models)),
        hosted_tools=hosted_tools,
        max_calls=max_calls,
        max_tokens=max_tokens,
        packages=agent.packages or msgspec.UNSET,
    )


def warn_of_box(agent: AgentConfig | msgspec.UnsetType, isolation: Mapping[str, object]) -> None:
    """Say what will be on no record."""
    if isolation.get(AGENT) == WEAKER_BOX:
        log.warning(
            "the box is a weaker one, with the gateway as a proxy: agents that do not use proxies reach nothing, and "
            "what they try is on no record; `gaia validate` says why"
        )
    if not isinstance(agent, msgspec.UnsetType) and agent.hosted_tools:
        log.warning("tools that the provider runs itself are allowed: what they fetch is on no record")


def refuse_other_box(folder: Path, then: Mapping[str, object], now: Mapping[str, object]) -> None:
    """A run is finished in a box of the kind that it was begun in."""
    if then.get(AGENT) != now.get(AGENT):
        raise RunError(
            f"{folder}: this run was started in a {then.get(AGENT)!r}; now it would be {now.get(AGENT)!r}",
            hint="resume it where it was started, or start a new run",
        )


def refuse_run_within(agent: AgentConfig | msgspec.UnsetType, out: Path) -> None:
    """A run's folder in that of its agent would change the agent, and show it answers."""
    folder = None if isinstance(agent, msgspec.UnsetType) else agent.folder
    if folder is not None and out.resolve().is_relative_to(Path(folder).resolve()):
        raise UsageError(
            f"{out}: lies in the agent's own folder, {folder}",
            hint="choose an --out outside of it, or give the agent a folder of its own",
        )


def origin_of(agent: Agent) -> Origin:
    """Who recorded a run of a boxed agent: we did, from outside."""
    return live(
        f"gaia-harness {__version__}, from outside of the box",
        tools={**ROLES, **agent.file.tools},
        workdir=TASK,
        options={
            "agent": agent.name,
            "sha256": agent.sha256,
            "version": agent.version,
            **({} if agent.packages is None else {"packages": agent.packages}),
            "command": list(agent.argv),
        },
    )
