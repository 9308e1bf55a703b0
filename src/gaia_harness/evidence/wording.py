"""Normalises text for comparison: lower-case words between single spaces."""

import re
import unicodedata

_ASCII = bytes(range(0x80))
_WORDS = bytes(
    code if code >= 0x80 else ord(chr(code).lower()) if chr(code).isalnum() else 0x20
    for code in range(256)  # a byte of a longer character belongs to its word
)
# Marks and spaces beyond ASCII: Latin-1 signs, general punctuation, CJK punctuation, byte order mark, specials.
_MARKS = re.compile(
    rb"\xc2[\x80-\xbf]|\xe2[\x80-\x81\xb8-\xb9][\x80-\xbf]|\xe3\x80[\x80-\xbf]|\xef\xbb\xbf|\xef\xbf[\xbc-\xbf]"
)
# Scripts written without spaces: every character counts as a word.
_UNSPACED = re.compile(rb"(?:\xe3[\x81-\xbf]|[\xe4-\xe9][\x80-\xbf])[\x80-\xbf]")
_UNSPACED_LEADS = bytes(0x78 if 0xE3 <= code <= 0xE9 else 0x20 for code in range(256))
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)


def visible(text: str) -> str:
    """The text without characters that show nothing, which can be strewn in to hide a copy."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def reduce(text: str) -> bytes:
    """The words of the text, as UTF-8, each with one space before and one after it."""
    if text.isascii():
        data = text.encode()
    else:
        data = text.encode("utf-8", "replace")
        beyond = data.translate(None, _ASCII).decode()
        if _INVISIBLE.search(beyond) or beyond.lower() != beyond or not unicodedata.is_normalized("NFKC", text):
            data = unicodedata.normalize("NFKC", visible(text)).lower().encode("utf-8", "replace")
        data = _MARKS.sub(b" ", data)
        if b"x" in data.translate(_UNSPACED_LEADS):
            data = _UNSPACED.sub(rb" \g<0> ", data)
    data = data.translate(_WORDS)
    while b"  " in data:  # halves every run of spaces: far quicker than to split and join
        data = data.replace(b"  ", b" ")
    data = data.strip(b" ")
    return b" " + data + b" " if data else b""
