"""Runs a foreign program with limits on time, output and the memory of all its processes."""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Coroutine, Mapping, Sequence
from contextlib import ExitStack, suppress
from enum import Enum
from pathlib import Path
from typing import NamedTuple

import msgspec

from gaia_harness.tools.cgroup import Cgroup, CgroupMaker
from gaia_harness.tools.memory_watch import descendants, memory_exceeded

_OWN_PROCESSES = 4  # bwrap outside and inside, and some room: the program is to meet its own limit first


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What a program may use. `memory` holds for each process and for all of them together."""

    seconds: float = 60.0
    memory: int = 2 << 30
    processes: int = 64
    file_bytes: int = 256 << 20
    tmp_bytes: int = 256 << 20
    output_bytes: int = 10 << 20
    open_files: int = 256

    def rlimits(self) -> dict[str, int]:
        """The part that the kernel keeps per process, by the names of `setrlimit`."""
        return {
            "AS": self.memory,
            "NPROC": self.processes,
            "FSIZE": self.file_bytes,
            "NOFILE": self.open_files,
            "CORE": 0,
        }


class Ended(Enum):
    """How a program came to its end."""

    EXIT = "exit"
    TIME = "time"
    MEMORY = "memory"
    OUTPUT = "output"


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a program did. `status` is None when it was killed, or never started."""

    ended: Ended
    status: int | None
    head: bytes
    tail: bytes
    dropped: int  # bytes of output between head and tail


class _Process(NamedTuple):
    pid: int
    pidfd: int


class Output:
    """The beginning and the end of what a program prints, in bounded memory."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self.head = b""
        self.tail = b""
        self.seen = 0

    def add(self, chunk: bytes) -> None:
        """Take what was printed next."""
        self.seen += len(chunk)
        room = self._keep - len(self.head)
        self.head += chunk[:room]
        self.tail = (self.tail + chunk[room:])[-self._keep :]


async def contained(
    argv: Sequence[str],
    stdin: bytes,
    limits: Limits,
    *,
    env: Mapping[str, str],
    cwd: Path | None = None,
    pass_fds: Sequence[int] = (),
    status_pipe: tuple[int, int] | None = None,
    cgroups: CgroupMaker | None = None,
    keep: int = 128 << 10,
    out: Output | None = None,
    errors: Output | None = None,
) -> Outcome:
    """Run a program to its end or until it breaks a limit; afterwards none of its processes is left.

    `status_pipe` is a pipe (read, write) on which bubblewrap tells, by `--json-status-fd`, the first process of its
    pid namespace and how it ended. Without it, what is left of the program's process group is killed. The program
    gets a group of its own from `cgroups`, so that its memory is the kernel's business; without, we watch it. The
    descriptors given are closed, whatever happens, also when this is cancelled, and cancelled again. What the program
    prints is one text, unless `errors` takes what it prints to its error output.
    """
    output = Output(keep) if out is None else out
    ended = Ended.EXIT
    with ExitStack() as open_fds:
        reading_end, writing_end = os.pipe()
        open_fds.callback(os.close, reading_end)
        errors_end = error_writing_end = None
        if errors is not None:
            errors_end, error_writing_end = os.pipe()
            open_fds.callback(os.close, errors_end)
        if status_pipe:
            open_fds.callback(os.close, status_pipe[0])
        given = (*pass_fds, *(status_pipe[1:] if status_pipe else ()))
        source = in_memory(stdin)
        cgroup: Cgroup | None = None
        try:
            cgroup = cgroups.make(limits.memory, limits.processes + _OWN_PROCESSES) if cgroups else None
            # Not asyncio's subprocess: its wait() also waits for whoever still holds the output.
            process = subprocess.Popen(  # noqa: ASYNC220
                cgroup.join(list(argv)) if cgroup else argv,
                stdin=source,
                stdout=writing_end,
                stderr=subprocess.STDOUT if error_writing_end is None else error_writing_end,
                env=dict(env),
                cwd=cwd,
                pass_fds=given,
                start_new_session=True,  # Ctrl-C at the terminal is for us, not for the program
            )
        except BaseException:
            if cgroup:
                await cgroup.remove()
            raise
        finally:
            for fd in (source, writing_end, *(() if error_writing_end is None else (error_writing_end,)), *given):
                os.close(fd)
        pidfd = os.pidfd_open(process.pid)
        open_fds.callback(os.close, pidfd)
        told = bytearray()
        first: _Process | None = None
        exiting = asyncio.create_task(_readable(pidfd))
        reading = asyncio.create_task(_read_both(reading_end, output, errors_end, errors, limits.output_bytes))
        pending: set[asyncio.Task[None]] = {exiting, reading}
        watching: asyncio.Task[None] | None = None
        try:
            async with asyncio.timeout(limits.seconds):
                if status_pipe:
                    first = await _first_process(status_pipe[0], told)
                if cgroup is None:
                    init = first.pid if first else None
                    watching = asyncio.create_task(memory_exceeded(process.pid, init, limits.memory))
                    pending.add(watching)
                while exiting in pending and ended is Ended.EXIT:
                    _, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                    if watching is not None and watching not in pending:
                        ended = Ended.MEMORY
                    elif max(output.seen, 0 if errors is None else errors.seen) > limits.output_bytes:
                        ended = Ended.OUTPUT
        except TimeoutError:
            ended = Ended.TIME
        finally:
            if watching:
                watching.cancel()
            killed = _kill(process, first, group=status_pipe is None)
            for each in killed:
                open_fds.callback(os.close, each)
            if cgroup:
                ended = Ended.MEMORY if ended is Ended.EXIT and cgroup.out_of_memory() else ended
                cgroup.kill()
            await _undisturbed(_gone(process, exiting, reading, killed, cgroup))
        status = _exit_status(status_pipe[0], told) if status_pipe else process.returncode
    return Outcome(
        ended=ended,
        status=status if ended is Ended.EXIT else None,
        head=output.head,
        tail=output.tail,
        dropped=output.seen - len(output.head) - len(output.tail),
    )


def in_memory(data: bytes) -> int:
    """A descriptor from which `data` can be read, without a file or a writer."""
    fd = os.memfd_create("data")
    with os.fdopen(os.dup(fd), "wb") as file:
        file.write(data)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


async def _readable(fd: int) -> None:
    loop = asyncio.get_running_loop()
    ready = asyncio.Event()
    loop.add_reader(fd, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(fd)


async def _read(fd: int, output: Output, at_most: int) -> None:
    while output.seen <= at_most:
        await _readable(fd)
        chunk = os.read(fd, 64 << 10)
        if not chunk:
            return
        output.add(chunk)


async def _read_both(fd: int, output: Output, errors_fd: int | None, errors: Output | None, at_most: int) -> None:
    if errors_fd is None or errors is None:
        await _read(fd, output, at_most)
        return
    tasks = [asyncio.ensure_future(_read(*each, at_most)) for each in ((fd, output), (errors_fd, errors))]
    try:
        _, left = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        while left and max(output.seen, errors.seen) <= at_most:
            _, left = await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _first_process(fd: int, told: bytearray) -> _Process | None:
    """The namespace's init, from bubblewrap's first status line. None when it did not get so far."""
    while b"\n" not in told:  # bubblewrap writes the line in pieces
        await _readable(fd)
        piece = os.read(fd, 4096)
        if not piece:
            return None
        told += piece
    try:
        pid = int(json.loads(told.splitlines()[0])["child-pid"])
        return _Process(pid, os.pidfd_open(pid))
    except (OSError, ValueError, LookupError, TypeError):
        return None


def _exit_status(fd: int, told: bytearray) -> int | None:
    """The exit status from bubblewrap's last status line; `told` is what was read of them before."""
    os.set_blocking(fd, False)
    status = None
    with suppress(OSError):
        told += os.read(fd, 4096)
    with suppress(ValueError, AttributeError):
        for line in told.splitlines():
            status = json.loads(line).get("exit-code", status)
    return status


def _kill(process: subprocess.Popen[bytes], first: _Process | None, *, group: bool) -> list[int]:
    """Kill the program. Gives pidfds of the processes that were killed beside it."""
    if group:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        return []
    killed = [first.pidfd] if first else _stopped_children(process)
    for pidfd in killed:
        with suppress(ProcessLookupError, PermissionError):
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        process.kill()
    return killed


def _stopped_children(process: subprocess.Popen[bytes]) -> list[int]:
    """The children of a bubblewrap that has told us of none yet, held still so that it makes no others.

    To kill bubblewrap alone is not enough: a child that it has just made has not yet asked to die with it.
    """
    found: list[int] = []
    with suppress(ProcessLookupError, PermissionError, ChildProcessError):
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        for pid in descendants(process.pid)[1:]:
            with suppress(ProcessLookupError):
                found.append(os.pidfd_open(pid))
    return found


async def _gone(
    process: subprocess.Popen[bytes],
    exiting: asyncio.Task[None],
    reading: asyncio.Task[None],
    killed: list[int],
    cgroup: Cgroup | None,
) -> None:
    """Wait until what was killed is gone and its output is read."""
    await asyncio.wait({exiting}, timeout=10)
    exiting.cancel()
    process.poll()  # not wait(), which nothing here can end if it could not be killed
    for pidfd in killed:
        # With the namespace's init the kernel has ended every process in the namespace.
        with suppress(TimeoutError):
            await asyncio.wait_for(_readable(pidfd), 10)
    await asyncio.wait({reading}, timeout=2)  # what is still in the pipe
    reading.cancel()
    await asyncio.wait({exiting, reading})
    if cgroup:
        await cgroup.remove()


async def _undisturbed(work: Coroutine[None, None, None]) -> None:
    """Do this to its end even if we are cancelled meanwhile; then be cancelled."""
    task = asyncio.ensure_future(work)
    cancelled = False
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError:
            cancelled = True
    task.result()
    if cancelled:
        raise asyncio.CancelledError
