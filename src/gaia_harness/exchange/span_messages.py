"""The messages of a model call, as a span has them: in attributes of OpenInference, or as the JSON of its input."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from gaia_harness.exchange.inputs import ImportRefused, parse

_FIELD = re.compile(r"llm\.(input|output)_messages\.(\d{1,6})\.(?:message\.)?(.+)")
_PART = re.compile(r"contents?\.(\d{1,6})\.(?:message_content\.)?(.+)")
_CALL = re.compile(r"tool_calls\.(\d{1,6})\.(?:tool_call\.)?(.+)")


class ToolCall(msgspec.Struct, frozen=True):
    """A call that the model asked for. `args` are None where they are no JSON object; then `text` has them."""

    id: str | None
    name: str
    args: dict[str, Any] | None
    text: str


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """One message to a model or from it."""

    role: str
    text: str = ""
    thoughts: str = ""
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None
    name: str | None = None
    pictures: int = 0


def messages(attributes: Mapping[str, Any]) -> tuple[list[Message], list[Message]]:
    """What was put before the model, and what it said."""
    fields: dict[str, dict[int, dict[str, Any]]] = {"input": {}, "output": {}}
    for name, value in attributes.items():
        if found := _FIELD.fullmatch(name):
            fields[found[1]].setdefault(int(found[2]), {})[found[3]] = value
    given = [_message(group) for _, group in sorted(fields["input"].items())]
    said = [_message(group) for _, group in sorted(fields["output"].items())]
    given = given or _from_value(attributes.get("input.value"), "user")
    return given, said or _from_value(attributes.get("output.value"), "assistant")


def value_of(text: Any) -> Any:
    """The JSON that an attribute holds as text; the text itself where it is none."""
    if not isinstance(text, str) or text[:1] not in ("{", "["):
        return text
    try:
        return parse(text.encode("utf-8", "replace"), "")
    except ImportRefused:
        return text


def as_text(value: Any) -> str:
    """A value as text: JSON where it is no string."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def tool_call(name: Any, arguments: Any, identity: Any) -> ToolCall:
    """A call with its arguments, which most programs give as JSON in a string."""
    args = value_of(arguments)
    return ToolCall(
        id=identity if isinstance(identity, str) and identity else None,
        name=name if isinstance(name, str) and name else "tool",
        args=args if isinstance(args, dict) else None,
        text="" if isinstance(args, dict) else as_text(args),
    )


def _message(fields: Mapping[str, Any]) -> Message:
    parts: dict[int, dict[str, Any]] = {}
    calls: dict[int, dict[str, Any]] = {}
    for name, value in fields.items():
        if found := _PART.fullmatch(name):
            parts.setdefault(int(found[1]), {})[found[2]] = value
        elif found := _CALL.fullmatch(name):
            calls.setdefault(int(found[1]), {})[found[2]] = value
    ordered = [part for _, part in sorted(parts.items())]
    texts = [as_text(fields.get("content"))] + [as_text(part.get("text")) for part in ordered if not _is_thought(part)]
    thoughts = [as_text(part.get("text")) for part in ordered if _is_thought(part)]
    thoughts += [as_text(fields.get(name)) for name in ("reasoning_content", "reasoning")]
    asked = [
        tool_call(call.get("function.name"), call.get("function.arguments"), call.get("id"))
        for _, call in sorted(calls.items())
    ]
    if isinstance(old := fields.get("function_call_name"), str):
        asked.append(tool_call(old, fields.get("function_call_arguments_json"), None))
    return Message(
        role=_role(fields.get("role"), "user"),
        text=_joined(texts),
        thoughts=_joined(thoughts),
        calls=tuple(asked),
        call_id=_string(fields.get("tool_call_id")),
        name=_string(fields.get("name")),
        pictures=sum(any(name.startswith("image") for name in part) for part in ordered),
    )


def _from_value(value: Any, role: str) -> list[Message]:
    """Messages from the JSON of a span's input or output, in the form of OpenAI's API and its relatives."""
    if value is None:
        return []
    value = value_of(value)
    if isinstance(value, dict):
        if isinstance(choices := value.get("choices"), list):
            value = [choice.get("message") for choice in choices if isinstance(choice, dict)]
        elif isinstance(inner := value.get("messages"), list):
            value = inner
        elif "content" in value or "tool_calls" in value:
            value = [value]
    if isinstance(value, list) and value and all(isinstance(item, dict) and _speaks(item) for item in value):
        return [_plain_message(item, role) for item in value]
    return [Message(role=role, text=as_text(value))]


def _speaks(item: dict[str, Any]) -> bool:
    return "role" in item or "content" in item


def _plain_message(item: dict[str, Any], role: str) -> Message:
    content = item.get("content")
    texts: list[str] = []
    thoughts = [as_text(item.get(name)) for name in ("reasoning_content", "reasoning") if item.get(name)]
    pictures = 0
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, dict) and part.get("type") in ("text", "input_text", "output_text"):
            texts.append(as_text(part.get("text")))
        elif isinstance(part, dict) and part.get("type") in ("thinking", "reasoning"):
            thoughts.append(as_text(part.get("thinking", part.get("text"))))
        elif isinstance(part, dict) and str(part.get("type")).startswith(("image", "input_image")):
            pictures += 1
        else:
            texts.append(as_text(part))
    calls = item.get("tool_calls")
    asked = []
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict):
            inner = call.get("function")
            inner = inner if isinstance(inner, dict) else call
            asked.append(tool_call(inner.get("name"), inner.get("arguments", inner.get("args")), call.get("id")))
    return Message(
        role=_role(item.get("role"), role),
        text=_joined(texts),
        thoughts=_joined(thoughts),
        calls=tuple(asked),
        call_id=_string(item.get("tool_call_id")),
        name=_string(item.get("name")),
        pictures=pictures,
    )


def _is_thought(part: Mapping[str, Any]) -> bool:
    return part.get("type") in ("reasoning", "thinking")


def _role(value: Any, default: str) -> str:
    role = value.lower() if isinstance(value, str) else default
    return {"ai": "assistant", "model": "assistant", "human": "user", "developer": "system"}.get(role, role)


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _joined(texts: Iterable[str]) -> str:
    return "\n".join(text for text in texts if text)
