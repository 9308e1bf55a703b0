"""Checks that metadata, report, attestation and README of a package agree with its other files."""

import msgspec

from gaia_harness.audit.findings import GATING, SEVERITIES, Findings
from gaia_harness.audit.report import (
    CHECKS,
    SCHEMA,
    THREAT_MODEL,
    Report,
    Totals,
    gaps,
    leaked_tasks,
    missing,
    waivers_sha256,
)
from gaia_harness.audit.waivers import apply, undone, waivers_of
from gaia_harness.errors import UsageError
from gaia_harness.figures import rate
from gaia_harness.records.ledger import Head, ledger_standing
from gaia_harness.records.package import FIRST_SCHEMA, Metadata
from gaia_harness.signing.allowed_signers import checked_identity
from gaia_harness.signing.intent import source_sha256
from gaia_harness.submission.attestation import (
    open_attestation,
    statement,
)
from gaia_harness.submission.checks import Fault, available, short
from gaia_harness.submission.examination import Examination
from gaia_harness.submission.file_set import (
    ATTESTATION,
    INTENT,
    LEDGER,
    LOG,
    METADATA,
    README,
    REPORT,
    SIGNATURE,
    SUMS,
)
from gaia_harness.submission.guessable import guessable_golds
from gaia_harness.submission.metadata import Sources, compute, encode_metadata
from gaia_harness.submission.readme import readme
from gaia_harness.timestamps import parse_timestamp

OF_VERSION_0_1 = f"{LOG}: begun by version 0.1, by its own word, with which a folder that was put back did not show"


def check_metadata(package: Examination) -> str:
    """7. Metadata, report, attestation and README say what the files say."""
    metadata = package.metadata
    report = package.report
    available(SIGNATURE, lambda: package.key)
    if parse_timestamp(metadata.submitted_at) is None:
        raise Fault(f"{METADATA}: submitted_at {metadata.submitted_at[:40]!a} is not a time as we write it")
    try:
        checked_identity(metadata.submitter.identity)
    except UsageError as error:
        raise Fault(f"{METADATA}: {error.message}") from error
    sources = _sources(package, metadata)
    disclosed = sources.intent.endpoint is not msgspec.UNSET
    if metadata.schema == FIRST_SCHEMA and (disclosed or not sources.log.of_version_0_1):
        raise Fault(f"{METADATA}: of a schema that is older than the program of the run")
    computed = compute(sources, metadata.schema)
    for name in Metadata.__struct_fields__:
        if getattr(computed, name) != getattr(metadata, name):
            raise Fault(f"{METADATA}: {name} is not what the files give ({short(getattr(computed, name))})")
    if encode_metadata(computed) != package.files.read(METADATA):  # 1, 1.0 and true are the same to Python alone
        raise Fault(f"{METADATA}: options are not written as in {INTENT}")
    if metadata.submitted_at < package.log.closed.time:
        raise Fault(f"{METADATA}: submitted at {metadata.submitted_at}, before the run ended")
    _report(package, report, metadata)
    sums = available(SUMS, lambda: package.sums)
    subjects = {**sums, SUMS: package.hash_of(SUMS)}
    if open_attestation(package.files.read(ATTESTATION), package.key) != statement(metadata, subjects):
        raise Fault(f"{ATTESTATION}: does not say what {METADATA} says")
    same = package.files.read(README) == readme(metadata, guessable_golds(metadata.facts, package.log))
    if not same and report.inputs.harness_source_sha256 == source_sha256():
        raise Fault(f"{README}: not what {METADATA} gives")
    if package.log.of_version_0_1:
        package.notes.append(OF_VERSION_0_1)
    share = metadata.pass_rate
    score = "no public answers" if share is None else f"{share.passed} of {share.total} said to be right"
    return f"recomputed and equal; {score}" + ("" if same else f"; {README} is of another version and not compared")


def _sources(package: Examination, metadata: Metadata) -> Sources:
    intent = available(INTENT, lambda: package.intent)
    log = available(LOG, lambda: package.log)
    tree, entries = available(LEDGER, lambda: package.ledger)
    lines = available("trajectories.jsonl", lambda: package.lines)
    named = sorted(lines.catalogues & package.files.prompts)
    return Sources(
        submitted_at=metadata.submitted_at,
        identity=metadata.submitter.identity,
        key=package.key,
        facts=metadata.facts,
        intent=intent,
        log=log,
        catalogues={sha256: package.files.read(f"prompts/{sha256}") for sha256 in named},
        served=lines.served,
        hosts=lines.hosts,
        system_prompts=frozenset(lines.systems),
        has_bodies=bool(package.files.bodies - lines.words),
        ledger=Head(size=tree.size, root=tree.root().hex()),
        standing=available(LEDGER, lambda: ledger_standing(entries, intent.run_id)),
        report=package.report,
    )


def _report(package: Examination, report: Report, metadata: Metadata) -> None:
    """A report must be about this package and agree with itself. Whether its findings are all, check 8 says."""
    inputs, outcome, facts = report.inputs, report.attestation, metadata.facts
    findings = [finding for check in report.checks for finding in check.findings]
    failed = {check.id for check in report.checks if any(f.severity in GATING for f in check.findings)}
    warned = {check.id for check in report.checks if any(f.severity == "medium" for f in check.findings)}
    skipped = {check.id for check in report.checks if check.status == "skip"}
    right, leaked = {task.task_id for task in facts.tasks if task.correct}, leaked_tasks(report.checks)
    total = len(set(facts.task_ids))
    if len(facts.tasks) > total:
        raise Fault(f"{METADATA}: facts of {len(facts.tasks)} tasks, and the task list has {total}")
    scored = any(task.correct is not None for task in facts.tasks)
    not_recorded = missing(report.coverage, facts)
    said: dict[str, tuple[object, object]] = {
        "schema": (report.schema, SCHEMA),
        "run_id": (report.run_id, metadata.run_id),
        "audited_at": (report.audited_at, metadata.submitted_at),
        "inputs.trajectories_sha256": (inputs.trajectories_sha256, package.hash_of("trajectories.jsonl")),
        "inputs.log_sha256": (inputs.log_sha256, package.hash_of(LOG)),
        "inputs.intent_sha256": (inputs.intent_sha256, package.hash_of(INTENT)),
        "inputs.facts_sha256": (inputs.facts_sha256, facts.sha256()),
        "inputs.dataset_at_hand": (inputs.dataset_at_hand, True),
        "inputs.waivers_sha256": (inputs.waivers_sha256, waivers_sha256(waivers_of(report.waivers))),
        "checks": ([check.id for check in report.checks], [f"AUD-{number + 1}" for number in range(len(CHECKS))]),
        "third_party": (
            report.third_party,
            msgspec.UNSET,
        ),  # a verifier may not have these checks, and cannot repeat them
        "attestation.clean": (outcome.clean, not failed),
        "attestation.strict_clean": (outcome.strict_clean, not (failed | warned | skipped or not_recorded)),
        "attestation.critical_failures": (set(outcome.critical_failures), failed),
        "attestation.warn_failures": (set(outcome.warn_failures), warned),
        "attestation.skipped": (set(outcome.skipped), skipped),
        "attestation.harness_gaps": (outcome.harness_gaps, gaps(report.checks) + not_recorded),
        "totals": (
            report.totals,
            Totals(
                tasks=total,
                finished=len(facts.tasks),
                raw=rate(len(right), total) if scored else None,
                audited=rate(len(right - leaked), total) if scored else None,
                tasks_not_counted=tuple(sorted(right & leaked)),
                findings={severity: sum(f.severity == severity for f in findings) for severity in SEVERITIES},
            ),
        ),
    }
    if inputs.harness_source_sha256 == source_sha256():
        said["threat_model"] = (report.threat_model, THREAT_MODEL)
    for name, (claimed, found) in said.items():
        if claimed != found:
            raise Fault(f"{REPORT}: {name} is not what the files give ({short(found)})")
    for check in report.checks:
        again = Findings()
        for finding in check.findings:
            again.keep(finding)
        if again.check(check.id, check.name, harness_gap=check.harness_gap) != check:
            raise Fault(f"{REPORT}: the status of {check.id} is not that of its findings")
    # each waiver must have lowered the findings that say so, and each of these must have its waiver
    if apply(tuple(map(undone, report.checks)), waivers_of(report.waivers)) != (report.checks, report.waivers):
        raise Fault(f"{REPORT}: waivers and waived findings do not agree")
