"""Which constant does an expression stand for? The part of Python that only builds texts, within bounds.

Nothing of a program is run: only the functions that stand here are, on values that stand in its text. A value is a
text (paths and bytes are texts too), a number, a list, a `Ref`, or None for what the text does not tell.
"""

import base64
import operator
import posixpath
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

HOLE = "\ufffc"  # stands in a text for what only running the program would tell
LONGEST_TEXT = 64 << 10
MOST_ITEMS = 4096
LONGEST_PATH = 4096  # what the kernel takes; longer texts are no paths


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
    most = LONGEST_TEXT if isinstance(value, str) else MOST_ITEMS
    return value if not isinstance(value, str | list) or len(value) <= most else None


def tried(function: Callable[..., Any], *args: Any) -> Any:
    """What a function gives back; None where the program, too, would meet an error."""
    try:
        return bounded(function(*args))
    except (ValueError, TypeError, IndexError, ArithmeticError, AttributeError):
        return None


def joined(glue: str, parts: Any) -> str | None:
    """Texts with a glue between them."""
    texts = [shown(part) for part in parts]
    return glue.join(texts) if sum(map(len, texts)) + len(glue) * len(texts) <= LONGEST_TEXT else None


def path_of(*parts: Any) -> str:
    """The path that parts make."""
    return posixpath.join(*(shown(part)[:LONGEST_PATH] for part in parts)) if parts else "."


def binary(name: str, left: Any, right: Any) -> Any:
    """The outcome of an operator by the name that the syntax tree has for it. A text divided by one is a path."""
    if name in ("Add", "Div") and (isinstance(left, str) or isinstance(right, str)):
        return bounded(path_of(left, right) if name == "Div" else shown(left) + shown(right))
    arithmetic = {"Add": operator.add, "Sub": operator.sub, "BitXor": operator.xor, "Mod": operator.mod}
    known = isinstance(left, int) and isinstance(right, int) and name in arithmetic
    return tried(arithmetic[name], left, right) if known else None


def item(value: Any, key: Any) -> Any:
    """A part of a text or of a list, or a module by its name."""
    if value == Ref("sys.modules") and isinstance(key, str):
        return Ref(key)
    return tried(operator.getitem, value, key) if isinstance(value, str | list) else None


def _text(data: Any, *_: Any) -> Any:
    """Bytes, or numbers of bytes, as the text that they are."""
    return bytes(data).decode("utf-8", "replace") if isinstance(data, bytes | list) else data


def _from_base64(text: str) -> Any:
    return _text(base64.b64decode(text.replace("-", "+").replace("_", "/")))


def _same(value: Any, *_: Any) -> Any:
    return value


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "chr": chr,
    "len": len,
    "enumerate": lambda values: [[place, each] for place, each in enumerate(values[:MOST_ITEMS])],
    "bytes": _text,
    "bytearray": _text,
    "reversed": lambda value: list(value)[::-1],
    "bytes.fromhex": lambda text: _text(bytes.fromhex(text)),
    "binascii.unhexlify": lambda text: _text(bytes.fromhex(text)),
    "base64.b64decode": _from_base64,
    "base64.urlsafe_b64decode": _from_base64,
    "base64.b32decode": lambda text: _text(base64.b32decode(text)),
    "base64.b85decode": lambda text: _text(base64.b85decode(text)),
    "os.path.join": path_of,
    "Path": path_of,
    "os.path.dirname": posixpath.dirname,
    **dict.fromkeys(
        ("str", "list", "tuple", "sorted", "os.path.normpath", "os.path.abspath", "os.path.realpath",
         "os.path.expanduser", "os.path.expandvars", "os.fspath"),
        _same,
    ),
}  # fmt: skip

_METHODS: Mapping[str, Callable[..., Any]] = {
    "join": joined,
    "joinpath": path_of,
    "parent": lambda path: posixpath.dirname(path.rstrip("/")) or ".",
    "replace": lambda text, old, new: text.replace(old, new) if text.count(old) * len(new) <= LONGEST_TEXT else None,
    **dict.fromkeys(("encode", "decode", "resolve", "absolute", "expanduser", "as_posix"), _same),
    **{name: getattr(str, name) for name in ("lower", "upper", "strip", "split", "removeprefix", "removesuffix")},
}


def method(value: Any, name: str, args: list[Any]) -> Any:
    """What a method or a part of a constant text is; None where that is not known."""
    return tried(_METHODS[name], value, *args) if isinstance(value, str) and name in _METHODS else None
