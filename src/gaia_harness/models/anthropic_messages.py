"""Models with Anthropic's Messages API."""

import base64
import json
from typing import Any

import msgspec

from gaia_harness.errors import ModelError
from gaia_harness.models.content import (
    IMAGE_NOTE,
    clean,
    clean_json,
    count_or_none,
    parse_arguments,
    sendable_arguments,
    sendable_name,
    string_or_none,
    text_of,
    unique_ids,
)
from gaia_harness.models.endpoint import PLACEHOLDER_KEY, Endpoint
from gaia_harness.models.messages import (
    Assistant,
    Reply,
    Request,
    System,
    ToolCall,
    ToolResult,
    Usage,
    User,
)
from gaia_harness.models.remote import RemoteModel, Shape
from gaia_harness.models.retry import RetryPolicy
from gaia_harness.models.wire import note_request, reported_error, reports_error, tls_context

DEFAULT_MAX_TOKENS = 8192


class AnthropicMessages(RemoteModel):
    """A model behind Messages, with tools, by the `anthropic` SDK."""

    def __init__(self, name: str, endpoint: Endpoint, retry_policy: RetryPolicy) -> None:
        try:
            import anthropic
        except ImportError:
            raise ModelError("the anthropic package is not installed", hint="pip install 'gaia-harness[run]'") from None
        super().__init__(name, endpoint, retry_policy, anthropic)
        key = endpoint.key or PLACEHOLDER_KEY
        self._client = anthropic.AsyncAnthropic(
            api_key=key,
            # The SDK sends the key as a bearer token since 2.0; gateways may still look for it in its old place.
            default_headers=None if endpoint.own else {"X-Api-Key": key},
            base_url=endpoint.url,
            max_retries=0,
            http_client=anthropic.DefaultAsyncHttpxClient(
                verify=tls_context(), event_hooks={"request": [note_request]}
            ),
        )

    async def aclose(self) -> None:
        """Give back connections."""
        await self._client.close()

    async def _post(self, body: dict[str, Any]) -> bytes:
        # Without a timeout of ours the SDK refuses calls that may take long, unless they are streamed.
        response = await self._client.messages.with_raw_response.create(**body, timeout=self._retry_policy.call_timeout)
        data: bytes = response.http_response.content
        return data

    def _write(self, request: Request, shape: Shape) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model_name,
            "max_tokens": request.max_output_tokens or DEFAULT_MAX_TOKENS,
            "messages": self._write_messages(request, shape),
        }
        system = "\n\n".join(clean(message.text) for message in request.messages if isinstance(message, System))
        if system.strip():
            body["system"] = system
        if request.tools:
            body["tools"] = [
                {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}
                for tool in request.tools
            ]
            if not request.may_call:
                body["tool_choice"] = {"type": "none"}
        # Not every version of the SDK takes these by name; 2.8 has no temperature.
        extra: dict[str, Any] = {}
        if request.temperature is not msgspec.UNSET:
            extra["temperature"] = request.temperature
        if request.reasoning_effort is not msgspec.UNSET:
            extra["output_config"] = {"effort": request.reasoning_effort}
        if extra:
            body["extra_body"] = extra
        return body

    def _write_messages(self, request: Request, shape: Shape) -> list[dict[str, Any]]:
        written: list[dict[str, Any]] = []
        for message in request.messages:
            match message:
                case User():
                    role, content = "user", _text_blocks(message.text)
                case ToolResult():
                    role, content = "user", [_write_result(message, shape)]
                case Assistant():
                    role, content = "assistant", self._write_assistant(message, shape)
                case System():
                    continue
            # All results of a turn belong into one user message; what the user says next follows them there.
            if role == "user" and written and written[-1]["role"] == "user":
                written[-1]["content"] += content
            else:
                written.append({"role": role, "content": content})
        return written

    def _write_assistant(self, message: Assistant, shape: Shape) -> list[dict[str, Any]]:
        if shape.thoughts and message.thoughts:
            as_it_came: list[dict[str, Any]] = json.loads(message.thoughts)
            return as_it_came
        calls = [
            {
                "type": "tool_use",
                "id": call.call_id,
                "name": sendable_name(call.name),
                "input": clean_json(sendable_arguments(call)),
            }
            for call in message.tool_calls
        ]
        words = _text_blocks(message.text) if message.text.strip() or not calls else []
        return words + calls

    def _read(self, reply: dict[str, Any], request: Request) -> Reply:
        blocks = reply.get("content")
        if blocks is None and reports_error(reply):
            raise reported_error(reply)
        if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
            raise ValueError("content is not a list of blocks")
        uses = [block for block in blocks if block.get("type") == "tool_use"]
        ids = unique_ids((use.get("id") for use in uses), request)
        calls = tuple(_read_call(call_id, use) for call_id, use in zip(ids, uses, strict=True))
        thinks = any(block.get("type") not in ("text", "tool_use") for block in blocks)
        as_it_came = thinks and ids == [use.get("id") for use in uses]
        return Reply(
            text=text_of(blocks),
            tool_calls=calls,
            thoughts=json.dumps(clean_json(blocks), ensure_ascii=False) if as_it_came else "",
            stop_reason=string_or_none(reply.get("stop_reason")),
            usage=_read_usage(reply.get("usage")),
            model=string_or_none(reply.get("model")),
            response_id=string_or_none(reply.get("id")),
            request_sha256="",
        )


def _text_blocks(text: str) -> list[dict[str, Any]]:
    # The API refuses blocks without visible text.
    return [{"type": "text", "text": clean(text) if text.strip() else "(empty)"}]


def _write_result(message: ToolResult, shape: Shape) -> dict[str, Any]:
    content = _text_blocks(message.text)
    for image in message.images:
        if shape.images:
            data = base64.b64encode(image.data).decode()
            source = {"type": "base64", "media_type": image.media_type, "data": data}
            content.append({"type": "image", "source": source})
        else:
            content.append({"type": "text", "text": IMAGE_NOTE})
    result = {"type": "tool_result", "tool_use_id": message.call_id, "content": content}
    return {**result, "is_error": True} if message.is_error else result


def _read_call(call_id: str, use: dict[str, Any]) -> ToolCall:
    value = use.get("input")
    raw = clean(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
    args = parse_arguments(raw) if isinstance(value, dict) else None
    return ToolCall(call_id, string_or_none(use.get("name")) or "", raw, args)


def _read_usage(value: Any) -> Usage:
    if not isinstance(value, dict):
        return Usage()
    new = count_or_none(value.get("input_tokens"))
    read = count_or_none(value.get("cache_read_input_tokens"))
    stored = count_or_none(value.get("cache_creation_input_tokens"))
    return Usage(
        # Anthropic counts cached input apart; here it is a part of the input.
        input_tokens=None if new is None else new + (read or 0) + (stored or 0),
        output_tokens=count_or_none(value.get("output_tokens")),
        cached_input_tokens=read,
    )
