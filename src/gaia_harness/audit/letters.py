"""Which characters of an answer are not what they look like: invisible, turning the text, or of another script?"""

import re
import unicodedata

from gaia_harness.audit.findings import Severity

LONGEST = 10_000
_OVERRIDES = frozenset("\u202d\u202e")
_DIRECTIONS = frozenset("\u202a\u202b\u202c\u2066\u2067\u2068\u2069")
_ZERO_WIDTH = frozenset(
    "\u200b\u2060\u2061\u2062\u2063\u2064\u180e\u115f\u1160\u3164\uffa0\u034f\u00ad\ufeff\u200c\u200d"
)
_JOINERS = frozenset("\u200c\u200d")
_WORD = re.compile(r"[^\W\d_]{4,}")
# Letters of other scripts that nobody can tell from Latin ones; β, μ, Δ and the like are not among them.
_CYRILLIC = frozenset("аеорсухіїјѕԁһӏкмнтвАВЕКМНОРСТУХІЈЅԌ")
_GREEK = frozenset("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧοντυιρ")
FEW, MANY = 3, 16
"""Invisible characters that a copied web page leaves behind, and so many that they could spell something."""


def odd_letters(answer: str) -> tuple[Severity, str, str] | None:
    """Severity, rule and what it is, for the worst of them; None where every character is what it seems."""
    answer = answer[:LONGEST]
    if answer.isascii():
        return None
    if any(0xE0020 <= ord(c) <= 0xE007E for c in answer) and "\U0001f3f4" not in answer:  # flags are spelled so
        return "high", "invisible-characters", "letters that cannot be seen"
    if not _OVERRIDES.isdisjoint(answer):
        return "high", "bidi-characters", "characters that turn the text round"
    hidden = _invisible(answer)
    if hidden >= MANY:
        return "high", "invisible-characters", f"{hidden} characters that cannot be seen"
    if _mixed(answer):
        return "medium", "mixed-script", "a word with look-alike letters of another script"
    if not _DIRECTIONS.isdisjoint(answer) and not any(unicodedata.bidirectional(c) in ("R", "AL") for c in answer):
        return "medium", "bidi-characters", "characters that turn the text round"
    if hidden:
        return "medium" if hidden > FEW else "low", "invisible-characters", f"{hidden} characters that cannot be seen"
    return None


def _invisible(answer: str) -> int:
    count = 0
    for place, character in enumerate(answer):
        if character not in _ZERO_WIDTH:
            continue
        before = answer[place - 1] if place else ""
        # joiners belong between emoji, and in scripts whose letters join
        if character in _JOINERS and before and not before.isascii() and before not in _ZERO_WIDTH:
            continue
        count += 1
    return count


def _mixed(answer: str) -> bool:
    for word in _WORD.findall(answer):
        if word.isascii():
            continue
        latin = sum("LATIN" in unicodedata.name(letter, "") for letter in word)
        alike = sum(letter in _CYRILLIC or letter in _GREEK for letter in word)
        if latin >= 2 and alike and latin + alike == len(word):
            return True
    return False
