"""Room that is held back for what is finished when the disk is full."""

import pytest

from gaia_harness.files import write_atomic
from gaia_harness.run.disk_reserve import FILE_NAME, DiskFull, DiskReserve
from small_disk import fill, mounted

MIB = 1 << 20


@pytest.fixture
def small_disk(tmp_path):
    with mounted(tmp_path / "disk", "1m") as disk:
        yield disk


def test_what_is_finished_still_fits_when_the_disk_is_full(small_disk):
    reserve = DiskReserve(small_disk)
    fill(small_disk)
    with pytest.raises(OSError, match="No space left"):
        write_atomic(small_disk / "other", b"x" * 50_000)
    reserve.writing(lambda: write_atomic(small_disk / "result", b"x" * 50_000))
    assert (small_disk / "result").stat().st_size == 50_000
    assert reserve.used
    with pytest.raises(DiskFull, match="No space left"):
        reserve.writing(lambda: write_atomic(small_disk / "more", b"x" * MIB))
    assert not (small_disk / "more").exists()


def test_the_reserve_is_not_used_for_other_errors(tmp_path):
    reserve = DiskReserve(tmp_path)
    with pytest.raises(FileNotFoundError):
        reserve.writing(lambda: write_atomic(tmp_path / "none" / "file", b""))
    assert not reserve.used
    assert (tmp_path / FILE_NAME).stat().st_blocks > 0
    reserve.close()
    assert list(tmp_path.iterdir()) == []


def test_a_reserve_that_a_killed_process_left_is_taken_over(tmp_path):
    DiskReserve(tmp_path)
    DiskReserve(tmp_path).close()
    assert list(tmp_path.iterdir()) == []
