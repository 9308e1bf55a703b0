"""Tests whether an answer contains the gold answer: in words or digits, alone or within a sentence."""

import re

from gaia_harness.audit.gold_forms import gold_forms
from gaia_harness.evidence.wording import reduce
from gaia_harness.judge.scorer import question_scorer

LONGEST = 2_000
_PIECES = re.compile(r"[.!?](?=\s|$)|,(?!\d)|[;()\[\]{}\n|]| [-–—] |→|[\"“”«»*]")
_LEAD = re.compile(
    r"^(?:(?:the )?(?:final )?(?:answer|result|total)(?: is)?|so|therefore|thus|hence)\b[\s:=]*", re.IGNORECASE
)
_ARTICLE = re.compile(r"^(?:the|an?) ", re.IGNORECASE)
_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBERS = {word: value for value, word in enumerate(_ONES)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_SPELLED = re.compile(
    rf"\b(?:({'|'.join(_TENS)})(?:[ -]({'|'.join(_ONES[1:10])}))?|({'|'.join(_ONES)}))\b", re.IGNORECASE
)


def says_the_gold(answer: str, gold: str) -> bool:
    """Whether the gold is a piece of the answer by itself, or stands in it where it cannot stand by chance."""
    answer, gold = _in_digits(answer[:LONGEST]), _ARTICLE.sub("", _in_digits(gold))
    pieces = [_ARTICLE.sub("", _LEAD.sub("", piece.strip(" '`"))) for piece in _PIECES.split(answer)]
    pieces = [piece for piece in pieces if piece]
    # a "1" in the middle may be a score
    if any(question_scorer(piece, gold) for piece in {*pieces[:1], *pieces[-1:]}):
        return True
    forms = gold_forms(gold)
    if not forms.trivial:
        return forms.stands_in(reduce(answer))
    return gold[:1].isdigit() and any(reduce(piece).startswith(forms.words) for piece in pieces[:1])  # with its unit


def _in_digits(text: str) -> str:
    return _SPELLED.sub(_value, text)


def _value(match: re.Match[str]) -> str:
    tens, ones, alone = match.groups()
    if alone:
        return str(_NUMBERS[alone.lower()])
    return str(_NUMBERS[tens.lower()] + (_NUMBERS[ones.lower()] if ones else 0))
