"""Our own tools for an agent in a box, by the Model Context Protocol over HTTP (streamable HTTP, stateless).

The package `mcp` is needed for it. Without it there is no such endpoint, and an agent that asks for it is told so.
"""

import asyncio
import base64
import contextlib
import importlib
import importlib.util
import time
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from gaia_harness.box.doors import PORT
from gaia_harness.box.requests import Incoming, Outgoing
from gaia_harness.errors import GaiaError
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.tools.base import Tool, ToolOutput
from gaia_harness.version import __version__

PATH = "/mcp"
Used = Callable[[str, str | None, float], None]
"""Is told of every call when it has ended: the tool, what went wrong if anything, how many seconds it took."""

_Message = MutableMapping[str, Any]


def is_available() -> bool:
    """Whether the package is installed."""
    return importlib.util.find_spec("mcp") is not None


class ToolServer:
    """The tools of one attempt. Every call and its result is recorded."""

    def __init__(self, tools: Sequence[Tool], recorder: Recorder, turn: Callable[[], int], used: Used) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._recorder = recorder
        self._turn = turn
        self._used = used
        self._calls = 0
        self._answer: Callable[[Any, Any, Any], Awaitable[None]] | None = None
        self._wanted, self._ready = asyncio.Event(), asyncio.Event()

    @staticmethod
    def takes(request: Incoming) -> bool:
        """Whether a request is for this endpoint."""
        return request.port == PORT and request.host == "127.0.0.1" and request.target.partition("?")[0] == PATH

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve while the box lives. The package takes a second to import, so that waits until somebody asks."""
        serving = asyncio.create_task(self._serve())
        try:
            yield
        finally:
            serving.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await serving

    async def _serve(self) -> None:
        await self._wanted.wait()
        try:
            await asyncio.to_thread(importlib.import_module, "mcp.server.streamable_http_manager")
            from mcp.server.lowlevel import Server
            from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
            from mcp.server.transport_security import TransportSecuritySettings

            server: Server[Any] = Server(
                "gaia-harness", version=__version__, on_list_tools=self._list, on_call_tool=self._call
            )
            manager = StreamableHTTPSessionManager(
                server,
                json_response=True,
                stateless=True,
                # the endpoint is in a namespace that no browser of a person ever sees
                security_settings=TransportSecuritySettings(enable_dns_rebinding_protection=False),
            )
            async with manager.run():
                self._answer = manager.handle_request
                self._ready.set()
                await asyncio.Event().wait()
        finally:
            self._answer = None
            self._ready.set()

    async def handle(self, request: Incoming, answer: Outgoing) -> None:
        """Answer a request by the protocol (as ASGI, version 3)."""
        if is_available():
            self._wanted.set()
            await self._ready.wait()
        if self._answer is None:
            text = b"The package mcp is not installed where this run is made: pip install mcp\n"
            await answer.start(501, [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(text))])
            await answer.send(text)
            await answer.end()
            return
        body = request.body.read()
        told = False

        async def receive() -> _Message:
            nonlocal told
            if told:
                await asyncio.Event().wait()
            told = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: _Message) -> None:
            if message["type"] == "http.response.start":
                await answer.start(message["status"], [*message.get("headers", ())])
            elif message["type"] == "http.response.body":
                if message.get("body"):
                    await answer.send(message["body"])
                if not message.get("more_body"):
                    await answer.end()

        path, _, query = request.target.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": request.method,
            "scheme": request.scheme,
            "path": path,
            "raw_path": path.encode("latin-1"),
            "query_string": query.encode("latin-1"),
            "root_path": "",
            "headers": [(name.lower(), value) for name, value in request.headers],
            "server": (request.host, request.port),
            "client": ("127.0.0.1", 0),
        }
        await self._answer(scope, receive, send)

    async def _list(self, *_: object) -> Any:
        from mcp import types

        tools = [
            types.Tool(name=tool.name, description=tool.description, input_schema=tool.parameters)
            for tool in self._tools.values()
        ]
        return types.ListToolsResult(tools=tools)

    async def _call(self, _: object, params: Any) -> Any:
        from mcp import types

        name, args = str(params.name), dict(params.arguments or {})
        self._calls += 1
        number, turn = f"mcp-{self._calls}", self._turn()
        self._recorder.tool_call(turn, number, name, args)
        began = time.monotonic()
        output = await self._output(name, args)
        text = output.text.encode("utf-8", "replace").decode()
        self._recorder.tool_result(turn, number, name, text, is_error=output.is_error, sources=output.sources)
        self._used(name, text if output.is_error else None, time.monotonic() - began)
        content: list[Any] = [types.TextContent(type="text", text=text)]
        content += [
            types.ImageContent(type="image", data=base64.b64encode(image.data).decode(), mime_type=image.media_type)
            for image in output.images
        ]
        return types.CallToolResult(content=content, is_error=output.is_error)

    async def _output(self, name: str, args: dict[str, Any]) -> ToolOutput:
        tool = self._tools.get(name)
        if tool is None:
            return ToolOutput(text=f"There is no tool called {name!r}.", is_error=True)
        try:
            return await tool.call(args)
        except GaiaError as failure:
            return ToolOutput(text=failure.message, is_error=True)
        except Exception as bug:  # a defect in one tool must not take the task down
            return ToolOutput(text=f"{name} failed: {type(bug).__name__}: {bug}", is_error=True)
