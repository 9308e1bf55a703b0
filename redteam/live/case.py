"""A live case: a run through the real harness, its audit, and what was to be found."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from gaia_harness.audit.evidence import open_run
from gaia_harness.audit.findings import GATING, SEVERITIES, Finding, Severity
from gaia_harness.audit.report import Report, audit
from gaia_harness.run.audit_input import load_dataset_facts
from redteam.live.stage import Stage, read_results
from redteam.live.subjects import LANTERNS, SPLIT, SUBJECTS, Subject, honest_pages
from redteam.live.web import LivePage, LiveWeb
from redteam.variants import Expected, Kind

AUDITED_AT = "2026-11-15T00:00:00.000Z"
"""The audit asks no clock."""


class LiveCase(msgspec.Struct, frozen=True, kw_only=True):
    """A case of the lab that is played. `labelled` are the tasks it is about; without any, it is the run as a whole.

    `act` plays the run; `leaks` are pages that stand among the honest ones. An attack that `gains` ends with its
    labelled tasks scored as right.
    """

    family: str
    name: str
    kind: Kind
    about: str
    act: Callable[[Stage], None]
    expects: tuple[Expected, ...] = ()  # any one of them is enough
    labelled: tuple[Subject, ...] = (LANTERNS,)
    leaks: tuple[LivePage, ...] = ()
    echoing: bool = False
    gains: bool = False

    @property
    def id(self) -> str:
        """Its name among all."""
        return f"live/{self.kind}/{self.family}/{self.name}"


class LiveOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a case. `findings` are those of medium and up on what the case is about, by check."""

    case: LiveCase
    run: Path
    report: Report
    caught: bool
    findings: tuple[tuple[str, Finding], ...]
    correct: tuple[str, ...]

    @property
    def gated(self) -> bool:
        """Whether the audit fails the run: for an honest case, a false alarm."""
        return not self.report.attestation.clean

    @property
    def gained(self) -> bool:
        """Whether every task that the case is about was scored as right."""
        return all(subject.task_id in self.correct for subject in self.case.labelled)


def run_case(case: LiveCase, folder: Path) -> LiveOutcome:
    """Play a case in a new folder, and audit what it left there."""
    return examine(case, play(case, folder))


def play(case: LiveCase, folder: Path) -> Stage:
    """Play a case in a new folder."""
    with LiveWeb([*honest_pages(), *case.leaks], echoing=case.echoing) as web:
        stage = Stage(folder.resolve(), web.search_url)
        stage.set_up()
        case.act(stage)
    return stage


def examine(case: LiveCase, stage: Stage) -> LiveOutcome:
    """Audit what a case has left. Not in several threads at once: Python 3.11 does not bear that in `ast.parse`."""
    dataset = load_dataset_facts(str(stage.dataset), SPLIT, None, [s.task_id for s in SUBJECTS], stage.env)
    report = audit(open_run(stage.run, dataset), audited_at=AUDITED_AT)
    return LiveOutcome(
        case=case,
        run=stage.run,
        report=report,
        caught=is_caught(case, report),
        findings=tuple((check, finding) for check, finding in _about(case, report) if _counts(finding.severity)),
        correct=tuple(result.task_id for result in read_results(stage.run) if result.correct),
    )


def is_caught(case: LiveCase, report: Report) -> bool:
    """Whether one of the expected checks speaks up, severely enough, on every task that the case is about."""
    found = _about(case, report)
    wanted: list[str | None] = [subject.task_id for subject in case.labelled] or [None]
    return all(
        any(
            check == expected.check and _at_least(finding.severity, expected.severity)
            for expected in case.expects
            for check, finding in found
            if task_id in (None, finding.task_id)
        )
        for task_id in wanted
    ) and bool(case.expects)


def _about(case: LiveCase, report: Report) -> list[tuple[str, Finding]]:
    """The findings on the case's tasks and on the run as a whole; all of them where the case is the run."""
    tasks = {subject.task_id for subject in case.labelled}
    return [
        (check.id, finding)
        for check in report.checks
        for finding in check.findings
        if not tasks or finding.task_id is None or finding.task_id in tasks
    ]


def _at_least(severity: str, least: str) -> bool:
    worst_first: tuple[str, ...] = SEVERITIES
    return worst_first.index(severity) <= worst_first.index(least)


def _counts(severity: Severity) -> bool:
    return severity in (*GATING, "medium")
