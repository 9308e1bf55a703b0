"""Harbor's Agent Trajectory Interchange Format, version 1.8: a folder with one file per attempt at a task."""

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.exchange.atif_extra import KEY, OfCall, OfResult, OfStep, OfTrajectory, text_sha256
from gaia_harness.exchange.export_source import Attempt, ExportedTask, ExportSource, RunInfo, Told, source_texts
from gaia_harness.exchange.neutral import NeutralSource
from gaia_harness.records.steps import Answer, LlmCall, Prompt, ToolCallStep, ToolResultStep

NAME = "atif"
FOLDER = True
ENDING = ""

VERSION = "ATIF-v1.8"
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,100}")


def write(source: ExportSource, out: Path) -> list[str]:
    """A file for each attempt that left steps."""
    without = 0
    for task in source.tasks():
        without += not task.attempts
        several = source.info.voting_attempts > 1 or len(task.attempts) > 1
        for attempt in task.attempts:
            value = trajectory(source.info, task, attempt, several=several)
            if not value["steps"]:  # requests that brought nothing new and were never answered
                without += 1
                continue
            path = out / file_name(task.facts.task_id, attempt.number if several else None)
            with path.open("xb") as file:
                file.write(msgspec.json.encode(value) + b"\n")
    return [f"tasks without recorded steps are left out: {without}"] if without else []


def file_name(task_id: str, attempt: int | None) -> str:
    """The name of a task's file: its id where that is plain, else a hash of it."""
    name = task_id if _PLAIN.fullmatch(task_id) else hashlib.sha256(task_id.encode("utf-8", "replace")).hexdigest()
    return f"{name}.json" if attempt is None else f"{name}+{attempt}.json"


def trajectory(info: RunInfo, task: ExportedTask, attempt: Attempt, *, several: bool) -> dict[str, Any]:
    """One attempt, with its sub-agents inside it."""
    facts, steps = task.facts, attempt.steps
    own = OfTrajectory(
        task_id=facts.task_id,
        question=task.question,
        run=info.run_id,
        attempt=attempt.number if several else None,
        answer=attempt.answer,
        correct=facts.correct if attempt.selected else None,
        error=facts.error if attempt.selected else None,
        tools=info.roles(sorted({told.step.name for told in steps if isinstance(told.step, ToolCallStep)})),
        workdir=(info.origin.workdir or None) if info.origin else None,
        attachments=(info.origin.attachments or ()) if info.origin else (),
        isolation=", ".join(f"{name}: {how}" for name, how in sorted(info.isolation.items())) or None,
        gaps=info.gaps(),
    )
    name, version = info.agent
    written = _Trajectories(info, steps).root
    return {
        "schema_version": VERSION,
        "session_id": info.run_id,
        "trajectory_id": f"{facts.task_id}/{attempt.number}",
        "agent": {"name": name, "version": version, "model_name": info.model},
        "steps": written.steps,
        **({"subagent_trajectories": [inner.as_written() for inner in written.inner]} if written.inner else {}),
        "final_metrics": _present(
            total_prompt_tokens=facts.input_tokens, total_completion_tokens=facts.output_tokens,
            total_cost_usd=facts.cost_usd, total_steps=len(written.steps),
        ) if attempt.selected and not several else {"total_steps": len(written.steps)},
        "extra": {KEY: _built(own)},
    }  # fmt: skip


class _Trajectory:
    """The steps of one agent, put together as the format wants them: calls and results with the words before them."""

    def __init__(self, identity: str, agent: str, version: str, model: str) -> None:
        self.identity = identity
        self.steps: list[dict[str, Any]] = []
        self.inner: list[_Trajectory] = []
        self._agent = {"name": agent, "version": version, "model_name": model}
        self._of_call: dict[str, dict[str, Any]] = {}

    def as_written(self) -> dict[str, Any]:
        return {
            "schema_version": VERSION,
            "trajectory_id": self.identity,
            "agent": self._agent,
            "steps": self.steps,
            **({"subagent_trajectories": [inner.as_written() for inner in self.inner]} if self.inner else {}),
        }

    def add(self, told: Told, context_sha256: str | None, started: "Sequence[_Trajectory]") -> None:
        """Adds a step; `started` are the trajectories of the sub-agents whose call this is the result of."""
        step = told.step
        if isinstance(step, ToolCallStep):
            self._call(told, step)
        elif isinstance(step, ToolResultStep):
            self._result(told, step, started)
        elif isinstance(step, LlmCall):
            hashes = _present(output_sha256=step.output_sha256, context_sha256=context_sha256)
            if step.thoughts is not None:
                hashes["thoughts_sha256"] = step.thoughts.sha256
            self._new(
                "agent", told.text, OfStep(
                    stop_reason=step.stop_reason, cut=told.cut, text_sha256=text_sha256(told.text), hashes=hashes,
                ),
                model_name=step.model, reasoning_content=told.thoughts or None, llm_call_count=1,
                metrics=_present(
                    prompt_tokens=step.tokens_in, completion_tokens=step.tokens_out,
                    cached_tokens=step.tokens_cached or None,
                ) or None,
            )  # fmt: skip
        elif isinstance(step, Answer):
            hashes = {"content_sha256": step.content_sha256}
            self._new("agent", told.text, OfStep(type="answer", cut=told.cut, hashes=hashes), llm_call_count=0)
        elif told.text:
            source = "system" if step.role in ("system", "tools") else "user"
            own = OfStep(
                role=None if step.role == source else step.role, cut=told.cut, text_sha256=text_sha256(told.text),
                hashes={"content_sha256": step.content_sha256},
            )  # fmt: skip
            self._new(source, told.text, own)

    def _new(self, source: str, message: str, own: OfStep | None, **fields: Any) -> dict[str, Any]:
        step = {"step_id": len(self.steps) + 1, "source": source, "message": message, **_present(**fields)}
        if own is not None:
            step["extra"] = {KEY: _built(own)}
        self.steps.append(step)
        return step

    def _call(self, told: Told, step: ToolCallStep) -> None:
        last = self.steps[-1] if self.steps else None
        if (
            last is None
            or last["source"] != "agent"
            or "observation" in last
            or last.get("extra", {}).get(KEY, {}).get("type") == "answer"
        ):
            last = self._new("agent", "", None, llm_call_count=0)  # none of the model's words stands right before it
        own = OfCall(text=told.text, hashes={"args_sha256": step.args_sha256})
        args = step.args if isinstance(step.args, dict) else {}
        last.setdefault("tool_calls", []).append(
            {
                "tool_call_id": step.call_id,
                "function_name": step.name,
                "arguments": args,
                "extra": {KEY: _built(own)},
            }
        )
        self._of_call[step.call_id] = last

    def _result(self, told: Told, step: ToolResultStep, started: "Sequence[_Trajectory]") -> None:
        own = OfResult(
            is_error=step.is_error, cut=told.cut, text_sha256=text_sha256(told.text),
            sources=tuple(
                NeutralSource(url=source.url, title=source.title, text=text) for source, text in source_texts(told)
            ),
            hashes={"output_sha256": step.output_sha256},
        )  # fmt: skip
        result: dict[str, Any] = {"source_call_id": step.call_id, "content": told.text, "extra": {KEY: _built(own)}}
        if started:
            result["subagent_trajectory_ref"] = [{"trajectory_id": one.identity} for one in started]
        where = self._of_call.get(step.call_id)
        if where is None:  # called by another agent than the one that got the result
            where = self._new("agent", "", None, llm_call_count=0)
            del result["source_call_id"]
        where.setdefault("observation", {"results": []})["results"].append(result)


class _Trajectories:
    """The trajectories of an attempt: the agent's own, and inside it those of its sub-agents."""

    def __init__(self, info: RunInfo, steps: Sequence[Told]) -> None:
        self._version = info.agent[1]
        self._model = info.model
        self.root = _Trajectory("", info.agent[0], self._version, info.model)
        self._agents: dict[tuple[str, int | None], _Trajectory] = {}
        self._at: dict[int, _Trajectory] = {}  # whose step has this number
        self._calls = {told.step.call_id: told.step.seq for told in steps if isinstance(told.step, ToolCallStep)}
        self._started: dict[int, list[_Trajectory]] = {}
        context: str | None = None
        for told in steps:
            step = told.step
            if isinstance(step, Prompt) and step.context_sha256 is not None:
                context = step.context_sha256
            owner = self._at[step.seq] = self._owner(told)
            started = self._started.get(self._calls[step.call_id], []) if isinstance(step, ToolResultStep) else []
            owner.add(told, context if isinstance(step, LlmCall) else None, [one for one in started if one.steps])
        for one in (self.root, *self._agents.values()):
            one.inner = [inner for inner in one.inner if inner.steps]

    def _owner(self, told: Told) -> _Trajectory:
        step = told.step
        if not isinstance(step.agent, str):
            return self.root
        parent = step.parent if isinstance(step.parent, int) and step.parent in self._at else None
        key = (step.agent, parent)
        if key not in self._agents:
            outer = self.root if parent is None else self._at[parent]
            identity = f"agent-{len(self._agents) + 1}"
            made = _Trajectory(identity, step.agent, self._version, self._model)
            self._agents[key] = made
            outer.inner.append(made)
            if parent is not None:
                self._started.setdefault(parent, []).append(made)
        return self._agents[key]


def _present(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _built(own: msgspec.Struct) -> Any:
    return msgspec.to_builtins(own)
