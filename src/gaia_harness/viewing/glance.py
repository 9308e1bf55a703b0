"""The run at a glance, in words: the same for the page and the terminal."""

from collections.abc import Iterable

from gaia_harness.figures import Rate, counted, rate
from gaia_harness.timestamps import parse_timestamp
from gaia_harness.viewing.story import RunTold

MOST_LEVELS = 10

STATES = {
    "closed": "finished",
    "aborted": "given up before its end",
    "running": "goes on",
    "interrupted": "interrupted before its end",
    "imported": "imported, witnessed by nobody",
}


def submission(run: RunTold) -> str:
    """Whether the run can be submitted; of a package, whether it says anything against itself."""
    if run.kind == "package":
        return "nothing against it is disclosed" if run.submittable else "what is disclosed against it"
    if run.submittable is None:
        return "not known yet" if run.state == "running" else "not known"
    return "can be submitted" if run.submittable else "cannot be submitted"


def audit(run: RunTold) -> str:
    """What the audit says; or why there is none."""
    if run.not_audited:
        return run.not_audited
    skipped = sum(check.status == "skip" for check in run.checks)
    far = f" as far as it was looked at: {skipped} of {len(run.checks)} checks skipped" if skipped else ""
    return f"{'clean' if run.clean else 'not clean'}{far}"


def going_on(run: RunTold) -> str:
    """Of a run that goes on: what of it is shown, and of when; nothing of others."""
    if run.state != "running":
        return ""
    time = parse_timestamp(run.told_at)
    when = "" if time is None else f"As of {time:%H:%M:%S} UTC. "
    return f"{when}The steps of a task are recorded when an attempt at it has ended, and shown from then on."


def rates(run: RunTold) -> list[tuple[str, Rate]]:
    """The score as made and audited, and by level; of a run that is not at its end, how it goes so far."""
    if run.raw is None:
        return []
    found = [("so far", rate(run.raw.passed, run.finished))] if is_open(run) else [("as made", run.raw)]
    if run.audited is not None and not is_open(run):
        found.append(("audited", run.audited))
    return [*found, *((f"level {level}", each) for level, each in list(run.levels.items())[:MOST_LEVELS])]


def is_open(run: RunTold) -> bool:
    """Whether tasks are still to be done, so that there is no score yet."""
    return run.finished < run.total and run.state in ("running", "interrupted")


def facts(run: RunTold) -> Iterable[tuple[str, str]]:
    """What a person asks of a run, each with its name."""
    yield "Tasks", f"{run.finished:,} of {run.total:,} finished, {counted(run.errors, 'error')}"
    yield "Cost", "not known" if run.cost is None else f"${run.cost:,.2f}"
    yield (
        "Tokens",
        "not known"
        if run.tokens_in is None or run.tokens_out is None
        else f"{run.tokens_in:,} in, {run.tokens_out:,} out",
    )
    yield "Time", _wall(run)
    yield "Turns", f"{run.turns:,}" + (f", {run.turns / run.finished:.1f} a task" if run.finished else "")
    if run.voting_attempts > 1:
        yield "Voting", f"majority of {run.voting_attempts} attempts"
    if run.judge_model:
        yield "Judge", f"{run.judge_model}, a second opinion"
    if run.asked_at:
        yield "Model", f"{run.model}, {run.asked_at}"
    yield "Imported" if run.state == "imported" else "Began", moment(run.started_at)
    if run.revision:
        yield "Revision", run.revision[:12]
    yield "Data set's digest", f"{run.digest[:16]}…"
    yield "Recorded by", f"gaia-harness {run.harness}" if run.harness else "not known"


def _wall(run: RunTold) -> str:
    if run.untimed:
        return "not known"
    began, ended = parse_timestamp(run.started_at), parse_timestamp(run.finished_at)
    of_tasks = f"{duration(run.wall_ms)} of work on tasks"
    if began is not None and ended is not None and ended >= began and run.state != "imported":
        return f"{duration((ended - began).total_seconds() * 1000)}; {of_tasks}"
    return of_tasks


def moment(timestamp: str) -> str:
    """A time of a record, as people write it."""
    time = parse_timestamp(timestamp)
    return time.strftime("%Y-%m-%d %H:%M UTC") if time is not None else timestamp or "not known"


def duration(ms: float) -> str:
    """Milliseconds in the unit that people would use."""
    if ms < 1000:
        return f"{ms:.0f} ms"
    if ms < 60_000:
        return f"{ms / 1000:.3g} s"
    if ms < 3_600_000:
        return f"{ms / 60_000:.3g} min"
    return f"{ms / 3_600_000:.3g} h"
