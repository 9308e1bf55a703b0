"""Encodes text to bytes, and cuts heads of it without splitting a character."""

from typing import Any


def to_bytes(text: str) -> bytes:
    """The bytes that are hashed. A lone surrogate, which UTF-8 forbids, keeps its own three bytes."""
    return text.encode("utf-8", "surrogatepass")


def cut(data: bytes, limit: int) -> bytes:
    """The longest prefix of at most `limit` bytes that does not end inside a character."""
    if len(data) <= limit:
        return data
    end = limit
    while end > max(0, limit - 3) and data[end] & 0xC0 == 0x80:  # a continuation byte: the character began before
        end -= 1
    return data[:end] if data[end] & 0xC0 != 0x80 else data[:limit]


def sound(value: Any) -> Any:
    """A JSON value with every lone surrogate, which JSON in UTF-8 cannot hold, spelled out as an escape."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {sound(key): sound(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [sound(item) for item in value]
    return value
