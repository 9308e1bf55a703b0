"""The audit of a run: ten checks, one report. The same inputs give the same bytes."""

import hashlib
from collections.abc import Iterable
from typing import Any, Literal

import msgspec
import rfc8785

from gaia_harness.audit.answer_key_reads import AnswerKeyReads
from gaia_harness.audit.answer_leakage import AnswerLeakage
from gaia_harness.audit.coverage import Coverage
from gaia_harness.audit.evidence import RunEvidence
from gaia_harness.audit.findings import GATING, SEVERITIES, Check, Finding, Severity
from gaia_harness.audit.grader_isolation import GraderIsolation
from gaia_harness.audit.judge_injection import JudgeInjection
from gaia_harness.audit.looking import CheckClass, Watch, look_at_all
from gaia_harness.audit.no_work_pass import NoWorkPass
from gaia_harness.audit.normalization_collision import NormalizationCollision
from gaia_harness.audit.oracle_leakage import OracleLeakage
from gaia_harness.audit.source_facts import DynamicEval
from gaia_harness.audit.split_integrity import SplitIntegrity
from gaia_harness.audit.voting_disclosure import VotingDisclosure
from gaia_harness.audit.waivers import Waiver, WaiverUse, apply
from gaia_harness.figures import Rate, rate
from gaia_harness.records.facts import RunFacts
from gaia_harness.records.origin import missing_of
from gaia_harness.signing.intent import source_sha256

SCHEMA = "gaia-harness/audit/1"

THREAT_MODEL = (
    "The audit trusts the recorder: a harness that was changed can record what it likes. Signatures, log and ledger "
    "bind what was recorded; `gaia verify` checks them.",
    "A copy of the benchmark in translation or in other words is mostly not recognised: docs/audit.md has the rates.",
    "What a model knows by heart leaves no trace in a run.",
    "Of a tool's output the first 4 KiB and the places that the scan marked are kept; only the scan saw the rest.",
)
"""What a clean report does not mean."""

CHECKS: tuple[CheckClass, ...] = (
    AnswerLeakage,
    NoWorkPass,
    OracleLeakage,
    GraderIsolation,
    NormalizationCollision,
    VotingDisclosure,
    SplitIntegrity,
    AnswerKeyReads,
    DynamicEval,
    JudgeInjection,
)

LEAKS = ("AUD-1", "AUD-3", "AUD-4", "AUD-8")
"""A critical or high finding of these on a task says where its answer came from: it does not count as right."""


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """The score as it was made, and as it stands when tasks with a leak count as wrong. None where there is no gold."""

    tasks: int
    finished: int
    raw: Rate | None
    audited: Rate | None
    tasks_not_counted: tuple[str, ...]
    findings: dict[Severity, int]


class Attestation(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome in short. `clean`: no critical or high finding; `strict_clean`: none above low, no check skipped."""

    clean: bool
    strict_clean: bool
    critical_failures: tuple[str, ...]
    warn_failures: tuple[str, ...]
    skipped: tuple[str, ...]
    harness_gaps: tuple[str, ...]


class Inputs(msgspec.Struct, frozen=True, kw_only=True):
    """What was audited, by hash: anyone with the same inputs gets the same report.

    Of the golds there is no hash, as everybody may read a report.
    """

    trajectories_sha256: str
    log_sha256: str
    intent_sha256: str | None
    facts_sha256: str
    questions_sha256: str
    answers_sha256: str | msgspec.UnsetType | None = msgspec.UNSET  # of 0.1: by it a gold could be guessed
    dataset_at_hand: bool
    harness_source_sha256: str
    waivers_sha256: str | None


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


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """audit-report.json."""

    schema: str
    audited_at: str
    run_id: str
    threat_model: tuple[str, ...]
    totals: Totals
    coverage: Coverage
    checks: tuple[Check, ...]
    waivers: tuple[WaiverUse, ...]
    attestation: Attestation
    inputs: Inputs
    third_party: tuple[ThirdPartyCheck, ...] | msgspec.UnsetType = msgspec.UNSET  # where somebody asked for them


def audit(
    run: RunEvidence,
    *,
    audited_at: str,
    waivers: tuple[Waiver, ...] = (),
    processes: int | None = None,
    watch: Watch | None = None,
) -> Report:
    """Audit a run, in so many processes. Opens no connection, asks no clock, runs nothing that it finds."""
    coverage, checks = look_at_all(run, CHECKS, processes=processes, watch=watch)
    tasks = set(run.facts.task_ids)
    verdicts = {task_id: run.correct(task_id) for task_id in sorted(tasks & run.by_task.keys())}
    right = tuple(task_id for task_id, verdict in verdicts.items() if verdict)
    scored = run.key is not None and any(verdict is not None for verdict in verdicts.values())
    inputs = Inputs(
        trajectories_sha256=run.trajectories_sha256,
        log_sha256=run.log.sha256,
        intent_sha256=run.intent_sha256,
        facts_sha256=run.facts.sha256(),
        questions_sha256=_sha256(dict(run.questions)),
        dataset_at_hand=run.dataset is not None,
        harness_source_sha256=source_sha256(),
        waivers_sha256=None,
    )
    report = Report(
        schema=SCHEMA,
        audited_at=audited_at,
        run_id=run.facts.run_id,
        threat_model=THREAT_MODEL,
        totals=_totals(checks, len(tasks), len(verdicts), rate(len(right), len(tasks)) if scored else None, right),
        coverage=coverage,
        checks=checks,
        waivers=(),
        attestation=_attestation(checks, missing(coverage, run.facts)),
        inputs=inputs,
    )
    return waive(report, waivers)


def waive(report: Report, waivers: tuple[Waiver, ...]) -> Report:
    """The same report of an audit without waivers, with these applied."""
    checks, uses = apply(report.checks, waivers)
    before = report.totals
    return msgspec.structs.replace(
        report,
        totals=_totals(checks, before.tasks, before.finished, before.raw, before.tasks_not_counted),
        checks=checks,
        waivers=uses,
        attestation=_attestation(checks, tuple(g for g in report.attestation.harness_gaps if g.startswith(EVIDENCE))),
        inputs=msgspec.structs.replace(report.inputs, waivers_sha256=waivers_sha256(waivers)),
    )


def _totals(checks: tuple[Check, ...], tasks: int, finished: int, raw: Rate | None, right: tuple[str, ...]) -> Totals:
    """The score, less those of the right answers that leaked by what these checks found."""
    leaked = leaked_tasks(checks)
    not_counted = tuple(task_id for task_id in right if task_id in leaked)
    severities = [finding.severity for check in checks for finding in check.findings]
    return Totals(
        tasks=tasks,
        finished=finished,
        raw=raw,
        audited=None if raw is None else rate(raw.passed - len(not_counted), tasks),
        tasks_not_counted=not_counted,
        findings={severity: severities.count(severity) for severity in SEVERITIES},
    )


def encode_report(report: Report) -> bytes:
    """audit-report.json: indented for people, and the same bytes for the same report."""
    return msgspec.json.format(msgspec.json.encode(report), indent=2) + b"\n"


def leaked_tasks(checks: Iterable[Check]) -> frozenset[str]:
    """The tasks that do not count, by what these checks found."""
    return frozenset(
        finding.task_id
        for check in checks
        if check.id in LEAKS
        for finding in check.findings
        if finding.severity in GATING and finding.task_id is not None
    )


def _attestation(checks: tuple[Check, ...], not_recorded: tuple[str, ...]) -> Attestation:
    def having(*severities: Severity) -> tuple[str, ...]:
        return tuple(check.id for check in checks if any(f.severity in severities for f in check.findings))

    failed, warned = having(*GATING), having("medium")
    skipped = tuple(check.id for check in checks if check.status == "skip")
    return Attestation(
        clean=not failed,
        strict_clean=not (failed or warned or skipped or not_recorded),
        critical_failures=failed,
        warn_failures=warned,
        skipped=skipped,
        harness_gaps=gaps(checks) + not_recorded,
    )


def gaps(checks: Iterable[Check]) -> tuple[str, ...]:
    """What was not looked at, by check."""
    return tuple(f"{check.id}: {check.harness_gap}" for check in checks if check.harness_gap is not None)


EVIDENCE = "evidence: "


def missing(coverage: Coverage, facts: RunFacts) -> tuple[str, ...]:
    """What was not recorded, so that no check could look at it."""
    return tuple(f"{EVIDENCE}{said}" for said in (*missing_of(facts.origin), *coverage.missing()))


def waivers_sha256(waivers: tuple[Waiver, ...]) -> str | None:
    """The hash of the RFC 8785 form of these waivers in their order; None where there are none."""
    return _sha256(msgspec.to_builtins(waivers)) if waivers else None


def _sha256(value: Any) -> str:
    return hashlib.sha256(rfc8785.dumps(value)).hexdigest()
