"""Agents that speak the Agent Client Protocol: what they say is recorded as their words, beside what was seen."""

import json
import os
import shutil
from pathlib import Path

import pytest
from agent_runs import needs_bwrap, needs_program, run_agent

from gaia_harness.box.agents import find_agent
from gaia_harness.errors import UsageError
from provider_server import Says

pytestmark = needs_bwrap

AGENT = Path(__file__).with_name("acp_agent.py")


def said(made):
    """The agent's own words: their kind, what they are about, and their text."""
    calls = {
        step["call_id"]: step["args"] for step in made.steps if step.get("name") == "agent.says" and "args" in step
    }
    results = [step for step in made.steps if (step["type"], step.get("name")) == ("tool_result", "agent.says")]
    return [(calls[step["call_id"]], step["head"]) for step in results]


def test_agent_is_asked_and_its_words_are_recorded(tmp_path):
    agent = tmp_path / "agent"
    agent.mkdir()
    shutil.copy(AGENT, agent / "agent.py")
    made = run_agent(
        tmp_path, "acp:python agent.py", lambda request: Says("So it is.\nFINAL ANSWER: 12"), "--agent-dir", str(agent)
    )
    assert made.result["answer"] == "12", (made.ran.said, made.steps)
    (request,) = made.provider.requests
    assert request["model"] == "tester" and "FINAL ANSWER" in request["messages"][0]["content"]
    assert said(made) == [
        ({"kind": "thought"}, "I must think."),
        ({"kind": "plan"}, '[{"content": "look", "priority": "high", "status": "pending"}]'),
        ({"kind": "tool_call", "rawInput": {"path": "log"}, "title": "Read the log"}, "fog"),
        ({"kind": "message"}, "I read it.\nSo it is.\nFINAL ANSWER: 12"),
        ({"kind": "tool_call", "title": "Never done"}, ""),
    ]
    (program,) = made.results("agent.program")
    assert "not a message: a line that is no message" in program
    assert not made.results("agent.refused")


def test_agent_that_dies_has_no_answer_and_says_why(tmp_path):
    made = run_agent(tmp_path, "acp:sh -c 'echo no; exit 3'", lambda request: Says(""))
    assert made.result["answer"] is None
    (program,) = made.results("agent.program")
    assert "the agent ended before it answered initialize" in program and "exit status 1" in program


@pytest.mark.cases
def test_sayings_that_are_none_are_refused(tmp_path):
    agent = tmp_path / "agent"
    agent.mkdir()
    (agent / "main.py").write_text(
        "import os, urllib.request, urllib.error\n"
        "def say(data):\n"
        "    try:\n"
        "        return urllib.request.urlopen(os.environ['GAIA_SAYS_URL'], data).status\n"
        "    except urllib.error.HTTPError as error:\n"
        "        return error.code\n"
        'good = b\'{"kind": "message", "text": "hm"}\'\n'
        "codes = [say(each) for each in (good, None, b'[]', b'{\"kind\": 1}', b' ' * 300000, b'[' * 200000)]\n"
        "print('FINAL ANSWER:', *codes, *{say(good) for _ in range(2000)})\n"
    )
    (agent / "agent.toml").write_text('command = "python main.py"')
    made = run_agent(tmp_path, agent, lambda request: Says(""))
    assert made.result["answer"] == "204 405 400 400 413 400 204 429"
    assert len(said(made)) == 2000


@pytest.mark.parametrize("given", ["acp:", "acp:  ", "acp:no-such-program --acp"])
def test_agent_that_cannot_be_started_is_wrong_use(given):
    with pytest.raises(UsageError):
        find_agent(given, None, "openai/tester", dict(os.environ))


@pytest.mark.cases
def test_opencode_speaks_the_protocol_and_gets_our_tools(tmp_path):
    program = needs_program("opencode")

    def answer(request):
        names = [tool.get("name") for tool in request.get("tools", ())]
        if "gaia_web_search" in names and "lanternkeepers" not in json.dumps(request):
            return Says("I search.", [("gaia_web_search", {"query": "lighthouses"})])
        return Says("So it is.\nFINAL ANSWER: 12")

    made = run_agent(tmp_path, "acp:opencode acp", answer, programs=[program])
    assert made.result["answer"] == "12", (made.ran.said, made.steps)
    seen = made.told()
    assert ("tool_result", "web_search") in seen and ("tool_result", "gaia_web_search") in seen
    assert any(about.get("title", "").startswith("gaia_web_search") for about, _ in said(made)), said(made)
    assert said(made)[-1] == ({"kind": "message"}, "So it is.\nFINAL ANSWER: 12")
