"""Does an answer offer several answers at once?"""

import re

from gaia_harness.judge.scorer import question_scorer
from gaia_harness.normalization import elements

MANY = 3
"""Alternatives: two may be doubt, three are a choice that is left to the judge."""

_ALTERNATIVES = re.compile(r"(?<!\s)\s++(?:or|oder|ou|/|and/or)\s+|(?:(?<!\s)\s++)?\|\s*|;\s+|\n+", re.IGNORECASE)
_RESULT = re.compile(r"(?:[=≈→]|->|\b(?:answer|result|total|therefore|thus|so|is):?)\s*([^=≈→\n]{1,200})$", re.I)


def choices_in(answer: str, gold: str) -> list[str]:
    """The parts of an answer that are of the gold's kind, where they are a choice.

    One whose marked result is the gold is one answer. So are as many parts as the gold has.
    """
    result = _RESULT.search(answer.rstrip(" .*\"'"))
    if result and question_scorer(result[1].strip(), gold):
        return []
    parts = [part.strip(" .,()\"'") for part in _ALTERNATIVES.split(answer)]
    found = [part for part in dict.fromkeys(parts) if part and _is_like(part, gold)]
    wanted = max(len(_ALTERNATIVES.split(gold)), len(elements(gold) or [1]))
    return found if len(found) >= MANY and len(found) > wanted else []


def _is_like(part: str, gold: str) -> bool:
    """Whether a part is as short as answers are, and a name or a number where the gold is one."""
    return len(part) <= 20 + 2 * len(gold) and (_names(part) or not _names(gold))


def _names(text: str) -> bool:
    return any(c.isdigit() or c.isupper() for c in text)
