"""The words and patterns that AUD-3 goes by, from phrases.toml."""

import re
from functools import cache

import msgspec

from gaia_harness.audit.phrases import Words, phrases_of


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


@cache
def phrases() -> Phrases:
    """All of them."""
    return phrases_of(Phrases, "oracle_leakage/phrases.toml")
