"""Where a page may be written: to a new file, or over another page. Evidence, devices and packages stay as they are."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from gaia_harness.errors import EvidenceError, UsageError
from gaia_harness.files import open_plain, temporary_path
from gaia_harness.submission.file_set import METADATA, SUMS

BEGINNING = b"<!DOCTYPE html>"
HINT = "choose another --out"


@contextlib.contextmanager
def new_page(out: Path) -> Iterator[BinaryIO]:
    """A file to write a page to, which takes the name `out` when all of it is there."""
    refuse_what_is_no_page(out)
    temporary = temporary_path(out)
    try:
        with temporary.open("xb") as file:
            yield file
        temporary.replace(out)
    except OSError as error:
        raise UsageError(f"{out}: cannot be written: {error.strerror}", hint=HINT) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def refuse_what_is_no_page(out: Path) -> None:
    """An error where a page would take the place of something else, or would be a file too many in a package."""
    for folder in out.resolve().parents:
        if os.path.lexists(folder / METADATA) and os.path.lexists(folder / SUMS):
            raise UsageError(f"{out}: would be in a package, which would no longer verify", hint=HINT)
    try:
        with open_plain(out) as file:
            beginning = file.read(len(BEGINNING))
    except FileNotFoundError:
        return
    except (EvidenceError, OSError) as error:
        said = error.message if isinstance(error, EvidenceError) else f"{out}: {error.strerror}"
        raise UsageError(f"{said}; a page is not written over it", hint=HINT) from error
    if beginning not in (b"", BEGINNING):
        raise UsageError(f"{out}: is there already, and is no page", hint=HINT)
