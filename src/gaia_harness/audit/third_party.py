"""Checks of other packages: made after ours, shown beside ours, and never in their place."""

from collections.abc import Iterable
from typing import Literal

import msgspec

from gaia_harness.audit.evidence import RunEvidence
from gaia_harness.audit.findings import GATING, Check, Finding, Findings
from gaia_harness.errors import GaiaError
from gaia_harness.plugins import LONGEST_ERROR, Plugin, describe_error, find_plugin


class ThirdPartyCheck(msgspec.Struct, frozen=True, kw_only=True):
    """What came of somebody else's check. `error` says why it came to nothing: that is never a pass."""

    name: str
    package: str
    version: str
    status: Literal["pass", "fail", "warn", "skip", "error"]
    findings: tuple[Finding, ...] = ()
    harness_gap: str | None = None
    error: str | None = None

    def gates(self, *, strict: bool) -> bool:
        """Whether an audit that was asked to make this check must not end well."""
        if self.status == "error" or any(finding.severity in GATING for finding in self.findings):
            return True
        return strict and (self.status == "skip" or any(finding.severity == "medium" for finding in self.findings))


def find_checks(names: Iterable[str]) -> list[Plugin]:
    """The checks of these names. Nothing is imported: a wrong name is said before any work is done."""
    return [find_plugin("checks", name) for name in dict.fromkeys(names)]


def run_check(plugin: Plugin, run: RunEvidence) -> ThirdPartyCheck:
    """Make a check here and now. It has the status that its findings give, whatever it says."""
    try:
        examiner = plugin.load()(run)
        for task in run.tasks():
            examiner.look(task)
        made = examiner.conclude()
        if not isinstance(made, Check):
            raise TypeError(f"conclude() gave a {type(made).__name__} where a Check is due")
        made = msgspec.json.decode(msgspec.json.encode(made), type=Check)  # holds the fields to their types
        made = Findings().add_all(made.findings).check(made.id, made.name, harness_gap=made.harness_gap)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        said = error.message if isinstance(error, GaiaError) else describe_error(error)
        return failed_check(plugin, said[:LONGEST_ERROR])
    return msgspec.structs.replace(
        failed_check(plugin, ""), status=made.status, findings=made.findings, harness_gap=made.harness_gap, error=None
    )


def failed_check(plugin: Plugin, error: str) -> ThirdPartyCheck:
    """What is said of a check that has come to nothing."""
    return ThirdPartyCheck(
        name=plugin.name, package=plugin.package, version=plugin.version, status="error", error=error
    )
