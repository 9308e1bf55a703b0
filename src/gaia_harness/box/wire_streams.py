"""Puts the events of a streamed reply together: what comes out is the reply as it would have come in one piece.

Each function gives that reply and whether the stream came to its end. Events that we do not know are passed over.
"""

from collections.abc import Iterable
from typing import Any

from gaia_harness.models.content import parse_arguments

Event = dict[str, Any]


class _Pieces:
    """A text that comes in pieces."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def add(self, piece: Any) -> None:
        if isinstance(piece, str):
            self._pieces.append(piece)

    def __str__(self) -> str:
        return "".join(self._pieces)


def assemble_chat(events: Iterable[Event]) -> tuple[Event, bool]:
    """A chat completion from its chunks."""
    reply: Event = {"choices": []}
    choices: dict[int, _Choice] = {}
    for event in events:
        for name in ("id", "model", "usage", "error"):
            if event.get(name) is not None:
                reply[name] = event[name]
        for choice in _objects(event.get("choices")):
            choices.setdefault(_index(choice), _Choice()).add(choice)
    reply["choices"] = [choices[index].whole() for index in sorted(choices)]
    return reply, bool(choices) and all(choice.reason is not None for choice in choices.values())


class _Choice:
    def __init__(self) -> None:
        self.reason: Any = None
        self._texts: dict[str, _Pieces] = {}
        self._details: list[Any] = []
        self._calls: list[tuple[Event, _Pieces, _Pieces]] = []
        self._places: dict[Any, int] = {}

    def add(self, choice: Event) -> None:
        self.reason = choice.get("finish_reason") or self.reason
        delta = choice.get("delta")
        if not isinstance(delta, dict):
            return
        for name in ("content", "refusal", "reasoning_content", "reasoning"):
            if isinstance(delta.get(name), str):
                self._texts.setdefault(name, _Pieces()).add(delta[name])
        self._details += delta["reasoning_details"] if isinstance(delta.get("reasoning_details"), list) else []
        old = delta.get("function_call")
        for call in _objects([{"function": old, "index": "old"}] if old else []) + _objects(delta.get("tool_calls")):
            self._call(call)

    def _call(self, call: Event) -> None:
        place = call.get("index")
        place = place if isinstance(place, int | str) else call.get("id") if isinstance(call.get("id"), str) else 0
        known = self._places.get(place)
        if known is None or (call.get("id") and call["id"] != self._calls[known][0].get("id")):
            known = self._places[place] = len(self._calls)  # some servers give all their calls one index
            self._calls.append(({"id": call.get("id")}, _Pieces(), _Pieces()))
        inner = call.get("function") or call.get("custom")
        if isinstance(inner, dict):
            _, name, arguments = self._calls[known]
            name.add(inner.get("name"))
            arguments.add(inner.get("arguments", inner.get("input")))

    def whole(self) -> Event:
        message: Event = {"role": "assistant", **{name: str(text) for name, text in self._texts.items()}}
        if self._details:
            message["reasoning_details"] = self._details
        if self._calls:
            message["tool_calls"] = [
                {**call, "function": {"name": str(name), "arguments": str(arguments)}}
                for call, name, arguments in self._calls
            ]
        return {"message": message, "finish_reason": self.reason}


_DELTAS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


def assemble_message(events: Iterable[Event]) -> tuple[Event, bool]:
    """An Anthropic message from its events."""
    reply: Event = {"content": []}
    blocks: dict[int, tuple[Event, dict[str, _Pieces]]] = {}
    finished = False
    for event in events:
        match event.get("type"):
            case "message_start" if isinstance(event.get("message"), dict):
                reply |= event["message"]
            case "content_block_start" if isinstance(event.get("content_block"), dict):
                blocks[_index(event)] = (event["content_block"], {})
            case "content_block_delta" if _index(event) in blocks and isinstance(event.get("delta"), dict):
                delta, (_, pieces) = event["delta"], blocks[_index(event)]
                if delta.get("type") == "input_json_delta":
                    pieces.setdefault("input", _Pieces()).add(delta.get("partial_json"))
                elif name := _DELTAS.get(str(delta.get("type"))):
                    pieces.setdefault(name, _Pieces()).add(delta.get(name))
            case "message_delta":
                reply |= event["delta"] if isinstance(event.get("delta"), dict) else {}
                if isinstance(event.get("usage"), dict):  # what is counted so far, in place of what was
                    before = reply.get("usage")
                    reply["usage"] = (before if isinstance(before, dict) else {}) | {
                        name: n for name, n in event["usage"].items() if n is not None
                    }
            case "message_stop":
                finished = True
            case "error":
                reply["error"] = event.get("error") or "error"
    reply["content"] = [_block(*blocks[index]) for index in sorted(blocks)]
    return reply, finished


def _block(block: Event, pieces: dict[str, _Pieces]) -> Event:
    whole = dict(block)
    for name, text in pieces.items():
        if name == "input":
            if str(text):
                args = parse_arguments(str(text))
                whole["input"] = str(text) if args is None else args
        else:
            whole[name] = (block[name] if isinstance(block.get(name), str) else "") + str(text)
    return whole


_RESPONSE_DELTAS = {
    "response.output_text.delta": ("content", "output_text", "text"),
    "response.refusal.delta": ("content", "refusal", "refusal"),
    "response.reasoning_text.delta": ("content", "reasoning_text", "text"),
    "response.reasoning_summary_text.delta": ("summary", "summary_text", "text"),
}
_ARGUMENT_DELTAS = {
    "response.function_call_arguments.delta": "arguments",
    "response.custom_tool_call_input.delta": "input",
}


def assemble_response(events: Iterable[Event]) -> tuple[Event, bool]:
    """A response from its events: from the last one, which has it whole, or from what came of its items."""
    reply: Event = {}
    items: dict[int, Event] = {}
    pieces: dict[tuple[int, str, str, str, int], _Pieces] = {}
    done: set[int] = set()
    finished = False
    for event in events:
        kind, index = str(event.get("type")), event.get("output_index")
        if isinstance(event.get("response"), dict):
            reply |= event["response"]
        if kind in ("response.completed", "response.incomplete", "response.failed"):
            finished = True
        elif kind == "error":
            reply["error"] = event.get("error") or event.get("message") or "error"
        elif not isinstance(index, int):
            continue
        elif kind in ("response.output_item.added", "response.output_item.done"):
            if isinstance(event.get("item"), dict):
                items[index] = event["item"]
                done |= {index} if kind.endswith(".done") else set()
        elif kind in _RESPONSE_DELTAS:
            part = event.get("summary_index" if "summary" in kind else "content_index")
            key = (index, *_RESPONSE_DELTAS[kind], part if isinstance(part, int) else 0)
            pieces.setdefault(key, _Pieces()).add(event.get("delta"))
        elif kind in _ARGUMENT_DELTAS:
            pieces.setdefault((index, _ARGUMENT_DELTAS[kind], "", "", 0), _Pieces()).add(event.get("delta"))
    for key in sorted(pieces):
        index, field, part_type, name, _ = key
        if index in done or index not in items:
            continue
        if not part_type:
            items[index] = items[index] | {field: str(pieces[key])}
        else:
            before = items[index].get(field)
            part = {"type": part_type, name: str(pieces[key])}
            items[index] = items[index] | {field: [*(before if isinstance(before, list) else []), part]}
    if not reply.get("output"):
        reply["output"] = [items[index] for index in sorted(items)]
    return reply, finished


def _objects(value: Any) -> list[Event]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _index(event: Event) -> int:
    return index if isinstance(index := event.get("index"), int) else 0
