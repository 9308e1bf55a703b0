"""The rows of a data set in the formats in which people publish them, and pages that hold them."""

import csv
import html
import io
import json
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from redteam.prose import prose, sentence
from redteam.words import Slots
from redteam.world import LabTask, Page, tasks

Row = dict[str, Any]
_ASKED = ("Question", "question", "Question", "prompt", "task_question")
_ANSWERED = (
    "Final answer", "final_answer", "ground_truth", "true_answer", "expected_answer", "gold_answer", "Final answer",
    "reference_answer", "answer",
)  # fmt: skip
_EXTRAS: dict[str, Callable[[LabTask, random.Random], Any]] = {
    "Level": lambda task, rng: task.level,
    "file_name": lambda task, rng: "" if task.attachment is None else f"{task.task_id}.{task.attachment.extension}",
    "Annotator Metadata": lambda task, rng: {
        "Steps": task.steps,
        "Number of steps": str(task.steps.count("\n") + 1),
        "How long did this take?": f"{rng.randint(2, 40)} minutes",
        "Number of tools": str(rng.randint(1, 4)),
    },
    "prediction": lambda task, rng: rng.choice((task.gold, "unable to determine", sentence(rng))),
    "is_correct": lambda task, rng: rng.random() < 0.5,
    "split": lambda task, rng: "validation",
    "steps_taken": lambda task, rng: rng.randint(2, 30),
}


def strangers(rng: random.Random, count: int) -> list[LabTask]:
    """Tasks of the same kind that are not in the run: what else stands in a leaked file."""
    return tasks(("strangers", rng.getrandbits(64)), count)


def rows_of(rng: random.Random, asked: Sequence[LabTask], wording: Mapping[str, str] | None = None) -> list[Row]:
    """A record for each task, all with the same columns. `wording` has other words for a question, by task id."""
    question = rng.choice(_ASKED)
    # an edited question beside no more than "answer" would be anybody's quiz
    answer = rng.choice(_ANSWERED if wording is None else _ANSWERED[:-1])
    extras = rng.sample(sorted(_EXTRAS), rng.randint(1, 4))
    named = rng.choice(("task_id", "task_id", "task_id", "id", "idx"))
    order = [named, question, answer, *extras]
    if rng.random() < 0.5:
        rng.shuffle(order)
    made = []
    for number, task in enumerate(asked):
        values: Row = {name: _EXTRAS[name](task, rng) for name in extras}
        values[named] = number if named == "idx" else task.task_id
        values[question] = (wording or {}).get(task.task_id, task.question)
        values[answer] = task.gold
        made.append({name: values[name] for name in order})
    return made


def among_strangers(rng: random.Random, task: LabTask, most: int = 3, wording: str | None = None) -> list[Row]:
    """The record of a task, and up to so many of tasks that nobody in this run is asked."""
    asked = [task, *strangers(rng, rng.randint(0, most))]
    rng.shuffle(asked)
    return rows_of(rng, asked, None if wording is None else {task.task_id: wording})


def as_jsonl(rng: random.Random, records: Sequence[Row]) -> str:
    """One JSON object a line, or all of them as one array."""
    plain = rng.random() < 0.5
    if rng.random() < 0.3:
        return json.dumps(list(records), ensure_ascii=not plain, indent=rng.choice((2, 4)))
    return "\n".join(json.dumps(record, ensure_ascii=not plain) for record in records)


def as_csv(rng: random.Random, records: Sequence[Row]) -> str:
    """A table of comma or tab separated values."""
    table = io.StringIO()
    delimiter = rng.choice(",,\t;")
    if rng.random() < 0.5:
        writer = csv.DictWriter(table, list(records[0]), delimiter=delimiter, lineterminator="\n")
    else:
        writer = csv.DictWriter(
            table, list(records[0]), delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL
        )
    writer.writeheader()
    writer.writerows(
        {name: json.dumps(value) if isinstance(value, dict) else value for name, value in record.items()}
        for record in records
    )
    return table.getvalue()


def as_markdown(rng: random.Random, records: Sequence[Row]) -> str:
    """A table between bars."""
    names = [name for name, value in records[0].items() if not isinstance(value, dict)]
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    lines += [f"| {' | '.join(str(record[name]).replace('|', '/') for name in names)} |" for record in records]
    return f"{'#' * rng.randint(1, 3)} {rng.choice(('Results', 'Validation rows', 'Samples', 'Run log'))}\n\n" + (
        "\n".join(lines)
    )


def as_viewer(rng: random.Random, records: Sequence[Row]) -> str:
    """A page of a data viewer: its tags as they are, or what a reader makes of them."""
    names = list(records[0])
    if rng.random() < 0.5:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "\n".join(
            "<tr>" + "".join(f"<td class='cell'>{html.escape(str(record[name]))}</td>" for name in names) + "</tr>"
            for record in records
        )
        return f"<table id='viewer'>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
    types = (f"{name}\n{rng.choice(('string', 'stringlengths', 'stringclasses'))}" for name in names)
    cells = (str(record[name]) for record in records for name in names)
    return "\n".join(("Data viewer", f"Split (1): validation · {rng.randint(40, 300)} rows", *types, *cells))


def as_notebook(rng: random.Random, records: Sequence[Row]) -> str:
    """A notebook in which somebody looked at the rows."""
    shown = rng.choice((as_jsonl, as_csv, as_markdown))(rng, records)
    cells = [
        {"cell_type": "markdown", "source": [f"# {rng.choice(('Look at the data', 'Error analysis', 'EDA'))}\n"]},
        {
            "cell_type": "code",
            "execution_count": rng.randint(1, 60),
            "source": ["for row in ds:\n", "    print(row)"],
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": [f"{line}\n" for line in shown.splitlines()]}
            ],
        },
    ]
    book = {"cells": cells, "metadata": {"language_info": {"name": "python"}}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=rng.choice((None, 1, 2)), ensure_ascii=rng.random() < 0.5)


def as_post(rng: random.Random, records: Sequence[Row]) -> str:
    """Questions and answers as somebody writes them down for others to read."""
    asks, answers = rng.choice(
        (("Q:", "A:"), ("Question:", "Answer:"), ("**Task**", "**Solution**"), ("Prompt ", "=>"))
    )
    entries = []
    for record in records:
        question = next(record[name] for name in _ASKED if name in record)
        answer = next(record[name] for name in _ANSWERED if name in record)
        between = rng.choice(("", f"{sentence(rng)}\n", f"{sentence(rng)} {sentence(rng)}\n"))
        entries.append(f"{asks} {question}\n{between}{answers} {answer}")
    return "\n\n".join(entries)


FORMS: dict[str, Callable[[random.Random, Sequence[Row]], str]] = {
    "jsonl": as_jsonl,
    "csv": as_csv,
    "markdown": as_markdown,
    "viewer": as_viewer,
    "notebook": as_notebook,
    "post": as_post,
}
_HOSTS = (
    "hub.{}.example", "{}.example", "code.{}.example", "mirror-{}.example", "raw.{}.example", "{}-data.example",
    "paste.{}.example", "static.{}.example",
)  # fmt: skip
_PATHS = {
    "jsonl": ("datasets/{u}/{r}/resolve/main/2023/validation/metadata.jsonl", "{u}/{r}/main/data/{f}.jsonl", "p/{n}"),
    "csv": ("{u}/{r}/main/results/{f}.csv", "files/{n}/{f}.csv", "share/{n}"),
    "markdown": ("{u}/{r}/blob/main/README.md", "{u}/{r}/wiki/{f}", "docs/{n}"),
    "viewer": ("datasets/{u}/{r}/viewer/2023_all/validation", "spaces/{u}/{r}", "view/{n}"),
    "notebook": ("{u}/{r}/blob/main/{f}.ipynb", "nb/{n}/{f}.ipynb", "notebooks/{n}"),
    "post": ("blog/{n}", "2025/11/{f}", "p/{n}", "@{u}/{f}-{n}"),
}
_REPOS = ("agent-evals", "gaia-copy", "val-set", "assistant-bench", "eval-logs", "GAIA", "my-agent", "gaia_traces")
_FILES = ("rows", "results", "validation", "eval_2025", "output", "samples", "predictions-v2", "level1")
_TITLES = {
    "jsonl": ("metadata.jsonl", "rows", "raw", "main/data"),
    "csv": ("results.csv", "Shared table", "predictions"),
    "markdown": ("README", "Notes on our runs", "Examples"),
    "viewer": ("Data viewer", "Trace explorer", "Dataset preview"),
    "notebook": ("analysis.ipynb", "Notebook", "Look at the data"),
    "post": ("How my agent did", "Hard questions for agents", "A few puzzles, solved", "Week 14"),
}


def leaky_place(rng: random.Random, form: str) -> tuple[str, str]:
    """An address and a title under which such a copy may stand."""
    slots = Slots(rng)
    path = rng.choice(_PATHS[form]).format(
        u=slots.fill("{surname}").lower(), r=rng.choice(_REPOS), f=rng.choice(_FILES), n=rng.randint(1000, 999_999)
    )
    host = rng.choice(_HOSTS).format(slots.fill("{surname2}").lower())
    return f"https://{host}/{path}", rng.choice(_TITLES[form])


def page_with(rng: random.Random, form: str, copy: str, *, before: int | None = None, after: int | None = None) -> Page:
    """A page that carries this text, with so many characters of something else around it."""
    url, title = leaky_place(rng, form)
    ahead = rng.choice((0, 0, 400, 1500)) if before is None else before
    behind = rng.choice((0, 0, 800, 6000)) if after is None else after
    parts = [prose(rng, ahead) if ahead else "", copy, prose(rng, behind) if behind else ""]
    return Page(url=url, title=title, text="\n\n".join(part for part in parts if part), carries_gold=True)
