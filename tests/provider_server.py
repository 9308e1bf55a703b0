"""A real server on loopback that speaks as OpenAI (chat completions, responses), Anthropic and Google do.

It takes a function from the parsed request to what the model says: a text, or a text with calls. It answers in the
form that was asked for, streamed or not, so that real agents can be run against it.
"""

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from loopback import Answer, Loopback, Seen, loopback

Call = tuple[str, dict[str, Any]]

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Says:
    """What the model says: words, and calls of tools with their arguments."""

    text: str = ""
    calls: Sequence[Call] = ()


@dataclass
class Provider:
    """A running server, and what it has seen of model calls."""

    loopback: Loopback
    seen: list[Seen] = field(default_factory=list)

    @property
    def url(self) -> str:
        return self.loopback.url

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [seen.json() for seen in self.seen]


@contextmanager
def provider_server(answer: Callable[[dict[str, Any]], Says | Answer]) -> Iterator[Provider]:
    """Serve until the block ends."""

    def serve(seen: Seen) -> Answer:
        render = _FORMS.get(seen.path)
        if ":" in seen.path and "models/" in seen.path:
            render = _google
        if render is None or not seen.body:
            return Answer.json({"error": {"message": f"no such path: {seen.path}"}}, status=404)
        provider.seen.append(seen)
        said = answer(seen.json())
        return said if isinstance(said, Answer) else render(seen, said)

    with loopback(serve) as server:
        provider = Provider(server)
        yield provider


def _events(events: Sequence[tuple[str | None, Any]], done: str | None = None) -> Answer:
    lines = []
    for name, data in events:
        lines.append((f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n")
    if done is not None:
        lines.append(f"data: {done}\n\n")
    return Answer(200, "".join(lines).encode(), {"content-type": "text/event-stream"})


def _chat(seen: Seen, said: Says) -> Answer:
    request, number = seen.json(), next(_numbers)
    calls = [
        {"id": f"call_{number}_{at}", "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for at, (name, args) in enumerate(said.calls)
    ]
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    head = {"id": f"chatcmpl-{number}", "created": 1, "model": request["model"]}
    reason = "tool_calls" if calls else "stop"
    if not request.get("stream"):
        message = {"role": "assistant", "content": said.text or None} | ({"tool_calls": calls} if calls else {})
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return Answer.json({**head, "object": "chat.completion", "choices": [choice], "usage": usage})

    def chunk(delta: dict[str, Any], finish: str | None = None) -> tuple[None, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return None, {**head, "object": "chat.completion.chunk", "choices": [choice]}

    pieces = [chunk({"role": "assistant", "content": ""})]
    pieces += [chunk({"content": said.text[at : at + 7]}) for at in range(0, len(said.text), 7)]
    pieces += [chunk({"tool_calls": [{"index": at, **call}]}) for at, call in enumerate(calls)]
    pieces.append(chunk({}, reason))
    pieces.append((None, {**head, "object": "chat.completion.chunk", "choices": [], "usage": usage}))
    return _events(pieces, "[DONE]")


def _responses(seen: Seen, said: Says) -> Answer:
    request, number = seen.json(), next(_numbers)
    output: list[dict[str, Any]] = []
    if said.text:
        part = {"type": "output_text", "text": said.text, "annotations": []}
        output.append(
            {
                "type": "message",
                "id": f"msg_{number}",
                "role": "assistant",
                "status": "completed",
                "content": [part],
            }
        )
    output += [
        {
            "type": "function_call",
            "id": f"fc_{number}_{at}",
            "call_id": f"call_{number}_{at}",
            "name": name,
            "arguments": json.dumps(args),
            "status": "completed",
        }
        for at, (name, args) in enumerate(said.calls)
    ]
    usage = {
        "input_tokens": 10,
        "output_tokens": 5,
        "total_tokens": 15,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens_details": {"reasoning_tokens": 0},
    }
    whole = {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 1,
        "model": request["model"],
        "status": "completed",
        "output": output,
        "usage": usage,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    if not request.get("stream"):
        return Answer.json(whole)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    events: list[tuple[str | None, Any]] = [("response.created", {"type": "response.created", "response": begun})]
    for at, item in enumerate(output):
        events.append(
            (
                "response.output_item.added",
                {"type": "response.output_item.added", "output_index": at, "item": item},
            )
        )
        if item["type"] == "message":
            delta = {"item_id": item["id"], "output_index": at, "content_index": 0, "delta": said.text}
            events.append(("response.output_text.delta", {"type": "response.output_text.delta", **delta}))
        events.append(
            ("response.output_item.done", {"type": "response.output_item.done", "output_index": at, "item": item})
        )
    events.append(("response.completed", {"type": "response.completed", "response": whole}))
    for number, (_, data) in enumerate(events):
        data["sequence_number"] = number
    return _events(events)


def _messages(seen: Seen, said: Says) -> Answer:
    request, number = seen.json(), next(_numbers)
    blocks: list[dict[str, Any]] = [{"type": "text", "text": said.text}] if said.text else []
    blocks += [
        {"type": "tool_use", "id": f"toolu_{number}_{at}", "name": name, "input": args}
        for at, (name, args) in enumerate(said.calls)
    ]
    whole = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": request["model"],
        "content": blocks,
        "stop_reason": "tool_use" if said.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }
    if not request.get("stream"):
        return Answer.json(whole)
    begun = {**whole, "content": [], "stop_reason": None}
    events: list[tuple[str | None, Any]] = [("message_start", {"type": "message_start", "message": begun})]
    for at, block in enumerate(blocks):
        empty = {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}
        if block["type"] == "text":
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            ("content_block_start", {"type": "content_block_start", "index": at, "content_block": empty}),
            ("content_block_delta", {"type": "content_block_delta", "index": at, "delta": delta}),
            ("content_block_stop", {"type": "content_block_stop", "index": at}),
        ]
    ending = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    events += [
        ("message_delta", {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 5}}),
        ("message_stop", {"type": "message_stop"}),
    ]
    return _events(events)


def _google(seen: Seen, said: Says) -> Answer:
    parts: list[dict[str, Any]] = [{"text": said.text}] if said.text else []
    parts += [{"functionCall": {"name": name, "args": args}} for name, args in said.calls]
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    whole = {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "gemini", "responseId": "r1"}
    return _events([(None, whole)]) if "stream" in seen.path else Answer.json(whole)


_FORMS = {
    "/v1/chat/completions": _chat,
    "/chat/completions": _chat,
    "/v1/responses": _responses,
    "/responses": _responses,
    "/v1/messages": _messages,
}
