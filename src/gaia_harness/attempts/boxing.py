"""Opens the box of a run whose agent is a program."""

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import msgspec

from gaia_harness.box.agents import Agent, find_agent
from gaia_harness.box.boxing import BoxLimits
from gaia_harness.box.doors import PORT
from gaia_harness.errors import RunError
from gaia_harness.models.endpoint import find_endpoint
from gaia_harness.records.config import AgentConfig, RunConfig

if TYPE_CHECKING:
    from gaia_harness.box.attempt import BoxedAgent

AGENT = "agent"
"""Under this name a run's `isolation` says how its agent is contained."""
LONGEST = 3600.0
"""Seconds of an attempt where nothing else is said."""


async def open_box(
    config: RunConfig,
    env: Mapping[str, str],
    hidden: Sequence[Path],
    allow_hosts: Sequence[str],
    search_url: str | None,
) -> "BoxedAgent | None":
    """The agent that answers in place of our own loop; None where that is our own loop."""
    asked = config.agent
    if isinstance(asked, msgspec.UnsetType):
        return None
    from gaia_harness.box.attempt import BoxedAgent  # which need packages that our own loop does without
    from gaia_harness.box.model_gate import GatePolicy
    from gaia_harness.box.purse import Allowance
    from gaia_harness.box.trial import try_box

    provider, _, model = config.model.partition("/")
    trial = await try_box()
    if trial.bwrap is None:
        raise RunError(f"--agent needs a box: {trial.reason}", hint=trial.hint)
    agent = same_agent(asked, config.model, env)
    return BoxedAgent(
        agent,
        trial.bwrap,
        find_endpoint(provider, config.base_url, env),
        GatePolicy(provider=provider, model=model, also=asked.models, hosted_tools=asked.hosted_tools),
        env=env,
        hidden=hidden,
        allow_hosts=allow_hosts,
        ports=ports_of(search_url),
        proxied=trial.proxied,
        limits=BoxLimits(
            seconds=LONGEST if isinstance(config.task_timeout, msgspec.UnsetType) else config.task_timeout
        ),
        allowance=Allowance(calls=asked.max_calls, tokens=asked.max_tokens),
    )


def same_agent(asked: AgentConfig, model: str, env: Mapping[str, str]) -> Agent:
    """The agent of a run, as it is here. A run is finished with the very files that it was begun with."""
    agent = find_agent(asked.given, None if asked.folder is None else Path(asked.folder), model, env)
    packages = asked.packages or agent.packages  # which a run of an earlier version does not know
    for what, then, now in (
        ("command", shlex.join(asked.command), shlex.join(agent.argv)),
        ("folder's hash", asked.sha256, agent.sha256),
        ("version", asked.version, agent.version),
        ("packages", packages, agent.packages),
    ):
        if then != now:
            raise RunError(
                f"the agent {asked.given} is not the one that this run was started with: its {what} is {now} here, and "
                f"was {then}",
                hint="it must have the very same path, files and version; or start a new run",
            )
    return agent


def ports_of(search_url: str | None) -> tuple[int, ...]:
    """The port of a search engine that the user has named, which may be a server of their own: boxes reach it too."""
    try:
        port = None if search_url is None else urlsplit(search_url).port
    except ValueError:
        port = None
    return () if port in (None, 80, 443, PORT) else (port,)
