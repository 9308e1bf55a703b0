"""Prints an audit report as tables: checks, findings by task, coverage, raw and audited score."""

from pathlib import Path

import click

from gaia_harness.audit.findings import Finding
from gaia_harness.audit.report import EVIDENCE, Report
from gaia_harness.cli.plain import plain
from gaia_harness.figures import Rate, counted

_COLOURS = {"critical": "red", "high": "red", "medium": "yellow", "low": None, "info": None}
MOST_NAMED = 10
_STATUS = {"pass": "green", "fail": "red", "warn": "yellow", "skip": "yellow", "error": "red"}


def show(report: Report, folder: Path) -> None:
    """Print a report."""
    click.echo(f"audit of {plain(str(folder))}\n")
    for check in report.checks:
        counts = _counts([finding.severity for finding in check.findings])
        gap = f"  ({plain(check.harness_gap)})" if check.harness_gap else ""
        status = click.style(f"{check.status:<5}", fg=_STATUS[check.status])
        click.echo(f"  {check.id:<7}{check.name:<26}{status} {counts}{gap}".rstrip())
    for other in report.third_party or ():
        said = f"{other.name} of {other.package} {other.version}, not one of ours"
        status = click.style(f"{other.status:<5}", fg=_STATUS[other.status])
        counts = _counts([finding.severity for finding in other.findings])
        why = other.error or other.harness_gap
        click.echo(f"  {plain(said)}: {status} {counts}{f'  ({plain(why)})' if why else ''}".rstrip())
    _findings(report)
    _coverage(report)
    for waiver in report.waivers:
        place = waiver.task_id or "the run"
        said = f"{waiver.rule} on {place}: {waiver.reason} ({waiver.who})"
        click.echo(f"  waiver     {waiver.outcome}: {plain(said)}")
    totals = report.totals
    if totals.raw is None or totals.audited is None:
        click.echo("  score      none: there are no answers to score by")
    else:
        click.echo(f"  score      {_rate(totals.raw)} as made; {_rate(totals.audited)} audited")
    attestation = report.attestation
    verdict = "clean" if attestation.clean else f"NOT CLEAN: {', '.join(attestation.critical_failures)}"
    if attestation.clean and not attestation.strict_clean:
        named = {*attestation.warn_failures, *attestation.skipped}  # a check can be both
        causes = [check.id for check in report.checks if check.id in named]
        if _evidence_gaps(report):
            causes.append("gaps in the evidence")
        verdict += f", not strictly: {', '.join(causes)}"
    click.echo(f"  verdict    {click.style(verdict, fg='green' if attestation.clean else 'red')}")


def _findings(report: Report) -> None:
    by_task: dict[str, list[tuple[str, Finding]]] = {}
    named = [(check.id, check.findings) for check in report.checks]
    named += [(check.name, check.findings) for check in report.third_party or ()]
    for name, found in named:
        for finding in found:
            if finding.severity != "info":
                by_task.setdefault(finding.task_id or "", []).append((name, finding))
    for task_id, findings in sorted(by_task.items()):
        click.echo(f"\n  {f'task {plain(task_id)}' if task_id else 'the run as a whole'}")
        for check_id, finding in findings:
            severity = click.style(f"{finding.severity:<9}", fg=_COLOURS[finding.severity])
            click.echo(f"    {severity}{check_id} {plain(f'{finding.rule}: {finding.summary}{_place(finding)}')}")
            if finding.excerpt:
                click.echo(f"             {plain(finding.excerpt)}")
            if finding.waived is not None:
                click.echo(f"             {plain(f'waived by {finding.waived.who}: {finding.waived.reason}')}")
    click.echo("")


def _place(finding: Finding) -> str:
    parts = []
    if finding.attempt is not None:
        parts.append(f"attempt {finding.attempt}")
    if finding.seq is not None:
        parts.append(f"step {finding.seq}")
    if finding.field is not None:
        parts.append(finding.field + ("" if finding.offset is None else f" byte {finding.offset}"))
    if finding.source is not None:
        parts.append(f"source {finding.source}")
    if finding.view:
        parts.append(f"read as {finding.view}")
    return f" [{', '.join(parts)}]" if parts else ""


def _coverage(report: Report) -> None:
    seen = report.coverage
    trajectories, steps = counted(seen.trajectories, "trajectory", "trajectories"), counted(seen.steps, "step")
    click.echo(
        f"  looked at  {trajectories}, {steps}, {counted(seen.tool_results, 'tool result')} of "
        f"{seen.tool_output_bytes:,} bytes, {seen.tool_results_scanned} of them scanned in full during the run"
    )
    missing = [
        (seen.tasks - seen.trajectories, "task", "without a sound trajectory"),
        (seen.tool_results_unscanned_cut, "tool result", "cut and never scanned in full"),
        (seen.tool_calls_cut, "tool call", "with arguments longer than are kept"),
        (seen.redactions, "secret", "masked"),
    ]
    could_not = ", ".join(f"{counted(count, what)} {how}" for count, what, how in missing if count > 0)
    click.echo(f"  could not  {could_not or 'nothing: all that was recorded could be looked at'}")
    for said in _evidence_gaps(report):
        click.echo(f"  gap        {plain(said)}")
    if unopened := seen.attachments_unopened or ():
        named = ", ".join(map(plain, unopened[:MOST_NAMED]))
        more = f" and {len(unopened) - MOST_NAMED} more" if len(unopened) > MOST_NAMED else ""
        many = counted(len(unopened), "task has", "tasks have")
        click.echo(
            f"  gap        {many} a file that was never opened; what the answer rests on is not seen: {named}{more}"
        )


def _evidence_gaps(report: Report) -> list[str]:
    """What was not recorded, so that no check could look at it."""
    return [gap.removeprefix(EVIDENCE) for gap in report.attestation.harness_gaps if gap.startswith(EVIDENCE)]


def _counts(severities: list[str]) -> str:
    return ", ".join(f"{severities.count(severity)} {severity}" for severity in _COLOURS if severities.count(severity))


def _rate(rate: Rate) -> str:
    return f"{rate.passed} of {rate.total} = {rate.pass_rate:.1%} ({rate.low:.1%} to {rate.high:.1%})"
