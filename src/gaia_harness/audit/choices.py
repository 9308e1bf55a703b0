"""Counts the alternatives that an answer offers. An explanation, a sum or a marked result is one answer."""

import re
from difflib import SequenceMatcher

from gaia_harness.judge.scorer import question_scorer
from gaia_harness.normalization import elements

MANY = 3
"""Alternatives: two may be doubt, three are a choice that is left to the judge."""

TOO_MANY = 8
MOST_ANSWERS = 100
LONGEST, LONGEST_LINE = 10_000, 500
ALTERNATIVES = re.compile(
    r"(?<!\s)\s++(?:or|oder|ou|/|and/or)\s+|(?:(?<!\s)\s++)?\|\s*|;\s+|\n+", re.IGNORECASE
)  # a run of spaces is looked at from its beginning only
_OR = re.compile(r"\s(?:or|oder|ou|and/or|/)\s", re.IGNORECASE)
_NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")
_SUM = re.compile(r"\d\)?\s*[-+*/×·÷−]\s*\(?\d[^=≈]*[=≈]")
_WORDS = re.compile(r"(?!(?:or|and)\b)[^\W\d_]+")
_MARKED = re.compile(
    r"(?:[=≈→⇒]|[-=]>|\b(?:final answer|answer|result|total|sum|conclusion|altogether|in all)(?: is)?:?|"
    r"\b(?:therefore|thus|hence|so),?(?: the (?:final )?(?:answer|result|total) is)?)\s*(?P<said>[^=≈→⇒]*)$",
    re.IGNORECASE,
)
FEW = 5
"""Parts, the answer first, without an "or" between them: the others may be said of it. So many more are a choice."""

LIKE, LONGEST_NAME = 0.7, 60


def choices_in(answer: str, gold: str | None) -> list[str]:
    """What an answer offers: the parts of a choice, of a long list, or numbers in a row."""
    choices = _parts(answer)
    if len(choices) >= MANY or gold is None or elements(gold) is not None:
        return choices
    listed = elements(answer) or []
    if len(listed) >= TOO_MANY:
        return [part.strip() for part in listed[:MOST_ANSWERS]]
    numbers = list(dict.fromkeys(_NUMBERS.findall(answer)))
    return choices if len(numbers) < TOO_MANY else numbers[:MOST_ANSWERS]


def is_one_answer(answer: str, choices: list[str], gold: str) -> bool:
    """Whether it is a sum or a tale, or the gold is its marked result, its spellings, or what the rest is about."""
    marked = _MARKED.search((answer.strip().splitlines() or [""])[-1][-LONGEST_LINE:])
    if marked is not None and question_scorer(marked["said"].strip(" .*\"'"), gold):
        return True
    if len(_parts(answer)) < MANY and (_SUM.search(answer[:LONGEST_LINE]) or _tells(answer)):
        return True
    if len(choices) < TOO_MANY and all(_alike(part, gold) for part in choices):
        return True
    if _OR.search(answer) or not question_scorer(choices[0], gold):
        return False
    return len(choices) < FEW or all(_remarks(part, gold) for part in choices[1:])


def _parts(answer: str) -> list[str]:
    parts = [part.strip(" .,()\"'") for part in ALTERNATIVES.split(answer[:LONGEST])]
    return [part for part in dict.fromkeys(parts) if part][:MOST_ANSWERS]


def _tells(answer: str) -> bool:
    """Whether numbers stand in sentences: a row of them has hardly another word."""
    numbers = len(_NUMBERS.findall(answer))
    return 0 < numbers <= 2 * len(_WORDS.findall(answer))


def _remarks(part: str, gold: str) -> bool:
    """Whether a part is something else than another answer of the gold's kind."""
    if gold[:1].isdigit():
        return not part[:1].isdigit()
    if gold[:1].isupper():
        return not part[:1].isupper() or ":" in part
    return " " in part and not part[:1].isupper()


def _alike(part: str, gold: str) -> bool:
    """Whether a part is another spelling of the gold."""
    part = part.partition(" (")[0][:LONGEST_NAME].lower()
    return not any(map(str.isdigit, gold)) and SequenceMatcher(None, part, gold[:LONGEST_NAME].lower()).ratio() > LIKE
