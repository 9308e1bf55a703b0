"""Traces of OpenTelemetry with OpenInference's attributes, as OTLP JSON: one line, and one trace, per attempt."""

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.exchange.export_source import Attempt, ExportedTask, ExportSource, RunInfo, Told, source_texts
from gaia_harness.records.steps import LlmCall, Prompt, Step, ToolCallStep, ToolResultStep
from gaia_harness.timestamps import parse_timestamp
from gaia_harness.version import __version__

NAME = "openinference"
FOLDER = False
ENDING = ""

NO_REPLY = "no reply was recorded"
_INTERNAL, _OK, _ERROR = 1, 1, 2


def write(source: ExportSource, out: Path) -> list[str]:
    """A line of `resourceSpans` for each attempt that left steps."""
    without = 0
    with out.open("xb") as file:
        for task in source.tasks():
            without += not task.attempts
            for attempt in task.attempts:
                file.write(msgspec.json.encode(trace(source.info, task, attempt)) + b"\n")
    return [f"tasks without recorded steps are left out: {without}"] if without else []


def trace(info: RunInfo, task: ExportedTask, attempt: Attempt) -> dict[str, Any]:
    """The spans of one attempt: the agent's, and inside it those of its models, tools and sub-agents."""
    spans = _Spans(info, task, attempt).spans
    resource = _attributes({"service.name": info.agent[0], "openinference.project.name": info.run_id})
    scope = {"name": "gaia-harness", "version": __version__}
    return {"resourceSpans": [{"resource": {"attributes": resource}, "scopeSpans": [{"scope": scope, "spans": spans}]}]}


class _Spans:
    def __init__(self, info: RunInfo, task: ExportedTask, attempt: Attempt) -> None:
        self.spans: list[dict[str, Any]] = []
        self._trace = _hash(f"{info.run_id}/{task.facts.task_id}/{attempt.number}")[:32]
        self._steps = attempt.steps
        self._by_agent = _by_agent(attempt.steps)
        self._calls = {told.step.seq for told in attempt.steps if isinstance(told.step, ToolCallStep)}
        root = self._root(info, task, attempt)
        self._conversation(self._by_agent.get(None, {}).get("", ()), root)
        for parent, agents in self._by_agent.items():  # sub-agents that no call of a tool started
            if parent is not None and parent not in self._calls:
                for name, steps in agents.items():
                    self._agent(name, steps, root, f"{parent}/{name}")

    def _root(self, info: RunInfo, task: ExportedTask, attempt: Attempt) -> str:
        facts, times = task.facts, attempt.times
        about = {
            "task_id": facts.task_id,
            "level": facts.level,
            "attempt": attempt.number,
            "selected": attempt.selected,
            "correct": facts.correct if attempt.selected else None,
            "origin": None if info.origin is None else info.origin.describe(),
            "gaps": info.gaps() or None,
        }
        failed = facts.error if attempt.selected and attempt.answer is None else None
        moments = {
            "startTimeUnixNano": _nanos(times.started_at if times else None),
            "endTimeUnixNano": _nanos(times.finished_at if times else None),
        }
        return self._span(
            "root", None, info.agent[0], "AGENT", {
                "agent.name": info.agent[0],
                "session.id": info.run_id,
                "metadata": _json({name: value for name, value in about.items() if value is not None}),
                "input.value": task.question,
                "output.value": attempt.answer,
            },
            error=failed, **{name: value for name, value in moments.items() if value is not None},
        )  # fmt: skip

    def _agent(self, name: str, steps: Sequence[Told], outer: str, key: str) -> None:
        self._conversation(steps, self._span(f"agent/{key}", outer, name, "AGENT", {"agent.name": name}))

    def _conversation(self, steps: Sequence[Told], outer: str) -> None:
        """The steps of one agent in their order."""
        results = {told.step.call_id: told for told in steps if isinstance(told.step, ToolResultStep)}
        asked = _asked_for(steps)
        prompts: list[Told] = []
        for told in steps:
            step = told.step
            if isinstance(step, Prompt):
                prompts.append(told)
            elif isinstance(step, LlmCall):
                self._model(told, step, prompts, asked[step.seq], outer)
                prompts = []
            elif isinstance(step, ToolCallStep):
                self._tool(told, step, results.get(step.call_id), outer)
        if any(told.text for told in prompts):  # a request that was sent, and not answered
            first = prompts[0].step
            given = _messages("input", (_prompt(told) for told in prompts if told.text))
            self._span(f"{first.seq}/request", outer, "request", "LLM", given, error=NO_REPLY)

    def _model(
        self, told: Told, step: LlmCall, prompts: Sequence[Told], calls: Sequence[ToolCallStep], outer: str
    ) -> None:
        said: dict[str, Any] = {"role": "assistant", "content": told.text}
        if told.thoughts:
            said |= {"contents.0.message_content.type": "reasoning", "contents.0.message_content.text": told.thoughts}
        for number, call in enumerate(calls):
            place = f"tool_calls.{number}.tool_call"
            said |= {
                f"{place}.id": call.call_id,
                f"{place}.function.name": call.name,
                f"{place}.function.arguments": call.args if isinstance(call.args, str) else _json(call.args),
            }
        tokens = (step.tokens_in, step.tokens_out)
        context = next((one.step.context_sha256 for one in prompts if isinstance(one.step, Prompt)), None)
        self._span(
            str(step.seq), outer, step.model or "model", "LLM", {
                **_messages("input", (_prompt(one) for one in prompts if one.text)),
                **_messages("output", [said]),
                "llm.model_name": step.model,
                "llm.token_count.prompt": tokens[0],
                "llm.token_count.completion": tokens[1],
                "llm.token_count.total": None if tokens[0] is None or tokens[1] is None else tokens[0] + tokens[1],
                "llm.token_count.prompt_details.cache_read": step.tokens_cached or None,
                "gaia_harness.stop_reason": step.stop_reason,
                "gaia_harness.cut": told.cut or told.thoughts_cut or None,
                "gaia_harness.output_sha256": step.output_sha256,
                "gaia_harness.context_sha256": context,
                "gaia_harness.latency_ms": step.latency_ms or None,
            },
        )  # fmt: skip

    def _tool(self, told: Told, step: ToolCallStep, result: Told | None, outer: str) -> None:
        given = told.text if isinstance(step.args, str) else _json(step.args)
        attributes: dict[str, Any] = {
            "tool.name": step.name,
            "tool_call.id": step.call_id,
            "input.value": given,
            "input.mime_type": "text/plain" if isinstance(step.args, str) else "application/json",
            "gaia_harness.args_sha256": step.args_sha256,
        }
        error = None
        if result is not None and isinstance(result.step, ToolResultStep):
            attributes |= {
                "output.value": result.text,
                "output.mime_type": "text/plain",
                "gaia_harness.cut": result.cut or None,
                "gaia_harness.output_sha256": result.step.output_sha256,
            }
            for number, (source, text) in enumerate(source_texts(result)):
                place = f"retrieval.documents.{number}.document"
                attributes[f"{place}.content"] = text
                attributes[f"{place}.metadata"] = _json({"url": source.url, "title": source.title})
            error = result.text if result.step.is_error else None
        span = self._span(str(step.seq), outer, step.name, "TOOL", attributes, error=error)
        for name, steps in self._by_agent.get(step.seq, {}).items():
            self._agent(name, steps, span, f"{step.seq}/{name}")

    def _span(
        self,
        key: str,
        parent: str | None,
        name: str,
        kind: str,
        attributes: dict[str, Any],
        *,
        error: str | None = None,
        **fields: Any,
    ) -> str:
        identity = _hash(f"{self._trace}/{key}")[:16]
        status = {"code": _OK} if error is None else {"code": _ERROR, "message": error}
        self.spans.append(
            {
                "traceId": self._trace,
                "spanId": identity,
                **({} if parent is None else {"parentSpanId": parent}),
                "name": name or kind.lower(),
                "kind": _INTERNAL,
                **fields,
                "attributes": _attributes({"openinference.span.kind": kind, **attributes}),
                "status": status,
            }
        )
        return identity


def _by_agent(steps: Sequence[Told]) -> dict[int | None, dict[str, list[Told]]]:
    """The steps by the call that started their agent (None: the agent itself; -1: no call is known) and its name."""
    found: dict[int | None, dict[str, list[Told]]] = {}
    for told in steps:
        agent, parent = told.step.agent, told.step.parent
        if not isinstance(agent, str):
            found.setdefault(None, {}).setdefault("", []).append(told)
        else:
            found.setdefault(parent if isinstance(parent, int) else -1, {}).setdefault(agent, []).append(told)
    return found


def _asked_for(steps: Sequence[Told]) -> dict[int, list[ToolCallStep]]:
    """The calls between each of the model's words and the next."""
    asked: dict[int, list[ToolCallStep]] = {}
    last: list[ToolCallStep] = []
    for told in steps:
        if isinstance(told.step, LlmCall):
            last = asked[told.step.seq] = []
        elif isinstance(told.step, ToolCallStep):
            last.append(told.step)
    return asked


def _prompt(told: Told) -> dict[str, Any]:
    step: Step = told.step
    role = step.role if isinstance(step, Prompt) else "user"
    return {"role": {"tools": "system", "context": "user", "shortened": "user"}.get(role, role), "content": told.text}


def _messages(side: str, messages: Any) -> dict[str, Any]:
    return {
        f"llm.{side}_messages.{number}.message.{name}": value
        for number, message in enumerate(messages)
        for name, value in message.items()
    }


def _attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": _value(value)} for name, value in values.items() if value is not None]


def _value(value: Any) -> dict[str, Any]:
    """A value of OTLP in JSON; 64-bit numbers are strings there."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"stringValue": value}


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _nanos(time: str | None) -> str | None:
    moment = parse_timestamp(time or "")
    return None if moment is None or moment.year < 1970 else str(int(moment.timestamp() * 1000) * 10**6)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
