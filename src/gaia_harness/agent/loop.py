"""How an answer comes about: ask the model, use the tools it calls for, until it answers."""

import asyncio
import json
from collections.abc import Mapping, Sequence

import msgspec

from gaia_harness.agent import prompts
from gaia_harness.answer_line import final_answer
from gaia_harness.errors import GaiaError, ModelError
from gaia_harness.evidence import Recorder, Step
from gaia_harness.models.base import Model
from gaia_harness.models.messages import (
    Assistant,
    Message,
    Reply,
    Request,
    System,
    ToolCall,
    ToolResult,
    ToolSpec,
    Usage,
    User,
)
from gaia_harness.tools.base import Tool, ToolOutput

MOST_CALLS = 32
"""Tool calls carried out in one turn; no honest turn comes near."""


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How much one attempt may spend."""

    max_turns: int = 30
    max_output_tokens: int | None = None


class AgentResult(msgspec.Struct, frozen=True, kw_only=True):
    """What an attempt came to. `usages` has one entry per model call, as the provider reported it."""

    answer: str | None
    turns: int
    usages: tuple[Usage, ...] = ()
    tools_used: tuple[str, ...] = ()
    error: str | None = None
    hint: str | None = None


class AgentRun(msgspec.Struct, frozen=True, kw_only=True):
    """The result, and beside it the evidence of how it came about."""

    result: AgentResult
    steps: tuple[Step, ...]


async def run_agent(
    question: str,
    model: Model,
    tools: Sequence[Tool],
    *,
    attachment_name: str | None = None,
    limits: Limits = Limits(),
    seed: int | None = None,
    recorder: Recorder | None = None,
) -> AgentRun:
    """Answer one question. A failing tool is told to the model; a failing model ends the attempt."""
    attempt = _Attempt(model, tools, limits, seed, recorder or Recorder())
    error = hint = None
    try:
        answer = await attempt.work(prompts.question(question, attachment_name))
        if answer is None:
            error = f"no answer within {limits.max_turns} turns"
    except ModelError as failure:
        answer, error, hint = None, failure.message, failure.hint
    return AgentRun(
        result=AgentResult(
            answer=answer,
            turns=attempt.turn,
            usages=tuple(attempt.usages),
            tools_used=tuple(sorted(attempt.tools_used)),
            error=error,
            hint=hint,
        ),
        steps=attempt.recorder.steps,
    )


class _Attempt:
    def __init__(
        self, model: Model, tools: Sequence[Tool], limits: Limits, seed: int | None, recorder: Recorder
    ) -> None:
        self.model = model
        self.tools: Mapping[str, Tool] = {tool.name: tool for tool in tools}
        self.specs = tuple(ToolSpec(t.name, t.description, t.parameters) for t in tools)
        self.limits = limits
        self.seed = seed
        self.recorder = recorder
        self.messages: list[Message] = []
        self.turn = 0
        self.usages: list[Usage] = []
        self.tools_used: set[str] = set()

    async def work(self, question: str) -> str | None:
        """One turn after another: everything the model is shown is in `messages`, and nothing else."""
        new = [("system", prompts.SYSTEM), ("tools", _catalogue(self.specs)), ("user", question)]
        self.messages = [System(prompts.SYSTEM), User(question)]
        while self.turn < self.limits.max_turns:
            last = self.turn + 1 == self.limits.max_turns
            if last and self.turn > 0:
                self.messages.append(User(prompts.LAST_TURN))
                new.append(("user", prompts.LAST_TURN))
            reply = await self._ask(new, may_call=not last)
            new = []
            calls = () if last else reply.tool_calls
            self.messages.append(Assistant(reply.text, calls, reply.thoughts))
            if calls:
                self.messages.extend(await self._use_tools(calls))
                continue
            answer = final_answer(reply.text)
            if answer is not None:
                return answer
            if not last:
                self.messages.append(User(prompts.NO_ANSWER_YET))
                new.append(("user", prompts.NO_ANSWER_YET))
        return None

    async def _ask(self, new: Sequence[tuple[str, str]], *, may_call: bool) -> Reply:
        self.turn += 1
        request = Request(
            messages=tuple(self.messages),
            tools=self.specs,
            may_call=may_call and bool(self.specs),
            seed=self.seed,
            max_output_tokens=self.limits.max_output_tokens,
        )
        try:
            reply = await self.model.reply(request)
        except ModelError as failure:
            self._record_prompts(new, failure.request_sha256)
            raise
        self._record_prompts(new, reply.request_sha256)
        self.usages.append(reply.usage)
        reply = msgspec.structs.replace(reply, text=_sendable(reply.text))
        self.recorder.llm_call(
            self.turn,
            reply.text,
            model=reply.model or self.model.name,
            tokens_in=reply.usage.input_tokens,
            tokens_out=reply.usage.output_tokens,
            stop_reason=reply.stop_reason,
            latency_ms=reply.latency_ms,
            response_id=reply.response_id,
            thoughts=reply.thoughts,
            tokens_cached=reply.usage.cached_input_tokens,
        )
        return reply

    def _record_prompts(self, new: Sequence[tuple[str, str]], context_sha256: str | None) -> None:
        for role, content in new or [("context", "")]:
            self.recorder.prompt(self.turn, role, content, context_sha256=context_sha256)

    async def _use_tools(self, calls: Sequence[ToolCall]) -> list[ToolResult]:
        for call in calls:
            self.recorder.tool_call(self.turn, call.call_id, call.name, call.args, raw=call.raw)
        outputs = await asyncio.gather(*(self._use_tool(call) for call in calls[:MOST_CALLS]))
        outputs += [_failed(f"Not done: a turn may have at most {MOST_CALLS} calls.")] * (len(calls) - MOST_CALLS)
        results = []
        for call, output in zip(calls, outputs, strict=True):
            text = _sendable(output.text)
            self.recorder.tool_result(
                self.turn, call.call_id, call.name, text, is_error=output.is_error, sources=output.sources
            )
            results.append(ToolResult(call.call_id, call.name, text, is_error=output.is_error, images=output.images))
        return results

    async def _use_tool(self, call: ToolCall) -> ToolOutput:
        tool = self.tools.get(call.name)
        if tool is None:
            offered = ", ".join(self.tools) or "none"
            return _failed(f"There is no tool called {call.name!r}. The tools are: {offered}.")
        if call.args is None:
            return _failed(f"The arguments of {call.name} were not a JSON object. Send them again as one.")
        self.tools_used.add(call.name)
        try:
            return await tool.call(call.args)
        except GaiaError as failure:
            return _failed(failure.message)
        except Exception as bug:  # a defect in one tool must not take the task down
            return _failed(f"{call.name} failed: {type(bug).__name__}: {bug}")


def _failed(message: str) -> ToolOutput:
    return ToolOutput(text=message, is_error=True)


def _sendable(text: str) -> str:
    """The text as UTF-8 can carry it, so that what is sent is what is recorded: a lone surrogate becomes `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _catalogue(specs: Sequence[ToolSpec]) -> str:
    return json.dumps([msgspec.to_builtins(spec) for spec in specs], ensure_ascii=False, sort_keys=True)
