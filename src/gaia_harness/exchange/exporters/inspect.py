"""A log of Inspect AI (`.eval`), one sample per attempt, made of its library's own types."""

import re
import zipfile
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gaia_harness.errors import EvidenceError, UsageError
from gaia_harness.exchange.export_source import Attempt, ExportedTask, ExportSource, RunInfo, Told
from gaia_harness.judge import scorer
from gaia_harness.records.steps import LlmCall, Prompt, ToolCallStep, ToolResultStep
from gaia_harness.timestamps import parse_timestamp

NAME = "inspect"
FOLDER = False
ENDING = ".eval"

INSTALL = "pip install 'gaia-harness[inspect]'"

_STOP = {
    "stop": "stop", "end_turn": "stop", "stop_sequence": "stop", "length": "max_tokens", "max_tokens": "max_tokens",
    "tool_calls": "tool_calls", "tool_use": "tool_calls", "content_filter": "content_filter",
    "refusal": "content_filter", "model_context_window_exceeded": "model_length",
}  # fmt: skip
"""Reasons as providers name them, and as Inspect does."""

_PLAIN = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")


def write(source: ExportSource, out: Path) -> list[str]:
    """Samples as they come, then the header."""
    _library()
    from inspect_ai.log import EvalSampleSummary

    summaries: list[EvalSampleSummary] = []
    without, epochs = 0, 1
    with zipfile.ZipFile(out, "x", zipfile.ZIP_DEFLATED) as archive:
        for task in source.tasks():
            if not _PLAIN.fullmatch(task.facts.task_id):
                raise UsageError(
                    f"the task id {task.facts.task_id[:80]!a} cannot be the name of a sample's file",
                    hint="choose another --format",
                )
            without += not task.attempts
            for attempt in task.attempts:
                sample = _made(task.facts.task_id, lambda: _sample(source.info, task, attempt))  # noqa: B023 - called at once
                epochs = max(epochs, attempt.number)
                _add(archive, f"samples/{task.facts.task_id}_epoch_{attempt.number}.json", sample)
                summaries.append(sample.summary())
        encoded = b"[" + b",".join(one.model_dump_json(exclude_none=True).encode() for one in summaries) + b"]"
        archive.writestr(zipfile.ZipInfo("summaries.json"), encoded, zipfile.ZIP_DEFLATED)
        _add(archive, "header.json", _made("run.json", lambda: _header(source, epochs)))
    return [f"tasks without recorded steps are left out: {without}"] if without else []


def _library() -> None:
    try:
        import inspect_ai.log  # noqa: F401
    except ImportError as error:
        raise UsageError(
            f"logs of Inspect are written with inspect_ai, which is not installed ({error})", hint=INSTALL
        ) from None


def _made(what: str, make: Callable[[], Any]) -> Any:
    """Something of the library's types, which check what they are given."""
    try:
        return make()
    except (ValueError, TypeError) as error:
        said = (str(error).splitlines() or [""])[0][:200]
        raise EvidenceError(f"{what[:80]}: inspect_ai refuses it: {said}") from error


def _add(archive: zipfile.ZipFile, name: str, value: Any) -> None:
    archive.writestr(zipfile.ZipInfo(name), value.model_dump_json(exclude_none=True), zipfile.ZIP_DEFLATED)


def _header(source: ExportSource, epochs: int) -> Any:
    from inspect_ai.log import (
        EvalConfig,
        EvalDataset,
        EvalLog,
        EvalMetric,
        EvalResults,
        EvalScore,
        EvalSpec,
        EvalStats,
    )

    info, results = source.info, list(source.results.values())
    started, finished = parse_timestamp(info.started_at or ""), parse_timestamp(info.finished_at or "")
    scored = [facts.correct for facts in results if facts.correct is not None]
    score = EvalScore(
        name=scorer.NAME, scorer=scorer.NAME, scored_samples=len(scored),
        metrics={"accuracy": EvalMetric(name="accuracy", value=sum(scored) / (len(scored) or 1))},
    )  # fmt: skip
    about = {
        "run_id": info.run_id, "split": info.split, "dataset_digest": info.digest, "dataset_revision": info.revision,
        "origin": None if info.origin is None else info.origin.describe(), "gaps": list(info.gaps()) or None,
        "isolation": info.isolation or None,
    }  # fmt: skip
    return EvalLog(
        version=2,
        status="success" if len(results) >= len(info.task_ids) else "cancelled",
        eval=EvalSpec(
            run_id=info.run_id,
            created=(started or _UNKNOWN).isoformat(),
            task="gaia",
            dataset=EvalDataset(
                name="GAIA" if info.dataset == "hub" else info.dataset,
                samples=len(info.task_ids),
                sample_ids=list(info.task_ids),
            ),
            model=info.model,
            config=EvalConfig(epochs=epochs),
            packages={"gaia-harness": info.harness_version or "unknown"},
            metadata={name: value for name, value in about.items() if value is not None},
        ),
        results=EvalResults(
            total_samples=len(info.task_ids), completed_samples=len(results), scores=[score] if scored else []
        ),
        stats=EvalStats(
            started_at=started.isoformat() if started else "", completed_at=finished.isoformat() if finished else ""
        ),
    )


_UNKNOWN = datetime.fromtimestamp(0, UTC)


def _sample(info: RunInfo, task: ExportedTask, attempt: Attempt) -> Any:
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ModelOutput
    from inspect_ai.scorer import Score

    facts = task.facts
    started = parse_timestamp((attempt.times.started_at if attempt.times else info.started_at) or "")
    finished = parse_timestamp((attempt.times.finished_at if attempt.times else None) or "")
    story = _Story(info, attempt.steps, started or _UNKNOWN)
    asked = next(
        (told.text for told in attempt.steps if isinstance(told.step, Prompt) and told.step.role == "user"), ""
    )
    scores = None
    if attempt.selected and facts.correct is not None:
        scores = {scorer.NAME: Score(value="C" if facts.correct else "I", answer=attempt.answer)}
    failed = facts.error if attempt.selected and attempt.answer is None else None
    about = {"level": facts.level, "selected": attempt.selected, "run_id": info.run_id, "answer": attempt.answer}
    return EvalSample(
        id=facts.task_id,
        epoch=attempt.number,
        input=asked if task.question is None else task.question,
        target="",  # the gold answer is never exported
        messages=story.messages,
        output=ModelOutput.from_content(model=info.model, content=attempt.answer or ""),
        scores=scores,
        metadata={name: value for name, value in about.items() if value is not None},
        events=story.events,
        started_at=started.isoformat() if started else None,
        completed_at=finished.isoformat() if finished else None,
        uuid=f"{info.run_id}/{facts.task_id}/{attempt.number}",
        error=None if failed is None else EvalError(message=failed, traceback="", traceback_ansi=""),
    )


class _Story:
    """The steps of an attempt as messages and events. What a sub-agent did is among the events alone.

    The input of a model's event is what is new in the request. Steps have no times of their own: all events carry the
    time at which the attempt began.
    """

    def __init__(self, info: RunInfo, steps: Sequence[Told], started: datetime) -> None:
        self.messages: list[Any] = []
        self.events: list[Any] = []
        self._model = info.model
        self._when: dict[str, Any] = {"timestamp": started, "working_start": 0.0}
        self._new: dict[str | None, list[Any]] = {}  # messages that no request had yet, by the span of their agent
        self._agents: dict[tuple[str, int | None], str] = {}
        self._at: dict[int, str | None] = {}  # the span in which each step stands
        self._open: list[str] = []
        self._results = {told.step.call_id: told for told in steps if isinstance(told.step, ToolResultStep)}
        self._delegated = {
            told.step.parent for told in steps if isinstance(told.step.agent, str) and isinstance(told.step.parent, int)
        }
        self._tool_spans: dict[int, str] = {}
        self._asked = _asked_for(steps)
        calls = {told.step.call_id: told.step for told in steps if isinstance(told.step, ToolCallStep)}
        for told in steps:
            step = told.step
            span = self._at[step.seq] = self._span(told)
            if isinstance(step, Prompt):
                self._prompt(told, step, span)
            elif isinstance(step, LlmCall):
                self._said(told, step, span)
            elif isinstance(step, ToolCallStep):
                if step.seq in self._delegated and step.call_id in self._results:
                    self._delegate(step, span)
            elif isinstance(step, ToolResultStep):
                self._came_back(told, step, calls[step.call_id], span)
        while self._open:
            self._end(self._open[-1])

    def _span(self, told: Told) -> str | None:
        """The span of the step's agent; the agent itself has none."""
        from inspect_ai.event import SpanBeginEvent

        agent, parent = told.step.agent, told.step.parent
        if not isinstance(agent, str):
            return None
        started_by = parent if isinstance(parent, int) and parent in self._at else None
        key = (agent, started_by)
        if key not in self._agents:
            span = self._agents[key] = f"agent-{len(self._agents) + 1}"
            outer = None if started_by is None else self._tool_spans.get(started_by, self._at[started_by])
            self._open.append(span)
            self.events.append(
                SpanBeginEvent(id=span, span_id=span, parent_id=outer, type="agent", name=agent, **self._when)
            )
        return self._agents[key]

    def _end(self, span: str) -> None:
        from inspect_ai.event import SpanEndEvent

        while span in self._open:
            last = self._open.pop()
            self.events.append(SpanEndEvent(id=last, span_id=last, **self._when))

    def _prompt(self, told: Told, step: Prompt, span: str | None) -> None:
        from inspect_ai.model import ChatMessageSystem, ChatMessageUser

        if not told.text:
            return
        kind = ChatMessageSystem if step.role in ("system", "tools") else ChatMessageUser
        message = kind(id=f"step-{step.seq}", content=told.text, metadata=_about(told, role=step.role))
        self._new.setdefault(span, []).append(message)
        if span is None:
            self.messages.append(message)

    def _said(self, told: Told, step: LlmCall, span: str | None) -> None:
        from inspect_ai.event import ModelEvent
        from inspect_ai.model import (
            ChatCompletionChoice,
            ChatMessageAssistant,
            ContentReasoning,
            ContentText,
            GenerateConfig,
            ModelOutput,
            ModelUsage,
        )
        from inspect_ai.tool import ToolCall

        content: Any = told.text
        if told.thoughts:
            content = [ContentReasoning(reasoning=told.thoughts), *([ContentText(text=told.text)] if told.text else [])]
        message = ChatMessageAssistant(
            id=f"step-{step.seq}", content=content, model=step.model, metadata=_about(told),
            tool_calls=[
                ToolCall(id=call.call_id, function=call.name, arguments=_arguments(call))
                for call in self._asked[step.seq]
            ] or None,
        )  # fmt: skip
        usage = None
        if step.tokens_in is not None and step.tokens_out is not None:
            cached = step.tokens_cached if isinstance(step.tokens_cached, int) else 0
            usage = ModelUsage(
                input_tokens=max(0, step.tokens_in - cached), output_tokens=step.tokens_out,
                total_tokens=step.tokens_in + step.tokens_out, input_tokens_cache_read=cached or None,
            )  # fmt: skip
        stop: Any = _STOP.get(step.stop_reason or "", "unknown")
        self.events.append(
            ModelEvent(
                model=step.model or self._model, input=self._new.pop(span, []), tools=[], tool_choice="auto",
                config=GenerateConfig(), span_id=span, uuid=f"event-{step.seq}", metadata=_about(told),
                output=ModelOutput(
                    model=step.model, usage=usage,
                    choices=[ChatCompletionChoice(message=message, stop_reason=stop)],
                ),
                **self._when,
            )
        )  # fmt: skip
        if span is None:
            self.messages.append(message)

    def _delegate(self, step: ToolCallStep, span: str | None) -> None:
        """A call that starts a sub-agent: what that one does stands between its beginning and its result."""
        from inspect_ai.event import SpanBeginEvent

        own = self._tool_spans[step.seq] = f"tool-{step.seq}"
        self._open.append(own)
        self.events.append(
            SpanBeginEvent(id=own, span_id=own, parent_id=span, type="tool", name=step.name, **self._when)
        )
        self._tool_event(self._results[step.call_id], step, own)

    def _came_back(self, told: Told, step: ToolResultStep, call: ToolCallStep, span: str | None) -> None:
        from inspect_ai.model import ChatMessageTool

        if call.seq in self._tool_spans:
            self._end(self._tool_spans[call.seq])
        else:
            self._tool_event(told, call, span)
        if span is None:
            message = ChatMessageTool(
                id=f"step-{step.seq}", content=told.text, tool_call_id=step.call_id, function=step.name,
                metadata=_about(told), error=_error(told, step),
            )  # fmt: skip
            self.messages.append(message)

    def _tool_event(self, told: Told, call: ToolCallStep, span: str | None) -> None:
        from inspect_ai.event import ToolEvent

        step = told.step
        if not isinstance(step, ToolResultStep):
            return
        error = _error(told, step)
        self.events.append(
            ToolEvent(
                id=call.call_id, function=call.name, arguments=_arguments(call), span_id=span,
                result="" if error else told.text, error=error, uuid=f"event-{call.seq}",
                truncated=(step.bytes, len(told.text.encode("utf-8", "replace"))) if told.cut else None,
                metadata=_about(told), message_id=f"step-{step.seq}", **self._when,
            )
        )  # fmt: skip


def _error(told: Told, step: ToolResultStep) -> Any:
    from inspect_ai.tool import ToolCallError

    return ToolCallError(type="unknown", message=told.text) if step.is_error else None


def _about(told: Told, **more: Any) -> dict[str, Any]:
    """What Inspect has no field for."""
    step = told.step
    about: dict[str, Any] = {"seq": step.seq, "cut": True if told.cut or told.thoughts_cut else None, **more}
    if isinstance(step, Prompt):
        about |= {"sha256": step.content_sha256, "context_sha256": step.context_sha256}
    elif isinstance(step, LlmCall):
        about |= {"sha256": step.output_sha256, "stop_reason": step.stop_reason}
    elif isinstance(step, ToolResultStep):
        sources = [{"url": source.url, "title": source.title} for source in step.sources]
        about |= {"sha256": step.output_sha256, "sources": sources or None}
    return {name: value for name, value in about.items() if value is not None}


def _arguments(call: ToolCallStep) -> dict[str, Any]:
    return {"input": call.args} if isinstance(call.args, str) else call.args


def _asked_for(steps: Sequence[Told]) -> dict[int, list[ToolCallStep]]:
    """The calls between each of an agent's words and its next."""
    asked: dict[int, list[ToolCallStep]] = {}
    last: dict[tuple[Any, Any], list[ToolCallStep]] = {}
    for told in steps:
        step, agent = told.step, (told.step.agent, told.step.parent)
        if isinstance(step, LlmCall):
            last[agent] = asked[step.seq] = []
        elif isinstance(step, ToolCallStep) and agent in last:
            last[agent].append(step)
    return asked
