"""Recognises errors that mean the conversation exceeds the model's context window."""

from collections.abc import Iterator, Mapping
from typing import Any

STATUSES = frozenset((None, 400, 413, 422, 500))
"""Statuses of such a refusal; None is an error within a reply of status 200. A 429 is about the rate."""

CODES = frozenset(
    (
        "context_length_exceeded",  # OpenAI, Azure, Groq
        "context_window_exceeded",
        "model_context_window_exceeded",  # Anthropic's stop reason, which gateways hand on as an error
        "exceed_context_size_error",  # llama.cpp
        "request_too_large",  # Anthropic, for the size in bytes
    )
)
"""What stands in `code` or `type` of the error, in lower case."""

PHRASES = (
    "maximum context length",  # OpenAI, vLLM, OpenRouter, DeepSeek, Mistral
    "context_length_exceeded",  # gateways that hand on the error of another as text
    "contextwindowexceedederror",  # litellm
    "reduce the length of the messages",  # OpenAI, Azure, Groq
    "exceeds the context window",  # OpenAI
    "prompt is too long",  # Anthropic, Bedrock
    "exceed context limit",  # Anthropic, where it is the input together with `max_tokens`
    "input is too long",  # Bedrock
    "exceeds the available context size",  # llama.cpp
    "exceeds the context length",  # Ollama
    "exceed context window",  # llama-cpp-python
    "longer than the maximum model length",  # vLLM
    "longer than the model's context length",  # SGLang
    "maximum prompt length",  # xAI
    "exceeds the maximum number of tokens",  # Gemini
)
"""What such a refusal says, in lower case, for servers that send no code of their own."""

LONGEST_LOOKED_AT = 16_000
"""Characters of an error's text."""


def is_overflow(status: int | None, body: Any) -> bool:
    """Whether an error with this status and body means that the conversation is too long."""
    if status == 413:  # "Content Too Large" is what it means, whoever says it
        return True
    if status not in STATUSES:
        return False
    error = _error_in(body)
    if isinstance(error, Mapping):
        for name in ("code", "type"):
            code = error.get(name)
            if isinstance(code, str) and code.lower() in CODES:
                return True
    return any(phrase in text for text in _texts(error) for phrase in PHRASES)


def _error_in(body: Any) -> Any:
    """The error itself: most servers put it under `error`, some put it at the top."""
    if isinstance(body, Mapping):
        for name in ("error", "detail"):
            if body.get(name):
                return body[name]
    return body


def _texts(error: Any) -> Iterator[str]:
    """What the error says in words: never the whole body, for that may repeat our request."""
    if isinstance(error, str):
        yield error[:LONGEST_LOOKED_AT].lower()
    elif isinstance(error, Mapping):
        metadata = error.get("metadata")
        raw = metadata.get("raw") if isinstance(metadata, Mapping) else None  # OpenRouter: what its provider said
        for text in (error.get("message"), error.get("detail"), raw):
            if isinstance(text, str):
                yield text[:LONGEST_LOOKED_AT].lower()
