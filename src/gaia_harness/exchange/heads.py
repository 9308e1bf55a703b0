"""What the head of a JSON file says: its first value, as far as it was read."""

import re
from typing import Any

from gaia_harness.exchange.inputs import ImportRefused, InputFile, parse

_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+("?)|[\[\]{},\n]', re.DOTALL)


def first_value(file: InputFile) -> Any:
    """The first JSON value of the file or of its first line; what stands behind the head is missing in it.

    None where there is no JSON, and where the file cannot be read: detection never raises.
    """
    try:
        head = file.head().lstrip().removeprefix(b"\xef\xbb\xbf").lstrip()
        return parse(_closed(head), file.name) if head[:1] in (b"{", b"[") else None
    except (ImportRefused, OSError):
        return None


def _closed(head: bytes) -> bytes:
    """The first value of `head`, cut behind its last whole part and closed again if it does not end."""
    open_brackets = bytearray()
    whole, closing = b"", b""
    for token in _TOKEN.finditer(head):
        sign = token.group()
        if sign[:1] == b'"':
            if not token.group(1):
                break
        elif sign in (b"{", b"["):
            open_brackets += b"}" if sign == b"{" else b"]"
            whole, closing = head[: token.end()], bytes(reversed(open_brackets))
        elif sign in (b"}", b"]"):
            if not open_brackets or open_brackets.pop() != sign[0]:
                break
            if not open_brackets:
                return head[: token.end()]
            whole, closing = head[: token.end()], bytes(reversed(open_brackets))
        elif sign == b"," and open_brackets:
            whole, closing = head[: token.start()], bytes(reversed(open_brackets))
    return whole + closing
