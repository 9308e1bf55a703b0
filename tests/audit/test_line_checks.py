"""The lines of a large file are checked and hashed by another process, and the audit is the same to the byte."""

import hashlib
import random
import sys

import pytest

from gaia_harness.audit import line_checks
from gaia_harness.audit.evidence import open_run
from gaia_harness.audit.line_checks import CheckedLines
from gaia_harness.audit.report import audit, encode_report
from gaia_harness.errors import EvidenceError
from gaia_harness.records import line_work, trajectories
from redteam.making import RunMaker
from redteam.script import RunScript
from redteam.solving import honest_script
from redteam.world import tasks


@pytest.fixture
def run(tmp_path):
    """Six tasks: of one the steps do not hold up, of one they are not those that ran, and half a line at the end."""
    maker = RunMaker(tmp_path, "lines")
    maker.write(RunScript(tasks=tuple(honest_script(task, random.Random(2)) for task in tasks("lines", 6))))
    path = maker.path / "trajectories.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"seq":1', b'"seq":7', 1)
    lines[4] = lines[4].replace(b'"latency_ms":', b'"latency_ms":1', 1)
    path.write_bytes(b"".join([*lines, b'{"task_id": "half']))
    return maker.path


@pytest.fixture
def in_batches(monkeypatch):
    """One line or two at once, all of them for the other process."""
    monkeypatch.setattr(line_work, "BATCH", 3000)
    monkeypatch.setattr(line_checks, "HERE", 0)


@pytest.mark.parametrize("here", [0, 2])
def test_another_process_says_what_this_one_would(run, in_batches, monkeypatch, here):
    monkeypatch.setattr(line_checks, "HERE", here)
    path = run / "trajectories.jsonl"
    alone, beside = CheckedLines(path), CheckedLines(path, large=0)
    expected = list(alone)
    assert list(beside) == expected
    assert beside.sha256 == alone.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    faults = [check.fault for _, _, check, _ in expected]
    assert [number for number, fault in enumerate(faults, start=1) if fault] == [2, 7]
    assert "step 1 says that it is step 7" in faults[1]
    assert faults[6] == "trajectories.jsonl:7: the line is cut short"


def test_the_report_is_the_same_to_the_byte(run, in_batches, monkeypatch):
    expected = encode_report(audit(open_run(run, None), audited_at="now"))
    assert b"unsound-trajectory" in expected
    assert b"steps-changed" in expected
    monkeypatch.setattr(line_checks.CheckedLines.__init__, "__kwdefaults__", {"large": 0})
    assert encode_report(audit(open_run(run, None), audited_at="now")) == expected


@pytest.mark.parametrize("program", ["/nonexistent/python", "/bin/true"])
def test_where_no_process_can_be_had_the_lines_are_looked_at_here(run, in_batches, monkeypatch, program):
    expected = list(CheckedLines(run / "trajectories.jsonl"))
    monkeypatch.setattr(sys, "executable", program)
    beside = CheckedLines(run / "trajectories.jsonl", large=0)
    assert list(beside) == expected
    assert beside.sha256 is None  # then the file is hashed by whoever asks


def test_the_lines_before_one_that_is_too_long_are_looked_at(run, in_batches, monkeypatch):
    monkeypatch.setattr(trajectories, "LONGEST_LINE", 1 << 20)
    path = run / "trajectories.jsonl"
    path.write_bytes(path.read_bytes() + b'"}\n' + b"x" * (3 << 20))
    for large in (0, 1 << 30):
        lines = CheckedLines(path, large=large)
        numbers: list[int] = []
        with pytest.raises(EvidenceError, match=r"^trajectories.jsonl:8: a line of more than"):
            numbers.extend(number for number, *_ in lines)
        assert numbers == list(range(1, 8))
        assert lines.sha256 is None
