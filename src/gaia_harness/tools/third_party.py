"""Tools of other packages: opened by their entry point, held to what a `Tool` promises."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from gaia_harness.errors import ToolError, UsageError
from gaia_harness.models.messages import ToolSpec
from gaia_harness.plugins import Plugin, describe_error, find_plugin
from gaia_harness.tools.base import Attachment, Tool, ToolOutput

OUR_TOOLS = ("web_search", "web_fetch", "file_read", "python")

MakeTool = Callable[[Attachment | None], Tool]
"""What a package offers: makes the tool of one task, with the task's file if it has one."""


class ThirdPartyTool:
    """Makes somebody else's tool for each task."""

    def __init__(self, plugin: Plugin, make: MakeTool) -> None:
        self.plugin = plugin
        self._make = make

    @classmethod
    def find(cls, name: str) -> "ThirdPartyTool":
        """The tool of this name, imported and made once to see that it can be."""
        if name in OUR_TOOLS:
            raise UsageError(f"{name} is a tool of our own, and always offered", hint=f"leave out --tool {name}")
        plugin = find_plugin("tools", name)
        found = cls(plugin, plugin.load())
        tool = found.for_task(None)
        if tool.name != name:
            raise UsageError(f"the tool {plugin} calls itself {tool.name!r}", hint="its two names must be the same")
        return found

    def for_task(self, file: Attachment | None) -> Tool:
        """The tool of one task."""
        try:
            return _Guarded(self.plugin, self._make(file))
        except (Exception, SystemExit) as error:
            raise UsageError(
                f"the tool {self.plugin} cannot be made: {describe_error(error)}",
                hint=f"report it to the authors of {self.plugin.package}, or leave out --tool {self.plugin.name}",
            ) from error


class _Guarded:
    """A tool whose every failure becomes a `ToolError`, which the model reads."""

    def __init__(self, plugin: Plugin, tool: Tool) -> None:
        self._plugin = plugin
        self._tool = tool
        spec = msgspec.json.encode({name: getattr(tool, name) for name in ToolSpec.__struct_fields__})
        checked = msgspec.json.decode(spec, type=ToolSpec)  # as the model will read it
        self.name, self.description, self.parameters = checked.name, checked.description, checked.parameters

    async def call(self, args: Mapping[str, Any]) -> ToolOutput:
        try:
            output = await self._tool.call(args)
        except (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit, ToolError):
            raise
        except BaseException as error:
            raise ToolError(f"the tool {self.name} failed: {describe_error(error)}") from error
        if not isinstance(output, ToolOutput):
            raise ToolError(f"the tool {self.name} gave a {type(output).__name__} where a ToolOutput is due")
        try:
            return msgspec.convert(msgspec.to_builtins(output), ToolOutput)  # holds the fields to their types
        except (TypeError, ValueError, RecursionError) as error:
            raise ToolError(f"the tool {self.name} gave an output that is not one: {describe_error(error)}") from error
