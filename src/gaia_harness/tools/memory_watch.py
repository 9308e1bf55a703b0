"""Measures the memory of a program: all its processes, and what the kernel holds for them.

This is for machines where no cgroup can be used. It looks from outside, four to fifty times a second, so that a program
can go beyond its limit by what it takes between two looks. What could not be seen from outside at all, the system call
filter refuses (see `seccomp`).
"""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gaia_harness.protocol import WORKING_FOLDER

WRITABLE = (WORKING_FOLDER, "/tmp", "/dev/shm")  # noqa: S108
"""The folders of a sandbox that can be written; each is a file system in memory."""
_INODE = 1280  # a file's inode, its name and its place in a folder; measured: 1,081 bytes with long names
_PAGE = os.sysconf("SC_PAGE_SIZE")
_SHORTEST, _LONGEST = 0.02, 0.25  # seconds between two looks


async def memory_exceeded(root: int, init: int | None, at_most: int) -> None:
    """Return when the processes beneath `root` hold more than they may. `init` is the first one of a sandbox."""
    while True:
        started = time.thread_time()
        tree = descendants(root)
        beside = 0 if init is None else queued(init)
        files = None if init is None else in_files(init)
        # Roughly first: the exact figure makes the kernel walk over every page.
        if beside + sum(_memory(pid, exact=False) for pid in tree) + (files or 0) > at_most:
            processes = sum(_memory(pid, exact=True, with_files=files is None) for pid in tree)
            if beside + processes + (files or 0) > at_most:
                return
        # A twentieth of a processor at most, by its own time and not the clock's: a busy machine must not stop it.
        await asyncio.sleep(min(_LONGEST, max(_SHORTEST, 20 * (time.thread_time() - started))))


def descendants(root: int) -> list[int]:
    """The process `root` and all beneath it."""
    found, todo = [], [root]
    while todo:
        pid = todo.pop()
        found.append(pid)
        todo += _children(pid)
    return found


def queued(init: int) -> int:
    """What the sockets of the sandbox hold, at most: the kernel tells neither how much a Unix socket holds, nor whose
    the memory of TCP and UDP is, only how many sockets there are and how much memory all of the machine's have.
    """
    net = Path(f"/proc/{init}/net")
    held = _setting("core/wmem_default", 212_992) * 3 // 2 * sum(1 for _ in _rows(net / "unix"))
    rows = (row for name in ("sockstat", "sockstat6") for row in _rows(net / name, titles=0))
    numbers = {row[0]: dict(zip(row[1::2], map(int, row[2::2]), strict=True)) for row in rows}
    each = {
        b"TCP": _setting("ipv4/tcp_wmem", 4 << 20) + _setting("ipv4/tcp_rmem", 32 << 20),
        b"UDP": 2 * _setting("core/rmem_default", 212_992),
    }
    for kind, most in each.items():
        sockets = sum(numbers.get(kind + version, {}).get(b"inuse", 0) for version in (b":", b"6:"))
        held += min(sockets * most, numbers.get(kind + b":", {}).get(b"mem", 0) * _PAGE)
    return held + sum(int(row[4]) + int(row[5]) for row in _rows(net / "netlink"))


def in_files(init: int) -> int | None:
    """What files in the sandbox's memory take; None where we may not look."""
    held = 0
    try:
        if Path(f"/proc/{init}/root/").samefile("/"):
            return None  # it has not moved in yet
        for folder in WRITABLE:
            system = os.statvfs(f"/proc/{init}/root{folder}")
            held += (system.f_blocks - system.f_bfree) * system.f_frsize + (system.f_files - system.f_ffree) * _INODE
    except OSError:
        return None
    return held


def _memory(pid: int, *, exact: bool, with_files: bool = True) -> int:
    """Memory of a process, swapped out or not.

    Exact is with shared pages divided among those who share them: forks of a large process are not counted double.
    """
    name, wanted = ("smaps_rollup", (b"Pss:", b"SwapPss:")) if exact else ("status", (b"VmRSS:", b"VmSwap:", b"VmPTE:"))
    held = 0
    try:
        for line in Path(f"/proc/{pid}/{name}").read_bytes().splitlines():
            if line.startswith(wanted):
                held += int(line.split()[1]) << 10
            elif line.startswith(b"Pss_Shmem:") and not with_files:
                held -= int(line.split()[1]) << 10  # files in memory, which are counted as such
    except (OSError, IndexError, ValueError):
        return _memory(pid, exact=False) if exact else 0
    return held


def _children(pid: int) -> list[int]:
    if not Path("/proc/thread-self/children").exists():
        return [child for child, parent in _parents() if parent == pid]  # a kernel without such lists
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found += map(int, Path(task, "children").read_bytes().split())
    return found


def _parents() -> Iterator[tuple[int, int]]:
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                stat = Path(entry.path, "stat").read_bytes()
                yield int(entry.name), int(stat.rpartition(b")")[2].split()[1])


def _rows(path: Path, titles: int = 1) -> Iterator[list[bytes]]:
    """The lines of a table, without the one with the titles of its columns."""
    with suppress(OSError):
        for line in path.read_bytes().splitlines()[titles:]:
            yield line.split()


def _setting(name: str, otherwise: int) -> int:
    """The last number of a setting of the kernel: where there are three, that is the largest."""
    try:
        return int(Path("/proc/sys/net", name).read_bytes().split()[-1])
    except (OSError, ValueError, IndexError):
        return otherwise
