"""How is a foreign program kept in bounds? Time, output and the memory of all its processes, watched from outside."""

import asyncio
import json
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from enum import Enum
from pathlib import Path

import msgspec

_PAGE = os.sysconf("SC_PAGE_SIZE")


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
    keep: int = 128 << 10,
) -> Outcome:
    """Run a program to its end or until it breaks a limit; afterwards none of its processes is left.

    `status_pipe` is a pipe (read, write) on which bubblewrap tells, by `--json-status-fd`, the first process of its
    pid namespace and how it ended. Without it, what is left of the program's process group is killed. The
    descriptors given are closed, whatever happens.
    """
    output = Output(keep)
    ended = Ended.EXIT
    with ExitStack() as open_fds:
        reading_end, writing_end = os.pipe()
        open_fds.callback(os.close, reading_end)
        if status_pipe:
            open_fds.callback(os.close, status_pipe[0])
        given = (*pass_fds, *(status_pipe[1:] if status_pipe else ()))
        source = in_memory(stdin)
        try:
            # Not asyncio's subprocess: its wait() also waits for whoever still holds the output.
            process = subprocess.Popen(  # noqa: ASYNC220
                argv,
                stdin=source,
                stdout=writing_end,
                stderr=subprocess.STDOUT,
                env=dict(env),
                cwd=cwd,
                pass_fds=given,
                start_new_session=True,  # Ctrl-C at the terminal is for us, not for the program
            )
        finally:
            for fd in (source, writing_end, *given):
                os.close(fd)
        pidfd = os.pidfd_open(process.pid)
        open_fds.callback(os.close, pidfd)
        told = bytearray()
        init: int | None = None
        exiting = asyncio.create_task(_readable(pidfd))
        reading = asyncio.create_task(_read(reading_end, output, limits.output_bytes))
        watching = asyncio.create_task(_watch_memory(process.pid, limits.memory))
        pending: set[asyncio.Task[None]] = {exiting, reading, watching}
        try:
            async with asyncio.timeout(limits.seconds):
                if status_pipe:
                    init = await _first_process(status_pipe[0], told)
                while exiting in pending and ended is Ended.EXIT:
                    _, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
                    if watching not in pending:
                        ended = Ended.MEMORY
                    elif output.seen > limits.output_bytes:
                        ended = Ended.OUTPUT
        except TimeoutError:
            ended = Ended.TIME
        finally:
            watching.cancel()
            _kill(process, init, group=status_pipe is None)
            await asyncio.wait({exiting}, timeout=10)
            process.wait()
            if init is not None:
                open_fds.callback(os.close, init)
                # With the namespace's init the kernel has ended every process in the namespace.
                with suppress(TimeoutError):
                    await asyncio.wait_for(_readable(init), 10)
            await asyncio.wait({reading}, timeout=2)  # what is still in the pipe
            reading.cancel()
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


async def _watch_memory(root: int, at_most: int) -> None:
    """Return when the processes beneath `root` use more memory than they may."""
    loop = asyncio.get_running_loop()
    while True:
        started = loop.time()
        tree = _descendants(root)
        if sum(map(_resident, tree)) > at_most and sum(map(_proportional, tree)) > at_most:
            return
        await asyncio.sleep(max(0.05, 20 * (loop.time() - started)))  # at most a twentieth of our time goes into this


def _descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                stat = Path(entry.path, "stat").read_bytes()
                parent = int(stat.rpartition(b")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found, todo = [], [root]
    while todo:
        pid = todo.pop()
        found.append(pid)
        todo += children.get(pid, [])
    return found


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _proportional(pid: int) -> int:
    """Memory with shared pages divided among those who share them: forks of a large process are not counted double."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines():
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) << 10
    except (OSError, IndexError, ValueError):
        pass
    return _resident(pid)


async def _first_process(fd: int, told: bytearray) -> int | None:
    """A pidfd of the namespace's init, from bubblewrap's first status line. None when it did not get so far."""
    await _readable(fd)
    told += os.read(fd, 4096)
    try:
        return os.pidfd_open(int(json.loads(told.splitlines()[0])["child-pid"]))
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


def _kill(process: subprocess.Popen[bytes], init: int | None, *, group: bool) -> None:
    with suppress(ProcessLookupError, PermissionError):
        if group:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    if init is not None:
        with suppress(ProcessLookupError, PermissionError):
            signal.pidfd_send_signal(init, signal.SIGKILL)
