"""Builds a package from a run: audits first, lists every reason against it, and leaves a whole package or none."""

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from gaia_harness.audit.evidence import RunEvidence
from gaia_harness.audit.report import EVIDENCE, Report, audit, encode_report
from gaia_harness.audit.waivers import Waiver, canonical
from gaia_harness.errors import EvidenceError, GaiaError, UsageError
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.files import sync_folder, temporary_path
from gaia_harness.records.intent import Intent, differences_from_record
from gaia_harness.records.ledger import CloseEntry, Head, ResumeEntry, ledger_standing
from gaia_harness.records.package import Metadata
from gaia_harness.records.run import read_as_written, read_stated
from gaia_harness.signing.allowed_signers import NAMESPACE
from gaia_harness.signing.intent import open_intent
from gaia_harness.signing.ledger import read_ledger, snapshot
from gaia_harness.signing.signers import Signer, sign_ssh
from gaia_harness.submission.attestation import sign_attestation
from gaia_harness.submission.file_set import (
    ATTESTATION,
    BUFFER,
    CHECKPOINTS,
    INTENT,
    LEDGER,
    LEDGER_CHECKPOINTS,
    LOG,
    METADATA,
    README,
    REPORT,
    RESULTS,
    SIGNATURE,
    SUMS,
    TRAJECTORIES,
    write_sums,
)
from gaia_harness.submission.guessable import guessable_golds
from gaia_harness.submission.log_reading import NEVER_CLOSED, LogReading, read_run_log
from gaia_harness.submission.metadata import Sources, compute, dirty_reasons, encode_metadata
from gaia_harness.submission.packing import Packing
from gaia_harness.submission.private_folder import private_folder
from gaia_harness.submission.readme import readme
from gaia_harness.submission.results import result_line
from gaia_harness.submission.secret_scan import SecretScan
from gaia_harness.submission.verdict import verify
from gaia_harness.timestamps import parse_timestamp


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """Who submits, when, with which ledger, which findings somebody answers for; and keys, with the names of their
    variables, that must not be in the package."""

    signer: Signer
    identity: str
    ledger: Path
    submitted_at: str
    waivers: tuple[Waiver, ...] = ()
    secrets: Mapping[str, str] = {}


class BuiltPackage(msgspec.Struct, frozen=True, kw_only=True):
    """A package that was built."""

    metadata: Metadata
    report: Report
    files: int
    bytes: int
    guessable_golds: int


class SubmissionRefused(GaiaError):
    """The run is not packed; `reasons` says why, and `dirty` whether --allow-dirty would pack it anyway."""

    def __init__(self, reasons: tuple[str, ...], *, dirty: bool) -> None:
        super().__init__(f"this run is not submitted: {reasons[0]}")
        self.reasons = reasons
        self.dirty = dirty


def build(
    run: RunEvidence, out: Path, by: Submission, *, allow_dirty: bool = False, strict: bool = False, keep: bool = True
) -> BuiltPackage:
    """Audit the run and write its package to `out`, a new or empty folder; without `keep`, leave nothing."""
    if parse_timestamp(by.submitted_at) is None:
        raise UsageError(f"not a time: {by.submitted_at[:40]!a}", hint="write 2026-01-02T03:04:05Z")
    intent, log = _sound(run, by)
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise UsageError(f"{out}: the package's folder must be new or empty", hint="choose another --out")
    with (
        _beside(out) if keep else private_folder("gaia-submit") as folder,
        Packing(folder / TRAJECTORIES, by.secrets) as packing,
    ):
        report = audit(run, audited_at=by.submitted_at, waivers=canonical(by.waivers), watch=packing.add)
        reasons = dirty_reasons(run.facts, intent, log, report, waived=False)
        if strict:
            reasons += _not_strictly_clean(report)
        if reasons and not allow_dirty:
            raise SubmissionRefused(reasons, dirty=True)
        if fault := run.unread or packing.fault:
            raise SubmissionRefused((fault,), dirty=False)
        packing.finish()
        metadata = _fill(folder, run, intent, log, report, by, packing)
        if leaks := SecretScan(by.secrets).in_package(folder, {TRAJECTORIES: packing.leak}):
            raise SubmissionRefused(leaks, dirty=False)
        refused = verify(folder)
        if refused.exit_code == 1:
            faults = tuple(fault for line in refused.checks for fault in line.faults)
            raise SubmissionRefused(faults or ("the package does not verify",), dirty=False)
        files = [path for path in folder.rglob("*") if path.is_file()]
        built = BuiltPackage(
            metadata=metadata,
            report=report,
            files=len(files),
            bytes=sum(path.stat().st_size for path in files),
            guessable_golds=guessable_golds(run.facts, log),
        )
        if keep:
            _put(folder, out)
    return built


def _sound(run: RunEvidence, by: Submission) -> tuple[Intent, LogReading]:
    """What no package can do without; all of it is refused at once, whatever the submitter allows."""
    folder = run.folder
    reasons = [*run.faults]
    if not run.facts.record_evidence or not (folder / TRAJECTORIES).is_file():
        reasons.append("there are no trajectories: evidence recording was off (--record-evidence=false)")
    if run.dataset is None:
        reasons.append("the data set is not at hand, and the audit needs it: name it with --dataset")
    elif run.dataset.digest != run.facts.dataset_digest:
        reasons.append("the data set at hand is not the one that the run was made with")
    if len(set(run.facts.task_ids)) != len(run.facts.task_ids):
        reasons.append("run.json: a task stands twice in the task list")
    if not run.facts.submit_intent or not (folder / INTENT).is_file():
        reasons.append("there is no intent: the run was not started with --submit-intent")
        raise SubmissionRefused(tuple(reasons), dirty=False)
    try:
        intent, _ = open_intent((folder / INTENT).read_bytes(), [by.signer.public], where=INTENT)
        for name in differences_from_record(intent, read_as_written(folder)):
            reasons.append(f"run.json: the {name} is not the one that the intent declared")
        _, entries = read_ledger(by.ledger, by.signer.public)
        sizes = [e.log_size for e in entries if isinstance(e, ResumeEntry | CloseEntry) and e.run_id == intent.run_id]
        log = read_run_log(folder, intent.run_id, by.signer.public, roots_at=sizes)
        ledger_standing(entries, intent.run_id)
    except EvidenceError as error:
        reasons.append(error.message + _advice(error.message, folder))
    if reasons:
        raise SubmissionRefused(tuple(reasons), dirty=False)
    return intent, log


def _advice(fault: str, folder: Path) -> str:
    if NEVER_CLOSED in fault:
        return f": it may go on with `gaia run --resume {folder}`"
    if "unknown key" in fault:
        return ": it was declared under another key than yours of today, and only that one could submit it"
    return ""


def _not_strictly_clean(report: Report) -> tuple[str, ...]:
    outcome = report.attestation
    return tuple(
        [f"audit, strictly: {name} has medium findings" for name in outcome.warn_failures]
        + [f"audit, strictly: {name} was skipped" for name in outcome.skipped]
        + [f"audit, strictly: {gap}" for gap in outcome.harness_gaps if gap.startswith(EVIDENCE)]
    )


@contextmanager
def _beside(out: Path) -> Iterator[Path]:
    """A folder beside the one to be, gone afterwards unless it has taken that one's place."""
    new = [place for place in out.parents if not place.exists()]
    out.parent.mkdir(parents=True, exist_ok=True)
    folder = temporary_path(out)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if not out.exists():
            with contextlib.suppress(OSError):
                for place in new:
                    place.rmdir()


def _put(folder: Path, out: Path) -> None:
    """In one step, when everything is on disk: a reader, or a crash at any moment, sees all of it or nothing."""
    for place in (*(path for path in folder.rglob("*") if path.is_dir()), folder):
        sync_folder(place)
    folder.rename(out)
    sync_folder(out.parent)


def _fill(
    folder: Path,
    run: RunEvidence,
    intent: Intent,
    log: LogReading,
    report: Report,
    by: Submission,
    packing: Packing,
) -> Metadata:
    sums = {TRAJECTORIES: packing.sha256}
    for name in (LOG, CHECKPOINTS, INTENT):
        sums[name] = _copy(run.folder / name, folder / name)
    entries, heads = snapshot(by.ledger)
    sums[LEDGER] = _write(folder / LEDGER, entries)
    sums[LEDGER_CHECKPOINTS] = _write(folder / LEDGER_CHECKPOINTS, heads)
    sums[RESULTS] = _write(folder / RESULTS, _results(run, log, packing))
    # the model's words are always packed; flagged outputs of an ordinary run stay at home: only a run that kept every
    # output packs them
    bodies = packing.bodies if packing.every_body and read_stated(run.folder).config.evidence_full_bodies else set()
    for sha256 in sorted(packing.prompts):
        sums[f"prompts/{sha256}"] = _write(folder / "prompts" / sha256, run.texts.prompts.get(sha256))
    for sha256 in sorted(bodies | packing.words):
        name = f"bodies/{sha256}.zst"
        sums[name] = _copy(run.texts.bodies.path(sha256), folder / name)
    tree, ledger = read_ledger(folder, by.signer.public)
    metadata = compute(
        Sources(
            submitted_at=by.submitted_at,
            identity=by.identity,
            key=by.signer.public,
            facts=run.facts,
            intent=intent,
            log=log,
            catalogues={
                sha256: TextStore(folder / "prompts", compressed=False).get(sha256) for sha256 in packing.catalogues
            },
            served=packing.served,
            hosts=packing.hosts,
            system_prompts=frozenset(packing.systems),
            has_bodies=bool(bodies - packing.words),
            ledger=Head(size=tree.size, root=tree.root().hex()),
            standing=ledger_standing(ledger, intent.run_id),
            report=report,
        )
    )
    sums[REPORT] = _write(folder / REPORT, encode_report(report))
    sums[METADATA] = _write(folder / METADATA, encode_metadata(metadata))
    sums[README] = _write(folder / README, readme(metadata, guessable_golds(run.facts, log)))
    _sign(folder, metadata, sums, by.signer)
    return metadata


def _results(run: RunEvidence, log: LogReading, packing: Packing) -> bytes:
    """results.jsonl, in the order of the log."""
    by_task = {task.task_id: task for task in run.facts.tasks}
    missing = [task.task_id for task in log.finished if task.task_id not in by_task]
    if missing:
        raise SubmissionRefused(
            tuple(f"results.jsonl: the line of {task_id[:80]!a} is missing" for task_id in missing), dirty=False
        )
    traces = packing.traces
    lines = [result_line(by_task[task.task_id], traces.get(task.task_id, "")) + b"\n" for task in log.finished]
    return b"".join(lines)


def _sign(folder: Path, metadata: Metadata, sums: Mapping[str, str], signer: Signer) -> None:
    listed = write_sums(sums)
    subjects = {**sums, SUMS: _write(folder / SUMS, listed)}
    _write(folder / SIGNATURE, sign_ssh(signer, NAMESPACE, listed).encode())
    _write(folder / ATTESTATION, sign_attestation(signer, metadata, subjects))


def _write(path: Path, data: bytes) -> str:
    """The hash of what now is on disk."""
    path.parent.mkdir(exist_ok=True)
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return hashlib.sha256(data).hexdigest()


def _copy(source: Path, target: Path) -> str:
    """The same for a file of any size."""
    target.parent.mkdir(exist_ok=True)
    hasher = hashlib.sha256()
    with source.open("rb") as old, target.open("xb") as new:
        while data := old.read(BUFFER):
            hasher.update(data)
            new.write(data)
        new.flush()
        os.fsync(new.fileno())
    return hasher.hexdigest()
