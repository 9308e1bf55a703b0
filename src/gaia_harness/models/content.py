"""Sanitises what a model wrote, so that it can be stored and sent again: text, tool calls, names, numbers."""

import json
import re
from collections.abc import Iterable
from typing import Any

from gaia_harness import strict_json
from gaia_harness.models.messages import Assistant, Request, ToolCall, ToolResult

IMAGE_NOTE = "[image not shown: this model does not take images; call the tool again for the text in it]"

_SENDABLE_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SENDABLE_ID = re.compile(r"[A-Za-z0-9_.:-]{1,128}")


def clean(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD, so that it can be encoded as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def clean_json(value: Any) -> Any:
    """The JSON value with every string in it cleaned."""
    text = json.dumps(value, ensure_ascii=False)
    safe = clean(text)
    return value if safe is text else json.loads(safe)


def parse_arguments(raw: str) -> dict[str, Any] | None:
    """A tool call's arguments, or None when they are not a JSON object."""
    try:
        value = strict_json.loads(raw, where="arguments")
    except strict_json.JsonError:
        return None
    return value if isinstance(value, dict) else None


def sendable_arguments(call: ToolCall) -> dict[str, Any]:
    """The arguments as an object, for servers that refuse a history with anything else in it."""
    # Anthropic's own advice for arguments that are not JSON is to wrap them like this.
    return {"INVALID_JSON": call.raw} if call.args is None else call.args


def sendable_name(name: str) -> str:
    """A tool's name as providers accept it in a history: a model may have made up one they would refuse."""
    if _SENDABLE_NAME.fullmatch(name):
        return name
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "unknown_tool"


def unique_ids(proposed: Iterable[Any], request: Request) -> list[str]:
    """Ids for the calls of a reply: the server's own, and new ones for those missing or already used."""
    used = {
        call.call_id for message in request.messages if isinstance(message, Assistant) for call in message.tool_calls
    }
    ids: list[str] = []
    for candidate in proposed:
        call_id = candidate if isinstance(candidate, str) and _SENDABLE_ID.fullmatch(candidate) else ""
        number = len(used) + 1
        while not call_id or call_id in used:
            call_id, number = f"call_{number}", number + 1
        used.add(call_id)
        ids.append(call_id)
    return ids


def text_of(content: Any) -> str:
    """The text of a message's content: a string, a list of parts, or nothing; else a ValueError."""
    if content is None:
        return ""
    if isinstance(content, str):
        return clean(content)
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return clean("".join(text for text in texts if isinstance(text, str)))
    raise ValueError(f"content is {type(content).__name__}, not text")


def string_or_none(value: Any) -> str | None:
    """The value if it is a non-empty string."""
    return clean(value) if isinstance(value, str) and value else None


def count_or_none(value: Any) -> int | None:
    """The value if it can be a number of tokens."""
    fine = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= strict_json.MAX_INTEGER
    return value if fine else None


def has_thoughts(request: Request) -> bool:
    """Whether an earlier reply of the model has thoughts that may be sent back."""
    return any(isinstance(message, Assistant) and message.thoughts for message in request.messages)


def has_images(request: Request) -> bool:
    """Whether a tool result of the conversation has a picture."""
    return any(isinstance(message, ToolResult) and message.images for message in request.messages)
