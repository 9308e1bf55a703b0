"""Lists the runs and packages beneath a folder, from their small files alone."""

import contextlib
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from gaia_harness.comparing.small_files import (
    LARGEST,
    SmallMetadata,
    SmallRecord,
    SmallReport,
    SmallResult,
    SmallSummary,
    agent_name,
    read_small,
)
from gaia_harness.errors import EvidenceError, GaiaError, UsageError
from gaia_harness.exchange.archives import SUFFIXES
from gaia_harness.figures import Rate, rate
from gaia_harness.files import read_lines
from gaia_harness.records.documents import parse_document
from gaia_harness.records.run import FILE_NAME
from gaia_harness.run.folder import is_running, resume_command
from gaia_harness.submission.archive import read_one
from gaia_harness.submission.file_set import METADATA, REPORT, RESULTS, SUMS

DEEPEST = 4
"""Folders within each other that are looked into."""

MOST_FOLDERS = 100_000
LARGEST_RESULTS = 64 << 20
"""Bytes of results of a run that is not closed, which alone say how far it is."""

SUMMARY = "summary.json"

State = Literal["running", "interrupted", "closed", "aborted", "packaged", "unreadable"]


NOT_VERIFIED = "not verified: these figures are what it says of itself"
"""Of a package without its run."""


class ListedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run or package in the list. None: not known, or there is none.

    `done` of `asked` tasks are finished. `score` is of all that were asked for, `audited` the same without tasks
    whose answer leaked, where the run was packaged or an audit's report lies in its folder. `reason` says why it
    is in its state, `next` what to type to go on with it. `package` is where it was packaged to, beneath the same
    folder, as a folder or an archive; a package without its run is in the list by itself, and nothing in it was
    verified.
    """

    path: str
    state: State
    run_id: str = ""
    started_at: str = ""
    model: str = ""
    agent: str = ""
    split: str = ""
    done: int | None = None
    asked: int | None = None
    score: Rate | None = None
    audited: Rate | None = None
    cost_usd: float | None = None
    reason: str | None = None
    next: str | None = None
    package: str | None = None


def list_runs(folder: Path) -> list[ListedRun]:
    """Every run and package beneath a folder, the oldest first. What cannot be read is in the list, with the reason."""
    if not folder.is_dir():
        raise UsageError(
            f"{folder}: there is no such folder", hint="name the folder that has your runs: gaia runs FOLDER"
        )
    runs: list[ListedRun] = []
    packages: dict[str, list[ListedRun]] = {}
    for path, read in _found(folder):
        try:
            if isinstance(read, OSError):
                raise read
            if (listed := read(path)) is None:
                continue
        except (GaiaError, OSError, ValueError) as error:
            said = error.message if isinstance(error, GaiaError) else _said(error)
            listed = ListedRun(path=str(path), state="unreadable", reason=_short(said, path))
        if listed.state == "packaged":
            packages.setdefault(listed.run_id, []).append(listed)
        else:
            runs.append(listed)
    listed_ids = {run.run_id for run in runs}
    joined = [_joined(run, packages.get(run.run_id)) for run in runs]
    joined += [package for run_id, several in packages.items() if run_id not in listed_ids for package in several]
    return sorted(joined, key=lambda run: (run.started_at, run.path))


def _said(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def _short(said: str, path: Path) -> str:
    """What is wrong, without the name of what it is wrong with."""
    return said.replace(f"{path}{os.sep}", "").removeprefix(f"{path.name}: ")


def _found(folder: Path) -> Iterator[tuple[Path, Callable[[Path], ListedRun | None] | OSError]]:
    """Runs, packages and archives, and how each is read, or why it cannot be. Links are not followed.

    Archives come last: one that lies beside its package is not opened.
    """
    archives: list[Path] = []
    packages: set[Path] = set()
    left = MOST_FOLDERS
    waiting = [(folder, 0)]
    while waiting:
        place, depth = waiting.pop()
        left -= 1
        if left < 0:
            raise UsageError(f"{folder}: more than {MOST_FOLDERS} folders", hint="name one that has your runs alone")
        inner = []
        names = set()
        packed = []
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    names.add(entry.name)
                    if entry.is_dir(follow_symlinks=False) and not entry.name.startswith("."):
                        inner.append((place / entry.name, depth + 1))
                    elif entry.name.lower().endswith(SUFFIXES) and entry.is_file(follow_symlinks=False):
                        packed.append(place / entry.name)
        except OSError as error:
            yield place, error
            continue
        if FILE_NAME in names:
            yield place, _read_run
        elif METADATA in names and SUMS in names:
            packages.add(place)
            yield place, _read_package
        else:
            archives += packed
            waiting += inner if depth < DEEPEST else []
    for archive in sorted(archives):
        if archive.with_name(archive.name.removesuffix(".tar.gz")) not in packages:
            yield archive, _read_archive


def _read_run(path: Path) -> ListedRun:
    record = read_small(path / FILE_NAME, SmallRecord)
    asked = len(record.dataset.task_ids)
    given = record.config.given
    ended = record.state in ("closed", "aborted")
    state: State = "aborted" if record.state == "aborted" else "closed"
    if not ended:
        state = "running" if is_running(path) else "interrupted"
    interrupted = state == "interrupted"
    summary = read_small(path / SUMMARY, SmallSummary) if ended or (path / SUMMARY).exists() else None
    if summary is None or not ended:
        summary = _count(path / RESULTS, asked, summary)
    ours = given is not None or isinstance(record.origin, msgspec.UnsetType)
    return ListedRun(
        path=str(path),
        state=state,
        run_id=record.run_id,
        started_at=record.started_at,
        model=record.config.model,
        agent=agent_name(record.origin, given, record.versions.get("gaia_harness", "")),
        split=record.dataset.gaia_split,
        done=summary.finished,
        asked=summary.total,
        score=_score(summary) if ended else None,
        audited=_audited(path, record.run_id),
        cost_usd=summary.est_cost_usd,
        reason=_why_not_done(record, summary, ours=ours) if interrupted else None,
        next=resume_command(path) if interrupted and ours else None,
    )


def _score(summary: SmallSummary) -> Rate | None:
    passed, asked = summary.passed, summary.total
    if passed is None or asked == 0:
        return None
    if passed > asked:
        raise EvidenceError(f"{SUMMARY}: {passed} of {asked} tasks are said to be right")
    return rate(passed, asked)


def _why_not_done(record: SmallRecord, summary: SmallSummary, *, ours: bool) -> str | None:
    if summary.paused is not None:
        return summary.paused
    if not ours:
        return "the program that recorded it can go on with it"
    return "its process ended without a word" if record.state == "running" else None


def _count(path: Path, asked: int, before: SmallSummary | None) -> SmallSummary:
    """How far a run is that is not closed, by its results; its summary may be from before it was killed."""
    with contextlib.suppress(FileNotFoundError):
        if path.stat().st_size > LARGEST_RESULTS:
            raise EvidenceError(f"{path.name}: larger than {LARGEST_RESULTS} bytes")
    done = passed = 0
    scored, costs = True, 0.0
    known = True
    decode = msgspec.json.Decoder(SmallResult).decode
    for line in read_lines(path, longest=LARGEST_RESULTS):
        if line.torn:  # it is being written, or was when the process died
            break
        try:
            result = decode(line.data)
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise EvidenceError(f"{path.name}:{line.number}: not a result: {error}") from error
        done += 1
        passed += bool(result.correct)
        scored = scored and result.correct is not None
        known = known and result.cost_usd is not None
        costs += result.cost_usd or 0.0
    return SmallSummary(
        total=asked,
        finished=done,
        passed=passed if scored else None,
        est_cost_usd=costs if known and done else None,
        paused=None if before is None else before.paused,
    )


def _read_package(path: Path) -> ListedRun:
    return _packaged(path, read_small(path / METADATA, SmallMetadata))


def _read_archive(path: Path) -> ListedRun | None:
    """What an archive says of the package in it; None where there is none."""
    data = read_one(path, METADATA, most=LARGEST)
    return None if data is None else _packaged(path, parse_document(data, METADATA, SmallMetadata))


def _packaged(path: Path, metadata: SmallMetadata) -> ListedRun:
    given = None if isinstance(metadata.options, msgspec.UnsetType) else metadata.options.given
    return ListedRun(
        path=str(path),
        state="packaged",
        run_id=metadata.run_id,
        started_at=metadata.submitted_at,
        model=metadata.model,
        agent=agent_name(metadata.origin, given, metadata.facts.harness_version),
        split=metadata.gaia_split,
        done=metadata.totals.finished,
        asked=metadata.totals.tasks,
        score=metadata.pass_rate,
        audited=metadata.audited_pass_rate,
        cost_usd=metadata.est_cost_usd,
        reason=NOT_VERIFIED,
        next=shlex.join(["gaia", "verify", str(path)]),
        package=str(path),
    )


def _joined(run: ListedRun, packages: Sequence[ListedRun] | None) -> ListedRun:
    """A run with what the first package of it adds."""
    if packages is None or run.state != "closed":
        return run
    return msgspec.structs.replace(run, state="packaged", audited=packages[0].audited, package=packages[0].path)


def _audited(path: Path, run_id: str) -> Rate | None:
    """The score by an audit's report that somebody wrote into the run's folder."""
    with contextlib.suppress(GaiaError, OSError):
        if (path / REPORT).exists():
            report = read_small(path / REPORT, SmallReport)
            return report.totals.audited if report.run_id == run_id else None
    return None
