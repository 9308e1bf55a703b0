"""Imports sources of real runs, audits them, and compares what is found with labels made by reading."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from gaia_harness.audit.findings import GATING
from gaia_harness.audit.report import Report
from gaia_harness.exchange.importing import import_runs
from gaia_harness.offline import audit_run
from gaia_harness.records.origin import Origin
from gaia_harness.records.run import read_stated

WITH_ANSWER = "copy-with-answer"
COPY = "copy"
SERIOUS = ("critical", "high", "medium")


class Label(msgspec.Struct, frozen=True):
    """What somebody saw who read a run, by ids alone. `path` may end in `@` and the first digits of a blob's id."""

    repo: str
    path: str
    run: str
    task_id: str
    label: str


class Source(msgspec.Struct, frozen=True):
    """A folder of runs, and the repository that its labels name."""

    repo: str
    folder: str


class TaskRun(msgspec.Struct, frozen=True):
    """One task-run: the worst that was found, and its label."""

    run: str
    task_id: str
    file: str
    correct: bool
    worst: str
    findings: tuple[str, ...]
    label: str


def table(
    sources: Sequence[Source], dataset: str, labels: Sequence[Label], place: Path, *, show: bool
) -> Iterator[str]:
    """The lines of the table, and of every gated run if asked for."""
    heads = f"{'runs':>5} {'right':>5} {'gated':>5} {'rightly':>7} {'with answer':>11} {'copies':>7} {'MB/s':>6}"
    yield f"{'source':44} {heads}"
    for number, source in enumerate(sources):
        out = place / f"{number}"
        if not out.exists():
            import_runs([source.folder], out, dataset=dataset, keep_going=True)
        began, size = time.process_time(), 0
        found: list[TaskRun] = []
        for folder in _runs(out):
            size += (folder / "trajectories.jsonl").stat().st_size
            found += _task_runs(folder, audit_run(folder, dataset=dataset), source, labels)
        seconds = time.process_time() - began
        yield _line(source, found, size / 1e6 / seconds if seconds else 0.0)
        if show:
            for each in found:
                if each.worst in GATING:
                    said = "; ".join(each.findings)
                    yield f"  {each.run} {each.task_id} [{each.label or 'honest'}] {each.file}: {said}"


def _line(source: Source, found: Sequence[TaskRun], speed: float) -> str:
    gated = [each for each in found if each.worst in GATING]
    copies = [each for each in found if each.label in (COPY, WITH_ANSWER)]
    answers = [each for each in copies if each.label == WITH_ANSWER]
    rightly = sum(each.label in (COPY, WITH_ANSWER) for each in gated)
    high = sum(each.worst in GATING for each in answers)
    medium = sum(each.worst in SERIOUS for each in copies)
    return (
        f"{source.repo:44} {len(found):5} {sum(each.correct for each in found):5} {len(gated):5} {rightly:7} "
        f"{f'{high} of {len(answers)}':>11} {f'{medium} of {len(copies)}':>7} {speed:6.2f}"
    )


def _runs(out: Path) -> list[Path]:
    return [out] if (out / "run.json").is_file() else sorted(path.parent for path in out.glob("*/run.json"))


def _task_runs(folder: Path, report: Report, source: Source, labels: Sequence[Label]) -> Iterator[TaskRun]:
    record = read_stated(folder)
    correct = _correct(folder)
    by_task: dict[str, list[tuple[str, str]]] = {}
    for check in report.checks:
        for finding in check.findings:
            if finding.task_id is not None:
                said = f"{finding.severity} {check.id} {finding.rule}"
                by_task.setdefault(finding.task_id, []).append((finding.severity, said))
    for task_id in record.dataset.task_ids:
        found = by_task.get(task_id, [])
        severities = [severity for severity, _ in found]
        worst = next((severity for severity in (*SERIOUS, "low", "info") if severity in severities), "none")
        file = _file_of(record.origin, task_id)
        yield TaskRun(
            run=folder.name,
            task_id=task_id,
            file=file,
            correct=correct.get(task_id, False),
            worst=worst,
            findings=tuple(said for severity, said in found if severity in GATING),
            label=_label_of(labels, source, file, task_id),
        )


def _label_of(labels: Sequence[Label], source: Source, file: str, task_id: str) -> str:
    for label in labels:
        if label.repo != source.repo or label.task_id != task_id:
            continue
        path, _, blob = label.path.partition("@")
        name = Path(path).name
        if blob and (blob[:8] not in f"{source.folder}/{file}" or not file.endswith(name)):
            continue
        if not blob and "<" in name and label.run not in file:
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
