"""The protocol that every tool implements."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import msgspec

from gaia_harness.models.messages import Image
from gaia_harness.records.steps import Source

__all__ = ["Attachment", "Source", "Tool", "ToolOutput"]


class ToolOutput(msgspec.Struct, frozen=True, kw_only=True):
    """What the model gets to see. An image is named in the text with its sha256, so that hashing the text binds it.

    `empty` says of a search that it found nothing.
    """

    text: str
    is_error: bool = False
    images: tuple[Image, ...] = ()
    sources: tuple[Source, ...] = ()
    empty: bool = False


class Attachment(msgspec.Struct, frozen=True, kw_only=True):
    """A task's file, under the neutral name the agent knows it by: the real name contains the task id."""

    path: Path
    name: str


class Tool(Protocol):
    """A tool. `call` raises `ToolError` with a message for the model when it cannot do what was asked."""

    @property
    def name(self) -> str: ...

    @property
    def description(self) -> str: ...

    @property
    def parameters(self) -> dict[str, Any]: ...

    async def call(self, args: Mapping[str, Any]) -> ToolOutput: ...
