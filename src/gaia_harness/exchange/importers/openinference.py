"""Traces of OpenTelemetry with OpenInference's attributes, as JSON: one task-run per trace."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from gaia_harness.exchange import smolagents_text
from gaia_harness.exchange.heads import first_value
from gaia_harness.exchange.importers import OnFault
from gaia_harness.exchange.inputs import ImportRefused, InputFile, files_in
from gaia_harness.exchange.neutral import NeutralRun, NeutralStep
from gaia_harness.exchange.span_messages import as_text, value_of
from gaia_harness.exchange.span_steps import SpanSteps
from gaia_harness.exchange.spans import Span, Trace, is_spans, traces
from gaia_harness.protocol import MARKER

NAME = "openinference"

_WORK = ("LLM", "TOOL", "AGENT", "RETRIEVER")


def inputs(path: Path) -> Sequence[InputFile]:
    """The file; of a folder, its `.json` and `.jsonl` files with spans, at any depth."""
    files = files_in(path, ".json", ".jsonl")
    return [file for file in files if detect(file)] if path.is_dir() else files


def detect(file: InputFile) -> bool:
    """Whether the file begins with spans."""
    return is_spans(first_value(file))


def read(file: InputFile, on_fault: OnFault) -> Iterator[NeutralRun]:
    """One run per trace."""
    names: dict[tuple[str, str], int] = {}
    for trace in traces(file, on_fault):
        where = f"{file.name}: trace {trace.id[:80]}"
        try:
            yield _run(trace, where, file.path.stem, names)
        except ImportRefused as error:
            on_fault(error)


def _run(trace: Trace, where: str, stem: str, names: dict[tuple[str, str], int]) -> NeutralRun:
    if not any(span.kind in _WORK for span in trace.spans):
        raise ImportRefused(f"{where}: no span of a kind of OpenInference ({', '.join(_WORK)}): not an agent's trace")
    found = SpanSteps(trace.spans, where)
    task_id, question, files = _task(trace.spans, found.steps)
    if task_id is None and question is None:
        raise ImportRefused(f"{where}: neither the question nor the task's id is in it")
    answer = _answer(found)
    steps = list(found.steps)
    if answer is not None and not _was_given(answer, steps):
        steps.append(NeutralStep(type="answer", text=answer))
    run = next((span.service for span in trace.spans if span.service), None)
    if run is None or run.startswith("unknown_service"):
        run = stem
    gaps = list(found.gaps)
    if trace.lost:
        gaps.append(f"parts of the file that could not be read: {trace.lost}")
    key = (run, task_id or question or "")
    again = names[key] = names.get(key, 0) + 1
    return NeutralRun(
        steps=tuple(steps),
        task_id=task_id,
        question=question,
        run=run if again == 1 else f"{run} ({again})",
        model=max(found.models, key=lambda model: found.models[model], default=None),
        answer=answer,
        tools=found.roles,
        attachments=files,
        gaps=tuple(gaps),
    )


def _task(spans: Sequence[Span], steps: Sequence[NeutralStep]) -> tuple[str | None, str | None, tuple[str, ...]]:
    """The task's id and question as the program around the agent had them, and the paths of its files."""
    task_id = question = None
    for span in spans:
        about = value_of(span.attributes.get("metadata"))
        known = {**(about if isinstance(about, dict) else {}), **span.task}
        for name in ("task_id", "metadata.task_id", "gaia.task_id"):
            known.setdefault("task_id", span.attributes.get(name))
        task_id = task_id or _string(known.get("task_id"))
        question = question or _string(span.task.get("question"))
    asked, files = smolagents_text.unwrapped(_asked(spans, steps))
    return task_id, question or _string(asked), files


def _asked(spans: Sequence[Span], steps: Sequence[NeutralStep]) -> str:
    """What the first agent was given, or else the first span of all, or else the model."""
    ordered = sorted(spans, key=lambda span: (span.nanos is None, span.nanos or 0))
    agents = [span for span in ordered if span.kind == "AGENT"]
    tops = [span for span in ordered if span.parent is None]
    for span in (*agents[:1], *tops[:1]):
        given = value_of(span.attributes.get("smolagents.task", span.attributes.get("input.value")))
        for name in ("task", "question", "input", "query", "prompt"):
            if isinstance(given, dict) and isinstance(given.get(name), str):
                given = given[name]
        if isinstance(given, str) and given.strip():
            return given
    return next((step.text for step in steps if step.type == "prompt" and step.role == "user"), "")


def _answer(found: SpanSteps) -> str | None:
    """What was scored: the word of the program behind the agent, what the agent gave back, or what was said last."""
    last = next((step.text for step in reversed(found.steps) if step.type == "llm_call" and step.parent is None), None)
    for text in (found.behind_agent, found.agent_output, last):
        if text is not None:
            return text.rpartition(MARKER)[2].strip()
    return None


def _was_given(answer: str, steps: Sequence[NeutralStep]) -> bool:
    last = next((step.text for step in reversed(steps) if step.type == "llm_call" and step.parent is None), "")
    return answer in last or any(step.type == "answer" and step.text.strip() == answer for step in steps)


def _string(value: Any) -> str | None:
    text = as_text(value) if isinstance(value, str) else ""
    return text if text.strip() else None
