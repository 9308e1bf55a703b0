"""log.jsonl: the events of a run, one per line, each in its place."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.files import Line, cut_file, read_lines
from gaia_harness.records.events import AnyEvent, Event
from gaia_harness.records.excerpt import sound

_decoder = msgspec.json.Decoder(AnyEvent)


def encode_event(event: Event) -> bytes:
    """The bytes of a line, without its newline."""
    try:
        return msgspec.json.encode(event)
    except UnicodeEncodeError:  # a file name or an error's text may hold what JSON cannot
        return msgspec.json.encode(sound(msgspec.to_builtins(event)))


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
