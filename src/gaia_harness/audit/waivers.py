"""Waivers: who accepts which finding, and why. They are read from a file."""

from pathlib import Path

import msgspec

from gaia_harness.audit.findings import GATING, Check, Finding, Findings, Waived
from gaia_harness.errors import EvidenceError, UsageError
from gaia_harness.evidence.wording import visible
from gaia_harness.records.documents import parse_document

LARGEST_FILE = 1 << 20
LOWERS, REFUSES = "lowered", "refused"

_HINT = 'a JSON array of {"task_id": ..., "rule": ..., "reason": ..., "who": ...}, task_id null for the whole run'


class Waiver(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of a waivers file."""

    task_id: str | None
    rule: str
    reason: str
    who: str


class WaiverUse(Waiver, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A waiver in a report, with what came of it.

    `lowered`, `refused` (the finding is critical), `lowered and refused` (there were both) or `unused`.
    """

    outcome: str


def canonical(waivers: tuple[Waiver, ...]) -> tuple[Waiver, ...]:
    """Waivers in the order in which a report has them, each once: so that a report is enough to repeat it."""
    return tuple(sorted(set(waivers), key=lambda each: (each.task_id or "", each.rule, each.who, each.reason)))


def waivers_of(uses: tuple[WaiverUse, ...]) -> tuple[Waiver, ...]:
    """The waivers of a report, in its order."""
    return tuple(Waiver(task_id=use.task_id, rule=use.rule, reason=use.reason, who=use.who) for use in uses)


def read_waivers(path: Path) -> tuple[Waiver, ...]:
    """The waivers in a file; a UsageError where it is not one."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if len(data) > LARGEST_FILE:
            raise UsageError(f"{path}: larger than {LARGEST_FILE} bytes", hint=_HINT)
        waivers = parse_document(data, str(path), tuple[Waiver, ...])
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except EvidenceError as error:
        raise UsageError(f"{error.message}: not a list of waivers", hint=_HINT) from error
    for waiver in waivers:
        if not visible(waiver.reason).strip() or not visible(waiver.who).strip():
            raise UsageError(f"{path}: the waiver for {waiver.rule!a} needs a reason and a name", hint=_HINT)
    return waivers


def apply(checks: tuple[Check, ...], waivers: tuple[Waiver, ...]) -> tuple[tuple[Check, ...], tuple[WaiverUse, ...]]:
    """The checks with every waived high finding lowered, and what came of each waiver. Critical ones stay."""
    came_of: dict[Waiver, set[str]] = {waiver: set() for waiver in waivers}
    by_place = {(waiver.task_id, waiver.rule): waiver for waiver in waivers}

    def lowered(finding: Finding) -> Finding:
        waiver = by_place.get((finding.task_id, finding.rule))
        if waiver is None or finding.severity not in GATING:
            return finding
        if finding.severity == "critical":
            came_of[waiver].add(REFUSES)
            return finding
        came_of[waiver].add(LOWERS)  # still listed, still not strictly clean
        return msgspec.structs.replace(finding, severity="medium", waived=Waived(reason=waiver.reason, who=waiver.who))

    after = tuple(
        Findings().keep(*map(lowered, check.findings)).check(check.id, check.name, harness_gap=check.harness_gap)
        for check in checks
    )
    uses = (
        WaiverUse(**msgspec.structs.asdict(waiver), outcome=" and ".join(sorted(came_of[waiver])) or "unused")
        for waiver in canonical(waivers)
    )
    return after, tuple(uses)


def undone(check: Check) -> Check:
    """The check as it was before anything in it was waived. Its findings keep their order, its status is not made."""
    before = (
        finding if finding.waived is None else msgspec.structs.replace(finding, severity="high", waived=None)
        for finding in check.findings
    )
    return msgspec.structs.replace(check, findings=tuple(before))
