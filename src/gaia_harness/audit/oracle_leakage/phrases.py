"""The words and patterns that this check goes by, from phrases.toml."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec


class Words(frozenset[bytes]):
    """Words to look up, in bytes as reduced texts have them."""


class Verdict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern, and words one of which a text has that it fits: that is quickly seen."""

    needs: tuple[str, ...]
    pattern: re.Pattern[str]


class Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands in the file. Patterns are for text in lower case with single spaces."""

    cues: Words
    weak_cues: Words
    fillers: Words
    asking: Words
    file: re.Pattern[str]
    judging: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    bare: re.Pattern[str]
    praise: re.Pattern[str]
    about_answers: re.Pattern[str]
    form: re.Pattern[str]
    open: re.Pattern[str]
    before: re.Pattern[str]
    lesson: re.Pattern[str]
    placeholder: re.Pattern[str]


def _made(kind: type, value: Any) -> Any:
    return Words(value.encode().split()) if kind is Words else re.compile(value)


@cache
def phrases() -> Phrases:
    """All of them; the file is read once."""
    data = files("gaia_harness.audit.oracle_leakage").joinpath("phrases.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(data), Phrases, dec_hook=_made)
