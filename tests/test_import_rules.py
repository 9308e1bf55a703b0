"""The architecture cannot rot: each rule is broken once, in a copy, and must be seen to be broken."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def lint(source: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--config", ROOT / "pyproject.toml"],
        env={"PYTHONPATH": str(source), "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True, check=False, cwd=source,
    )  # fmt: skip


@pytest.fixture
def source(tmp_path):
    unread = shutil.ignore_patterns("data", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "redteam", tmp_path / "src" / "redteam", ignore=unread)
    return shutil.copytree(ROOT / "src", tmp_path / "src", ignore=unread, dirs_exist_ok=True)


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("agent/loop.py", "from gaia_harness.tasks.answers import AnswerKey"),
        ("agent/conversation.py", "from gaia_harness.judge.scorer import question_scorer"),
        ("models/base.py", "import gaia_harness.tasks.answers"),
        ("tools/files.py", "from gaia_harness.tasks.loading import load_tasks"),
        ("tools/base.py", "from gaia_harness.run.results import TaskResult"),
        ("tools/kit.py", "from gaia_harness.signing.log import RunLog"),
        ("evidence/recorder.py", "from gaia_harness.agent.loop import run_agent"),
        ("judge/scorer.py", "import openai"),
        ("judge/cache.py", "from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey"),
        ("models/messages.py", "from gaia_harness.tools.base import Tool"),
        ("agent/loop.py", "from gaia_harness.audit.report import audit"),
        ("audit/report.py", "from gaia_harness.run.session import Session"),
        ("audit/evidence.py", "from gaia_harness.tasks.loading import load_tasks"),
        ("audit/copies.py", "import socket"),
        ("audit/program.py", "import subprocess"),
        ("submission/verdict.py", "import httpx2"),
        ("submission/examination.py", "from gaia_harness.run.audit_input import load_dataset_facts"),
    ],
)
def test_a_broken_rule_is_seen(source, module, line):
    path = source / "gaia_harness" / module
    path.write_text(path.read_text("utf-8") + f"\n{line}\n", "utf-8")
    done = lint(source)
    assert done.returncode != 0, done.stdout
    assert "BROKEN" in done.stdout
    assert "gaia_harness." + module.removesuffix(".py").replace("/", ".") in done.stdout


def test_the_rules_hold(source):
    done = lint(source)
    assert done.returncode == 0, done.stdout
