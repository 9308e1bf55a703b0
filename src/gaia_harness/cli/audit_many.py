"""Audits many runs, here or on the machines of a cluster, and says a line of each."""

import contextlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gaia_harness.audit.findings import SEVERITIES
from gaia_harness.audit.report import Report, encode_report
from gaia_harness.cli.plain import plain, plain_json
from gaia_harness.errors import GaiaError
from gaia_harness.figures import counted
from gaia_harness.offline import audit_run

if TYPE_CHECKING:
    from gaia_harness.run.ray_executor import RayOptions

CLEAN, FOUND, UNREADABLE = 0, 1, 2


def audit_many(
    folders: Sequence[Path], asked: dict[str, Any], *, strict: bool, as_json: bool, ray: "RayOptions | None"
) -> int:
    """Audit each; the exit code is that of the worst. `asked` are arguments of `audit_run`."""
    worst = CLEAN
    with _submitting(ray, at_once=min(len(folders), 64)) as submit:
        results = [(folder, submit(_audited, folder, asked)) for folder in folders]
        for folder, result in results:
            try:
                report: Report = result()
            except GaiaError as error:
                worst = UNREADABLE
                _say(folder, as_json, error=error.message)
                continue
            clean = report.attestation.strict_clean or (report.attestation.clean and not strict)
            clean = clean and not any(check.gates(strict=strict) for check in report.third_party or ())
            worst = worst if clean else max(worst, FOUND)
            _say(folder, as_json, report=report, clean=clean)
    return worst


def _audited(folder: Path, asked: dict[str, Any]) -> Report:
    return audit_run(folder, **asked)


@contextlib.contextmanager
def _submitting(ray: "RayOptions | None", *, at_once: int) -> Iterator[Callable[..., Callable[[], Report]]]:
    """Gives a function that begins a call, and gives what waits for its result."""
    if ray is None:
        yield lambda function, *args: lambda: function(*args)
        return
    from gaia_harness.run.ray_pool import ray_pool

    with ray_pool(ray, at_once=at_once) as pool:
        yield lambda function, *args: pool.submit(function, *args).result


def _say(folder: Path, as_json: bool, *, report: Report | None = None, clean: bool = False, error: str = "") -> None:
    if as_json:
        said = {"error": error} if report is None else {"report": json.loads(encode_report(report))}
        click.echo(plain_json(json.dumps({"folder": str(folder), **said}).encode()))
    elif report is None:
        click.echo(f"unreadable   {plain(str(folder))}: {plain(error)}")
    else:
        found = report.totals.findings
        count = ", ".join(f"{found[each]} {each}" for each in SEVERITIES if found.get(each))
        tasks = counted(report.totals.tasks, "task")
        click.echo(f"{'clean' if clean else 'NOT clean':<13}{plain(str(folder))}: {tasks}, {count or 'no finding'}")
