"""The agent loop: ask the model, run the tools it calls, repeat until it answers."""

import asyncio
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence

import msgspec

from gaia_harness import protocol
from gaia_harness.agent.conversation import CUT_NOTE, Conversation
from gaia_harness.errors import ContextOverflowError, GaiaError, ModelError, ModelFault
from gaia_harness.evidence import Recorder, Shortened, Step
from gaia_harness.figures import counted
from gaia_harness.models.base import Model
from gaia_harness.models.messages import (
    Assistant,
    Reply,
    Request,
    System,
    ToolCall,
    ToolResult,
    ToolSpec,
    Usage,
    User,
)
from gaia_harness.records.config import Limits
from gaia_harness.records.tool_use import NOT_OFFERED, ToolUse, ToolUses, merge_uses, one_call
from gaia_harness.tools.base import Tool, ToolOutput

MOST_CALLS = 32
"""Tool calls carried out in one turn; no honest turn comes near."""

MOST_SHORTENINGS = 6
"""How often one request is made shorter: then a sixty-fourth of the tool results is left."""

MOST_FINISHES = 2
"""How often in a row a model is asked to finish a reply that was cut short; then its words count as they are."""

MOST_TEMPLATES = 1
"""How often a model that gives the words of the template is asked for the answer itself."""

_log = logging.getLogger("gaia_harness")

_New = tuple[str, str, Shortened | None]
"""Something new in a request: its role, its text, and what is no longer shown from here on."""


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """How the model is asked in every call: its standing instructions, and what is sent only where it is given."""

    system_prompt: str = protocol.SYSTEM
    temperature: float | msgspec.UnsetType = msgspec.UNSET
    reasoning_effort: str | msgspec.UnsetType = msgspec.UNSET


class AgentResult(msgspec.Struct, frozen=True, kw_only=True):
    """What an attempt came to. `usages` has one entry per model call, as the provider reported it.

    `fault` is there where the model failed: with an outage, the attempt says nothing about the agent.
    `attachment_opened` is for whoever reads the steps to say.
    """

    answer: str | None
    turns: int
    usages: tuple[Usage, ...] = ()
    tools_used: tuple[str, ...] = ()
    tools: ToolUses = {}
    error: str | None = None
    hint: str | None = None
    fault: ModelFault | None = None
    attachment_opened: bool = False


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
    settings: Settings = Settings(),
    seed: int | None = None,
    recorder: Recorder | None = None,
    seconds: float | None = None,
    on_tool: Callable[[str, ToolUse], None] | None = None,
) -> AgentRun:
    """Answer one question. A failing tool is told to the model; a failing model ends the attempt.

    So does the clock, where there is a limit of `seconds`: an outage where the model kept us waiting most of the time.
    `on_tool` is told of every call of a tool when it has ended.
    """
    attempt = _Attempt(model, tools, limits, settings, seed, recorder or Recorder(), on_tool)
    answer = error = hint = None
    fault: ModelFault | None = None
    try:
        async with asyncio.timeout(seconds):
            answer = await attempt.work(protocol.question(question, attachment_name))
        if answer is None:
            error = attempt.gave_up or f"no answer within {counted(limits.max_turns, 'turn')}"
    except ModelError as failure:
        error, hint, fault = failure.message, failure.hint, failure.fault
    except TimeoutError:
        error = f"no answer within {seconds or 0:.0f} s, the time for a task (--task-timeout)"
        fault = "outage" if attempt.waited() > (seconds or 0) / 2 else None
    return AgentRun(
        result=AgentResult(
            answer=answer,
            turns=attempt.turn,
            usages=tuple(attempt.usages),
            tools_used=tuple(sorted(attempt.tools_used)),
            tools=attempt.tool_uses,
            error=error,
            hint=hint,
            fault=fault,
        ),
        steps=attempt.recorder.steps,
    )


class _Attempt:
    def __init__(
        self,
        model: Model,
        tools: Sequence[Tool],
        limits: Limits,
        settings: Settings,
        seed: int | None,
        recorder: Recorder,
        on_tool: Callable[[str, ToolUse], None] | None,
    ) -> None:
        self.model = model
        self.tools: Mapping[str, Tool] = {tool.name: tool for tool in tools}
        self.specs = tuple(ToolSpec(t.name, t.description, t.parameters) for t in tools)
        self.limits = limits
        self.settings = settings
        self.seed = seed
        self.recorder = recorder
        self.on_tool = on_tool
        self.conversation = Conversation(())
        self.new: list[_New] = []  # what the next request brings
        self.turn = 0
        self.usages: list[Usage] = []
        self.tools_used: set[str] = set()
        self.tool_uses: dict[str, ToolUse] = {}
        self.asked_at: float | None = None  # while the model is being asked
        self.fitted = 0  # size of the largest conversation that the model took
        self.full = False  # the conversation no longer fits: this is the last call
        self.shortened = False  # tool results were, at least once
        self.cut_short = 0  # replies in a row
        self.templates = 0
        self.gave_up: str | None = None

    def waited(self) -> float:
        """For how long the model has not answered the call that is under way."""
        return 0.0 if self.asked_at is None else time.monotonic() - self.asked_at

    async def work(self, question: str) -> str | None:
        """One turn after another: everything the model is shown is in `conversation`, and nothing else."""
        system = self.settings.system_prompt
        self.conversation = Conversation((System(system), User(question)))
        opening = (("system", system), ("tools", _catalogue(self.specs)), ("user", question))
        self.new = [(role, text, None) for role, text in opening]
        while self.turn < self.limits.max_turns:
            last = self.turn + 1 == self.limits.max_turns
            if last and self.turn > 0:
                self._tell(protocol.LAST_TURN)
            self.turn += 1
            reply = await self._ask(may_call=not last)
            last = last or self.full
            calls = () if last else reply.tool_calls
            self.conversation.add(self.turn, [Assistant(reply.text, calls, reply.thoughts)])
            if calls:
                self.cut_short = 0
                self.conversation.add(self.turn, await self._use_tools(calls))
                continue
            answer = protocol.final_answer(reply.text)
            if last:
                return answer
            remark = self._remark(reply, answer)
            if remark is None:
                return answer
            self._tell(remark)
        return None

    def _remark(self, reply: Reply, answer: str | None) -> str | None:
        """What to say to a reply that calls no tool; None if it ends the attempt."""
        if reply.stop_reason not in protocol.CUT_SHORT_REASONS:
            self.cut_short = 0
        elif self.cut_short < MOST_FINISHES:
            self.cut_short += 1
            return protocol.CUT_SHORT
        if answer is not None:
            return None
        if not protocol.has_only_template(reply.text):
            return protocol.NO_ANSWER_YET
        if self.templates < MOST_TEMPLATES:
            self.templates += 1
            return protocol.ONLY_TEMPLATE
        self.gave_up = "the model gave the words of the template in place of an answer, and did so again when told"
        return None

    def _tell(self, text: str) -> None:
        """Say something with the next request."""
        self.conversation.add(self.turn + 1, [User(text)])
        self.new.append(("user", text, None))

    async def _ask(self, *, may_call: bool) -> Reply:
        """Ask the model. If the conversation is too long for it, ask again with less, a bounded number of times."""
        for tries in range(MOST_SHORTENINGS + 2):
            try:
                reply = await self._request(may_call=may_call and not self.full)
            except ContextOverflowError as failure:
                if self.full or not self._shorten(last=tries == MOST_SHORTENINGS):
                    raise
                if self.full:
                    _log.warning("%s; asking again with the last turns alone, for its answer", failure.message)
                elif not self.shortened:  # once for each attempt: a long one is shortened many times
                    _log.warning("%s; asking again with shorter tool results, as often as needed", failure.message)
                self.shortened = True
            else:
                self.fitted = max(self.fitted, self.conversation.size)
                return reply
        raise AssertionError  # the last try either answers or is full

    def _shorten(self, *, last: bool) -> bool:
        """Show less from here on: of tool results, or at last of all turns; False if nothing can be left out."""
        results = () if last else self.conversation.shorten()
        if results:
            self.new.append(("shortened", CUT_NOTE, Shortened(results=results, turns=0)))
            return True
        # the first request did fit, and half of what has ever fitted beside it leaves room for an answer
        self.conversation.leave_out(self.turn, min(self.fitted, self.conversation.size) // 2)
        self.full = self.conversation.left_out > 0
        if self.full:
            self.gave_up = "the conversation became too long for the model, and its last reply has no answer"
            self.new.append(("shortened", "", Shortened(results=(), turns=self.conversation.left_out)))
            self.conversation.add(self.turn, [User(protocol.NO_ROOM)])
            self.new.append(("user", protocol.NO_ROOM, None))
        return self.full

    async def _request(self, *, may_call: bool) -> Reply:
        request = Request(
            messages=self.conversation.messages,
            tools=self.specs,
            may_call=may_call and bool(self.specs),
            seed=self.seed,
            max_output_tokens=self.limits.max_output_tokens,
            temperature=self.settings.temperature,
            reasoning_effort=self.settings.reasoning_effort,
        )
        self.asked_at = time.monotonic()
        try:
            reply = await self.model.reply(request)
        except ModelError as failure:
            self._record_prompts(failure.request_sha256)
            raise
        except asyncio.CancelledError:  # the time for the task is over: what was sent is evidence all the same
            self._record_prompts(None)
            raise
        self.asked_at = None
        self._record_prompts(reply.request_sha256)
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

    def _record_prompts(self, context_sha256: str | None) -> None:
        for role, content, shortened in self.new or [("context", "", None)]:
            self.recorder.prompt(self.turn, role, content, context_sha256=context_sha256, shortened=shortened)
        self.new = []

    async def _use_tools(self, calls: Sequence[ToolCall]) -> list[ToolResult]:
        for call in calls:
            self.recorder.tool_call(self.turn, call.call_id, call.name, call.args, raw=call.raw)
        outputs = await asyncio.gather(*(self._timed(call) for call in calls[:MOST_CALLS]))
        too_many = _failed(f"Not done: a turn may have at most {MOST_CALLS} calls.")
        for call in calls[MOST_CALLS:]:
            self._count(call, 0.0, too_many.text)
            outputs.append(too_many)
        results = []
        for call, output in zip(calls, outputs, strict=True):
            text = _sendable(output.text)
            self.recorder.tool_result(
                self.turn, call.call_id, call.name, text, is_error=output.is_error, sources=output.sources
            )
            results.append(ToolResult(call.call_id, call.name, text, is_error=output.is_error, images=output.images))
        return results

    async def _timed(self, call: ToolCall) -> ToolOutput:
        clock = time.monotonic()
        error: str | None = "it had not ended when the attempt did"
        empty = False
        try:
            output = await self._use_tool(call)
            error, empty = _sendable(output.text) if output.is_error else None, output.empty
        finally:  # also of a call that the task's time limit cuts off
            self._count(call, time.monotonic() - clock, error, empty=empty)
        return output

    def _count(self, call: ToolCall, seconds: float, error: str | None, *, empty: bool = False) -> None:
        name = call.name if call.name in self.tools else NOT_OFFERED
        use = one_call(seconds, error, empty=empty)
        self.tool_uses = merge_uses((self.tool_uses, {name: use}))
        if self.on_tool is not None:
            self.on_tool(name, use)

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
