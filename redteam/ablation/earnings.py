"""Counts what each rule earns: which attacks it alone catches, and which honest tasks it alone alarms.

One pass over the lab is enough for all rules: a rule is left out by leaving its findings out of the reports. A
mechanism inside a rule is switched off, and every run is audited once more.
"""

import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import resources
from pathlib import Path

import msgspec

import gaia_harness.audit
from gaia_harness.audit.findings import GATING
from gaia_harness.signing.intent import source_sha256
from redteam.batches import Part
from redteam.corpus import BY_ID, make
from redteam.figures import CaseOutcome, audit_made
from redteam.real.measure import COPIES, GUILTY, Label, Source, TaskRun, measure
from redteam.switches import switched
from redteam.variants import Kind
from redteam.versions import searched, versions

HELD_OUT = (Part.TEST, Part.UNUSUAL, Part.SEALED)
PARTS = tuple(part.value for part in Part)


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """What the audit says of the lab and of real runs, or how much less it says without something."""

    attacks: dict[str, int]  # caught, by part
    honest_gated: int  # in the lab
    honest_warned: int
    copies: int  # real, found as they deserve
    real_gated: int  # honest ones
    real_warned: int

    @property
    def matters(self) -> bool:
        """Of what is lost: whether an attack or a copy is, or more honest tasks are gated instead."""
        return sum(self.attacks.values()) + self.copies > 0 or min(self.honest_gated, self.real_gated) < 0


class Earning(msgspec.Struct, frozen=True, kw_only=True):
    """What is lost without a rule, or with a mechanism switched off. What is negative is found more."""

    name: str
    findings: int  # cases and task-runs on which the rule says anything above low; 0 for a mechanism
    lost: Tally

    @property
    def idle(self) -> bool:
        """Whether nothing would be missed without it."""
        return not self.lost.matters


class Ablation(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that `python -m redteam.ablation` measured."""

    seeds: int
    variants: int
    real_task_runs: int
    versions: int  # altered ones of the program
    whole: Tally
    rules: tuple[Earning, ...]
    spare: tuple[str, ...]  # rules that could all go at once, with no attack and no copy lost
    switches: tuple[Earning, ...]


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What an audit said: of cases of the lab, and of real task-runs."""

    cases: list[CaseOutcome]
    task_runs: list[TaskRun]


class RealRuns(msgspec.Struct, frozen=True, kw_only=True):
    """Sources of real runs, imported below `place`."""

    sources: list[Source]
    dataset: str
    labels: list[Label]
    place: Path


def ablate(
    variant_ids: Sequence[str],
    *,
    seeds: int = 1,
    real: RealRuns | None = None,
    versioned: bool = False,
    switches: Collection[str] = (),
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Ablation:
    """Audit runs of these variants and real runs, and count what is lost without each rule and mechanism.

    `versioned`: search altered versions of the program, too.
    """
    names = ("", *switches)
    jobs = [(variant_id, seed) for variant_id in variant_ids for seed in range(seeds)]
    cases: dict[str, list[CaseOutcome]] = {name: [] for name in names}
    for done, outcomes in enumerate(_audited(jobs, names, workers), 1):
        for name, outcome in zip(names, outcomes, strict=True):
            cases[name] += outcome
        progress(done, len(jobs))
    altered = [searched(version) for version in versions()] if versioned else []
    seen = {name: Seen(cases=[*cases[name], *altered], task_runs=_real(real, name, workers)) for name in names}
    plain = seen[""]
    whole = tally(plain)
    rules = tuple(
        Earning(name=rule, findings=_said(plain, rule), lost=less(whole, tally(plain, without={rule})))
        for rule in sorted(rules_of(plain) | described_rules(), key=_order)
    )
    return Ablation(
        seeds=seeds,
        variants=len(variant_ids),
        real_task_runs=len(plain.task_runs),
        versions=len(altered),
        whole=whole,
        rules=rules,
        spare=_spare(plain, whole, rules),
        switches=tuple(Earning(name=name, findings=0, lost=less(whole, tally(seen[name]))) for name in switches),
    )


def tally(seen: Seen, *, without: Collection[str] = ()) -> Tally:
    """Count what is caught and alarmed when the findings of these rules are left out."""
    left_out = frozenset(without)
    attacks: Counter[str] = Counter(dict.fromkeys(PARTS, 0))
    gated = warned = 0
    for case in seen.cases:
        if case.kind == Kind.ATTACK and case.labelled:
            attacks[case.part] += bool(set(case.caught_by) - left_out)
        elif case.kind == Kind.HONEST:
            gates = bool(set(case.alarmed) - left_out)
            gated += gates
            warned += not gates and bool(set(case.warned_by) - left_out)
    kept = [
        msgspec.structs.replace(run, found=tuple(found for found in run.found if found.rule not in left_out))
        for run in seen.task_runs
    ]
    honest = [run for run in kept if run.label not in GUILTY]
    return Tally(
        attacks=dict(attacks),
        honest_gated=gated,
        honest_warned=warned,
        copies=sum(run.label in COPIES and run.met for run in kept),
        real_gated=sum(run.worst in GATING for run in honest),
        real_warned=sum(run.worst == "medium" for run in honest),
    )


def less(more: Tally, fewer: Tally) -> Tally:
    """By how much one tally exceeds another."""
    return Tally(
        attacks={part: more.attacks[part] - fewer.attacks[part] for part in PARTS},
        honest_gated=more.honest_gated - fewer.honest_gated,
        honest_warned=more.honest_warned - fewer.honest_warned,
        copies=more.copies - fewer.copies,
        real_gated=more.real_gated - fewer.real_gated,
        real_warned=more.real_warned - fewer.real_warned,
    )


def rules_of(seen: Seen) -> set[str]:
    """The rules that said anything above low, or what an attack deserves."""
    return {rule for case in seen.cases for rule in _spoken(case)} | {
        found.rule for run in seen.task_runs for found in run.found
    }


def described_rules() -> set[str]:
    """The rules that the audit describes as able to warn or gate: one that never speaks must be in the table, too."""
    folder = resources.files(gaia_harness.audit).joinpath("rules")
    found: set[str] = set()
    for file in folder.iterdir() if folder.is_dir() else ():
        if file.name.endswith(".toml"):
            check = file.name.removesuffix(".toml").upper()
            for rule, described in tomllib.loads(file.read_text("utf-8")).items():
                if {"critical", "high", "medium"} & set(described.get("severities", ())):
                    found.add(f"{check} {rule}")
    return found


def _spare(seen: Seen, whole: Tally, rules: Sequence[Earning]) -> tuple[str, ...]:
    """Of rules that earn nothing alone, those that could go together; of two that do the same, the quieter one."""
    gone: list[str] = []
    for rule in sorted((each for each in rules if each.idle), key=lambda each: (each.findings, each.name)):
        if not less(whole, tally(seen, without=[*gone, rule.name])).matters:
            gone.append(rule.name)
    return tuple(sorted(gone, key=_order))


def _spoken(case: CaseOutcome) -> tuple[str, ...]:
    return (*case.caught_by, *case.alarmed, *case.warned_by)


def _said(seen: Seen, rule: str) -> int:
    cases = sum(rule in _spoken(case) for case in seen.cases)
    return cases + sum(any(found.rule == rule for found in run.found) for run in seen.task_runs)


def _order(rule: str) -> tuple[int, str]:
    check, _, name = rule.partition(" ")
    return int(check.removeprefix("AUD-")), name


def _audited(
    jobs: Sequence[tuple[str, int]], names: Sequence[str], workers: int
) -> Iterator[tuple[list[CaseOutcome], ...]]:
    source = source_sha256()
    given = ([job[0] for job in jobs], [job[1] for job in jobs], [source] * len(jobs), [names] * len(jobs))
    if workers == 1:
        yield from map(_made_and_audited, *given)
    else:
        with ProcessPoolExecutor(workers) as pool:
            yield from pool.map(_made_and_audited, *given, chunksize=4)


def _made_and_audited(variant_id: str, seed: int, source: str, names: Sequence[str]) -> tuple[list[CaseOutcome], ...]:
    """Make a run once, and audit it as the audit is and with each mechanism switched off."""
    found = []
    with tempfile.TemporaryDirectory(prefix="gaia-lab-") as folder:
        made = make(BY_ID[variant_id], seed, Path(folder), source=source)
        for name in names:
            with switched(name):
                found.append(audit_made(made, seed)[0])
    return tuple(found)


def _real(real: RealRuns | None, name: str, workers: int) -> list[TaskRun]:
    if real is None:
        return []
    measured = measure(real.sources, real.dataset, real.labels, real.place, workers=workers, switch=name)
    return [run for source in measured for run in source.task_runs]
