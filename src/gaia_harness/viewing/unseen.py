"""Finds the signs in a text that a page or a terminal does not show, or that turn it round."""

import re
import unicodedata
from collections.abc import Iterator

_IGNORED = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]")
"""What Unicode lets a program ignore, though it is of a category that is seen."""

_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))


def marked(text: str) -> Iterator[tuple[str, str | None]]:
    """The pieces of a text in order; with each sign that cannot be seen, but for line ends and tabs, its name."""
    start = 0
    for at, sign in enumerate(text):
        if _unseen(sign):
            if start < at:
                yield text[start:at], None
            yield sign, f"U+{ord(sign):04X}"
            start = at + 1
    if start < len(text):
        yield text[start:], None


def named(text: str) -> str:
    """The same text with the names of such signs in their place."""
    return "".join(piece if sign is None else sign for piece, sign in marked(text))


def _unseen(sign: str) -> bool:
    if sign.isascii():
        return not (sign.isprintable() or sign in "\n\t")
    return unicodedata.category(sign) in _CATEGORIES or _IGNORED.match(sign) is not None
