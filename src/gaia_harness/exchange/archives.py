"""Unpacks a zip or tar file to import from, as packages are unpacked: no links, no way out, no bombs."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from gaia_harness.errors import GaiaError
from gaia_harness.exchange.inputs import ImportRefused
from gaia_harness.files import open_plain
from gaia_harness.submission.decompression import Decompressed
from gaia_harness.submission.file_set import BUFFER, MOST_FILES
from gaia_harness.submission.private_folder import private_folder
from gaia_harness.submission.tar_reading import tar_entries
from gaia_harness.submission.unpacking import LONGEST_NAME, Entry
from gaia_harness.submission.zip_reading import is_zip, zip_entries

MOST_FOLDERS = 100
SUFFIXES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.zst", ".tar.xz", ".tar.bz2")


def is_archive(path: Path) -> bool:
    """Whether a file is named as an archive."""
    return path.is_file() and path.name.lower().endswith(SUFFIXES)


@contextlib.contextmanager
def unpacked(path: Path) -> Iterator[Path]:
    """The files of an archive in a private folder, which is gone afterwards."""
    name = path.name
    try:
        with open_plain(path, called=name) as file, private_folder("gaia-import") as place:
            entries = zip_entries(file, name) if is_zip(file, name) else tar_entries(Decompressed(file, name), name)
            for count, entry in enumerate(entries, start=1):
                if count > MOST_FILES:
                    raise ImportRefused(f"{name}: more than {MOST_FILES} files")
                _write(entry, place, name)
            yield place
    except ImportRefused:
        raise
    except FileNotFoundError as error:
        raise ImportRefused(f"{name}: cannot be read: {error.strerror}") from error
    except GaiaError as error:
        raise ImportRefused(error.message, hint=error.hint) from error


def _write(entry: Entry, place: Path, archive: str) -> None:
    parts = tuple(part for part in entry.name.split("/") if part not in ("", "."))
    if entry.fault is not None:
        raise ImportRefused(f"{archive}: {entry.name[:80]!a}: {entry.fault}")
    if ".." in parts or "\0" in entry.name or "\\" in entry.name or len(entry.name) > LONGEST_NAME:
        raise ImportRefused(f"{archive}: {entry.name[:80]!a}: a name that leads out of the archive")
    if len(parts) > MOST_FOLDERS:
        raise ImportRefused(f"{archive}: {entry.name[:80]!a}: more than {MOST_FOLDERS} folders inside each other")
    target = place.joinpath(*parts)
    try:
        (target if entry.is_folder else target.parent).mkdir(parents=True, exist_ok=True)
        if entry.is_folder:
            return
        opened = target.open("xb")
    except (FileExistsError, NotADirectoryError):
        raise ImportRefused(f"{archive}: {entry.name[:80]!a}: stands in it twice") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise ImportRefused(f"{archive}: {entry.name[:80]!a}: cannot be unpacked: {reason}") from None
    with opened as file:
        left = entry.size
        while left > 0:
            piece = entry.read(min(left, BUFFER))
            if not piece:
                raise ImportRefused(f"{archive}: {entry.name[:80]!a}: is cut short")
            file.write(piece)
            left -= len(piece)
