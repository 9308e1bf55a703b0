"""Finds answers hidden in a prompt, with the encoding and the position."""

import re

from gaia_harness.audit import hidden_texts as hidden
from gaia_harness.audit import prompt_places as places
from gaia_harness.audit import prompt_texts as texts
from gaia_harness.audit.gold_forms import GoldForms
from gaia_harness.evidence.wording import reduce

SHORT_READING = 25
"""Words of something decoded: among so few even a small number was put there on purpose."""

FEWEST_LETTERS, MOST_LETTERS = 5, 80
LEAST_SHOWN = 0.4
"""Share of an answer's letters that are given, at least: with fewer, a row of dashes is a line to write on."""

_SIGNS = "_*?#·"
_ENCODED = "encoded"


def hiding_view(text: str, answer: str, forms: GoldForms) -> str:
    """By which encoding an answer is hidden in a text; nothing where it is not."""
    if len(answer.strip()) >= 4:
        lower = text.lower()
        if any(code.lower() in lower for code in hidden.short_codes(answer)):
            return _ENCODED
    weight, number = texts.weight(forms), texts.is_number(answer)
    bare = hidden.squeezed(answer)
    if weight and len(bare) >= 8 and bare in hidden.squeezed(text):
        return "spaced"
    for name, reading in hidden.blocks(text):
        words = reduce(reading)
        if not forms.stands_in(words) or (number and not texts.whole_number(answer, reading)):
            continue
        if weight or words.count(b" ") <= SHORT_READING or texts.announced(forms, words):
            return name
    readings: list[tuple[str, str]] = [
        *hidden.lines(text),
        *(hidden.whole(text) if weight and len(bare) >= 6 else ()),
    ]
    for name, reading in readings:
        if forms.stands_in(reduce(reading)) and (not number or texts.whole_number(answer, reading)):
            return name
    if weight and forms.stands_in(reduce(texts.without_syntax(text))):
        return "pattern"
    return "gaps" if with_gaps(text, answer) else ""


def with_gaps(text: str, answer: str) -> bool:
    """Whether an answer stands in a text with signs for some of its letters, and enough letters to know it by."""
    bare = answer.strip()
    letters = sum(map(str.isalnum, bare))
    if not FEWEST_LETTERS <= letters <= MOST_LETTERS or not any(map(text.__contains__, _SIGNS)):
        return False
    each = (f"[{re.escape(letter)}{re.escape(_SIGNS)}]" if letter.isalnum() else r"[\W_]" for letter in bare)
    for found in re.finditer(rf"(?<!\w){' ?'.join(each)}(?!\w)", text[: hidden.LONGEST], re.IGNORECASE):
        if max(FEWEST_LETTERS - 2, LEAST_SHOWN * letters) <= sum(map(str.isalnum, found[0])) < letters:
            return True
    return False


def place_of(view: str, text: str, answer: str, forms: GoldForms) -> places.Found | None:
    """Where an answer is hidden by this encoding: the code itself, or the line that has it."""
    if view == _ENCODED:
        lower = text.lower()
        found = [at for code in hidden.short_codes(answer) if (at := lower.find(code.lower())) >= 0]
        return places.Found(min(found)) if found else None
    return places.line_in(text[: hidden.LONGEST], lambda line: hiding_view(line, answer, forms) == view)
