"""Words and patterns that checks go by, from TOML files beside them: what is looked for is data, not code."""

import re
import tomllib
from importlib.resources import files
from typing import Any, TypeVar

import msgspec

Phrases = TypeVar("Phrases")


class Words(frozenset[bytes]):
    """Words to look up, in bytes as reduced texts have them; in the file, separated by spaces."""


def phrases_of(kind: type[Phrases], place: str) -> Phrases:
    """The phrases in a file below this package, as a struct of words and patterns."""
    data = files("gaia_harness.audit").joinpath(place).read_text("utf-8")
    return msgspec.convert(tomllib.loads(data), kind, dec_hook=_made)


def _made(kind: type, value: Any) -> Any:
    return Words(value.encode().split()) if kind is Words else re.compile(value)
