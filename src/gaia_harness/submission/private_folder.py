"""A private temporary folder that is removed afterwards, even if this process is killed."""

import contextlib
import fcntl
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from gaia_harness.files import temporary_path

_REMOVE_AT_END_OF_INPUT = """
import os, sys
sys.stdin.read()
if os.path.lexists(sys.argv[1]):
    import shutil  # not before: it takes longer than all else here, and is seldom needed
    shutil.rmtree(sys.argv[1], ignore_errors=True)
"""


@contextlib.contextmanager
def private_folder(name: str) -> Iterator[Path]:
    """A new folder among the temporary files, `name` being part of its own.

    A small process waits for the end of this one, whatever that is, and then takes the folder away. Where both are
    killed, or the power fails, the next to ask for a folder of this name takes the old one away.
    """
    place = Path(tempfile.gettempdir(), name)
    _sweep(place)
    with contextlib.ExitStack() as stack:
        while True:
            folder = temporary_path(place)
            with contextlib.suppress(OSError):  # without a watcher, the next one finds what is left
                stack.enter_context(_watcher(folder))
            folder.mkdir(mode=0o700)  # not before somebody watches
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            with contextlib.suppress(FileNotFoundError):  # somebody swept before we had our hand on it
                lock = _held(folder, fcntl.LOCK_SH)  # shared, for a ledger in it is locked while it is read
                stack.callback(os.close, lock)
                break
        yield folder


def _watcher(folder: Path) -> subprocess.Popen[bytes]:
    """In a session of its own: what is sent to us and all that we started, such as Ctrl-C, does not meet it."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _REMOVE_AT_END_OF_INPUT, str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True, cwd="/",
    )  # fmt: skip


def _held(folder: Path, how: int) -> int:
    """A lock on the folder, which ends with our process; a FileNotFoundError where the folder is gone by then."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, how)
        if not os.path.samestat(folder.lstat(), os.fstat(descriptor)):
            raise FileNotFoundError(folder)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _sweep(place: Path) -> None:
    """Take away folders of this user that nobody holds any more."""
    pattern = re.compile(rf"\.{re.escape(place.name)}\.[0-9a-f]{{8}}\.tmp")
    with contextlib.suppress(OSError):
        for found in [found for found in place.parent.iterdir() if pattern.fullmatch(found.name)]:
            with contextlib.suppress(OSError):
                if found.lstat().st_uid != os.geteuid():
                    continue
                descriptor = _held(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
                try:
                    shutil.rmtree(found)
                finally:
                    os.close(descriptor)
