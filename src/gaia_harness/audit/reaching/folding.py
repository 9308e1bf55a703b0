"""Which constant does an expression stand for? The part of Python that only builds texts, within bounds.

Nothing of a program is run: only the functions that stand here are, on values that stand in its text. A value is a
text (paths and bytes are texts too), a number, a list, a dict, a `Ref`, or None for what the text does not tell.
"""

import base64
import binascii
import codecs
import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

HOLE = "\ufffc"
"""Stands in a text for what only running the program would tell."""

LONGEST_TEXT = 64 << 10
MOST_ITEMS = 4096


class Ref(NamedTuple):
    """A module, or something in one, by its dotted name; with `()` what a call of it gave back."""

    name: str


def shown(value: Any) -> str:
    """What `str` makes of a value, with a hole for what is not known."""
    return value if isinstance(value, str) else str(value) if isinstance(value, int | float) else HOLE


def bounded(value: Any) -> Any:
    """The value, if it is not too large to go on with."""
    if isinstance(value, int):
        return value if abs(value) < 1 << 64 else None
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else None
    return value if not isinstance(value, list | dict) or len(value) <= MOST_ITEMS else None


def joined(glue: str, parts: Any) -> str | None:
    """Texts with a glue between them."""
    texts = [shown(part) for part in parts]
    return glue.join(texts) if sum(map(len, texts)) + len(glue) * len(texts) <= LONGEST_TEXT else None


def binary(operator: str, left: Any, right: Any) -> Any:
    """The outcome of an operator by the name that the syntax tree has for it. A text divided by one is a path."""
    if operator == "Div" and (isinstance(left, str) or isinstance(right, str)):
        return bounded(posixpath.join(shown(left), shown(right)))
    if operator == "Add" and (isinstance(left, str) or isinstance(right, str)):
        return bounded(shown(left) + shown(right))
    if operator == "Add" and isinstance(left, list) and isinstance(right, list):
        return bounded(left + right)
    if operator == "Mod" and isinstance(left, str):
        return filled(_PERCENT, left, right if isinstance(right, list) else [right])
    if operator == "Mult" and isinstance(left, str | list) and isinstance(right, int):
        return left * right if len(left) * right <= MOST_ITEMS else None
    if isinstance(left, int) and isinstance(right, int):
        work = _ARITHMETIC.get(operator)
        return None if work is None or (operator in ("FloorDiv", "Mod") and not right) else bounded(work(left, right))
    return None


_ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mult": lambda a, b: a * b,
    "FloorDiv": lambda a, b: a // b,
    "Mod": lambda a, b: a % b,
    "BitXor": lambda a, b: a ^ b,
}
_BRACES = re.compile(r"\{(\w{0,40})\}")
_PERCENT = re.compile(r"%(?:\(\w+\))?[-+ #0-9.]{0,8}([a-zA-Z%])")


def filled(holes: re.Pattern[str], form: str, values: list[Any]) -> Any:
    """A text with its holes, `%s` or `{}`, filled in one after the other; widths are not known here."""
    if len(form) + max(map(len, map(shown, values)), default=0) * (form.count("%") + form.count("{")) > LONGEST_TEXT:
        return None  # a short form with many holes could repeat a long text many times
    rest = iter(values)

    def value(match: re.Match[str]) -> str:
        given = None if match[1] == "%" else next(rest, None)
        if match[1] == "c" and isinstance(given, int) and 0 <= given < 0x110000:
            return chr(given)
        return "%" if match[1] == "%" else shown(given)

    return bounded(holes.sub(value, form))


def _data(text: Any) -> bytes:
    """A text as the bytes that it was made from."""
    try:
        return text.encode("latin-1") if isinstance(text, str) else bytes(text)
    except UnicodeEncodeError:
        return str(text).encode()


def as_text(data: bytes) -> str:
    """Bytes as the text that they are, or byte by byte."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _recoded(text: Any, name: Any = "") -> Any:
    kind = str(name).replace("-", "").replace("_", "").lower()
    if kind in ("rot13", "hex", "hexcodec", "base64", "base64codec"):
        return codecs.decode(text, "rot13") if kind == "rot13" else _DECODERS["base64" if "64" in kind else "hex"](text)
    return text


_DECODERS: Mapping[str, Callable[[Any], str]] = {
    "base64": lambda text: as_text(base64.b64decode(_data(text).translate(bytes.maketrans(b"-_", b"+/")))),
    "hex": lambda text: as_text(bytes.fromhex(text)),
}


def _characters(values: Any) -> Any:
    if isinstance(values, list) and values and all(isinstance(each, int) and 0 <= each < 256 for each in values):
        return as_text(bytes(values))
    return values if isinstance(values, str) else None


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "chr": chr,
    "ord": ord,
    "int": int,
    "len": len,
    "str": lambda value="", *_: shown(value),
    "bytes": lambda value="", *_: _characters(value),
    "bytearray": lambda value="", *_: _characters(value),
    "list": list,
    "tuple": list,
    "sorted": sorted,
    "reversed": lambda value: list(value)[::-1],
    "enumerate": lambda value, start=0: [list(each) for each in enumerate(value, start)],
    "zip": lambda *values: [list(each) for each in zip(*values, strict=False)],
    "range": lambda *ends: list(range(*ends)) if len(range(*ends)) <= MOST_ITEMS else None,
    "dict": lambda value=None, **rest: rest,
    "bytes.fromhex": _DECODERS["hex"],
    "bytearray.fromhex": _DECODERS["hex"],
    "binascii.unhexlify": _DECODERS["hex"],
    "binascii.a2b_hex": _DECODERS["hex"],
    "base64.b64decode": lambda text, *_: _DECODERS["base64"](text),
    "base64.urlsafe_b64decode": _DECODERS["base64"],
    "base64.standard_b64decode": _DECODERS["base64"],
    "base64.decodebytes": _DECODERS["base64"],
    "binascii.a2b_base64": _DECODERS["base64"],
    "codecs.decode": _recoded,
    "codecs.encode": _recoded,
    "str.join": joined,
    "str.maketrans": lambda *pair: dict(zip(map(ord, pair[0]), pair[1], strict=False)),
    "urllib.parse.unquote": unquote,
    "os.path.join": lambda *parts: posixpath.join(*map(shown, parts)),
    "os.path.dirname": posixpath.dirname,
    "os.path.basename": posixpath.basename,
    "Path": lambda *parts: posixpath.join(*map(shown, parts)) if parts else ".",
    **dict.fromkeys(
        ("os.path.normpath", "os.path.abspath", "os.path.realpath", "os.path.expanduser", "os.path.expandvars",
         "os.fspath", "os.fsdecode", "os.fsencode", "textwrap.dedent", "iter", "set"),
        lambda value, *_: value,
    ),
}  # fmt: skip

_SAME = frozenset(("decode", "encode", "resolve", "absolute", "expanduser", "as_posix", "copy"))
_OF_TEXTS = frozenset(
    ("lower", "upper", "strip", "lstrip", "rstrip", "split", "rsplit", "title", "capitalize", "swapcase", "casefold",
     "removeprefix", "removesuffix", "translate", "partition", "rpartition", "splitlines", "zfill")
)  # fmt: skip
WRONG = (ValueError, TypeError, IndexError, KeyError, OverflowError, binascii.Error, AttributeError)
"""What folding raises where the program would, too."""


def method(value: Any, name: str, args: list[Any]) -> Any:
    """What a method of a constant gives back; None where that is not known."""
    if not isinstance(value, str):
        return None
    if name == "join" and args and isinstance(args[0], str | list):
        return joined(value, args[0])
    if name == "format":
        return filled(_BRACES, value, args)
    if name == "joinpath":
        return posixpath.join(value, *map(shown, args))
    if name in ("with_name", "with_suffix"):
        return posixpath.join(posixpath.dirname(value), shown(args[0])) if name == "with_name" else value
    if name == "replace" and len(args) > 1:
        return bounded(value.replace(*args[:2])) if value.count(args[0]) * len(args[1]) <= LONGEST_TEXT else None
    if name in _SAME:
        return _recoded(value, *args[:1])
    found = getattr(value, name)(*args) if name in _OF_TEXTS else None
    return bounded(list(found) if isinstance(found, tuple) else found)


def attribute(path: str, name: str) -> Any:
    """A part of a path."""
    if name == "parent":
        return posixpath.dirname(path.rstrip("/")) or "."
    return posixpath.basename(path) if name in ("name", "stem") else None
