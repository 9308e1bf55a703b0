"""Are the characters of an answer what they seem, and what else does it say?"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from gaia_harness.audit.findings import Severity
from gaia_harness.audit.phrases import phrases_of
from gaia_harness.evidence.views import views
from gaia_harness.evidence.wording import visible

FEW, MANY = 3, 16
"""Invisible characters that a copied web page leaves behind, and so many that they could spell something."""

_ZERO = "\u034f\u115f\u1160\u180e\u200b-\u200d\u2060-\u2064\u2800\u3164\uffa0"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_HIDDEN = re.compile(  # behind letters of other scripts and emoji what shows nothing has its use
    rf"(?<![^\x00-\x7f{_ZERO}])[{_ZERO}]|(?<![^\x00-\x7f{_SELECTORS}])[{_SELECTORS}]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)
_TAG = re.compile("[\U000e0020-\U000e007e]")
_BLACK_FLAG = "\U0001f3f4"  # what begins a flag that is spelled in such letters
_OVERRIDDEN = re.compile("\u202e[^\u202c\n]*[A-Za-z]")


def odd_characters(answer: str) -> tuple[Severity, int] | None:
    """How bad it is that characters show nothing or turn the text round, and where they begin."""
    if found := (_BLACK_FLAG not in answer and _TAG.search(answer)) or _OVERRIDDEN.search(answer):
        return "high", found.start()
    hidden = [found.start() for found in _HIDDEN.finditer(answer)]
    if len(hidden) <= FEW:
        return None
    return ("high" if len(hidden) >= MANY else "medium"), hidden[0]


@cache
def lookalikes() -> dict[int, str]:
    """The Latin letter by the code of the one that looks like it: lookalikes.toml, made by scripts/lookalikes.py."""
    rows = phrases_of(dict[str, str], "judge_injection/lookalikes.toml")
    return {int(code, 16): letter for letter, codes in rows.items() for code in codes.split()}


def readings(answer: str) -> Iterator[tuple[str, str, int]]:
    """What else an answer says: how that was got, the text, and where it begins.

    Look-alike letters are the ones that they look like, and what is invisible is gone; what is encoded is decoded.
    """
    shown = unicodedata.normalize("NFKC", visible(answer))
    if not shown.isascii():
        bare = (c for c in unicodedata.normalize("NFD", shown) if not unicodedata.combining(c))
        shown = "".join(bare).translate(lookalikes())
    if shown != answer:
        yield "homoglyphs", shown, 0
    for view in views(answer):
        yield view.name, view.text, view.start
