"""The fuzzing of the readers itself works: it finds what is planted, and in a moment nothing else."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gaia_command import environment, python

ROOT = Path(__file__).parents[2]
READERS = sorted(path.stem.removeprefix("read_") for path in (ROOT / "fuzz").glob("read_*.py"))


def fuzz(root: Path, *args: str) -> tuple[int, list[dict], str]:
    done = subprocess.run(
        [sys.executable, str(root / "fuzz" / "run.py"), "--engine", "plain", *args],
        capture_output=True, text=True, check=False, env=environment(), timeout=120,
    )  # fmt: skip
    said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith('{"reader"')]
    return done.returncode, said, done.stdout + done.stderr


def test_every_reader_of_a_package_is_fuzzed():
    needed = {"package", "archive", "log", "ledger", "checkpoints", "dsse", "trajectories", "allowed_signers"}
    assert needed <= set(READERS)


@pytest.mark.parametrize("reader", READERS)
def test_a_moment_of_fuzzing_finds_nothing(reader, tmp_path):
    findings = tmp_path / "findings"
    ran = python(
        ROOT / "fuzz" / "run.py", "--one", "--engine", "plain", "--seconds", "0.3", "--findings", findings, reader
    )
    assert ran.code == 0, ran.said
    assert int(re.fullmatch(r"runs (\d+)\n", ran.out)[1]) >= 1  # how many fit into a moment is the machine's affair
    assert not findings.exists()


def test_what_is_planted_is_found_kept_and_found_again(tmp_path):
    """A reader that lets another error through, and one that accepts what it must not."""
    shutil.copytree(ROOT / "fuzz", tmp_path / "fuzz", ignore=shutil.ignore_patterns("findings", "__pycache__"))
    (tmp_path / "conformance").symlink_to(ROOT / "conformance")
    path = tmp_path / "fuzz" / "read_dsse.py"
    path.write_text(
        path.read_text().replace(
            "    except GaiaError:\n        return\n", "    except ZeroDivisionError:\n        return\n"
        )
    )
    code, (said,), output = fuzz(tmp_path, "--seconds", "10", "dsse")
    assert code == 1
    assert "Traceback" in output
    (name,) = said["findings"]
    kept = tmp_path / "fuzz" / "findings" / name
    code, _, output = fuzz(tmp_path, "--input", str(kept), "dsse")
    assert code == 1
    assert "SignatureError" in output
