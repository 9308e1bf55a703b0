"""All tools together, as a run opens them."""

import subprocess
import sys

import pytest

from gaia_harness.protocol import TOOL_NAMES
from gaia_harness.tools.kit import ToolConfig, ToolKit
from loopback import Answer, loopback


@pytest.mark.parametrize(
    ("config", "env", "engine"),
    [
        (ToolConfig(search_url="http://127.0.0.1:1", unsandboxed_python=True), {"BRAVE_API_KEY": "k"}, "searxng"),
        (ToolConfig(unsandboxed_python=True), {"BRAVE_API_KEY": "k", "TAVILY_API_KEY": "k"}, "brave"),
        (ToolConfig(unsandboxed_python=True), {"TAVILY_API_KEY": "k"}, "tavily"),
        (ToolConfig(unsandboxed_python=True), {}, "ddgs"),
    ],
)
async def test_engine_is_chosen_by_option_then_by_key(config, env, engine):
    kit = await ToolKit.open(config, env)
    assert kit.isolation == {"python": "unsandboxed", "web_search": engine}
    await kit.aclose()


async def test_tools_of_a_task_depend_on_its_attachment(tmp_path):
    path = tmp_path / "0b7-task-id.csv"
    path.write_text("pears,41\n")
    kit = await ToolKit.open(ToolConfig(), {})
    try:
        without = [tool.name for tool in kit.for_task(None)]
        tools = {tool.name: tool for tool in kit.for_task(path)}
        assert "file_read" not in without and [*tools][:3] == ["web_search", "web_fetch", "file_read"]
        assert (await tools["file_read"].call({"path": "attachment.csv"})).text == "pears,41\n"
        assert tools.keys() <= TOOL_NAMES
        if "python" in tools:
            assert tools.keys() == TOOL_NAMES
            assert kit.isolation["python"].startswith("bubblewrap ")
            output = await tools["python"].call({"code": "open('attachment.csv').read()"})
            assert output.text == "'pears,41\\n'"
        else:
            assert kit.isolation["python"] == "not offered" and kit.isolation["reason"]
        for tool in tools.values():
            (required,) = tool.parameters["required"]
            assert (
                required
                == {"web_search": "query", "web_fetch": "url", "file_read": "path", "python": "code"}[tool.name]
            )
            assert tool.parameters["additionalProperties"] is False and "0b7" not in tool.description
    finally:
        await kit.aclose()


async def test_each_attempt_goes_on_in_its_own_pages():
    with loopback(lambda seen: Answer(body=b"tick " * 20_000, headers={"content-type": "text/plain"})) as server:
        kit = await ToolKit.open(ToolConfig(unsandboxed_python=True, allow_hosts=("127.0.0.1",)), {})
        for _ in range(2):
            fetch = next(tool for tool in kit.for_task(None) if tool.name == "web_fetch")
            await fetch.call({"url": server.url})
            await fetch.call({"url": server.url, "offset": 40_000})
        await kit.aclose()
    assert len(server.seen) == 2


async def test_python_is_not_offered_without_bubblewrap(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    kit = await ToolKit.open(ToolConfig(), {})
    assert [tool.name for tool in kit.for_task(None)] == ["web_search", "web_fetch"]
    assert kit.isolation == {"python": "not offered", "reason": "bubblewrap is not installed", "web_search": "ddgs"}
    await kit.aclose()


def test_missing_packages_are_named_with_what_to_do():
    script = """
import asyncio, importlib.util, sys
real = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in ("httpx2", "pypdf") else real(name, package)
from gaia_harness.errors import GaiaError
from gaia_harness.protocol import TOOL_NAMES
from gaia_harness.tools.kit import ToolConfig, ToolKit
try:
    asyncio.run(ToolKit.open(ToolConfig(), {}))
except GaiaError as error:
    print(error.message, error.hint)
"""
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout
    assert "httpx2, pypdf" in said and "pip install 'gaia-harness[run]'" in said


def test_importing_the_tools_imports_no_heavy_package():
    script = (
        "import sys, gaia_harness.tools.kit; print([m for m in ('httpx2', 'lxml', 'PIL', 'ddgs') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "[]\n"
