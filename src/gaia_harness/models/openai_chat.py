"""Models with OpenAI's Chat Completions API: OpenAI itself, vLLM, Ollama, llama.cpp, OpenRouter."""

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
    Message,
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

# Where servers put the thoughts that they want back: DeepSeek and vLLM the one, OpenRouter the other.
_THOUGHTS = ("reasoning_content", "reasoning_details")


class OpenAIChat(RemoteModel):
    """A model behind Chat Completions, with tools, by the `openai` SDK."""

    def __init__(self, name: str, endpoint: Endpoint, retry_policy: RetryPolicy) -> None:
        try:
            import openai
        except ImportError:
            raise ModelError("the openai package is not installed", hint="pip install 'gaia-harness[run]'") from None
        super().__init__(name, endpoint, retry_policy, openai)
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.key or PLACEHOLDER_KEY,
            base_url=endpoint.url,
            max_retries=0,
            timeout=retry_policy.call_timeout,
            http_client=openai.DefaultAsyncHttpxClient(verify=tls_context(), event_hooks={"request": [note_request]}),
        )

    async def aclose(self) -> None:
        """Give back connections."""
        await self._client.close()

    async def _post(self, body: dict[str, Any]) -> bytes:
        response = await self._client.chat.completions.with_raw_response.create(**body)
        data: bytes = response.http_response.content
        return data

    def _write(self, request: Request, shape: Shape) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model_name,
            "messages": self._write_messages(request.messages, shape),
        }
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.parameters,
                    },
                }
                for tool in request.tools
            ]
            if not request.may_call:
                body["tool_choice"] = "none"
        if request.seed is not None:
            body["seed"] = request.seed
        if request.max_output_tokens is not None:
            # OpenAI's newer models refuse the old name, other servers may not know the new one.
            limit = "max_completion_tokens" if self._endpoint.own else "max_tokens"
            body[limit] = request.max_output_tokens
        if request.temperature is not msgspec.UNSET:
            body["temperature"] = request.temperature
        if request.reasoning_effort is not msgspec.UNSET:
            body["reasoning_effort"] = request.reasoning_effort
        return body

    def _write_messages(self, messages: tuple[Message, ...], shape: Shape) -> list[dict[str, Any]]:
        written: list[dict[str, Any]] = []
        pictures: list[dict[str, Any]] = []  # tool messages take text only: their images follow after the last one
        for message in messages:
            if pictures and not isinstance(message, ToolResult):
                written.append({"role": "user", "content": pictures})
                pictures = []
            match message:
                case System():
                    written.append({"role": "system", "content": clean(message.text)})
                case User():
                    self._write_user(message, written)
                case Assistant():
                    written.append(self._write_assistant(message, shape))
                case ToolResult():
                    written.append(_write_result(message, shape))
                    if shape.images:
                        pictures += _write_pictures(message)
        if pictures:
            written.append({"role": "user", "content": pictures})
        return written

    def _write_user(self, message: User, written: list[dict[str, Any]]) -> None:
        # Some chat templates insist that roles alternate: words join what the user, or a tool's images, said before.
        before = written[-1] if written and written[-1]["role"] == "user" else None
        if before is None:
            written.append({"role": "user", "content": clean(message.text)})
        elif isinstance(before["content"], list):
            before["content"].append({"type": "text", "text": clean(message.text)})
        else:
            before["content"] += "\n\n" + clean(message.text)

    def _write_assistant(self, message: Assistant, shape: Shape) -> dict[str, Any]:
        if not message.tool_calls:
            return {"role": "assistant", "content": clean(message.text)}
        return {
            "role": "assistant",
            "content": clean(message.text) or None,
            **(json.loads(message.thoughts) if shape.thoughts and message.thoughts else {}),
            "tool_calls": [
                {
                    "id": call.call_id,
                    "type": "function",
                    "function": {"name": sendable_name(call.name), "arguments": _write_arguments(call)},
                }
                for call in message.tool_calls
            ],
        }

    def _read(self, reply: dict[str, Any], request: Request) -> Reply:
        choices = reply.get("choices")
        if not choices and reports_error(reply):
            raise reported_error(reply)
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise ValueError("there are no choices in it")
        choice = choices[0]
        if choice.get("error"):
            raise reported_error(choice)
        message = choice.get("message")
        if not isinstance(message, dict):
            raise ValueError("there is no message in it")
        calls = _read_calls(message.get("tool_calls"), request)
        thoughts = {name: clean_json(message[name]) for name in _THOUGHTS if message.get(name)}
        return Reply(
            text=text_of(message.get("content")) or text_of(message.get("refusal")),
            tool_calls=calls,
            thoughts=json.dumps(thoughts, ensure_ascii=False) if thoughts else "",
            stop_reason=string_or_none(choice.get("finish_reason")),
            usage=_read_usage(reply.get("usage")),
            model=string_or_none(reply.get("model")),
            response_id=string_or_none(reply.get("id")),
            request_sha256="",
        )


def _write_arguments(call: ToolCall) -> str:
    if call.args is None:
        return json.dumps(sendable_arguments(call))
    return clean(call.raw)


def _write_result(message: ToolResult, shape: Shape) -> dict[str, Any]:
    notes = [] if shape.images else [IMAGE_NOTE] * len(message.images)
    text = "\n".join([clean(message.text), *notes]) if notes else clean(message.text)
    return {"role": "tool", "tool_call_id": message.call_id, "content": text}


def _write_pictures(message: ToolResult) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = []
    for image in message.images:
        data = base64.b64encode(image.data).decode()
        parts.append({"type": "text", "text": f"Image from {message.name} (call {message.call_id}):"})
        parts.append({"type": "image_url", "image_url": {"url": f"data:{image.media_type};base64,{data}"}})
    return parts


def _read_calls(value: Any, request: Request) -> tuple[ToolCall, ...]:
    if not value:
        return ()
    if not isinstance(value, list) or not all(isinstance(call, dict) for call in value):
        raise ValueError("tool_calls is not a list of objects")
    ids = unique_ids((call.get("id") for call in value), request)
    return tuple(_read_call(call_id, call.get("function")) for call_id, call in zip(ids, value, strict=True))


def _read_call(call_id: str, function: Any) -> ToolCall:
    if not isinstance(function, dict):
        function = {}
    raw = function.get("arguments")
    if not isinstance(raw, str):  # some servers send the object itself
        raw = "" if raw is None else json.dumps(raw, ensure_ascii=False)
    raw = clean(raw)
    return ToolCall(call_id, string_or_none(function.get("name")) or "", raw, parse_arguments(raw))


def _read_usage(value: Any) -> Usage:
    if not isinstance(value, dict):
        return Usage()
    details = value.get("prompt_tokens_details")
    return Usage(
        input_tokens=count_or_none(value.get("prompt_tokens")),
        output_tokens=count_or_none(value.get("completion_tokens")),
        cached_input_tokens=count_or_none(details.get("cached_tokens")) if isinstance(details, dict) else None,
    )
