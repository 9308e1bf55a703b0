"""Reads one large JSON object member by member, and its long arrays element by element."""

import re
from collections.abc import Collection, Iterator

from gaia_harness.exchange import inputs
from gaia_harness.exchange.inputs import LARGEST_PIECE, ImportRefused, InputFile, parse

_KEY = re.compile(rb'\s*("(?:[^"\\]|\\.)*")\s*:\s*', re.DOTALL)
_LONGEST_KEY = 64 * 1024


def members(
    file: InputFile, long: Collection[str] = (), limit: int = LARGEST_PIECE
) -> Iterator[tuple[str, int, bytes]]:
    """The members of the JSON object that the file is: key, 0, value.

    Of the long arrays among them, each element comes alone, with its number from 1; `limit` holds for it. Of the long
    objects, each member does, for `named`.
    """
    with file.path.open("rb") as opened:
        data = opened.read(inputs._READ).removeprefix(b"\xef\xbb\xbf").lstrip()
        if not data.startswith(b"{"):
            raise ImportRefused(f"{file.name}: not a JSON object")
        data, at, depth = data[1:], 0, 0
        key, number, closing = "", 0, b""  # of the long value we are in, with the number of its element
        while True:
            token = inputs._TOKEN.search(data, at)
            if token is None or token.group(1) == b"":  # inside a string, of which more is to come
                at = len(data) if token is None else token.start()
                piece = opened.read(max(inputs._READ, len(data)))  # twice as much each time: linear work
                if not piece:
                    raise ImportRefused(f"{file.name}: ends in the middle{_within(key, number)}")
                data += piece
                if len(data) > 2 * limit + 2 * inputs._READ:
                    raise _too_large(file, key, number, limit)
                continue
            sign, start, at = token.group(), token.start(), token.end()
            if sign in (b"[", b"{") and depth == 0 and not number:
                key = named(data[:start], file.name)[0]
                if key in long:
                    data, at, number, closing = data[at:], 0, 1, b"]" if sign == b"[" else b"}"
                    continue
            if sign in (b"[", b"{"):
                depth += 1
            elif sign in (b"]", b"}") and depth:
                depth -= 1
            elif depth == 0 and number and sign in (b",", closing):
                if start > limit:
                    raise _too_large(file, key, number, limit)
                element = data[:start]
                if element.strip() or sign == b"," or number > 1:
                    yield key, number, element
                number = number + 1 if sign == b"," else 0
                data, at = data[at:], 0
                if not number:
                    key = "\0"  # it is read: nothing but a comma or the end may follow
            elif depth == 0 and not number and sign in (b",", b"}"):
                if start > limit + _LONGEST_KEY:
                    raise _too_large(file, "", 0, limit)
                if key == "\0":
                    if data[:start].strip():
                        raise ImportRefused(f"{file.name}: not JSON: something stands behind a value")
                elif data[:start].strip() or sign == b",":
                    name, value = named(data[:start], file.name)
                    yield name, 0, value
                key = ""
                if sign == b"}":
                    if data[at:].strip() or opened.read(inputs._READ).strip():
                        raise ImportRefused(f"{file.name}: not JSON: something stands behind its end")
                    return
                data, at = data[at:], 0
            elif depth == 0 and sign in (b"]", b"}"):
                raise ImportRefused(f"{file.name}: not JSON: a bracket too many{_within(key, number)}")


def named(data: bytes, where: str) -> tuple[str, bytes]:
    """The name and the value of one member."""
    found = _KEY.match(data)
    if found is None:
        raise ImportRefused(f"{where}: not JSON: a member without a name")
    return parse(found.group(1), where), data[found.end() :]


def _within(key: str, number: int) -> str:
    return f" of element {number} of `{key}`" if number else ""


def _too_large(file: InputFile, key: str, number: int, limit: int) -> ImportRefused:
    what = f"element {number} of `{key}`" if number else "a part of it"
    return ImportRefused(f"{file.name}: {what} is larger than {limit >> 20} MiB, more than one task-run may take")
