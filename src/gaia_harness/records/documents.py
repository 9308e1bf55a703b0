"""Reads JSON documents strictly, and within a size limit."""

from pathlib import Path
from typing import TypeVar

import msgspec

from gaia_harness import strict_json
from gaia_harness.errors import EvidenceError
from gaia_harness.files import LARGEST_DOCUMENT, open_plain, read_whole

T = TypeVar("T")


def read_document(path: Path, kind: type[T]) -> T:
    """A JSON file of ours as what it must be."""
    try:
        with open_plain(path, called=path.name) as file:
            data = read_whole(file, path.name, largest=LARGEST_DOCUMENT)
    except OSError as error:
        raise EvidenceError(f"{path.name}: cannot be read: {error.strerror}") from error
    return parse_document(data, path.name, kind)


def parse_document(data: bytes, name: str, kind: type[T]) -> T:
    """The content of such a file."""
    try:
        return msgspec.convert(strict_json.loads(data, where=name), kind)
    except strict_json.JsonError as error:
        raise EvidenceError(error.message) from error
    except msgspec.ValidationError as error:
        raise EvidenceError(f"{name}: {error}") from error
