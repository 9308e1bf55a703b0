"""Where a package is put: names that are awkward, disks that are full, and what a killed submit left behind."""

import os
import signal
from pathlib import Path

import pytest

from gaia_command import SIGNAL_AT, Started, gaia, python, until


def submit(run, out, world, *options, cwd=None):
    return gaia("submit", run, "--out", out, *options, cwd=cwd, **world.env)


def test_the_folder_that_somebody_is_in_can_become_the_package(world, run, tmp_path):
    here = tmp_path / "here"
    here.mkdir()
    ran = submit(run, ".", world, "--archive", cwd=here)
    assert ran.code == 0, ran.said
    assert "`cd .` shows it" in ran.out
    assert f"next:  gaia verify {here} " in ran.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "here.tar.gz"]
    assert gaia("verify", here, "--allowed-signers", world.allowed).code == 0


@pytest.mark.parametrize("out", ["..", "/", "file", "sub/.."])
def test_a_place_that_cannot_be_is_refused_in_words(world, run, tmp_path, out):
    here = tmp_path / "here"
    (here / "sub").mkdir(parents=True)
    (here / "file").write_text("mine")
    ran = submit(run, out, world, "--archive", cwd=here)
    assert ran.code == 2, ran.said
    assert "next:  choose another --out" in ran.err
    assert sorted(path.name for path in here.iterdir()) == ["file", "sub"]


@pytest.mark.parametrize("target", ["folder", "nowhere"])
def test_a_link_is_refused_with_what_to_do(world, run, tmp_path, target):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(target)
    ran = submit(run, tmp_path / "link", world)
    assert ran.code == 2, ran.said
    assert f"{tmp_path / 'link'}: is a link" in ran.err
    assert f"name what it leads to, {target}, or another --out" in ran.err
    assert list((tmp_path / "folder").iterdir()) == []


def test_a_link_in_the_place_of_the_archive_is_seen_before_anything_is_written(world, run, tmp_path):
    (tmp_path / "p.tar.gz").symlink_to("nowhere")
    ran = submit(run, tmp_path / "p", world, "--archive")
    assert (ran.code, "p.tar.gz: is there already" in ran.err) == (2, True), ran.said
    assert [path.name for path in tmp_path.iterdir()] == ["p.tar.gz"]


def test_an_archive_that_has_no_room_says_that_the_folder_is_good(world, run, tmp_path):
    program = (
        "import errno, os, sys\n"
        "from gaia_harness.submission import archive\n"
        "def full(*_): raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))\n"
        "archive.shutil.copyfileobj = full\n"
        f"sys.argv = ['gaia', 'submit', {str(run)!r}, '--out', {str(tmp_path / 'p')!r}, '--archive']\n"
        "from gaia_harness.cli import main\nmain()"
    )
    ran = python("-c", program, **world.env)
    assert ran.code == 1, ran.said
    assert f"folder     {tmp_path / 'p'}" in ran.out
    assert f"{tmp_path / 'p.tar.gz'}: the archive cannot be written: No space left on device" in ran.err
    assert f"next:  the package in {tmp_path / 'p'} is whole" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["p"]
    assert gaia("verify", tmp_path / "p", "--allowed-signers", world.allowed).code == 0


# what a killed submit leaves


def stopped_halfway(run, out, world) -> tuple[Started, Path]:
    """A submit that stands still while its package is unfinished, and that package."""
    at = ("SIGSTOP", "gaia_harness.submission.package:_sign", 1)
    started = Started(SIGNAL_AT, *at, "-m", "gaia_harness", "submit", run, "--out", out, **world.env)
    until(started.stopped)
    (left,) = out.parent.glob(f".{out.name}.*.tmp")
    return started, left


def test_what_a_killed_submit_left_is_gone_with_the_next(world, run, tmp_path):
    process, left = stopped_halfway(run, tmp_path / "p", world)
    process.kill()
    process.wait()
    assert left.is_dir()
    (tmp_path / ".p.tar.gz.0a1b2c3d.tmp").write_text("half an archive")
    kept = [".other.0a1b2c3d.tmp", ".p.0a1b2c3d.tmp.old", ".p.0A1B2C3D.tmp", ".p.0a1b2c3.tmp", "p.0a1b2c3d.tmp"]
    for name in kept:
        (tmp_path / name).mkdir()
    (tmp_path / ".p.00000000.tmp").symlink_to(tmp_path / kept[0])
    ran = submit(run, tmp_path / "p", world)
    assert ran.code == 0, ran.said
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["p", ".p.00000000.tmp", *kept])


def test_what_a_submit_that_lives_is_writing_is_left_alone(world, run, tmp_path):
    process, unfinished = stopped_halfway(run, tmp_path / "p", world)
    try:
        ran = submit(run, tmp_path / "p", world)
        assert ran.code == 0, ran.said
        assert unfinished.is_dir()
    finally:
        os.kill(process.pid, signal.SIGCONT)
        assert process.wait().code == 1  # its place is taken
    assert [path.name for path in tmp_path.iterdir()] == ["p"]
    assert gaia("verify", tmp_path / "p", "--allowed-signers", world.allowed).code == 0


def test_what_belongs_to_somebody_else_is_left_alone(world, run, tmp_path, monkeypatch):
    theirs = tmp_path / ".p.0a1b2c3d.tmp"
    theirs.mkdir()
    from gaia_harness.files import leftovers_removed

    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: me + 1)
    with leftovers_removed(tmp_path / "p"):
        assert theirs.is_dir()
    monkeypatch.undo()
    with leftovers_removed(tmp_path / "p"):
        assert not theirs.exists()
