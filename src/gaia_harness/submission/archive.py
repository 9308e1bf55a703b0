"""Package archives: writes a reproducible .tar.gz, and reads any tar or zip file."""

import contextlib
import gzip
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NoReturn

from gaia_harness.errors import EvidenceError, UnreadableError, UsageError
from gaia_harness.files import open_plain, sync_folder, temporary_path
from gaia_harness.submission.decompression import Decompressed
from gaia_harness.submission.file_set import BUFFER, is_package_name, list_files
from gaia_harness.submission.private_folder import private_folder
from gaia_harness.submission.tar_reading import BLOCK, tar_entries
from gaia_harness.submission.unpacking import unpack
from gaia_harness.submission.zip_reading import is_zip, zip_entries

RECORD = 20 * BLOCK

LARGEST_ENTRY = 8**11 - 1
"""What the eleven octal digits of a tar header can say."""

NOT_SIGNED = "the archive's own bytes are not signed, only the files in it: compare those, not archives"
"""What a reader of a verdict on an archive should know."""


def write_archive(package: Path, run_id: str, out: Path) -> None:
    """Put a package into one file, which is whole or not there at all."""
    files = list_files(package)
    if files.refused:
        raise EvidenceError(files.faults[0])
    for name, size in files.sizes.items():
        if size > LARGEST_ENTRY:
            raise EvidenceError(
                f"{name}: larger than {LARGEST_ENTRY} bytes, which is all that a tar file of this form has"
            )
    prefix = f"gaia-{run_id[:12]}"
    temporary = temporary_path(out)
    try:
        with temporary.open("xb") as raw:
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, compresslevel=6, mtime=0) as packed:
                written = 0
                for name, size in files.sizes.items():
                    packed.write(_header(f"{prefix}/{name}", size))
                    with files.open(name) as file:
                        shutil.copyfileobj(file, packed, BUFFER)
                    packed.write(bytes(-size % BLOCK))
                    written += BLOCK + size + -size % BLOCK
                packed.write(bytes(2 * BLOCK + -(written + 2 * BLOCK) % RECORD))
            raw.flush()
            os.fsync(raw.fileno())
        os.link(temporary, out)  # unlike a rename, never takes the place of a file
        sync_folder(out.parent)
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def unpacked(archive: Path) -> Iterator[Path]:
    """The package in an archive, in a private folder that is gone afterwards."""
    try:
        file = open_plain(archive, called=archive.name)
    except FileNotFoundError as error:
        raise UnreadableError(f"{archive.name}: cannot be read: {error.strerror}") from error
    except EvidenceError as error:
        raise UnreadableError(error.message) from error
    with file:
        name = archive.name
        entries = zip_entries(file, name) if is_zip(file, name) else tar_entries(Decompressed(file, name), name)
        with contextlib.ExitStack() as stack:
            try:
                place = stack.enter_context(private_folder("gaia-verify"))
            except OSError as error:
                _no_room("a temporary folder", name, error)
            try:
                unpack(entries, place, name)
            except OSError as error:  # of what is written: what is read has errors of ours
                _no_room(str(place.parent), name, error)
            yield place


def read_one(archive: Path, wanted: str, *, most: int) -> bytes | None:
    """One file of the package in an archive, if it is among its first `most` bytes; None where that is no package."""
    name, passed, is_package = archive.name, 0, False
    try:
        with open_plain(archive, called=name) as file:
            entries = zip_entries(file, name) if is_zip(file, name) else tar_entries(Decompressed(file, name), name)
            for entry in entries:
                parts = entry.name.split("/")
                passed += BLOCK + entry.size  # many empty entries are a lot of work, too
                if not entry.is_folder:
                    if not is_package_name(parts[-1]) and not is_package_name("/".join(parts[-2:])):
                        return None
                    is_package = True
                if passed > most:
                    raise EvidenceError(f"{name}: {wanted} is not among its first {most} bytes")
                if parts[-1] == wanted and not entry.is_folder:
                    return b"".join(iter(partial(entry.read, BUFFER), b""))
    except (EvidenceError, UnreadableError):
        if is_package:
            raise
    return None


def _no_room(place: str, archive: str, error: OSError) -> NoReturn:
    """The verifier's own trouble: it says nothing about the package."""
    raise UsageError(
        f"{place}: {archive} cannot be unpacked there: {error.strerror or error}",
        hint="make room, or let TMPDIR name a folder with room; or unpack it yourself with tar and verify the folder",
    ) from error


def _header(name: str, size: int) -> bytes:
    """A ustar header (POSIX.1-1988): no owner, no time."""
    fields = (
        name.encode().ljust(100, b"\0") + b"0000644\0" + b"0000000\0" * 2 + b"%011o\0" % size + b"%011o\0" % 0
        + b" " * 8 + b"0" + bytes(100) + b"ustar\0" + b"00" + bytes(32) * 2 + b"0000000\0" * 2 + bytes(155 + 12)
    )  # fmt: skip
    return fields[:148] + b"%06o\0 " % sum(fields) + fields[156:]
