"""Opens what is looked at: a run folder, finished or not, or a package as a folder, a tar or a zip file.

A person looks most closely at what is broken. So what does not hold up is shown as far as it can be read, and said.
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from gaia_harness.audit.evidence import read_package_facts
from gaia_harness.audit.explanations import read_rules
from gaia_harness.audit.findings import Finding
from gaia_harness.audit.report import Report, audit
from gaia_harness.disclosure import DisclosedEndpoint, describe_endpoint, describe_options, disclosed_options
from gaia_harness.errors import EvidenceError, GaiaError, UsageError
from gaia_harness.figures import Rate, rate, total, total_cost
from gaia_harness.records.documents import read_document
from gaia_harness.records.facts import RunFacts
from gaia_harness.records.ledger import AnyEntry, ledger_standing
from gaia_harness.records.origin import Origin, in_a_box, is_unknown, missing_of
from gaia_harness.records.package import Metadata
from gaia_harness.records.run import FILE_NAME, StatedRun, read_stated
from gaia_harness.records.stated import read_run
from gaia_harness.run.at_work import read_moment
from gaia_harness.run.audit_input import open_evidence
from gaia_harness.run.folder import is_running
from gaia_harness.signing.keys import keys_folder
from gaia_harness.signing.ledger import read_ledger
from gaia_harness.submission.archive import NOT_SIGNED, unpacked
from gaia_harness.submission.file_set import INTENT, LOG, METADATA, REPORT
from gaia_harness.submission.verdict import NotExamined, Verdict
from gaia_harness.viewing.reading import RecordedStory, Times, read_times
from gaia_harness.viewing.story import CheckTold, FindingTold, Progress, RuleTold, RunTold, State, silent

Verify = Callable[[Path], Verdict | NotExamined]


class _Submittable(msgspec.Struct):
    """What is asked of a run's summary."""

    submittable: bool | None = None
    non_submittable_reasons: tuple[str, ...] = ()


@contextlib.contextmanager
def open_story(
    path: Path,
    *,
    verify: Verify,
    dataset: str | None = None,
    env: Mapping[str, str],
    progress: Progress = silent,
) -> Iterator[RecordedStory]:
    """The story of a run, which is audited here, or of a package, which is verified by `verify`."""
    if not os.path.lexists(path):
        raise UsageError(f"{path}: there is no such run or package", hint="name a run folder or a package")
    is_run = (path / FILE_NAME).is_file()
    progress("auditing" if is_run else "verifying", 0, 0)
    if path.is_file():
        with unpacked(path) as folder:
            yield _open_package(folder, path.name, verify, archive=True)
    elif is_run:
        yield _open_run(path, dataset, env)
    elif os.path.lexists(path / METADATA):
        yield _open_package(path, path.resolve().name, verify)
    else:
        raise UsageError(
            f"{path}: neither a run nor a package (run.json and metadata.json are missing)",
            hint="name the folder that `gaia run --out` or `gaia submit --out` wrote",
        )


def _open_run(folder: Path, dataset: str | None, env: Mapping[str, str]) -> RecordedStory:
    running = is_running(folder)
    try:
        stated, run = read_run(folder), read_stated(folder)
    except EvidenceError as error:
        hint = error.hint or "gaia runs lists the runs of a folder, and which of them can be read"
        raise UsageError(f"{folder}: cannot be shown: {error.message}", hint=hint) from error
    times = read_times(folder / LOG)
    moment = read_moment(folder)  # shown of tasks that are running
    report, not_audited = (
        (None, "the run goes on; it is audited when it has ended") if running else _audit(folder, dataset, env)
    )
    try:
        summary = read_document(folder / "summary.json", _Submittable)
    except EvidenceError:
        summary = _Submittable()
    told = _glance(stated.facts, report, times)
    told = msgspec.structs.replace(
        told,
        kind="run",
        name=folder.resolve().name,
        state=_state(run, times, running),
        asked_at=_asked_at(run.config.model, run.endpoint),
        agent=_agent(run),
        options=tuple(describe_options(disclosed_options(run.config))),
        started_at=run.started_at or times.started_at,
        finished_at=run.finished_at or times.finished_at,
        declared=_standing(run.run_id, env) if (folder / INTENT).exists() else "",
        submittable=None if running else summary.submittable,
        reasons=summary.non_submittable_reasons,
        not_audited=not_audited,
        faults=() if running else (*stated.faults, *([times.fault] if times.fault else [])),
        told_at="" if moment is None else moment.at,
    )
    now = {} if moment is None else {glance.task_id: str(glance) for glance in moment.tasks}
    return RecordedStory(folder, told, stated.facts, times, stated.questions, stated.golds or {}, now)


def _open_package(folder: Path, name: str, verify: Verify, *, archive: bool = False) -> RecordedStory:
    try:
        facts = read_package_facts(folder)
    except EvidenceError as error:
        raise UsageError(f"{name}: cannot be shown: {error.message}", hint="gaia verify says what is wrong") from error
    verdict = verify(folder)
    if archive and isinstance(verdict, Verdict):
        verdict = msgspec.structs.replace(verdict, notes=(*verdict.notes, NOT_SIGNED))
    faults: list[str] = []
    metadata, report = None, None
    try:
        metadata = read_document(folder / METADATA, Metadata)
        report = read_document(folder / REPORT, Report)
    except EvidenceError as error:
        faults.append(error.message)
    times = read_times(folder / LOG)
    dirty = () if metadata is None else metadata.dirty or ()
    told = msgspec.structs.replace(
        _glance(facts, report, times),
        kind="package",
        name=name,
        state="aborted" if times.status == "aborted" else "closed" if times.status else "interrupted",
        asked_at="" if metadata is None else _asked_at(facts.model, metadata.endpoint),
        agent=_recorder(facts.origin, facts.harness_version),
        options=() if metadata is None else tuple(describe_options(metadata.options or {})),
        declared="" if metadata is None else metadata.standing.said,
        submittable=None if metadata is None else not dirty,
        reasons=dirty,
        verdict=verdict,
        not_audited="" if report is not None else f"{REPORT} cannot be read",
        faults=(*faults, *([times.fault] if times.fault else [])),
    )
    return RecordedStory(folder, told, facts, times, {}, {})


def _audit(folder: Path, dataset: str | None, env: Mapping[str, str]) -> tuple[Report | None, str]:
    try:
        return audit(open_evidence(folder, dataset, env), audited_at=""), ""
    except GaiaError as error:
        return None, f"cannot be audited: {error.message}"


def _glance(facts: RunFacts, report: Report | None, times: Times) -> RunTold:
    """What is said of runs and packages alike; all figures are counted here from the tasks, or by the audit."""
    tasks = facts.tasks
    asked = len(set(facts.task_ids)) or len(tasks)
    scored = any(task.correct is not None for task in tasks)
    raw = rate(sum(task.correct is True for task in tasks), asked) if scored else None
    findings = () if report is None else tuple(_findings(report))
    return RunTold(
        kind="run",
        name="",
        state="closed",
        run_id=facts.run_id,
        model=facts.model,
        agent="",
        dataset=facts.dataset,
        split=facts.gaia_split,
        revision=facts.dataset_revision,
        digest=facts.dataset_digest,
        harness=facts.harness_version,
        judge_model=facts.judge_model,
        voting_attempts=facts.voting_attempts,
        started_at=times.started_at,
        finished_at=times.finished_at,
        total=asked,
        finished=len(tasks),
        errors=sum(task.error is not None for task in tasks),
        raw=raw if report is None else report.totals.raw,
        audited=None if report is None else report.totals.audited,
        not_counted=() if report is None else report.totals.tasks_not_counted,
        levels=_levels(facts) if scored else {},
        cost=total_cost(task.cost_usd for task in tasks),
        tokens_in=total(task.input_tokens for task in tasks),
        tokens_out=total(task.output_tokens for task in tasks),
        turns=sum(task.turns for task in tasks),
        wall_ms=sum(task.wall_ms for task in tasks),
        origin="" if isinstance(facts.origin, msgspec.UnsetType) else facts.origin.describe(),
        gaps=missing_of(facts.origin) if report is None else report.attestation.harness_gaps,
        clean=None if report is None else report.attestation.clean,
        checks=() if report is None else tuple(_checks(report)),
        findings=findings,
        rules=_rules(findings),
        boxed=in_a_box(facts.origin),
        untimed=is_unknown(facts.origin, "times"),
    )


def _levels(facts: RunFacts) -> dict[str, Rate]:
    """Of the tasks that are finished: of the others the level is not known."""
    by_level: dict[int, list[bool]] = {}
    for task in facts.tasks:
        by_level.setdefault(task.level, []).append(task.correct is True)
    return {str(level): rate(sum(right), len(right)) for level, right in sorted(by_level.items())}


def _findings(report: Report) -> Iterator[FindingTold]:
    named: list[tuple[str, Finding]] = [(check.id, each) for check in report.checks for each in check.findings]
    for number, (check, finding) in enumerate(named, start=1):
        waived = finding.waived
        yield FindingTold(
            number=number,
            check=check,
            rule=finding.rule,
            severity=finding.severity,
            summary=finding.summary,
            task=finding.task_id,
            attempt=finding.attempt,
            seq=finding.seq,
            field=finding.field or "",
            offset=finding.offset,
            view=finding.view or "",
            excerpt=finding.excerpt,
            waived="" if waived is None else f"waived by {waived.who}: {waived.reason}",
        )


def _checks(report: Report) -> Iterator[CheckTold]:
    for check in report.checks:
        yield CheckTold(
            id=check.id,
            name=check.name,
            status=check.status,
            findings=len(check.findings),
            gap=check.harness_gap or "",
        )


def _rules(findings: tuple[FindingTold, ...]) -> tuple[RuleTold, ...]:
    """What the rules mean that found something."""
    wanted = {(finding.check, finding.rule) for finding in findings}
    if not wanted:
        return ()
    return tuple(
        RuleTold(check=rule.check, name=rule.name, means=said.means, sign=said.sign, honest=said.honest)
        for rule in read_rules()
        if (rule.check, rule.name) in wanted and (said := rule.said)
    )


def _state(run: StatedRun, times: Times, running: bool) -> State:
    if not isinstance(run.origin, msgspec.UnsetType) and run.origin.kind == "imported":
        return "imported"
    if running:
        return "running"
    if run.state == "aborted" or times.status == "aborted":
        return "aborted"
    return "closed" if run.state == "closed" else "interrupted"


def _asked_at(model: str, endpoint: DisclosedEndpoint | msgspec.UnsetType) -> str:
    """Where the model was asked, in words that follow its name."""
    return describe_endpoint(model, endpoint).removeprefix(model).lstrip(",; ") if endpoint else ""


def _agent(run: StatedRun) -> str:
    """Who worked on the tasks. Of a program in a folder the name alone: its path is nobody else's business."""
    agent = disclosed_options(run.config).get("agent")
    if isinstance(agent, dict):
        return f"{agent.get('given')} {agent.get('version') or ''}".strip()
    return _recorder(run.origin, run.versions.get("gaia_harness", ""))


def _recorder(origin: Origin | msgspec.UnsetType, version: str) -> str:
    if isinstance(origin, msgspec.UnsetType):
        return f"gaia-harness {version}".strip()
    return str(origin.format) if origin.kind == "imported" else origin.recorded_by


def _standing(run_id: str, env: Mapping[str, str]) -> str:
    """How a declared run stands among all that were declared on its task list, by this user's own ledgers."""
    try:
        keys = keys_folder(env)
        stored = keys.stored("submit")
        public = [*keys.retired_public_keys("submit"), *([] if stored is None else [stored.public])]
        entries: list[AnyEntry] = []
        for key in public:
            entries += read_ledger(keys.path / "ledgers" / key.key_id, key)[1]
        return str(ledger_standing(entries, run_id))
    except (GaiaError, OSError):
        return "before it began; the ledger that counts it is not on this machine"
