"""Checks of other packages: run after ours, shown beside ours, and never in their place."""

from collections.abc import Callable, Iterable
from typing import Any, Literal

import msgspec

from gaia_harness.audit.evidence import RunEvidence
from gaia_harness.audit.findings import GATING, Check, Finding, Findings
from gaia_harness.errors import GaiaError
from gaia_harness.plugins import Plugin, find_plugin


class ThirdPartyCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What came of somebody else's check. `error` says why it came to nothing: that is never a pass."""

    name: str
    package: str
    version: str
    status: Literal["pass", "fail", "warn", "skip", "error"]
    findings: tuple[Finding, ...] = ()
    harness_gap: str | None = None
    error: str | None = None

    @property
    def gates(self) -> bool:
        """Whether an audit that was asked to make this check must not end well."""
        return self.status == "error" or any(finding.severity in GATING for finding in self.findings)


def find_checks(names: Iterable[str]) -> list[Plugin]:
    """The checks of these names. Nothing is imported: a wrong name is said before any work is done."""
    return [find_plugin("checks", name) for name in dict.fromkeys(names)]


def run_checks(plugins: Iterable[Plugin], open_run: Callable[[], RunEvidence]) -> tuple[ThirdPartyCheck, ...]:
    """Make each check on the run, opened anew for it: what one does to it, no other sees."""
    return tuple(_run_check(plugin, open_run) for plugin in plugins)


def _run_check(plugin: Plugin, open_run: Callable[[], RunEvidence]) -> ThirdPartyCheck:
    outcome = ThirdPartyCheck(name=plugin.name, package=plugin.package, version=plugin.version, status="error")
    run = open_run()
    try:
        examiner = plugin.load()(run)
        for task in run.tasks():
            examiner.look(task)
        made = _checked(examiner.conclude())
    except (Exception, SystemExit) as error:
        said = error.message if isinstance(error, GaiaError) else f"{type(error).__name__}: {error}"
        return msgspec.structs.replace(outcome, error=said[:500])
    return msgspec.structs.replace(outcome, status=made.status, findings=made.findings, harness_gap=made.harness_gap)


def _checked(made: Any) -> Check:
    """What a check concludes, with the status that its findings give."""
    if not isinstance(made, Check):
        raise TypeError(f"conclude() gave a {type(made).__name__} where a Check is due")
    made = msgspec.convert(msgspec.to_builtins(made), Check)  # holds the fields to their types
    findings = Findings()
    for finding in made.findings:
        findings.add(finding)
    return findings.check(made.id, made.name, harness_gap=made.harness_gap)
