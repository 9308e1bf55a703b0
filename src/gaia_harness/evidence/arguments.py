"""The arguments of a tool call: how they are written, what a step keeps of them, and which words they hold."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

import msgspec

from gaia_harness import strict_json
from gaia_harness.errors import GaiaError
from gaia_harness.evidence.excerpts import excerpt
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.records.excerpt import to_bytes
from gaia_harness.records.steps import ARGUMENT_HEAD


class KeptArguments(msgspec.Struct, frozen=True):
    """What a step keeps: values, or one text; the names of those that were cut, `*` of the text; secrets masked."""

    args: dict[str, Any] | str
    cut: tuple[str, ...]
    redactions: int


def keep(args: Mapping[str, Any] | None, written: bytes, redactor: Redactor) -> KeptArguments:
    """Arguments as a step keeps them; those that readers would not read alike as the text that was written."""
    if args is not None:
        short: dict[str, Any] = {}
        cut_names: list[str] = []
        total = 0
        for name, value in args.items():
            data = to_bytes(value) if isinstance(value, str) else as_json(value)
            if isinstance(value, str) or len(data) > ARGUMENT_HEAD:
                kept = excerpt(data, ARGUMENT_HEAD, redactor)
                total += kept.redactions
                value = kept.head
                if kept.truncated:
                    cut_names.append(name)
            short[name] = value
        plain = _read_back(short)
        if plain is not None:
            masked, count = redactor.hide_and_count(plain)
            return KeptArguments(masked, tuple(map(redactor.hide, cut_names)), total + count)
    text = excerpt(written, ARGUMENT_HEAD, redactor)
    return KeptArguments(text.head, ("*",) if text.truncated else (), text.redactions)


def written(args: Mapping[str, Any]) -> bytes:
    """Arguments of which only the values are known, as JSON; where that cannot be, one after another."""
    try:
        return msgspec.json.encode(args)
    except (RecursionError, TypeError, ValueError, OverflowError):
        return b"\n".join(to_bytes(f"{name}: ") + as_json(value) for name, value in args.items())


def as_json(value: Any) -> bytes:
    """A value as JSON; where there is none for it, some text that stands for it."""
    try:
        return msgspec.json.encode(value)
    except (RecursionError, TypeError, ValueError, OverflowError):
        pass
    try:
        return to_bytes(repr(value))
    except (RecursionError, ValueError):  # too deep, or an integer of too many digits
        return b"(cannot be written)"


def _read_back(args: dict[str, Any]) -> dict[str, Any] | None:
    """The arguments as every JSON reader reads them, also inside a trajectory, which is four levels deep.

    They are a copy, which stays as it is whatever the tool does with its own. None if readers would differ.
    """
    try:
        value = strict_json.loads(b"[[[[" + msgspec.json.encode(args) + b"]]]]", where="args")[0][0][0][0]
    except (GaiaError, RecursionError, TypeError, ValueError, OverflowError):
        return None
    return value if isinstance(value, dict) else None


def words(written: str) -> str:
    """The words of JSON arguments: its strings without their escapes, one after another, addresses read too."""
    try:
        value = msgspec.json.decode(written.encode("utf-8", "replace"))
    except (msgspec.MsgspecError, RecursionError):
        return written
    parts: list[str] = []
    queue = [value]
    while queue:
        item = queue.pop()
        if isinstance(item, str):
            parts.append(item)
        elif isinstance(item, dict):
            queue += item.values()
        elif isinstance(item, list):
            queue += item
    text = "\n".join(parts)
    return f"{text}\n{unquote(text, errors='replace')}" if "%" in text else text  # a query inside an address
