"""The table of real runs: what is gated, and which labelled copies are found."""

import json

import msgspec

import gaia_harness as gaia
from redteam.real.measure import Label, Source, table

TASKS = gaia.load_tasks("demo", env={})


def test_labelled_copies_and_gated_runs_are_counted(tmp_path):
    copied, honest = TASKS.tasks[:2]
    gold = TASKS.key.get(copied.task_id).answer
    page = f'{{"task_id": "{copied.task_id}", "Question": "{copied.question}", "Final answer": "{gold}"}}'
    rows = [
        {
            "task_id": task.task_id,
            "run": "theirs",
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
        for task, answer, text in ((copied, gold, page), (honest, "no idea", "a page about gulls"))
    ]
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    labels = [Label("acme/runs", "a.jsonl", "theirs", copied.task_id, "copy-with-answer")]
    assert msgspec.json.decode(msgspec.json.encode(labels), type=list[Label]) == labels
    source = Source("acme/runs", str(tmp_path / "runs"))
    _, line, shown = table([source], "demo", labels, tmp_path / "work", show=True)
    assert line.split()[:8] == ["acme/runs", "2", "1", "1", "1", "1", "of", "1"]
    assert f"{copied.task_id} [copy-with-answer] a.jsonl: critical AUD-1" in shown
