"""Rows of a GAIA data set, read strictly from parquet or JSON lines.

Columns: `task_id`, `Question`, `Level`, `Final answer`, `file_name`, `file_path`, `Annotator Metadata`;
others are ignored. A broken row is refused, with the file, the row (from 1) and the task id.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from gaia_harness import strict_json
from gaia_harness.errors import DatasetError, GaiaError, NotInstalledError
from gaia_harness.shortening import shorten
from gaia_harness.tasks.answers import Gold

LEVELS = (1, 2, 3)
COLUMNS = ("task_id", "Question", "Level", "Final answer", "file_name", "file_path", "Annotator Metadata")
REQUIRED = ("task_id", "Question", "Level", "file_name")

# Generous for any real data set, small enough that a hostile file cannot fill the memory.
MAX_FILE_BYTES = 64 * 2**20
MAX_LINE_BYTES = 2 * 2**20
MAX_UNPACKED_BYTES = 64 * 2**20
MAX_ROWS = 100_000
MAX_TEXT_CHARACTERS = 200_000
MAX_ID_CHARACTERS = 200
MAX_PATH_CHARACTERS = 1000

_METADATA_FILE = re.compile(r"metadata\..*(parquet|jsonl)", re.IGNORECASE)


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One row, checked. Only the loaders see it: it holds the gold beside the question."""

    place: str
    task_id: str
    question: str
    level: int
    gold: Gold | None
    file_path: str | None

    def characters(self) -> int:
        """How much text it holds: a small file can repeat one long text in every row."""
        steps = (self.gold.annotator_steps or "") if self.gold else ""
        return len(self.question) + len(steps) + (len(self.gold.answer) if self.gold else 0)

    def __repr__(self) -> str:
        return f"Row({self.place}, task {self.task_id})"


def read_rows(path: Path, *, name: str, split: str) -> list[Row]:
    """All rows of a metadata file, in its order. `name` is what errors call the file."""
    try:
        if not path.is_file():
            raise DatasetError(f"{name}: not a file")
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise DatasetError(f"{name}: {size} bytes are more than a metadata file may have ({MAX_FILE_BYTES})")
        raw = _parquet(path, name) if path.suffix == ".parquet" else _json_lines(path, name)
        rows, characters = [], 0
        for number, columns in raw:
            row = parse_row(number, columns, name=name, split=split)
            characters += row.characters()
            if characters > MAX_UNPACKED_BYTES:
                raise DatasetError(f"{name}: unpacks to more than {MAX_UNPACKED_BYTES} characters")
            rows.append(row)
    except OSError as error:
        raise DatasetError(f"{name}: cannot be read: {error.strerror or type(error).__name__}") from None
    return rows


def refuse_duplicates(rows: list[Row]) -> None:
    """Two rows with one id would make results ambiguous."""
    first: dict[str, str] = {}
    for row in rows:
        if row.task_id in first:
            raise DatasetError(f"{row.place}: task id {row.task_id} stands already in {first[row.task_id]}")
        first[row.task_id] = row.place


def parse_row(number: int, columns: Mapping[str, Any], *, name: str, split: str) -> Row:
    """The row with this number (from 1), or a DatasetError that says what is wrong with it."""
    place = f"{name}, row {number}"
    task_id = _task_id(columns, place)
    place_and_id = f"{place} (task {task_id})"
    missing = [column for column in REQUIRED if column not in columns]
    if missing:
        raise DatasetError(f"{place_and_id}: no column {', '.join(missing)}")
    question = _text(columns, "Question", place_and_id)
    if not question.strip():
        raise DatasetError(f"{place_and_id}: the question is empty")
    return Row(
        place=place,
        task_id=task_id,
        question=question,
        level=_level(columns["Level"], place_and_id),
        gold=_gold(columns, place_and_id),
        file_path=_file_path(columns, split, place_and_id),
    )


def holds_answers(name: str) -> bool:
    """Whether a file of this name is a metadata file, which no task may have as its attachment."""
    return _METADATA_FILE.fullmatch(name) is not None


def _task_id(columns: Mapping[str, Any], place: str) -> str:
    if "task_id" not in columns:
        raise DatasetError(f"{place}: no column task_id")
    task_id = _text(columns, "task_id", place, limit=MAX_ID_CHARACTERS)
    if not task_id.strip() or task_id != task_id.strip() or not task_id.isprintable():
        raise DatasetError(f"{place}: {task_id!a} is not a task id: empty, or with invisible characters")
    return task_id


def _level(value: Any, place: str) -> int:
    for level in LEVELS:
        if value == str(level) or (type(value) is int and value == level):
            return level
    raise DatasetError(f"{place}: level {_shown(value)} is not 1, 2 or 3")


def _gold(columns: Mapping[str, Any], place: str) -> Gold | None:
    answer = _text(columns, "Final answer", place)
    steps = _annotator_steps(columns.get("Annotator Metadata"), place)
    if answer.strip() in ("", "?"):
        return None
    return Gold(answer=answer, annotator_steps=steps)


def _annotator_steps(value: Any, place: str) -> str | None:
    if isinstance(value, str) and value.strip():
        value = _strict(value, f"{place}: Annotator Metadata")
    if value is None or (isinstance(value, str) and not value.strip()):
        return None
    if not isinstance(value, dict):
        raise DatasetError(f"{place}: Annotator Metadata is {_kind(value)}, not an object")
    return _text(value, "Steps", place) or None


def _file_path(columns: Mapping[str, Any], split: str, place: str) -> str | None:
    file_name = _text(columns, "file_name", place, limit=MAX_PATH_CHARACTERS)
    given = _text(columns, "file_path", place, limit=MAX_PATH_CHARACTERS)
    if not file_name and not given:
        return None
    if not file_name:
        raise DatasetError(f"{place}: has a file_path but no file_name")
    if "/" in file_name:
        raise DatasetError(f"{place}: file_name {_shown(file_name)} is not a plain name")
    path = PurePosixPath(given or f"2023/{split}/{file_name}")
    if path.is_absolute() or ".." in path.parts or not path.parts or "\\" in str(path):
        raise DatasetError(f"{place}: file_path {_shown(str(path))} leaves the data set")
    if not str(path).isprintable():
        raise DatasetError(f"{place}: file_path {_shown(str(path))} has invisible characters")
    if holds_answers(path.name):
        raise DatasetError(f"{place}: file_path {_shown(str(path))} is a metadata file, which holds the answers")
    return str(path)


def _text(columns: Mapping[str, Any], column: str, place: str, *, limit: int = MAX_TEXT_CHARACTERS) -> str:
    value = columns.get(column)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise DatasetError(f"{place}: {column} is {_kind(value)}, not text")
    if len(value) > limit:
        raise DatasetError(f"{place}: {column} has {len(value)} characters, more than {limit}")
    return value


def _shown(value: Any) -> str:
    text = ascii(value) if isinstance(value, str | int | float | bool | None) else _kind(value)
    return shorten(text, 100)


def _kind(value: Any) -> str:
    names = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
    return names.get(type(value), f"of type {type(value).__name__}")


def _strict(data: bytes | str, where: str) -> Any:
    try:
        return strict_json.loads(data, where=where)
    except strict_json.JsonError as error:
        raise DatasetError(error.message) from None


def _json_lines(path: Path, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with path.open("rb") as file:
        number = 0
        while line := file.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(line) > MAX_LINE_BYTES:
                raise DatasetError(f"{name}, row {number}: the line is longer than {MAX_LINE_BYTES} bytes")
            if number > MAX_ROWS:
                raise DatasetError(f"{name}: more than {MAX_ROWS} rows")
            if line.isspace():
                continue
            value = _strict(line, f"{name}, row {number}")
            if not isinstance(value, dict):
                raise DatasetError(f"{name}, row {number}: {_kind(value)}, not an object")
            yield number, value


def _parquet(path: Path, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    try:
        import pyarrow.parquet
    except ImportError:
        raise NotInstalledError(
            f"{name}: reading parquet needs pyarrow, which is not installed",
            hint="pip install 'gaia-harness[run]'",
        ) from None
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            yield from _parquet_rows(file, name)
    except GaiaError:
        raise
    except Exception as error:  # pyarrow documents no common base for what a broken file can raise
        reason = shorten(str(error).split("\n")[0], 200)
        raise DatasetError(f"{name}: not a readable parquet file: {reason}") from None


def _parquet_rows(file: Any, name: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    metadata, present = file.metadata, file.schema_arrow.names
    twice = [column for column in COLUMNS if present.count(column) > 1]
    if twice:
        raise DatasetError(f"{name}: the column {twice[0]} stands twice")
    missing = [column for column in REQUIRED if column not in present]
    if missing:
        raise DatasetError(f"{name}: no column {', '.join(missing)}")
    if metadata.num_rows > MAX_ROWS:
        raise DatasetError(f"{name}: more than {MAX_ROWS} rows")
    unpacked = sum(metadata.row_group(i).total_byte_size for i in range(metadata.num_row_groups))
    if unpacked > MAX_UNPACKED_BYTES:
        raise DatasetError(f"{name}: unpacks to more than {MAX_UNPACKED_BYTES} bytes")
    wanted = [column for column in COLUMNS if column in present]
    number = 0
    # Small batches: dictionary encoding can repeat one long value in every row.
    for batch in file.iter_batches(batch_size=16, columns=wanted, use_threads=False):
        for index in range(batch.num_rows):
            number += 1
            try:
                yield number, {column: batch.column(column)[index].as_py() for column in wanted}
            except UnicodeDecodeError:
                raise DatasetError(f"{name}, row {number}: invalid UTF-8") from None
