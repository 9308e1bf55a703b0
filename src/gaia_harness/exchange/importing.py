"""Imports runs that were made elsewhere: each becomes a run folder that can be audited and looked at."""

import contextlib
import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import msgspec

from gaia_harness.errors import GaiaError, UsageError
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.exchange.archives import is_archive, unpacked
from gaia_harness.exchange.formats import FORMATS, importer_of
from gaia_harness.exchange.inputs import ImportRefused, InputFile, files_in
from gaia_harness.exchange.matching import TaskIndex
from gaia_harness.exchange.neutral_steps import record
from gaia_harness.exchange.spool import Spool, SpooledRun
from gaia_harness.figures import counted
from gaia_harness.protocol import ToolRole
from gaia_harness.records.config import Selection
from gaia_harness.records.origin import Origin, OriginFile, Unknown, missing_of
from gaia_harness.run.opening import now
from gaia_harness.run.writer import RunWriter
from gaia_harness.shortening import shorten
from gaia_harness.tasks.answers import AnswerKey
from gaia_harness.tasks.digest import digest_tasks
from gaia_harness.tasks.loading import LoadedTasks, load_tasks
from gaia_harness.version import __version__

OF_FOLDERS = ("harbor", "atif", "magentic-one")
"""Formats with files of other kinds beside their own."""

MOST_FAULTS = 20
MOST_GAPS, MOST_TOOLS, MOST_ATTACHMENTS, MOST_MODELS = 100, 2000, 1000, 10
LONGEST_GAP, LONGEST_TEXT = 500, 1000
"""Of what files say of a run, which run.json, the summary and the audit repeat: so many, and so many characters."""

_SCRATCH = ".importing-"
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class ImportedRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run folder that was made."""

    name: str
    path: Path
    model: str
    tasks: int
    passed: int | None
    stated: int | None
    """How many answers the file says are right, where it says so of every task."""
    score_differs: tuple[str, ...]
    """Tasks that the file scores otherwise than the official rules."""
    gaps: tuple[str, ...]


class ImportResult(msgspec.Struct, kw_only=True):
    """What an import came to. `skipped` says what was left out with `keep_going`; `unmatched` fits no task."""

    format: str = ""
    runs: list[ImportedRun] = []
    skipped: list[str] = []
    skipped_count: int = 0
    unmatched: list[str] = []
    unmatched_count: int = 0
    notes: list[str] = []


Progress = Callable[[str, int, int], None]
"""Told what is done: `reading` or `writing`, how much of it, and of how much."""


def import_runs(
    paths: Sequence[str | os.PathLike[str]],
    out: str | os.PathLike[str],
    *,
    dataset: str,
    split: str = "validation",
    format: str | None = None,
    run_name: str | None = None,
    keep_going: bool = False,
    progress: Progress = lambda what, done, total: None,
    env: Mapping[str, str] | None = None,
) -> ImportResult:
    """Import files or folders of one format into `out`, a new folder: one run there, several in folders beneath it.

    Without `format` it is detected. `run_name` puts everything into one run. What is broken is an error and leaves
    nothing behind; with `keep_going` it is skipped and counted.
    """
    target = Path(out)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        left = target.is_dir() and any(target.glob(f"{_SCRATCH}*"))
        raise UsageError(
            f"{target}: the output folder must be new or empty",
            hint=f"choose another --out, or remove {_SCRATCH}* there, which an import has left that was killed"
            if left
            else "choose another --out",
        )
    if not paths:
        raise UsageError("there is nothing to import", hint="name a file or a folder")
    loaded = load_tasks(dataset, split=split, env=env)
    result = ImportResult()
    with contextlib.ExitStack() as stack:
        files = [file for path in paths for file in _inputs(Path(path), format, result, stack)]
        made = [folder for folder in (target, *target.parents) if not folder.exists()]
        target.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=target))
        try:
            spool = Spool(scratch / "spool")
            stack.callback(spool.close)
            _read(files, spool, TaskIndex(loaded.tasks), result, run_name, keep_going, progress)
            if not spool.runs:
                _nothing(result, loaded)
            result.notes += [
                f"{name}: tasks have different numbers of attempts, so each attempt is a run of its own"
                for name in spool.split_uneven()
            ]
            _write(spool, scratch, files, loaded, result, progress)
            _move(target, result)
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            with contextlib.suppress(OSError):
                for folder in made:
                    folder.rmdir()
            raise
        shutil.rmtree(scratch, ignore_errors=True)
    return result


def _inputs(path: Path, format: str | None, result: ImportResult, stack: contextlib.ExitStack) -> Iterator[InputFile]:
    """The files to read, all of one format."""
    if not path.exists():
        raise UsageError(f"{path}: there is no such file or folder")
    if not path.is_file() and not path.is_dir():
        raise UsageError(f"{path}: neither a file nor a folder", hint="save what it gives to a file")
    place = path
    if is_archive(path):
        place = stack.enter_context(unpacked(path))
    wanted = [format] if format is not None else list(FORMATS)
    if result.format:
        wanted = [result.format]
    for name in wanted:
        importer = importer_of(name)
        files = importer.inputs(place)
        if not files:
            continue
        if format is None and not place.is_dir() and not importer.detect(files[0]):
            continue
        result.format = name
        if place.is_dir() and name not in OF_FOLDERS:
            taken = {file.path for file in files}
            other = [file.name for file in files_in(place, ".json", ".jsonl", ".eval") if file.path not in taken]
            if other:
                some = ", ".join(other[:3]) + (" …" if len(other) > 3 else "")
                result.notes.append(f"{counted(len(other), 'file')} left out, not of the format {name}: {some}")
        if place != path:  # what was unpacked is named as it is in its archive
            files = [InputFile(f"{path}/{file.path.relative_to(place)}", file.path) for file in files]
        yield from files
        return
    if format is not None or result.format:
        raise UsageError(f"{path}: has nothing of the format {format or result.format}", hint=_HINT)
    raise UsageError(f"{path}: of no format that is known", hint=_HINT)


_HINT = f"the formats are {', '.join(FORMATS)}; name one with --format, and see docs/importing.md"


def _read(
    files: Sequence[InputFile],
    spool: Spool,
    index: TaskIndex,
    result: ImportResult,
    run_name: str | None,
    keep_going: bool,
    progress: Progress,
) -> None:
    importer = importer_of(result.format)

    def on_fault(error: ImportRefused) -> None:
        if not keep_going:
            raise error
        result.skipped_count += 1
        if len(result.skipped) < MOST_FAULTS:
            result.skipped.append(error.message)

    total = sum(file.size for file in files)
    done = 0
    for file in files:
        progress("reading", done, total)
        try:
            for run in importer.read(file, on_fault):
                task = index.find(run)
                if task is None:
                    result.unmatched_count += 1
                    if len(result.unmatched) < MOST_FAULTS:
                        asked = run.task_id or " ".join((run.question or "").split())[:80]
                        result.unmatched.append(f"{file.name}: {asked}")
                    continue
                named = run if run_name is None else msgspec.structs.replace(run, run=run_name)
                spool.add(named, task.task_id, file.name)
                progress("reading", done, total)
        except ImportRefused as error:
            on_fault(error)
        except (OSError, UnicodeDecodeError) as error:
            on_fault(ImportRefused(f"{file.name}: cannot be read: {error}"))
        done += file.size


def _nothing(result: ImportResult, loaded: LoadedTasks) -> None:
    if result.unmatched_count:
        raise GaiaError(
            f"none of {result.unmatched_count} task-runs is about a task of {loaded.dataset}, split {loaded.split} "
            f"(the first: {result.unmatched[0]})",
            hint="name the data set and the split that the runs were made with: --dataset, --split",
        )
    if result.skipped_count:
        raise GaiaError(f"none of {result.skipped_count} task-runs can be read (the first: {result.skipped[0]})")
    raise GaiaError("there is no task-run in what was given")


def _write(
    spool: Spool,
    scratch: Path,
    files: Sequence[InputFile],
    loaded: LoadedTasks,
    result: ImportResult,
    progress: Progress,
) -> None:
    hashes = {file.name: file for file in files}
    total, done = sum(len(run.places) for run in spool.runs.values()), 0
    taken: set[str] = set()
    for run in spool.runs.values():
        folder = scratch / _folder_name(run.name, taken)
        tasks = tasks_of({task_id for task_id, _ in run.places}, loaded)
        model = next((shown for name, _ in run.models.most_common(1) if (shown := _line(name))), "unknown")
        origin = _origin(run, result.format, hashes)
        with RunWriter(
            folder,
            dataset=tasks,
            model=model,
            origin=origin,
            voting_attempts=run.attempts,
            isolation=next((shown for stated in run.isolations if (shown := _line(stated))), None),
            env={},
        ) as writer:
            for task in writer.tasks:
                for number in range(1, run.attempts + 1):
                    progress("writing", done, total)
                    neutral = spool.read(run.places[task.task_id, number])
                    with writer.attempt(task) as attempt:
                        record(attempt, neutral)
                    done += 1
            progress("writing", done, total)
        differs = _differences(run, folder)
        summary = writer.summary
        stated = sum(run.stated.values()) if len(run.stated) == len(run.places) else None
        result.runs.append(
            ImportedRun(
                name=run.name,
                path=folder,
                model=model,
                tasks=len(tasks.tasks),
                passed=None if summary is None else summary.passed,
                stated=stated,
                score_differs=differs,
                gaps=missing_of(writer.record.origin),
            )
        )


class _Scored(msgspec.Struct):
    """A line of results.jsonl, as far as it is compared with what the file says."""

    task_id: str
    correct: bool | None


def _differences(run: SpooledRun, folder: Path) -> tuple[str, ...]:
    if run.attempts != 1:  # what a file says of single attempts is not what is said of their vote
        return ()
    with (folder / "results.jsonl").open("rb") as lines:
        scored = [msgspec.json.decode(line, type=_Scored) for line in lines]
    return tuple(
        line.task_id
        for line in scored
        if line.correct is not None and run.stated.get((line.task_id, 1), line.correct) != line.correct
    )


def tasks_of(wanted: set[str], loaded: LoadedTasks) -> LoadedTasks:
    """The tasks with these ids, in the order of the data set."""
    tasks = tuple(task for task in loaded.tasks if task.task_id in wanted)
    golds = {task.task_id: gold for task in tasks if (gold := loaded.key.get(task.task_id)) is not None}
    whole = len(tasks) == len(loaded.tasks)
    return LoadedTasks(
        tasks=tasks,
        key=AnswerKey(golds),
        available=loaded.available,
        dataset=loaded.dataset,
        split=loaded.split,
        revision=loaded.revision,
        digest=digest_tasks(tasks),
        selection=Selection() if whole else Selection(task_ids=tuple(task.task_id for task in tasks)),
    )


def _origin(run: SpooledRun, format: str, files: Mapping[str, InputFile]) -> Origin:
    total = len(run.places)
    folders = [file.path.absolute().parent for file in files.values()]
    shared = os.path.commonpath(folders)
    unknown: list[Unknown] = ["context_sha256"]
    if run.without_tokens:
        unknown.append("tokens")
    if run.without_replies:
        unknown.append("replies")
    if run.without_prompts:
        unknown.append("prompts")
    if run.timed < total:
        unknown.append("times")
    gaps = [said if count == total else f"{said} ({count} of {total} task-runs)" for said, count in run.gaps.items()]
    if run.cut:
        gaps.append(f"{run.cut} texts were cut before they were recorded")
    if len(run.models) > 1:
        named = [_line(name) for name, _ in run.models.most_common(MOST_MODELS)]
        more = ", …" if len(run.models) > len(named) else ""
        gaps.append(f"the task-runs name {len(run.models)} models: {', '.join(named)}{more}")
    said = [_line(gap, LONGEST_GAP) for gap in gaps[:MOST_GAPS]]
    if len(gaps) > MOST_GAPS:
        said.append(f"and {len(gaps) - MOST_GAPS} more such gaps")
    tools = [(name, role) for name, role in sorted(run.tools.items()) if len(name) <= LONGEST_TEXT][:MOST_TOOLS]
    origin = Origin(
        kind="imported",
        recorded_by=f"gaia-harness {__version__}",
        tools=cast("dict[str, ToolRole]", dict(tools)),
        unknown=tuple(unknown),
        workdir=_line(next(iter(run.workdirs))) if len(run.workdirs) == 1 else msgspec.UNSET,
        attachments=tuple(map(_line, list(run.attachments)[:MOST_ATTACHMENTS])) or msgspec.UNSET,
        format=format,
        files=tuple(_hashed(files[name], shared) for name in run.files),
        tasks=run.file_of if len(run.files) > 1 else msgspec.UNSET,
        imported_at=now(),
        gaps=tuple(said) or msgspec.UNSET,
    )
    return Redactor().hide(origin)


def _line(text: str, longest: int = LONGEST_TEXT) -> str:
    """What a file says, in one line that is not too long, without keys."""
    words = " ".join(text[: 4 * longest].split())
    seen = "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in words)
    return shorten(Redactor().hide(seen), longest)


def _hashed(file: InputFile, shared: str) -> OriginFile:
    with file.path.open("rb") as opened:
        sha256 = hashlib.file_digest(opened, "sha256").hexdigest()
    return OriginFile(name=_line(os.path.relpath(file.path, shared)), bytes=file.size, sha256=sha256)


def _folder_name(name: str, taken: set[str]) -> str:
    """A name for a folder that is made from a stranger's words."""
    plain = _UNSAFE.sub("-", name).strip("-.")[:80] or "run"
    unique, number = plain, 1
    while unique in taken or unique == "spool":
        number += 1
        unique = f"{plain}-{number}"
    taken.add(unique)
    return unique


def _move(target: Path, result: ImportResult) -> None:
    """Put what was written where it belongs, all of it or nothing; a single run is the folder itself."""
    single = len(result.runs) == 1
    moves = list(result.runs[0].path.iterdir()) if single else [run.path for run in result.runs]
    try:
        for path in moves:
            path.rename(target / path.name)
    except BaseException:
        for path in moves:
            shutil.rmtree(target / path.name, ignore_errors=True)
            with contextlib.suppress(OSError):
                (target / path.name).unlink()
        raise
    result.runs = [
        msgspec.structs.replace(run, path=target if single else target / run.path.name) for run in result.runs
    ]
