"""`gaia runs` as a person meets it: every state, and folders that are no runs."""

import csv
import fcntl
import io
import json
import os
import shutil
import tarfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from small_runs import data_set, write_run

from gaia_command import gaia, own_folders
from gaia_harness.comparing.listing import list_runs
from gaia_harness.errors import EvidenceError
from gaia_harness.offline import submit_run
from gaia_harness.submission.archive import read_one, write_archive


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    place = tmp_path_factory.mktemp("made")
    env = own_folders()
    data = data_set(place / "data")
    folder = place / "runs"
    write_run(folder / "whole", data, range(4), env=env, declare=True)
    write_run(folder / "half", data, range(3), env=env, done=5)
    submit_run(folder / "whole", folder / "sent" / "package", dataset=str(data), allow_dirty=True, env=env)
    return folder


@pytest.fixture
def folder(made, tmp_path):
    return shutil.copytree(made, tmp_path / "runs")


def listed(folder):
    return {Path(run.path).name: run for run in list_runs(folder)}


def change(path, **fields):
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, **fields}))


def test_every_run_is_a_line_with_its_state(folder):
    ran = gaia("runs", folder)
    assert ran.code == 0, ran.said
    head, *lines, last = ran.out.splitlines()
    assert head.split() == ["STARTED", "MODEL", "AGENT", "SPLIT", "DONE", "SCORE", "AUDITED", "COST", "STATE", "RUN"]
    assert len(lines) == 2 and last == "2 runs: 1 packaged, 1 interrupted"
    assert "acme/agent-7  acme-loop 1.2  validation  12/12  33.3%" in lines[0] and "packaged" in lines[0]
    assert " 5/12 " in lines[1] and "interrupted" in lines[1] and "the program that recorded it" in lines[1]


def test_a_run_of_ours_comes_with_the_command_that_resumes_it(folder):
    record = json.loads((folder / "half" / "run.json").read_text())
    del record["origin"]
    (folder / "half" / "run.json").write_text(json.dumps(record))
    run = listed(folder)["half"]
    assert (run.state, run.next) == ("interrupted", f"gaia run --resume {folder / 'half'}")
    assert f"next: {run.next}" in gaia("runs", folder / "half").out


def test_a_run_is_running_while_its_process_holds_the_folder_and_not_longer(folder):
    change(folder / "half" / "run.json", state="running")
    lock = os.open(folder / "half", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    assert listed(folder)["half"].state == "running"
    os.close(lock)
    assert (listed(folder)["half"].state, listed(folder)["half"].score) == ("interrupted", None)


def test_a_run_that_was_killed_is_counted_by_its_results(folder):
    change(folder / "half" / "run.json", state="running")
    change(folder / "half" / "summary.json", finished=0, passed=0)
    with (folder / "half" / "results.jsonl").open("ab") as file:
        file.write(b'{"task_id": "torn')
    assert (listed(folder)["half"].done, listed(folder)["half"].asked) == (5, 12)
    (folder / "half" / "summary.json").unlink()
    assert listed(folder)["half"].done == 5


def test_a_package_without_its_run_and_a_report_in_a_run_are_found(folder):
    packaged = listed(folder)["whole"]
    assert packaged.package == str(folder / "sent" / "package") and packaged.audited is not None
    shutil.copy(folder / "sent" / "package" / "audit-report.json", folder / "whole")
    shutil.rmtree(folder / "sent")
    alone = listed(folder)["whole"]
    assert (alone.state, alone.audited) == ("closed", packaged.audited)
    shutil.copytree(folder.parent / "runs" / "whole", folder / "other" / "deep" / "whole")
    assert len(list_runs(folder)) == 3


def test_packages_and_archives_without_their_run_say_that_nobody_verified_them(folder):
    package, archive = folder / "sent" / "package", folder / "sent" / "package.tar.gz"
    write_archive(package, "0" * 32, archive)
    whole = listed(folder)["whole"]
    assert (whole.package, whole.reason) == (str(package), None) and len(list_runs(folder)) == 2
    shutil.rmtree(folder / "whole")
    (alone,) = list_runs(folder / "sent")  # the archive beside its package is the same once more
    assert (alone.path, alone.score, alone.state) == (str(package), whole.score, "packaged")
    assert alone.reason == "not verified: these figures are what it says of itself"
    assert f"{package}  {alone.reason}  next: gaia verify {package}" in gaia("runs", folder / "sent").out
    shutil.make_archive(str(folder / "zipped"), "zip", package)
    shutil.rmtree(package)
    for path in (archive, folder / "zipped.zip"):
        found = listed(folder)[path.name]
        assert (found.next, found.run_id, found.score) == (f"gaia verify {path}", alone.run_id, alone.score)


def test_archives_that_are_no_packages_are_passed_over_and_broken_ones_are_said(folder):
    write_archive(folder / "sent" / "package", "0" * 32, folder / "cut.tar.gz")
    data = (folder / "cut.tar.gz").read_bytes()
    (folder / "cut.tar.gz").write_bytes(data[:1200])
    (folder / "none.zip").write_bytes(b"none")
    shutil.make_archive(str(folder / "photos"), "gztar", folder / "half")
    (folder / "linked.tar.gz").symlink_to(folder / "cut.tar.gz")
    names = listed(folder)
    assert names.keys() == {"whole", "half", "cut.tar.gz"}
    assert (names["cut.tar.gz"].state, names["cut.tar.gz"].reason) == ("unreadable", "is cut short")


def test_of_an_archive_only_the_beginning_is_read(folder):
    archive = folder / "package.tar.gz"
    write_archive(folder / "sent" / "package", "0" * 32, archive)
    assert read_one(archive, "metadata.json", most=1 << 20) == (folder / "sent/package/metadata.json").read_bytes()
    with pytest.raises(EvidenceError, match=r"metadata.json is not among its first 5000 bytes"):
        read_one(archive, "metadata.json", most=5000)
    empty = bytes(tarfile.TarInfo("gaia-x/SHA256SUMS").tobuf())
    (folder / "empty.tar").write_bytes(empty * 1000)  # and no end: nobody gets there
    with pytest.raises(EvidenceError, match=r"metadata.json is not among its first 5000 bytes"):
        read_one(folder / "empty.tar", "metadata.json", most=5000)


def test_what_is_broken_is_a_line_with_the_reason(folder):
    for name, data in {"torn": "{", "none": "[]", "foreign": '{"state": "closed"}'}.items():
        (folder / name).mkdir()
        (folder / name / "run.json").write_text(data)
    (folder / "pipe").mkdir()
    os.mkfifo(folder / "pipe" / "run.json")
    (folder / "loop").symlink_to(folder)
    shutil.copytree(folder / "whole", folder / "boaster")
    change(folder / "boaster" / "summary.json", passed=99)
    shutil.copytree(folder / "whole", folder / "bare")
    (folder / "bare" / "summary.json").unlink()
    reasons = {name: run.reason for name, run in listed(folder).items() if run.state == "unreadable"}
    assert set(reasons) == {"torn", "none", "foreign", "pipe", "boaster", "bare"}
    assert "run.json: not JSON" in reasons["torn"] and "run.json" in reasons["none"]
    assert reasons["pipe"] == "run.json: is not a plain file"
    assert reasons["boaster"] == "summary.json: 99 of 12 tasks are said to be right"
    assert reasons["bare"] == "summary.json is missing"
    ran = gaia("runs", folder)
    assert ran.code == 0 and "6 unreadable" in ran.out


def test_hostile_names_steer_neither_terminal_nor_spreadsheet(folder):
    record = json.loads((folder / "whole" / "run.json").read_text())
    record["config"]["model"] = "=cmd|' /C calc'!A0\x1b[2J\u202e"
    (folder / "whole" / "run.json").write_text(json.dumps(record))
    ran = gaia("runs", folder)
    assert "\x1b" not in ran.out and "\u202e" not in ran.out and "\\x1b[2J" in ran.out
    (row, _) = csv.DictReader(io.StringIO(gaia("runs", folder, "--csv").out))
    assert row["model"].startswith("'=cmd") and "\x1b" not in row["model"]
    (run, _) = json.loads(gaia("runs", folder, "--json").out)
    assert run["model"] == record["config"]["model"] and run["score"]["passed"] == 4


def test_a_folder_whose_name_is_no_text_is_listed_and_compared(folder):
    odd = folder / "quay\udcff"
    (folder / "whole").rename(odd)
    paths = [run["path"] for run in json.loads(gaia("runs", folder, "--json").out)]
    assert str(odd).replace("\udcff", "\\udcff") in paths
    compared = json.loads(gaia("compare", odd, odd, "--json").out)
    assert compared["runs"][0]["path"] == str(odd).replace("\udcff", "\\udcff")


def test_no_folder_and_no_runs_are_told(tmp_path):
    ran = gaia("runs", tmp_path / "nowhere")
    assert ran.code == 2 and "there is no such folder" in ran.err
    assert gaia("runs", tmp_path).out == f"{tmp_path}: no runs here\n"


@given(st.binary(max_size=200), st.sampled_from(["run.json", "summary.json", "results.jsonl", "metadata.json"]))
def test_no_bytes_in_a_file_end_the_list(made, tmp_path_factory, data, name):
    folder = tmp_path_factory.mktemp("any")
    for where in ("half", "sent"):
        shutil.copytree(made / where, folder / where, ignore=shutil.ignore_patterns("prompts", "*.sig", "*.dsse.json"))
    (folder / "sent" / "package" / name if name == "metadata.json" else folder / "half" / name).write_bytes(data)
    assert len(list_runs(folder)) == 2


@pytest.fixture(scope="module")
def archives(made, tmp_path_factory):
    place = tmp_path_factory.mktemp("archives")
    write_archive(made / "sent" / "package", "0" * 32, place / "one.tar.gz")
    shutil.make_archive(str(place / "two"), "zip", made / "sent" / "package")
    shutil.make_archive(str(place / "three"), "tar", made / "sent" / "package")
    return place, {path: path.read_bytes() for path in place.iterdir()}


@given(st.data())
def test_no_bytes_in_an_archive_end_the_list(archives, data):
    place, whole = archives
    for path, sound in whole.items():
        changed = bytearray(sound)
        for _ in range(data.draw(st.integers(0, 3))):
            at = data.draw(st.integers(0, min(len(changed), 5000) - 1) | st.integers(0, len(changed) - 1))
            changed[at] = data.draw(st.integers(0, 255))
        path.write_bytes(changed[: data.draw(st.integers(0, len(changed)) | st.just(len(changed)))])
    assert {run.state for run in list_runs(place)} <= {"packaged", "unreadable"}


@given(st.text() | st.integers() | st.booleans() | st.none() | st.floats(allow_nan=False))
def test_no_csv_cell_is_a_formula(cell):
    from gaia_harness.cli.csv_rows import harmless

    kept = harmless(cell)
    assert not (isinstance(kept, str) and kept.lstrip().startswith(("=", "+", "-", "@")))
    assert type(kept) is type(cell) or isinstance(cell, bool)
