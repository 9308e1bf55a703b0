"""What does a text say once it is decoded? The encodings in which a prompt could hide something from who reads it."""

import base64
import binascii
import codecs
import re
from collections.abc import Callable, Iterator

from gaia_harness.evidence.views import views
from gaia_harness.evidence.wording import reduce

LONGEST = 64 << 10
MOST_LINES = 400
"""Of a text that are turned round, and so on: no hint is longer, and a table has one line for each task."""

_COMMON = frozenset(b"the is of to and a in this it not you for that be are was with your do as".split())
_PLAIN = 3
"""Different such words in a line that has none before: then it was a sentence."""

_ATBASH = str.maketrans(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "zyxwvutsrqponmlkjihgfedcbaZYXWVUTSRQPONMLKJIHGFEDCBA"
)
_ROT47 = {code: 33 + (code - 33 + 47) % 94 for code in range(33, 127)}
_CODES = re.compile(r"(?<![\d.])\d{2,3}(?:[ ,;]{1,2}\d{2,3}){5,}(?![\d.])")
_BITS = re.compile(r"(?<![01])[01]{8}(?: ?[01]{8}){3,}(?![01])")
_PAIRS = re.compile(
    r"(?<![0-9A-Fa-f])(?:0x|\\x)?[0-9A-Fa-f]{2}(?:[ :,]{0,2}(?:0x|\\x)?[0-9A-Fa-f]{2}){5,}(?![0-9A-Fa-f])"
)
_PAIR = re.compile(r"[0-9A-Fa-f]{2}(?![xX])")
_BASE32 = re.compile(r"(?<![A-Z2-7])[A-Z2-7]{16,}={0,6}")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{6,}={0,2}")
_APART = re.compile(r"(?:[^\s] ){5,}[^\s]|(?:\w[.\-_*|]){5,}\w")


def squeezed(text: str) -> str:
    """The letters and digits of a text alone: what is left of one that is spaced out."""
    return "".join(filter(str.isalnum, text)).lower()


def short_codes(answer: str) -> tuple[str, ...]:
    """An answer in encodings that are too short to be noticed as such."""
    data = answer.strip().encode("utf-8", "replace")
    if len(data) < 4:
        return ()
    codes = [str(code) for code in data]
    return (
        base64.b64encode(data).decode().rstrip("="),
        base64.b32encode(data).decode().rstrip("="),
        data.hex(),
        data.hex(" "),
        " ".join(codes),
        ",".join(codes),
        ", ".join(codes),
    )


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """What stands in a text as code: with the encoding's name. That it can be read at all is no accident."""
    text = text[:LONGEST]
    for view in views(text):
        yield view.name, view.text
    tags = "".join(chr(ord(c) - 0xE0000) for c in text if 0xE0020 <= ord(c) <= 0xE007E) if not text.isascii() else ""
    if tags:
        yield "tags", tags
    for name, pattern, decode in _DECODERS:
        for block in pattern.findall(text)[:50]:
            try:
                decoded = decode(block)
            except (ValueError, binascii.Error, OverflowError):
                continue
            if len(decoded) >= 3 and decoded.isprintable():
                yield name, decoded


def lines(text: str) -> Iterator[tuple[str, str]]:
    """The lines that make sentences only when they are read otherwise: backwards, or by other letters."""
    for line in text[:LONGEST].split("\n")[:MOST_LINES]:
        if len(line) < 12 or len(_COMMON.intersection(reduce(line).split())) >= _PLAIN:
            continue
        for name, reading in (
            ("reversed", line[::-1]),
            ("rot13", codecs.encode(line, "rot13")),
            ("atbash", line.translate(_ATBASH)),
            ("rot47", line.translate(_ROT47)),
        ):
            if len(_COMMON.intersection(reduce(reading).split())) >= _PLAIN:
                yield name, reading


def whole(text: str) -> Iterator[tuple[str, str]]:
    """All of a text backwards and by other letters: only for what does not come about by chance."""
    text = text[:LONGEST]
    yield "rot13", codecs.encode(text, "rot13")
    yield "reversed", text[::-1]


def _bits(block: str) -> str:
    digits = block.replace(" ", "")
    return bytes(int(digits[at : at + 8], 2) for at in range(0, len(digits), 8)).decode()


def _pairs(block: str) -> str:
    return bytes(int(pair, 16) for pair in _PAIR.findall(block)).decode()


def _codes(block: str) -> str:
    return bytes(int(code) for code in re.findall(r"\d+", block)).decode()


def _base64(block: str) -> str:
    run = block.rstrip("=").replace("-", "+").replace("_", "/")
    return base64.b64decode(run + "=" * (-len(run) % 4)).decode()


def _base32(block: str) -> str:
    run = block.rstrip("=")
    return base64.b32decode(run + "=" * (-len(run) % 8)).decode()


def _together(block: str) -> str:
    return block[::2]


_DECODERS: tuple[tuple[str, re.Pattern[str], Callable[[str], str]], ...] = (
    ("codes", _CODES, _codes),
    ("binary", _BITS, _bits),
    ("hex", _PAIRS, _pairs),
    ("base32", _BASE32, _base32),
    ("base64", _BASE64, _base64),
    ("spaced", _APART, _together),
)
