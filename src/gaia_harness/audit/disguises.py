"""Other readings of an answer: look-alike and invisible characters undone, encoded text decoded."""

import base64
import binascii
import codecs
import re
import unicodedata
from collections.abc import Iterator
from itertools import islice

from gaia_harness.audit.lookalikes import LATIN as LOOKALIKES
from gaia_harness.evidence.views import views
from gaia_harness.evidence.wording import visible

SHORTEST = 10
"""No sentence to a judge is shorter, in any script that is known here but the Chinese ones, which come close."""

_LATIN = LOOKALIKES | str.maketrans("пεω∣", "newI")  # these four are read as letters that they hardly look like
_LEET = tuple(str.maketrans("013457@$!|8", f"o{one}eastasilb") for one in "il")
_BLOCK = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}[ :]?){12,}")
_BETWEEN = " -._~*|/+=·•,:;"


def readings(answer: str) -> Iterator[tuple[str, str, int | None]]:
    """How it was got, what it says, and where it begins; None where it has a letter for each of the answer's."""
    yield "", answer, None
    plain = unicodedata.normalize("NFKC", visible(answer))
    if not answer.isascii():
        yield from _unseen(answer)
    if plain != answer:
        yield "invisible", plain, None
    latin = _without_marks(plain).translate(_LATIN)
    if latin != plain:
        yield "homoglyphs", latin, None
    yield "spaced", latin, None
    apart = [latin]
    for mark in _BETWEEN:
        if latin.count(mark) >= 4:
            apart += _put_together(latin, mark)
    yield from (("spaced", reading, None) for reading in apart[1:])
    for reading in apart:
        # a disguise over another one
        for table in _LEET:
            yield "leet", reading.lower().translate(table), None
    yield "reversed", latin[::-1], 0
    yield "rot13", codecs.encode(latin, "rot13"), None
    for view in views(answer):
        yield view.name, view.text, view.start
    for block in [*islice(_BLOCK.finditer(answer), 20), *islice(_HEX.finditer(answer), 20)]:
        for name, data in (("base64", _base64(block.group())), ("hex", _hex(block.group()))):
            if data:
                yield name, data, block.start()


def _unseen(answer: str) -> Iterator[tuple[str, str, int]]:
    """What characters that show nothing spell: letters of their own, or bytes."""
    tags = [place for place, c in enumerate(answer) if 0xE0020 <= ord(c) <= 0xE007E]
    if tags:
        yield "tags", "".join(chr(ord(answer[place]) - 0xE0000) for place in tags), tags[0]
    selectors = [(place, byte) for place, c in enumerate(answer) if (byte := _selected(c)) is not None]
    if len(selectors) >= SHORTEST:
        yield "selectors", bytes(byte for _, byte in selectors).decode("utf-8", "replace"), selectors[0][0]


def _selected(character: str) -> int | None:
    """The byte that a variation selector can stand for, of which there are 256."""
    code = ord(character)
    if 0xFE00 <= code <= 0xFE0F:
        return code - 0xFE00
    return code - 0xE0100 + 16 if 0xE0100 <= code <= 0xE01EF else None


def _put_together(text: str, mark: str) -> Iterator[str]:
    """A text with signs between its letters, or between its words, without them."""
    if mark != " ":
        yield text.replace(mark, " ")
    apart = re.compile(rf"(?:[^\n]{re.escape(mark)}){{5,}}[^\n]")
    together = apart.sub(lambda match: match.group()[::2], text)
    if together != text:
        yield together


def _without_marks(text: str) -> str:
    """Letters without strokes and dots over them, which can be heaped on to hide a word."""
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def _base64(block: str) -> str:
    try:
        run = block.rstrip("=").replace("-", "+").replace("_", "/")
        return base64.b64decode(run + "=" * (-len(run) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""


def _hex(block: str) -> str:
    try:
        return bytes.fromhex(block.replace(":", " ")).decode()
    except (UnicodeDecodeError, ValueError):
        return ""
