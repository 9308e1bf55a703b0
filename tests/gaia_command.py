"""Runs `gaia` as a person does: as a program of its own."""

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gaia_harness.signing.keys import KeyFolder

HOME = tempfile.TemporaryDirectory(prefix="gaia-tests-")  # keys and judgments of the tests, not of whoever runs them

QUIET = {"HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}


def environment(**more: str) -> dict[str, str]:
    """A small environment without keys, tokens or proxies of whoever runs the tests."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ}
    return kept | QUIET | own_folders() | more


def own_folders() -> dict[str, str]:
    """Folders for keys and judgments, with a submitter's key in place."""
    keys = KeyFolder(Path(HOME.name, "keys"))
    if keys.stored("submit") is None:
        keys.create("submit", "tester@example.org")
    return {"GAIA_KEYS_DIR": str(keys.path), "GAIA_CACHE_DIR": f"{HOME.name}/cache"}


def command(*args: str | Path) -> list[str]:
    return [sys.executable, "-m", "gaia_harness", *map(str, args)]


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        return self.out + self.err


def gaia(*args: str | Path, cwd: Path | None = None, timeout: float = 120, **env: str) -> Ran:
    """Run to the end. A traceback is a failure of every test that uses this."""
    done = subprocess.run(
        command(*args), capture_output=True, text=True, cwd=cwd, timeout=timeout, env=environment(**env), check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Ran(done.returncode, done.stdout, done.stderr)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def summary(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "summary.json").read_text())
