"""The configuration of a run: everything that decides its outcome, as stored in run.json."""

import math
import os
from typing import Any

import msgspec

from gaia_harness.disclosure import flat
from gaia_harness.errors import UsageError
from gaia_harness.records.outcome import Count
from gaia_harness.records.ranges import AMOUNTS, WHOLE_NUMBERS


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How much one attempt may spend."""

    max_turns: int = 30
    max_output_tokens: int | None = None


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Which tasks of a split. Positions count from 1, both ends included, among the tasks of the level.

    The order is always that of the data set. Task ids stand alone, without a level or positions.
    """

    level: Count | None = None
    first: Count | None = None
    last: Count | None = None
    task_ids: tuple[str, ...] = ()

    def describe(self) -> str:
        """How the tasks were chosen, in words; nothing where all of the split were asked for."""
        parts = [] if self.level is None else [f"level {self.level}"]
        if self.last is not None:
            parts.append(f"the first {self.last}" if self.first in (None, 1) else f"{self.first} to {self.last}")
        elif self.first is not None:
            parts.append(f"from {self.first} on")
        parts += [f"{len(self.task_ids)} by their ids"] if self.task_ids else []
        return f"chosen: {', '.join(parts)}" if parts else ""


class AgentConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An agent that is a program: as it was given, its command, the hash of its folder, the version of its package.

    `packages` are Python packages outside of the folder, which that hash does not have: how many, and a hash of their
    names and versions.
    `models` are names that it may ask for beside the run's own; `hosted_tools`: it may use what the provider runs
    itself, and nobody sees. Of one attempt, `max_calls` and `max_tokens` are the most that it may ask for.
    """

    given: str
    command: tuple[str, ...]
    folder: str | None = None
    sha256: str | None = None
    version: str | None = None
    models: tuple[str, ...] = ()
    hosted_tools: bool = False
    max_calls: Count | None = None
    max_tokens: Count | None = None
    packages: str | msgspec.UnsetType = msgspec.UNSET  # where there are any


class RunConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The options of `gaia run` that belong to the run itself. Keys and tokens are never among them.

    How an option is added: `config_sha256` in records/intent.py.
    """

    model: str
    dataset: str = "hub"
    split: str = "validation"
    revision: str | None = None
    selection: Selection = Selection()
    base_url: str | None = None
    voting_attempts: int = 1
    limits: Limits = Limits()
    concurrency: int = 4
    seed: int | None = None
    call_timeout: float = 300.0
    max_retries: int = 5
    search_url: str | None = None
    allow_hosts: tuple[str, ...] = ()
    unsandboxed_python: bool = False
    record_evidence: bool = True
    evidence_full_bodies: bool = False
    submit_intent: bool = False
    judge_model: str | None = None
    judge_base_url: str | None = None
    judge_all: bool = False
    task_timeout: float | msgspec.UnsetType = msgspec.UNSET
    # Left out where they are not given: what older versions wrote keeps its bytes, and so its hash.
    transcription_model: str | msgspec.UnsetType = msgspec.UNSET
    transcription_base_url: str | msgspec.UnsetType = msgspec.UNSET
    temperature: float | msgspec.UnsetType = msgspec.UNSET
    reasoning_effort: str | msgspec.UnsetType = msgspec.UNSET
    system_prompt_sha256: str | msgspec.UnsetType = msgspec.UNSET  # of a text that is not ours
    price_in: float | msgspec.UnsetType = msgspec.UNSET
    price_out: float | msgspec.UnsetType = msgspec.UNSET
    max_cost: float | msgspec.UnsetType = msgspec.UNSET
    tools: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET  # of other packages, by the names of their entry points
    agent: AgentConfig | msgspec.UnsetType = msgspec.UNSET  # a program in place of our own loop


def checked_config(config: RunConfig) -> RunConfig:
    """The same configuration, if each option is of its type and within its range, as `gaia run` sees to by itself."""
    try:
        built: Any = msgspec.to_builtins(config, enc_hook=os.fspath)  # a data set may be given as a Path
        checked = msgspec.convert(built, RunConfig)
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"RunConfig: {error}", hint="give each option a value of its type") from error
    for name, value in flat(built):
        least, most = WHOLE_NUMBERS.get(name) or AMOUNTS.get(name) or (-math.inf, math.inf)
        if isinstance(value, int | float) and not (least <= value <= most and math.isfinite(value)):
            up_to = "" if math.isinf(most) else f" to {most}"
            raise UsageError(f"RunConfig: {name} is {value}", hint=f"give a finite number from {least}{up_to}")
    return checked
