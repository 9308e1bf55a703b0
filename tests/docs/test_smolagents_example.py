"""The worked example of docs/recording.md: real agents of smolagents, a model behind HTTP, and the whole chain."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

import gaia_harness as gaia
from chat_server import chat_reply, chat_server
from gaia_command import environment, python

if importlib.util.find_spec("smolagents") is None:
    pytest.skip("smolagents is not installed: pip install smolagents", allow_module_level=True)

EXAMPLE = Path(__file__).parents[2] / "examples" / "smolagents_run.py"
LOOK = "Thought: I look.\n<code>\nprint(light_heights('Orrel Isles'))\n</code>"
ANSWERS = {"lighthouse": "final_answer(44 - 7)", "goat": "final_answer('Sowhithe Oddfellows')"}


def keeper(request):
    """Looks, then answers."""
    said = json.dumps(request["messages"])
    if "Pinch Beacon" not in said:
        return chat_reply(LOOK, prompt_tokens=100, completion_tokens=10)
    answer = next(code for word, code in ANSWERS.items() if word in said)
    return chat_reply(f"Thought: That is it.\n<code>\n{answer}\n</code>", prompt_tokens=150)


def steps_of(folder):
    lines = [json.loads(line) for line in (folder / "trajectories.jsonl").read_text().splitlines()]
    return {line["task_id"]: line["steps"] for line in lines}


def told(steps):
    """Each step in a word or two, with the agent that did it."""
    return [(step.get("agent", ""), step["type"], step.get("name") or step.get("role", "")) for step in steps]


def test_the_example_is_recorded_audited_submitted_and_verified(tmp_path):
    keys = {"GAIA_KEYS_DIR": str(tmp_path / "keys"), "GAIA_CACHE_DIR": str(tmp_path / "cache")}
    signers = tmp_path / "allowed_signers"
    signers.write_text(gaia.create_key("ada@example.org", env=keys) + "\n")
    with chat_server(keeper) as server:
        env = keys | {"OPENAI_API_KEY": "sk-of-nobody", "OPENAI_BASE_URL": server.base_url}
        done = python(EXAMPLE, tmp_path / "run", "keeper-1", "--declare", **environment(**env))
    assert (done.code, done.out) == (0, "2 of 2 tasks recorded, 2 right\n"), done.err
    for steps in steps_of(tmp_path / "run").values():
        assert told(steps) == [
            ("", "prompt", "system"),
            ("", "prompt", "user"),
            ("", "llm_call", ""),
            ("", "tool_call", "python_interpreter"),
            ("", "tool_call", "light_heights"),
            ("", "tool_result", "light_heights"),
            ("", "tool_result", "python_interpreter"),
            ("", "llm_call", ""),
            ("", "tool_call", "python_interpreter"),
            ("", "tool_result", "python_interpreter"),
            ("", "answer", ""),
        ]
        assert [step["tokens_in"] for step in steps if step["type"] == "llm_call"] == [100, 150]
    report = gaia.audit_run(tmp_path / "run", env=keys)
    assert report.attestation.clean, report
    package = gaia.submit_run(tmp_path / "run", tmp_path / "package", env=keys)
    assert package.metadata.origin.recorded_by.startswith("smolagents ")
    verdict = gaia.verify_package(
        tmp_path / "package", allowed_signers=signers, identity="ada@example.org", dataset="demo", env=keys
    )
    assert verdict.exit_code == 0, verdict


@pytest.fixture
def example(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")
    spec = importlib.util.spec_from_file_location("smolagents_run", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "smolagents_run", module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.cases
def test_a_managed_agent_s_steps_stand_behind_the_call_that_started_it(tmp_path, example):
    import smolagents

    asked = "<code>\nprint(searcher(task='How tall are the towers?'))\n</code>"
    said = {
        "manager": [asked, "I forgot the code.", "<code>\nprint(1 / 0)\n</code>", "<code>\nfinal_answer(37)\n</code>"],
        "searcher": [[("light_heights", {"isle": "?"})], [("light_heights", {"isles": "Orrel"})],
                     [("final_answer", {"answer": "44 m and 7 m"})]],
    }  # fmt: skip

    def reply(request):
        line = said[request["model"]].pop(0)
        return chat_reply(line) if isinstance(line, str) else chat_reply("", calls=line)

    tasks = gaia.load_tasks("demo", selection=gaia.Selection(first=1, last=1), env={})
    with chat_server(reply) as server:
        searcher = smolagents.ToolCallingAgent(
            tools=[example.light_heights],
            model=smolagents.OpenAIModel("searcher", api_base=server.base_url),
            name="searcher", description="Searches.", verbosity_level=0,
        )  # fmt: skip
        manager = smolagents.CodeAgent(
            tools=[], managed_agents=[searcher], verbosity_level=0,
            model=smolagents.OpenAIModel("manager", api_base=server.base_url),
        )  # fmt: skip
        run = example.record(tmp_path / "run", manager, tasks, {"light_heights": "search", "searcher": "delegate"})
    assert (run.summary.passed, run.journal.failures) == (1, [])
    (steps,) = steps_of(tmp_path / "run").values()
    by, kinds = "searcher", told(steps)
    assert kinds == [
        ("", "prompt", "system"), ("", "prompt", "user"), ("", "llm_call", ""), ("", "tool_call", "python_interpreter"),
        (by, "prompt", "system"), (by, "prompt", "user"),
        (by, "llm_call", ""), (by, "tool_call", "light_heights"), (by, "tool_result", "light_heights"),
        (by, "llm_call", ""), (by, "tool_call", "light_heights"), (by, "tool_result", "light_heights"),
        (by, "llm_call", ""), (by, "tool_call", "final_answer"), (by, "tool_result", "final_answer"),
        ("", "tool_result", "python_interpreter"),
        ("", "llm_call", ""), ("", "prompt", "user"),
        ("", "llm_call", ""), ("", "tool_call", "python_interpreter"), ("", "tool_result", "python_interpreter"),
        ("", "llm_call", ""), ("", "tool_call", "python_interpreter"), ("", "tool_result", "python_interpreter"),
        ("", "answer", ""),
    ]  # fmt: skip
    assert {step["parent"] for step in steps if step.get("agent")} == {3}
    results = [step for step in steps if step["type"] == "tool_result"]
    assert [step["is_error"] for step in results] == [True, False, False, False, True, False]
    assert gaia.audit_run(tmp_path / "run", env={}).attestation.clean
