"""Small packages that would keep a verifier busy: twice the size is about twice the work."""

import hashlib
import uuid
from typing import Any

import msgspec
import pytest
from forging import Package

from counted_work import calls_of
from gaia_harness.records.intent import task_list_sha256
from gaia_harness.records.interruptions import InterruptionCount
from gaia_harness.submission.checks import _resumes
from gaia_harness.submission.log_reading import LogReading


def reply(seq: int, attempt: int) -> dict[str, Any]:
    return {
        "type": "llm_call", "seq": seq, "attempt": attempt, "turn": 1, "model": "m",
        "output_sha256": hashlib.sha256(b"x").hexdigest(), "bytes": 1, "head": "x", "truncated": False,
        "redactions": 0, "tokens_in": 1, "tokens_out": 1, "stop_reason": None, "latency_ms": 0, "response_id": None,
        "thoughts": None,
    }  # fmt: skip


def forge(package: Package, *, tasks: int, lost: int, attempts: int, resumes: int) -> Package:
    """A package whose log and trajectories hold: all tasks begin, are cut off, and begin again behind a resume."""
    start, *_, close = package.json_lines("log.jsonl")
    line, metadata = package.json_lines("trajectories.jsonl")[0], package.json("metadata.json")
    facts, ids = metadata["facts"], [str(uuid.UUID(int=number)) for number in range(tasks)]
    made = range(lost + 1, lost + attempts + 1)
    time, one = start["time"], facts["tasks"][0]

    def event(name: str, **fields: Any) -> dict[str, Any]:
        return {"event": name, "seq": 0, "time": time, **fields}

    log = [start] + [event("run_resumed", healed=[], concurrency=4) for _ in range(resumes - 1)]
    log += [event("attempt_started", task_id=i, attempt=number + 1) for i in ids for number in range(lost)]
    log += [event("run_resumed", healed=[], concurrency=4) for _ in range(min(resumes, 1))]
    for i in ids:
        for attempt in made:
            log.append(event("attempt_started", task_id=i, attempt=attempt))
            log.append(event("attempt_finished", task_id=i, attempt=attempt, steps=0, steps_sha256=""))
        bound = {"trajectory_sha256": "", "result_sha256": "0" * 64, "outcome_sha256": "", "salted": True}
        log.append(event("task_finished", task_id=i, attempts=lost + attempts, **bound))
    log.append(close | {"tasks": tasks, "finished": tasks, "attempts": tasks * (lost + attempts)})
    start.update(tasks=tasks, voting_attempts=attempts)
    steps = [reply(seq, attempt) for seq, attempt in enumerate(made)]
    sums = {"turns": attempts, "input_tokens": attempts, "output_tokens": attempts, "tools_used": []}
    line |= sums | {"steps": steps, "selected_attempt": lost + 1, "voting_attempts": attempts, "final_answer": "x"}
    vote = {"selected_attempt": lost + 1, "votes": attempts, "cast": attempts, "answers": ["x"] * attempts}
    one |= sums | {"answer": "x", "correct": False, "attempts": lost + attempts, "voting": vote}
    facts["tasks"], facts["task_ids"] = [one | {"task_id": i} for i in ids], ids
    facts["voting_attempts"] = attempts
    package.set_json_lines("log.jsonl", log)
    package.set_json_lines("trajectories.jsonl", [line | {"task_id": i} for i in ids])
    package.set_json("metadata.json", metadata)
    said = {"tasks": tasks, "task_list_sha256": task_list_sha256(ids), "voting_attempts": attempts}
    package.set_intent(package.intent() | said)
    entries = package.json_lines("ledger.jsonl")
    for entry in entries:
        entry |= {name: value for name, value in said.items() if name in entry}
    package.set_json_lines("ledger.jsonl", entries)
    for prompt in package.path("prompts").iterdir():
        prompt.unlink()
    package.path("prompts").rmdir()
    package.forge("log")
    return package


def test_resumes_are_gone_through_once():
    """All of them at the beginning of the log, where each is excused by those before it."""

    class Line(int):
        """Compared by a function of its own, whose calls are counted."""

        __hash__ = int.__hash__

        def __eq__(self, other: object) -> bool:
            return int(self) == other

    def look(count: int) -> int:
        log = LogReading(
            size=0, root="", started=None, closed=None, finished=(), integrity_events=0, failures=(), roots={},
            resumed=tuple(map(Line, range(2, count + 2))), checkpoints=0, interruptions=InterruptionCount(), earlier=(),
                judges={}, judged={},
        )  # fmt: skip
        return calls_of(lambda: _resumes(log, frozenset()))

    assert look(400) < 2.6 * look(200)


def work_of(package: Package, monkeypatch) -> tuple[int, int]:
    """Calls of functions and of generators, and bytes encoded as JSON, while a package is verified."""
    size = 0
    verdicts = []
    encode = msgspec.json.encode

    def encoded(*args, **options) -> bytes:
        nonlocal size
        data = encode(*args, **options)
        size += len(data)
        return data

    with monkeypatch.context() as patch:
        patch.setattr(msgspec.json, "encode", encoded)
        calls = calls_of(lambda: verdicts.append(package.verify()))
    (found,) = verdicts
    assert [line.status for line in found.checks[3:5]] == ["ok", "ok"], found.checks[3:5]
    return calls, size


SMALL = {
    "resumes": {"tasks": 100, "lost": 1, "attempts": 1, "resumes": 1000},
    "attempts": {"tasks": 1, "lost": 0, "attempts": 100, "resumes": 0},
}


@pytest.mark.parametrize("shape", SMALL.values(), ids=SMALL.keys())
def test_twice_the_size_is_twice_the_work(copies, monkeypatch, shape):
    twice = {name: 2 * number if number > 1 else number for name, number in shape.items()}
    small = work_of(forge(copies("small"), **shape), monkeypatch)
    large = work_of(forge(copies("large"), **twice), monkeypatch)
    assert [many < 2.3 * few for few, many in zip(small, large, strict=True)] == [True, True], (small, large)
