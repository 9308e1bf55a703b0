"""Resumes and rollbacks of a package: said whatever its report says, and the same in log and ledger."""

import re

import pytest
from forging import Package

from gaia_harness.submission.verdict import Verdict


def rejected(verdict: Verdict, pattern: str) -> None:
    assert verdict.exit_code == 1, verdict
    assert verdict.checks[5].status == "FAILED", verdict.checks
    assert any(re.search(pattern, fault) for fault in verdict.checks[5].faults), verdict.checks[5].faults


def resumed(package: Package, *, event: dict | None = None, entry: dict | None = None) -> None:
    """A run that was resumed behind its first line, by an event and an entry with these fields; validly signed."""
    events = package.json_lines("log.jsonl")
    events.insert(
        1,
        {"event": "run_resumed", "seq": 1, "time": events[0]["time"], "healed": [], "concurrency": 4, **(event or {})},
    )
    package.set_json_lines("log.jsonl", events)
    package.chain_log()
    entries = package.json_lines("ledger.jsonl")
    at = next(n for n, e in enumerate(entries) if (e["entry"], e["run_id"]) == ("intent", events[0]["run_id"]))
    roots = package.write_checkpoints(
        "checkpoints", "log.jsonl", f"gaia-harness/run/{events[0]['run_id']}", [1, 2, len(events)]
    )
    added = {"entry": "resume", "seq": 0, "time": entries[at]["time"], "run_id": events[0]["run_id"], "log_size": 2}
    entries.insert(at + 1, added | {"log_root": roots[2], "keeps_head": True, **(entry or {})})
    package.set_json_lines("ledger.jsonl", entries)
    package.chain_ledger()
    package.make_metadata()
    package.sign_files()


def test_a_resume_is_said_whatever_the_report_says(package):
    resumed(package)
    verdict = package.verify()
    assert [line.status for line in verdict.checks[:7]] == ["ok"] * 7, verdict.checks
    assert verdict.interruptions.said == "resumed 1 time"
    assert verdict.dirty is None


ROLLBACK = {"rollback": {"kept": 1, "seen": 30}}


def test_a_rollback_is_dirt_whatever_the_report_says(package):
    """The findings of the report are those of before: that AUD-6 did not see it makes the package no cleaner."""
    resumed(package, event=ROLLBACK, entry=ROLLBACK)
    verdict = package.verify()
    assert [line.status for line in verdict.checks[:7]] == ["ok"] * 7, verdict.checks
    assert verdict.dirty == ("the log was rolled back from 30 lines to 1",)


@pytest.mark.parametrize(
    ("event", "entry", "pattern"),
    [
        (ROLLBACK, {}, r"^ledger.jsonl:2: does not say of a rollback what log.jsonl:2 says"),
        ({}, ROLLBACK, r"^ledger.jsonl:2: does not say of a rollback what log.jsonl:2 says"),
        (ROLLBACK, {"rollback": {"kept": 1, "seen": 2}}, r"does not say of a rollback what log.jsonl:2 says"),
    ],
    ids=["log alone", "ledger alone", "fewer lines"],
)
def test_log_and_ledger_must_say_the_same_of_a_rollback(package, event, entry, pattern):
    resumed(package, event=event, entry=entry)
    rejected(package.verify(), pattern)


@pytest.mark.parametrize(("seen", "code"), [(30, 0), (9, 1), (None, 1)])
def test_a_rollback_from_fewer_lines_than_the_ledger_had_seen(package, seen, code):
    rollback = {"rollback": {"kept": 1, "seen": seen}}
    resumed(package, event=rollback, entry=rollback)
    entries = package.json_lines("ledger.jsonl")
    at = next(number for number, entry in enumerate(entries) if "rollback" in entry)
    gone = {**entries[at], "log_size": 10, "log_root": "0" * 64}
    del gone["rollback"]
    entries.insert(at, gone)
    package.set_json_lines("ledger.jsonl", entries)
    package.forge("ledger")
    verdict = package.verify()
    if code:
        rejected(verdict, r"^ledger.jsonl:3: a rollback from fewer lines than the 10 that the ledger had seen")
    else:
        assert [line.status for line in verdict.checks[:7]] == ["ok"] * 7, verdict.checks
