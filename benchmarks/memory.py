"""The most memory that a program and the processes it starts have had."""

import contextlib
import re
import threading
from pathlib import Path


def peak_mb(process: str) -> float:
    """Of this program alone: what getrusage says begins with the memory of whoever started it."""
    with contextlib.suppress(OSError):
        found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc", process, "status").read_text())
        return int(found[1]) / 1024 if found else 0.0
    return 0.0


class Workers(threading.Thread):
    """Looks at the memory of the processes that a verification starts, for as long as they are there."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.done, self.peak_mb = threading.Event(), 0.0

    def run(self) -> None:
        while not self.done.wait(0.02):
            started = [path.read_text().split() for path in Path("/proc/self/task").glob("*/children")]
            self.peak_mb = max([self.peak_mb, *(peak_mb(process) for some in started for process in some)])
