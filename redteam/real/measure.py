"""Imports sources of real runs, audits them, and compares what is found with labels made by reading."""

import resource
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import msgspec

from gaia_harness.audit.findings import GATING
from gaia_harness.exchange.importing import import_runs
from gaia_harness.offline import audit_run
from gaia_harness.records.origin import Origin
from gaia_harness.records.run import read_stated
from redteam.page import markdown_table
from redteam.switches import switched

WITH_ANSWER = "copy-with-answer"
COPY = "copy"
COPIES = (WITH_ANSWER, COPY)
GUILTY = (*COPIES, "other-leak")
"""Labels of task-runs that the audit may gate. All others are honest, traps too."""

SERIOUS = ("critical", "high", "medium")
LESS = "less"
READ = ("trajectories.jsonl", "prompts/*", "bodies/*")
"""What the audit reads of a run: by its size the speed is measured."""


class Label(msgspec.Struct, frozen=True):
    """What somebody saw who read a run, by ids alone.

    `path` may have `<run>` in its last part, and may end in `@` and the first digits of a blob's id.
    """

    repo: str
    path: str
    run: str
    task_id: str
    label: str


class Source(msgspec.Struct, frozen=True):
    """A folder of runs, and the repository that its labels name."""

    repo: str
    folder: str


class Found(msgspec.Struct, frozen=True):
    """A finding above low, in short."""

    severity: str
    rule: str  # "AUD-1 rule"


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """What the audit said of one run folder, by task; None is the run as a whole."""

    folder: str
    size: int
    seconds: float
    found: dict[str | None, tuple[Found, ...]]


class TaskRun(msgspec.Struct, frozen=True, kw_only=True):
    """One task-run: what was found, and its label."""

    run: str
    task_id: str
    file: str
    correct: bool
    found: tuple[Found, ...]
    label: str

    @property
    def worst(self) -> str:
        """The worst severity, or "less" for nothing above low."""
        severities = {each.severity for each in self.found}
        return next((severity for severity in SERIOUS if severity in severities), LESS)

    @property
    def met(self) -> bool:
        """Whether it is found as it deserves: copies at medium, those with the answer at high; all others always."""
        return self.worst in (GATING if self.label == WITH_ANSWER else SERIOUS) or self.label not in COPIES


class SourceFigures(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured on one source."""

    source: str
    run_folders: int
    whole_runs_gated: int  # by a finding that names no task
    task_runs: int
    correct: int
    gated: int
    gated_rightly: int
    honest_warned: int  # at medium, and not above
    with_answer: dict[str, int]  # labelled copies with the answer, by the worst finding on them
    copies: dict[str, int]  # those without it
    labels: dict[str, int]
    rules: dict[str, int]  # findings on task-runs that are honest, by severity and rule
    megabytes: float
    seconds: float  # of one processor


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """A source with all its task-runs."""

    figures: SourceFigures
    task_runs: tuple[TaskRun, ...]
    whole: tuple[tuple[str, Found], ...]  # by run folder


def measure(
    sources: Sequence[Source],
    dataset: str,
    labels: Sequence[Label],
    place: Path,
    *,
    workers: int = 1,
    switch: str = "",
) -> list[Measured]:
    """Import what is not below `place` already, audit every run, and count; with a switch off, if one is named."""
    folders = [
        _imported(source, dataset, place / f"{number}-{Path(source.folder).name}")
        for number, source in enumerate(sources)
    ]
    every = [str(folder) for group in folders for folder in group]
    given = (every, [dataset] * len(every), [switch] * len(every))
    if workers == 1:
        examined = list(map(examine, *given))
    else:
        with ProcessPoolExecutor(workers) as pool:
            examined = list(pool.map(examine, *given))
    by_folder = {each.folder: each for each in examined}
    return [
        counted(source, [by_folder[str(folder)] for folder in group], labels)
        for source, group in zip(sources, folders, strict=True)
    ]


def _processor_time() -> float:
    """Seconds of this process and of those that it has copied itself to for large runs."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def examine(folder: str, dataset: str, switch: str = "") -> Examined:
    """Audit one run folder."""
    path = Path(folder)
    began = _processor_time()
    with switched(switch):
        report = audit_run(path, dataset=dataset)
    seconds = _processor_time() - began
    found: dict[str | None, list[Found]] = {}
    for check in report.checks:
        for finding in check.findings:
            if finding.severity in SERIOUS:
                said = Found(finding.severity, f"{check.id} {finding.rule}")
                found.setdefault(finding.task_id, []).append(said)
    return Examined(
        folder=folder,
        size=sum(file.stat().st_size for pattern in READ for file in path.glob(pattern)),
        seconds=seconds,
        found={task_id: tuple(each) for task_id, each in found.items()},
    )


def counted(source: Source, examined: Sequence[Examined], labels: Sequence[Label]) -> Measured:
    """One source, with the labels of its task-runs."""
    of_source = [label for label in labels if label.repo == source.repo]
    return _measured(
        source.repo,
        tuple(each for run in examined for each in _task_runs(run, source, of_source)),
        tuple((Path(run.folder).name, found) for run in examined for found in run.found.get(None, ())),
        run_folders=len(examined),
        megabytes=sum(run.size for run in examined) / 1e6,
        seconds=sum(run.seconds for run in examined),
    )


def all_of(measured: Sequence[Measured]) -> Measured:
    """All sources as one."""
    return _measured(
        "all",
        tuple(one for each in measured for one in each.task_runs),
        tuple((f"{each.figures.source} {run}", found) for each in measured for run, found in each.whole),
        run_folders=sum(each.figures.run_folders for each in measured),
        megabytes=sum(each.figures.megabytes for each in measured),
        seconds=sum(each.figures.seconds for each in measured),
    )


def _measured(
    name: str,
    task_runs: tuple[TaskRun, ...],
    whole: tuple[tuple[str, Found], ...],
    *,
    run_folders: int,
    megabytes: float,
    seconds: float,
) -> Measured:
    gated = [each for each in task_runs if each.worst in GATING]
    honest = [each for each in task_runs if each.label not in GUILTY]
    on_honest = Counter(f"{found.severity} {found.rule}" for each in honest for found in set(each.found))
    figures = SourceFigures(
        source=name,
        run_folders=run_folders,
        whole_runs_gated=len({run for run, found in whole if found.severity in GATING}),
        task_runs=len(task_runs),
        correct=sum(each.correct for each in task_runs),
        gated=len(gated),
        gated_rightly=sum(each.label in GUILTY for each in gated),
        honest_warned=sum(each.worst == "medium" for each in honest),
        with_answer=_by_severity(task_runs, WITH_ANSWER),
        copies=_by_severity(task_runs, COPY),
        labels=dict(sorted(Counter(each.label for each in task_runs if each.label).items())),
        rules=dict(sorted(on_honest.items())),
        megabytes=round(megabytes, 4),
        seconds=round(seconds, 4),
    )
    return Measured(figures=figures, task_runs=task_runs, whole=whole)


def table(measured: Sequence[Measured], *, show: bool = False) -> Iterator[str]:
    """The figures as a table, and every gated run if asked for."""
    levels = "/".join((*SERIOUS, LESS))
    lines = [*measured, all_of(measured)] if len(measured) > 1 else measured
    yield from markdown_table(
        (
            *("source", "task-runs", "correct", "gated", "of these labelled right", "honest at medium"),
            *(f"copies with the answer: {levels}", f"other copies: {levels}", "whole runs gated", "s", "MB/s"),
        ),
        [_cells(each.figures) for each in lines],
    )
    for each in measured if show else ():
        yield from _shown(each)


def _shown(measured: Measured) -> Iterator[str]:
    """What is to be read by eye: every gated run, and every labelled copy below what it deserves."""
    for run, found in measured.whole:
        if found.severity in GATING:
            yield f"  {measured.figures.source} {run} (the run as a whole): {found.severity} {found.rule}"
    for each in measured.task_runs:
        place = f"  {measured.figures.source} {each.run} {each.task_id} [{each.label or 'honest'}] {each.file}"
        gates = dict.fromkeys(f"{found.severity} {found.rule}" for found in each.found if found.severity in GATING)
        if gates:
            yield f"{place}: {'; '.join(gates)}"
        elif not each.met:
            yield f"{place}: no more than {each.worst}"


def _cells(figures: SourceFigures) -> tuple[str, ...]:
    speed = figures.megabytes / figures.seconds if figures.seconds else 0.0
    return (
        figures.source,
        f"{figures.task_runs}",
        f"{figures.correct}",
        f"{figures.gated}",
        f"{figures.gated_rightly}",
        f"{figures.honest_warned}",
        _levels(figures.with_answer),
        _levels(figures.copies),
        f"{figures.whole_runs_gated} of {figures.run_folders}",
        f"{figures.seconds:.1f}",
        f"{speed:.1f}",
    )


def _levels(counts: dict[str, int]) -> str:
    return " / ".join(str(counts.get(level, 0)) for level in (*SERIOUS, LESS))


def _by_severity(task_runs: Sequence[TaskRun], label: str) -> dict[str, int]:
    return dict(Counter(each.worst for each in task_runs if each.label == label))


def _imported(source: Source, dataset: str, out: Path) -> list[Path]:
    if not out.exists():
        import_runs([source.folder], out, dataset=dataset, keep_going=True)
    return [out] if (out / "run.json").is_file() else sorted(path.parent for path in out.glob("*/run.json"))


def _task_runs(examined: Examined, source: Source, labels: Sequence[Label]) -> Iterator[TaskRun]:
    folder = Path(examined.folder)
    record = read_stated(folder)
    correct = _correct(folder)
    for task_id in record.dataset.task_ids:
        file = _file_of(record.origin, task_id)
        yield TaskRun(
            run=folder.name,
            task_id=task_id,
            file=file,
            correct=correct.get(task_id, False),
            found=examined.found.get(task_id, ()),
            label=_label_of(labels, source, file, task_id),
        )


def _label_of(labels: Sequence[Label], source: Source, file: str, task_id: str) -> str:
    for label in labels:
        if label.task_id != task_id:
            continue
        path, _, blob = label.path.partition("@")
        name = Path(path).name
        if blob and (blob[:8] not in f"{source.folder}/{file}" or not file.endswith(name)):
            continue
        if "<run>" in name and name.replace("<run>", label.run) != Path(file).name:
            continue
        return label.label
    return ""


class _Scored(msgspec.Struct):
    task_id: str
    correct: bool | None


def _correct(folder: Path) -> dict[str, bool]:
    with (folder / "results.jsonl").open("rb") as lines:
        scored = [msgspec.json.decode(line, type=_Scored) for line in lines]
    return {line.task_id: bool(line.correct) for line in scored}


def _file_of(origin: Origin | msgspec.UnsetType, task_id: str) -> str:
    if isinstance(origin, msgspec.UnsetType) or isinstance(origin.files, msgspec.UnsetType):
        return ""
    place = 0 if isinstance(origin.tasks, msgspec.UnsetType) else origin.tasks.get(task_id, 0)
    return origin.files[place].name
