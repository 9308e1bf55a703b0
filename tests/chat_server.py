"""Real chat servers on loopback for tests: one that speaks OpenAI's protocol, one that speaks Anthropic's.

Each takes a function from the parsed request to a reply: a body from `chat_reply` or `message_reply`, or any `Answer`
of `loopback`, which may also misbehave.
"""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

from loopback import Answer, Loopback, Seen, loopback

Call = tuple[str, dict[str, Any] | str]

_numbers = itertools.count(1)  # ids are unique over the whole test run, as a provider's are


@dataclass(frozen=True)
class ChatServer:
    """A running server: `base_url` as a user would give it, and what it has seen."""

    base_url: str
    loopback: Loopback

    @property
    def seen(self) -> list[Seen]:
        return self.loopback.seen

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [seen.json() for seen in self.loopback.seen]


def _serve(answer: Callable[[dict[str, Any]], Any], path: str) -> Callable[[Seen], Answer]:
    def serve(seen: Seen) -> Answer:
        if seen.path != path:
            return Answer.json({"error": {"message": f"there is nothing at {seen.path}"}}, status=404)
        reply = answer(seen.json())
        return reply if isinstance(reply, Answer) else Answer.json(reply)

    return serve


@contextmanager
def chat_server(answer: Callable[[dict[str, Any]], Any], port: int = 0) -> Iterator[ChatServer]:
    """An OpenAI-compatible server; `answer` takes the request and returns `chat_reply(...)` or an `Answer`."""
    with loopback(_serve(answer, "/v1/chat/completions"), port) as server:
        yield ChatServer(f"{server.url}/v1", server)


@contextmanager
def messages_server(answer: Callable[[dict[str, Any]], Any]) -> Iterator[ChatServer]:
    """A server like Anthropic's; `answer` takes the request and returns `message_reply(...)` or an `Answer`."""
    with loopback(_serve(answer, "/v1/messages")) as server:
        yield ChatServer(server.url, server)


def chat_reply(
    text: str | None = "",
    calls: Sequence[Call] = (),
    prompt_tokens: int = 10,
    completion_tokens: int = 5,
    cached_tokens: int = 0,
    model: str = "test-model",
) -> dict[str, Any]:
    """The body of a chat completion. A call is a name with its arguments: an object, or the text as it is."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {
                "id": f"call_{next(_numbers):020d}",
                "type": "function",
                "function": {"name": name, "arguments": args if isinstance(args, str) else json.dumps(args)},
            }
            for name, args in calls
        ]
    return {
        "id": f"chatcmpl-{next(_numbers)}",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}],
        "usage": {
            "prompt_tokens": prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": prompt_tokens + completion_tokens,
            "prompt_tokens_details": {"cached_tokens": cached_tokens},
        },
    }


def message_reply(
    text: str = "",
    calls: Sequence[tuple[str, Any]] = (),
    input_tokens: int = 10,
    output_tokens: int = 5,
    cached_tokens: int = 0,
    thinking: str | None = None,
    model: str = "test-model",
) -> dict[str, Any]:
    """The body of a message. A call is a name with its input; `thinking` puts a signed thought before it all."""
    content: list[dict[str, Any]] = []
    if thinking is not None:
        content.append({"type": "thinking", "thinking": thinking, "signature": f"signed({thinking})"})
    if text:
        content.append({"type": "text", "text": text})
    for name, value in calls:
        content.append({"type": "tool_use", "id": f"toolu_{next(_numbers):020d}", "name": name, "input": value})
    return {
        "id": f"msg_{next(_numbers)}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": input_tokens - cached_tokens,
            "output_tokens": output_tokens,
            "cache_read_input_tokens": cached_tokens,
            "cache_creation_input_tokens": 0,
        },
    }


@asynccontextmanager
async def trickling_server(pause: float = 0.02) -> AsyncIterator[str]:
    """A server that answers at once, but sends its body a byte at a time and never comes to the end."""

    async def trickle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n")
            while True:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(pause)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client gave up, as it should
        finally:
            writer.close()

    server = await asyncio.start_server(trickle, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
