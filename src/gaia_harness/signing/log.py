"""The run log: an append-only file of events whose lines are the leaves of a Merkle tree."""

from collections.abc import Callable
from pathlib import Path

import msgspec

from gaia_harness.evidence.redaction import Redactor
from gaia_harness.files import LineFile, read_lines
from gaia_harness.records.events import Event
from gaia_harness.records.log import encode_event
from gaia_harness.signing.merkle import Tree
from gaia_harness.timestamps import later_of


class RunLog:
    """A log that is being written. Every event gets its number and its time here."""

    def __init__(
        self,
        path: Path,
        clock: Callable[[], str],
        *,
        tree: Tree | None = None,
        since: str = "",
        redactor: Redactor = Redactor(),  # noqa: B008 - it never changes
    ) -> None:
        """No event gets an earlier time than `since`, nor than the one before it, whatever the clock says."""
        self.tree = Tree() if tree is None else tree
        self._redactor = redactor
        self._clock = clock
        self._time = later_of(since, _last_time(path) or since)
        self._file = LineFile(path)

    def add(self, event: Event, *, sync: bool = True) -> None:
        """Write one event; when this returns it is on disk, or without `sync` it will be with the next one."""
        event = msgspec.structs.replace(
            self._redactor.hide(event), seq=self.tree.size, time=later_of(self._time, self._clock())
        )
        line = encode_event(event)
        self._file.append(line + b"\n", sync=sync)
        self.tree.append(line)
        self._time = event.time

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class _Timed(msgspec.Struct):
    time: str = ""


def _last_time(path: Path) -> str:
    """The time of the last event in a log; nothing where there is none."""
    last = None
    for last in read_lines(path):  # noqa: B007 - the last one is wanted
        pass
    try:
        return "" if last is None else msgspec.json.decode(last.data, type=_Timed).time
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""
