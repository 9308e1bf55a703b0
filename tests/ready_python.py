"""Starts Python programs without their imports, which take longer than most of what the tests have them do.

`Ready` holds a process that has imported what `gaia` imports and has read its own sources. For each program it forks:
the child takes the arguments, environment, folder, open files and limits that it is given, and becomes that program.
"""

import atexit
import gc
import importlib
import json
import os
import resource
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import IO, Any

IMPORTED = (
    "gaia_harness.cli.audit", "gaia_harness.cli.demo", "gaia_harness.cli.keys", "gaia_harness.cli.run",
    "gaia_harness.cli.submit", "gaia_harness.cli.validate", "gaia_harness.cli.verify", "gaia_harness.cli.masking",
    "gaia_harness.run.session", "gaia_harness.audit.report", "gaia_harness.submission.verdict",
    "gaia_harness.submission.package", "anyio._backends._asyncio", "anthropic", "httpx2", "openai", "zstandard",
)  # fmt: skip
"""Not `huggingface_hub`: it reads its environment when it is imported."""


class Ready:
    """A process that is ready to become other programs, one after the other."""

    def __init__(self, env: dict[str, str]) -> None:
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, env=env,
            )  # fmt: skip

    def start(
        self,
        args: list[str],
        env: dict[str, str],
        out: IO[Any],
        err: IO[Any],
        *,
        cwd: Path | None = None,
        limits: dict[str, int] | None = None,
    ) -> int:
        """The child's process id. The arguments are those of `python`: `-m NAME`, `-c TEXT` or a file first."""
        asked = {"args": args, "env": env, "cwd": str(cwd or Path.cwd()), "limits": limits or {}}
        socket.send_fds(self._ours, [json.dumps(asked).encode()], [out.fileno(), err.fileno()])
        self._ours.settimeout(None)
        return int(self._ours.recv(64))

    def wait(self, timeout: float) -> int:
        """The child's exit code, negative for a signal, as subprocess has it; TimeoutError if it has none by then."""
        self._ours.settimeout(timeout)
        return int(self._ours.recv(64))

    def close(self) -> None:
        self._ours.close()
        self._process.wait()


def set_limits(limits: dict[str, int]) -> None:
    """Of this process, from now on, by their names in the resource module."""
    for name, most in limits.items():
        resource.setrlimit(getattr(resource, name), (most, most))


def serve(theirs: socket.socket) -> list[str]:
    """Wait for programs to run; return as the child that is to run one, with its arguments."""
    while True:
        request, fds, _, _ = socket.recv_fds(theirs, 1 << 20, 2)
        if not request:
            sys.exit(0)
        child = os.fork()
        if not child:
            break
        for fd in fds:
            os.close(fd)
        theirs.send(str(child).encode())
        theirs.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
    theirs.close()
    asked = json.loads(request)
    for fd, place in zip(fds, (1, 2), strict=True):
        os.dup2(fd, place)
        os.close(fd)
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(asked["env"])
    time.tzset()
    tempfile.tempdir = None
    set_limits(asked["limits"])
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
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in IMPORTED:
        importlib.import_module(name)
    importlib.import_module("gaia_harness.signing.intent").source_sha256()  # which is kept
    gc.collect()
    gc.freeze()  # what is there stays as it is, and its memory shared
    program = serve(socket.socket(fileno=int(sys.argv[1])))
    signal.signal(signal.SIGINT, signal.default_int_handler)
    become(program)
