"""Verifies a package: eight checks in order, one line each, and a verdict."""

import contextlib
import os
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

import msgspec

from gaia_harness.audit.evidence import DatasetFacts
from gaia_harness.audit.findings import SEVERITIES, Severity
from gaia_harness.audit.report import Report
from gaia_harness.disclosure import DisclosedEndpoint, third_parties
from gaia_harness.errors import EvidenceError, GaiaError, UnreadableError, UsageError
from gaia_harness.figures import counted
from gaia_harness.records.facts import RunFacts
from gaia_harness.records.interruptions import Interruptions
from gaia_harness.records.origin import in_a_box
from gaia_harness.records.package import Metadata
from gaia_harness.signing.allowed_signers import AllowedSigner
from gaia_harness.signing.signers import PublicKey
from gaia_harness.submission.checks import (
    Fault,
    check_file_set,
    check_intent,
    check_ledger,
    check_signatures,
)
from gaia_harness.submission.content_checks import check_log, check_trajectories
from gaia_harness.submission.data_check import check_dataset
from gaia_harness.submission.examination import Examination, Unavailable
from gaia_harness.submission.file_set import REPORT, SUMS, FileSet, is_package, list_files
from gaia_harness.submission.metadata_check import check_metadata
from gaia_harness.submission.signer import Authentication, authenticate
from gaia_harness.timestamps import parse_timestamp

Status = Literal["ok", "FAILED", "skipped"]
VERIFIED, FAILED, UNREADABLE, NOT_AUTHENTICATED, NOT_CLEAN = 0, 1, 2, 3, 4
WORST_FIRST = (FAILED, UNREADABLE, NOT_AUTHENTICATED, NOT_CLEAN, VERIFIED)
WORDS = {
    VERIFIED: "verified",
    FAILED: "failed",
    UNREADABLE: "unreadable",
    NOT_AUTHENTICATED: "intact, but the signer is not authenticated",
    NOT_CLEAN: "intact and authenticated, but not clean",
}
CHECKS: tuple[tuple[str, Callable[[Examination], str]], ...] = (
    ("file set", check_file_set),
    ("signatures", check_signatures),
    ("intent", check_intent),
    ("run log", check_log),
    ("trajectories", check_trajectories),
    ("ledger", check_ledger),
    ("metadata", check_metadata),
)

LoadDataset = Callable[[RunFacts], DatasetFacts]
"""Loads the tasks of a run from the data set that the verifier has at hand."""


class CheckLine(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one check."""

    number: int
    name: str
    status: Status
    said: str
    faults: tuple[str, ...] = ()


class AuditCounts(msgspec.Struct, frozen=True, kw_only=True):
    """What the package's audit report counts, the findings that somebody waived among them."""

    clean: bool
    findings: dict[Severity, int]
    waived: int

    def __str__(self) -> str:
        said = ", ".join(f"{self.findings.get(severity, 0)} {severity}" for severity in SEVERITIES)
        return f"{'clean' if self.clean else 'NOT clean'}: {said}" + (f"; {self.waived} waived" if self.waived else "")


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on a package: the result of all checks, for people and for programs."""

    exit_code: int
    verdict: str
    run_id: str | None
    identity: str | None
    fingerprint: str | None
    submitted_at: str | None
    authentication: str
    dirty: tuple[str, ...] | None
    accepted_dirty: bool
    standing: str | None
    interruptions: Interruptions | None
    passed: int | None
    total: int | None
    audit: AuditCounts | None
    notes: tuple[str, ...]
    model: str | None
    endpoint: DisclosedEndpoint | None
    served_models: dict[str, int]
    hosts: dict[str, int] | None
    judge_model: str | None
    judge_endpoint: DisclosedEndpoint | None
    transcription_endpoint: DisclosedEndpoint | None
    options: dict[str, Any] | None
    third_parties: dict[str, str]
    checks: tuple[CheckLine, ...]


class NotExamined(msgspec.Struct, frozen=True, kw_only=True):
    """The result for something that cannot be unpacked or listed at all."""

    exit_code: int
    verdict: str
    error: str
    hint: str | None = None


class Trust(msgspec.Struct, frozen=True, kw_only=True):
    """Whom the verifier believes: keys from elsewhere, and the name the signer must have."""

    signers: Sequence[AllowedSigner] | None = None
    identity: str | None = None


NOBODY = Trust()


def verify(
    folder: Path,
    *,
    trust: Trust = NOBODY,
    dataset: LoadDataset | None = None,
    accept_dirty: bool = False,
    watch: Callable[[CheckLine], None] = lambda line: None,
) -> Verdict:
    """Check the package in this folder. `watch` sees each line as soon as it is known."""
    package = Examination(_package_files(folder))
    try:
        lines: list[CheckLine] = []
        for number, (name, check) in enumerate(CHECKS, start=1):
            lines.append(_made(number, name, partial(check, package)))
            watch(lines[-1])
        unclean: list[str] = []
        lines.append(_dataset(package, dataset, lines, unclean))
        watch(lines[-1])
        return _verdict(package, lines, trust, tuple(unclean), accept_dirty)
    finally:
        package.close()


def _package_files(folder: Path) -> FileSet:
    """The files of a package that can be read: all else is not the package's fault."""
    try:
        files = list_files(folder)
    except EvidenceError as error:
        raise UnreadableError(f"{folder}: {error.message}") from error
    if not is_package({*files.sizes, *files.refused}):
        raise UnreadableError(
            f"{folder}: not a package: none of its files is there", hint="name what `gaia submit` made"
        )
    if SUMS not in {*files.sizes, *files.refused} and (folder / "run.json").is_file():
        raise UnreadableError(
            f"{folder}: a run, not a package", hint=f"gaia submit {folder} makes a package of it, to be verified"
        )
    for name in files.sizes:
        if not os.access(folder / name, os.R_OK):
            raise UnreadableError(f"{folder}/{name}: cannot be read: Permission denied")
    return files


def _audit_counts(report: Report) -> AuditCounts:
    waived = sum(finding.waived is not None for check in report.checks for finding in check.findings)
    return AuditCounts(clean=report.attestation.clean, findings=report.totals.findings, waived=waived)


def _audit_gaps(report: Report) -> list[str]:
    """What a clean report does not mean, in words."""
    unopened = len(report.coverage.attachments_unopened or ())
    if not unopened:
        return []
    tasks = counted(unopened, "task has", "tasks have")
    return [f"{tasks} a file that was never opened; what the answer rests on is not seen ({REPORT})"]


def _made(number: int, name: str, check: Callable[[], str]) -> CheckLine:
    try:
        return CheckLine(number=number, name=name, status="ok", said=check())
    except Unavailable as missing:
        return CheckLine(number=number, name=name, status="skipped", said=f"cannot be made: {missing}")
    except Fault as fault:
        faults = tuple(dict.fromkeys(fault.faults))
        return CheckLine(number=number, name=name, status="FAILED", said=_first(faults), faults=faults)
    except GaiaError as error:
        return CheckLine(number=number, name=name, status="FAILED", said=error.message, faults=(error.message,))


def _dataset(
    package: Examination,
    dataset: LoadDataset | None,
    lines: Sequence[CheckLine],
    unclean: list[str],
) -> CheckLine:
    name = "data set"
    if dataset is None:
        said = "give --dataset to score the answers again and repeat the audit"
        return CheckLine(number=8, name=name, status="skipped", said=said)
    if any(line.status != "ok" for line in lines):
        return CheckLine(number=8, name=name, status="skipped", said="cannot be made: the package is not intact")
    try:
        at_hand = dataset(package.metadata.facts)
    except GaiaError as error:  # the verifier's trouble, not the package's
        raise UsageError(f"the data set cannot be loaded: {error.message}", hint=error.hint) from error
    return _made(8, name, lambda: check_dataset(package, at_hand, unclean))


def _first(faults: Sequence[str]) -> str:
    more = len(faults) - 1
    return faults[0] + (f" (and {more} more)" if more else "")


def _verdict(
    package: Examination, lines: Sequence[CheckLine], trust: Trust, unclean: tuple[str, ...], accept_dirty: bool
) -> Verdict:
    intact = all(line.status == "ok" for line in lines[:7]) and lines[7].status != "FAILED"
    key: PublicKey | None = None
    metadata: Metadata | None = None
    with contextlib.suppress(EvidenceError):
        key, metadata = package.key, package.metadata
    when = None if metadata is None else parse_timestamp(metadata.submitted_at)
    dirty: tuple[str, ...] | None = None
    if key is None or metadata is None or when is None or lines[1].status != "ok":
        key = None
        who = Authentication(identity=None, said="nobody: no signature holds")
    else:
        who = authenticate(key, trust.signers, trust.identity, metadata.submitter.identity, when)
        dirty = tuple(dict.fromkeys((*(metadata.dirty or ()), *unclean))) or None
    code = VERIFIED
    if not intact:
        code = FAILED
    elif who.identity is None:
        code = NOT_AUTHENTICATED
    elif dirty is not None and (not accept_dirty or unclean):  # only dirt that the package itself discloses
        code = NOT_CLEAN
    rate = metadata.pass_rate if metadata is not None and intact else None
    # of packages of the first schema too: it is the log that says it
    interruptions = package.log.interruptions.total(package.intent.harness_version) if intact else None
    return Verdict(
        exit_code=code,
        verdict=WORDS[code],
        run_id=None if metadata is None else metadata.run_id,
        identity=who.identity,
        fingerprint=None if key is None else key.fingerprint,
        submitted_at=None if metadata is None else metadata.submitted_at,
        authentication=who.said,
        dirty=dirty,
        accepted_dirty=accept_dirty and dirty is not None and not unclean,
        standing=None if metadata is None else metadata.standing.said,
        interruptions=interruptions,
        passed=None if rate is None else rate.passed,
        total=None if rate is None else rate.total,
        audit=_audit_counts(package.report) if intact else None,
        notes=(*package.notes, *_audit_gaps(package.report)) if intact else (),
        model=package.intent.model if intact else None,
        endpoint=(package.intent.endpoint or None) if intact else None,
        served_models=dict(package.lines.served) if intact else {},
        hosts=dict(package.lines.hosts) if intact and in_a_box(package.intent.origin) else None,
        judge_model=package.intent.judge_model if intact else None,
        judge_endpoint=(package.intent.judge_endpoint or None) if intact else None,
        transcription_endpoint=(package.intent.transcription_endpoint or None) if intact else None,
        options=(package.intent.options or None) if intact else None,
        third_parties=third_parties(metadata.isolation) if metadata is not None and intact else {},
        checks=tuple(lines),
    )
