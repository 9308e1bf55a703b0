"""Runs `gaia` as a person does: as a program of its own.

Unless told otherwise (`--thorough`), most are forked from a process that has their imports behind it.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import thoroughness
from gaia_harness.signing.keys import KeyFolder
from ready_python import ADDRESS, Child, set_limits, small_environment
from ready_python import __file__ as READY_PYTHON

HOME = tempfile.TemporaryDirectory(prefix="gaia-tests-")  # keys and judgments of the tests, not of whoever runs them

AT_START = re.compile("LANG|LC_|PYTHON(?!PATH)")
"""What the interpreter itself reads when it starts, and a process that runs already cannot take over."""

SIGNAL_AT = Path(__file__).with_name("signal_at.py")


def environment(**more: str) -> dict[str, str]:
    """A small environment without keys, tokens or proxies of whoever runs the tests."""
    return small_environment() | own_folders() | {ADDRESS: os.environ[ADDRESS]} | more


def own_folders() -> dict[str, str]:
    """Folders for keys and judgments, with a submitter's key in place."""
    keys = KeyFolder(Path(HOME.name, "keys"))
    if keys.stored("submit") is None:
        keys.create("submit", "tester@example.org")
    return {"GAIA_KEYS_DIR": str(keys.path), "GAIA_CACHE_DIR": f"{HOME.name}/cache"}


def command(*args: str | Path) -> list[str]:
    return [sys.executable, "-m", "gaia_harness", *map(str, args)]


def ready_command(*args: str | Path) -> list[str]:
    """The same from the process that is ready: for who needs neither its rights nor its terminal for input."""
    if thoroughness.asked:
        return command(*args)
    return [sys.executable, "-IS", READY_PYTHON, "start", "-m", "gaia_harness", *map(str, args)]


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        return self.out + self.err


class Started:
    """A Python program under way in a process of its own: `-m` and its name, `-c` and its text, or its file first.

    Limits are those of the resource module, by name.
    """

    def __init__(
        self, *args: object, cwd: Path | None = None, limits: dict[str, int] | None = None, **env: str
    ) -> None:
        words, whole, limits = [*map(str, args)], environment(**env), limits or {}
        self._said = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 - closed when it has ended
        if thoroughness.asked or any(map(AT_START.match, env)):
            self._process: subprocess.Popen[bytes] | Child = subprocess.Popen(
                [sys.executable, *words], stdin=subprocess.DEVNULL, stdout=self._said[0], stderr=self._said[1],
                cwd=cwd, env=whole, preexec_fn=lambda: set_limits(limits),
            )  # fmt: skip
        else:
            self._process = Child(os.environ[ADDRESS], words, whole, *self._said, cwd=cwd, limits=limits)
        self.pid = self._process.pid

    def wait(self, timeout: float = 120) -> Ran:
        """All that it said, when it has ended. Who does not end in time is killed."""
        try:
            code = self._process.wait(timeout)
        except (TimeoutError, subprocess.TimeoutExpired):
            self.kill()
            raise
        with self._said[0] as out, self._said[1] as err:
            return Ran(code, *((file.seek(0) or file.read()).decode().replace("\r\n", "\n") for file in (out, err)))

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def stopped(self) -> bool:
        """Whether it stands still."""
        return Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


def python(*args: object, timeout: float = 120, **how: Any) -> Ran:
    """Run a Python program to the end."""
    return Started(*args, **how).wait(timeout)


def gaia(*args: str | Path, **how: Any) -> Ran:
    """Run a command to the end. A traceback is a failure of every test that uses this."""
    ran = python("-m", "gaia_harness", *args, **how)
    assert "Traceback" not in ran.err, ran.err
    return ran


def killed_gaia(*args: str | Path, when: Callable[[], object], **env: str) -> None:
    """Start a command, and end it as `kill -9` does when something has come to pass."""
    started = Started("-m", "gaia_harness", *args, **env)
    until(when)
    started.kill()
    ran = started.wait()
    assert ran.code == -signal.SIGKILL, ran.said


def until(condition: Callable[[], object]) -> None:
    """Wait for something that is sure to come; the deadline only ends what hangs."""
    deadline = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.005)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def summary(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "summary.json").read_text())
