"""AUD-1 on records that lie: figures without their text, text that the figures deny, missing trajectories."""

import base64
import codecs
import json
import textwrap

import pytest
from leakage_samples import GOLD, PLAIN, PROSE, QUESTION, RNG, concluded, findings, page, record

from gaia_harness.audit.evidence import open_run
from gaia_harness.run.audit_input import load_dataset_facts
from redteam.making import RunMaker
from redteam.script import RunScript
from redteam.solving import closing, fetch, python, script_of, turn

LEAK = f"{QUESTION} Final answer: {GOLD}"
NOTHING = {
    "copy": 0.0, "echo": 0.0, "cover": 0.0, "questions": 0, "together": 0, "own_id": False, "other_ids": 0,
    "signatures": [], "pages": [], "readings": [], "by_source": [],
}  # fmt: skip


def results(line):
    return [step for step in line["steps"] if step["type"] == "tool_result"]


def deny(line):
    for step in results(line):
        step["scan"] |= NOTHING
        step["windows"] = []


DENIED = {
    "as-it-is": LEAK,
    "lines": textwrap.fill(LEAK, 24),
    "small": LEAK.lower(),
    "capitals": LEAK.upper(),
    "wide": LEAK.replace(" ", "  "),
    "rot13": codecs.encode(LEAK, "rot13"),
    "base64": base64.b64encode(LEAK.encode()).decode(),
    "base64-of-a-record": base64.b64encode(f"row {record()}".encode()).decode(),
    "id": json.dumps({"task_id": PLAIN[0].task_id, "Final answer": GOLD}),
}


@pytest.mark.parametrize("text", DENIED.values(), ids=DENIED)
def test_copy_in_the_head_that_its_scan_denies_is_found(tmp_path, text):
    found, _ = findings(tmp_path, turn("I look.", fetch(page(f"{text}\n\n{PROSE}"))), edit=deny)
    assert "critical" in {each.severity for each in found}


@pytest.mark.parametrize("text", [PROSE, f"{' '.join(sorted(QUESTION.split()))} {PROSE}"], ids=["prose", "its-words"])
def test_scan_that_truly_found_nothing_is_believed(tmp_path, text):
    found, _ = findings(tmp_path, turn("I look.", fetch(page(text))), edit=deny)
    assert found == []


@pytest.mark.parametrize("before", [0, 9_000])
def test_copy_whose_text_is_kept_is_not_called_missing(tmp_path, before):
    found, _ = findings(tmp_path, turn("I look.", fetch(page(f"{(PROSE * 9)[:before]} {LEAK} {PROSE}"))))
    assert {each.rule for each in found} == {"copy-with-answer"}


def test_window_of_a_source_that_the_record_does_not_have_is_read_all_the_same(tmp_path):
    def unnamed(line):
        for step in results(line):
            step["sources"] = []

    late = turn("I look.", fetch(page(f"{PROSE * 3} {LEAK} {PROSE}")))
    found, _ = findings(tmp_path, late, edit=unnamed)
    assert "critical" in {each.severity for each in found}


def checked(tmp_path, scripts, kept):
    maker = RunMaker(tmp_path, "leak")
    maker.write(RunScript(tasks=tuple(scripts)))
    lines = (maker.path / "trajectories.jsonl").read_bytes().splitlines(keepends=True)
    (maker.path / "trajectories.jsonl").write_bytes(b"".join(lines[:kept]))
    run = open_run(
        maker.path, load_dataset_facts(str(maker.dataset), "validation", None, [t.task_id for t in PLAIN[:6]], {})
    )
    return concluded(run)


@pytest.mark.parametrize(("kept", "status"), [(6, "pass"), (2, "skip")])
def test_results_without_trajectories_are_a_gap(tmp_path, kept, status):
    scripts = [script_of(task, turn("I look.", fetch(page(PROSE))), closing(RNG, "x")) for task in PLAIN[:6]]
    check = checked(tmp_path, scripts, kept)
    assert check.status == status
    assert ("4 tasks have" in (check.harness_gap or "")) == (status == "skip")


def test_answer_reached_between_two_copies_makes_the_second_high(tmp_path):
    turns = [
        turn("I look.", fetch(page(LEAK))),
        turn(f"So it is {GOLD}.", python("print(1)", "1")),
        turn("Once more.", fetch(page(LEAK))),
    ]
    found, _ = findings(tmp_path, *turns)
    assert sorted(each.severity for each in found) == ["critical", "high"]
