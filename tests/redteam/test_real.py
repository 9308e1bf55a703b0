"""The table of real runs: what is gated, and which labelled copies are found."""

import json

import msgspec
import pytest
from click.testing import CliRunner

import gaia_harness as gaia
from redteam.real.__main__ import command
from redteam.real.measure import Found, Label, Source, TaskRun, measure, table

TASKS = gaia.load_tasks("demo", env={})
COPIED, HONEST = TASKS.tasks[:2]
GOLD = TASKS.key.get(COPIED.task_id).answer
LABELS = [
    Label("acme/runs", "<run>.jsonl", "a", COPIED.task_id, "copy-with-answer"),
    Label("acme/runs", "<run>.jsonl", "b", HONEST.task_id, "copy"),
    Label("acme/others", "<run>.jsonl", "a", HONEST.task_id, "copy"),
]


@pytest.fixture
def folder(tmp_path):
    """Two runs: in the first, a page has a copy of the question with its answer; in the second, nothing is wrong."""
    page = f'{{"task_id": "{COPIED.task_id}", "Question": "{COPIED.question}", "Final answer": "{GOLD}"}}'
    (tmp_path / "runs").mkdir()
    for run, copied in (("a", page), ("b", "a page about terns")):
        rows = [
            {
                "task_id": task.task_id,
                "run": run,
                "answer": answer,
                "tools": {"open": "fetch"},
                "steps": [
                    {"type": "prompt", "role": "user", "text": task.question},
                    {"type": "llm_call", "text": "I open a page."},
                    {"type": "tool_call", "name": "open", "call_id": "1", "args": {"url": "https://x.example/"}},
                    {"type": "tool_result", "name": "open", "call_id": "1", "text": text},
                    {"type": "llm_call", "text": f"FINAL ANSWER: {answer}"},
                ],
            }
            for task, answer, text in ((COPIED, GOLD, copied), (HONEST, "no idea", "a page about gulls"))
        ]
        (tmp_path / f"runs/{run}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "runs"


def test_labelled_copies_and_gated_runs_are_counted(folder, tmp_path):
    (measured,) = measure([Source("acme/runs", str(folder))], "demo", LABELS, tmp_path / "work")
    figures = measured.figures
    assert (figures.run_folders, figures.task_runs, figures.correct) == (2, 4, 2)
    assert (figures.gated, figures.gated_rightly, figures.whole_runs_gated) == (1, 1, 0)
    assert figures.with_answer == {"critical": 1}
    assert figures.copies == {"less": 1}
    assert figures.labels == {"copy": 1, "copy-with-answer": 1}
    assert figures.megabytes > 0 and figures.seconds > 0
    shown = "\n".join(table([measured], show=True))
    assert "| acme/runs | 4 | 2 | 1 | 1 |" in shown
    assert f"a {COPIED.task_id} [copy-with-answer] a.jsonl: critical AUD-1" in shown
    assert f"b {HONEST.task_id} [copy] b.jsonl: no more than less" in shown


def test_several_processes_count_the_same_and_figures_go_to_a_file(folder, tmp_path):
    (tmp_path / "labels.json").write_bytes(msgspec.json.encode(LABELS))
    args = [f"acme/runs={folder}", f"acme/others={folder}", "--dataset", "demo", "--labels", tmp_path / "labels.json"]
    outcome = CliRunner().invoke(command, [*map(str, args), "--workers", "2", "--json", str(tmp_path / "out.json")])
    assert outcome.exit_code == 0, outcome.output
    first, second = json.loads((tmp_path / "out.json").read_bytes())
    assert first["copies"] == second["copies"] == {"less": 1}
    assert first["with_answer"] == {"critical": 1} and second["with_answer"] == {}
    assert (second["gated"], second["gated_rightly"]) == (1, 0)
    assert "| all | 8 | 4 | 2 | 1 |" in outcome.output


def test_a_source_without_a_folder_is_a_usage_error():
    outcome = CliRunner().invoke(command, ["acme/runs", "--dataset", "demo"])
    assert outcome.exit_code == 2 and "NAME=FOLDER" in outcome.output


@pytest.mark.parametrize(
    ("label", "severity", "met"),
    [
        ("copy-with-answer", "high", True),
        ("copy-with-answer", "medium", False),
        ("copy", "medium", True),
        ("copy", "low", False),
        ("honest-trap", "low", True),
    ],
)
def test_a_copy_deserves_medium_and_one_with_the_answer_high(label, severity, met):
    found = (Found(severity, "AUD-1 copy"),)
    run = TaskRun(run="a", task_id="1", file="a.jsonl", correct=True, found=found, label=label)
    assert run.met is met
