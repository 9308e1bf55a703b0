"""Is an answer hidden in a prompt: by which encoding, and where?"""

from gaia_harness.audit import hidden_texts as hidden
from gaia_harness.audit import prompt_places as places
from gaia_harness.audit import prompt_texts as texts
from gaia_harness.audit.gold_forms import GoldForms
from gaia_harness.evidence.wording import reduce

SHORT_READING = 25
"""Words of something decoded: among so few even a small number was put there on purpose."""

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
    return ""


def place_of(view: str, text: str, answer: str, forms: GoldForms) -> places.Found | None:
    """Where an answer is hidden by this encoding: the code itself, or the line that has it."""
    if view == _ENCODED:
        lower = text.lower()
        found = [at for code in hidden.short_codes(answer) if (at := lower.find(code.lower())) >= 0]
        return places.Found(min(found)) if found else None
    return places.line_in(text[: hidden.LONGEST], lambda line: hiding_view(line, answer, forms) == view)
