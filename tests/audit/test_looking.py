"""The tasks of a large run are looked at in several processes, and the report is the same to the byte."""

import contextlib
import os
import random
import threading

import pytest
from noting_checks import EndedThere, FailsThere, SlowThere, WhoLooked

from gaia_harness.audit import looking, report
from gaia_harness.audit.evidence import open_run
from gaia_harness.audit.looking import look_at_all
from gaia_harness.audit.report import audit, encode_report
from gaia_harness.errors import GaiaError
from gaia_harness.records import trajectories
from redteam.making import RunMaker
from redteam.script import RunScript
from redteam.solving import honest_script
from redteam.world import tasks

CHECKS = (WhoLooked, *(check for check in report.CHECKS if hasattr(check, "noted")))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Seven tasks: one line does not hold up, one is not what ran, one comes twice, and half a line at the end."""
    maker = RunMaker(tmp_path_factory.mktemp("lines"), "lines")
    maker.write(RunScript(tasks=tuple(honest_script(task, random.Random(2)) for task in tasks("lines", 7))))
    path = maker.path / "trajectories.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[1] = lines[1].replace(b'"seq":1', b'"seq":7', 1)
    lines[4] = lines[4].replace(b'"latency_ms":', b'"latency_ms":1', 1)
    path.write_bytes(b"".join([*lines[:6], lines[0], b'{"task_id": "half']))
    return maker.path


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    monkeypatch.setattr(looking, "BATCH", 3000)


def encoded(run, monkeypatch, processes):
    monkeypatch.setattr(report, "CHECKS", CHECKS)
    return encode_report(audit(open_run(run, None), audited_at="now", processes=processes))


@pytest.mark.parametrize(("processes", "batch"), [(2, 1), (2, 30_000), (3, 4_000)])
def test_the_report_is_the_same_to_the_byte_whoever_looked(run, monkeypatch, processes, batch):
    expected = encoded(run, monkeypatch, 1)
    assert set(WhoLooked.pids) == {os.getpid()}
    assert b"step 1 says that it is step 7" in expected
    assert b"trajectories.jsonl:8: the line is cut short" in expected
    assert b"has a trajectory already" in expected
    monkeypatch.setattr(looking, "BATCH", batch)
    assert encoded(run, monkeypatch, processes) == expected
    assert len(set(WhoLooked.pids)) >= 2


def test_a_line_too_long_ends_it_behind_all_lines_before_it(run, monkeypatch, tmp_path):
    monkeypatch.setattr(trajectories, "LONGEST_LINE", 1 << 20)
    lines = (run / "trajectories.jsonl").read_bytes()
    there = tmp_path / "run"
    there.mkdir()
    for file in run.glob("*.json*"):
        (there / file.name).write_bytes(file.read_bytes())
    (there / "trajectories.jsonl").write_bytes(lines + b'"}\n' + b"x" * (3 << 20))
    expected = encoded(there, monkeypatch, 1)
    assert b"trajectories.jsonl:9: a line of more than" in expected
    assert encoded(there, monkeypatch, 2) == expected


def test_a_helper_that_dies_is_an_error_that_says_so(run):
    with pytest.raises(GaiaError, match="was ended by signal 9") as caught:
        look_at_all(open_run(run, None), [EndedThere], processes=2)
    assert "taskset" in (caught.value.hint or "")


def test_what_fails_in_a_helper_is_looked_at_here(run):
    look_at_all(open_run(run, None), [FailsThere], processes=2)
    assert set(FailsThere.pids) == {os.getpid()}


def test_whoever_is_free_takes_the_next_lines(run, monkeypatch):
    monkeypatch.setattr(looking, "BATCH", 1)
    SlowThere.fourth = os.pipe()
    look_at_all(open_run(run, None), [SlowThere], processes=2)
    first, second, third, fourth = SlowThere.pids[:4]
    assert first == os.getpid()
    assert third == fourth != second
    for end in SlowThere.fourth:
        os.close(end)


def test_where_no_process_can_be_had_all_is_looked_at_here(run, monkeypatch):
    def refused():
        raise BlockingIOError

    expected = encoded(run, monkeypatch, 1)
    monkeypatch.setattr(os, "fork", refused)
    assert encoded(run, monkeypatch, 2) == expected
    assert set(WhoLooked.pids) == {os.getpid()}


def test_no_copy_is_left_behind(run):
    with contextlib.suppress(GaiaError):
        look_at_all(open_run(run, None), [EndedThere], processes=2)
    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


@pytest.mark.parametrize("processes", [1, 2])
def test_who_watches_gets_every_line_in_order_and_nothing_that_was_not_looked_at(run, processes):
    shown = []
    look_at_all(open_run(run, None), [WhoLooked], processes=processes, watch=lambda *line: shown.append(line))
    assert b"".join(data for data, _ in shown) == (run / "trajectories.jsonl").read_bytes()
    assert [number for number, (_, fault) in enumerate(shown, start=1) if fault] == [2, 8]


def test_a_small_run_makes_no_copy(run):
    look_at_all(open_run(run, None), CHECKS)
    assert set(WhoLooked.pids) == {os.getpid()}


def test_nor_does_a_process_with_other_threads(run, monkeypatch):
    monkeypatch.setattr(looking, "LARGE", 0)
    ended = threading.Event()
    other = threading.Thread(target=ended.wait)
    other.start()
    try:
        look_at_all(open_run(run, None), CHECKS)
    finally:
        ended.set()
        other.join()
    assert set(WhoLooked.pids) == {os.getpid()}
