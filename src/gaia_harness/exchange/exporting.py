"""Exports a run or a package to the formats of other tools: the whole of it or nothing, and never a gold answer."""

import contextlib
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from gaia_harness.errors import RunError, UsageError
from gaia_harness.exchange.export_source import ExportSource, Progress, open_source
from gaia_harness.exchange.exporters import Exporter, atif, eee, inspect, leaderboard, openinference, parquet
from gaia_harness.files import leftovers_removed, sync_folder, temporary_path

FORMATS: Mapping[str, Exporter] = {
    leaderboard.NAME: leaderboard,
    atif.NAME: atif,
    eee.NAME: eee,
    openinference.NAME: openinference,
    parquet.NAME: parquet,
    inspect.NAME: inspect,
}


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """What an export came to. `notes` are sentences on what is not in it."""

    format: str
    path: Path
    tasks: int
    notes: tuple[str, ...]


def export(
    path: Path,
    format: str,
    out: Path,
    *,
    env: Mapping[str, str],
    progress: Progress = lambda what, done, total: None,
) -> Exported:
    """Write the run or package at `path` to `out`, which must not be there yet."""
    exporter = FORMATS.get(format)
    if exporter is None:
        raise UsageError(f"there is no format {format[:40]!a}", hint=f"the formats are {', '.join(FORMATS)}")
    _check_out(path, out, exporter)
    with open_source(path) as source, _whole(out, exporter) as temporary:
        source.env, source.exported_at, source.progress = env, int(time.time()), progress
        notes = exporter.write(source, temporary)
    return Exported(format=format, path=out, tasks=source.done, notes=(*_missing(source), *notes))


def _missing(source: ExportSource) -> Iterator[str]:
    total = len(source.info.task_ids)
    if source.done < total:
        yield f"{total - source.done} of {total} tasks have no result, and are not in the export"
    if source.without_result:
        yield f"trajectories without a result are left out: {source.without_result}"


def _check_out(path: Path, out: Path, exporter: Exporter) -> None:
    if not out.name or out.name in (".", ".."):
        raise UsageError(f"{out}: not the name of a file", hint="choose another --out")
    if os.path.lexists(out):
        raise UsageError(f"{out}: is there already", hint="choose another --out, or remove it")
    if not out.parent.is_dir():
        raise UsageError(f"{out.parent}: there is no such folder", hint="make it first, or choose another --out")
    if not out.name.endswith(exporter.ENDING):
        raise UsageError(f"{out}: the name of such a file ends in {exporter.ENDING}", hint="choose another --out")
    if path.is_dir() and out.parent.resolve().is_relative_to(path.resolve()):
        raise UsageError(f"{out}: stands in the folder that is exported", hint="choose an --out outside of it")


@contextlib.contextmanager
def _whole(out: Path, exporter: Exporter) -> Iterator[Path]:
    """A temporary path that becomes `out` at the end, or is gone."""
    temporary = temporary_path(out)
    try:
        with leftovers_removed(out):
            try:
                if exporter.FOLDER:
                    temporary.mkdir()
                yield temporary
                if exporter.FOLDER:
                    _sync_tree(temporary)
                    if os.path.lexists(out):
                        raise FileExistsError(17, "is there already")
                    temporary.rename(out)
                else:
                    _sync(temporary)
                    os.link(temporary, out)  # unlike a rename, never takes the place of a file
                sync_folder(out.parent)
            finally:
                if exporter.FOLDER:
                    shutil.rmtree(temporary, ignore_errors=True)
                else:
                    temporary.unlink(missing_ok=True)
    except OSError as error:
        raise RunError(f"{out}: cannot be written: {error.strerror or error}", hint="choose another --out") from error


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync_tree(folder: Path) -> None:
    for place, _, names in os.walk(folder):
        for name in names:
            _sync(Path(place, name))
        sync_folder(Path(place))
