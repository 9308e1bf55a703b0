"""Unpacks an archive into a folder. Only names that a package may contain are written."""

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError, UnreadableError
from gaia_harness.submission.file_set import (
    BUFFER,
    FOLDERS,
    MOST_FILES,
    is_package,
    is_package_name,
    largest_size,
    name_fault,
    shown,
)

MOST_FOLDERS = 100
LONGEST_NAME = 4096


class Entry(msgspec.Struct, frozen=True):
    """One entry of an archive. `read` gives its next bytes, at most so many; `fault` is why it is no plain file."""

    name: str
    is_folder: bool
    size: int
    read: Callable[[int], bytes]
    fault: str | None = None


def unpack(entries: Iterator[Entry], folder: Path, archive: str) -> None:
    """Write the package that these entries are. It may stand in a folder, or deeper; nothing may stand beside it."""
    unpacking = _Unpacking(folder, archive)
    for entry in entries:
        unpacking.add(entry)
    unpacking.finish()


class _Unpacking:
    def __init__(self, folder: Path, archive: str) -> None:
        self._folder = folder
        self._archive = archive
        self._prefix: tuple[str, ...] | None = None
        self._names: set[str] = set()
        self._folders: list[tuple[str, ...]] = []
        self._count = 0
        self._fault: str | None = None
        """The first; what follows is still looked through, to know whether this is a package at all."""

    def add(self, entry: Entry) -> None:
        self._count += 1
        if self._count > MOST_FILES + MOST_FOLDERS:
            raise EvidenceError(f"{self._archive}: more than {MOST_FILES} files")
        parts = _parts(entry)
        if parts is None:
            self._refuse(f"{shown(entry.name)}: a name that leads out of the package")
        elif entry.is_folder and entry.fault is None:
            self._folders.append(parts)
            if len(self._folders) > MOST_FOLDERS:
                raise EvidenceError(f"{self._archive}: more than {MOST_FOLDERS} folders")
        else:
            self._add_file(entry, parts)

    def finish(self) -> None:
        if not is_package(self._names):
            raise UnreadableError(
                f"{self._archive}: there is no package in it", hint="name the file or folder that `gaia submit` made"
            )
        prefix = self._prefix or ()
        for parts in self._folders:
            inner = parts[len(prefix) :]
            if parts[: len(prefix)] == prefix and len(inner) == 1 and inner[0] in FOLDERS:
                (self._folder / inner[0]).mkdir(exist_ok=True, mode=0o700)
            elif parts != prefix[: len(parts)]:
                self._refuse(f"{shown('/'.join(parts))}: a folder that does not belong here")
        if self._fault is not None:
            raise EvidenceError(self._fault)

    def _add_file(self, entry: Entry, parts: tuple[str, ...]) -> None:
        depth = 2 if is_package_name("/".join(parts[-2:])) else 1
        prefix, name = parts[:-depth], "/".join(parts[-depth:])
        if not is_package_name(name):
            inside = self._prefix is not None and parts[: len(self._prefix)] == self._prefix
            self._refuse(name_fault("/".join(parts[len(self._prefix or ()) :]) if inside else name))
            return
        self._prefix = prefix if self._prefix is None else self._prefix
        twice = name in self._names and prefix == self._prefix
        self._names.add(name)
        if len(self._names) > MOST_FILES:
            raise EvidenceError(f"{self._archive}: more than {MOST_FILES} files")
        if entry.fault is not None:
            self._refuse(f"{shown(entry.name)}: {entry.fault}")
        elif prefix != self._prefix:
            self._refuse(f"{shown(entry.name)}: stands in another folder than the files before it")
        elif twice:
            self._refuse(f"{name} stands twice")
        elif entry.size > largest_size(name):
            raise EvidenceError(f"{self._archive}: {name} is larger than {largest_size(name)} bytes")
        elif self._fault is None:
            _copy(entry, self._folder / name, self._archive)

    def _refuse(self, fault: str) -> None:
        self._fault = self._fault or f"{self._archive}: {fault}"


def _parts(entry: Entry) -> tuple[str, ...] | None:
    """The parts of a name; none where it is not one that stays within the folder that it is unpacked in."""
    parts = entry.name.split("/")
    while parts and parts[0] == ".":  # as `tar -C package .` writes them
        del parts[0]
    if parts and parts[-1] == "" and entry.is_folder:
        del parts[-1]
    if len(entry.name) > LONGEST_NAME or "\\" in entry.name or any(part in ("", ".", "..") for part in parts):
        return None
    return tuple(parts) if parts or entry.is_folder else None


def _copy(entry: Entry, path: Path, archive: str) -> None:
    path.parent.mkdir(exist_ok=True, mode=0o700)
    left = entry.size
    with path.open("xb") as file:
        while left:
            data = entry.read(min(left, BUFFER))
            if not data:
                raise UnreadableError(f"{archive}: {path.name} is cut short", hint="get it again")
            file.write(data)
            left -= len(data)
