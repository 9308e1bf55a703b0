"""Files to import from: opened with bounds, read in pieces, each error with file and place."""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness import strict_json
from gaia_harness.errors import GaiaError

LARGEST_PIECE = 64 * 1024 * 1024
"""The most bytes that one task-run may take in a file: what is read at once."""

MAX_DEPTH = 200
"""How many arrays and objects may stand inside each other: traces nest, one span in another."""

_READ = 1024 * 1024


class ImportRefused(GaiaError):
    """A file that cannot be imported, or a part of one. The message names the file and the place."""


class InputFile(msgspec.Struct, frozen=True):
    """One file, as the user named it. `name` is what errors say; `path` is where it is read."""

    name: str
    path: Path

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return self.path.stat().st_size

    def head(self, size: int = 64 * 1024) -> bytes:
        """Its first bytes, for the detection of a format."""
        with self.path.open("rb") as file:
            return file.read(size)

    def whole(self, limit: int = LARGEST_PIECE) -> bytes:
        """All of it; refused where that is more than one task-run may take."""
        with self.path.open("rb") as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise ImportRefused(f"{self.name}: larger than {limit >> 20} MiB, which is more than one task-run may take")
        return data

    def lines(self, limit: int = LARGEST_PIECE) -> Iterator[tuple[int, bytes]]:
        """Its lines that are not empty, with their numbers from 1."""
        with self.path.open("rb") as file:
            number = 0
            while line := file.readline(limit + 1):
                number += 1
                if len(line) > limit:
                    raise ImportRefused(
                        f"{self.name}:{number}: a line longer than {limit >> 20} MiB, more than one task-run may take"
                    )
                if line.strip():
                    yield number, line

    def json(self) -> Any:
        """All of it, as JSON."""
        return parse(self.whole(), self.name)

    def elements(self, limit: int = LARGEST_PIECE) -> Iterator[tuple[int, bytes]]:
        """The elements of the JSON array that the file is, one at a time, with their numbers from 1."""
        yield from _Elements(self, limit).read()


def files_in(path: Path, *endings: str) -> list[InputFile]:
    """The file that was named; of a folder, its plain files with these endings, at any depth."""
    if not path.is_dir():
        return [InputFile(str(path), path)]
    found = [Path(folder, name) for folder, _, names in os.walk(path) for name in names if name.endswith(endings)]
    return [InputFile(str(file), file) for file in sorted(found) if file.is_file()]


def parse(data: bytes, where: str) -> Any:
    """A JSON value from a foreign file, as common writers write it: numbers of any size; NaN becomes null,
    half a surrogate pair U+FFFD."""
    try:
        value = _decoded(data)
    except UnicodeDecodeError as error:
        raise ImportRefused(f"{where}: invalid UTF-8 at byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        raise ImportRefused(f"{where}: not JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except RecursionError:
        raise ImportRefused(f"{where}: nested deeper than {MAX_DEPTH}") from None
    except ValueError:  # an integer of thousands of digits
        raise ImportRefused(f"{where}: a number that is too long") from None
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and strict_json.deeper_than(MAX_DEPTH, value):
        raise ImportRefused(f"{where}: nested deeper than {MAX_DEPTH}")
    return _well_formed(value) if _SURROGATE_ESCAPE.search(data) else value


_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")


def _well_formed(value: Any) -> Any:
    """The value with U+FFFD for each half of a character, as writers leave them that cut text by UTF-16 units."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_well_formed(item) for item in value]
    if isinstance(value, dict):
        return {_well_formed(name): _well_formed(item) for name, item in value.items()}
    return value


def _decoded(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):  # NaN, or no JSON at all: then the place is named
        return json.loads(data.decode("utf-8-sig"), parse_constant=lambda _: None)


# what matters to find where an element ends: strings as a whole, brackets, commas between elements
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+("?)|[\[\]{},]', re.DOTALL)


class _Elements:
    """Splits an array without reading it whole: strings and brackets are enough to see where elements end."""

    def __init__(self, file: InputFile, limit: int) -> None:
        self._file = file
        self._limit = limit

    def read(self) -> Iterator[tuple[int, bytes]]:
        with self._file.path.open("rb") as file:
            data = b""
            while not data.strip():
                piece = file.read(_READ)
                if not piece:
                    raise ImportRefused(f"{self._file.name}: is empty")
                data += piece
                if len(data) > self._limit:
                    raise ImportRefused(f"{self._file.name}: begins with more white space than a file may have")
            data = data.lstrip().removeprefix(b"\xef\xbb\xbf").lstrip()
            if not data.startswith(b"["):
                raise ImportRefused(f"{self._file.name}: not a JSON array")
            data, at, depth, number = data[1:], 0, 0, 1
            while True:
                token = _TOKEN.search(data, at)
                if token is None or token.group(1) == b"":  # inside a string, of which more is to come
                    at = len(data) if token is None else token.start()
                    piece = file.read(max(_READ, len(data)))  # twice as much each time, so that the work stays linear
                    if not piece:
                        raise ImportRefused(f"{self._file.name}: ends inside element {number} of its array")
                    data += piece
                    if len(data) > 2 * self._limit + 2 * _READ:
                        raise self._too_large(number)
                    continue
                sign, at = token.group(), token.end()
                if sign in (b"[", b"{"):
                    depth += 1
                elif sign in (b"]", b"}") and depth:
                    depth -= 1
                elif depth == 0 and sign in (b",", b"]"):
                    element = data[: token.start()]
                    if len(element) > self._limit:
                        raise self._too_large(number)
                    if element.strip() or sign == b"," or number > 1:
                        yield number, element
                    if sign == b"]":
                        self._expect_end(data[at:], file.read(_READ))
                        return
                    data, at, number = data[at:], 0, number + 1
                elif depth == 0 and sign == b"}":
                    raise ImportRefused(f"{self._file.name}: not JSON: a bracket too many in element {number}")

    def _too_large(self, number: int) -> ImportRefused:
        return ImportRefused(
            f"{self._file.name}: element {number} is larger than {self._limit >> 20} MiB, more than one task-run may "
            "take"
        )

    def _expect_end(self, rest: bytes, more: bytes) -> None:
        if rest.strip() or more.strip():
            raise ImportRefused(f"{self._file.name}: not JSON: something stands behind the end of its array")
