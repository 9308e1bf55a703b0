"""The parts of a model call: one item of a conversation, and how the values of its JSON are read."""

import base64
import contextlib
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import msgspec

from gaia_harness.box.wire_json import WireError
from gaia_harness.models.content import count_or_none, parse_arguments
from gaia_harness.models.messages import ToolCall, Usage

LONGEST_NAME = 200

_FETCHED = ("image", "file", "document", "audio", "video", "media")
"""What stands in the types of parts that a provider would fetch from an address."""


_ROLES = {"developer": "system", "function": "tool"} | {role: role for role in ("system", "assistant", "tool")}
"""All others are the user's: some servers let agents make up roles, and ours have a meaning in the record."""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One thing in a conversation: words in a role, a call (`call`), or the result of one (role `tool`).

    `thought`: words that the model thought, as they are given back to it.
    """

    role: str
    text: str = ""
    call: ToolCall | None = None
    call_id: str = ""
    name: str = ""
    is_error: bool = False
    thought: bool = False


class Notes:
    """What is found beside the items, in order and once each."""

    def __init__(self) -> None:
        self.hosted: dict[str, None] = {}
        self.unseen: dict[str, None] = {}


def texts_of(content: Any, notes: Notes) -> Iterator[str]:
    """The parts of a message's content as text: pictures and files by their type, size and hash."""
    if content is None:
        return
    if isinstance(content, str):
        yield content
        return
    for part in content if isinstance(content, list) else [content]:
        if not isinstance(part, dict):
            yield part if isinstance(part, str) else to_json(part)
        elif part.get("type") in ("text", "input_text", "output_text", "summary_text") and "text" in part:
            yield text_of(part["text"])
        elif part.get("type") == "refusal":
            yield text_of(part.get("refusal"))
        else:
            yield _placeholder(part, notes)


def _placeholder(part: dict[str, Any], notes: Notes) -> str:
    """A part that is no text, as JSON, its data replaced by type, size and hash; addresses and ids are noted."""
    kind = name_of(part.get("type"), "") or "part"

    def shown(value: Any, name: str, media_type: str) -> Any:
        if isinstance(value, dict):
            if value.get("type") == "text":  # a document that is given as words
                return value
            own = value.get("media_type", value.get("format", media_type))
            return {key: shown(inner, key, own if isinstance(own, str) else "") for key, inner in value.items()}
        if isinstance(value, list):
            return [shown(inner, name, media_type) for inner in value]
        if not isinstance(value, str):
            return value
        if value.startswith("data:"):
            head, _, data = value.partition(",")
            return _digest(data, head[5:].partition(";")[0])
        if name in ("data", "file_data"):
            return _digest(value, media_type)
        if name.endswith("url") and any(word in kind for word in _FETCHED):
            notes.hosted["image address" if "image" in kind else "file address"] = None
        if name == "file_id" and value:
            notes.unseen["file_id"] = None
        return value

    return to_json(shown({name: value for name, value in part.items() if name != "cache_control"}, "", ""))


def _digest(data: str, media_type: str) -> str:
    raw = data.encode()
    with contextlib.suppress(ValueError):
        raw = base64.b64decode(raw, validate=True)
    return f"[{media_type[:LONGEST_NAME] or 'data'}, {len(raw)} bytes, sha256 {hashlib.sha256(raw).hexdigest()}]"


def call_item(call_id: Any, name: Any, given: Any) -> Item:
    raw = given if isinstance(given, str) else "" if given is None else to_json(given)
    call = ToolCall(id_of(call_id), name_of(name, ""), raw, parse_arguments(raw))
    return Item(role="call", call=call)


def usage_of(value: Any) -> Usage:
    """Tokens, by whichever names the provider has for them."""
    if not isinstance(value, dict):
        return Usage()

    def count(*names: str) -> int | None:
        return next((number for name in names if (number := count_or_none(value.get(name))) is not None), None)

    details = value.get("prompt_tokens_details", value.get("input_tokens_details"))
    given = count("prompt_tokens", "input_tokens")
    cached = count_or_none(details.get("cached_tokens")) if isinstance(details, dict) else None
    if "cache_read_input_tokens" in value:  # Anthropic counts cached input apart; here it is a part of the input
        cached = count("cache_read_input_tokens")
        given = None if given is None else given + (cached or 0) + (count("cache_creation_input_tokens") or 0)
    return Usage(
        input_tokens=given, output_tokens=count("completion_tokens", "output_tokens"), cached_input_tokens=cached
    )


def error_text(error: Any) -> str:
    said = error.get("message", error) if isinstance(error, dict) else error
    return (said if isinstance(said, str) else to_json(said))[:500]


def role_of(value: Any) -> str:
    role = name_of(value, "role")
    if not role:
        raise WireError("a message has no role")
    return _ROLES.get(role, "user")


def name_of(value: Any, what: str) -> str:
    """A short text. With a name for it (`what`) anything else is an error; without, it is left out."""
    if isinstance(value, str):
        return value[:LONGEST_NAME]
    if value is not None and what:
        raise WireError(f"{what} is not a text")
    return ""


def id_of(value: Any) -> str:
    return value if isinstance(value, str) and len(value) <= LONGEST_NAME else ""


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else to_json(value)


def list_of(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def object_of(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise WireError(f"{what} is not an object")
    return value


def objects_of(value: Any, what: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise WireError(f"{what} is not a list of objects")
    return value


def to_json(value: Any, *, sort: bool = False) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=sort)
