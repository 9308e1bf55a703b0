"""Reads the JSON and the event streams of model calls: one meaning only, bounded depth, errors of our own.

Event streams are those of the HTML standard, section 9.2 (server-sent events).
"""

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn

from gaia_harness.errors import GaiaError
from gaia_harness.models.content import clean_json
from gaia_harness.strict_json import deeper_than

LARGEST_CALL = 64 << 20
"""Bytes of one request or reply: with pictures, providers take half of it."""
DEEPEST = 100
"""Arrays and objects inside each other: deep enough for the schemas of tools."""

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_LINE_END = re.compile(rb"\r\n|\n|\r")


class WireError(GaiaError):
    """A model call that cannot be read."""


def read_object(data: bytes, what: str) -> dict[str, Any]:
    """The JSON object that `data` is. A name that stands twice is refused: the provider might read the other one."""
    if len(data) > LARGEST_CALL:
        raise WireError(f"{what} has more than {LARGEST_CALL >> 20} MB")
    try:
        value = _DECODER.decode(data.decode("utf-8-sig"))
        if data.count(b"[") + data.count(b"{") > DEEPEST and deeper_than(DEEPEST, value):
            raise RecursionError
        if _SURROGATE.search(data):  # halves of characters, which models write and scraped pages have
            value = clean_json(value)
    except UnicodeDecodeError:
        raise WireError(f"{what} is not UTF-8") from None
    except RecursionError:
        raise WireError(f"{what} is nested deeper than {DEEPEST}") from None
    except ValueError as error:
        raise WireError(f"{what} is not JSON: {str(error)[:100]}") from None
    if not isinstance(value, dict):
        raise WireError(f"{what} is not a JSON object")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a name stands twice in one object")
    return value


def _constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant)


def events(data: bytes) -> Iterator[bytes]:
    """The data of each event of a stream. The last one may be cut short, where the stream was."""
    if len(data) > LARGEST_CALL:
        raise WireError(f"the stream has more than {LARGEST_CALL >> 20} MB")
    lines: list[bytes] = []
    at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
    while at < len(data):
        end = _LINE_END.search(data, at)
        line = data[at : end.start() if end else len(data)]
        at = end.end() if end else len(data)
        if line.startswith(b"data:"):
            lines.append(line[6:] if line[5:6] == b" " else line[5:])
        elif not line and lines:
            yield b"\n".join(lines)
            lines = []
    if lines:
        yield b"\n".join(lines)


def event_objects(data: bytes) -> Iterator[dict[str, Any]]:
    """The JSON object of each event, up to the one that says `[DONE]`. What a cut left of the last one is no event."""
    waiting: bytes | None = None
    for event in events(data):
        if waiting is not None:
            yield read_object(waiting, "an event of the stream")
        if event.strip() == b"[DONE]":
            return
        waiting = event
    if waiting is None:
        return
    try:
        last = read_object(waiting, "the last event of the stream")
    except WireError:
        if data.endswith((b"\n\n", b"\r\r", b"\r\n\r\n")):
            raise
        return
    yield last
