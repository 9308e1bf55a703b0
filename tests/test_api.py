"""The public API: a short program does the whole chain by it, and every name it has is there and documented."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

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


def test_what_is_no_package_is_not_examined(tmp_path):
    (tmp_path / "half.tar.gz").write_bytes(b"\x1f\x8b\x08")
    outcome = gaia_harness.verify_package(tmp_path / "half.tar.gz", env=environment())
    assert isinstance(outcome, gaia_harness.NotExamined)
    assert outcome.exit_code == 2
