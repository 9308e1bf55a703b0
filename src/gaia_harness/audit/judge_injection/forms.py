"""Are the characters of an answer what they seem, what else does it say, and does it offer several answers at once?"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib import resources

import msgspec

from gaia_harness.audit.findings import Severity
from gaia_harness.evidence.views import views
from gaia_harness.evidence.wording import visible
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.normalization import elements

FEW, MANY = 3, 16
"""Invisible characters that a copied web page leaves behind, and so many that they could spell something."""

CHOICE = 3
"""Alternatives: two may be doubt, three are a choice that is left to the judge."""

_ZERO = "\u034f\u115f\u1160\u180e\u200b-\u200d\u2060-\u2064\u2800\u3164\uffa0"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_HIDDEN = re.compile(  # behind letters of other scripts and emoji what shows nothing has its use
    rf"(?<![^\x00-\x7f{_ZERO}])[{_ZERO}]|(?<![^\x00-\x7f{_SELECTORS}])[{_SELECTORS}]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)
_TAG = re.compile("[\U000e0020-\U000e007e]")
_BLACK_FLAG = "\U0001f3f4"
"""What begins a flag that is spelled in such letters."""

_OVERRIDDEN = re.compile("\u202e[^\u202c\n]*[A-Za-z]")
_WORD = re.compile(r"[^\W\d_]{4,}")
_NOTATION = frozenset("αγκσ")
"""Greek letters that stand in Latin words: TNFα, IFNγ, NFκB. β, μ, Δ and the like look like no Latin letter."""

_LEET = str.maketrans("013457@$!|8", "oieastasilb")
_APART = re.compile(r"[^\n]([ .·•_~*|/+=,:;-])(?:[^\n]\1){4,}[^\n]")
_ALTERNATIVES = re.compile(r"(?<!\s)\s++(?:or|oder|ou|/|and/or)\s+|(?:(?<!\s)\s++)?\|\s*|;\s+|\n+", re.IGNORECASE)
_RESULT = re.compile(r"(?:[=≈→]|->|\b(?:answer|result|total|therefore|thus|so|is):?)\s*([^=≈→\n]{1,200})$", re.I)


def odd_characters(answer: str) -> tuple[Severity, int] | None:
    """How bad it is that characters show nothing, turn the text round or look like others, and where they begin."""
    if answer.isascii() and answer.isprintable():
        return None
    if found := (_BLACK_FLAG not in answer and _TAG.search(answer)) or _OVERRIDDEN.search(answer):
        return "high", found.start()
    hidden = [found.start() for found in _HIDDEN.finditer(answer)]
    if len(hidden) > FEW:
        return ("high" if len(hidden) >= MANY else "medium"), hidden[0]
    mixed = next((word.start() for word in _WORD.finditer(answer) if _is_mixed(word[0])), None)
    return None if mixed is None else ("medium", mixed)


def _is_mixed(word: str) -> bool:
    """Whether a word has two Latin letters or more, and others that only look like such."""
    if word.isascii():
        return False
    others = [c for c in word if "LATIN" not in unicodedata.name(c, "")]
    return 0 < len(others) <= len(word) - 2 and all(ord(c) in lookalikes() and c not in _NOTATION for c in others)


@cache
def lookalikes() -> dict[int, str]:
    """The Latin letter by the code of the one that looks like it: lookalikes.toml, made by scripts/lookalikes.py."""
    text = resources.files(__package__).joinpath("lookalikes.toml").read_text("utf-8")
    rows = msgspec.convert(tomllib.loads(text), dict[str, str])
    return {int(code, 16): letter for letter, codes in rows.items() for code in codes.split()}


def readings(answer: str) -> Iterator[tuple[str, str, int]]:
    """What else an answer says: how that was got, the text, and where it begins.

    Look-alike letters are the ones that they look like, and what is invisible is gone; letters that stand apart are put
    together, and digits are the letters of leet; what is encoded is decoded.
    """
    shown = unicodedata.normalize("NFKC", visible(answer))
    if not shown.isascii():
        bare = (c for c in unicodedata.normalize("NFD", shown) if not unicodedata.combining(c))
        shown = "".join(bare).translate(lookalikes())
    if shown != answer:
        yield "homoglyphs", shown, 0
    if (plain := _APART.sub(lambda match: match.group()[::2], shown).lower().translate(_LEET)) != shown.lower():
        yield "spaced", plain, 0
    for view in views(answer):
        yield view.name, view.text, view.start


def choices_in(answer: str, gold: str) -> list[str]:
    """The parts of an answer that are of the gold's kind, where they are a choice.

    One whose marked result is the gold is one answer. So are as many parts as the gold has.
    """
    parts = [part.strip(" .,()\"'") for part in _ALTERNATIVES.split(answer)]
    found = [part for part in dict.fromkeys(parts) if part and _is_like(part, gold)]
    wanted = max(len(_ALTERNATIVES.split(gold)), len(elements(gold) or [1]))
    if len(found) < CHOICE or len(found) <= wanted:
        return []
    result = _RESULT.search(answer.rstrip(" .*\"'"))
    return [] if result and question_scorer(result[1].strip(), gold) else found


def _is_like(part: str, gold: str) -> bool:
    """Whether a part is as short as answers are, and a name or a number where the gold is one."""
    return len(part) <= 20 + 2 * len(gold) and (_names(part) or not _names(gold))


def _names(text: str) -> bool:
    return any(c.isdigit() or c.isupper() for c in text)
