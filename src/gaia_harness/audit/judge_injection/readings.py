"""What does an answer say beside its plain text: in look-alike or invisible letters, letters apart, or encoded?"""

import codecs
import re
import unicodedata
from collections.abc import Iterator

from gaia_harness.audit.judge_injection.letters import latin
from gaia_harness.evidence.views import views
from gaia_harness.evidence.wording import visible

SHORTEST = 10
"""No sentence to a judge is shorter, in any script that is known here but the Chinese ones, which come close."""

_LEET = str.maketrans("013457@$!|8", "oieastasilb")
_APART = re.compile(r"(?:[^\n]([ .·•_~*|/+=,:;-]))(?:[^\n]\1){4,}[^\n]")
_JOINED = re.compile(r"(?<=\w)[-._~|/+](?=\w)")


def hidden_readings(answer: str) -> Iterator[tuple[str, str, int]]:
    """How it was got, what it says, and where it begins. What reads as the answer itself does is left out."""
    seen = {answer}
    for name, text, start in _readings(answer):
        if text not in seen and len(text) >= SHORTEST:
            seen.add(text)
            yield name, text, start


def _readings(answer: str) -> Iterator[tuple[str, str, int]]:
    if not answer.isascii():
        yield from _unseen(answer)
    shown = unicodedata.normalize("NFKC", visible(answer))
    yield "invisible", shown, 0
    plain = latin(shown)
    yield "homoglyphs", plain, 0
    together = _APART.sub(lambda match: match.group()[::2], plain)
    for text in (together, _JOINED.sub(" ", plain)):
        yield "spaced", text, 0
        yield "leet", text.lower().translate(_LEET), 0
    yield "reversed", plain[::-1], 0
    yield "rot13", codecs.encode(plain, "rot13"), 0
    for view in views(answer):
        yield view.name, view.text, view.start


def _unseen(answer: str) -> Iterator[tuple[str, str, int]]:
    """What characters that show nothing spell: letters of their own (tags), or bytes (variation selectors)."""
    tags = [place for place, c in enumerate(answer) if 0xE0020 <= ord(c) <= 0xE007E]
    if tags:
        yield "tags", "".join(chr(ord(answer[place]) - 0xE0000) for place in tags), tags[0]
    selectors = [(place, byte) for place, c in enumerate(answer) if (byte := _selected(ord(c))) is not None]
    if selectors:
        yield "selectors", bytes(byte for _, byte in selectors).decode("utf-8", "replace"), selectors[0][0]


def _selected(code: int) -> int | None:
    """The byte that a variation selector can stand for, of which there are 256."""
    if 0xFE00 <= code <= 0xFE0F:
        return code - 0xFE00
    return code - 0xE0100 + 16 if 0xE0100 <= code <= 0xE01EF else None
