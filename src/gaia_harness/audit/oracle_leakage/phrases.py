"""Words and patterns that AUD-3 goes by."""

import re
from functools import cache

import msgspec

from gaia_harness.audit.phrases import Words, phrases_of

TELLING = 4  # letters of a word that says something: shorter ones are turns of phrase


class Phrases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What AUD-3 goes by, from phrases.toml. Patterns are for text in lower case with single spaces."""

    cues: Words
    fillers: Words
    asking: Words
    judging: tuple[str, ...]
    verdicts: tuple[re.Pattern[str], ...]
    praise: re.Pattern[str]
    about_answers: re.Pattern[str]
    form: re.Pattern[str]
    open: re.Pattern[str]
    earlier: re.Pattern[str]
    lesson: re.Pattern[str]


@cache
def phrases() -> Phrases:
    """All of them."""
    return phrases_of(Phrases, "oracle_leakage/phrases.toml")
