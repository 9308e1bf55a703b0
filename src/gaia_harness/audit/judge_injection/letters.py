"""Are the characters of an answer what they seem? Invisible ones, ones that turn the text round, look-alike letters."""

import re
import tomllib
import unicodedata
from functools import cache
from importlib import resources
from typing import NamedTuple

import msgspec

from gaia_harness.audit.findings import Severity

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
_FROM_THE_RIGHT = re.compile("[\u202b\u2067]")
_WORD = re.compile(r"[^\W\d_]{4,}")
_NOTATION = frozenset("αγκσ")
"""Greek letters that stand in Latin words: TNFα, IFNγ, NFκB. β, μ, Δ and the like look like no Latin letter."""


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
    turned = "characters that turn the text round"
    for found in _OVERRIDDEN.finditer(answer):
        if _turns(found[1], found[2]):
            return Odd("high", "bidi-characters", turned, found.start())
    hidden = _hidden(answer)
    if len(hidden) > FEW:
        severity: Severity = "high" if len(hidden) >= MANY else "medium"
        return Odd(severity, "invisible-characters", f"{len(hidden)} characters that cannot be seen", hidden[0])
    mixed = next((word.start() for word in _WORD.finditer(answer) if _is_mixed(word.group())), None)
    if mixed is not None:
        return Odd("medium", "mixed-script", "a word with look-alike letters of another script", mixed)
    right = _FROM_THE_RIGHT.search(answer)
    if right and not any(unicodedata.bidirectional(c) in ("R", "AL") for c in answer):
        return Odd("medium", "bidi-characters", turned, right.start())
    return None


def latin(text: str) -> str:
    """A text with look-alike letters as the Latin ones that they look like, and without marks over letters."""
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c)).translate(
        lookalikes()
    )


@cache
def lookalikes() -> dict[int, str]:
    """The Latin letter by the code of the one that looks like it: lookalikes.toml, made by scripts/lookalikes.py."""
    text = resources.files(__package__).joinpath("lookalikes.toml").read_text("utf-8")
    rows = msgspec.convert(tomllib.loads(text), dict[str, str])
    return {int(code, 16): letter for letter, codes in rows.items() for code in codes.split()}


def _hidden(answer: str) -> list[int]:
    """Where characters stand that show nothing and have nothing to do there.

    Behind a letter of another script, a sign or an emoji they join, keep apart or say how it is drawn; behind another
    of their kind, a Latin letter or nothing they do not.
    """
    found = []
    before = ""
    for place, character in enumerate(answer):
        if character in _ZERO_WIDTH:
            soft_hyphen = character == "\u00ad" and before.isalpha()
            if not soft_hyphen and (before in _ZERO_WIDTH or before.isascii()):
                found.append(place)
        elif _SELECTOR.match(character):
            if _SELECTOR.match(before) or (before.isascii() and before not in _KEYCAPS):
                found.append(place)
        elif _CONTROL.match(character):
            found.append(place)
        before = character
    return found


def _turns(mark: str, text: str) -> bool:
    """Whether a text is shown in another order for such a mark: round a number, address books put it for nothing."""
    against = ("R", "AL", "AN") if mark == "\u202d" else ("L", "EN")
    return any(unicodedata.bidirectional(c) in against for c in text)


def _is_mixed(word: str) -> bool:
    """Whether a word has at least two Latin letters, and others that only look like such."""
    if word.isascii():
        return False
    names = ["LATIN" in unicodedata.name(letter, "") for letter in word]
    others = [unicodedata.normalize("NFD", letter)[0] for letter, named in zip(word, names, strict=True) if not named]
    return sum(names) >= 2 and bool(others) and all(ord(c) in lookalikes() and c not in _NOTATION for c in others)
