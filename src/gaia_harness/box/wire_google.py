"""Reads a call of Google's generateContent (Gemini API, v1 and v1beta), and puts its streamed replies together.

Google takes each name in two spellings, `systemInstruction` and `system_instruction`: both are read, and a request that
has both of one is refused, for nobody could say which of them counts.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from gaia_harness.box.wire_items import (
    Item,
    Notes,
    call_item,
    id_of,
    name_of,
    object_of,
    objects_of,
    text_of,
    texts_of,
    to_json,
)
from gaia_harness.box.wire_json import WireError
from gaia_harness.models.content import count_or_none
from gaia_harness.models.messages import Usage

PATH = re.compile(
    r"/v1(?:beta)?/models/([A-Za-z0-9][A-Za-z0-9._-]{0,127}):(generateContent|streamGenerateContent|countTokens)"
)
STREAM, COUNT = "streamGenerateContent", "countTokens"

PLAIN_FIELDS = frozenset(
    ("contents", "systemInstruction", "tools", "toolConfig", "safetySettings", "generationConfig", "labels", "model")
)
"""Fields of a request that put no words before the model, or that are read apart."""

_CLIENT_TOOLS = frozenset(("functionDeclarations", "computerUse"))
"""Kinds of tools that the agent itself carries out."""
_UNDERSCORE = re.compile(r"_([a-z0-9])")


def plain(value: dict[str, Any]) -> dict[str, Any]:
    """An object with its names in one spelling. WireError if one of them stands in it twice."""
    found = {_UNDERSCORE.sub(lambda match: match[1].upper(), name): inner for name, inner in value.items()}
    if len(found) != len(value):
        raise WireError("a name stands twice in one object, in two spellings")
    return found


def request_items(value: dict[str, Any], notes: Notes) -> Iterator[Item]:
    """What a request puts before the model."""
    if value.get("cachedContent"):
        notes.unseen["cachedContent"] = None
    if value.get("systemInstruction"):
        given = value["systemInstruction"]
        yield from _content({"parts": [given]} if isinstance(given, str) else given, "system", notes)
    contents = value.get("contents")
    for content in [contents] if isinstance(contents, dict) else objects_of(contents, "contents"):
        role = {"model": "assistant", "function": "user"}.get(name_of(content.get("role"), "role"), "user")
        yield from _content(content, role, notes)


def _content(content: Any, role: str, notes: Notes) -> Iterator[Item]:
    parts = object_of(content, "content").get("parts") or []
    for part in parts if isinstance(parts, list) else [parts]:
        if isinstance(part, str):
            yield Item(role=role, text=part)
            continue
        part = plain(object_of(part, "a part"))
        if isinstance(part.get("functionCall"), dict):
            call = part["functionCall"]
            yield call_item(call.get("id"), call.get("name"), call.get("args"))
        elif isinstance(part.get("functionResponse"), dict):
            yield _result(part["functionResponse"], notes)
        elif "executableCode" in part or "codeExecutionResult" in part:
            notes.hosted["codeExecution"] = None
            yield Item(role=role, text=to_json(part))
        elif "text" in part:
            yield Item(role=role, text=text_of(part["text"]), thought=part.get("thought") is True)
        elif part.keys() - {"thoughtSignature", "thought"}:
            yield from (Item(role=role, text=text) for text in texts_of([_as_known(part, notes)], notes))


def _result(response: dict[str, Any], notes: Notes) -> Item:
    given = response.get("response")
    said = given.get("output", given.get("error", given)) if isinstance(given, dict) else given
    failed = isinstance(given, dict) and "error" in given and "output" not in given
    texts = [said if isinstance(said, str) else to_json(said)]
    for part in objects_of(response.get("parts") or [], "parts"):  # pictures and files that a tool gave
        texts += texts_of([_as_known(plain(part), notes)], notes)
    name = name_of(response.get("name"), "")
    return Item(role="tool", text="\n".join(texts), call_id=id_of(response.get("id")), name=name, is_error=failed)


def _as_known(part: dict[str, Any], notes: Notes) -> dict[str, Any]:
    """A part that holds data or an address, in the form in which other providers write it."""
    if isinstance(part.get("inlineData"), dict):
        data = plain(part["inlineData"])
        return {"type": "file", "media_type": data.get("mimeType"), "data": data.get("data")}
    if part.get("fileData"):
        notes.hosted["file address"] = None
    return {"type": "part", **part}


def catalogue(value: dict[str, Any], notes: Notes) -> str:
    """The tools, each as our own loop names them; those of the provider as they are, and noted."""
    given = value.get("tools")
    shown: list[dict[str, Any]] = []
    for tool in [given] if isinstance(given, dict) else objects_of(given or [], "tools"):
        tool = plain(tool)
        notes.hosted.update(dict.fromkeys(name[:100] for name in sorted(tool.keys() - _CLIENT_TOOLS)))
        for declared in objects_of(tool.get("functionDeclarations") or [], "functionDeclarations"):
            declared = plain(declared)
            schema = declared.get("parametersJsonSchema", declared.get("parameters", {}))
            about = {"name": declared.get("name"), "description": declared.get("description", "")}
            shown.append({**about, "parameters": schema})
        shown += [{name: tool[name]} for name in sorted(tool.keys() - {"functionDeclarations"})]
    return to_json(shown, sort=True) if shown else ""


def reply_items(value: dict[str, Any], notes: Notes) -> tuple[list[Item], str | None]:
    """What a reply says, and why it ended."""
    candidates = objects_of(value.get("candidates") or [], "candidates")
    if not ({"candidates", "promptFeedback", "error"} & value.keys()):
        raise WireError("the reply has no candidates")
    items: list[Item] = []
    for candidate in candidates:
        if candidate.get("groundingMetadata") or candidate.get("urlContextMetadata"):
            notes.hosted["googleSearch"] = None
        items += _content(candidate.get("content") or {}, "assistant", notes)
    reason = candidates[0].get("finishReason") if candidates else _blocked(value)
    return items, name_of(reason, "") or None


def _blocked(value: dict[str, Any]) -> Any:
    feedback = value.get("promptFeedback")
    return feedback.get("blockReason") if isinstance(feedback, dict) else None


def usage(value: Any) -> Usage:
    """Tokens. Thoughts are output; what a tool of the provider's put before the model is input."""
    if not isinstance(value, dict):
        return Usage()

    def total(*names: str) -> int | None:
        found = [number for name in names if (number := count_or_none(value.get(name))) is not None]
        return sum(found) if found else None

    return Usage(
        input_tokens=total("promptTokenCount", "toolUsePromptTokenCount"),
        output_tokens=total("candidatesTokenCount", "thoughtsTokenCount"),
        cached_input_tokens=count_or_none(value.get("cachedContentTokenCount")),
    )


def assemble(events: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], bool]:
    """A reply from its events, and whether it came to its end."""
    reply: dict[str, Any] = {}
    candidates: dict[int, dict[str, Any]] = {}
    parts: dict[int, list[dict[str, Any]]] = {}
    texts: list[tuple[dict[str, Any], list[str]]] = []
    for event in events:
        for name in ("usageMetadata", "modelVersion", "responseId", "promptFeedback", "error"):
            if event.get(name) is not None:
                reply[name] = event[name]
        given = event.get("candidates")
        for candidate in given if isinstance(given, list) else []:
            if not isinstance(candidate, dict):
                continue
            index = at if isinstance(at := candidate.get("index"), int) else 0
            whole = candidates.setdefault(index, {})
            whole.update((name, inner) for name, inner in candidate.items() if name != "content")
            content = candidate.get("content")
            mine = parts.setdefault(index, [])
            for part in content.get("parts") or [] if isinstance(content, dict) else []:
                if not isinstance(part, dict):
                    continue
                plain_text = isinstance(part.get("text"), str)
                last = mine[-1] if mine else {}
                if plain_text and texts and texts[-1][0] is last and last.get("thought") == part.get("thought"):
                    texts[-1][1].append(part["text"])
                    continue
                mine.append(dict(part))
                if plain_text:
                    texts.append((mine[-1], [part["text"]]))
    for part, pieces in texts:
        part["text"] = "".join(pieces)
    for index, whole in candidates.items():
        whole["content"] = {"role": "model", "parts": parts[index]}
    reply["candidates"] = [candidates[index] for index in sorted(candidates)]
    blocked = _blocked(reply) is not None
    return reply, blocked or (bool(candidates) and all(each.get("finishReason") for each in candidates.values()))
