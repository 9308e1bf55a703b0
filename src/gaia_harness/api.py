"""Run, audit, submit and verify from a Python program: what the commands of the same names do.

The names in `gaia_harness.__all__` are the public ones; everything else may change from one version to the next.
"""

import asyncio
import math
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.audit.evidence import RunEvidence as RunEvidence
from gaia_harness.audit.evidence import TaskEvidence as TaskEvidence
from gaia_harness.audit.findings import Check as Check
from gaia_harness.audit.findings import Finding as Finding
from gaia_harness.audit.report import Report as Report
from gaia_harness.audit.waivers import Waiver as Waiver
from gaia_harness.errors import GaiaError as GaiaError
from gaia_harness.errors import ModelError as ModelError
from gaia_harness.errors import ToolError as ToolError
from gaia_harness.errors import UsageError
from gaia_harness.evidence.recording import Recording as Recording
from gaia_harness.evidence.redaction import secrets_in
from gaia_harness.models.base import Model as Model
from gaia_harness.models.messages import Assistant as Assistant
from gaia_harness.models.messages import Image as Image
from gaia_harness.models.messages import Reply as Reply
from gaia_harness.models.messages import Request as Request
from gaia_harness.models.messages import System as System
from gaia_harness.models.messages import ToolCall as ToolCall
from gaia_harness.models.messages import ToolResult as ToolResult
from gaia_harness.models.messages import ToolSpec as ToolSpec
from gaia_harness.models.messages import Usage as Usage
from gaia_harness.models.messages import User as User
from gaia_harness.models.third_party import GuardedModel
from gaia_harness.offline import PathLike, environment
from gaia_harness.offline import audit_run as audit_run
from gaia_harness.offline import create_key as create_key
from gaia_harness.offline import export_run as export_run
from gaia_harness.offline import submit_run as submit_run
from gaia_harness.offline import verify_package as verify_package
from gaia_harness.offline import view_run as view_run
from gaia_harness.records.config import Limits as Limits
from gaia_harness.records.config import RunConfig as RunConfig
from gaia_harness.records.config import Selection as Selection
from gaia_harness.records.config import checked_config
from gaia_harness.records.origin import Origin as Origin
from gaia_harness.records.results import TaskResult
from gaia_harness.records.steps import Source as Source
from gaia_harness.records.summary import Summary as Summary
from gaia_harness.run import custom_prompt
from gaia_harness.run.attempt_writer import AttemptWriter as AttemptWriter
from gaia_harness.run.attempt_writer import SourceText as SourceText
from gaia_harness.run.folder import RunFolder
from gaia_harness.run.live_origin import live as live
from gaia_harness.run.runner import Stop
from gaia_harness.run.runner import Watcher as Watcher
from gaia_harness.run.session import Session
from gaia_harness.run.summary import Tally
from gaia_harness.run.writer import RunWriter as RunWriter
from gaia_harness.signing.keys import Ask
from gaia_harness.submission.package import BuiltPackage as BuiltPackage
from gaia_harness.submission.package import SubmissionRefused as SubmissionRefused
from gaia_harness.submission.verdict import NotExamined as NotExamined
from gaia_harness.submission.verdict import Verdict as Verdict
from gaia_harness.tasks.loading import load_tasks as load_tasks
from gaia_harness.tasks.task import Task as Task
from gaia_harness.tools.base import Attachment as Attachment
from gaia_harness.tools.base import Tool as Tool
from gaia_harness.tools.base import ToolOutput as ToolOutput


def run_tasks(
    out: PathLike,
    config: RunConfig,
    *,
    model: Model | None = None,
    system_prompt: str | None = None,
    watcher: Watcher | None = None,
    ask: Ask | None = None,
    env: Mapping[str, str] | None = None,
) -> Summary:
    """Run tasks in a new folder. `model` is one of your own, of the name that `config` has; else that one is opened.

    A run that an outage, a full disk or its limit of cost has paused has fewer tasks `finished` than its `total`:
    `resume_run` goes on with it. Raises `GaiaError` where it cannot be begun.
    """
    return _wait_for(
        run_tasks_async(out, config, model=model, system_prompt=system_prompt, watcher=watcher, ask=ask, env=env)
    )


async def run_tasks_async(
    out: PathLike,
    config: RunConfig,
    *,
    model: Model | None = None,
    system_prompt: str | None = None,
    watcher: Watcher | None = None,
    ask: Ask | None = None,
    env: Mapping[str, str] | None = None,
) -> Summary:
    """As `run_tasks`, for a program that has an event loop of its own."""
    if system_prompt is not None:
        config = msgspec.structs.replace(config, system_prompt_sha256=custom_prompt.sha256_of(system_prompt))
    config = checked_config(config)
    session = Session(config, environment(env), model=_guarded(model, config), ask=ask, system_prompt=system_prompt)
    return await session.start(Path(out), watcher or _Nobody(), Stop())


def resume_run(
    folder: PathLike,
    *,
    model: Model | None = None,
    concurrency: int | None = None,
    max_cost: float | None = None,
    accept_rollback: bool = False,
    watcher: Watcher | None = None,
    ask: Ask | None = None,
    env: Mapping[str, str] | None = None,
) -> Summary:
    """Finish a run that was paused or interrupted.

    `concurrency` and `max_cost` replace those of the run; `math.inf` is no limit of cost. With `accept_rollback`, also
    if the folder is older than what is on record: that is signed, disclosed, and not clean.
    """
    return _wait_for(
        resume_run_async(
            folder,
            model=model,
            concurrency=concurrency,
            max_cost=max_cost,
            accept_rollback=accept_rollback,
            watcher=watcher,
            ask=ask,
            env=env,
        )
    )


async def resume_run_async(
    folder: PathLike,
    *,
    model: Model | None = None,
    concurrency: int | None = None,
    max_cost: float | None = None,
    accept_rollback: bool = False,
    watcher: Watcher | None = None,
    ask: Ask | None = None,
    env: Mapping[str, str] | None = None,
) -> Summary:
    """As `resume_run`, for a program that has an event loop of its own."""
    given = environment(env)
    with RunFolder.reopen(Path(folder), secrets_in(given)) as opened:
        record = opened.read_unfinished_of_ours()
        config = record.config
        if concurrency is not None:
            config = msgspec.structs.replace(config, concurrency=concurrency)
        if max_cost is not None:
            config = msgspec.structs.replace(config, max_cost=msgspec.UNSET if max_cost == math.inf else max_cost)
        config = checked_config(config)
        session = Session(config, given, model=_guarded(model, config), ask=ask)
        return await session.resume(opened, record, watcher or _Nobody(), Stop(), accept_rollback=accept_rollback)


def _guarded(model: Model | None, config: RunConfig) -> Model | None:
    """The program's own model, held to what a `Model` promises; in the record it has the name that it has itself."""
    if model is None:
        return None
    try:
        name = str(model.name)
        guarded = GuardedModel(model, name=name)
    except AttributeError as error:
        raise UsageError(
            f"the model is not a Model: {error}", hint="docs/api.md says what a model must have"
        ) from error
    if name != config.model:
        raise UsageError(
            f"the configuration names the model {config.model}, and the one that was given calls itself {name}",
            hint="give RunConfig(model=...) the name of your model",
        )
    return guarded


class _Nobody:
    """Watches nothing."""

    def finished(self, result: TaskResult, tally: Tally) -> None:
        pass

    def waiting(self, running: int, longest: float) -> None:
        pass


def _wait_for(work: Coroutine[Any, Any, Summary]) -> Summary:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    work.close()
    raise UsageError(
        "this program runs an event loop already", hint="await run_tasks_async(...) or resume_run_async(...)"
    )
