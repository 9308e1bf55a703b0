"""Normalises text for comparison: lower-case words between single spaces."""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

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
_BEYOND = bytes(0x78 if code >= 0x80 else 0x20 for code in range(256))
_FEW = 16  # bytes of text for each beyond ASCII: from here on they are looked at one by one
_SHORT = 64  # bytes of a run that is remembered
# What may change with the letters around it: an accent of its own, and the capital sigma, which has two small forms.
_JOINING = re.compile("[\u0300-\u036f\u03a3\u03f9\U0001d6ba\U0001d6f4\U0001d72e\U0001d768\U0001d7a2]")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)


def visible(text: str) -> str:
    """The text without characters that show nothing, which can be strewn in to hide a copy."""
    return text if text.isascii() else _INVISIBLE.sub("", text)


def reduce(text: str) -> bytes:
    """The words of the text, as UTF-8, each with one space before and one after it."""
    data = text.encode("utf-8", "replace")
    if not data.isascii():
        beyond = data.translate(None, _ASCII)
        few = len(beyond) * _FEW < len(data) and not _JOINING.search(beyond.decode())
        data = _few_beyond_ascii(data) if few else _beyond_ascii(text)
    words = data.translate(_WORDS).split()
    return b" ".join((b"", *words, b"")) if words else b""


def _few_beyond_ascii(data: bytes) -> bytes:
    """The same as `_beyond_ascii`: a dash here, a quotation mark there, which are the same again and again."""
    parts, end, marks = [], 0, data.translate(_BEYOND)
    while (start := marks.find(b"x", end)) >= 0:
        parts.append(data[end:start])
        end = marks.find(b" ", start)
        end = len(data) if end < 0 else end
        run = data[start:end]
        parts.append(_known(run) if len(run) <= _SHORT else _beyond_ascii(run.decode()))
    return b"".join((*parts, data[end:]))


def _beyond_ascii(text: str) -> bytes:
    """The text in lower case and in its plainest form, with spaces for marks and around characters that are words."""
    data = text.encode("utf-8", "replace")
    beyond = data.translate(None, _ASCII).decode()
    if _INVISIBLE.search(beyond) or beyond.lower() != beyond or not unicodedata.is_normalized("NFKC", text):
        data = unicodedata.normalize("NFKC", visible(text)).lower().encode("utf-8", "replace")
    data = _MARKS.sub(b" ", data)
    return _UNSPACED.sub(rb" \g<0> ", data) if b"x" in data.translate(_UNSPACED_LEADS) else data


@lru_cache(maxsize=4096)
def _known(run: bytes) -> bytes:
    return _beyond_ascii(run.decode())


class WordPlaces:
    """A text and its reduced words, and where these begin in the text: counted part by part, as far as needed."""

    def __init__(self, text: str, words: bytes) -> None:
        self.text = text
        self.words = words
        self._starts = [0]
        self._before = [0]  # words before each part

    def character(self, place: int) -> int:
        """Where the word that begins at this place of the reduced words begins; behind the last one, the end."""
        word = self.words.count(b" ", 0, place)
        while self._before[-1] <= word and self._starts[-1] < len(self.text):
            start = self._starts[-1]
            gap = _SPACE.search(self.text, start + _PART, start + 8 * _PART)
            stop = gap.end() if gap else start + 8 * _PART
            self._before.append(self._before[-1] + count_words(self.text[start:stop]))
            self._starts.append(stop)
        part = bisect_right(self._before, word) - 1
        start = self._starts[part]
        inside = _word_starts(self.text[start : start + 16 * _PART])
        return start + next(islice(inside, word - self._before[part], None), len(self.text) - start)


def count_words(text: str) -> int:
    """How many words a text has."""
    return len(text.encode().translate(_WORDS).split()) if text.isascii() else max(0, reduce(text).count(b" ") - 1)


_PART = 256
_SPACE = re.compile(r"\s")
_TOKEN = re.compile(r"\S+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")


def _word_starts(text: str) -> Iterator[int]:
    if text.isascii():
        yield from (match.start() for match in _ASCII_WORD.finditer(text))
        return
    for token in _TOKEN.finditer(text):
        start, said = token.start(), token.group()
        if said.isascii():
            yield from (start + match.start() for match in _ASCII_WORD.finditer(said))
            continue
        count = max(0, reduce(said).count(b" ") - 1)
        # within a token they are evenly spread: it is a word, a few with marks between, or text without spaces
        yield from (start + len(said) * number // count for number in range(count))
