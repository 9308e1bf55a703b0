"""A real disk that is soon full."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def mounted(disk: Path, size: str) -> Iterator[Path]:
    """A tmpfs of this size at a new folder; the test is skipped where none can be mounted."""
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    disk.mkdir()
    options = f"size={size},mode=755"
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", disk], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"no tmpfs can be mounted here: {done.stderr.decode().strip()}")
    try:
        yield disk
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def fill(disk: Path) -> None:
    """To the last byte."""
    with (disk / "ballast").open("ab", buffering=0) as file:
        for size in (65536, 1):
            with contextlib.suppress(OSError):
                while True:
                    file.write(b"x" * size)
