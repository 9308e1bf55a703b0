"""The public API: a short program does the whole chain by it, and every name it has is there and documented."""

import asyncio
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

import gaia_command
import gaia_harness
from gaia_command import environment, python

ROOT = Path(__file__).parents[1]
PROGRAM = ROOT / "examples" / "whole_chain.py"


def test_a_program_of_thirty_lines_runs_audits_submits_and_verifies(tmp_path):
    code = [line for line in PROGRAM.read_text("utf-8").splitlines() if line.strip() and not line.startswith("#")]
    assert len(code) <= 30
    done = python(PROGRAM, tmp_path / "chain")
    assert done.code == 0, done.err
    right, clean, signed, verdict = done.out.splitlines()
    assert right == "26 of 29 right"
    assert clean == "clean"
    assert signed.endswith("files, signed by ada@example.org")
    assert verdict == "verified"


def test_every_public_name_is_there_and_described():
    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    for name in gaia_harness.__all__:
        assert getattr(gaia_harness, name).__doc__, name
        assert f"`{name}" in page or name == "__version__", f"docs/api.md does not name {name}"
    with pytest.raises(AttributeError, match="no attribute 'Secret'"):
        _ = gaia_harness.Secret
    assert sorted(gaia_harness.__all__) == dir(gaia_harness)


def test_importing_the_package_imports_nothing_heavy():
    code = "import sys, gaia_harness; sys.exit(any(name in sys.modules for name in ('msgspec', 'asyncio', 'click')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_program_with_a_loop_of_its_own_is_told_what_to_await(tmp_path):
    async def program():
        gaia_harness.run_tasks(tmp_path / "run", gaia_harness.RunConfig(model="scripted/demo", dataset="demo"))

    with pytest.raises(gaia_harness.GaiaError, match="event loop already") as caught:
        asyncio.run(program())
    assert "run_tasks_async" in caught.value.hint
    assert not (tmp_path / "run").exists()


def test_a_run_that_is_finished_is_not_resumed(tmp_path):
    config = gaia_harness.RunConfig(
        model="scripted/demo", dataset="demo", selection=gaia_harness.Selection(first=1, last=1)
    )
    env = environment()
    summary = asyncio.run(gaia_harness.run_tasks_async(tmp_path / "run", config, env=env))
    assert (summary.finished, summary.total) == (1, 1)
    with pytest.raises(gaia_harness.GaiaError, match="this run is finished"):
        gaia_harness.resume_run(tmp_path / "run", env=env)
    with pytest.raises(gaia_harness.SubmissionRefused) as refused:
        gaia_harness.submit_run(tmp_path / "run", tmp_path / "package", env=env)
    assert any("--submit-intent" in reason for reason in refused.value.reasons)


def test_a_package_where_none_can_be_is_an_error_of_ours(tmp_path):
    assert gaia_command.gaia("run", "--dataset", "demo", "--model", "scripted/demo", "--limit", "1", "--submit-intent",
                             "--out", tmp_path / "run").code == 0  # fmt: skip
    (tmp_path / "file").write_text("")
    with pytest.raises(gaia_harness.GaiaError, match="File exists") as caught:
        gaia_harness.submit_run(tmp_path / "run", tmp_path / "file" / "package", env=environment())
    assert caught.value.hint


def test_what_is_no_package_is_not_examined(tmp_path):
    (tmp_path / "half.tar.gz").write_bytes(b"\x1f\x8b\x08")
    outcome = gaia_harness.verify_package(tmp_path / "half.tar.gz", env=environment())
    assert isinstance(outcome, gaia_harness.NotExamined)
    assert outcome.exit_code == 2


class Echo:
    """A model of the program that runs the tasks. It asks for a tool once, and then answers with what came of it."""

    name = "mine/echo"
    address = "https://ada:secret-password@models.example.org/v1"

    async def reply(self, request: gaia_harness.Request) -> gaia_harness.Reply:
        last, calls = request.messages[-1], ()
        text = f"FINAL ANSWER: {last.text.strip()}"
        if isinstance(last, gaia_harness.User):
            assert "python" in {tool.name for tool in request.tools}
            raw = '{"code": "print(6 * 7)"}'
            calls = (gaia_harness.ToolCall(call_id="1", name="python", raw=raw, args={"code": "print(6 * 7)"}),)
        return gaia_harness.Reply(text="" if calls else text, tool_calls=calls, request_sha256="0" * 64)

    async def aclose(self) -> None:
        pass


ONE = gaia_harness.Selection(first=1, last=1)


def test_a_model_of_the_program_calls_tools_and_is_disclosed_as_the_program_s(tmp_path):
    config = gaia_harness.RunConfig(model=Echo.name, dataset="demo", selection=ONE, unsandboxed_python=True)
    summary = gaia_harness.run_tasks(tmp_path / "run", config, model=Echo(), env=environment())
    assert (summary.finished, summary.errors) == (1, 0)
    record = json.loads((tmp_path / "run" / "run.json").read_text())
    assert record["isolation"]["model mine"] == "the program that ran the tasks, in the harness's own process"
    assert record["endpoint"]["address"] == "https://…@models.example.org/v1"
    (result,) = map(json.loads, (tmp_path / "run" / "results.jsonl").read_text().splitlines())
    assert result["tools_used"] == ["python"]
    assert "42" in result["answer"]


def test_a_model_of_another_name_than_the_configuration_s_is_refused(tmp_path):
    config = gaia_harness.RunConfig(model="openai/gpt-5", dataset="demo", selection=ONE)
    with pytest.raises(gaia_harness.GaiaError, match="calls itself mine/echo"):
        gaia_harness.run_tasks(tmp_path / "run", config, model=Echo(), env=environment())
    with pytest.raises(gaia_harness.GaiaError, match="is not a Model"):
        gaia_harness.run_tasks(tmp_path / "run", config, model=object(), env=environment())
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"voting_attempts": 0}, "voting_attempts is 0"),
        ({"voting_attempts": "3"}, "Expected `int`, got `str`"),
        ({"concurrency": 0}, "concurrency is 0"),
        ({"limits": gaia_harness.Limits(max_turns=0)}, "limits.max_turns is 0"),
        ({"task_timeout": -1.0}, "task_timeout is -1.0"),
        ({"max_cost": float("nan")}, "max_cost is nan"),
        ({"seed": 2**60}, "seed is"),
        ({"selection": gaia_harness.Selection(task_ids="tide-1")}, "Expected `array`, got `str`"),
        ({"selection": None}, "Expected `object`, got `null`"),
        ({"model": None}, "Expected `str`, got `null`"),
        ({"submit_intent": True, "record_evidence": False}, "needs evidence"),
    ],
    ids=str,
)
def test_options_that_the_command_line_would_refuse_are_refused(tmp_path, options, said):
    config = gaia_harness.RunConfig(**{"model": "scripted/demo", "dataset": "demo"} | options)
    with pytest.raises(gaia_harness.GaiaError) as caught:
        gaia_harness.run_tasks(tmp_path / "run", config, env=environment())
    assert said in caught.value.message
    assert caught.value.hint
    assert not (tmp_path / "run").exists()


def test_a_run_at_its_limit_of_cost_is_resumed_with_another(tmp_path):
    env = environment()
    config = gaia_harness.RunConfig(
        model=Echo.name,
        dataset="demo",
        selection=gaia_harness.Selection(first=1, last=2),
        max_cost=1e-9,
        price_in=1.0,
        price_out=1.0,
    )

    class Counted(Echo):
        async def reply(self, request):
            usage = gaia_harness.Usage(input_tokens=10, output_tokens=10)
            return gaia_harness.Reply(text="FINAL ANSWER: 1", usage=usage, request_sha256="0" * 64)

    paused = gaia_harness.run_tasks(tmp_path / "run", config, model=Counted(), env=env)
    assert paused.finished < paused.total
    with pytest.raises(gaia_harness.GaiaError, match="is spent"):
        gaia_harness.resume_run(tmp_path / "run", model=Counted(), env=env)
    done = gaia_harness.resume_run(tmp_path / "run", model=Counted(), concurrency=1, max_cost=math.inf, env=env)
    assert done.finished == done.total
