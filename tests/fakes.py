"""A model and tools that live in the test: for what is about the loop, not about a provider."""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from gaia_harness.errors import ModelError
from gaia_harness.models.messages import Reply, Request, ToolCall, Usage
from gaia_harness.tools.base import ToolOutput

Said = str | list[tuple[str, Any]] | Reply | Exception


def request_hash(request: Request) -> str:
    return hashlib.sha256(msgspec.json.encode(request)).hexdigest()


class FakeModel:
    """Says what it is given, one after another: a text, a list of tool calls, a whole reply, or an error."""

    def __init__(self, *said: Said, name: str = "fake/model", address: str = "http://fake.example/v1") -> None:
        self.name = name
        self.address = address
        self.said = list(said)
        self.requests: list[Request] = []

    async def reply(self, request: Request) -> Reply:
        self.requests.append(request)
        said = self.said[min(len(self.requests), len(self.said)) - 1]
        if isinstance(said, Exception):
            if isinstance(said, ModelError):
                said.request_sha256 = request_hash(request)
            raise said
        if isinstance(said, Reply):
            return said
        calls: tuple[ToolCall, ...] = ()
        if isinstance(said, list):
            calls = tuple(
                ToolCall(
                    f"call-{len(self.requests)}-{i}",
                    name,
                    args if isinstance(args, str) else msgspec.json.encode(args).decode(),
                    None if isinstance(args, str) else args,
                )
                for i, (name, args) in enumerate(said)
            )
        return Reply(
            text=said if isinstance(said, str) else "",
            tool_calls=calls,
            stop_reason="tool_calls" if calls else "stop",
            usage=Usage(input_tokens=10, output_tokens=3),
            model=self.name,
            response_id=f"r{len(self.requests)}",
            request_sha256=request_hash(request),
        )

    async def aclose(self) -> None:
        pass


class FakeTool:
    """A tool with one text argument and a function for its work."""

    def __init__(self, name: str, work: Callable[[Mapping[str, Any]], ToolOutput | str]) -> None:
        self.name = name
        self.description = f"the {name} tool"
        self.parameters = {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
        }
        self._work = work

    async def call(self, args: Mapping[str, Any]) -> ToolOutput:
        output = self._work(args)
        return ToolOutput(text=output) if isinstance(output, str) else output
