"""Creates and opens files that hold secrets, and checks their owner and permissions."""

import errno
import os
import secrets
import shlex
import stat
from pathlib import Path

from gaia_harness.errors import GaiaError
from gaia_harness.files import sync_folder

LARGEST = 64 * 1024
FOR_US_ALONE = 0o077
WRITTEN_BY_US_ALONE = 0o022


class KeyFileError(GaiaError):
    """A key's file is missing, in the way, or not safe to use."""


class KeyExists(KeyFileError):
    """There is such a key already, and it is never overwritten."""


def read_guarded(path: Path, *, forbidden: int = FOR_US_ALONE, largest: int = LARGEST) -> bytes | None:
    """The contents of a file that is ours and that others have no `forbidden` right to; None if there is none."""
    try:
        # O_NONBLOCK: a pipe in the file's place must not make us wait
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise KeyFileError(f"{path}: is a link", hint="put the file itself there") from None
        raise KeyFileError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise KeyFileError(f"{path}: is not a regular file")
        _check_owner(path, found)
        if found.st_mode & forbidden:
            what = "read" if forbidden & 0o044 else "change"
            right = "600" if forbidden & 0o044 else "go-w"
            raise KeyFileError(f"{path}: others can {what} it", hint=f"chmod {right} {shlex.quote(str(path))}")
        with os.fdopen(os.dup(descriptor), "rb") as file:
            data = file.read(largest + 1)
    except OSError as error:
        raise KeyFileError(f"{path}: cannot be read: {error.strerror}") from None
    finally:
        os.close(descriptor)
    if len(data) > largest:
        raise KeyFileError(f"{path}: larger than {largest} bytes")
    return data


def create_exclusively(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Make a file, whole and on disk, where there was none: of several who try at once, one succeeds."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        try:
            with os.fdopen(os.open(temporary, flags, mode), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.link(temporary, path)  # unlike a rename, never takes the place of a file
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(path.parent)
    except FileExistsError:
        raise KeyExists(f"{path}: is there already") from None
    except OSError as error:
        raise KeyFileError(f"{path}: cannot be written: {error.strerror}") from None


def prepare_folder(folder: Path) -> None:
    """Make the folder, for us alone, unless it is there; then see that nobody else can put files into it."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        check_folder(folder)
    except OSError as error:
        raise KeyFileError(f"{folder}: cannot be made: {error.strerror}") from None


def check_folder(folder: Path) -> None:
    """A folder in which others can change files is refused. One that is not there is fine."""
    try:
        found = folder.stat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise KeyFileError(f"{folder}: cannot be read: {error.strerror}") from None
    _check_owner(folder, found)
    if found.st_mode & WRITTEN_BY_US_ALONE:
        raise KeyFileError(f"{folder}: others can change it", hint=f"chmod 700 {shlex.quote(str(folder))}")


def _check_owner(path: Path, found: os.stat_result) -> None:
    if found.st_uid != os.geteuid():
        raise KeyFileError(
            f"{path}: belongs to somebody else (user {found.st_uid})",
            hint=f"make your own with `gaia keys new`, or: chown {os.geteuid()} {shlex.quote(str(path))} "
            f"&& chmod {'700' if stat.S_ISDIR(found.st_mode) else '600'} {shlex.quote(str(path))}",
        )
