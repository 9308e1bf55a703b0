"""Reads one model call from its bytes: of OpenAI (chat completions, responses, embeddings), Anthropic and Google.

A request becomes a row of items: every text that is put before the model, every call and every result, in order. A
reply is read by the same rules. Fields that we do not know are let through; what they say is kept in `extra`.
"""

import hashlib
from collections.abc import Callable, Iterator
from typing import Any, Literal

import msgspec

from gaia_harness.box import wire_google
from gaia_harness.box.wire_items import (
    Item,
    Notes,
    call_item,
    error_text,
    id_of,
    list_of,
    name_of,
    object_of,
    objects_of,
    role_of,
    text_of,
    texts_of,
    to_json,
    usage_of,
)
from gaia_harness.box.wire_json import WireError, event_objects, read_object
from gaia_harness.box.wire_streams import assemble_chat, assemble_message, assemble_response
from gaia_harness.models.messages import ToolCall, Usage

Api = Literal["chat", "responses", "messages", "embeddings", "google"]

PATHS: dict[str, Api] = {
    "/v1/chat/completions": "chat",
    "/v1/responses": "responses",
    "/v1/messages": "messages",
    "/v1/embeddings": "embeddings",
}

COUNTS: dict[str, Api] = {"/v1/messages/count_tokens": "messages", "/v1/responses/input_tokens": "responses"}
"""Where the tokens of a request are counted that is not made; Google has a path of its own for it."""

MOST_ITEMS = 50_000

_THOUGHTS = ("reasoning_content", "reasoning_details", "reasoning")
_CLIENT_TOOLS = frozenset(("function", "custom", "local_shell", "apply_patch", "namespace"))
"""Types of tools that the agent itself carries out."""
_CLIENT_PREFIXES = ("bash_", "text_editor_", "memory_")
_SEARCHING_MODELS = (":online", "-search-preview", "-search-api")
_HOSTED_FIELDS = ("web_search_options", "plugins", "search_parameters", "mcp_servers", "container")
_UNSEEN_FIELDS = ("previous_response_id", "conversation", "prompt", "background")
# fmt: off
_PLAIN_FIELDS = frozenset((
    "audio", "background", "cache_control", "context_management", "conversation", "dimensions", "encoding_format",
    "frequency_penalty", "function_call", "functions", "include", "input", "instructions", "logit_bias", "logprobs",
    "max_completion_tokens", "max_output_tokens", "max_tokens", "max_tool_calls", "messages", "metadata", "modalities",
    "model", "n", "parallel_tool_calls", "presence_penalty", "previous_response_id", "prompt_cache_key",
    "prompt_cache_options", "prompt_cache_retention", "reasoning", "reasoning_effort", "safety_identifier", "seed",
    "service_tier", "stop", "stop_sequences", "store", "stream", "stream_options", "system", "temperature", "thinking",
    "tool_choice", "tools", "top_k", "top_logprobs", "top_p", "truncation", "user", "verbosity", *_HOSTED_FIELDS,
))
"""Fields of a request that put no words before the model, or that are read apart."""
# fmt: on


class WireRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What a request asks for.

    `tools` is the catalogue, `extra` what other fields say, both as JSON, or empty. `hosted` names what the provider
    would fetch or run itself, and `unseen` the history that lies on its side: neither goes through us.
    """

    api: Api
    model: str
    stream: bool
    sha256: str
    items: tuple[Item, ...] = ()
    tools: str = ""
    extra: str = ""
    hosted: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


class WireReply(msgspec.Struct, frozen=True, kw_only=True):
    """What came back. `finished` is False where it was cut short; `error` is what the provider said in its place.

    `items` are its words, thoughts and calls, and results of `hosted` tools; `thoughts` is JSON as the provider has it.
    """

    model: str | None = None
    items: tuple[Item, ...] = ()
    thoughts: str = ""
    stop_reason: str | None = None
    usage: Usage = Usage()
    response_id: str | None = None
    hosted: tuple[str, ...] = ()
    finished: bool = True
    error: str | None = None

    @property
    def text(self) -> str:
        """Its words."""
        return "".join(item.text for item in self.items if item.role == "assistant" and not item.thought)

    @property
    def calls(self) -> tuple[ToolCall, ...]:
        """The calls that it asks for."""
        return tuple(item.call for item in self.items if item.call is not None)


def read_request(api: Api, body: bytes, *, sha256: str | None = None, path: str = "") -> WireRequest:
    """A request from its bytes. WireError if it cannot be read.

    Where it came packed, `body` is unpacked, and `sha256` is of the bytes that came. `path` is read for Google's, which
    has the model's name in it.
    """
    value = read_object(body, "the request")
    if api == "google":
        return _google_request(value, path, sha256 or hashlib.sha256(body).hexdigest())
    notes = Notes()
    model = name_of(value.get("model"), "model")
    if not model:
        raise WireError("the request names no model")
    if value.get("stream") not in (None, True, False):
        raise WireError("stream is neither true nor false")
    if any(model.endswith(end) or f"{end}-" in model for end in _SEARCHING_MODELS):
        notes.hosted["web_search"] = None
    # an empty object asks for it too: web_search_options: {} is how OpenAI's documentation writes it
    notes.hosted.update(dict.fromkeys(field for field in _HOSTED_FIELDS if value.get(field) not in (None, False, [])))
    notes.unseen.update(dict.fromkeys(field for field in _UNSEEN_FIELDS if value.get(field)))
    items: list[Item] = []
    tools = ""
    if api != "embeddings":
        for item in _REQUESTS[api](value, notes):
            items.append(item)
            if len(items) > MOST_ITEMS:
                raise WireError(f"the request has more than {MOST_ITEMS} parts")
        tools = _catalogue(value, notes)
    extra = {name: value[name] for name in sorted(value.keys() - _PLAIN_FIELDS) if value[name] is not None}
    return WireRequest(
        api=api,
        model=model,
        stream=value.get("stream") is True,
        sha256=sha256 or hashlib.sha256(body).hexdigest(),
        items=tuple(items),
        tools=tools,
        extra=to_json(extra) if extra and api != "embeddings" else "",
        hosted=tuple(notes.hosted),
        unseen=tuple(notes.unseen),
    )


def _google_request(value: dict[str, Any], path: str, sha256: str) -> WireRequest:
    found = wire_google.PATH.fullmatch(path)
    if found is None:
        raise WireError("the path names no model")
    notes = Notes()
    value = wire_google.plain(value)
    if found[2] == wire_google.COUNT and "generateContentRequest" in value:
        if len(value) > 1:
            raise WireError("it has two requests to count")
        value = wire_google.plain(object_of(value["generateContentRequest"], "generateContentRequest"))
        if name_of(value.get("model"), "model") not in ("", found[1], f"models/{found[1]}"):
            raise WireError("it names two models")
    items = []
    for item in wire_google.request_items(value, notes):
        items.append(item)
        if len(items) > MOST_ITEMS:
            raise WireError(f"the request has more than {MOST_ITEMS} parts")
    tools = wire_google.catalogue(value, notes)
    extra = {name: value[name] for name in sorted(value.keys() - wire_google.PLAIN_FIELDS) if value[name] is not None}
    return WireRequest(
        api="google",
        model=found[1],
        stream=found[2] == wire_google.STREAM,
        sha256=sha256,
        items=tuple(items),
        tools=tools,
        extra=to_json(extra) if extra else "",
        hosted=tuple(notes.hosted),
        unseen=tuple(notes.unseen),
    )


def read_reply(api: Api, body: bytes, *, streamed: bool = False) -> WireReply:
    """A reply from its bytes, unpacked; `streamed` where its type is `text/event-stream`. WireError if it is none."""
    finished = True
    if streamed and api != "embeddings":
        value, finished = _STREAMS[api](event_objects(body))
    else:
        value = read_object(body, "the reply")
    notes = Notes()
    error = value.get("error")
    reply = WireReply() if api == "embeddings" else _REPLIES[api](value, notes)
    return msgspec.structs.replace(
        reply,
        model=name_of(value.get("model", value.get("modelVersion")), "model") or None,
        response_id=name_of(value.get("id", value.get("responseId")), "id") or None,
        usage=wire_google.usage(value.get("usageMetadata")) if api == "google" else usage_of(value.get("usage")),
        hosted=tuple(notes.hosted),
        finished=finished and not error,
        error=None if not error else error_text(error),
    )


def _chat_request(value: dict[str, Any], notes: Notes) -> Iterator[Item]:
    for message in objects_of(value.get("messages"), "messages"):
        yield from _chat_message(message, notes)


def _chat_message(message: dict[str, Any], notes: Notes) -> Iterator[Item]:
    role = role_of(message.get("role"))
    content = message.get("content")
    if role == "tool":
        text = "\n".join(texts_of(content, notes))
        yield Item(
            role=role, text=text, call_id=id_of(message.get("tool_call_id")), name=name_of(message.get("name"), "")
        )
        return
    for field in ("reasoning_content", "reasoning") if role == "assistant" else ():
        if isinstance(message.get(field), str) and message[field]:
            yield Item(role=role, text=message[field], thought=True)
    texts = list(texts_of(content, notes))
    if role == "assistant" and not any(texts) and isinstance(message.get("refusal"), str):
        texts = [message["refusal"]]
    yield from (Item(role=role, text=text) for text in texts if text or role == "user")
    old = message.get("function_call")
    for call in ([{"function": old}] if old else []) + objects_of(message.get("tool_calls") or [], "tool_calls"):
        inner = call.get("function") or call.get("custom") or {}
        if not isinstance(inner, dict):
            raise WireError("a tool call is not an object")
        yield call_item(call.get("id"), inner.get("name"), inner.get("arguments", inner.get("input")))


def _chat_reply(value: dict[str, Any], notes: Notes) -> WireReply:
    choices = objects_of(value.get("choices") or [], "choices")
    if "choices" not in value and not value.get("error"):
        raise WireError("the reply has no choices")
    messages = [object_of(choice.get("message"), "message") | {"role": "assistant"} for choice in choices]
    found = {name: message[name] for message in messages for name in _THOUGHTS if message.get(name)}
    thoughts = {name: found[name] for name in _THOUGHTS[:2] if name in found} or found
    return WireReply(
        items=tuple(item for message in messages for item in _chat_message(message, notes)),
        thoughts=to_json(thoughts) if thoughts else "",
        stop_reason=name_of(choices[0].get("finish_reason"), "") or None if choices else None,
    )


def _responses_request(value: dict[str, Any], notes: Notes) -> Iterator[Item]:
    given = value.get("instructions")
    if isinstance(given, str) and given:
        yield Item(role="system", text=given)
    elif given:
        for item in objects_of(given, "instructions"):
            yield from _response_item(item, notes)
    if isinstance(value.get("input"), str):
        yield Item(role="user", text=value["input"])
        return
    for item in objects_of(value.get("input") or [], "input"):
        yield from _response_item(item, notes)


def _response_item(item: dict[str, Any], notes: Notes) -> Iterator[Item]:
    kind = item.get("type") or "message"
    if not isinstance(kind, str):
        raise WireError("the type of an item is not a text")
    if kind == "message":
        role = role_of(item.get("role"))
        yield from (Item(role=role, text=text) for text in texts_of(item.get("content"), notes))
    elif kind == "reasoning":
        for part in objects_of([*list_of(item.get("summary")), *list_of(item.get("content"))], "reasoning"):
            if isinstance(part.get("text"), str):
                yield Item(role="assistant", text=part["text"], thought=True)
    elif kind == "item_reference":
        notes.unseen["item_reference"] = None
    elif kind.endswith("_output"):
        output = item.get("output", item.get("tools"))
        yield Item(
            role="tool", text="\n".join(texts_of(output, notes)), call_id=id_of(item.get("call_id", item.get("id")))
        )
    elif kind.endswith("_call"):
        hosted = kind.removesuffix("_call") not in ("function", "custom_tool", *_CLIENT_TOOLS)
        if hosted and kind != "shell_call":
            notes.hosted[kind.removesuffix("_call")] = None
        given = next((item[name] for name in ("arguments", "input", "action", "operation") if name in item), item)
        call = call_item(item.get("call_id", item.get("id")), item.get("name", kind.removesuffix("_call")), given)
        yield call
        found = {name: item[name] for name in ("output", "outputs", "results", "error") if item.get(name)}
        if found and call.call is not None:  # a tool of the provider's: what it gave stands in the reply
            yield Item(role="tool", text=to_json(found), call_id=call.call.call_id)
    elif kind not in ("compaction", "compaction_trigger"):
        yield Item(role="user", text=to_json(item))


def _response_reply(value: dict[str, Any], notes: Notes) -> WireReply:
    output = objects_of(value.get("output") or [], "output")
    if "output" not in value and not value.get("error"):
        raise WireError("the reply has no output")
    items = [inner for item in output for inner in _response_item(item | {"role": "assistant"}, notes)]
    thoughts = [item for item in output if item.get("type") == "reasoning"]
    details = value.get("incomplete_details")
    reason = details.get("reason") if isinstance(details, dict) else value.get("status")
    return WireReply(
        items=tuple(items), thoughts=to_json(thoughts) if thoughts else "", stop_reason=name_of(reason, "") or None
    )


def _messages_request(value: dict[str, Any], notes: Notes) -> Iterator[Item]:
    if value.get("system"):
        yield from (Item(role="system", text=text) for text in texts_of(value["system"], notes))
    for message in objects_of(value.get("messages"), "messages"):
        yield from _blocks(role_of(message.get("role")), message.get("content"), notes)


def _blocks(role: str, content: Any, notes: Notes) -> Iterator[Item]:
    if isinstance(content, str):
        yield Item(role=role, text=content)
        return
    for block in objects_of(content, "content"):
        kind = block.get("type")
        if not isinstance(kind, str):
            raise WireError("a block of content has no type")
        if kind in ("tool_use", "server_tool_use", "mcp_tool_use"):
            if kind != "tool_use":
                notes.hosted[name_of(block.get("name"), "") or kind] = None
            yield call_item(block.get("id"), block.get("name"), block.get("input"))
        elif kind == "tool_result" or kind.endswith("_tool_result"):
            text = "\n".join(texts_of(block.get("content"), notes))
            failed = block.get("is_error") is True
            yield Item(role="tool", text=text, call_id=id_of(block.get("tool_use_id")), is_error=failed)
        elif kind == "thinking":
            if block.get("thinking"):
                yield Item(role="assistant", text=text_of(block["thinking"]), thought=True)
        elif kind != "redacted_thinking":
            yield from (Item(role=role, text=text) for text in texts_of([block], notes))


def _message_reply(value: dict[str, Any], notes: Notes) -> WireReply:
    blocks = objects_of(value.get("content") or [], "content")
    if "content" not in value and not value.get("error"):
        raise WireError("the reply has no content")
    thinks = any(block.get("type") not in ("text", "tool_use") for block in blocks)
    return WireReply(
        items=tuple(_blocks("assistant", blocks, notes)),
        thoughts=to_json(blocks) if thinks else "",
        stop_reason=name_of(value.get("stop_reason"), "") or None,
    )


def _google_reply(value: dict[str, Any], notes: Notes) -> WireReply:
    items, reason = wire_google.reply_items(value, notes)
    thoughts = [item.text for item in items if item.thought]
    return WireReply(items=tuple(items), thoughts=to_json(thoughts) if thoughts else "", stop_reason=reason)


def _catalogue(value: dict[str, Any], notes: Notes) -> str:
    """The tools, each as our own loop names them: `name`, `description`, `parameters`; others as they are."""
    given = [*list_of(value.get("tools")), *list_of(value.get("functions"))]
    return to_json([_tool(tool, notes) for tool in objects_of(given, "tools")], sort=True) if given else ""


def _tool(tool: dict[str, Any], notes: Notes) -> dict[str, Any]:
    kind = tool.get("type", "custom")
    local = kind == "shell" and isinstance(where := tool.get("environment"), dict) and where.get("type") == "local"
    if not isinstance(kind, str) or not (kind in _CLIENT_TOOLS or kind.startswith(_CLIENT_PREFIXES) or local):
        notes.hosted[name_of(kind, "") or "a tool without a type"] = None
    for inner in objects_of(list_of(tool.get("tools")), "tools") if kind == "namespace" else ():
        _tool(inner, notes)
    inner = tool.get("function", tool)
    if isinstance(inner, dict) and kind in ("function", "custom"):
        schema = inner.get("parameters", inner.get("input_schema"))
        if schema is not None:
            shown = {"name": inner.get("name"), "description": inner.get("description", ""), "parameters": schema}
            rest = inner.keys() - {"name", "description", "parameters", "input_schema", "type", "strict"}
            return shown | {name: inner[name] for name in rest if name != "cache_control"}
    return tool


_REQUESTS: dict[str, Callable[[dict[str, Any], Notes], Iterator[Item]]] = {
    "chat": _chat_request,
    "responses": _responses_request,
    "messages": _messages_request,
}
_REPLIES: dict[str, Callable[[dict[str, Any], Notes], WireReply]] = {
    "chat": _chat_reply,
    "responses": _response_reply,
    "messages": _message_reply,
    "google": _google_reply,
}
_STREAMS: dict[str, Callable[[Iterator[dict[str, Any]]], tuple[dict[str, Any], bool]]] = {
    "chat": assemble_chat,
    "responses": assemble_response,
    "messages": assemble_message,
    "google": wire_google.assemble,
}
