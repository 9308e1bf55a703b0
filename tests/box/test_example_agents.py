"""The examples of agents: each runs in a box, reads a page with its one tool, and answers."""

import json
import os
import shutil
import sys

import pytest
from agent_runs import EXAMPLES, KEY, OTHERS, needs_bwrap, needs_packages, run_agent

from loopback import Answer, loopback
from provider_server import Says

pytestmark = needs_bwrap

PAGE = Answer(body=b"The beacon of Ardlow is 41 m tall.", headers={"content-type": "text/plain"})


@pytest.fixture
def page():
    with loopback(lambda seen: PAGE) as server:
        yield server


def reader(url):
    """A model that reads a page, and answers when it has seen it: by a call, or by code for who runs code."""

    def answer(request):
        said = json.dumps(request)
        if "41 m tall" not in said:
            if request.get("tools"):
                return Says("I look.", [("read_page", {"url": url})])
            return Says(f"Thought: I look.\n<code>\nprint(read_page({url!r}))\n</code>")
        if request.get("tools"):
            return Says("It is on the page.\nFINAL ANSWER: 41")
        return Says("Thought: That is it.\n<code>\nfinal_answer(41)\n</code>")

    return answer


def open_to(page):
    """Options by which a box reaches a server of our own: its port is that of the run's search engine."""
    return "--allow-host", "127.0.0.1", "--search-url", f"{page.url}/search"


def run_example(tmp_path, page, name, **how):
    made = run_agent(tmp_path, EXAMPLES / name, reader(f"{page.url}/ardlow"), *open_to(page), **how)
    assert made.result["answer"] == "41", (made.ran.said, made.steps)
    assert [seen.path for seen in page.seen] == ["/ardlow"]
    assert {seen.headers["authorization"] for seen in made.provider.seen} == {f"Bearer {KEY}"}
    assert [text.endswith("41 m tall.") for text in made.results("agent.http")] == [True]
    assert not made.results("agent.refused")
    return made


BY_CALLS = [
    ("prompt", "user"),
    ("prompt", "system"),
    ("prompt", "tools"),
    ("prompt", "user"),
    ("llm_call", ""),
    ("tool_call", "read_page"),
    ("tool_call", "agent.http"),
    ("tool_result", "agent.http"),
    ("tool_result", "read_page"),
    ("prompt", "context"),
    ("llm_call", ""),
    ("tool_call", "agent.program"),
    ("tool_result", "agent.program"),
    ("answer", ""),
]


def test_openai_sdk(tmp_path, page):
    made = run_example(tmp_path, page, "openai_sdk")
    assert made.told() == BY_CALLS


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_node_program(tmp_path, page):
    made = run_example(tmp_path, page, "node")
    assert made.told() == BY_CALLS


def test_environment_that_the_folder_links_to(tmp_path, page):
    agent = tmp_path / "agent"
    shutil.copytree(EXAMPLES / "openai_sdk", agent)
    (agent / ".venv").symlink_to(os.path.relpath(sys.prefix, agent))
    with_link = run_agent(tmp_path, agent, reader(page.url), *open_to(page), programs=())
    assert with_link.result["answer"] == "41", (with_link.ran.said, with_link.steps)


@pytest.mark.cases
@pytest.mark.parametrize(
    ("name", "packages"),
    [("openai_agents", ("agents",)), ("langgraph", ("langgraph", "langchain_openai"))],
)
def test_agents_of_frameworks_that_call_tools(tmp_path, page, name, packages):
    needs_packages(*packages)
    made = run_example(tmp_path, page, name, programs=[OTHERS / "bin"])
    assert made.told() == BY_CALLS


@pytest.mark.cases
def test_smolagents_that_writes_code(tmp_path, page):
    needs_packages("smolagents")
    made = run_example(tmp_path, page, "smolagents", programs=[OTHERS / "bin"])
    assert ("tool_result", "observation") in made.told()
