"""Our tools for an agent that wants them: by the real client of the Model Context Protocol, inside of a box."""

import importlib.util

import pytest
from agent_runs import needs_bwrap, run_agent

from provider_server import Says

pytestmark = [
    needs_bwrap,
    pytest.mark.skipif(importlib.util.find_spec("mcp") is None, reason="mcp is not installed: pip install mcp"),
]

AGENT = r"""
import asyncio
import os
import re
import urllib.request

from mcp import Client


async def main():
    async with Client(os.environ["GAIA_MCP_URL"]) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        found = (await client.call_tool("web_search", {"query": "lighthouses of the Orrel Isles"})).content[0].text
        read = (await client.call_tool("file_read", {"path": "/task/attachment.csv"})).content[0].text
        missing = await client.call_tool("no_such_tool", {})
    page = re.search(r"http://\S+", found).group()
    title = re.search(r"<title>(.*?)</title>", urllib.request.urlopen(page).read().decode(), re.S).group(1)
    print("FINAL ANSWER:", *names, read.count("\n") > 3, missing.is_error, bool(title))


asyncio.run(main())
"""


def test_real_client_lists_and_calls_our_tools(tmp_path):
    agent = tmp_path / "agent"
    agent.mkdir()
    (agent / "main.py").write_text(AGENT)
    (agent / "agent.toml").write_text('command = "python main.py"\n')
    made = run_agent(tmp_path, agent, lambda request: Says("never asked"), task=4)
    assert made.result["answer"] == "web_search web_fetch file_read python True True True", (made.ran.said, made.steps)
    assert made.told() == [
        ("prompt", "user"),
        *[(kind, name) for name in ("web_search", "file_read", "no_such_tool", "agent.http", "agent.program")
          for kind in ("tool_call", "tool_result")],
        ("answer", ""),
    ]  # fmt: skip
    assert not made.provider.seen
    (search,) = [step for step in made.steps if (step["type"], step.get("name")) == ("tool_result", "web_search")]
    assert search["sources"] and "localhost" in search["head"]
