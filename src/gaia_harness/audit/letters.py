"""Finds characters in an answer that are invisible, change the text direction, or imitate another script."""

import re
import unicodedata

import msgspec

from gaia_harness.audit.findings import Severity
from gaia_harness.audit.lookalikes import LATIN

LONGEST = 10_000
_OVERRIDDEN = re.compile("([\u202d\u202e])([^\u202c\n]*)")
_FROM_THE_RIGHT = frozenset("\u202b\u2067")
_DIRECTIONS = _FROM_THE_RIGHT | frozenset("\u202a\u202c\u2066\u2068\u2069\u202d\u202e")
_ZERO_WIDTH = frozenset(
    "\u200b\u2060\u2061\u2062\u2063\u2064\u180e\u115f\u1160\u3164\uffa0\u034f\u00ad\ufeff\u200c\u200d"
)
_JOINERS = frozenset("\u200c\u200d\u034f")
# Thai, Lao, Tibetan, Burmese, Khmer and their neighbours have no spaces between words, and breaks where these may be.
_UNSPACED = re.compile("[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\u3000-\u9fff\ua9e0-\uaa7f]")
_MONGOLIAN = re.compile("[\u1820-\u18aa]")
_LINES = frozenset("\t\n\r")
_KEYCAPS = frozenset("0123456789#*")
_NO_BRAILLE = "\u2800"
_WORD = re.compile(r"[^\W\d_]{4,}")
# Greek letters that stand in Latin words: TNFα, IFNγ, NFκB. β, μ, Δ and the like look like no Latin letter.
_NOTATION = frozenset("αγκσ")
FEW, MANY = 3, 16
"""Invisible characters that a copied web page leaves behind, and so many that they could spell something."""


class Odd(msgspec.Struct, frozen=True):
    """The worst about an answer's characters: severity, rule, what it is, and the first character it is about."""

    severity: Severity
    rule: str
    what: str
    start: int


def odd_letters(answer: str) -> Odd | None:
    """What is odd about the characters of an answer; None where every one is what it seems."""
    answer = answer[:LONGEST]
    if answer.isascii() and (answer.isprintable() or not _hidden(answer)):
        return None
    tags = [place for place, c in enumerate(answer) if 0xE0020 <= ord(c) <= 0xE007E]
    if tags and "\U0001f3f4" not in answer:  # flags are spelled so
        return Odd("high", "invisible-characters", "letters that cannot be seen", tags[0])
    if turned := [found.start() for found in _OVERRIDDEN.finditer(answer) if _turns(found[1], found[2])]:
        return Odd("high", "bidi-characters", "characters that turn the text round", turned[0])
    hidden = _hidden(answer)
    unseen = f"{len(hidden)} characters that cannot be seen"
    if len(hidden) >= MANY:
        return Odd("high", "invisible-characters", unseen, hidden[0])
    mixed = _mixed(answer)
    if mixed is not None:
        return Odd("medium", "mixed-script", "a word with look-alike letters of another script", mixed)
    turned = [place for place, c in enumerate(answer) if c in _DIRECTIONS]
    if turned and not any(unicodedata.bidirectional(c) in ("R", "AL") for c in answer):
        severity: Severity = "medium" if _FROM_THE_RIGHT.intersection(answer) else "low"
        return Odd(severity, "bidi-characters", "characters that turn the text round", turned[0])
    if hidden:
        return Odd("medium" if len(hidden) > FEW else "low", "invisible-characters", unseen, hidden[0])
    return None


def _hidden(answer: str) -> list[int]:
    """Where characters stand that show nothing and have nothing to do there."""
    found = []
    braille = any("\u2801" <= c <= "\u28ff" for c in answer)
    for place, character in enumerate(answer):
        before = answer[place - 1] if place else ""
        if character in _ZERO_WIDTH:
            if _at_home(character, before, answer[place + 1 : place + 2]):
                continue
        elif "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef":
            # one behind an emoji, a Chinese character or the digit of a keycap says how that is drawn
            if before and (not before.isascii() or before in _KEYCAPS) and unicodedata.category(before) != "Mn":
                continue
        elif character == _NO_BRAILLE:
            if braille:  # where it is a space
                continue
        elif character in _LINES or not (character < " " or character == "\x7f"):
            continue  # what is above these comes of text that was read in the wrong encoding
        found.append(place)
    return found


def _turns(mark: str, text: str) -> bool:
    """Whether a text is shown in another order for such a mark: round a number, address books put it for nothing."""
    against = ("R", "AL", "AN") if mark == "\u202d" else ("L", "EN")
    return any(unicodedata.bidirectional(c) in against for c in text)


def _at_home(character: str, before: str, behind: str) -> bool:
    """Whether what shows nothing has something to do between these two: it joins, keeps apart or may be a break."""
    if not before or before in _ZERO_WIDTH:
        return False
    if character in _JOINERS:  # between emoji, and in scripts whose letters join
        return not before.isascii()
    if character == "\u00ad":
        return before.isalpha() and behind.isalpha()
    if character == "\u180e":
        return _MONGOLIAN.match(before) is not None
    return character in "\u200b\u2060" and _UNSPACED.match(before) is not None


def _mixed(answer: str) -> int | None:
    for match in _WORD.finditer(answer):
        word = match.group()
        if word.isascii():
            continue
        latin = sum(map(_is_latin, word))
        alike = sum(map(_imitates_latin, word))
        if latin >= 2 and alike and latin + alike == len(word):
            return match.start()
    return None


def _is_latin(letter: str) -> bool:
    return "LATIN" in unicodedata.name(letter, "")


def _imitates_latin(letter: str) -> bool:
    """Whether it is a letter of another script that looks like a Latin one, accents apart."""
    base = unicodedata.normalize("NFD", letter)[0]
    return ord(base) in LATIN and base not in _NOTATION and not _is_latin(letter)
