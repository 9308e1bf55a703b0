"""Small runs that differ in what they got right, made as every run is."""

import json
from collections.abc import Collection, Mapping
from itertools import islice
from pathlib import Path

import gaia_harness as gaia
from gaia_harness.run.live_origin import live
from gaia_harness.run.writer import RunWriter

TASKS = 12


def data_set(folder: Path, tasks: int = TASKS) -> Path:
    split = folder / "2023" / "validation"
    split.mkdir(parents=True)
    rows = [
        {
            "task_id": f"quay-{number:02}", "Question": f"How many boats lie at quay {number}?",
            "Level": number % 3 + 1, "Final answer": f"{number} boats", "file_name": "", "Annotator Metadata": {},
        }
        for number in range(tasks)
    ]  # fmt: skip
    (split / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def write_run(
    folder: Path,
    data: Path,
    right: Collection[int],
    *,
    env: dict[str, str],
    model: str = "acme/agent-7",
    tokens: int = 10,
    declare: bool = False,
    done: int = TASKS,
    options: Mapping[str, object] | None = None,
) -> Path:
    """A run that got these tasks right, and was interrupted where fewer than all are done."""
    tasks = gaia.load_tasks(str(data), env={})
    origin = live("acme-loop 1.2", tools={}, options=options)
    with RunWriter(folder, dataset=tasks, model=model, origin=origin, declare=declare, env=env) as run:
        for number, task in enumerate(islice(run.tasks, done)):
            answer = f"{number if number in right else 77} boats"
            with run.attempt(task) as attempt:
                attempt.prompt(task.question)
                attempt.llm_call(f"FINAL ANSWER: {answer}", tokens_in=tokens, tokens_out=tokens)
                attempt.answer(answer)
    return folder
