"""Requests and replies of a model, independent of any provider."""

from typing import Any

import msgspec


class Image(msgspec.Struct, frozen=True):
    """A picture as the model gets it."""

    media_type: str
    data: bytes


class ToolSpec(msgspec.Struct, frozen=True):
    """A tool as the model is told about it; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: dict[str, Any]


class ToolCall(msgspec.Struct, frozen=True):
    """The model asks for a tool. `raw` is what it wrote; `args` is None when that is not a JSON object."""

    call_id: str
    name: str
    raw: str
    args: dict[str, Any] | None


class System(msgspec.Struct, frozen=True, tag="system"):
    """The standing instructions."""

    text: str


class User(msgspec.Struct, frozen=True, tag="user"):
    """Something said to the model."""

    text: str


class Assistant(msgspec.Struct, frozen=True, tag="assistant"):
    """Something the model said. `thoughts` are those of its reply, which some providers want back as they came."""

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    thoughts: str = ""


class ToolResult(msgspec.Struct, frozen=True, tag="tool_result"):
    """What a tool gave back for one call."""

    call_id: str
    name: str
    text: str
    is_error: bool = False
    images: tuple[Image, ...] = ()


Message = System | User | Assistant | ToolResult


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a model: the whole conversation so far, and the tools it knows of.

    `may_call` is False for the last call: the tools stay named, as some providers want for the calls already
    made, but none may be called any more. `temperature` and `reasoning_effort` are sent only where they are given.
    """

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    may_call: bool = True
    seed: int | None = None
    max_output_tokens: int | None = None
    # left out of the JSON where they are not given: scripts know requests by its hash
    temperature: float | msgspec.UnsetType = msgspec.UNSET
    reasoning_effort: str | msgspec.UnsetType = msgspec.UNSET


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens as the provider reports them; None where it reports nothing. Cached input is part of the input."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What the model answered. `request_sha256` is of the request's body, byte for byte as sent.

    `thoughts` is the provider's own JSON for what the model thought beside its words, often encrypted.
    """

    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    thoughts: str = ""
    stop_reason: str | None = None
    usage: Usage = Usage()
    model: str | None = None
    response_id: str | None = None
    latency_ms: int = 0
    retries: int = 0
    request_sha256: str


class Transcript(msgspec.Struct, frozen=True, kw_only=True):
    """What was heard in an audio file; how long it is and what that cost, where the server and our prices say so."""

    text: str
    seconds: float | None = None
    cost_usd: float | None = None
