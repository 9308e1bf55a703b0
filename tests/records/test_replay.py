"""One reading of a log: which departures from the rules each kind of reader refuses, and which it notes."""

import msgspec
import pytest

from gaia_harness.errors import EvidenceError
from gaia_harness.records.events import (
    LOG_SCHEMA,
    AttemptFinished,
    AttemptInterrupted,
    AttemptStarted,
    RunClosed,
    RunResumed,
    RunStarted,
    TaskFinished,
)
from gaia_harness.records.replay import LENIENT, RESUMABLE, STRICT, LogFacts, read_log_facts, replay

STARTED = RunStarted(
    run_id="r", model="m", gaia_split="validation", voting_attempts=1, tasks=1, dataset_digest="", record_evidence=True,
    intent_sha256=None, concurrency=1, schema=LOG_SCHEMA,
)  # fmt: skip
BEGUN = AttemptStarted(task_id="t", attempt=1)
ENDED = AttemptFinished(task_id="t", attempt=1, steps=0, steps_sha256=None)
DONE = TaskFinished(task_id="t", attempts=1, trajectory_sha256=None, result_sha256=None, salted=True)
CLOSED = RunClosed(status="complete", tasks=1, finished=1, attempts=1, submittable=True)
WHOLE = [STARTED, BEGUN, ENDED, DONE, CLOSED]


def written(path, events, second=lambda line: line):
    lines = [
        msgspec.json.encode(msgspec.structs.replace(event, seq=seq, time=f"2026-01-02T03:04:{second(seq):02}.000Z"))
        for seq, event in enumerate(events)
    ]
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def read(path, rules):
    facts = LogFacts()
    for _ in replay(path, facts, rules):
        pass
    return facts


@pytest.mark.parametrize("rules", [STRICT, RESUMABLE, LENIENT], ids=["strict", "resumable", "lenient"])
def test_a_whole_log_keeps_every_rule(tmp_path, rules):
    facts = read(written(tmp_path / "log.jsonl", WHOLE), rules)
    assert (facts.events, facts.closed.seq, facts.stray, facts.tasks["t"].stray) == (5, 4, [], [])
    assert [*facts.finished] == ["t"] and facts.finished["t"].line == 4


@pytest.mark.parametrize(
    ("events", "said", "resumable", "noted"),
    [
        ([BEGUN, ENDED, DONE], "1: a log begins with run_started, and nothing else does", False, 0),
        ([STARTED, STARTED], "2: a log begins with run_started, and nothing else does", False, 1),
        ([*WHOLE, RunResumed(concurrency=1)], "6: an event behind the end of the run", True, 1),
        ([STARTED, BEGUN, BEGUN], "3: attempt 1 cannot follow what stands before", False, 1),
        ([STARTED, BEGUN, ENDED, DONE, AttemptStarted(task_id="t", attempt=2)],
         "5: attempt 2 cannot follow what stands before", False, 1),
        ([STARTED, ENDED], "2: attempt 1 ends and is not under way", True, 1),
        ([STARTED, BEGUN, AttemptStarted(task_id="t", attempt=2), ENDED],
         "4: attempt 1 ends and is not under way", True, 0),
        ([STARTED, BEGUN, ENDED, AttemptInterrupted(task_id="t", attempt=1, reason="")],
         "4: attempt 1 is interrupted and not under way", True, 1),
        ([STARTED, BEGUN, DONE], "3: 1 attempt is not what was made", True, 0),
        ([STARTED, DONE], "2: 1 attempt is not what was made", False, 0),
        ([STARTED, BEGUN, ENDED, DONE, DONE], "5: the task 't' is done already", False, 1),
        ([STARTED, BEGUN, ENDED, msgspec.structs.replace(DONE, salted=msgspec.UNSET)],
         "4: a result without a salt, as only version 0.1 wrote them", True, 0),
        ([STARTED, RunResumed()], "2: does not say how many tasks are at work at once", True, 0),
        ([STARTED, msgspec.structs.replace(CLOSED, status="aborted")],
         "2: the run was closed as 'aborted', not as complete", True, 0),
    ],
)  # fmt: skip
def test_who_refuses_what(tmp_path, events, said, resumable, noted):
    path = written(tmp_path / "log.jsonl", events)
    with pytest.raises(EvidenceError) as refused:
        read(path, STRICT)
    assert refused.value.message == f"{path}:{said}"
    if resumable:
        read(path, RESUMABLE)
    else:
        with pytest.raises(EvidenceError) as refused:
            read(path, RESUMABLE)
        assert refused.value.message == f"{path}:{said}"
    facts = read_log_facts(path)
    assert facts.fault is None and facts.events == len(events)
    assert len(facts.stray) + sum(len(task.stray) for task in facts.tasks.values()) == noted


def test_times_that_go_back_are_refused_but_for_version_0_1(tmp_path):
    def back(seq):
        return 59 - seq

    with pytest.raises(EvidenceError, match=r":2: is of an earlier time than a line before it"):
        read(written(tmp_path / "log.jsonl", WHOLE, back), STRICT)
    older = msgspec.structs.replace(STARTED, schema=msgspec.UNSET, concurrency=msgspec.UNSET)
    assert read(written(tmp_path / "log.jsonl", [older, *WHOLE[1:]], back), STRICT).earlier == [1, 2, 3, 4]
    assert read(written(tmp_path / "log.jsonl", WHOLE, back), RESUMABLE).earlier == []
