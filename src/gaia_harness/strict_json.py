"""The one JSON reader: accepts only text that every reader takes the same way (RFC 8259; I-JSON, RFC 7493).

Two readers must never see two things in the same bytes, so whatever parsers are known to disagree about is
refused: duplicate names, NaN and infinities, numbers that a double cannot hold, lone surrogates, invalid
UTF-8 and deep nesting. What comes out can be written again by RFC 8785.
"""

import json
import math
import re
from collections import Counter
from typing import Any, NoReturn

from gaia_harness.errors import GaiaError

MAX_DEPTH = 64
"""How many arrays and objects may stand inside each other."""

MAX_INTEGER = 2**53 - 1
"""The largest integer that every JSON reader keeps exactly (RFC 7493, section 2.2)."""

_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")


class JsonError(GaiaError):
    """Text that is not JSON, or that two readers could read differently."""


def loads(data: bytes | str, *, where: str) -> Any:
    """The value that `data` stands for. `where` names the place for the error, such as `results.jsonl:3`."""
    try:
        if isinstance(data, str):
            text, data = data, data.encode()
        else:
            text = data.decode()
    except UnicodeError as error:
        what = "a lone surrogate" if isinstance(data, str) else "invalid UTF-8"
        raise JsonError(f"{where}: {what} at position {_position(error)}") from None
    try:
        value = _DECODER.decode(text)
    except _Ambiguous as error:
        raise JsonError(f"{where}: {error}") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise JsonError(f"{where}: not JSON: {error.msg} ({place})") from None
    except RecursionError:
        raise JsonError(f"{where}: nested deeper than {MAX_DEPTH}") from None
    # Text with few brackets cannot nest deep: most lines never need the walk.
    if data.count(b"[") + data.count(b"{") > MAX_DEPTH and deeper_than(MAX_DEPTH, value):
        raise JsonError(f"{where}: nested deeper than {MAX_DEPTH}")
    if _SURROGATE_ESCAPE.search(data) and not _encodable(value):
        raise JsonError(f"{where}: a lone surrogate in a string")
    return value


class _Ambiguous(Exception):
    """JSON by the grammar, but not by us."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = counts.most_common(1)[0][0]
        raise _Ambiguous(f"the name {twice[:80]!a} stands twice in one object")
    return value


def _integer(text: str) -> int:
    # 15 digits always fit; the length is looked at first because int() is slow on very long text.
    if len(text) > 15 and (len(text) > 17 or abs(int(text)) > MAX_INTEGER):
        raise _Ambiguous(f"the integer {text[:20]}{'…' if len(text) > 20 else ''} is too large")
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise _Ambiguous(f"the number {text[:20]}{'…' if len(text) > 20 else ''} is too large")
    return value


def _constant(text: str) -> NoReturn:
    raise _Ambiguous(f"{text} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_int=_integer, parse_float=_number, parse_constant=_constant
)


def deeper_than(limit: int, value: Any) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(limit):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) is dict or type(inner) is list
        ]
        if not level:
            return False
    return True


def _encodable(value: Any) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _position(error: UnicodeError) -> int:
    return error.start if isinstance(error, UnicodeDecodeError | UnicodeEncodeError) else 0
