"""Strict validation of tool arguments, with error messages a model can act on."""

from collections.abc import Mapping
from typing import Any

from gaia_harness.errors import ToolError
from gaia_harness.tools.parts import LONGEST_SEARCH

PARTS = ("offset", "find")
"""The optional arguments of a tool that gives long texts in parts."""


def schema(required: str, about: str, *, parts: bool = False) -> dict[str, Any]:
    """The JSON schema of a tool with one required text; with `parts`, one that gives long texts in parts."""
    properties: dict[str, Any] = {required: {"type": "string", "description": about}}
    if parts:
        properties["offset"] = {
            "type": "integer",
            "minimum": 0,
            "description": "Character to start at, for reading on in a long text. Default 0.",
        }
        properties["find"] = {
            "type": "string",
            "description": "Get only the passages around this text, with their places, instead of the whole.",
        }
    return {"type": "object", "properties": properties, "required": [required], "additionalProperties": False}


def text_argument(args: Mapping[str, Any], name: str, *, at_most: int, optional: tuple[str, ...] = ()) -> str:
    """The required text `name`; nothing else may be there but what is `optional`."""
    allowed = ", ".join(f'"{each}"' for each in (name, *optional))
    unknown = [key for key in args if key != name and key not in optional]
    if unknown:
        raise ToolError(f"Unknown argument {str(unknown[0])[:60]!r}. This tool takes {allowed}.")
    if args.get(name) is None:
        raise ToolError(f'The argument "{name}" is missing. It must be a string.')
    return _text(args[name], name, at_most)


def find_argument(args: Mapping[str, Any]) -> str:
    """The optional `find`, with single spaces; empty when it is not given."""
    if args.get("find") is None or args["find"] == "":  # some models fill in every argument
        return ""
    return " ".join(_text(args["find"], "find", LONGEST_SEARCH).split())


def _text(value: Any, name: str, at_most: int) -> str:
    if not isinstance(value, str):
        raise ToolError(f'The argument "{name}" must be a string, not {_kind(value)}.')
    if not value.strip():
        raise ToolError(f'The argument "{name}" is empty. It must be a non-empty string.')
    if len(value) > at_most:
        raise ToolError(f'The argument "{name}" is {len(value):,} characters long; at most {at_most:,} are allowed.')
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ToolError(f'The argument "{name}" holds half a surrogate pair, which is not valid text.') from None
    return value


def offset_argument(args: Mapping[str, Any]) -> int:
    """The optional `offset`, 0 when it is not given."""
    value = args.get("offset")
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise ToolError(f'The argument "offset" must be an integer, not {_kind(value)}.')
    if not 0 <= value <= 10**12:
        raise ToolError('The argument "offset" must be an integer from 0 up: the character to start at.')
    return value


def _kind(value: Any) -> str:
    kinds = {bool: "a boolean", int: "a number", float: "a number", list: "a list", dict: "an object", str: "a string"}
    return kinds.get(type(value), "that")
