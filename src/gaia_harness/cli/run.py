"""`gaia run`."""

import math
import os
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from gaia_harness.cli.executors import RAY_OPTIONS, asked_ray, ray_options
from gaia_harness.errors import UsageError
from gaia_harness.records.ranges import AMOUNTS, WHOLE_NUMBERS

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
_CHANGEABLE = ("concurrency", "max_cost")  # beside --resume


def _whole(option: str) -> click.IntRange:
    return click.IntRange(*WHOLE_NUMBERS[option])


def _amount(option: str, *, above: bool = False, none: bool = False) -> Any:
    """The type of a finite number within its range; `above`: not its least, `none`: that word is good too."""
    least, most = AMOUNTS[option]
    start = f"{'above' if above else 'from'} {least:g}"
    asked = f"a number {start}" + ("" if math.isinf(most) else f" to {most:g}")

    def number(text: str) -> float | str:
        if none and text == "none":
            return text
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) or not least <= value <= most or (above and value == least):
            raise click.BadParameter(f"{text!r} is not {asked}.")
        return value

    return number


@click.command("run")
@click.option("--dataset", default="hub", show_default=True, help="hub, demo, or a folder in GAIA's layout.")
@click.option("--split", default="validation", show_default=True, help="validation, or test (no public answers).")
@click.option("--revision", help="Revision of the hub's data set; the default is pinned.")
@click.option("--level", type=click.Choice(["1", "2", "3", "all"]), default="all", show_default=True)
@click.option("--limit", metavar="N|A-B", help="Only the first N tasks, or those from A to B.")
@click.option("--task-id", multiple=True, help="Only this task. May be given several times.")
@click.option("--model", metavar="PROVIDER/NAME", help="openai/…, anthropic/…, scripted/…, or of another package.")
@click.option("--base-url", help="Another server that speaks the provider's protocol.")
@click.option("--judge-model", metavar="PROVIDER/NAME", help="A second opinion beside the score, never part of it.")
@click.option("--judge-base-url", help="As --base-url, for the judge.")
@click.option("--judge-all", is_flag=True, help="Ask the judge about every answer, not only those scored wrong.")
@click.option("--transcription-model", metavar="openai/NAME", help="Transcribes audio files, e.g. openai/whisper-1.")
@click.option("--transcription-base-url", help="As --base-url, for the transcription model.")
@click.option("--voting-attempts", type=_whole("voting_attempts"), default=1, show_default=True)
@click.option("--max-turns", type=_whole("limits.max_turns"), default=30, show_default=True, help="Per attempt.")
@click.option("--max-output-tokens", type=_whole("limits.max_output_tokens"), help="Per model call.")
@click.option("--call-timeout", type=_amount("call_timeout"), default=300.0, show_default=True, help="Seconds.")
@click.option(
    "--task-timeout", type=_amount("task_timeout"), default=3600.0, show_default=True, help="Seconds per task."
)
@click.option("--max-retries", type=_whole("max_retries"), default=5, show_default=True, help="Per model call.")
@click.option("--concurrency", type=_whole("concurrency"), default=4, show_default=True, help="Tasks at once.")
@click.option(
    "--seed",
    type=_whole("seed"),
    metavar="INTEGER",
    help="Sent to providers that take one, plus 1 for each further attempt.",
)
@click.option(
    "--temperature", type=_amount("temperature"), help="Sent to the model as it is; else the server's default."
)
@click.option("--reasoning-effort", type=click.Choice(EFFORTS), help="How much the model is to think.")
@click.option(
    "--system-prompt",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Standing instructions in place of ours. Disclosed.",
)
@click.option(
    "--price-in", type=_amount("price_in"), metavar="USD", help="Per million input tokens, where we know no price."
)
@click.option("--price-out", type=_amount("price_out"), metavar="USD", help="Per million output tokens.")
@click.option(
    "--max-cost",
    type=_amount("max_cost", above=True, none=True),
    metavar="USD|none",
    help="Pause when the models have cost so much. May be changed with --resume.",
)
@click.option(
    "--agent", metavar="NAME|DIR|COMMAND", help="Run this program in a box as the agent, in place of our own loop."
)
@click.option(
    "--agent-dir",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="The agent's folder, where --agent is a command. Read-only in the box; its hash is disclosed.",
)
@click.option("--also-model", multiple=True, metavar="NAME", help="A model that the agent may also ask for. Disclosed.")
@click.option("--allow-hosted-tools", is_flag=True, help="Let the agent use tools that the provider runs. Disclosed.")
@click.option("--max-calls", type=click.IntRange(1), help="Model calls of the agent, per attempt.")
@click.option("--max-tokens", type=click.IntRange(1), help="Tokens of the agent's model calls, per attempt.")
@click.option("--tool", multiple=True, metavar="NAME", help="Also offer this tool of another package. Disclosed.")
@click.option("--search-url", help="A SearXNG instance; else Brave or Tavily by key, else keyless.")
@click.option("--allow-host", multiple=True, help="Let web_fetch open this private host.")
@click.option("--unsandboxed-python", is_flag=True, help="Offer python without a sandbox. Recorded.")
@click.option(
    "--record-evidence",
    type=bool,
    is_flag=False,
    flag_value=True,
    default=True,
    show_default=True,
    metavar="[=true|false]",
    help="Keep the evidence; =false for local work, which can then not be submitted.",
)
@click.option("--evidence-full-bodies", is_flag=True, help="Keep every tool output in full, not only flagged ones.")
@click.option(
    "--submit-intent",
    is_flag=True,
    help="Declare and sign the run before it begins; exit 3 if it cannot be submitted.",
)
@ray_options
@click.option("--out", type=click.Path(path_type=Path), help="A new or empty folder for the results.")
@click.option("--resume", type=click.Path(path_type=Path), metavar="DIR", help="Finish the run in DIR.")
@click.option(
    "--accept-rollback",
    is_flag=True,
    help="With --resume: go on though the folder is older than what is on record. Signed, disclosed, not clean.",
)
@click.option("--abandon", type=click.Path(path_type=Path), metavar="DIR", help="Close the run in DIR as aborted.")
@click.option("--dry-run", is_flag=True, help="Say what would run and what it may cost; run nothing.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    resume: Path | None,
    accept_rollback: bool,
    abandon: Path | None,
    out: Path | None,
    dry_run: bool,
    **options: Any,
) -> None:
    """Run GAIA tasks with a model and score the answers.

    \b
    Exit codes: 0 done, 1 could not run, 2 usage, 3 done but not submittable (with --submit-intent),
    4 paused (an outage, a full disk or --max-cost), 130 interrupted.
    """
    import msgspec

    from gaia_harness.cli.running import abandon_run, resume_run, show_dry_run, start_run
    from gaia_harness.run.custom_prompt import read_system_prompt
    from gaia_harness.run.ray_cluster import need_ray

    env = dict(os.environ)
    ray = asked_ray(ctx)
    if abandon is not None:
        _refuse_others(ctx, "--abandon", abandon, {"abandon"})
        ctx.exit(abandon_run(abandon, env))
    if resume is not None:
        _refuse_others(ctx, "--resume", resume, {"resume", "accept_rollback", *_CHANGEABLE, *RAY_OPTIONS})
        changed = {name: options[name] for name in _CHANGEABLE if _source(ctx, name) != "DEFAULT"}
        if changed.get("max_cost") == "none":
            changed["max_cost"] = msgspec.UNSET
        ctx.exit(resume_run(resume, changed, env, accept_rollback=accept_rollback, ray=ray))
    if accept_rollback:
        raise UsageError("--accept-rollback goes with --resume", hint="gaia run --resume DIR --accept-rollback")
    system_prompt = None if options["system_prompt"] is None else read_system_prompt(options["system_prompt"])
    config = _config(options, system_prompt)
    if dry_run:
        if ray is not None:
            need_ray()
        ctx.exit(show_dry_run(config, env, system_prompt=system_prompt))
    ctx.exit(start_run(config, out or _default_out(options["model"]), env, system_prompt=system_prompt, ray=ray))


def _refuse_others(ctx: click.Context, option: str, folder: Path, allowed: set[str]) -> None:
    """A run that exists has its options already."""
    given = [name for name in ctx.params if name not in allowed and _source(ctx, name) == "COMMANDLINE"]
    if given:
        names = ", ".join("--" + name.replace("_", "-") for name in given)
        raise UsageError(
            f"{option} takes the options of the run in that folder; leave out {names}",
            hint=f"gaia run {option} {shlex.quote(str(folder))}",
        )


def _source(ctx: click.Context, name: str) -> str | None:
    source = ctx.get_parameter_source(name)
    return None if source is None else source.name


def _config(options: dict[str, Any], system_prompt: str | None) -> Any:
    import msgspec

    from gaia_harness.agent import Limits
    from gaia_harness.records.config import RunConfig, Selection
    from gaia_harness.run.custom_prompt import sha256_of
    from gaia_harness.tasks.loading import parse_limit
    from gaia_harness.urls import check_host

    if not options["model"] and options["agent"] is not None:
        from gaia_harness.box.agents import model_in_file

        options["model"] = model_in_file(options["agent"], options["agent_dir"])
    if not options["model"]:
        raise UsageError(
            "which model? --model is missing",
            hint="for example --model openai/gpt-4o, --model anthropic/NAME, or --model scripted/demo --dataset demo",
        )
    first, last = (None, None) if options["limit"] is None else parse_limit(options["limit"])
    check_addresses(options)
    if options["transcription_base_url"] is not None and options["transcription_model"] is None:
        raise UsageError(
            "--transcription-base-url says where, but not which model: --transcription-model is missing",
            hint="for example --transcription-model openai/whisper-1",
        )
    for host in options["allow_host"]:
        check_host(host)
    asked = {name: options[name] for name in RunConfig.__struct_fields__ if options.get(name) is not None}
    if asked.get("max_cost") == "none":
        del asked["max_cost"]
    if options["tool"]:
        asked["tools"] = tuple(dict.fromkeys(options["tool"]))
    agent = _agent_config(options)
    if agent is not None:
        asked["agent"] = agent
    else:
        asked.pop("agent", None)
    if system_prompt is not None:
        asked["system_prompt_sha256"] = sha256_of(system_prompt)
    level = None if options["level"] == "all" else int(options["level"])
    asked["selection"] = Selection(level=level, first=first, last=last, task_ids=options["task_id"])
    asked["limits"] = Limits(max_turns=options["max_turns"], max_output_tokens=options["max_output_tokens"])
    asked["allow_hosts"] = options["allow_host"]
    return msgspec.convert(asked, RunConfig)


_OF_AGENTS = ("agent_dir", "also_model", "allow_hosted_tools", "max_calls", "max_tokens")
_OF_OUR_LOOP = ("system_prompt", "tool", "temperature", "reasoning_effort", "max_output_tokens")


def _agent_config(options: dict[str, Any]) -> Any:
    """What is asked for in place of our own loop; None where nothing is."""
    if options["agent"] is None:
        given = [name for name in _OF_AGENTS if options[name]]
        if given:
            name = given[0].replace("_", "-")
            raise UsageError(f"--{name} goes with --agent", hint="gaia run --agent DIR …")
        return None
    needless = [name for name in _OF_OUR_LOOP if options[name]]
    if needless:
        names = ", ".join("--" + name.replace("_", "-") for name in needless)
        raise UsageError(f"with --agent, {names} does nothing: the agent asks the model itself", hint="leave it out")
    from gaia_harness.run.boxed_run import agent_config

    return agent_config(
        options["agent"],
        options["agent_dir"],
        options["model"],
        os.environ,
        models=options["also_model"],
        hosted_tools=options["allow_hosted_tools"],
        max_calls=options["max_calls"],
        max_tokens=options["max_tokens"],
    )


def check_addresses(options: dict[str, Any]) -> None:
    """Refuse addresses that a run's record could not show to anybody."""
    from gaia_harness.urls import KEYS, check_address

    where = dict.fromkeys(("base_url", "judge_base_url", "transcription_base_url"), KEYS)
    where["search_url"] = "a SearXNG instance needs neither key nor query"
    for option, keys in where.items():
        if options.get(option) is not None:
            check_address(options[option], "--" + option.replace("_", "-"), keys=keys)


def _default_out(model: str) -> Path:
    slug = "".join(c if c.isalnum() or c in "-." else "-" for c in model)
    return Path("runs") / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{slug}"
