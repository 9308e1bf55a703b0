"""A large file of trajectories is looked at side by side, and comes out the same."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gaia_command import environment
from gaia_harness.records import line_work, trajectories
from gaia_harness.records.trajectories import read_line
from gaia_harness.submission import trajectory_pass
from gaia_harness.submission.trajectory_lines import examine
from gaia_harness.submission.trajectory_pass import FileHash, Unsound, examine_lines


@pytest.fixture
def many(whole, tmp_path) -> Path:
    """More than a batch, with lines in it that do not hold up."""
    lines = (whole / "trajectories.jsonl").read_bytes().splitlines(keepends=True)
    path = tmp_path / "trajectories.jsonl"
    broken = lines[0].replace(b'"turns":', b'"turns":9', 1)
    path.write_bytes(b"".join([*lines * 30, broken, *lines * 30, b"{}\n", *lines, b'{"cut']))
    assert path.stat().st_size > 2 * line_work.BATCH
    return path


def test_side_by_side_it_comes_out_the_same(many):
    alone = list(examine_lines(many, processes=1))
    together = list(examine_lines(many, processes=2, large=0))
    assert together == alone
    assert [line.number for line in together] == list(range(1, 13 * 61 + 4))
    unsound = [line for line in together if isinstance(line, Unsound)]
    assert [line.number for line in unsound] == [391, 782, 796]
    assert unsound[-1].fault == "trajectories.jsonl:796: the line is cut short"


@pytest.mark.parametrize("processes", [1, 2])
def test_the_file_is_hashed_on_the_way(many, processes):
    whole = FileHash()
    for _ in examine_lines(many, processes=processes, large=0, whole=whole):
        pass
    assert whole.sha256 == hashlib.sha256(many.read_bytes()).hexdigest()


def test_a_byte_of_a_large_file_is_missed_nowhere(package, monkeypatch):
    monkeypatch.setattr(
        trajectory_pass.examine_lines, "__kwdefaults__", {**examine_lines.__kwdefaults__, "large": 1000}
    )
    assert package.verify().exit_code == 3
    data = package.path("trajectories.jsonl").read_bytes()
    for where in (0, len(data) // 2, len(data) - 1):
        changed = bytearray(data)
        changed[where] ^= 1
        package.path("trajectories.jsonl").write_bytes(changed)
        verdict = package.verify()
        assert verdict.exit_code == 1
        assert verdict.checks[0].faults == ("trajectories.jsonl: its content is not what SHA256SUMS lists",)


def test_the_steps_of_a_line_written_otherwise_have_the_hash_that_ours_would_have(whole):
    line = (whole / "trajectories.jsonl").read_bytes().splitlines()[0]
    expected = examine(read_line(line + b"\n", 1), 1)
    value = json.loads(line)
    steps = value.pop("steps")
    spaced = json.dumps(value | {"steps": steps}).encode()
    moved = json.dumps({"steps": steps, **value}, separators=(",", ":")).encode()
    for other in (spaced, moved):
        assert examine(read_line(other + b"\n", 1), 1).marks == expected.marks


def test_where_no_process_can_be_started_the_work_is_done_here(many, monkeypatch):
    expected = list(examine_lines(many, processes=1))
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    assert list(examine_lines(many, processes=2, large=0)) == expected
    monkeypatch.setattr(sys, "executable", "/bin/true")
    assert list(examine_lines(many, processes=2, large=0)) == expected


def test_a_line_too_long_ends_it(tmp_path, monkeypatch):
    monkeypatch.setattr(trajectories, "LONGEST_LINE", 5 << 20)
    path = tmp_path / "trajectories.jsonl"
    path.write_bytes(b"x" * (12 << 20) + b"\n{}\n")
    for processes in (1, 2):
        whole = FileHash()
        found = list(examine_lines(path, processes=processes, large=0, whole=whole))
        assert [(line.number, "a line of more than" in line.fault) for line in found] == [(1, True)]
        assert whole.sha256 is None


def test_nothing_is_imported_from_the_folder_in_which_a_package_is_checked(whole, tmp_path):
    """A package could carry a module that has the name of one of ours."""
    trap = tmp_path / "trap"
    trap.mkdir()
    for name in ("gaia_harness", "msgspec", "multiprocessing", "hashlib", "json"):
        (trap / f"{name}.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w').close()")
    program = (
        "import json, sys; sys.path = [p for p in sys.path if p]\n"
        "from pathlib import Path\n"
        "from gaia_harness.submission.trajectory_pass import examine_lines\n"
        f"found = list(examine_lines(Path({str(whole / 'trajectories.jsonl')!r}), processes=2, large=0))\n"
        "print(json.dumps(len(found)))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], cwd=trap, capture_output=True, text=True, check=False,
        env=environment(), timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == 13
    assert not os.path.lexists(tmp_path / "sprung")
