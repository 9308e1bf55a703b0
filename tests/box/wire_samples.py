"""Replies of the three protocols in one piece, and the same as the streams that providers document."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

CALLS = (("look_up", {"name": "Grimble Tower", "unit": "m"}), ("note", {"text": "hoch – 高い"}))
USAGE = {"prompt_tokens": 30, "completion_tokens": 8, "prompt_tokens_details": {"cached_tokens": 4}}


def sse(events: Iterable[Any], *, named: bool = False, done: bool = False) -> bytes:
    """The bytes of a stream."""
    parts = [
        (f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event, ensure_ascii=False)}\n\n"
        for event in events
    ]
    return "".join([*parts, "data: [DONE]\n\n" if done else ""]).encode()


def pieces(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def chat(text: str, calls: Sequence[tuple[str, Any]] = (), reasoning: str = "") -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if reasoning:
        message["reasoning_content"] = reasoning
    if calls:
        message["tool_calls"] = [
            {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
            for at, (name, args) in enumerate(calls)
        ]
    return {
        "id": "chatcmpl-7",
        "object": "chat.completion",
        "created": 1,
        "model": "grim-1",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": USAGE,
    }


def chat_stream(reply: dict[str, Any], size: int = 3) -> bytes:
    def chunk(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": reason}
        return {"id": reply["id"], "object": "chat.completion.chunk", "created": 1, "model": "grim-1"} | {
            "choices": [choice]
        }

    message = reply["choices"][0]["message"]
    events = [chunk({"role": "assistant", "content": ""})]
    for name in ("reasoning_content", "content"):
        events += [chunk({name: piece}) for piece in pieces(message.get(name, ""), size)]
    for at, call in enumerate(message.get("tool_calls", [])):
        inner = call["function"]
        events.append(chunk({"tool_calls": [call | {"index": at, "function": inner | {"arguments": ""}}]}))
        events += [
            chunk({"tool_calls": [{"index": at, "function": {"arguments": piece}}]})
            for piece in pieces(inner["arguments"], size)
        ]
    events.append(chunk({}, reply["choices"][0]["finish_reason"]))
    events.append(chunk({}) | {"choices": [], "usage": reply["usage"]})
    return sse(events, done=True)


def message(text: str, calls: Sequence[tuple[str, Any]] = (), thinking: str = "") -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if thinking:
        content.append({"type": "thinking", "thinking": thinking, "signature": "c2lnbmVk"})
    content += [{"type": "text", "text": text}] if text else []
    content += [{"type": "tool_use", "id": f"toolu_{at}", "name": n, "input": i} for at, (n, i) in enumerate(calls)]
    return {
        "id": "msg_7",
        "type": "message",
        "role": "assistant",
        "model": "grim-1",
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 26, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 0}
        | {"output_tokens": 8},
    }


def message_stream(reply: dict[str, Any], size: int = 3) -> bytes:
    begun = reply | {"content": [], "stop_reason": None, "usage": reply["usage"] | {"output_tokens": 1}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": begun}, {"type": "ping"}]
    for at, block in enumerate(reply["content"]):
        kind = block["type"]
        empty = block | {"text": {"text": ""}, "thinking": {"thinking": "", "signature": ""}}.get(kind, {"input": {}})
        events.append({"type": "content_block_start", "index": at, "content_block": empty})
        if kind == "tool_use":
            deltas = [("input_json_delta", "partial_json", p) for p in pieces(json.dumps(block["input"]), size)]
        else:
            deltas = [(f"{kind}_delta", kind, piece) for piece in pieces(block[kind], size)]
        if kind == "thinking":
            deltas.append(("signature_delta", "signature", block["signature"]))
        for delta, name, piece in deltas:
            events.append({"type": "content_block_delta", "index": at, "delta": {"type": delta, name: piece}})
        events.append({"type": "content_block_stop", "index": at})
    stop = {"stop_reason": reply["stop_reason"], "stop_sequence": None}
    events.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 8}})
    return sse([*events, {"type": "message_stop"}], named=True)


def response(text: str, calls: Sequence[tuple[str, Any]] = (), reasoning: str = "") -> dict[str, Any]:
    output: list[dict[str, Any]] = []
    if reasoning:
        output.append({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": reasoning}]})
    if text:
        part = {"type": "output_text", "text": text, "annotations": []}
        output.append({"type": "message", "id": "m_1", "role": "assistant", "status": "completed", "content": [part]})
    for at, (name, args) in enumerate(calls):
        call = {"type": "function_call", "id": f"fc_{at}", "call_id": f"call_{at}", "status": "completed"}
        output.append(call | {"name": name, "arguments": json.dumps(args)})
    return {
        "id": "resp_7",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "grim-1",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {"input_tokens": 30, "output_tokens": 8, "total_tokens": 38}
        | {"input_tokens_details": {"cached_tokens": 4}, "output_tokens_details": {"reasoning_tokens": 0}},
    }


def response_stream(reply: dict[str, Any], size: int = 3) -> bytes:
    begun = reply | {"output": [], "status": "in_progress", "usage": None}
    events: list[dict[str, Any]] = [{"type": "response.created", "response": begun}]
    for at, item in enumerate(reply["output"]):
        place = {"item_id": item["id"], "output_index": at}
        kind = item["type"]
        field = {"message": "content", "reasoning": "summary"}.get(kind)
        empty = item | ({"arguments": ""} if field is None else {field: []})
        events.append({"type": "response.output_item.added", "output_index": at, "item": empty})
        if kind == "message":
            part = item["content"][0]
            place |= {"content_index": 0}
            events.append({"type": "response.content_part.added", **place, "part": part | {"text": ""}})
            for piece in pieces(part["text"], size):
                events.append({"type": "response.output_text.delta", **place, "delta": piece, "logprobs": []})
        elif kind == "reasoning":
            place |= {"summary_index": 0}
            for piece in pieces(item["summary"][0]["text"], size):
                events.append({"type": "response.reasoning_summary_text.delta", **place, "delta": piece})
        else:
            for piece in pieces(item["arguments"], size):
                events.append({"type": "response.function_call_arguments.delta", **place, "delta": piece})
        events.append({"type": "response.output_item.done", "output_index": at, "item": item})
    events.append({"type": "response.completed", "response": reply})
    return sse(({**event, "sequence_number": at} for at, event in enumerate(events)), named=True)


MAKERS = {
    "chat": (chat, chat_stream),
    "messages": (message, message_stream),
    "responses": (response, response_stream),
}
