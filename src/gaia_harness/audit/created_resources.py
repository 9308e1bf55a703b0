"""Files, folders and servers that a task created itself, and so may use freely."""

import posixpath
from typing import Any
from urllib.parse import urlsplit

from gaia_harness.audit.code_reading import Reach
from gaia_harness.audit.constant_folding import MADE
from gaia_harness.audit.paths import OWN, in_workspace, is_own

MOST_KEPT = 1000
"""Things of its own that are remembered for a task."""

_FOLDERS = ("make", "unpack")


class CreatedResources:
    """Files, folders and ports of one task."""

    __slots__ = ("_files", "_folders", "_ports")

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._folders = {MADE}
        self._ports: set[str] = set()

    def see(self, reaches: tuple[Reach, ...]) -> None:
        """Remember the folders that code makes or unpacks something into, and the ports it serves at."""
        for reach in reaches:
            if reach.kind == "serve":
                _keep(self._ports, reach.target)
            elif reach.kind in _FOLDERS and _may_make(reach):
                _keep(self._folders, reach.target)

    def keep(self, path: str) -> None:
        """Remember a file, or a folder by its own name alone."""
        _keep(self._files, path)

    def has(self, path: str) -> bool:
        """Whether it made this very file or folder."""
        return path in self._files

    def holds(self, path: str) -> bool:
        """Whether a path lies in a folder that it made or unpacked something into."""
        while len(path) > 1:
            path = posixpath.dirname(path)
            if path in self._folders:
                return True
        return False

    def serves(self, address: str) -> bool:
        """Whether an address on this machine is that of a server it started."""
        try:
            port: Any = urlsplit(address).port
        except ValueError:
            return False
        return str(80 if port is None else port) in self._ports


def _may_make(reach: Reach) -> bool:
    # a folder that is there for all is nobody's because something was to be made there
    made = reach.kind == "unpack" or reach.target not in OWN
    return made and (is_own(reach.target) or in_workspace(reach.target))


def _keep(things: set[str], thing: str) -> None:
    if len(things) < MOST_KEPT:
        things.add(thing)
