"""Finds every path at which a hidden folder is visible: links and mounts included."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gaia_harness.errors import GaiaError


class Mount(NamedTuple):
    """A line of /proc/self/mountinfo: the folder `root` of a file system is seen at `point`."""

    device: str
    root: Path
    point: Path


def mounts(text: str) -> list[Mount]:
    """What /proc/self/mountinfo says, in its order: a later mount covers an earlier one at the same place."""
    found = []
    for line in text.splitlines():
        fields = line.split()
        if len(fields) > 5 and fields[3].startswith("/"):  # namespaces are mounted with another kind of root
            found.append(Mount(fields[2], Path(_plain(fields[3])), Path(_plain(fields[4]))))
    return found


def visible_paths(path: Path, mounted: Sequence[Mount]) -> Iterator[Path]:
    """Every path at which a folder or file can be seen, whole or in part."""
    yield path
    around = [mount for mount in mounted if path.is_relative_to(mount.point)]
    if not around:
        return
    home = max(reversed(around), key=lambda mount: len(mount.point.parts))
    within = home.root / path.relative_to(home.point)
    for mount in mounted:
        if mount.device == home.device:
            if within.is_relative_to(mount.root):
                yield mount.point / within.relative_to(mount.root)
            elif mount.root.is_relative_to(within):
                yield mount.point


class Hidden:
    """The folders and files hidden from sandboxed code, by every path that leads there.

    `certain` must not be seen under any circumstances: GaiaError where one of them is, or is around, something in
    `needed`, without which no code runs. `also` is hidden as far as that goes.
    """

    def __init__(self, certain: Iterable[Path], also: Iterable[Path], needed: Iterable[Path]) -> None:
        try:
            mounted = mounts(Path("/proc/self/mountinfo").read_text(errors="surrogateescape"))
        except OSError:
            mounted = []
        folders = [path.resolve() for path in needed]
        found: dict[Path, None] = {}
        for path in dict.fromkeys(each.resolve() for each in certain):
            for place in visible_paths(path, mounted):
                _refuse_if_needed(place, folders)
                found[place] = None
            for target in _links_out_of(path):
                if not any(folder.is_relative_to(target) for folder in folders):  # the link to Python in its bin, say
                    found |= dict.fromkeys(visible_paths(target, mounted))
        for path in also:
            found |= dict.fromkeys(visible_paths(path.resolve(), mounted))
        self._places = tuple(found)

    def masks(self, binds: Mapping[str, str]) -> dict[str, bool]:
        """The paths inside that are to be covered, and whether each is a folder.

        `binds` shows outside folders (values) at inside paths (keys).
        """
        sources = {inside: Path(outside).resolve() for inside, outside in binds.items()}
        return {
            str(Path(inside) / place.relative_to(source)): place.is_dir()
            for place in self._places
            for inside, source in sources.items()
            if place.is_relative_to(source) and place.exists()
        }


def _refuse_if_needed(place: Path, needed: Iterable[Path]) -> None:
    for folder in needed:
        if folder.is_relative_to(place):
            raise GaiaError(
                f"{place} cannot be hidden from the agent's code, because Python needs {folder}; "
                "it may hold answers or keys",
                hint="give the data set (--dataset), the hub's cache (HF_HOME, HF_HUB_CACHE) or our own folders "
                "(--out, GAIA_CACHE_DIR, GAIA_KEYS_DIR) a place outside of Python and the system",
            )


def _links_out_of(folder: Path) -> Iterator[Path]:
    """Where the links beneath a folder lead to, if that is outside of it."""
    todo, seen = [folder], set[Path]()
    while todo:
        try:
            entries = list(os.scandir(todo.pop()))
        except OSError:
            continue
        if any(entry.name == "pyvenv.cfg" for entry in entries):
            continue  # a virtual environment is full of links to the system's Python
        for entry in entries:
            if entry.is_symlink():
                target = Path(os.path.realpath(entry.path))
                if not target.is_relative_to(folder) and target not in seen:
                    seen.add(target)
                    yield target
            elif entry.is_dir(follow_symlinks=False):
                todo.append(Path(entry.path))


def _plain(field: str) -> str:
    """A field of mountinfo, in which spaces and the like are written as octal numbers."""
    for code in ("040", "011", "012", "134"):
        field = field.replace(f"\\{code}", chr(int(code, 8)))
    return field
