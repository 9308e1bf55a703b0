"""Reads a run's log against its Merkle tree, its signed checkpoints and its rules."""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.records.events import LOG_SCHEMA, Judged, RunClosed, RunStarted
from gaia_harness.records.interruptions import InterruptionCount
from gaia_harness.records.replay import STRICT, LogFacts, TaskLog, replay
from gaia_harness.signing.checkpoints import read_checkpoints
from gaia_harness.signing.merkle import Tree
from gaia_harness.signing.signers import PublicKey
from gaia_harness.submission.file_set import CHECKPOINTS, LOG

NEVER_CLOSED = "the run was never closed"


class LogReading(msgspec.Struct, kw_only=True):
    """A whole log that keeps every rule. Places are its lines."""

    size: int
    root: str
    started: RunStarted
    closed: RunClosed
    finished: tuple[TaskLog, ...]
    integrity_events: int
    failures: tuple[str, ...]
    resumed: tuple[int, ...]
    roots: dict[int, str]
    checkpoints: int
    interruptions: InterruptionCount
    earlier: tuple[int, ...]
    """Lines with an earlier time than one before them, which only a log of version 0.1 may have."""
    judges: dict[str, int]
    """The models that judged, each with the line where it first did."""
    judged: dict[str, Judged]
    """What was last said of a task's answer."""

    @property
    def of_version_0_1(self) -> bool:
        """Whether the run was begun by version 0.1, by its own word: several things were not recorded then."""
        return self.started.schema is msgspec.UNSET

    @property
    def keeps_all_words(self) -> bool:
        """Whether the model's words were kept whole, by the log's own word; up to version 0.2 they were cut."""
        return self.started.schema == LOG_SCHEMA


def read_run_log(folder: Path, run_id: str, key: PublicKey, *, roots_at: Iterable[int] = ()) -> LogReading:
    """The log of a run in a folder whose checkpoints this key has signed; an EvidenceError names the line at fault.

    `roots_at` are lengths at which somebody wants to know the head of its tree.
    """
    try:
        return _read(folder, run_id, key, frozenset(roots_at))
    except EvidenceError as error:
        raise EvidenceError(error.message.replace(f"{folder}/", "")) from error


def _read(folder: Path, run_id: str, key: PublicKey, wanted: frozenset[int]) -> LogReading:
    points = read_checkpoints(folder / CHECKPOINTS, f"gaia-harness/run/{run_id}", key=key)
    if not points:
        raise EvidenceError(f"{CHECKPOINTS}: has no checkpoint")
    signed = {point.size: point.root for point in points}
    tree = Tree()
    facts = LogFacts()
    roots: dict[int, str] = {}
    last = 0
    for line, _ in replay(folder / LOG, facts, STRICT):
        tree.append(line.data[:-1])
        if tree.size in signed:
            if signed[tree.size] != tree.root():
                raise EvidenceError(
                    f"{LOG}:{line.number}: lines {last + 1} to {line.number} are not those of the signed checkpoint"
                )
            last = line.number
        if tree.size in wanted:
            roots[tree.size] = tree.root().hex()
    if points[-1].size > tree.size:
        raise EvidenceError(f"{LOG}:{tree.size + 1}: lines are missing: a checkpoint has seen {last}")
    if facts.started is None or facts.closed is None:
        raise EvidenceError(f"{LOG}:{tree.size}: {NEVER_CLOSED}")
    if last != tree.size:
        raise EvidenceError(f"{LOG}:{last + 1}: lines that no signed checkpoint has seen")
    return LogReading(
        size=tree.size,
        root=tree.root().hex(),
        started=facts.started,
        closed=facts.closed,
        finished=tuple(facts.finished.values()),
        integrity_events=facts.integrity_events,
        failures=tuple(facts.failures),
        resumed=tuple(at + 1 for at in facts.resumed_at),
        roots=roots,
        checkpoints=len(points),
        interruptions=facts.interruptions,
        earlier=tuple(at + 1 for at in facts.earlier),
        judges={model: at + 1 for model, at in facts.judges.items()},
        judged={task.task_id: task.judgment for task in facts.tasks.values() if task.judgment is not None},
    )
