"""Copies the trajectories of a run into its package, and collects what they refer to, as an audit reads them.

So the file is read once for all of this, and what is packed is what was audited.
"""

import contextlib
import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from gaia_harness.records.trajectories import decode_unchecked
from gaia_harness.submission.results import reasoning_trace
from gaia_harness.submission.secret_scan import SecretScan
from gaia_harness.submission.trajectory_lines import MOST_HOSTS, count_served, references_of


class Packing:
    """One file of trajectories, line by line. What cannot be written is an error when all is there."""

    def __init__(self, path: Path, secrets: Mapping[str, str]) -> None:
        self.sha256 = ""
        self.prompts: set[str] = set()
        self.catalogues: set[str] = set()
        self.systems: set[str] = set()
        self.bodies: set[str] = set()
        self.every_body = True
        self.words: set[str] = set()
        self.served: dict[str, int] = {}
        self.hosts: dict[str, int] = {}
        self.traces: dict[str, str] = {}
        self.fault: str | None = None
        self.leak: str | None = None
        """The variable of a key that stands in a line."""
        self._secret_scan = SecretScan(secrets)
        self._hasher = hashlib.sha256()
        self._failure: OSError | None = None
        self._file = path.open("xb")

    def __enter__(self) -> "Packing":
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._file.close()

    def add(self, data: bytes, fault: str | None) -> None:
        """Take the next line, which has been checked."""
        self._hasher.update(data)
        if self._failure is None:
            try:
                self._file.write(data)
            except OSError as error:
                self._failure = error
        if self.leak is None:
            self.leak = self._secret_scan.held(data.decode("utf-8", "replace"))
        if fault is not None:
            self.fault = self.fault or fault
            return
        trajectory = decode_unchecked(data)
        named = references_of(trajectory)
        self.prompts.update(named.prompts)
        self.catalogues.update(named.catalogues)
        self.systems.update(named.systems)
        self.bodies.update(named.bodies)
        self.words.update(named.words)
        self.every_body = self.every_body and named.every_body
        count_served(self.served, named.served.items())
        count_served(self.hosts, named.hosts.items(), MOST_HOSTS)
        self.traces[trajectory.task_id] = reasoning_trace(trajectory)

    def finish(self) -> None:
        """All lines are there: put them on disk."""
        if self._failure is not None:
            raise self._failure
        self._file.flush()
        os.fsync(self._file.fileno())
        self.sha256 = self._hasher.hexdigest()
