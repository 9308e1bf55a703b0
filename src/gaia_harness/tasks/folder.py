"""Tasks from a folder in GAIA's layout: `2023/<split>/metadata.parquet`, the attachments beside it."""

import re
from collections.abc import Sequence
from pathlib import Path

from gaia_harness.errors import DatasetError
from gaia_harness.tasks.rows import LEVELS, Row, holds_answers, read_rows

LAYOUT_HINT = "a data set folder holds 2023/<split>/metadata.parquet or metadata.jsonl, and the attachments beside it"

_SPLIT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


class FolderSource:
    """The rows of one split of a folder, and where their attachments are."""

    def __init__(self, root: Path, *, split: str, level: int | None) -> None:
        self.revision: str | None = None
        self._root = root
        try:
            self.rows = self._read(split, level)
        except OSError as error:
            raise DatasetError(f"{root}: cannot be read: {error.strerror}", hint=LAYOUT_HINT) from None

    def attachments(self, rows: Sequence[Row]) -> list[Path | None]:
        """The file of each row, in order; None for a row without one."""
        return [self._attachment(row) for row in rows]

    def _read(self, split: str, level: int | None) -> list[Row]:
        if not self._root.is_dir():
            what = "is not a folder" if self._root.exists() else "no such folder"
            raise DatasetError(f"{self._root}: {what}", hint=f"--dataset takes hub, demo or a folder; {LAYOUT_HINT}")
        folder = self._root / "2023" / split
        if not _SPLIT.fullmatch(split) or not folder.is_dir():
            raise self._no_such_split(split)
        rows = []
        for file, only_level in _metadata_files(folder, level):
            name = str(file.relative_to(self._root))
            for row in read_rows(file, name=name, split=split):
                refuse_other_level(row, only_level)
                rows.append(row)
        return rows

    def _no_such_split(self, split: str) -> DatasetError:
        year = self._root / "2023"
        splits = sorted(folder.name for folder in year.iterdir() if folder.is_dir()) if year.is_dir() else []
        if not splits:
            return DatasetError(f"{self._root}: has no folder 2023 with splits in it", hint=LAYOUT_HINT)
        return DatasetError(f"{self._root}: no split {split!a}", hint=f"it has: {', '.join(splits)}")

    def _attachment(self, row: Row) -> Path | None:
        if row.file_path is None:
            return None
        place = f"{row.place} (task {row.task_id})"
        root = self._root.resolve()
        try:
            path = (root / row.file_path).resolve(strict=True)
            present = path.is_file()
        except (OSError, RuntimeError):  # RuntimeError: symlinks in a circle
            present = False
        if not present:
            raise DatasetError(f"{place}: the attachment {row.file_path} is missing")
        if not path.is_relative_to(root):
            raise DatasetError(
                f"{place}: the attachment {row.file_path} is a link out of the data set",
                hint="make a copy without links: cp -rL FOLDER COPY",
            )
        if holds_answers(path.name):
            raise DatasetError(f"{place}: the attachment {row.file_path} is a link to the answers")
        return path


def refuse_other_level(row: Row, only_level: int | None) -> None:
    """A file of one level must hold no other."""
    if only_level is not None and row.level != only_level:
        raise DatasetError(f"{row.place} (task {row.task_id}): level {row.level} in a file of level {only_level}")


def _metadata_files(folder: Path, level: int | None) -> list[tuple[Path, int | None]]:
    """The files to read, each with the level that all its rows must have, if it is a file of one level."""
    whole = folder / "metadata.parquet"
    if whole.exists():
        return [(whole, None)]
    by_level = {n: folder / f"metadata.level{n}.parquet" for n in LEVELS}
    if any(file.exists() for file in by_level.values()):
        wanted = [level] if level else list(LEVELS)
        for n in wanted:
            if not by_level[n].exists():
                raise DatasetError(f"{by_level[n]}: missing, so level {n} cannot be run")
        return [(by_level[n], n) for n in wanted]
    lines = folder / "metadata.jsonl"
    if lines.exists():
        return [(lines, None)]
    raise DatasetError(f"{folder}: has no metadata.parquet and no metadata.jsonl", hint=LAYOUT_HINT)
