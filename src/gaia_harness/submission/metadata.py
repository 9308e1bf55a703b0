"""metadata.json of a package: computed from its other files, by submitter and verifier alike."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

import msgspec

from gaia_harness import strict_json
from gaia_harness.audit.findings import GATING
from gaia_harness.audit.report import Report, leaked_tasks
from gaia_harness.errors import EvidenceError
from gaia_harness.figures import Rate, rate, total, total_cost
from gaia_harness.protocol import PYTHON, UNSANDBOXED
from gaia_harness.records.facts import RunFacts
from gaia_harness.records.intent import Intent
from gaia_harness.records.ledger import Head, LedgerStanding
from gaia_harness.records.origin import in_a_box
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.package import (
    FIRST_SCHEMA,
    SCHEMA,
    SCHEMAS,
    AuditOutcome,
    Dataset,
    Harness,
    Metadata,
    StandingRecord,
    Submitter,
    Tools,
    Totals,
)
from gaia_harness.signing.signers import PublicKey
from gaia_harness.submission.file_set import METADATA
from gaia_harness.submission.log_reading import LogReading
from gaia_harness.submission.stated_options import describe_system_prompt

HARNESS = "gaia-harness"

_LONG_NUMBER = re.compile(rb"[\s:,[]-?[0-9]{16}")

T = TypeVar("T")


class Sources(msgspec.Struct, frozen=True, kw_only=True):
    """What metadata is computed from. Only `submitted_at`, `identity` and `facts` are the submitter's word."""

    submitted_at: str
    identity: str
    key: PublicKey
    facts: RunFacts
    intent: Intent
    log: LogReading
    catalogues: Mapping[str, bytes]
    served: Mapping[str, int]
    hosts: Mapping[str, int]
    system_prompts: frozenset[str]
    has_bodies: bool
    ledger: Head
    standing: LedgerStanding
    report: Report


def compute(sources: Sources, schema: str = SCHEMA) -> Metadata:
    """Compute the metadata: the same for submitter and verifier. `schema` is one of `SCHEMAS`."""
    facts, intent, log, report = sources.facts, sources.intent, sources.log, sources.report
    tasks = facts.tasks
    if len(tasks) > intent.tasks:
        raise EvidenceError(f"{METADATA}: facts of {len(tasks)} tasks, and {intent.tasks} were declared")
    scored = scored_tasks(facts)
    standing = sources.standing
    first = schema == FIRST_SCHEMA
    return Metadata(
        schema=schema,
        run_id=intent.run_id,
        submitted_at=sources.submitted_at,
        submitter=Submitter(identity=sources.identity, key_id=sources.key.key_id, fingerprint=sources.key.fingerprint),
        harness=Harness(name=HARNESS, version=intent.harness_version, source_sha256=intent.source_sha256),
        origin=intent.origin,
        model=intent.model,
        endpoint=msgspec.UNSET if first else intent.endpoint,
        served_models=msgspec.UNSET if first else dict(sorted(sources.served.items())),
        hosts=dict(sorted(sources.hosts.items())) if in_a_box(intent.origin) else msgspec.UNSET,
        judge_model=intent.judge_model,
        judge_endpoint=msgspec.UNSET if first else intent.judge_endpoint,
        transcription_endpoint=msgspec.UNSET if first else intent.transcription_endpoint,
        options=msgspec.UNSET if first else intent.options,
        gaia_split=intent.gaia_split,
        levels=intent.levels,
        voting_attempts=intent.voting_attempts,
        seed=intent.seed,
        tools=Tools(
            names=tuple(sorted({name for data in sources.catalogues.values() for name in _tool_names(data)})),
            catalogue_sha256=tuple(sorted(sources.catalogues)),
        ),
        dataset=Dataset(name=facts.dataset, revision=intent.dataset_revision, digest=intent.dataset_digest),
        isolation=facts.isolation,
        totals=Totals(
            tasks=intent.tasks,
            finished=len(tasks),
            passed=sum(bool(task.correct) for task in tasks) if scored else None,
            answered=sum(bool(task.answer) for task in tasks),
            errors=sum(task.error is not None for task in tasks),
            attempts=sum(task.attempts for task in tasks),
            turns=sum(task.turns for task in tasks),
            wall_ms=sum(task.wall_ms for task in tasks),
            input_tokens=total(task.input_tokens for task in tasks),
            output_tokens=total(task.output_tokens for task in tasks),
        ),
        pass_rate=_rate(tasks, intent.tasks) if scored else None,
        pass_rate_by_level={str(level): _level_rate(tasks, level) if scored else None for level in intent.levels},
        audited_pass_rate=_rate(tasks, intent.tasks, leaked_tasks(report.checks)) if scored else None,
        est_cost_usd=total_cost(task.cost_usd for task in tasks),
        judge_cache_integrity_events=log.integrity_events,
        full_bodies=sources.has_bodies,
        standing=StandingRecord(
            said=str(standing),
            number=standing.number,
            runs=standing.runs,
            never_closed=standing.never_closed,
            aborted=standing.aborted,
        ),
        interruptions=msgspec.UNSET if first else log.interruptions.total(intent.harness_version),
        system_prompt=msgspec.UNSET if first else describe_system_prompt(facts, sources.system_prompts),
        log=Head(size=log.size, root=log.root),
        ledger=sources.ledger,
        audit=AuditOutcome(
            clean=report.attestation.clean,
            strict_clean=report.attestation.strict_clean,
            harness_gaps=report.attestation.harness_gaps,
        ),
        dirty=dirty_reasons(facts, intent, log, report) or None,
        facts=facts,
    )


def encode_metadata(metadata: Metadata) -> bytes:
    """metadata.json: indented for people, and the same bytes for the same metadata."""
    return msgspec.json.format(msgspec.json.encode(metadata), indent=2) + b"\n"


def read_metadata(data: bytes) -> Metadata:
    """What metadata.json says, in the one way in which it may be written."""
    metadata = read_exactly(data, Metadata, encode_metadata, where=METADATA)
    if metadata.schema not in SCHEMAS:
        raise EvidenceError(f"{METADATA}: of the schema {metadata.schema[:80]!a}, which this version does not know")
    return metadata


def read_exactly(data: bytes, kind: type[T], encode: Callable[[T], bytes], *, where: str) -> T:
    """A document of ours, which may be written in one way only."""
    try:
        value = msgspec.json.decode(data, type=kind)
        if encode(value) == data and not _LONG_NUMBER.search(data):
            return value
    except UnicodeError as error:
        raise EvidenceError(f"{where}: is not text: {error}") from error
    except (msgspec.MsgspecError, RecursionError) as error:
        raise EvidenceError(f"{where}: {error}") from error
    try:
        strict_json.loads(data, where=where)  # which says best what is odd, a name that stands twice for one
    except strict_json.JsonError as error:
        raise EvidenceError(error.message) from error
    if encode(value) != data:
        raise EvidenceError(f"{where}: not written as it must be")
    return value


def dirty_reasons(
    facts: RunFacts, intent: Intent, log: LogReading, report: Report, *, waived: bool = True
) -> tuple[str, ...]:
    """Every reason why this is not a clean run, from what is recorded; `waived`: also those somebody answers for."""
    reasons = []
    if facts.isolation.get(PYTHON) == UNSANDBOXED:
        reasons.append("python ran without a sandbox")
    if log.integrity_events:
        reasons.append(f"{log.integrity_events} entries of the judge cache were not as they were signed")
    reasons += [f"recording failed: {failure}" for failure in log.failures]
    reasons += [
        f"the trajectory of {task.task_id} is missing" for task in log.finished if task.trajectory_sha256 is None
    ]
    reasons += log.interruptions.total(intent.harness_version).reasons()
    if not log.closed.submittable and not reasons:
        reasons.append("the run says of itself that it is not submittable")
    for check in report.checks:
        count = sum(finding.severity in GATING for finding in check.findings)
        if count:
            reasons.append(f"audit: {check.id} {check.name}: {count} critical or high")
    if waived:
        reasons += [
            f"waived by {finding.waived.who}: {check.id} {finding.rule}"
            f"{'' if finding.task_id is None else f' of {finding.task_id}'}: {finding.waived.reason}"
            for check in report.checks
            for finding in check.findings
            if finding.waived is not None
        ]
    return tuple(reasons)


def scored_tasks(facts: RunFacts) -> bool:
    """Whether there is an answer key to have scored by; without one nothing is claimed."""
    return bool(facts.tasks) and all(task.correct is not None for task in facts.tasks)


def _rate(tasks: Iterable[TaskFacts], of: int, without: frozenset[str] = frozenset()) -> Rate:
    return rate(sum(bool(task.correct) and task.task_id not in without for task in tasks), of)


def _level_rate(tasks: Iterable[TaskFacts], level: int) -> Rate:
    of_level = [task for task in tasks if task.level == level]
    return _rate(of_level, len(of_level))


class _Tool(msgspec.Struct):
    name: str


def _tool_names(catalogue: bytes) -> list[str]:
    try:
        tools = msgspec.json.decode(catalogue, type=list[_Tool])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EvidenceError(f"prompts/: a tool catalogue that is not one: {error}") from error
    return [tool.name for tool in tools]
