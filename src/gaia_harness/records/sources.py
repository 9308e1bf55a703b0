"""The hash of this program's own sources."""

import hashlib
import os
from collections.abc import Iterable
from functools import cache
from importlib import resources
from pathlib import Path

import rfc8785


@cache
def source_sha256() -> str:
    """The hash of this program's own sources, as they were when it was asked for first."""
    return files_sha256(source_files(Path(str(resources.files("gaia_harness")))))


def source_files(root: Path) -> list[tuple[str, bytes]]:
    """The sources of a package, sorted by path: each one's path within it, and its bytes. Folders of data have none.

    They are the modules, and the tables beside them (.toml) that these read.
    """
    paths = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name not in ("data", "__pycache__")]
        paths += [Path(folder, name) for name in names if name.endswith((".py", ".toml"))]
    return [(path.relative_to(root).as_posix(), path.read_bytes()) for path in sorted(paths)]


def files_sha256(files: Iterable[tuple[str, bytes]]) -> str:
    """The hash of files, sorted by path: of the RFC 8785 form of [path, sha256] for each."""
    return hashlib.sha256(rfc8785.dumps([[path, hashlib.sha256(data).hexdigest()] for path, data in files])).hexdigest()
