"""What a run writes is nobody else's to read: golds, prompts and what tools returned."""

import os

import pytest

from gaia_command import gaia


@pytest.mark.parametrize("mask", [0o022, 0o002, 0o000])
def test_a_new_run_folder_is_private(tmp_path, mask):
    before = os.umask(mask)
    try:
        ran = gaia(
            "run", "--dataset", "demo", "--model", "scripted/demo", "--limit", "1", "--out", tmp_path / "a" / "b"
        )
    finally:
        os.umask(before)
    assert ran.code == 0, ran.said
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_is_there_already_keeps_its_mode(tmp_path):
    """Somebody may share it on purpose."""
    (tmp_path / "shared").mkdir(mode=0o750)
    (tmp_path / "shared").chmod(0o750)
    ran = gaia("run", "--dataset", "demo", "--model", "scripted/demo", "--limit", "1", "--out", tmp_path / "shared")
    assert ran.code == 0, ran.said
    assert (tmp_path / "shared").stat().st_mode & 0o777 == 0o750
