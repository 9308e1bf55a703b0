"""`gaia` at a real terminal: a pseudo-terminal that a test looks at while the program runs."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gaia_command import environment, ready_command, until

_STEERING = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Terminal:
    """What a program has written to its terminal so far."""

    def __init__(self, master: int, process: subprocess.Popen[bytes]) -> None:
        self._master = master
        self._read = bytearray()
        self._reader = threading.Thread(target=self._follow, daemon=True)
        self._reader.start()
        self.process = process

    @property
    def raw(self) -> str:
        return self._read.decode("utf-8", "replace")

    @property
    def text(self) -> str:
        """Without the signs that move the cursor or give colours."""
        return _STEERING.sub("", self.raw)

    def until(self, said: str) -> None:
        """Wait until something is to be read there."""
        until(lambda: said in self.text)

    def _follow(self) -> None:
        while True:
            try:
                data = os.read(self._master, 65536)
            except OSError:  # the other end is closed
                return
            if not data:
                return
            self._read += data

    def ended(self) -> int:
        """The exit code, when all that was written is there."""
        code = self.process.wait()
        self._reader.join()
        return code


@contextmanager
def at_a_terminal(*args: str | Path, rows: int = 30, columns: int = 140, **env: str) -> Iterator[Terminal]:
    """Run `gaia` with its errors, where progress is shown, on a terminal of this size."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    try:
        process = subprocess.Popen(
            ready_command(*args), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=slave,
            env=environment(TERM="xterm", **env),
        )  # fmt: skip
    finally:
        os.close(slave)
    terminal = Terminal(master, process)
    try:
        yield terminal
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        os.close(master)
