"""The hash of an agent's folder: what is part of the agent, and what is refused since it leads out of the box."""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

import rfc8785

from gaia_harness.errors import UsageError

MOST_FILES = 500_000
MOST_LEFT_OUT = 200
KEYS_WITHIN = 1 << 20
"""Bytes of each file that are searched for keys."""
_OF_A_RUN = frozenset(("run.json", "log.jsonl"))
_LEFT_OUT = frozenset((".git", ".mypy_cache", ".ruff_cache", ".pytest_cache"))
"""Folders that are not part of the agent: neither in its hash nor in the box. What is compiled is: it is run."""


def folder_sha256(folder: Path) -> str:
    """The hash of all files below a folder: of the RFC 8785 form of [path, sha256 or link] for each, sorted by path."""
    return hashed(folder)[0]


def hashed(folder: Path, secrets: Mapping[str, str] | None = None) -> tuple[str, list[Path]]:
    """The hash of a folder, and the folders within that it leaves out: those of tools, and runs of ours with answers.

    A file with one of these secrets in it is refused: it would take a key into the box.
    """
    keys = {value.encode(): name for value, name in (secrets or {}).items()}
    entries: list[list[str]] = []
    left_out: list[Path] = []
    for where, folders, names in os.walk(folder):
        if _OF_A_RUN.issubset(names):
            left_out.append(Path(where))
            folders.clear()
            continue
        left_out += [Path(where, name) for name in folders if name in _LEFT_OUT]
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        links = [name for name in folders if Path(where, name).is_symlink()]
        for name in (*names, *links):
            path = Path(where, name)
            if len(entries) >= MOST_FILES:
                raise UsageError(f"{folder}: more than {MOST_FILES} files", hint="give the agent a folder of its own")
            try:
                said = f"-> {path.readlink()}" if path.is_symlink() else _file_sha256(path, keys)
            except OSError as error:
                raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
            entries.append([path.relative_to(folder).as_posix(), said])
    if len(left_out) > MOST_LEFT_OUT:
        raise UsageError(f"{folder}: more than {MOST_LEFT_OUT} folders such as {left_out[0]}", hint="remove them")
    return hashlib.sha256(rfc8785.dumps(sorted(entries))).hexdigest(), left_out


def _file_sha256(path: Path, keys: Mapping[bytes, str]) -> str:
    if not path.is_file():
        raise UsageError(
            f"{path}: not a file, but a socket, a pipe or a device, by which one gets out of the box",
            hint="remove it from the agent's folder",
        )
    with path.open("rb") as file:
        head = file.read(KEYS_WITHIN)
        if (found := next((name for key, name in keys.items() if key in head), None)) is not None:
            raise UsageError(
                f"{path}: has the value of {found} in it, and would take that key into the box",
                hint="take it out of the agent's folder: the gateway puts the model's key in, outside of the box",
            )
        file.seek(0)
        return hashlib.file_digest(file, "sha256").hexdigest()
