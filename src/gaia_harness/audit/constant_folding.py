"""Constant folding: evaluates the side-effect-free part of Python that builds strings, within bounds.

Nothing of a program is run: only the functions that stand here are, on values that stand in its text.
"""

import base64
import binascii
import codecs
import html
import itertools
import posixpath
import re
import string
import textwrap
import zlib
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

HOLE = "\ufffc"
"""Stands in a text for what only running the program would tell."""

MADE = "/tmp/made"  # noqa: S108 - a name, nothing is made there
"""Stands for a folder that code has made for itself and that nothing else has a name for."""

LONGEST_TEXT = 64 << 10
"""Eight times the longest argument that is kept: decoded text may be longer than what it was written as."""

MOST_ITEMS = 8192
MOST_MEMBERS = 64
"""Of one gzip file: nobody writes a constant of more, and each costs a look at all that stand behind it."""

LARGEST_INTEGER = 1 << 64
CONTAINERS = (list, tuple, dict, set, frozenset, range)


def words(text: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(text.split())


class Unknown:
    """A value that the text alone does not tell."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()


class Ref(NamedTuple):
    """A module, or something in one, by its dotted name."""

    name: str


class Route(NamedTuple):
    """A path object."""

    text: str


def known(value: Any) -> bool:
    """Whether a value is a constant in itself."""
    return not isinstance(value, Unknown | Ref)


def as_text(value: Any) -> str | None:
    """What a value is as a path or a text, if it is one."""
    if isinstance(value, str):
        return value
    if isinstance(value, Route):
        return value.text
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return None


def bounded(value: Any) -> Any:
    """The value, if it is not too large to go on with."""
    if isinstance(value, str | bytes):
        return value if len(value) <= LONGEST_TEXT else UNKNOWN
    if isinstance(value, int):
        return value if -LARGEST_INTEGER < value < LARGEST_INTEGER else UNKNOWN
    return value if items_in(value) <= MOST_ITEMS else UNKNOWN


def items_in(value: Any) -> int:
    """How many items a container has, those within them included, for one that holds itself twice doubles; not counted
    far beyond what is too many."""
    count, waiting = 0, [value]
    while waiting and count <= MOST_ITEMS:
        each = waiting.pop()
        if isinstance(each, CONTAINERS) and not isinstance(each, Ref | Route):
            count += len(each)
            if count <= MOST_ITEMS and not isinstance(each, range):
                waiting += each.values() if isinstance(each, dict) else each
    return count


def binary(operator: str, left: Any, right: Any) -> Any:
    """The outcome of an operator, `Add` to `BitXor`, by the name that the syntax tree has for it."""
    if operator == "Div" and (isinstance(left, Route) or isinstance(right, Route)):
        first, second = as_text(left), as_text(right)
        return Route(posixpath.join(HOLE if first is None else first, HOLE if second is None else second))
    if operator == "Add" and (isinstance(left, str) or isinstance(right, str)):
        return bounded((left if isinstance(left, str) else HOLE) + (right if isinstance(right, str) else HOLE))
    if operator == "Mod" and isinstance(left, str):
        return percent_format(left, right)
    if not (known(left) and known(right)):
        return UNKNOWN
    if operator == "Mult" and isinstance(left, int):
        left, right = right, left
    if operator == "Mult" and isinstance(left, str | bytes | list | tuple):
        fits = isinstance(right, int) and len(left) * right <= MOST_ITEMS
        return left * right if fits else UNKNOWN
    work = _OPERATORS.get(operator)
    if work is None or not _same_kind(left, right):
        return UNKNOWN
    return bounded(work(left, right))


def _same_kind(left: Any, right: Any) -> bool:
    if isinstance(left, int) and isinstance(right, int):
        return True
    return type(left) is type(right) and isinstance(left, bytes | list | tuple | set | dict)


_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mult": lambda a, b: a * b,
    "FloorDiv": lambda a, b: a // b,
    "Mod": lambda a, b: a % b,
    "BitXor": lambda a, b: a ^ b,
    "BitAnd": lambda a, b: a & b,
    "BitOr": lambda a, b: a | b,
    "RShift": lambda a, b: a >> b,
}

_PERCENT = re.compile(r"%(?:\((\w+)\))?([sdcrx%])")
_FIELD = re.compile(r"\{(\w*)\}|\{\{|\}\}")


def percent_format(form: str, given: Any) -> Any:
    """A text with `%s` and the like filled in; widths are not known here."""
    values = list(given) if isinstance(given, tuple) and not isinstance(given, Ref | Route) else [given]
    rest = iter(values)
    held = list(given.values()) if isinstance(given, dict) else values

    def fill(match: re.Match[str]) -> str:
        if match[2] == "%":
            return "%"
        if match[1]:
            value = given.get(match[1], UNKNOWN) if isinstance(given, dict) else UNKNOWN
        else:
            value = next(rest, UNKNOWN)
        if match[2] == "c" and isinstance(value, int):
            return chr(value)
        return f"{value:x}" if match[2] == "x" and isinstance(value, int) else shown(value)

    return bounded(_filled(_PERCENT, fill, form, held))


def brace_format(form: str, args: list[Any], keywords: Mapping[str, Any]) -> Any:
    """A text with `{}`, `{0}` and `{name}` filled in."""
    rest = itertools.count()

    def fill(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0][0]
        if match[1] and not match[1].isdecimal():
            return shown(keywords.get(match[1], UNKNOWN))
        place = int(match[1][:4]) if match[1] else next(rest)
        return shown(args[place]) if place < len(args) else HOLE

    return bounded(_filled(_FIELD, fill, form, [*args, *keywords.values()]))


def _filled(holes: re.Pattern[str], fill: Callable[[re.Match[str]], str], form: str, values: list[Any]) -> Any:
    longest = max((len(v) for v in map(as_text, values) if v is not None), default=0)
    # a short form with many holes could repeat a long text many times
    if len(form) + longest * (form.count("%") + form.count("{")) > 4 * LONGEST_TEXT:
        return UNKNOWN
    return holes.sub(fill, form)


def shown(value: Any) -> str:
    """What `str` makes of a value, with a hole for what is not known."""
    text = as_text(value)
    if text is not None:
        return text
    return str(value) if isinstance(value, int | float) or value is None else HOLE


_ENCODINGS = words(
    "utf8 ascii latin1 utf16 utf16le utf16be utf32 utf32le utf32be utf7 unicodeescape rawunicodeescape cp1252 "
    "iso88591 rot13 hex base64 hexcodec base64codec"
)


def _encoding(args: list[Any], place: int = 0) -> str:
    name = args[place] if len(args) > place else "utf-8"
    if not isinstance(name, str) or name.lower().replace("-", "").replace("_", "") not in _ENCODINGS:
        raise ValueError("an encoding that is not known here")
    return name


def _short(data: bytes) -> bytes:
    if len(data) > LONGEST_TEXT:
        raise ValueError("too long")  # what stands behind the limit must not be taken for nothing
    return data


def _inflate(data: bytes, *_: Any) -> bytes:
    """What `zlib.decompress` makes of data: it stops at the end of the first stream."""
    return _member(data, 47)[0]


def _gunzip(data: bytes) -> bytes:
    """What `gzip.decompress` makes of data: one member behind the other, and zeros behind the last."""
    text, left = b"", MOST_MEMBERS
    while data:
        if not left:
            raise ValueError("too many members")
        member, rest = _member(data, 31)
        text, data, left = _short(text + member), rest.lstrip(b"\0"), left - 1
    return text


def _member(data: bytes, wbits: int) -> tuple[bytes, bytes]:
    """What a compressed stream holds, and what stands behind it."""
    stream = zlib.decompressobj(wbits=wbits)
    return _short(stream.decompress(data, LONGEST_TEXT + 1)), stream.unused_data


def _listed(value: Any) -> list[Any]:
    if isinstance(value, CONTAINERS) and len(value) > MOST_ITEMS:
        raise ValueError("too long")
    return list(value)


def _joined(*parts: Any) -> str:
    texts = [as_text(part) for part in parts]
    return posixpath.join(*(HOLE if text is None else text for text in texts))


def _b64(data: Any) -> bytes:
    data = data.encode() if isinstance(data, str) else data
    return base64.b64decode(data.translate(bytes.maketrans(b"-_", b"+/")))


def _normal(path: Any, *_: Any) -> str:
    text = as_text(path)
    return HOLE if text is None else posixpath.normpath(text)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "chr": chr,
    "ord": ord,
    "int": int,
    "len": len,
    "hex": hex,
    "abs": abs,
    "bool": bool,
    "str": lambda value="", *rest: value.decode(_encoding(list(rest))) if rest else shown(value),
    "bytes": lambda value=b"", *rest: value.encode(_encoding(list(rest))) if rest else bytes(_listed(value)),
    "bytearray": lambda value=b"", *rest: value.encode(_encoding(list(rest))) if rest else bytes(_listed(value)),
    "list": lambda value=(): _listed(value),
    "tuple": lambda value=(): tuple(_listed(value)),
    "set": lambda value=(): _listed(value),
    "iter": lambda value: _listed(value),
    "sorted": lambda value: sorted(_listed(value)),
    "reversed": lambda value: _listed(value)[::-1],
    "enumerate": lambda value, start=0: list(enumerate(_listed(value), start)),
    "zip": lambda *values: list(zip(*map(_listed, values), strict=False)),
    "dict": lambda value=(): dict(value),
    "range": lambda *ends: range(*ends),
    "itertools.chain": lambda *values: [item for value in values for item in _listed(value)],
    "bytes.fromhex": bytes.fromhex,
    "bytearray.fromhex": bytes.fromhex,
    "str.maketrans": str.maketrans,
    "str.join": lambda glue, parts: method(glue, "join", [parts], {}),
    "bytes.decode": lambda data, *rest: data.decode(_encoding(list(rest))),
    "codecs.decode": lambda data, *rest: codecs.decode(data, _encoding(list(rest))),
    "codecs.encode": lambda data, *rest: codecs.encode(data, _encoding(list(rest))),
    "base64.b64decode": lambda data, *_: _b64(data),
    "base64.standard_b64decode": _b64,
    "base64.urlsafe_b64decode": _b64,
    "base64.decodebytes": _b64,
    "base64.b32decode": lambda data: base64.b32decode(data),
    "base64.b16decode": lambda data: base64.b16decode(data, casefold=True),
    "base64.b85decode": base64.b85decode,
    "base64.a85decode": lambda data: base64.a85decode(data),
    "binascii.unhexlify": binascii.unhexlify,
    "binascii.a2b_hex": binascii.unhexlify,
    "binascii.a2b_base64": lambda data: binascii.a2b_base64(data),
    "zlib.decompress": _inflate,
    "gzip.decompress": _gunzip,
    "urllib.parse.unquote": lambda text, *_: unquote(text),
    "html.unescape": html.unescape,
    "textwrap.dedent": textwrap.dedent,
    "os.fsdecode": as_text,
    "os.fspath": as_text,
    "os.path.join": _joined,
    "os.path.normpath": _normal,
    "os.path.dirname": lambda path: posixpath.dirname(as_text(path) or HOLE),
    "os.path.basename": lambda path: posixpath.basename(as_text(path) or HOLE),
    "os.path.abspath": _normal,
    "os.path.realpath": _normal,
    "os.path.expanduser": lambda path: as_text(path),
    "os.path.expandvars": lambda path: as_text(path),
    **dict.fromkeys(
        ("pathlib.Path", "pathlib.PosixPath", "pathlib.PurePath", "pathlib.PurePosixPath"),
        lambda *parts: Route(_joined(*parts) if parts else "."),
    ),
    "pathlib.Path.home": lambda: Route("~"),
    "operator.add": lambda a, b: binary("Add", a, b),
    "os.getcwd": lambda: ".",
    "pathlib.Path.cwd": lambda: Route("."),
    "tempfile.gettempdir": lambda: "/tmp",  # noqa: S108 - what such code gets where it runs
    "tempfile.mkdtemp": lambda *_: MADE,
    "tempfile.TemporaryDirectory": lambda *_: Route(MADE),
}

HOLLOW = frozenset(name for name in FUNCTIONS if name.startswith(("os.path.", "pathlib.", "str", "operator.")))
"""Functions that still tell something when an argument is not known."""

CONSTANTS: Mapping[str, Any] = {
    "os.sep": "/",
    "os.path.sep": "/",
    "os.curdir": ".",
    "os.pardir": "..",
    "string.ascii_lowercase": string.ascii_lowercase,
    "string.ascii_uppercase": string.ascii_uppercase,
    "string.ascii_letters": string.ascii_letters,
    "string.digits": string.digits,
    "string.punctuation": string.punctuation,
    "string.printable": string.printable,
}

_PLAIN_METHODS = words(
    "lower upper strip lstrip rstrip split rsplit title capitalize swapcase startswith endswith removeprefix "
    "removesuffix translate partition rpartition hex count find index casefold splitlines isdigit isalpha "
    "keys values items get copy"
)
_SAME_PATH = words("resolve absolute expanduser as_posix")


def method(value: Any, name: str, args: list[Any], keywords: Mapping[str, Any]) -> Any:
    """What a method of a constant gives back. Raises where the constant would, or has no such method here."""
    if isinstance(value, Route):
        return _route_method(value, name, args)
    if name == "join" and isinstance(value, str):
        parts = [as_text(part) or (HOLE if not isinstance(part, str) else "") for part in _listed(args[0])]
        return bounded(value.join(parts)) if sum(map(len, parts)) <= LONGEST_TEXT else UNKNOWN
    if name == "format" and isinstance(value, str):
        return brace_format(value, args, keywords)
    if name == "replace" and isinstance(value, str | bytes):
        old, new = args[0], args[1]
        if not known(new) or (value.count(old) * len(new)) > LONGEST_TEXT:
            return UNKNOWN
        return bounded(value.replace(old, new))
    if name == "encode" and isinstance(value, str):
        return bounded(value.encode(_encoding(args)))
    if name == "decode" and isinstance(value, bytes):
        return bounded(value.decode(_encoding(args)))
    if name in _PLAIN_METHODS and isinstance(value, str | bytes | dict | list):
        result = getattr(value, name)(*args)
        return bounded(list(result) if name in ("keys", "values", "items") else result)
    return UNKNOWN


def _route_method(route: Route, name: str, args: list[Any]) -> Any:
    if name == "joinpath":
        return Route(_joined(route.text, *args))
    if name == "with_name":
        return Route(posixpath.join(posixpath.dirname(route.text), as_text(args[0]) or HOLE))
    if name in _SAME_PATH:
        return route
    return UNKNOWN


def attribute(value: Any, name: str) -> Any:
    """An attribute of a constant: the parts of a path."""
    if isinstance(value, Route):
        if name == "parent":
            return Route(posixpath.dirname(value.text.rstrip("/")) or ".")
        if name in ("name", "stem"):
            return posixpath.basename(value.text)
        if name == "parents":
            found: list[Route] = []
            text = value.text.rstrip("/")
            while len(found) < 32 and text not in ("", "/", "."):
                text = posixpath.dirname(text) or "."
                found.append(Route(text))
            return found
    return UNKNOWN
