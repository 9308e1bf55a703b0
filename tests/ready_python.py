"""Starts Python programs without their imports, which take longer than most of what the tests have them do.

One process for all workers has imported what `gaia` imports and has read its own sources; it begins with that when it
is first asked. For each program it forks: the child takes the arguments, environment, folder, open files and limits
that it is given, and becomes that program. Each program has a connection of its own: on it come its process id and,
when it has ended, its exit code.

As a program, `ready_python.py start ARGUMENTS` does what `python ARGUMENTS` does, for who starts it from a shell.
"""

import atexit
import gc
import importlib
import json
import os
import resource
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

IMPORTED = (
    "gaia_harness.cli.audit", "gaia_harness.cli.audit_table", "gaia_harness.cli.demo", "gaia_harness.cli.keys",
    "gaia_harness.cli.run", "gaia_harness.cli.running", "gaia_harness.cli.submit", "gaia_harness.cli.validate",
    "gaia_harness.cli.verify", "gaia_harness.cli.masking", "gaia_harness.run.session", "gaia_harness.run.audit_input",
    "gaia_harness.audit.report", "gaia_harness.demo.server", "gaia_harness.models.anthropic_messages",
    "gaia_harness.models.openai_chat", "gaia_harness.models.scripted", "gaia_harness.models.scripted_judge",
    "gaia_harness.offline", "gaia_harness.submission.archive", "gaia_harness.submission.package",
    "gaia_harness.submission.unpacking", "gaia_harness.submission.verdict",
    "ahocorasick_rs", "anthropic", "anyio._backends._asyncio", "encodings.idna", "encodings.rot_13",
    "encodings.utf_16_be", "httpcore2", "httpx2", "importlib.resources.readers", "openai.resources.chat.chat",
    "truststore", "zstandard",
)  # fmt: skip
"""Not `huggingface_hub`: it reads its environment when it is imported."""


ADDRESS = "READY_PYTHON"
"""In the environment: where it listens."""


QUIET = {"HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1"}


def small_environment() -> dict[str, str]:
    """Without keys, tokens or proxies of whoever runs the tests."""
    return {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "LANG") if name in os.environ} | QUIET


class Ready:
    """The process. It ends when this is closed, or when whoever started it has ended."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ready-")
        self.address = f"{self._folder.name}/socket"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
            listening.bind(self.address)
            listening.listen(100)
            self._process = subprocess.Popen(
                [sys.executable, "-P", __file__, "serve", str(listening.fileno())],
                pass_fds=[listening.fileno()], stdin=subprocess.PIPE, env=small_environment(),
            )  # fmt: skip

    def close(self) -> None:
        self._process.communicate()
        self._folder.cleanup()


class Child:
    """A program that was started. Its arguments are those of `python`: `-m NAME`, `-c TEXT` or a file first."""

    def __init__(
        self,
        address: str,
        args: list[str],
        env: dict[str, str],
        out: IO[Any],
        err: IO[Any],
        *,
        cwd: Path | None = None,
        limits: dict[str, int] | None = None,
    ) -> None:
        asked = {"args": args, "env": env, "cwd": str(cwd or Path.cwd()), "limits": limits or {}}
        self._line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._line.connect(address)
        socket.send_fds(self._line, [json.dumps(asked).encode()], [out.fileno(), err.fileno()])
        self.pid = int(self._line.recv(64))

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, negative for a signal, as subprocess has it; TimeoutError if there is none by then."""
        self._line.settimeout(timeout)
        code = int(self._line.recv(64))
        self._line.close()
        return code


def set_limits(limits: dict[str, int]) -> None:
    """Of this process, from now on, by their names in the resource module."""
    for name, most in limits.items():
        resource.setrlimit(getattr(resource, name), (most, most))


def serve(listening: socket.socket) -> list[str]:
    """Wait for programs to run; return as the child that is to run one, with its arguments."""
    children: dict[int, tuple[int, socket.socket]] = {}  # by the descriptor that tells of a child's end
    lines: dict[int, int] = {}  # the process ids of the children, by their connections
    events = select.poll()
    events.register(0)  # ends with whoever started this
    events.register(listening, select.POLLIN)
    while True:
        fd, _ = events.poll()[0]  # one at a time, for what follows may be of a descriptor that has been closed
        if fd == 0:
            sys.exit(0)
        elif fd == listening.fileno():
            line, _ = listening.accept()
            request, fds, _, _ = socket.recv_fds(line, 1 << 20, 2)
            import_all()
            child = os.fork()
            if not child:
                listening.close()
                line.close()
                for end, (_, other) in children.items():
                    os.close(end)
                    other.close()
                return become_child(json.loads(request), fds)
            for given in fds:
                os.close(given)
            line.send(str(child).encode())
            end = os.pidfd_open(child)
            events.register(end, select.POLLIN)
            events.register(line, 0)
            children[end], lines[line.fileno()] = (child, line), child
        elif fd in children:
            child, line = children.pop(fd)
            events.unregister(fd)
            if lines.pop(line.fileno(), None) is not None:
                events.unregister(line)
            os.close(fd)
            with line, suppress(OSError):  # nobody may wait any more
                line.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
        elif fd in lines:  # whoever started it was killed, and so is it
            events.unregister(fd)
            os.kill(lines.pop(fd), signal.SIGKILL)


@cache
def import_all() -> None:
    for name in IMPORTED:
        importlib.import_module(name)
    importlib.import_module("gaia_harness.signing.intent").source_sha256()  # which is kept
    importlib.import_module("gaia_harness.demo.pages").read_web()  # likewise
    importlib.import_module("gaia_harness.models.wire").tls_context()
    gc.collect()
    gc.freeze()  # what is there stays as it is, and its memory shared


def become_child(asked: dict[str, Any], fds: list[int]) -> list[str]:
    """Take over what was asked for: open files, folder, environment, limits."""
    fds = [os.open(os.devnull, os.O_RDONLY), *fds]
    for fd, place in zip(fds, (0, 1, 2), strict=True):
        os.dup2(fd, place)
        os.close(fd)
    for name, place in {"stdout": 1, "stderr": 2}.items():  # those before know whether other files can seek
        how = getattr(sys, name)
        new = open(place, "w", 1, how.encoding, how.errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    time.tzset()
    tempfile.tempdir = None
    set_limits(asked["limits"])
    if "PYTHONPATH" in asked["env"]:
        sys.path[:0] = asked["env"]["PYTHONPATH"].split(os.pathsep)
        sys.modules.pop("sitecustomize", None)
        with suppress(ModuleNotFoundError):
            importlib.import_module("sitecustomize")
    return asked["args"]


def run(program: list[str]) -> None:
    """Run a program in this process, as `python` would."""
    match program:
        case ["-m", name, *args]:
            sys.argv = [name, *args]
            runpy.run_module(name, run_name="__main__", alter_sys=True)
        case ["-c", text, *args]:
            sys.argv = ["-c", *args]
            exec(text, {"__name__": "__main__"})
        case [path, *args]:
            sys.argv = [path, *args]
            sys.path.insert(0, str(Path(path).parent))
            runpy.run_path(path, run_name="__main__")


def become(program: list[str]) -> None:
    """Run it to its end, and end without taking down what was imported: that costs as much as the imports."""
    code: object = 0
    try:
        run(program)
    except SystemExit as stop:
        code = stop.code
        if isinstance(code, str):
            sys.stderr.write(f"{code}\n")
    threading._shutdown()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else code is not None)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["serve", fd]:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            program = serve(socket.socket(fileno=int(fd)))
            signal.signal(signal.SIGINT, signal.default_int_handler)
            become(program)
        case ["start", *program]:
            env = {**os.environ}
            child = Child(env.pop(ADDRESS), program, env, sys.stdout, sys.stderr)
            for passed_on in (signal.SIGINT, signal.SIGTERM):
                signal.signal(passed_on, lambda number, _: os.kill(child.pid, number))
            sys.exit(child.wait())
