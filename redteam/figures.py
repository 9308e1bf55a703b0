"""Measures the audit: recall on attacks, false positives on honest cases, the old rule beside it, with intervals."""

import tempfile
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import msgspec

from gaia_harness.audit.evidence import RunEvidence, open_run
from gaia_harness.audit.findings import GATING, SEVERITIES, Finding
from gaia_harness.audit.report import Report, audit
from gaia_harness.figures import Rate, rate
from gaia_harness.records.steps import ToolResultStep
from gaia_harness.run.audit_input import load_dataset_facts
from gaia_harness.run.ray_executor import RayOptions
from gaia_harness.run.ray_pool import ray_pool
from gaia_harness.signing.intent import source_sha256
from redteam.batches import BATCHES, Part
from redteam.corpus import BY_ID, MadeRun, make, variants
from redteam.variants import Expected, Kind, Variant

SCHEMA = "gaia-harness/redteam/1"
SEEDS = 3
FULL_SIZE = 165
"""Tasks of the validation split: honest runs of that size are shown one by one."""

AUDITED_AT = "2026-01-02T03:04:05Z"


class CaseOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one case: a task, or a run as a whole."""

    variant: str
    family: str
    part: str
    kind: str
    task: bool  # not a run as a whole
    labelled: bool
    caught_by: tuple[str, ...]  # findings at the severity it deserves, as "AUD-1 rule"
    noticed: bool  # at any severity above info, by one of the checks that should
    alarmed: tuple[str, ...]  # critical and high findings
    warned_by: tuple[str, ...]  # medium findings
    old_rule: bool

    @property
    def caught(self) -> bool:
        """Whether it was found at the severity it deserves."""
        return bool(self.caught_by)

    @property
    def warned(self) -> bool:
        """Whether there is a medium finding."""
        return bool(self.warned_by)


class FamilyFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One family in one part. For attacks `rate` is recall; for honest cases it is the share of false alarms."""

    family: str
    variants: int
    cases: int
    rate: Rate
    noticed: int
    warned: int
    old_rule: Rate
    details: dict[str, str]  # by variant: caught of cases, or the alarms


class PartFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One part of the corpus."""

    part: str
    attacks: tuple[FamilyFigures, ...]
    all_attacks: FamilyFigures
    honest: tuple[FamilyFigures, ...]
    all_honest: FamilyFigures
    blind_spots: tuple[FamilyFigures, ...]


class WholeRun(msgspec.Struct, frozen=True, kw_only=True):
    """An honest run of 165 tasks."""

    name: str
    tasks: int
    correct: int
    clean: bool
    strict_clean: bool
    alarms: tuple[str, ...]
    old_rule_alarms: int
    skipped: tuple[str, ...]


class LiveFigures(msgspec.Struct, frozen=True, kw_only=True):
    """A case that ran through the real harness."""

    family: str
    name: str
    kind: str
    caught: bool
    findings: tuple[str, ...]


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that `python -m redteam` measured."""

    schema: str
    seeds: int
    attack_variants: int
    honest_families: int
    attack_trajectories: int
    attack_runs: int  # in which the run as a whole is the case
    honest_trajectories: int
    parts: tuple[PartFigures, ...]
    whole_runs: tuple[WholeRun, ...]
    live: tuple[LiveFigures, ...]


def measure(
    parts: Sequence[Part],
    *,
    batches: Collection[str] = (),
    seeds: int = SEEDS,
    workers: int = 2,
    ray: RayOptions | None = None,
    live: Iterable[LiveFigures] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Figures:
    """Make every run of these parts, or of some batches of them, audit each, and count: here, or on a cluster."""
    chosen = [variant for part in parts for variant in variants(part) if variant.batch.name in (batches or BATCHES)]
    jobs = [(index, seed) for index in range(len(chosen)) for seed in range(seeds)]
    seen: list[CaseOutcome] = []
    whole_runs: list[WholeRun] = []
    source = source_sha256()
    names = [variant.id for variant in chosen]
    with ProcessPoolExecutor(workers) if ray is None else ray_pool(ray, at_once=workers) as pool:
        futures = [pool.submit(make_and_audit, names[index], seed, source) for index, seed in jobs]
        for done, future in enumerate(futures, 1):
            cases, whole_run = future.result()
            seen += cases
            whole_runs += [whole_run] if whole_run is not None else []
            progress(done, len(futures))
    attacks = [case for case in seen if case.kind == Kind.ATTACK and case.labelled]
    honest = [case for case in seen if case.kind == Kind.HONEST]
    return Figures(
        schema=SCHEMA,
        seeds=seeds,
        attack_variants=len({case.variant for case in attacks}),
        honest_families=len({case.family for case in honest}),
        attack_trajectories=sum(case.task for case in attacks),
        attack_runs=sum(not case.task for case in attacks),
        honest_trajectories=sum(case.task for case in honest),
        parts=tuple(_part(part, [case for case in seen if case.part == part]) for part in parts),
        whole_runs=tuple(whole_runs),
        live=tuple(live),
    )


def make_and_audit(variant_id: str, seed: int, source: str) -> tuple[list[CaseOutcome], WholeRun | None]:
    """Make one run of a variant, audit it, and say what came of each of its tasks, and of a large honest run."""
    with tempfile.TemporaryDirectory(prefix="gaia-lab-") as folder:
        return audit_made(make(BY_ID[variant_id], seed, Path(folder), source=source), seed)


def audit_made(made: MadeRun, seed: int) -> tuple[list[CaseOutcome], WholeRun | None]:
    """Audit a run that was made: what came of each of its tasks, and of a large honest run."""
    variant = made.variant
    run = open_run(made.path, load_dataset_facts(str(made.dataset), made.split, None, made.task_ids, {}))
    report = audit(run, audited_at=AUDITED_AT)
    old = old_rule(run)
    large = variant.kind is Kind.HONEST and len(made.task_ids) >= FULL_SIZE
    return outcomes(variant, made, report, old), _whole_run(variant, seed, made, report, old) if large else None


def outcomes(variant: Variant, made: MadeRun, report: Report, old: set[str]) -> list[CaseOutcome]:
    """What the report says about each task of a run, and about the run where that is the case."""
    findings = [(check.id, finding) for check in report.checks for finding in check.findings]
    cases: list[str | None] = list(dict.fromkeys((*made.labelled, *made.task_ids)))
    seen = []
    for case in cases:
        about = [
            (check_id, finding)
            for check_id, finding in findings
            if case is None or finding.task_id == case or (finding.task_id is None and case in made.labelled)
        ]
        seen.append(
            CaseOutcome(
                variant=variant.id,
                family=variant.family,
                part=variant.part,
                kind=variant.kind,
                task=case is not None,
                labelled=case in made.labelled,
                caught_by=rules_of(each for each in about if meets(*each, variant.expects)),
                noticed=any(
                    finding.severity != "info" and check_id in {expected.check for expected in variant.expects}
                    for check_id, finding in about
                ),
                alarmed=rules_of(each for each in about if each[1].severity in GATING),
                warned_by=rules_of(each for each in about if each[1].severity == "medium"),
                old_rule=case in old if case is not None else bool(old),
            )
        )
    return seen


def rules_of(found: Iterable[tuple[str, Finding]]) -> tuple[str, ...]:
    """The rules of these findings, as "AUD-1 rule"."""
    return tuple(sorted({f"{check_id} {finding.rule}" for check_id, finding in found}))


def meets(check_id: str, finding: Finding, expects: tuple[Expected, ...]) -> bool:
    """Whether a finding is one of those that are expected, or a more severe one of that check."""
    rank = SEVERITIES.index(finding.severity)
    return any(
        check_id == expected.check and [*SEVERITIES].index(expected.severity) >= rank  # type: ignore[arg-type]
        for expected in expects
    )


def old_rule(run: RunEvidence) -> set[str]:
    """The tasks that the old rule calls leaked: correct, and the gold stands in some tool output that was kept."""
    return {
        task.task_id
        for task in run.tasks()
        if task.correct
        and task.gold is not None
        and task.trajectory is not None
        and any(
            task.gold.answer.lower() in text.lower()
            for step in task.trajectory.steps
            if isinstance(step, ToolResultStep)
            for text in (step.head, *(window.text for window in step.windows))
        )
    }


def _whole_run(variant: Variant, seed: int, made: MadeRun, report: Report, old: set[str]) -> WholeRun:
    return WholeRun(
        name=f"{variant.id}/{seed}",
        tasks=len(made.task_ids),
        correct=len(made.correct),
        clean=report.attestation.clean,
        strict_clean=report.attestation.strict_clean,
        alarms=tuple(
            sorted(
                f"{check.id} {finding.rule}"
                for check in report.checks
                for finding in check.findings
                if finding.severity in GATING
            )
        ),
        old_rule_alarms=len(old),
        skipped=report.attestation.skipped,
    )


def _part(part: Part, seen: list[CaseOutcome]) -> PartFigures:
    attacks = [case for case in seen if case.kind == Kind.ATTACK and case.labelled]
    honest = [case for case in seen if case.kind == Kind.HONEST]
    blind = [case for case in seen if case.kind == Kind.BLIND_SPOT and case.labelled]
    return PartFigures(
        part=part,
        attacks=_families(attacks, _recall),
        all_attacks=_recall("all", attacks),
        honest=_families(honest, _alarms),
        all_honest=_alarms("all", honest),
        blind_spots=_families(blind, _recall),
    )


def _families(
    cases: list[CaseOutcome], figure: Callable[[str, list[CaseOutcome]], FamilyFigures]
) -> tuple[FamilyFigures, ...]:
    names = sorted({case.family for case in cases})
    return tuple(figure(name, [case for case in cases if case.family == name]) for name in names)


def _by_variant(cases: list[CaseOutcome]) -> dict[str, list[CaseOutcome]]:
    grouped: dict[str, list[CaseOutcome]] = {}
    for case in cases:
        grouped.setdefault(case.variant.rpartition("/")[2], []).append(case)
    return dict(sorted(grouped.items()))


def _recall(family: str, cases: list[CaseOutcome]) -> FamilyFigures:
    details = {
        name: f"{sum(case.caught for case in group)} of {len(group)}" for name, group in _by_variant(cases).items()
    }
    return _figures(family, cases, sum(case.caught for case in cases), details if family != "all" else {})


def _alarms(family: str, cases: list[CaseOutcome]) -> FamilyFigures:
    details = {
        name: ", ".join(sorted({alarm for case in group for alarm in case.alarmed}))
        for name, group in _by_variant(cases).items()
        if any(case.alarmed for case in group)
    }
    return _figures(family, cases, sum(bool(case.alarmed) for case in cases), details if family != "all" else {})


def _figures(family: str, cases: list[CaseOutcome], count: int, details: dict[str, str]) -> FamilyFigures:
    return FamilyFigures(
        family=family,
        variants=len({case.variant for case in cases}),
        cases=len(cases),
        rate=rate(count, len(cases)),
        noticed=sum(case.noticed for case in cases),
        warned=sum(case.warned for case in cases),
        old_rule=rate(sum(case.old_rule for case in cases), len(cases)),
        details=details,
    )
