"""Rows that smolagents' examples write: `output/<split>/*.jsonl` of open_deep_research and smolagents_benchmark."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gaia_harness.exchange import smolagents_text
from gaia_harness.exchange.heads import first_value
from gaia_harness.exchange.importers import OnFault
from gaia_harness.exchange.inputs import ImportRefused, InputFile, files_in, parse
from gaia_harness.exchange.neutral import NeutralRun, NeutralStep
from gaia_harness.exchange.smolagents_memory import MemorySteps
from gaia_harness.exchange.span_messages import as_text

NAME = "smolagents"

_RESEARCH = {"agent_name", "augmented_question", "prediction"}
_BENCHMARK = {"model_id", "agent_action_type", "original_question"}


def inputs(path: Path) -> Sequence[InputFile]:
    """The file; of a folder, its `.jsonl` files with such rows, at any depth."""
    files = files_in(path, ".jsonl")
    return [file for file in files if detect(file)] if path.is_dir() else files


def detect(file: InputFile) -> bool:
    """Whether the first row has the fields of one of the two examples."""
    value = first_value(file)
    return isinstance(value, dict) and (value.keys() >= _RESEARCH or value.keys() >= _BENCHMARK)


def read(file: InputFile, on_fault: OnFault) -> Iterator[NeutralRun]:
    """One run per row. A question that comes again belongs to another run: the rows do not number attempts."""
    names: dict[tuple[str, str], int] = {}
    for number, line in file.lines():
        where = f"{file.name}:{number}"
        try:
            yield _run(parse(line, where), where, file.path.stem, names)
        except ImportRefused as error:
            on_fault(error)


def _run(row: Any, where: str, stem: str, names: dict[tuple[str, str], int]) -> NeutralRun:
    if not isinstance(row, dict):
        raise ImportRefused(f"{where}: not an object")
    wrapped, files = smolagents_text.unwrapped(_string(row, "augmented_question", where) or "")
    task_id = _string(row, "task_id", where)
    question = _string(row, "original_question", where) or _string(row, "question", where) or wrapped or None
    if task_id is None and question is None:
        raise ImportRefused(f"{where}: neither question nor task_id: a summary of a run, not a run")
    answer = row.get("prediction") if "prediction" in row else row.get("answer")
    answer = None if answer is None else as_text(answer)
    memory = MemorySteps(row.get("intermediate_steps"), where)
    steps, gaps = list(memory.steps), list(memory.gaps)
    if answer is not None and (memory.hands_in or not _said(answer, steps)):
        steps.append(NeutralStep(type="answer", text=answer))
    if "prediction" in row and memory.steps:
        gaps.append("the model call that worded the final answer is not recorded")
    key = (stem, task_id or question or "")
    again = names[key] = names.get(key, 0) + 1
    correct = row.get("is_correct")
    return NeutralRun(
        steps=tuple(steps),
        task_id=task_id,
        question=question,
        run=stem if again == 1 else f"{stem} ({again})",
        model=_string(row, "model_id", where) or _string(row, "agent_name", where),
        answer=answer,
        correct=correct if isinstance(correct, bool) else None,
        error=_error(row, answer),
        tools=memory.tools,
        attachments=files,
        gaps=tuple(gaps),
    )


def _error(row: dict[str, Any], answer: str | None) -> str | None:
    said = row.get("agent_error")
    if said is not None and said is not False:
        return as_text(said)
    return "the row has no answer" if answer is None else None


def _said(answer: str, steps: Sequence[NeutralStep]) -> bool:
    return any(answer in step.text for step in steps[-1:] if step.type == "llm_call")


def _string(row: dict[str, Any], name: str, where: str) -> str | None:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        raise ImportRefused(f"{where}: {name} is not a text")
    return value if value and value.strip() else None
