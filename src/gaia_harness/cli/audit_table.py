"""Prints an audit report: the verdict first, then what gates, then how much of each rule, then what was not seen."""

import difflib
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from textwrap import wrap

import click

from gaia_harness.audit.explanations import Rule
from gaia_harness.audit.findings import GATING, SEVERITIES, Finding
from gaia_harness.audit.report import EVIDENCE, Report
from gaia_harness.cli.plain import plain
from gaia_harness.errors import UsageError
from gaia_harness.figures import Rate, counted
from gaia_harness.records.run import FILE_NAME
from gaia_harness.shortening import shorten

WIDTH = 80
"""Columns of a line at most, but for an excerpt or a command."""
MOST_NAMED = 10
MOST_GATING = 20
"""Tasks whose gating findings are shown without being asked for."""
SHORT_ID = 8
"""So much of a long id names its task, as with commits: `--task` takes the beginning of one."""
CLOSED_BOOK = "closed-book"
_COLOURS = {"critical": "red", "high": "red", "medium": "yellow", "low": None, "info": None}
_STATUS = {"pass": "green", "fail": "red", "warn": "yellow", "skip": "yellow", "error": "red"}

LIST = "list"
Named = tuple[str, Finding]
"""A finding, behind the id of its check or the name of somebody else's."""


def show(report: Report, folder: Path, *, every: bool = False, dataset: str | None = None) -> None:
    """Print a report: what gates in full, of the rest how much there is, or with `every` all of it.

    `dataset` is the data set that it was audited with, where one was named.
    """
    found, look = list(_findings(report)), _Look(report, folder, dataset)
    click.echo(f"audit of {plain(str(folder))}\n")
    _headline(report, found)
    gating = [named for named in found if named[1].severity in GATING]
    if every:
        _by_task(found, look)
    elif gating:
        _gating(gating, folder, look)
    if not every:
        _by_rule([named for named in found if named[1].severity not in GATING], folder)
    _not_seen(report)
    for waiver in report.waivers:
        place = waiver.task_id or "the run"
        said = f"{waiver.outcome}: {waiver.rule} on {place}: {waiver.reason} ({waiver.who})"
        click.echo(f"  {'waiver':<11}{plain(said)}")  # as one line: a stranger's words begin none
    click.echo(f"next:  {look.at(*gating[0]) if gating else look.at()}")


class _Look:
    """Gives the command that opens a finding."""

    def __init__(self, report: Report, folder: Path, dataset: str | None) -> None:
        self._folder = folder
        self._options = [] if dataset is None else ["--dataset", dataset]
        # by number only where `gaia view` counts the same findings: not those of a waiver or of a package's own report
        counted_alike = not report.waivers and (folder / FILE_NAME).is_file()
        ours = [(check.id, each) for check in report.checks for each in check.findings] if counted_alike else []
        self._numbers = {named: number for number, named in enumerate(ours, start=1)}

    def at(self, name: str = "", finding: Finding | None = None) -> str:
        """The command for this finding; without one, for all of the run."""
        words: list[str] = []
        if finding is not None and (name, finding) in self._numbers:
            words = ["--finding", str(self._numbers[name, finding])]
        elif finding is not None and finding.task_id is not None:
            step = [] if finding.seq is None else ["--step", str(finding.seq)]
            words = ["--task", finding.task_id, *step]
        return plain(shlex.join(["gaia", "view", str(self._folder), *words, *self._options]))


def show_task(report: Report, wanted: str, folder: Path, *, dataset: str | None = None) -> None:
    """Print all findings of the task whose id begins so, with excerpts and places."""
    found = [named for named in _findings(report) if named[1].task_id]
    tasks = {finding.task_id or "" for _, finding in found} | {*report.totals.tasks_not_counted}
    meant = [wanted] if wanted in tasks else sorted(task_id for task_id in tasks if task_id.startswith(wanted))
    if len(meant) > 1:
        raise UsageError(f"{len(meant)} tasks have an id that begins with {wanted[:80]!a}", hint="give more of the id")
    if not meant:
        click.echo(f"no finding on a task {plain(wanted)}: it is clean, or there is no such task in this run")
        return
    _by_task([named for named in found if named[1].task_id == meant[0]], _Look(report, folder, dataset))
    if meant[0] in report.totals.tasks_not_counted:
        click.echo("  its answer does not count as right in the audited score")


def named_rules(wanted: str, rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """The rules of this name, or of the check of this id; a UsageError with the nearest names where there are none."""
    found = tuple(rule for rule in rules if rule.name == wanted or rule.check == wanted.upper())
    if found:
        return found
    near = difflib.get_close_matches(wanted, {rule.name: None for rule in rules}, n=3, cutoff=0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"`gaia audit --explain {LIST}` names all rules"
    raise UsageError(f"there is no rule {wanted[:80]!a}", hint=hint)


def explain_rules(rules: Sequence[Rule]) -> None:
    """Print what these rules mean."""
    for number, rule in enumerate(rules):
        said = rule.said
        severities = ", ".join(click.style(each, fg=_COLOURS[each]) for each in SEVERITIES if each in said.severities)
        click.echo(f"{'' if number == 0 else chr(10)}{rule.check} {click.style(rule.name, bold=True)}: {severities}")
        for title, text in (("it says", said.means), ("a sign", said.sign), ("honest", said.honest)):
            _line(title, text)


def list_rules(rules: Sequence[Rule]) -> None:
    """Print all rules by check, one line each."""
    longest = max((len(rule.name) for rule in rules), default=0)
    for rule in rules:
        head = f"{rule.check:<7}{rule.name:<{longest}}  "
        click.echo(head + shorten(plain(" ".join(rule.said.means.split())), max(WIDTH - len(head), 20)))


def _findings(report: Report) -> Iterator[Named]:
    for check in report.checks:
        yield from ((check.id, finding) for finding in check.findings)
    for other in report.third_party or ():
        yield from ((other.name, finding) for finding in other.findings)


def _headline(report: Report, found: Sequence[Named]) -> None:
    attestation, totals, seen = report.attestation, report.totals, report.coverage
    verdict = "clean" if attestation.clean else f"NOT CLEAN: {', '.join(attestation.critical_failures)}"
    if attestation.clean and not attestation.strict_clean:
        named = {*attestation.warn_failures, *attestation.skipped}  # a check can be both
        causes = [check.id for check in report.checks if check.id in named]
        if _evidence_gaps(report):
            causes.append("gaps in the evidence")
        verdict += f", not strictly: {', '.join(causes)}"
    _line("verdict", verdict, colour="green" if attestation.clean else "red")
    if totals.raw is None or totals.audited is None:
        _line("score", "none: there are no answers to score by")
    else:
        _line("score", f"{_rate(totals.raw)} as made")
        _line("", f"{_rate(totals.audited)} audited")
    closed_book = {finding.task_id for _, finding in found if finding.rule == CLOSED_BOOK}
    _line("tasks", f"{totals.tasks}, {totals.finished} of them with a result")
    _line("", f"{len(closed_book)} right without the use of any tool")
    _line("", f"{len(seen.attachments_unopened or ())} without opening the attached file")
    _line("gaps", f"{len(attestation.harness_gaps)} in what could be looked at")
    by_status: dict[str, list[str]] = {}
    for check in report.checks:
        by_status.setdefault(check.status, []).append(check.id)
    for status in ("fail", "warn", "skip", "pass"):
        if status in by_status:
            _line(status, " ".join(by_status[status]), colour=_STATUS[status])
    for other in report.third_party or ():
        said = f"{other.name} of {other.package} {other.version}, not one of ours"
        status = click.style(other.status, fg=_STATUS[other.status])
        counts = [finding.severity for finding in other.findings]
        why = other.error or other.harness_gap
        many = ", ".join(f"{counts.count(each)} {each}" for each in SEVERITIES if each in counts)
        click.echo(f"  {plain(said)}: {status} {many}{f'  ({plain(why)})' if why else ''}".rstrip())


def _gating(found: Sequence[Named], folder: Path, look: _Look) -> None:
    """What makes the run not clean: by task, with the commands that show more."""
    tasks = sorted({finding.task_id or "" for _, finding in found})
    shown = {*tasks[:MOST_GATING]}
    _by_task([named for named in found if (named[1].task_id or "") in shown], look, of=folder)
    if len(tasks) > MOST_GATING:
        click.echo(f"  and {len(tasks) - MOST_GATING} more tasks: {_command(folder, '--all')}")
    for rule in sorted({finding.rule for _, finding in found}):
        click.echo(f"  what it means: gaia audit --explain {plain(rule)}")


def _by_task(found: Iterable[Named], look: _Look, *, of: Path | None = None) -> None:
    by_task: dict[str, list[Named]] = {}
    for name, finding in found:
        by_task.setdefault(finding.task_id or "", []).append((name, finding))
    for task_id, findings in sorted(by_task.items()):
        click.echo(f"\n  {f'task {plain(task_id)}' if task_id else 'the run as a whole'}")
        for name, finding in findings:
            head = f"{finding.severity:<9}{name} {plain(finding.rule)}"
            click.echo(f"    {click.style(head, fg=_COLOURS[finding.severity])}")
            for line in wrap(plain(f"{finding.summary}{_place(finding)}"), WIDTH - 13):
                click.echo(f"             {line}")
            if finding.excerpt:
                click.echo(f"             > {plain(finding.excerpt)}")
            if finding.waived is not None:
                click.echo(f"             waived by {plain(f'{finding.waived.who}: {finding.waived.reason}')}")
            if (command := look.at(name, finding)) != look.at():
                click.echo(f"             look: {command}")
        if of is not None and task_id:
            click.echo(f"    all of it: {_command(of, '--task', task_id)}")
    click.echo("")


def _by_rule(found: Iterable[Named], folder: Path) -> None:
    """How many tasks each rule has findings on, worst first."""
    by_rule: dict[tuple[int, str, str], dict[str | None, None]] = {}
    for name, finding in found:
        key = (SEVERITIES.index(finding.severity), name, finding.rule)
        by_rule.setdefault(key, {})[finding.task_id] = None
    if not by_rule:
        return
    click.echo("")
    longest = max(len(plain(rule)) for _, _, rule in by_rule)
    for (severity, name, rule), tasks in sorted(by_rule.items()):
        ids = [plain(task_id) for task_id in tasks if task_id]
        where = f"{counted(len(ids), 'task')}, e.g. {_short(ids[0])}" if ids else "the run"
        level = click.style(f"{SEVERITIES[severity]:<7}", fg=_COLOURS[SEVERITIES[severity]])
        click.echo(f"  {level}{name:<7}{plain(rule):<{longest}}  {where}")
    click.echo(f"  each of them: {_command(folder, '--all')}; of one task: --task ID\n")


def _not_seen(report: Report) -> None:
    """What was looked at, and what could not be."""
    seen = report.coverage
    trajectories, steps = counted(seen.trajectories, "trajectory", "trajectories"), counted(seen.steps, "step")
    results = counted(seen.tool_results, "tool result")
    _line("looked at", f"{trajectories}, {steps}, {results} of {seen.tool_output_bytes:,} bytes,")
    _line("", f"{seen.tool_results_scanned} of them scanned in full during the run")
    missing = [
        (seen.tasks - seen.trajectories, "task", "without a sound trajectory"),
        (seen.tool_results_unscanned_cut, "tool result", "cut and never scanned in full"),
        (seen.tool_calls_cut, "tool call", "with arguments longer than are kept"),
        (seen.redactions, "secret", "masked"),
    ]
    could_not = ", ".join(f"{counted(count, what)} {how}" for count, what, how in missing if count > 0)
    _line("could not", could_not or "nothing: all that was recorded could be looked at")
    for gap in report.attestation.harness_gaps:
        _line("gap", gap.removeprefix(EVIDENCE))
    if unopened := seen.attachments_unopened or ():
        named = ", ".join(unopened[:MOST_NAMED])
        more = f" and {len(unopened) - MOST_NAMED} more" if len(unopened) > MOST_NAMED else ""
        many = counted(len(unopened), "task has", "tasks have")
        _line("gap", f"{many} a file that was never opened; what the answer rests on is not seen: {named}{more}")


def _line(title: str, said: str, *, colour: str | None = None) -> None:
    """A line, or several, behind a title."""
    for number, line in enumerate(wrap(plain(said), WIDTH - 13) or [""]):
        click.echo(f"  {'' if number else title:<11}{click.style(line, fg=colour) if colour else line}")


def _command(folder: Path, *words: str) -> str:
    return plain(shlex.join(["gaia", "audit", str(folder), *words]))


def _short(task_id: str) -> str:
    return task_id if len(task_id) <= 2 * SHORT_ID else task_id[:SHORT_ID]


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


def _evidence_gaps(report: Report) -> list[str]:
    """What was not recorded, so that no check could look at it."""
    return [gap.removeprefix(EVIDENCE) for gap in report.attestation.harness_gaps if gap.startswith(EVIDENCE)]


def _rate(rate: Rate) -> str:
    return f"{rate.passed} of {rate.total} = {rate.pass_rate:.1%} ({rate.low:.1%} to {rate.high:.1%})"
