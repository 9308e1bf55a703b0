"""scripts/setup says which Python it takes, and refuses one that is too old."""

import subprocess
import sys
from pathlib import Path

import pytest

SETUP = Path(__file__).parents[1] / "scripts" / "setup"


def setup(folder: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """In a copy, so that a script that goes on where it should stop changes nothing here."""
    script = folder / "scripts" / "setup"
    script.parent.mkdir()
    script.write_bytes(SETUP.read_bytes())
    return subprocess.run(["/bin/sh", script, "run"], capture_output=True, text=True, env=env, check=False)


@pytest.fixture
def too_old(tmp_path):
    """A Python 3.9 that the path has first."""
    old = tmp_path / "bin" / "python3"
    old.parent.mkdir()
    old.write_text('#!/bin/sh\n[ "$1" = -V ] && echo Python 3.9.2 && exit 0\nexit 1\n')
    old.chmod(0o755)
    return old


def test_a_python_that_is_too_old_is_refused_in_one_line(tmp_path, too_old):
    done = setup(tmp_path, PYTHON=str(too_old), PATH="/usr/bin:/bin")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"setup: PYTHON={too_old} is Python 3.9.2: Python 3.11 or newer is needed\n"


def test_where_there_is_no_other_python_the_line_says_what_there_is(tmp_path, too_old):
    done = setup(tmp_path, PATH=str(too_old.parent))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith("setup: Python 3.11 or newer is needed, and python3 is Python 3.9.2")


def test_the_first_line_names_the_interpreter(tmp_path):
    done = setup(tmp_path, PYTHON=sys.executable, PATH=str(tmp_path))
    version = ".".join(map(str, sys.version_info[:3]))
    assert done.stderr.splitlines()[0] == f"setup: using Python {version} at {sys.executable}"
