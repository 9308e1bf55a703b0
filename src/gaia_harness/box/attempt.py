"""One attempt of an agent that is a program: the question in, the answer out, and everything it did on record."""

import datetime
import io
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO

import msgspec

from gaia_harness import protocol
from gaia_harness.agent import AgentResult, AgentRun
from gaia_harness.box import conversations
from gaia_harness.box.agents import Agent
from gaia_harness.box.authority import Authority
from gaia_harness.box.boxing import AGENT, TASK, Box, BoxLimits, Finished, Mounts, standard_environment
from gaia_harness.box.conversations import HTTP, Conversations
from gaia_harness.box.doors import Doors
from gaia_harness.box.gateway import Gateway, Headers, Incoming, Outgoing, Refusal
from gaia_harness.box.mcp_tools import ToolServer
from gaia_harness.box.model_gate import Accountant, GatePolicy, ModelCall, ModelGate
from gaia_harness.box.names import Names
from gaia_harness.box.pages import record_page
from gaia_harness.box.roles import PROGRAM, REFUSED
from gaia_harness.box.sayings import Sayings
from gaia_harness.box.sockets import Talk, pass_on
from gaia_harness.box.upstream import LARGEST_ANSWER, Answered, Upstream
from gaia_harness.errors import ModelFault, ToolError
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.models.endpoint import Endpoint
from gaia_harness.models.messages import Usage
from gaia_harness.records.steps import ToolCallStep
from gaia_harness.records.tool_use import ToolUse, merge_uses, one_call
from gaia_harness.tools.addresses import Resolver, system_resolver
from gaia_harness.tools.base import Attachment, Tool
from gaia_harness.tools.containment import Ended, Output
from gaia_harness.tools.proxies import Proxies

MOST_REFUSALS = 200
MOST_REQUESTS = 20_000
MOST_KEPT = 1 << 30
"""Requests of one attempt, and bytes of their bodies: the record of an attempt has an end."""
NAMES_SHOWN = 200
SHOWN = 8 << 10
"""Bytes of each end of what a program printed that are recorded."""

_ENDED = {
    Ended.TIME: "the agent did not end in time",
    Ended.MEMORY: "the agent used more memory than it may",
    Ended.OUTPUT: "the agent printed more than it may",
}


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """How often a model may be asked in one attempt, and for how many tokens in all."""

    calls: int | None = None
    tokens: int | None = None


class Purse:
    """What an attempt has spent. `spent` says why the run as a whole may spend no more."""

    def __init__(self, allowance: Allowance, spent: Callable[[], str | None], paid: Callable[[Usage], None]) -> None:
        self._allowance = allowance
        self._spent = spent
        self._paid = paid
        self.usages: list[Usage] = []
        self.calls = 0
        self.failed: str | None = None
        self.over: str | None = None
        self.run_over: str | None = None

    def refusal(self) -> str | None:
        """Why no model may be asked any more; None where one may, and that call is counted."""
        self.run_over = self._spent()
        if self.run_over is not None:
            return self.run_over
        tokens = sum((usage.input_tokens or 0) + (usage.output_tokens or 0) for usage in self.usages)
        if self._allowance.calls is not None and self.calls >= self._allowance.calls:
            self.over = f"--max-calls {self._allowance.calls} is used up"
        elif self._allowance.tokens is not None and tokens >= self._allowance.tokens:
            self.over = f"--max-tokens {self._allowance.tokens} is used up"
        else:
            self.calls += 1  # now, and not when it has its reply: others may be under way
        return self.over

    def called(self, call: ModelCall) -> None:
        """A model was asked."""
        self.failed = call.error
        if call.reply is not None:
            self.usages.append(call.reply.usage)
            self._paid(call.reply.usage)


class BoxedAgent:
    """An agent that is ready to make attempts, each in a new box. It lives as long as a run."""

    def __init__(
        self,
        agent: Agent,
        bwrap: str,
        endpoint: Endpoint,
        policy: GatePolicy,
        *,
        env: Mapping[str, str],
        hidden: Sequence[Path] = (),
        allow_hosts: Sequence[str] = (),
        ports: Sequence[int] = (),
        limits: BoxLimits | None = None,
        allowance: Allowance | None = None,
        resolve: Resolver = system_resolver,
        now: Callable[[], datetime.datetime] = lambda: datetime.datetime.now(datetime.UTC),
    ) -> None:
        self.agent = agent
        self._endpoint = endpoint
        self._policy = policy
        self._env = env
        self._ports = tuple(ports)
        self._limits = limits or BoxLimits()
        self._allowance = allowance or Allowance()
        self._authority = Authority(now())
        proxies = Proxies.from_env(env)
        self._proxies = proxies
        self._upstream = Upstream(allow_hosts=allow_hosts, resolve=resolve, proxies=proxies)
        mounts = Mounts(agent=agent.folder, programs=agent.programs, extra=agent.extra, hidden=tuple(hidden))
        mounts = msgspec.structs.replace(mounts, left_out=agent.left_out)
        self._box = Box(bwrap, mounts, self._authority.pem)
        self.hosts: set[str] = set()

    @property
    def isolation(self) -> str:
        """How the agent is contained, for the record."""
        return "box: bubblewrap, a network of its own with the gateway as its only way out"

    async def aclose(self) -> None:
        """Close all connections."""
        await self._upstream.aclose()

    async def attempt(
        self,
        question: str,
        attachment: Attachment | None,
        recorder: Recorder,
        *,
        seconds: float | None,
        spent: Callable[[], str | None],
        paid: Callable[[Usage], None],
        on_tool: Callable[[str, ToolUse], None] | None = None,
        tools: Sequence[Tool] = (),
    ) -> AgentRun:
        """Put one question to the agent. `tools` are ours, for an agent that wants them."""
        purse = Purse(self._allowance, spent, paid)
        traffic = _Traffic(self, recorder, purse, on_tool, tools)
        limit = min(each for each in (seconds, self.agent.file.seconds, self._limits.seconds) if each is not None)
        text = protocol.question(question, None if attachment is None else f"{TASK}/{attachment.name}")
        if self.agent.file.instruct:
            text += f"\n\nEnd your reply with one {protocol.ANSWER_LINE}"
        task = {
            "question": question,
            "attachment": None if attachment is None else f"{TASK}/{attachment.name}",
            "limits": {"seconds": limit, "calls": self._allowance.calls, "tokens": self._allowance.tokens},
            "model": self._policy.model,
        }
        environment = standard_environment(self.agent.path) | {"GAIA_MODEL": self._policy.model}
        if self.agent.folder is not None:
            environment |= {"PYTHONPATH": AGENT, "GAIA_AGENT": AGENT}
        environment |= self.agent.environment(self._env) | {"GAIA_TASK": json.dumps(task)}
        argv = list(self.agent.argv)
        if self.agent.file.question == "argument":
            argv = [part.replace("{question}", text) for part in argv]
        traffic.given(text)
        began = time.monotonic()
        try:
            finished = await self._run(argv, environment, attachment, limit, text, traffic)
        except ToolError as broken:  # it is this machine that failed, and not the agent
            result = AgentResult(answer=None, turns=0, error=f"the box failed: {broken.message}", fault="outage")
            return AgentRun(result=result, steps=recorder.steps)
        traffic.ended(self.agent.argv, finished, time.monotonic() - began)
        answer = answer_of(finished)
        if answer is not None:
            recorder.answer(traffic.turn, answer)
        error, fault = _outcome(finished, purse, answer, traffic.failed)
        return AgentRun(
            result=AgentResult(
                answer=answer if error is None or purse.over is not None else None,
                turns=len({step.turn for step in recorder.steps}),
                usages=tuple(purse.usages),
                tools_used=tuple(sorted({step.name for step in recorder.steps if isinstance(step, ToolCallStep)})),
                tools=traffic.tools,
                error=error,
                fault=fault,
            ),
            steps=recorder.steps,
        )

    async def _run(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        attachment: Attachment | None,
        seconds: float,
        text: str,
        traffic: "_Traffic",
    ) -> Finished:
        return await self._box.run(
            argv,
            environment,
            attachment,
            msgspec.structs.replace(self._limits, seconds=seconds),
            traffic.serve,
            stdin=text.encode() + b"\n" if self.agent.file.question == "stdin" else b"",
            cwd=self.agent.cwd,
            ports=self._ports,
        )

    def gate(
        self, accountant: Accountant, refused: Callable[[str, str], None], unread: Callable[[str], None]
    ) -> ModelGate:
        """The way to the model, for one attempt."""
        return ModelGate(
            self._endpoint,
            self._policy,
            accountant,
            clock=time.monotonic,
            refused=refused,
            unread=unread,
            proxies=self._proxies,
        )

    @property
    def upstream(self) -> Upstream:
        """The way to the web."""
        return self._upstream

    @property
    def authority(self) -> Authority:
        """Whom the box trusts."""
        return self._authority


class _Traffic:
    """What goes through the gateway in one attempt, and its record."""

    def __init__(
        self,
        boxed: BoxedAgent,
        recorder: Recorder,
        purse: Purse,
        on_tool: Callable[[str, ToolUse], None] | None,
        tools: Sequence[Tool],
    ) -> None:
        self._boxed = boxed
        self._recorder = recorder
        self._purse = purse
        self._on_tool = on_tool
        self._conversations = Conversations(recorder)
        self._gate = boxed.gate(_Both(purse, self._conversations), self._refused_call, self._recorder.failures.append)
        self._tools = ToolServer(tools, recorder, lambda: self.turn, self._used)
        self._sayings = Sayings(recorder, lambda: self.turn)
        self._refusals = 0
        self._requests = self._kept = 0
        self._names: list[str] = []
        self.tools: dict[str, ToolUse] = {}
        self.failed: str | None = None

    @property
    def turn(self) -> int:
        """The turn that the attempt is in: one call of a model and what follows from it."""
        return self._conversations.turn

    def given(self, text: str) -> None:
        """The question is put to the program."""
        self._recorder.prompt(self.turn, "user", text)

    @asynccontextmanager
    async def serve(self, doors: Doors) -> AsyncIterator[None]:
        """Answer the doors of the box."""
        gateway = Gateway(
            doors,
            Names(self._names.append),
            self._boxed.authority,
            self._handle,
            refused=self._refused,
            failed=self._gateway_failed,
        )
        try:
            async with self._tools.running(), gateway:
                yield
        finally:
            await self._gate.aclose()

    async def _handle(self, request: Incoming, answer: Outgoing) -> None:
        self._requests += 1
        self._kept += request.body.size
        if self._requests > MOST_REQUESTS or self._kept > MOST_KEPT:
            self._refused(Refusal(where=request.url[:200], why="The record of this attempt is full."))
            await answer.start(429, [(b"content-length", b"0")])
            await answer.end()
            return
        if self._tools.takes(request):
            await self._tools.handle(request, answer)
            return
        if self._sayings.takes(request):
            await self._sayings.handle(request, answer)
            return
        if self._gate.takes(request):
            await self._gate.handle(request, answer)
            return
        self._boxed.hosts.add(request.host[:253])
        began = time.monotonic()
        try:
            failed = await (self._talk if request.wants_upgrade else self._page)(request, answer)
        except ToolError as error:
            failed = error.message
            data = f"gaia-harness: {failed}\n".encode()
            await answer.start(502, [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(data))])
            await answer.send(data)
            await answer.end()
        self._used(HTTP, failed, time.monotonic() - began)

    async def _page(self, request: Incoming, answer: Outgoing) -> str | None:
        seen = Answered(body=request.body.beside(LARGEST_ANSWER))
        try:
            await self._boxed.upstream.forward(request, answer, seen)
        except ToolError as error:
            seen.fault = error.message
            raise
        finally:  # whatever happens: what was sent and what came back is on record
            self._kept += seen.body.size
            self._record(request, seen.status, seen.headers, seen.body.open(), seen.fault)
            seen.body.close()
        return seen.fault if (seen.status or 0) < 400 else f"status {seen.status}"

    async def _talk(self, request: Incoming, answer: Outgoing) -> str | None:
        talk = Talk()
        fault: str | None = None
        try:
            await pass_on(request, answer, self._boxed.upstream, talk)
        except ToolError as error:
            fault = error.message
            raise
        finally:
            about = f"A WebSocket: {talk.sent.size} bytes sent ({talk.sent.sha256}), {talk.received.size} received."
            record_page(
                self._recorder,
                self.turn,
                method=request.method,
                url=request.url,
                request_body=io.BytesIO(bytes(talk.sent.head)),
                status=200 if talk.status == 101 else talk.status,
                headers=[(b"content-type", b"text/plain; charset=utf-8")],
                body=io.BytesIO(about.encode() + b"\n" + bytes(talk.received.head)),
                error=fault,
            )
        return None if talk.status == 101 else f"status {talk.status}"

    def _record(
        self,
        request: Incoming,
        status: int | None = None,
        headers: Headers = (),
        body: IO[bytes] | None = None,
        error: str | None = None,
    ) -> None:
        record_page(
            self._recorder,
            self.turn,
            method=request.method,
            url=request.url,
            request_body=request.body.open(),
            status=status,
            headers=headers,
            body=body,
            error=error,
        )

    def _used(self, name: str, failed: str | None, seconds: float) -> None:
        use = one_call(seconds, failed)
        self.tools = dict(merge_uses([self.tools, {name: use}]))
        if self._on_tool is not None:
            self._on_tool(name, use)

    def _refused_call(self, where: str, why: str) -> None:
        self._refused(Refusal(where=where, why=why))

    def _refused(self, refusal: Refusal) -> None:
        self._refusals += 1
        if self._refusals <= MOST_REFUSALS:
            number = f"refused-{self._refusals}"
            self._recorder.tool_call(self.turn, number, REFUSED, {"where": refusal.where})
            self._recorder.tool_result(self.turn, number, REFUSED, refusal.why, is_error=True)

    def _gateway_failed(self, error: BaseException) -> None:
        self.failed = f"{type(error).__name__}: {error}"
        self._recorder.failures.append(f"the gateway failed: {self.failed}"[:500])

    def ended(self, argv: Sequence[str], finished: Finished, seconds: float) -> None:
        """The program has ended: take down how."""
        status = "killed" if finished.status is None else f"exit status {finished.status}"
        status = status if finished.signal is None else f"killed by signal {finished.signal}"
        memory = "" if finished.memory is None else f", {finished.memory >> 20} MB in its largest process"
        lines = [f"{finished.not_started or _ENDED.get(finished.ended, status)}, {seconds:.1f} s{memory}"]
        if self._refusals > MOST_REFUSALS:
            lines.append(f"{self._refusals - MOST_REFUSALS} more refusals")
        if self._names:
            shown = ", ".join(self._names[:NAMES_SHOWN])
            lines.append(f"--- names looked up, {len(self._names)}\n{shown}")
        for name, output in (("stdout", finished.out), ("stderr", finished.errors)):
            if output.seen:
                lines.append(f"--- {name}, {output.seen} bytes\n{_shown(output)}")
        self._recorder.tool_call(self.turn, "program", PROGRAM, {"command": " ".join(argv)})
        failed = finished.status != 0
        self._recorder.tool_result(self.turn, "program", PROGRAM, "\n".join(lines), is_error=failed)


class _Both:
    """Keeps the budget and the record of model calls."""

    def __init__(self, purse: Purse, conversations: Conversations) -> None:
        self._purse = purse
        self._conversations = conversations

    def refusal(self) -> str | None:
        """See `Accountant`."""
        return self._purse.refusal()

    def called(self, call: ModelCall) -> None:
        """See `Accountant`."""
        self._purse.called(call)
        self._conversations.record(
            conversations.ModelCall(request=call.request, reply=call.reply, latency_ms=round(call.seconds * 1000))
        )


def answer_of(finished: Finished) -> str | None:
    """What the agent left in its answer's file, or else the last `FINAL ANSWER:` line that it printed."""
    if finished.answer is not None:
        text = finished.answer.decode("utf-8", "replace").strip()
        if text:
            return (protocol.final_answer(text) or text)[: protocol.LONGEST_ANSWER]
    printed = finished.out.tail or finished.out.head
    if finished.out.tail and finished.out.seen <= len(finished.out.head) + len(finished.out.tail):
        printed = finished.out.head + finished.out.tail
    return protocol.final_answer(printed.decode("utf-8", "replace"))


def _outcome(
    finished: Finished, purse: Purse, answer: str | None, failed: str | None
) -> tuple[str | None, ModelFault | None]:
    """Why there is no answer, and whose fault that is; nothing where there is one."""
    if failed is not None:
        return f"the gateway failed: {failed}"[:500], "outage"
    if purse.run_over is not None:
        return purse.run_over, "max_cost"
    if finished.not_started is not None:
        return f"the agent did not start: {finished.not_started}", None
    if finished.ended in _ENDED:
        return _ENDED[finished.ended], None
    if purse.over is not None:
        return purse.over, None
    if answer is not None:
        return None, None
    if purse.failed is not None and not purse.usages:
        return f"the model did not answer: {purse.failed}", "outage"
    said = " ".join(_shown(finished.errors).split())[-300:]
    how = f"ended with status {finished.status}"
    how = how if finished.signal is None else f"was killed by signal {finished.signal}"
    return f"no answer; the agent {how}{f': {said}' if said else ''}", None


def _shown(output: Output) -> str:
    head, tail = output.head[:SHOWN], output.tail[-SHOWN:] if output.tail else output.head[SHOWN:][-SHOWN:]
    left_out = output.seen - len(head) - len(tail)
    gap = f"\n[… {left_out} bytes …]\n" if left_out > 0 else ""
    return head.decode("utf-8", "replace") + gap + tail.decode("utf-8", "replace")
