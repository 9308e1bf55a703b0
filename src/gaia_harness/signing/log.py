"""The run log: an append-only file of events whose lines are the leaves of a Merkle tree."""

from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.redaction import Redactor
from gaia_harness.files import Line, LineFile, cut_file, read_lines
from gaia_harness.moments import later
from gaia_harness.records.events import AnyEvent, Event
from gaia_harness.records.excerpt import sound
from gaia_harness.signing.merkle import Tree

_decoder = msgspec.json.Decoder(AnyEvent)


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
        self._time = later(since, _last_time(path) or since)
        self._file = LineFile(path)

    def add(self, event: Event, *, sync: bool = True) -> None:
        """Write one event; when this returns it is on disk, or without `sync` it will be with the next one."""
        event = msgspec.structs.replace(
            self._redactor.hide(event), seq=self.tree.size, time=later(self._time, self._clock())
        )
        line = _encode(event)
        self._file.append(line + b"\n", sync=sync)
        self.tree.append(line)
        self._time = event.time

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


def _encode(event: Event) -> bytes:
    try:
        return msgspec.json.encode(event)
    except UnicodeEncodeError:  # a file name or an error's text may hold what JSON cannot
        return msgspec.json.encode(sound(msgspec.to_builtins(event)))


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


def read_log(path: Path) -> Iterator[tuple[Line, AnyEvent]]:
    """The events of a log, each checked for its place. A leaf of the tree is a line without its newline."""
    for line in read_lines(path):
        if line.torn:
            raise EvidenceError(f"{path}:{line.number}: the line is cut short")
        try:
            event = _decoder.decode(line.data)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise EvidenceError(f"{path}:{line.number}: not an event: {error}") from error
        if event.seq != line.number - 1:
            raise EvidenceError(
                f"{path}:{line.number}: event {event.seq} stands where event {line.number - 1} must stand"
            )
        if msgspec.json.encode(event) != line.data[:-1]:
            raise EvidenceError(f"{path}:{line.number}: not written as this log is written")
        yield line, event


def heal_log(path: Path) -> bool:
    """Take away a last line that a crash cut short; whether there was one."""
    last = None
    for last in read_lines(path):  # noqa: B007 - the last one is wanted
        pass
    if last is None or not last.torn:
        return False
    cut_file(path, last.offset)
    return True
