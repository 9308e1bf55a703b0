"""The log of a made run: several tasks at once, in an order and by a clock that depend on the seed alone."""

import heapq
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.records.events import AttemptStarted, Event, RunResumed
from gaia_harness.records.interruptions import InterruptionCount
from gaia_harness.signing.checkpoints import Checkpoint
from gaia_harness.signing.merkle import Tree
from gaia_harness.signing.signers import LocalSigner, sign_note
from redteam.script import RunScript
from redteam.task_record import TaskRecord

_BEGIN = datetime(2026, 11, 2, 8, tzinfo=UTC)


def clock(milliseconds: int) -> str:
    """The time so long after the beginning, as records keep it."""
    moment = _BEGIN + timedelta(milliseconds=milliseconds)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Logbook:
    """Events in order, then a file of them with its checkpoints."""

    def __init__(self, seed: object, signer: LocalSigner, origin: str) -> None:
        self._seed = seed
        self._signer = signer
        self._origin = origin
        self._now = 0
        self._events: list[dict[str, Any]] = []
        self.interruptions = InterruptionCount()

    @property
    def time(self) -> str:
        """The time of the last event."""
        return clock(self._now)

    def add(self, event: Event, *, after: int = 3) -> None:
        """Note an event that comes so many milliseconds after the one before."""
        self._at(event, self._now + after)

    def enter(self, records: Sequence[TaskRecord], workers: int) -> Iterator[TaskRecord]:
        """Note the events of all tasks, several tasks going on at once; gives the tasks in the order of their ends.

        Where attempts were cut off by a crash, the tasks before the first of them are done before it.
        """
        first = next((number for number, each in enumerate(records) if each.script.cut_off), len(records))
        yield from self._side_by_side(records[:first], workers)
        rest = records[first:]
        for crash in range(1, max((each.script.cut_off for each in rest), default=0) + 1):
            for each in rest:
                if each.script.cut_off >= crash:
                    self.add(AttemptStarted(task_id=each.script.task.task_id, attempt=crash))
            self.add(RunResumed(), after=95_000)
        yield from self._side_by_side(rest, workers)

    def write(self, folder: Path, script: RunScript) -> None:
        """Write the log, after its edits, and its checkpoints."""
        events = self._events if script.edit_log is None else script.edit_log(self._events)
        tree, points, lines = Tree(), [], []
        for number, event in enumerate(events):
            if script.renumber:
                event["seq"] = number
            line = msgspec.json.encode(event)
            tree.append(line)
            lines.append(line + b"\n")
            if number in (0, len(events) - 1):
                text = Checkpoint(self._origin, tree.size, tree.root()).text()
                points.append(sign_note(self._signer, self._origin, text).encode() + b"\n")
        (folder / "log.jsonl").write_bytes(b"".join(lines))
        (folder / "checkpoints").write_bytes(b"".join(points))

    def _side_by_side(self, records: Iterable[TaskRecord], workers: int) -> list[TaskRecord]:
        free = [self._now] * workers
        timed: list[tuple[int, int, Event]] = []
        ends: list[tuple[int, int, TaskRecord]] = []
        for number, each in enumerate(records):
            begin = heapq.heappop(free)
            timed += [(begin + after, number, event) for after, event in each.events]
            ends.append((begin + each.milliseconds, number, each))
            heapq.heappush(free, begin + each.milliseconds)
        for moment, _, event in sorted(timed, key=lambda entry: entry[:2]):
            self._at(event, moment)
        self._now = max(free, default=self._now)
        return [each for _, _, each in sorted(ends, key=lambda entry: entry[:2])]

    def _at(self, event: Event, moment: int) -> None:
        self._now = moment
        self.interruptions.note(event, len(self._events))
        self._events.append(
            msgspec.to_builtins(msgspec.structs.replace(event, seq=len(self._events), time=clock(moment)))
        )
