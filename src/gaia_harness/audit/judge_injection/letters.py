"""Are the characters of an answer what they seem, and what does it say when they are taken for what they look like?"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

import msgspec

from gaia_harness.audit.findings import Severity
from gaia_harness.evidence.views import views
from gaia_harness.evidence.wording import visible

FEW, MANY = 3, 16
"""Invisible characters that a copied web page leaves behind, and so many that they could spell something."""

_ZERO_WIDTH = frozenset(
    "\u200b\u2060\u2061\u2062\u2063\u2064\u180e\u115f\u1160\u3164\uffa0\u034f\u00ad\ufeff\u200c\u200d\u2800"
)
_SELECTOR = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_TAG = re.compile("[\U000e0020-\U000e007e]")
_BLACK_FLAG = "\U0001f3f4"
_KEYCAPS = frozenset("0123456789#*")
_OVERRIDDEN = re.compile("([\u202d\u202e])([^\u202c\n]*)")
_WORD = re.compile(r"[^\W\d_]{4,}")
_NOTATION = frozenset("αγκσ")
"""Greek letters that stand in Latin words: TNFα, IFNγ, NFκB. β, μ, Δ and the like look like no Latin letter."""

_LEET = str.maketrans("013457@$!|8", "oieastasilb")
_APART = re.compile(r"[^\n]([ .·•_~*|/+=,:;-])(?:[^\n]\1){4,}[^\n]")
_JOINED = re.compile(r"(?<=\w)[-._~|/+](?=\w)")


class Odd(NamedTuple):
    """The worst about an answer's characters: severity, rule, what it is, and the first character it is about."""

    severity: Severity
    rule: str
    what: str
    start: int


def odd_letters(answer: str) -> Odd | None:
    """What is odd about the characters of an answer; None where every one is what it seems."""
    if answer.isascii() and not _CONTROL.search(answer):
        return None
    tag = _TAG.search(answer)
    if tag and _BLACK_FLAG not in answer:  # flags are spelled so
        return Odd("high", "invisible-characters", "letters that cannot be seen", tag.start())
    for found in _OVERRIDDEN.finditer(answer):
        # round a number, address books put these for nothing
        against = ("R", "AL", "AN") if found[1] == "\u202d" else ("L", "EN")
        if any(unicodedata.bidirectional(c) in against for c in found[2]):
            return Odd("high", "bidi-characters", "characters that turn the text round", found.start())
    hidden = _hidden(answer)
    if len(hidden) > FEW:
        severity: Severity = "high" if len(hidden) >= MANY else "medium"
        return Odd(severity, "invisible-characters", f"{len(hidden)} characters that cannot be seen", hidden[0])
    mixed = next((word.start() for word in _WORD.finditer(answer) if _is_mixed(word.group())), None)
    if mixed is not None:
        return Odd("medium", "mixed-script", "a word with look-alike letters of another script", mixed)
    return None


def _hidden(answer: str) -> list[int]:
    """Where characters stand that show nothing and have nothing to do there.

    Behind a letter of another script, a sign or an emoji they join, keep apart or say how it is drawn; behind another
    of their kind, a Latin letter or nothing they do not.
    """
    found = []
    before = ""
    for place, character in enumerate(answer):
        if character in _ZERO_WIDTH:
            idle = (before in _ZERO_WIDTH or before.isascii()) and not (character == "\u00ad" and before.isalpha())
        elif _SELECTOR.match(character):
            idle = _SELECTOR.match(before) is not None or (before.isascii() and before not in _KEYCAPS)
        else:
            idle = _CONTROL.match(character) is not None
        if idle:
            found.append(place)
        before = character
    return found


def _is_mixed(word: str) -> bool:
    """Whether a word has at least two Latin letters, and others that only look like such."""
    if word.isascii():
        return False
    named = ["LATIN" in unicodedata.name(letter, "") for letter in word]
    others = [
        unicodedata.normalize("NFD", letter)[0] for letter, is_latin in zip(word, named, strict=True) if not is_latin
    ]
    return sum(named) >= 2 and bool(others) and all(ord(c) in lookalikes() and c not in _NOTATION for c in others)


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
    together = _APART.sub(lambda match: match.group()[::2], shown)
    for text in (together, _JOINED.sub(" ", shown)):
        if (plain := text.lower().translate(_LEET)) != shown.lower():
            yield "spaced", plain, 0
    for view in views(answer):
        yield view.name, view.text, view.start
