"""The architecture cannot rot: each rule is broken, in a copy, and must be seen to be broken."""

import itertools
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONTRACTS = {
    contract["id"]: contract["name"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}
PLANTED = {
    "oracle-isolation": [
        ("agent/loop.py", "from gaia_harness.tasks.answers import AnswerKey"),
        ("agent/conversation.py", "from gaia_harness.judge.scorer import question_scorer"),
        ("models/base.py", "import gaia_harness.tasks.answers"),
        ("models/wire.py", "from gaia_harness.records.results import TaskResult"),
        ("tools/files.py", "from gaia_harness.tasks.loading import load_tasks"),
        ("tools/base.py", "from gaia_harness.run.results import task_result"),
        ("tools/kit.py", "from gaia_harness.signing.log import RunLog"),
        ("agent/__init__.py", "from gaia_harness.audit.report import audit"),
        ("attempts/messages.py", "from gaia_harness.tasks.answers import Gold"),
        ("attempts/worker.py", "from gaia_harness.records.results import TaskResult"),
        ("attempts/workshop.py", "from gaia_harness.signing.keys import KeyFolder"),
    ],
    "lab-beside": [
        ("audit/findings.py", "from redteam.world import tasks"),
        ("audit/source_facts.py", "from scripts.source_facts import facts_of"),
    ],
    "api-outside": [
        ("run/session.py", "from gaia_harness import RunConfig"),
        ("records/run.py", "from gaia_harness.api import run_tasks"),
    ],
    "evidence-alone": [
        ("evidence/recorder.py", "from gaia_harness.agent.loop import run_agent"),
        ("evidence/scan.py", "from gaia_harness.signing.log import RunLog"),
    ],
    "scorer-offline": [("judge/scorer.py", "import openai")],
    "audit-offline": [
        ("audit/report.py", "from gaia_harness.run.session import Session"),
        ("audit/evidence.py", "from gaia_harness.tasks.loading import load_tasks"),
        ("audit/findings.py", "import socket"),
        ("audit/report.py", "import subprocess"),
    ],
    "verify-offline": [
        ("submission/verdict.py", "import httpx2"),
        ("submission/examination.py", "from gaia_harness.run.audit_input import load_dataset_facts"),
    ],
    "exports-without-golds": [
        ("exchange/exporters/eee.py", "from gaia_harness.tasks.answers import AnswerKey"),
        ("exchange/export_source.py", "from gaia_harness.records.results import TaskResult"),
    ],
    "pages-without-golds": [("viewing/opening.py", "from gaia_harness.tasks.loading import load_tasks")],
    "one-signing-path": [
        ("judge/cache.py", "from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey"),
        ("records/ledger.py", "import cryptography"),
    ],
    "one-way": [
        ("models/messages.py", "from gaia_harness.tools.base import Tool"),
        ("records/events.py", "from gaia_harness.evidence.redaction import Redactor"),
        ("records/intent.py", "from gaia_harness.signing.merkle import Tree"),
        ("protocol.py", "from gaia_harness.records.steps import Step"),
        ("signing/merkle.py", "from gaia_harness.judge.scorer import question_scorer"),
        ("judge/entry.py", "from gaia_harness.audit.report import audit"),
        ("tasks/rows.py", "from gaia_harness.models.base import Model"),
        ("demo/pages.py", "from gaia_harness.tasks.task import Task"),
        ("run/folder.py", "from gaia_harness.cli import main"),
        ("errors.py", "from gaia_harness.strict_json import loads"),
    ],
}


def lint(source: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--config", ROOT / "pyproject.toml"],
        env={"PYTHONPATH": str(source), "PATH": os.defpath, "COLUMNS": "300"},
        capture_output=True, text=True, check=False, cwd=source,
    )  # fmt: skip


@pytest.fixture
def source(tmp_path):
    unread = shutil.ignore_patterns("data", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "redteam", tmp_path / "src" / "redteam", ignore=unread)
    return shutil.copytree(ROOT / "src", tmp_path / "src", ignore=unread, dirs_exist_ok=True)


def test_every_broken_rule_is_seen_and_so_is_a_part_without_a_place(source):
    for module, line in itertools.chain(*PLANTED.values()):
        path = source / "gaia_harness" / module
        path.write_text(path.read_text("utf-8") + f"\n{line}\n", "utf-8")
    (source / "gaia_harness" / "newcomer.py").write_text('"""Nobody has said where this belongs."""\n')
    (source / "gaia_harness" / "new_folder").mkdir()
    (source / "gaia_harness" / "new_folder" / "__init__.py").touch()
    assert PLANTED.keys() == CONTRACTS.keys()
    done = lint(source)
    assert done.returncode != 0, done.stdout
    _, *sections = re.split("\n(" + "|".join(map(re.escape, CONTRACTS.values())) + ")\n-+\n", done.stdout)
    said = dict(zip(sections[::2], sections[1::2], strict=True))
    for contract, name in CONTRACTS.items():
        assert f"{name} BROKEN" in done.stdout
        for module, _ in PLANTED[contract]:
            importer = module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            assert f"gaia_harness.{importer} ->" in said[name]
    assert "gaia_harness.newcomer" in said[CONTRACTS["one-way"]]
    assert "gaia_harness.new_folder" in said[CONTRACTS["one-way"]]
