"""Disk space that a run reserves, so that finished work can still be written when the disk is full."""

import contextlib
import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from gaia_harness.errors import RunError

FILE_NAME = ".reserve"
MOST_BYTES = 8 << 20
"""Several finished tasks fit: a line of trajectories.jsonl is a few hundred KB."""

LARGEST_SHARE = 8
"""On a small disk, this fraction of what is free."""

LEAST_FREE = 64 << 10
"""With less room than this no attempt is begun: it would be cut off, which is on record for good."""

DISK_FULL = (errno.ENOSPC, errno.EDQUOT)

T = TypeVar("T")


class DiskFull(RunError):
    """Nothing more can be written. The run must pause; what is not written is not done."""


def is_full(folder: Path) -> bool:
    """Whether there is no room for even a small task."""
    return shutil.disk_usage(folder).free < LEAST_FREE


def give_back(folder: Path) -> None:
    """Take away the reserve of a process that was killed, if it left one."""
    (folder / FILE_NAME).unlink(missing_ok=True)


class DiskReserve:
    """A file that takes up room until the room is needed."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE_NAME
        self.used = False
        """The disk was full: no further task may begin."""
        give_back(folder)
        size = min(MOST_BYTES, shutil.disk_usage(folder).free // LARGEST_SHARE)
        if size == 0:
            return
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with contextlib.suppress(OSError):  # without a reserve the run goes on, and pauses one task earlier
                os.posix_fallocate(descriptor, 0, size)
        finally:
            os.close(descriptor)

    def writing(self, write: Callable[[], T]) -> T:
        """Write; where the disk is full, give the reserve up and write again. A `DiskFull` where that does not help."""
        try:
            return write()
        except OSError as error:
            if error.errno not in DISK_FULL:
                raise
        self.used = True
        self.close()
        try:
            return write()
        except OSError as error:
            if error.errno not in DISK_FULL:
                raise
            place = error.filename or self._path.parent
            raise DiskFull(f"{place}: {error.strerror}", hint="make room on that disk, then resume the run") from error

    def close(self) -> None:
        """Give the room back."""
        self._path.unlink(missing_ok=True)
