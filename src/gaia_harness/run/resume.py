"""The state of an interrupted run, read from its folder: what is done, what was begun, what to truncate."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.files import cut_file, read_lines
from gaia_harness.records.events import (
    AttemptInterrupted,
    RecordingFailed,
    RunStarted,
    TaskFinished,
)
from gaia_harness.records.interruptions import InterruptionCount
from gaia_harness.records.log import heal_log
from gaia_harness.records.replay import RESUMABLE, LogFacts, replay
from gaia_harness.records.results import TaskResult
from gaia_harness.records.tool_use import ToolUse, merge_uses
from gaia_harness.signing.checkpoints import read_checkpoints
from gaia_harness.signing.merkle import Tree
from gaia_harness.signing.signers import PublicKey

_results = msgspec.json.Decoder(TaskResult)


class ResumeState(msgspec.Struct, kw_only=True):
    """The state of an interrupted run, as an earlier process left it."""

    tree: Tree
    results: list[TaskResult]
    attempts: Counter[str]
    failures: tuple[str, ...]
    integrity_events: int
    lost_usd: float
    """What interrupted attempts cost, as far as the log says."""
    lost_tools: dict[str, ToolUse]
    """What tools did in interrupted attempts, by the log."""
    healed: tuple[str, ...]
    closed: str | None
    started: RunStarted | None
    roots: dict[int, str]
    """The head of the log's tree at each of its lengths."""
    interruptions: InterruptionCount


def load_resume_state(folder: Path, origin: str, *, key: PublicKey | None = None) -> ResumeState:
    """Read and check a run folder, and truncate what a crash left half-written: only ever at the end of a file.

    The log decides what is done. A line that it binds and that is missing or changed is not the work of a crash.
    With `key`, the checkpoints must be signed by it.
    """
    log_path = folder / "log.jsonl"
    healed = ["log.jsonl: a last line that was cut short"] if heal_log(log_path) else []
    points = read_checkpoints(folder / "checkpoints", origin, key=key, heal=True)
    tree = Tree()
    facts = LogFacts()
    roots: dict[int, str] = {}
    failures: list[str] = []
    lost_usd = 0.0
    lost_tools: dict[str, ToolUse] = {}
    waiting = list(points)
    for line, event in replay(log_path, facts, RESUMABLE):
        tree.append(line.data[:-1])
        roots[tree.size] = tree.root().hex()
        while waiting and waiting[0].size == tree.size:
            if waiting.pop(0).root != tree.root():
                first = max([point.size for point in points if point.size < tree.size], default=0) + 1
                raise EvidenceError(
                    f"{log_path}:{line.number}: lines {first} to {line.number} are not those of the checkpoint",
                    hint="the log was changed; this run cannot be resumed",
                )
        if isinstance(event, TaskFinished):
            recorded = facts.started is not None and facts.started.record_evidence
            if event.result_sha256 is None or (event.trajectory_sha256 is None and recorded):
                failures.append(f"the line of {event.task_id} is missing")
        elif isinstance(event, RecordingFailed):
            failures.append(event.reason)
        elif isinstance(event, AttemptInterrupted):
            lost_usd += 0.0 if event.cost_usd is msgspec.UNSET else event.cost_usd
            tools = {} if event.tools is msgspec.UNSET else event.tools
            uses = {
                name: ToolUse(calls=calls, errors=errors, wall_ms=wall_ms)
                for name, (calls, errors, wall_ms) in tools.items()
            }
            lost_tools = merge_uses((lost_tools, uses))
    attempts = Counter({task_id: len(task.attempts) for task_id, task in facts.tasks.items() if task.attempts})
    finished = facts.finished.values()
    # a run that went on behind its end is not closed
    closed = None if facts.closed is None or facts.closed.seq + 1 != facts.events else facts.closed.status
    if key is not None and attempts and not points:  # the first is made before anything is done
        raise EvidenceError(
            f"{folder / 'checkpoints'}: the signed checkpoints of the log are missing",
            hint="they were deleted; this run cannot be resumed",
        )
    if waiting:
        raise EvidenceError(
            f"{log_path}:{tree.size + 1}: lines are missing: a checkpoint has seen {waiting[-1].size}",
            hint="the log was cut; this run cannot be resumed",
        )
    _bind(folder / "trajectories.jsonl", [task.trajectory_sha256 for task in finished], healed)
    lines = _bind(folder / "results.jsonl", [task.result_sha256 for task in finished], healed)
    return ResumeState(
        tree=tree,
        results=[_results.decode(line) for line in lines],
        attempts=attempts,
        failures=tuple(failures),
        integrity_events=facts.integrity_events,
        lost_usd=lost_usd,
        lost_tools=lost_tools,
        healed=tuple(healed),
        closed=closed,
        started=facts.started,
        roots=roots,
        interruptions=facts.interruptions,
    )


def _bind(path: Path, hashes: Sequence[str | None], healed: list[str]) -> list[bytes]:
    """The lines of the file that the log binds, in its order; what comes behind them is taken away."""
    bound = [sha256 for sha256 in hashes if sha256 is not None]
    lines: list[bytes] = []
    size, beyond = 0, None
    keep_lines = path.name == "results.jsonl"
    for line in read_lines(path):
        if line.number > len(bound) + 1:
            raise EvidenceError(
                f"{path}:{line.number}: the log does not know this line nor the one before; a crash leaves one at most",
                hint="the log was cut; this run cannot be resumed",
            )
        if line.number > len(bound):
            beyond = line.offset
            continue
        if hashlib.sha256(line.data[:-1]).hexdigest() != bound[line.number - 1] or line.torn:
            raise EvidenceError(
                f"{path}:{line.number}: not the line that the log binds",
                hint="the file was changed; this run cannot be resumed",
            )
        if keep_lines:
            lines.append(line.data)
        size = line.number
    if size < len(bound):
        raise EvidenceError(
            f"{path}:{size + 1}: the line is missing that the log binds",
            hint="the file was cut; this run cannot be resumed",
        )
    if beyond is not None:
        healed.append(f"{path.name}: line {size + 1}, which was not in the log yet")
        cut_file(path, beyond)
    return lines
