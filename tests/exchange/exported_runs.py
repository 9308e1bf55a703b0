"""A run folder and a package to export, with all kinds of steps, and golds that stand nowhere but in results.jsonl."""

import json
from pathlib import Path

import gaia_harness as gaia
from gaia_harness.run.live_origin import live
from gaia_harness.run.writer import RunWriter

GOLD = "Zwillichquarz"
"""In no text of the run. Every answer is wrong."""

LONG_WORDS = "So many words, and then some. " * 3000
LONG_PROMPT = "Read all of this first. " * 200
LONG_OUTPUT = "a page that goes on and on. " * 300


def data_set(folder: Path, count: int = 2) -> Path:
    """A data set of questions with this gold."""
    split = folder / "2023" / "validation"
    split.mkdir(parents=True)
    rows = [
        {
            "task_id": f"quay-{number}", "Question": f"How do they call stone {number} on the quay?",
            "Level": number % 3 + 1, "Final answer": f"{GOLD} {number}", "file_name": "", "Annotator Metadata": {},
        }
        for number in range(1, count + 1)
    ]  # fmt: skip
    (split / "metadata.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder


def write_run(folder: Path, data: Path, *, env: dict[str, str], declare: bool = False, attempts: int = 1) -> Path:
    """A run with a sub-agent, long texts, sources, an error, and an answer that is handed in by a tool."""
    tasks = gaia.load_tasks(str(data), env={})
    tools = {"search": "search", "ask_keeper": "delegate", "read_book": "read", "final_answer": "answer"}
    origin = live("acme-loop 1.2", tools=tools, workdir="/work", unknown=["context_sha256"])
    with RunWriter(
        folder, dataset=tasks, model="acme/agent-7", origin=origin, declare=declare, env=env, voting_attempts=attempts
    ) as run:
        for task in run.tasks:
            for number in range(1, attempts + 1):
                with run.attempt(task) as attempt:
                    one_attempt(attempt, task.question, f"granite {number}")
    return folder


def one_attempt(attempt: gaia.AttemptWriter, question: str, answer: str) -> None:
    attempt.prompt("You answer questions about stones.", role="system")
    attempt.prompt(LONG_PROMPT + question)
    attempt.llm_call(
        LONG_WORDS, thoughts="A stone, hm.", tokens_in=40, tokens_out=5, stop_reason="tool_use", model="agent-7-0601"
    )
    found = attempt.tool_call("search", {"query": "stone on the quay", "count": 2})
    attempt.tool_result(
        "Quay stones\nGranite all over.\nAnother hit.", call_id=found,
        sources=[gaia.SourceText(url="https://stones.example/a", title="Quay stones", text="Granite all over.")],
    )  # fmt: skip
    attempt.llm_call("I ask the keeper.", tokens_in=50, tokens_out=6)
    asked = attempt.tool_call("ask_keeper", {"what": "the stone"})
    with attempt.sub_agent("keeper", call_id=asked):
        attempt.prompt("What is the stone?")
        attempt.llm_call("I look into the book.", tokens_in=3, tokens_out=4)
        book = attempt.tool_call("read_book", "page 7")
        attempt.tool_result("no such page", call_id=book, is_error=True)
        attempt.llm_call("I cannot find it.", tokens_in=5, tokens_out=6)
    attempt.tool_result("The keeper does not know.", call_id=asked)
    attempt.llm_call("", tokens_in=60, tokens_out=7)
    more = attempt.tool_call("search", {"query": "again"})
    attempt.tool_result(LONG_OUTPUT, call_id=more)
    attempt.llm_call(f"It must be {answer}.", tokens_in=70, tokens_out=8)
    handed = attempt.tool_call("final_answer", {"answer": answer})
    attempt.answer(answer, call_id=handed)
