"""Runs to look at: one with every kind of step and findings in it, one with hostile text in every field."""

import json
from pathlib import Path

import gaia_harness as gaia
from gaia_harness.run.live_origin import live
from gaia_harness.run.writer import RunWriter

GOLD = "Zwillichquarz"
"""In no text of the run but where somebody was caught with it."""

MARKUP = (
    '</script><script>alert(1)</script><img src=x onerror=alert(2)>" onmouseover="alert(3)\' &lt;b&gt; {{7*7}} <!--'
)
HOSTILE = f"{MARKUP} javascript:alert(4) \u202eevil\u202c \x00\x1b[31mred\x1b[0m \u200b"
LONG = "So many words, and then some more. \u202e" * 140_000
"""Five megabytes."""

PICTURE = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CAB+GTG8HSALfKY52f"
    "TcuYAAAAAElFTkSuQmCC"
)


def data_set(folder: Path, rows: list[tuple[str, str, int, str]]) -> Path:
    """Tasks by id, question, level and gold."""
    split = folder / "2023" / "validation"
    split.mkdir(parents=True)
    written = [
        {
            "task_id": task_id, "Question": question, "Level": level, "Final answer": gold, "file_name": "",
            "Annotator Metadata": {},
        }
        for task_id, question, level, gold in rows
    ]  # fmt: skip
    (split / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in written))
    return folder


QUESTION = (
    "On the long quay of Farrowby, between the third lamp and the fish market, one stone was laid by the widow "
    "Amaranth Pell in the winter of the great herring; how do the harbour people call this stone?"
)
TOOLS = {"search": "search", "open_page": "fetch", "ask_keeper": "delegate", "final_answer": "answer"}


def write_run(folder: Path, data: Path, env: dict[str, str], *, declare: bool = False, attempts: int = 1) -> Path:
    """A run of three tasks: one right with two calls at once, one caught with a copy, one that failed."""
    tasks = gaia.load_tasks(str(data), env={})
    origin = live("acme-loop 1.2", tools=TOOLS, workdir="/work", unknown=["context_sha256"])
    with RunWriter(
        folder, dataset=tasks, model="acme/agent-7", origin=origin, declare=declare, env=env, voting_attempts=attempts
    ) as run:
        for task in run.tasks:
            for _ in range(attempts):
                with run.attempt(task) as attempt:
                    STORIES[task.task_id](attempt, task.question)
    return folder


def write_three(folder: Path, env: dict[str, str], **how: object) -> Path:
    """The same with its data set, in a folder of its own."""
    rows = [
        ("quay-1", "How many lamps stand on the quay of Farrowby?", 1, "12"),
        ("quay-2", QUESTION, 2, GOLD),
        ("quay-3", "Who lit the seventh lamp?", 3, "Ottilie Quern"),
    ]
    return write_run(folder / "run", data_set(folder / "data", rows), env, **how)  # type: ignore[arg-type]


def _worked(attempt: gaia.AttemptWriter, question: str) -> None:
    attempt.prompt("You answer questions about a quay.", role="system")
    attempt.prompt(question)
    attempt.llm_call("I look in two places.", thoughts="Lamps, hm.", tokens_in=1240, tokens_out=5, latency_ms=812)
    one = attempt.tool_call("search", {"query": "lamps Farrowby quay"})
    two = attempt.tool_call("open_page", {"url": "https://quay.example/lamps"})
    attempt.tool_result(
        "Lamps of Farrowby\nTwelve lamps.\nAnother hit.", call_id=one,
        sources=[gaia.SourceText(url="https://quay.example/a", title="Lamps of Farrowby", text="Twelve lamps.")],
    )  # fmt: skip
    attempt.tool_result(
        f"There are twelve lamps.\n{PICTURE}\n" + "The quay goes on. " * 400, call_id=two,
        sources=[gaia.SourceText(url="https://quay.example/lamps", title="Lamps", text="There are twelve lamps.")],
    )  # fmt: skip
    attempt.llm_call("I ask the keeper.", tokens_in=1400, tokens_out=6)
    asked = attempt.tool_call("ask_keeper", {"what": "the lamps"})
    with attempt.sub_agent("keeper", call_id=asked):
        attempt.prompt("How many lamps?")
        attempt.llm_call("I count them. " * 6000, tokens_in=3, tokens_out=24_000)
    attempt.tool_result("Twelve, says the keeper.", call_id=asked)
    attempt.llm_call("So it is 12.", tokens_in=1500, tokens_out=8)
    handed = attempt.tool_call("final_answer", {"answer": "12"})
    attempt.answer("12", call_id=handed)


def _copied(attempt: gaia.AttemptWriter, question: str) -> None:
    attempt.prompt(question)
    attempt.llm_call("I search for the question.", tokens_in=100, tokens_out=9)
    call = attempt.tool_call("search", {"query": question[:60]})
    text = f'ünrelated lines first.\n{"{"}"Question": "{question}", "Final answer": "{GOLD}"{"}"}\nand more.'
    attempt.tool_result(
        text, call_id=call,
        sources=[gaia.SourceText(url="https://huggingface.co/datasets/x/y", title="rows", text=text)],
    )  # fmt: skip
    attempt.llm_call(f"FINAL ANSWER: {GOLD}", tokens_in=400, tokens_out=9)
    attempt.answer(GOLD)


def _failed(attempt: gaia.AttemptWriter, question: str) -> None:
    attempt.prompt(question)
    call = attempt.tool_call("open_page", {"url": "https://quay.example/seventh"})
    attempt.tool_result("no such page", call_id=call, is_error=True)
    attempt.failed("the connection was lost")


STORIES = {"quay-1": _worked, "quay-2": _copied, "quay-3": _failed}


def write_hostile(folder: Path, env: dict[str, str]) -> Path:
    """A run with hostile text in every field that somebody else than us can fill."""
    data = data_set(folder / "data", [(f"x{MARKUP}", f"Q {HOSTILE}", 1, f"G {HOSTILE}"), ("second", "Q2", 2, "42")])
    tasks = gaia.load_tasks(str(data), env={})
    origin = live(f"loop {HOSTILE}"[:60], tools={f"tool {HOSTILE}": "fetch"}, workdir="/work")
    with RunWriter(folder / "run", dataset=tasks, model="acme/agent", origin=origin, env=env) as run:
        first, second = run.tasks
        with run.attempt(first) as attempt:
            attempt.prompt(f"P {HOSTILE}", role=f"role {HOSTILE}")
            attempt.llm_call(
                f"W {HOSTILE} \ud800", thoughts=f"T {HOSTILE}", model=f"M {HOSTILE}", stop_reason=f"S {HOSTILE}"
            )
            call = attempt.tool_call(
                f"tool {HOSTILE}", {f"name {HOSTILE}": f"value {HOSTILE}", "deep": {"a": [HOSTILE]}}
            )
            with attempt.sub_agent(f"agent {HOSTILE}", call_id=call):
                attempt.llm_call(f"I {HOSTILE}")
            attempt.tool_result(
                f"O {HOSTILE}", call_id=call,
                sources=[
                    gaia.SourceText(url=f"javascript:alert(5)//{HOSTILE}", title=f"title {HOSTILE}", text="O"),
                    gaia.SourceText(url="data:text/html,<script>alert(6)</script>", title="d", text="O"),
                    gaia.SourceText(url="https://fine.example/", title="fine", text="O"),
                ],
            )  # fmt: skip
            attempt.llm_call(LONG)
            attempt.answer(f"A {HOSTILE}")
        with run.attempt(second) as attempt:
            attempt.prompt("Q2")
            attempt.failed(f"E {HOSTILE}")
    return folder / "run"
