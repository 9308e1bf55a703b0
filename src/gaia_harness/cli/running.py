"""Runs tasks at the terminal: signals, progress, and the summary at the end."""

import asyncio
import shlex
import signal
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from gaia_harness.attempts.boxing import ports_of
from gaia_harness.attempts.opening import open_run_model, open_run_transcription, run_pricing
from gaia_harness.cli.executors import say_where, with_ray
from gaia_harness.cli.keys import ask_passphrase
from gaia_harness.cli.plain import plain
from gaia_harness.cli.progress import money, watching
from gaia_harness.disclosure import DisclosedEndpoint, transcription_base_url
from gaia_harness.errors import ModelError
from gaia_harness.evidence.redaction import secrets_in
from gaia_harness.figures import counted
from gaia_harness.models.registry import endpoint_for
from gaia_harness.records.config import RunConfig
from gaia_harness.records.interruptions import NEVER
from gaia_harness.records.summary import Summary
from gaia_harness.records.tool_use import ToolUses
from gaia_harness.run import custom_prompt
from gaia_harness.run.abandoning import abandon
from gaia_harness.run.disk_reserve import is_full
from gaia_harness.run.estimate import estimate
from gaia_harness.run.folder import RunFolder, resume_command
from gaia_harness.run.opening import (
    check_options,
    load,
    open_judge_model,
    refuse_needless_prices,
    warn_of_unmasked,
    warn_of_unread_audio,
)
from gaia_harness.run.runner import Stop, Watcher
from gaia_harness.run.session import Session

if TYPE_CHECKING:
    from gaia_harness.run.ray_executor import RayOptions

Work = Callable[[Watcher, Stop], Awaitable[Summary]]

DONE, COULD_NOT_RUN, NOT_SUBMITTABLE, PAUSED, INTERRUPTED = 0, 1, 3, 4, 130

GRACE = 5.0
"""Seconds that running tasks have after SIGTERM: whoever sends it may send SIGKILL ten seconds later."""


def start_run(
    config: RunConfig,
    out: Path,
    env: Mapping[str, str],
    *,
    system_prompt: str | None = None,
    ray: "RayOptions | None" = None,
    is_kept: bool = True,
) -> int:
    """A new run; returns the exit code. Of one that is not kept, no file is named, and no way to resume it."""
    session = Session(config, env, ask=ask_passphrase, system_prompt=system_prompt, ray=ray)
    return _run(session, out, lambda watcher, stop: session.start(out, watcher, stop), is_kept=is_kept)


def resume_run(
    path: Path,
    changed: Mapping[str, object],
    env: Mapping[str, str],
    *,
    accept_rollback: bool = False,
    ray: "RayOptions | None" = None,
) -> int:
    """The rest of an earlier run, with these options changed; returns the exit code."""
    folder = RunFolder.reopen(path, secrets_in(env))
    try:
        record = folder.read_unfinished_of_ours()
        if is_full(path):
            click.echo("paused: the disk of the run's folder is full", err=True)
            click.echo("next:  make room on it", err=True)
            _say_how_to_resume(path, ray)
            return PAUSED
        config = msgspec.structs.replace(record.config, **changed)
        session = Session(config, env, ask=ask_passphrase, ray=ray)
        return _run(
            session,
            path,
            lambda watcher, stop: session.resume(folder, record, watcher, stop, accept_rollback=accept_rollback),
        )
    finally:
        folder.close()


def abandon_run(path: Path, env: Mapping[str, str]) -> int:
    """Close an earlier run as aborted; returns the exit code."""
    with RunFolder.reopen(path, secrets_in(env)) as folder:
        abandon(folder, env, ask=ask_passphrase)
    click.echo(f"{path}: closed as aborted; that it was begun stays on record")
    return 0


def show_dry_run(config: RunConfig, env: Mapping[str, str], *, system_prompt: str | None = None) -> int:
    """Say what would run."""
    check_options(config, env)
    refuse_needless_prices(config, env)
    missing: ModelError | None = None
    for opened in (open_run_model, open_judge_model, open_run_transcription):
        try:
            opened(config, env)
        except ModelError as error:  # what would run and what it costs can be said without a key
            missing = missing or error
    loaded = load(config, env)
    levels = Counter(task.level for task in loaded.tasks)
    attached = sum(task.attachment is not None for task in loaded.tasks)
    click.echo(f"dataset   {loaded.dataset}, split {loaded.split}, revision {loaded.revision or 'none'}")
    click.echo(f"digest    {loaded.digest}")
    by_level = ", ".join(f"level {level}: {count}" for level, count in sorted(levels.items()))
    click.echo(f"tasks     {len(loaded.tasks)} ({by_level}; {attached} with a file)")
    asked = _asked(config.model, endpoint_for(config.model, config.base_url, env))
    click.echo(f"model     {asked}, {counted(config.voting_attempts, 'attempt')} a task")
    for title, text in _of_agent(config):
        click.echo(f"{title:<9} {plain(text)}")
    if config.judge_model is not None:
        judge = endpoint_for(config.judge_model, config.judge_base_url, env)
        click.echo(f"judge     {_asked(config.judge_model, judge)}")
    if config.transcription_model is not msgspec.UNSET:
        base_url = transcription_base_url(msgspec.structs.asdict(config))
        listener = endpoint_for(config.transcription_model, base_url, env)
        click.echo(f"audio     {_asked(config.transcription_model, listener)}")
    if system_prompt is not None:
        custom_prompt.warn(system_prompt)
        click.echo(f"prompt    custom, sha256 {config.system_prompt_sha256}")
    guess = estimate(len(loaded.tasks) * config.voting_attempts, config.limits.max_turns)
    cost = run_pricing(config, env)(guess.usage)
    figure = (
        "unknown: we know no price of this model (--price-in, --price-out)" if cost is None else f"about {money(cost)}"
    )
    by = "" if config.price_in is msgspec.UNSET else ", by the prices that you state"
    click.echo(f"cost      {figure}{by}")
    click.echo(f"          assuming {guess.assumption}")
    if config.max_cost is not msgspec.UNSET:
        click.echo(f"          paused at --max-cost {money(config.max_cost)}; calls under way then come on top")
    if missing is not None:
        click.echo(f"missing   {missing.message}")
        click.echo(f"next:     {missing.hint}")
    warn_of_unmasked(env)
    warn_of_unread_audio(config, loaded)
    click.echo("nothing was run")
    return 0


def _of_agent(config: RunConfig) -> Iterator[tuple[str, str]]:
    """The program that would be the agent: its command, its files, and what it may ask and reach."""
    agent = config.agent
    if agent is msgspec.UNSET:
        return
    yield "agent", shlex.join(agent.command) + ("" if agent.version is None else f" ({agent.version})")
    if agent.folder is not None:
        yield "", f"folder {agent.folder}, sha256 {agent.sha256}"
    if agent.packages is not msgspec.UNSET:
        yield "", f"outside of it {agent.packages}"
    models = ", ".join((config.model.partition("/")[2], *agent.models))
    hosted = "with" if agent.hosted_tools else "without"
    yield "", f"may ask for {models}, {hosted} tools that the provider runs itself"
    named = f", and {', '.join(config.allow_hosts)} by --allow-host" if config.allow_hosts else ""
    *ports, last = map(str, (80, 443, *ports_of(config.search_url)))
    yield "", f"may reach any public host at ports {', '.join(ports)} and {last}{named}; all of it is recorded"
    budgets = ((agent.max_calls, "model calls"), (agent.max_tokens, "tokens"))
    most = [f"{number:,} {what}" for number, what in budgets if number is not None]
    if most:
        yield "", f"at most {' and '.join(most)} an attempt"


def _asked(model: str, endpoint: DisclosedEndpoint) -> str:
    """The model and the host that is asked; a bundled model is asked nowhere."""
    if not endpoint.address:
        return model
    return f"{model} at {plain(endpoint.host)}" + ("" if endpoint.own else " (not the provider's own address)")


def _run(session: Session, out: Path, work: Work, *, is_kept: bool = True) -> int:
    total = len(session.loaded.tasks)
    asked = _asked(session.model.name, session.endpoint)
    click.echo(
        f"{counted(total, 'task')} · {asked} · split {session.loaded.split}{f' · {out}' if is_kept else ''}", err=True
    )
    if session.judge_model is not None and session.judge_endpoint is not None:
        click.echo(f"judge: {_asked(session.judge_model.name, session.judge_endpoint)}", err=True)
    if session.transcription is not None and session.transcription_endpoint is not None:
        click.echo(f"audio: {_asked(session.transcription.model, session.transcription_endpoint)}", err=True)
    say_where(session.ray)
    stop = Stop()
    try:
        with watching(total, session.at_work) as watcher:
            summary = asyncio.run(_until_interrupted(work, watcher, stop))
    except asyncio.CancelledError:
        click.echo("stopped at once: tasks that were running are not saved", err=True)
        if is_kept:
            _say_how_to_resume(out, session.ray)
        return INTERRUPTED
    _show(summary, out if is_kept else None)
    if session.standing is not None:
        click.echo(f"  declared   {session.standing}; submittable: {'yes' if summary.submittable else 'no'}")
    if summary.finished < summary.total:
        return _not_finished(session, summary, out if is_kept else None, stop)
    if session.advice is not None:
        click.echo(f"next:  {session.advice}", err=True)
    if session.config.submit_intent and not summary.submittable:
        click.echo("error: this run cannot be submitted (submittable: false)", err=True)
        for reason in summary.non_submittable_reasons:
            click.echo(f"       {reason}", err=True)
        click.echo("next:  put that right and run again in a new folder", err=True)
        return NOT_SUBMITTABLE
    return DONE


def _not_finished(session: Session, summary: Summary, out: Path | None, stop: Stop) -> int:
    """Why the run is not finished, how to go on, and the exit code for that."""
    left = summary.total - summary.finished
    pausing = session.pausing
    if pausing.no_access:
        click.echo(f"error: the run cannot go on: {plain(pausing.reason or '')}", err=True)
    elif pausing.reason is not None or pausing.unfinished:
        reason = pausing.reason or next(iter(pausing.unfinished.values()))
        of = f"{left} of {counted(summary.total, 'task is', 'tasks are')}"
        click.echo(f"paused: {of} not finished: {plain(reason)}", err=True)
    if session.advice is not None:
        click.echo(f"next:  {session.advice}", err=True)
    if out is not None:
        if pausing.no_access:
            click.echo("       (a run keeps its model and address: begin a new one if these are wrong)", err=True)
        _say_how_to_resume(out, session.ray)
    if pausing.no_access:
        return COULD_NOT_RUN
    return INTERRUPTED if stop.requested and pausing.reason is None else PAUSED


async def _until_interrupted(work: Work, watcher: Watcher, stop: Stop) -> Summary:
    loop = asyncio.get_running_loop()
    me = asyncio.current_task()

    def end() -> None:
        if me is not None:
            me.cancel()

    def interrupt() -> None:
        if not stop.requested:
            stop.requested = True
            click.echo("\nfinishing the tasks that are running; Ctrl-C again stops at once", err=True)
        else:
            end()

    def terminate() -> None:
        if not stop.requested:
            click.echo(f"\nasked to end: tasks that are not finished within {GRACE:.0f} s are not saved", err=True)
        stop.requested = True
        loop.call_later(GRACE, end)

    handlers = {signal.SIGINT: interrupt, signal.SIGTERM: terminate}
    for number, handler in handlers.items():
        loop.add_signal_handler(number, handler)
    try:
        return await work(watcher, stop)
    finally:
        for number in handlers:
            loop.remove_signal_handler(number)


def _say_how_to_resume(out: Path, ray: "RayOptions | None") -> None:
    click.echo(f"next:  {with_ray(resume_command(out), ray)}", err=True)


def _show(summary: Summary, out: Path | None) -> None:
    """The result, as a person wants to read it."""
    click.echo("")
    if summary.passed is None or summary.pass_rate is None or summary.pass_rate_interval_95 is None:
        click.echo(f"  score      none: the {summary.gaia_split} split has no public answers")
    elif summary.finished < summary.total:
        click.echo(f"  score      none yet: {summary.passed} right of {summary.finished} that are finished")
    else:
        low, high = summary.pass_rate_interval_95
        click.echo(
            f"  score      {summary.passed} of {summary.total} = {summary.pass_rate:.1%}"
            f"   (95 % interval {low:.1%} to {high:.1%})"
        )
        for level, rate in summary.levels.items():
            if rate is not None:
                click.echo(f"  level {level}    {rate.passed} of {rate.total} = {rate.pass_rate:.1%}")
        if summary.view == "majority":
            click.echo(
                f"  voting     majority of {summary.voting_attempts}; first attempts alone: "
                f"{summary.passed_first_attempt} of {summary.total}"
            )
    if summary.judge is not None:
        judge = summary.judge
        click.echo(
            f"  judge      {judge.asked} asked, {judge.said_correct} said to be correct, {judge.no_verdict} without "
            f"a verdict; {judge.cache_hits} from the cache ({judge.model}, a second opinion)"
        )
    if summary.judge_cache_integrity_events:
        one, more = "entry was not as it was", "entries were not as they were"
        click.echo(f"  cache      {counted(summary.judge_cache_integrity_events, one, more)} signed")
    click.echo(f"  finished   {summary.finished} of {summary.total}, {summary.errors} with an error")
    if summary.tools is not msgspec.UNSET and (summary.finished or summary.tools):
        click.echo(f"  tools      {_tools(summary.tools)}")
    if summary.interruptions is not msgspec.UNSET and summary.interruptions.said != NEVER:
        click.echo(f"  restarts   {summary.interruptions.said}")
    tokens = (
        "not reported"
        if summary.input_tokens is None or summary.output_tokens is None
        else f"{summary.input_tokens:,} in, {summary.output_tokens:,} out"
    )
    cost = "cost unknown" if summary.est_cost_usd is None else money(summary.est_cost_usd)
    click.echo(f"  tokens     {tokens}, {cost}")
    if summary.transcription:
        heard = summary.transcription
        length = "" if heard.seconds is None else f" of {heard.seconds:,.0f} s"
        cost = "cost unknown" if heard.cost_usd is None else f"{money(heard.cost_usd)} more"
        click.echo(f"  audio      {counted(heard.files, 'file')}{length} transcribed, {cost}")
    if out is not None:
        click.echo(f"  results    {out / 'results.jsonl'}")
        click.echo(f"  summary    {out / 'summary.json'}")
        click.echo(f"  look       {plain(shlex.join(['gaia', 'view', str(out)]))}")
    for warning in summary.warnings or ():
        click.echo(f"WARNING: {plain(warning)}", err=True)


def _tools(uses: ToolUses) -> str:
    """How the tools did, the most used first."""
    said = []
    for name, use in sorted(uses.items(), key=lambda item: -item[1].calls):
        failed = f"{use.errors} failed, " if use.errors else ""
        failed += f"{use.found_nothing} found nothing, " if use.found_nothing else ""
        said.append(f"{name} {counted(use.calls, 'call')}, {failed}{use.wall_ms / 1000:.1f} s")
    return "; ".join(said) or "none called"
