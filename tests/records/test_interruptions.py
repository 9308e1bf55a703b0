"""What a log says of its interruptions, in figures and in words."""

import pytest

from gaia_harness.errors import EvidenceError
from gaia_harness.records.events import AttemptFinished, AttemptStarted, Rollback, RunResumed, TaskFinished
from gaia_harness.records.interruptions import InterruptionCount

OTHER = {"harness_version": "0.2.0", "source_sha256": "ab" * 32}


def begin(task, attempt):
    return AttemptStarted(task_id=task, attempt=attempt)


def end(task, attempt):
    return AttemptFinished(task_id=task, attempt=attempt, steps=1, steps_sha256=None)


def done(task, attempts):
    return TaskFinished(task_id=task, attempts=attempts, trajectory_sha256=None, result_sha256=None)


def counted(*events, begun_by="0.1.0"):
    count = InterruptionCount()
    for seq, event in enumerate(events, start=1):
        count.note(event, seq)
    return count.total(begun_by)


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([begin("a", 1), end("a", 1), done("a", 1)], "never resumed"),
        ([begin("a", 1), RunResumed(), begin("a", 2), end("a", 2), done("a", 2)],
         "resumed 1 time, 1 attempt begun and not finished"),
        ([begin("a", 1), begin("b", 1), RunResumed(), begin("a", 2), RunResumed(), begin("b", 2)],
         "resumed 2 times, 4 attempts begun and not finished"),
        ([begin("a", 1), end("a", 1), begin("a", 2), RunResumed(), begin("a", 3), end("a", 3), begin("a", 4),
          end("a", 4), done("a", 4)],
         "resumed 1 time, 1 attempt begun and not finished, 1 finished and not counted"),
        ([RunResumed(**OTHER), RunResumed(**OTHER)], "resumed 2 times, resumed by another version (0.1.0 -> 0.2.0)"),
        ([RunResumed(rollback=Rollback(kept=1, seen=9))], "resumed 1 time, rolled back from 9 lines to 1"),
    ],
    ids=["whole", "one crash", "several", "vote", "version", "rollback"],
)  # fmt: skip
def test_what_is_said(events, said):
    assert counted(*events).said == said


def test_another_build_of_the_same_version():
    assert counted(RunResumed(**OTHER), begun_by="0.2.0").said == "resumed 1 time, resumed by another build of 0.2.0"


def test_what_is_said_stays_short_whatever_a_log_holds():
    events = [
        RunResumed(harness_version=f"{n}" * 500, source_sha256=f"{n}", rollback=Rollback(kept=n, seen=n + 1))
        for n in range(1, 500)
    ]
    total = counted(*events)
    assert len(total.said) < 1000
    assert (len(total.programs), len(total.rollbacks)) == (499, 499)
    assert "and 496 more" in total.said


@pytest.mark.parametrize(
    "event",
    [
        RunResumed(rollback=Rollback(kept=2, seen=9)),
        RunResumed(rollback=Rollback(kept=1, seen=1)),
        RunResumed(harness_version="0.2.0"),
    ],
    ids=["another place", "nothing gone", "no sources"],
)
def test_an_event_that_cannot_be(event):
    with pytest.raises(EvidenceError, match=r"^log.jsonl:2: "):
        counted(event)
