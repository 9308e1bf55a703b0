"""The eighth check, with the data set: recomputes every score and repeats the audit."""

from gaia_harness.audit.evidence import DatasetFacts, open_package
from gaia_harness.audit.report import audit, encode_report, waive
from gaia_harness.audit.waivers import LOWERS, waivers_of
from gaia_harness.figures import counted
from gaia_harness.judge import scorer
from gaia_harness.signing.intent import source_sha256
from gaia_harness.submission.checks import Fault
from gaia_harness.submission.examination import Examination
from gaia_harness.submission.file_set import METADATA, REPORT


def check_dataset(package: Examination, dataset: DatasetFacts, unclean: list[str]) -> str:
    """8. Digest, scores, audit. What only our own audit finds wrong is put into `unclean`."""
    facts, report = package.metadata.facts, package.report
    if dataset.digest != facts.dataset_digest:
        raise Fault(
            f"{METADATA}: made with another data set (digest {facts.dataset_digest[:12]}…, here {dataset.digest[:12]}…)"
        )
    faults = []
    for task in facts.tasks:
        gold = dataset.key.get(task.task_id)
        correct = None if gold is None else scorer.question_scorer(task.answer, gold.answer)
        if correct != task.correct:
            faults.append(f"{METADATA}: {task.task_id[:80]!a} is scored {task.correct}, the scorer says {correct}")
        if dataset.levels.get(task.task_id) != task.level:
            faults.append(f"{METADATA}: {task.task_id[:80]!a} is not of level {task.level}")
    if faults:
        raise Fault(*faults)
    # without waivers: theirs are held against what we find ourselves, so that none excuses what it does not disclose
    ours = audit(open_package(package.files.folder, dataset), audited_at=report.audited_at)
    scored = f"{counted(len(facts.tasks), 'answer')} scored again"
    if report.inputs.harness_source_sha256 == source_sha256():
        repeated = encode_report(waive(ours, waivers_of(report.waivers)))
        if repeated != package.files.read(REPORT):
            raise Fault(f"{REPORT}: the audit gives another report: {_difference(repeated, package)}")
        return f"{scored}, the audit repeated, byte for byte"
    # another version has other checks: its report cannot be repeated, and ours is believed where it is worse
    disclosed = tuple(use for use in report.waivers if LOWERS in use.outcome)
    excused = waive(ours, waivers_of(disclosed)).attestation
    if not excused.clean:
        unclean.append(f"audit by this version: {', '.join(excused.critical_failures)} critical or high")
    said = "NOT clean"
    if excused.clean:
        said = "clean" if ours.attestation.clean else "clean but for what is waived"
    return f"{scored}; {REPORT} was made by another version, our own audit says {said}"


def _difference(ours: bytes, package: Examination) -> str:
    """The first line in which two reports differ."""
    theirs = package.files.read(REPORT).decode("utf-8", "replace").split("\n")
    for number, (mine, other) in enumerate(zip(ours.decode("utf-8", "replace").split("\n"), theirs, strict=False), 1):
        if mine != other:
            return f"line {number} is {other.strip()[:80]!a}, and should be {mine.strip()[:80]!a}"
    return "one is longer"
