"""How often does `gaia submit` read the trajectories of a run? They may be large."""

import json
import subprocess
import sys

import pytest

from gaia_command import environment
from gaia_harness.submission.package import SubmissionRefused, build

COUNTING = """
import json, os, sys

opened = []

def count(event, args):
    if event == "open" and str(args[0]).endswith("trajectories.jsonl") and args[2] & os.O_ACCMODE == os.O_RDONLY:
        opened.append(str(args[0]))

place = sys.argv.pop(1)
sys.addaudithook(count)
from gaia_harness.cli import main
try:
    main()
finally:
    with open(place, "w") as file:
        json.dump(opened, file)
"""


def test_the_trajectories_are_read_once_to_be_audited_and_packed_and_once_to_be_verified(world, run, tmp_path):
    out, opened = tmp_path / "package", tmp_path / "opened"
    done = subprocess.run(
        [sys.executable, "-c", COUNTING, opened, "submit", run, "--out", out],
        capture_output=True, text=True, check=False, timeout=120,
        env=environment(OPENAI_API_KEY="sk-of-nobody-at-all-0123456789", **world.env),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    first, second = json.loads(opened.read_text())
    assert first == str(run / "trajectories.jsonl")
    assert second.startswith(str(tmp_path / ".package.")) and second.endswith("/trajectories.jsonl")
    assert (out / "trajectories.jsonl").read_bytes() == (run / "trajectories.jsonl").read_bytes()


def test_a_run_that_is_refused_leaves_nothing_behind(met_a_leak, tmp_path):
    out = tmp_path / "not" / "there" / "package"
    with pytest.raises(SubmissionRefused):
        build(met_a_leak.evidence, out, met_a_leak.submission())
    assert not (tmp_path / "not").exists()
