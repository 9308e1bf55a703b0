"""Memory limits by control groups, where they can be used (cgroups(7), version 2)."""

import asyncio
import errno
import itertools
import os
from contextlib import suppress
from pathlib import Path

_PREFIX = "gaia-sandbox-"
_NEEDED = {"memory", "pids"}
_JOIN = '{ echo 0 >"$0"; } 2>/dev/null || { echo "the control group cannot be entered" >&2; exit 1; }; exec "$@"'
_ATTEMPTS = 100


class Cgroup:
    """A control group for one program."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def join(self, argv: list[str]) -> list[str]:
        """The command that enters the group and then becomes `argv`: no process of it was ever outside."""
        return ["/bin/sh", "-c", _JOIN, str(self._path / "cgroup.procs"), *argv]

    def out_of_memory(self) -> bool:
        """Whether the kernel had to end something here for lack of memory."""
        with suppress(OSError, ValueError):
            events = dict(line.split() for line in (self._path / "memory.events").read_text().splitlines())
            return int(events.get("oom_kill", 0)) > 0
        return False

    def kill(self) -> None:
        """End every process in the group, also those that were just being made."""
        with suppress(OSError):
            (self._path / "cgroup.kill").write_text("1")

    async def remove(self) -> None:
        """Remove the group; the kernel lets it go when the last process is gone for good."""
        for _ in range(_ATTEMPTS):
            try:
                self._path.rmdir()
            except OSError as error:
                if error.errno != errno.EBUSY:
                    return
                await asyncio.sleep(0.01)
            else:
                return


class CgroupMaker:
    """A place where we may make control groups with limits on memory and processes."""

    def __init__(self, parent: Path) -> None:
        self._parent = parent
        self._numbers = itertools.count()

    def make(self, memory: int, processes: int) -> Cgroup:
        """A new group. OSError where that is not possible after all."""
        path = self._parent / f"{_PREFIX}{os.getpid()}-{next(self._numbers)}"
        path.mkdir()
        try:
            (path / "memory.max").write_text(str(memory))
            (path / "pids.max").write_text(str(processes))
            with suppress(FileNotFoundError):  # a kernel without swap
                (path / "memory.swap.max").write_text("0")
            (path / "memory.oom.group").write_text("1")
        except OSError:
            path.rmdir()
            raise
        return Cgroup(path)


async def find_cgroups(proc: Path = Path("/proc/self")) -> CgroupMaker | None:
    """The nearest place from our own group upwards. It must have been made ready for this: we turn on no controller."""
    place = _own_group(proc)
    if place is None:
        return None
    mount, own = place
    for parent in (own, *own.parents):
        if not parent.is_relative_to(mount):
            break
        try:
            if not (set((parent / "cgroup.subtree_control").read_text().split()) >= _NEEDED):
                continue
            _sweep(parent)
            maker = CgroupMaker(parent)
            await maker.make(1 << 30, 16).remove()
        except OSError:
            continue
        return maker
    return None


def _own_group(proc: Path) -> tuple[Path, Path] | None:
    """Where the file system of groups is mounted, and our own group in it."""
    try:
        own = next(line[3:] for line in (proc / "cgroup").read_text().splitlines() if line.startswith("0::/"))
        for line in (proc / "mountinfo").read_text().splitlines():
            before, _, after = line.partition(" - ")
            if after.split()[0] == "cgroup2":
                root, point = before.split()[3:5]
                within = os.path.relpath(own, root)
                if not within.startswith(".."):
                    return Path(point), Path(point, within)
    except (OSError, StopIteration, IndexError):
        pass
    return None


def _sweep(parent: Path) -> None:
    """Remove empty groups that a harness left behind when it was killed."""
    for group in parent.glob(f"{_PREFIX}*"):
        owner = group.name.removeprefix(_PREFIX).partition("-")[0]
        if owner.isdigit() and not Path("/proc", owner).exists():
            with suppress(OSError):
                group.rmdir()
