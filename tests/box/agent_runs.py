"""Runs real programs as agents, in real boxes, on a task of the demo, against a provider that a test has scripted."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gaia_command import Ran, gaia
from loopback import Answer
from provider_server import Provider, Says, provider_server

EXAMPLES = Path(__file__).parents[2] / "examples" / "agents"
KEY = "sk-of-nobody-0123456789"
KEYS = dict.fromkeys(("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY"), KEY)

PROGRAMS = os.environ.get("AGENT_PROGRAMS", "")
"""A folder with agents from npm (`npm install --prefix DIR …`: its node_modules/.bin), if they are not on the path."""

OTHERS = Path(os.environ.get("AGENT_PACKAGES", sys.prefix))
"""A virtual environment with what agent-packages.txt names: `make test-all` has one."""

needs_bwrap = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")


def needs_program(name: str) -> Path:
    """The folder of a program from npm. Skips the test where it is not installed."""
    found = shutil.which(name, path=os.pathsep.join(filter(None, (PROGRAMS, os.environ["PATH"]))))
    if found is None:
        pytest.skip(f"{name} is not installed, neither on the path nor in the folder that AGENT_PROGRAMS names")
    return Path(found).parent


def needs_packages(*packages):
    """Skip where the environment of the larger examples has not got these packages."""
    found = f"import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, {packages!r})))"
    if subprocess.run([OTHERS / "bin" / "python", "-c", found], check=False).returncode:
        pytest.skip(f"{', '.join(packages)}: not in the virtual environment that AGENT_PACKAGES names")


@dataclass(frozen=True)
class Made:
    """A run that has ended: what the command said, and the steps of its one task."""

    folder: Path
    ran: Ran
    provider: Provider

    @property
    def steps(self) -> list[dict[str, Any]]:
        (line,) = (self.folder / "trajectories.jsonl").read_text().splitlines()
        return json.loads(line)["steps"]

    @property
    def result(self) -> dict[str, Any]:
        (line,) = (self.folder / "results.jsonl").read_text().splitlines()
        return json.loads(line)

    def told(self) -> list[tuple[str, str]]:
        """Each step in a word or two."""
        return [(step["type"], step.get("name") or step.get("role", "")) for step in self.steps]

    def results(self, name: str) -> list[str]:
        """What a tool gave, as far as the record shows it."""
        return [step["head"] for step in self.steps if (step["type"], step.get("name")) == ("tool_result", name)]


def run_agent(
    folder: Path,
    agent: str | Path,
    answer: Callable[[dict[str, Any]], Says | Answer],
    *options: str,
    model: str = "openai/tester",
    task: int = 1,
    programs: Iterable[Path] = (Path(sys.executable).parent,),
    **env: str,
) -> Made:
    """Let an agent work on one task of the demo. `programs` are folders in which its programs are found."""
    path = os.pathsep.join([*map(str, programs), os.environ["PATH"]])
    with provider_server(answer) as provider:
        base = provider.url + ("/v1" if model.startswith("openai/") else "")
        asked = (
            "--agent",
            agent,
            "--model",
            model,
            "--base-url",
            base,
            "--dataset",
            "demo",
            "--limit",
            f"{task}-{task}",
        )
        ran = gaia("run", *asked, *options, "--out", folder / "run", **KEYS, PATH=path, **env)
    assert (folder / "run").is_dir(), ran.said
    return Made(folder / "run", ran, provider)
