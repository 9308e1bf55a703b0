"""Decoded views of a text: HTML, URL and JSON escapes, base64 and hex undone, and captions without their times.

Each undoing is tried only where its marks are there, and the work is bounded: readings never hold more than
`BUDGET` times the text. Turned-round and rot13 text is not undone here: the fingerprint knows those phrases.
"""

import binascii
import html
import re
from collections.abc import Callable, Iterator
from itertools import islice
from urllib.parse import unquote

import msgspec

BUDGET = 16
LAYERS = 2
SHORTEST_BLOCK = 40
"""Shorter runs of base64 or hex cannot hold five words of a question."""

FEWEST_TIMES = 4
"""Lines that begin with a time, by which a text is known for captions."""

MOST_SIGNS = 0.15
"""Of a run of base64 that are no letters and no digits."""

_BLOCK_BYTES = bytes(0x78 if c < 128 and (chr(c).isalnum() or c in b"+/_-") else 0x20 for c in range(256))
_BLOCK = re.compile(  # begins only where a run begins, so that many short runs cost no more than their length
    rf"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{{{SHORTEST_BLOCK},}}(?:[ \t]?\r?\n[ \t]*[A-Za-z0-9+/_-]{{4,}})*"
    r"(?:[ \t]?\r?\n[ \t]*[A-Za-z0-9+/_-]{2,3}(?==))?={0,2}"  # a last line may be shorter, if it is filled up
)
_PAIR_BYTES = bytes(
    0x78 if chr(c) in "0123456789abcdefABCDEF" else 0x20 if c in b" :,-\n" else 0x2E for c in range(256)
)
_PAIRS = re.compile(rf"(?<![0-9A-Za-z])(?:[0-9a-fA-F]{{2}}[ :,\n-]){{{SHORTEST_BLOCK // 2},}}[0-9a-fA-F]{{2}}")
_HEX_PAIR = re.compile(r"[0-9a-fA-F]{2}")
_HEX = re.compile(r"(?:0x)?([0-9a-fA-F]+)")
_ENTITY = re.compile(r"&(?:#\d|#[xX][0-9a-fA-F]|[A-Za-z]+;)")
_ENDLESS_ENTITY = re.compile(r"&#(?:\d{9}\d*|[xX][0-9a-fA-F]{9}[0-9a-fA-F]*);?")  # no character has such a number
# however often JSON was put into JSON: each time doubles the backslashes
_JSON_ESCAPE = re.compile(r'\\+(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(["\\/bfnrt]))')
_TIME = re.compile(r"\n[ \t\[(]*(?:\d{1,2}:)?\d{1,2}:\d\d(?:[.,]\d{1,3})?(?:[ \t]*-->[ \t]*[\d:.,]+)?[\])]?[ \t]*")
_PLAIN = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_SURROGATE = re.compile("[\ud800-\udfff]")
_UNPRINTABLE = bytes(code for code in range(256) if (code < 0x20 and code not in b"\t\n\r\f") or code == 0x7F)


class View(msgspec.Struct, frozen=True):
    """A reading: how it was got, what it says, and which characters of the text it was got from."""

    name: str
    text: str
    start: int
    end: int


def views(text: str, fill: Callable[[str], str] = str) -> Iterator[View]:
    """The readings of a text apart from the text itself, in a fixed order.

    `fill` takes secrets out of a text before its escapes are undone.
    """
    left = BUDGET * len(text)
    for view in _views(text, LAYERS, fill):
        left -= len(view.text)
        if left < 0:
            return
        yield view


def _views(text: str, layers: int, fill: Callable[[str], str]) -> Iterator[View]:
    unescaped, names = text, ""
    for name, decoded in _unescapings(text, layers, fill):
        unescaped, names = decoded, f"{names}{name}+"
        yield View(names[:-1], decoded, 0, len(text))
    yield from _block_views(text, "", layers, fill)
    if names:
        for view in _block_views(unescaped, names, layers, fill):
            yield View(view.name, view.text, 0, len(text))


def _block_views(text: str, names: str, layers: int, fill: Callable[[str], str]) -> Iterator[View]:
    for name, decoded, start, end in _blocks(text):
        yield View(names + name, decoded, start, end)
        if layers > 1:
            for view in _views(decoded, layers - 1, fill):
                yield View(f"{names}{name}+{view.name}", view.text, start, end)


def _unescapings(text: str, layers: int, fill: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    """The text with every kind of escape undone, then once more: whichever was put on top of the other."""
    for _ in range(layers):
        names = []
        for name, unescape in (
            ("html", from_html),
            ("url", _from_url),
            ("json", from_json),
            ("captions", _without_times),
        ):
            decoded = unescape(text)
            if decoded != text:
                filled = fill(text)
                text = decoded if filled is text else unescape(filled)
                names.append(name)
        if not names:
            return
        yield "+".join(names), text


def from_html(text: str) -> str:
    """A text with its HTML entities undone."""
    if "&" not in text or not _ENTITY.search(text):
        return text
    return html.unescape(_ENDLESS_ENTITY.sub("\ufffd", text) if "&#" in text else text)


def _from_url(text: str) -> str:
    return unquote(text, errors="replace") if text.count("%") >= 4 else text


def from_json(text: str) -> str:
    """A text with its JSON escapes undone, however often JSON was put into JSON."""
    if "\\" not in text:
        return text
    return _paired(_JSON_ESCAPE.sub(_unescape, text))


def _without_times(text: str) -> str:
    """What is said in captions, without the times that their lines begin with."""
    found = sum(1 for _ in islice(_TIME.finditer(text), FEWEST_TIMES))
    return _TIME.sub(" ", text) if found == FEWEST_TIMES else text


def _unescape(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    if code is None:
        return _PLAIN.get(match[3], match[3])
    return chr(int(code, 16))


def _paired(text: str) -> str:
    """The text with the two halves of a character, as JSON escapes it, put together."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _blocks(text: str) -> Iterator[tuple[str, str, int, int]]:
    """Runs of hex or base64 that hold text, with that text and where they stand."""
    data = text.encode("ascii", "replace")  # a byte for each character
    marks = data.translate(_BLOCK_BYTES)
    if b"x" * SHORTEST_BLOCK in marks:
        for block in _found_blocks(text, marks):
            run = "".join(block.group().split())
            if sum(map(run.count, "+/_-")) > MOST_SIGNS * len(run):
                continue  # the path of an address: in base64 one of 32 signs is one of these
            name, decoded = "hex", _from_hex(run)
            if decoded is None:
                name, decoded = "base64", _from_base64(run)
            if decoded is not None:
                yield name, decoded, block.start(), block.end()
    if b"xx " * (SHORTEST_BLOCK // 2) in data.translate(_PAIR_BYTES):
        for block in _PAIRS.finditer(text):
            decoded = _from_hex("".join(_HEX_PAIR.findall(block.group())))
            if decoded is not None:
                yield "hex", decoded, block.start(), block.end()


def _found_blocks(text: str, marks: bytes) -> Iterator[re.Match[str]]:
    """Every match of `_BLOCK`, looked for only where characters are marked as such a run."""
    run, end = b"x" * SHORTEST_BLOCK, 0
    while (start := marks.find(run, end)) >= 0:
        found = _BLOCK.match(text, start)
        if found is None:  # the rest of a run
            end = marks.find(b" ", start)
            if end < 0:
                return
            continue
        yield found
        end = found.end()


def _from_hex(run: str) -> str | None:
    digits = _HEX.match(run)  # a word in the next line may look like more of the block
    if digits is None or len(digits[1]) < SHORTEST_BLOCK:
        return None
    run = digits[1]
    return _first_text(bytes.fromhex(run[skip : len(run) - (len(run) - skip) % 2]) for skip in range(2))


def _from_base64(run: str) -> str | None:
    if run.islower() or run.isupper():
        return None  # a name: text in base64 has letters of both cases
    run = run.rstrip("=").replace("-", "+").replace("_", "/")
    # letters glued to the front shift everything; one of four beginnings is the right one
    return _first_text(binascii.a2b_base64(_padded(run[skip:])) for skip in range(4))


def _padded(run: str) -> str:
    return run[:-1] if len(run) % 4 == 1 else run + "=" * (-len(run) % 4)


def _first_text(candidates: Iterator[bytes]) -> str | None:
    return next((text for data in candidates if (text := _as_text(data)) is not None), None)


def _as_text(data: bytes) -> str | None:
    """The bytes as text, if they are mostly printable; an image or a hash is not."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _readable(data.decode("utf-16", "replace"))
    if data[1:2] == b"\0":
        return _readable(data.decode("utf-16-le", "replace"))
    if data[:1] == b"\0":
        return _readable(data.decode("utf-16-be", "replace"))
    # letters glued to the front decode to a few bytes of rubbish
    probe = data[16:528] or data
    if len(probe) - len(probe.translate(None, _UNPRINTABLE)) > 0.05 * len(probe):
        return None
    return _readable(data.decode("utf-8", "replace"))


def _readable(text: str) -> str | None:
    probe = text[16:528] or text
    return text if probe and probe.count("\ufffd") <= 0.05 * len(probe) else None
