"""Decodes the encodings in which a prompt could hide text from a human reader."""

import base64
import binascii
import codecs
import hashlib
import re
import zlib
from collections.abc import Callable, Iterator

from gaia_harness.evidence.views import views
from gaia_harness.evidence.wording import reduce

LONGEST = 64 << 10
MOST_LINES = 400
"""Of a text that are turned round, and so on: no hint is longer, and a table has one line for each task."""

ESCAPES = frozenset(("", "html", "url", "json"))
"""Readings of what is written so for programs, and hides nothing."""

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
_HASHES = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512", "blake2b", "blake2s")
_HEX_DIGEST = re.compile(
    r"(?<![0-9A-Za-z])(?:[0-9A-Fa-f]{8,128}|(?:[0-9A-Fa-f]{2}:){7,63}[0-9A-Fa-f]{2}|"
    r"(?:[0-9A-Fa-f]{2} ){7,63}[0-9A-Fa-f]{2})(?![0-9A-Za-z])"
)
_BASE64_DIGEST = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{22,88}={0,2}(?![A-Za-z0-9+/=])")
MOST_DIGESTS = 200
"""Of one text: a table has one for each task. Eight hex digits, the shortest, do not agree by chance."""

_SIGNED = re.compile(r"(?<!\w)\S([^\w\s]| ?[^\w\s] | {1,3}|_)[^\n](?:\1[^\n]){3,}")
_SPELLED = 4
"""Signs between single letters, at least, that are the same: then something is spelled."""

_LETTER_NAMES = (
    "alfa alpha bravo charlie delta echo foxtrot golf hotel india juliett juliet kilo lima mike november oscar papa "
    "quebec romeo sierra tango uniform victor whiskey whisky xray x-ray yankee zulu"
)
_DIGIT_NAMES = "zero one two three four five six seven eight nine"
_ALPHABET = {
    **{name: name[0] for name in _LETTER_NAMES.split()},
    **{name: str(digit) for digit, name in enumerate(_DIGIT_NAMES.split())},
    "niner": "9",
    "space": " ",
    "dot": ".",
    "point": ".",
    "dash": "-",
    "hyphen": "-",
    "comma": ",",
}


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


def digests_in(text: str) -> tuple[str, ...]:
    """What in a text may be a digest, or the beginning of one: hex in lower case, base64 as it stands."""
    text = text[:LONGEST]
    blocks_of_hex = _HEX_DIGEST.findall(text)[:MOST_DIGESTS]
    blocks_of_hex += [block[3:] for block in blocks_of_hex if " " in block]  # its first pair may be the word "be"
    found = [block.replace(":", "").replace(" ", "").lower() for block in blocks_of_hex]
    coded = [block.rstrip("=").replace("-", "+").replace("_", "/") for block in _BASE64_DIGEST.findall(text)]
    return tuple(dict.fromkeys(found + coded[:MOST_DIGESTS]))


def is_digest_of(found: tuple[str, ...], answer: str, task_id: str) -> bool:
    """Whether one of these is a digest of an answer in one of its common forms, alone or with its task's id."""
    bare = answer.strip()
    forms = dict.fromkeys(
        (answer, bare, bare.lower(), bare.upper(), bare.title(), bare.replace(",", ""), squeezed(bare))
    )
    salted = [f"{a}{mark}{b}" for a, b in ((task_id, bare), (bare, task_id)) for mark in ("", ":", "|", "-", "_", " ")]
    for form in (*forms, *(f"{form}\n" for form in forms), *(f'"{form}"' for form in forms), *salted):
        data = form.encode("utf-8", "replace")
        raws = [hashlib.new(name, data, usedforsecurity=False).digest() for name in _HASHES]
        raws.append(zlib.crc32(data).to_bytes(4, "big"))
        for raw in raws:
            coded, digits = base64.b64encode(raw).decode(), raw.hex()
            if any(digits.startswith(each) or digits.endswith(each) or coded.startswith(each) for each in found):
                return True
    return False


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
            if len(decoded) >= 3 and decoded.replace("\n", "").replace("\t", "").replace("\r", "").isprintable():
                yield name, decoded
    yield from spelled(text)


def spelled(text: str) -> Iterator[tuple[str, str]]:
    """What stands in a text letter by letter, with the same sign between all, each in its line, or by its name."""
    for found in _SIGNED.finditer(text):
        yield "spelled", found[0][:: 1 + len(found[1])]
    single = "".join(line.strip() if len(line.strip()) == 1 else "\n" for line in text.split("\n")[:MOST_LINES])
    for column in single.split("\n"):
        if len(column) > _SPELLED:
            yield "spelled", column
    letters: list[str] = []
    for word in (*re.split(r"[\s,;/|·]+|(?<=[a-z])[.-](?=\s|[a-z])", text.lower()), ""):
        if (letter := _ALPHABET.get(word.strip(".:()'\""))) is not None:
            letters.append(letter)
            continue
        if len(letters) > _SPELLED:
            yield "spelled", "".join(letters)
        letters = []


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
