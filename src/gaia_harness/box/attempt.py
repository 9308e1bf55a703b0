"""One attempt of an agent that is a program: the question in, the answer out, and everything it did on record."""

import datetime
import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from gaia_harness import protocol
from gaia_harness.agent import AgentResult, AgentRun
from gaia_harness.box.agents import Agent
from gaia_harness.box.authority import Authority
from gaia_harness.box.boxing import AGENT, TASK, Box, BoxLimits, Finished, Mounts, standard_environment
from gaia_harness.box.model_gate import Accountant, GatePolicy, ModelGate, TokenCount
from gaia_harness.box.purse import Allowance, Meter, Purse
from gaia_harness.box.traffic import ENDED, Traffic, shown
from gaia_harness.box.upstream import Upstream
from gaia_harness.errors import ModelFault, ToolError
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.models.endpoint import Endpoint
from gaia_harness.records.steps import ToolCallStep
from gaia_harness.records.tool_use import ToolUse
from gaia_harness.tools.addresses import Resolver, system_resolver
from gaia_harness.tools.base import Attachment, Tool
from gaia_harness.tools.proxies import Proxies
from gaia_harness.tools.reader_pool import ReaderPool


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
        proxied: bool = False,
        limits: BoxLimits | None = None,
        allowance: Allowance | None = None,
        resolve: Resolver = system_resolver,
        now: Callable[[], datetime.datetime] = lambda: datetime.datetime.now(datetime.UTC),
    ) -> None:
        """`proxied`: the box's network is bubblewrap's, where that is all that this machine allows."""
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
        self._readers = ReaderPool()
        self._world = partial(Upstream, allow_hosts=allow_hosts, resolve=resolve, proxies=proxies)
        mounts = Mounts(agent=agent.folder, programs=agent.programs, extra=agent.extra, hidden=tuple(hidden))
        mounts = msgspec.structs.replace(mounts, left_out=agent.left_out)
        self._box = Box(bwrap, mounts, self._authority.pem, proxied=proxied)

    @property
    def isolation(self) -> str:
        """How the agent is contained, for the record."""
        return protocol.WEAKER_BOX if self._box.proxied else protocol.FULL_BOX

    async def aclose(self) -> None:
        """Close what all attempts have used."""
        await self._readers.aclose()

    async def attempt(
        self,
        question: str,
        attachment: Attachment | None,
        recorder: Recorder,
        *,
        seconds: float | None,
        meter: Meter,
        on_tool: Callable[[str, ToolUse], None] | None = None,
        on_failure: Callable[[str | None], None] = lambda error: None,
        tools: Sequence[Tool] = (),
    ) -> AgentRun:
        """Put one question to the agent. `tools` are ours, for an agent that wants them."""
        purse = Purse(self._allowance, meter, on_failure)
        parts = (self._gate, self._world(), self._authority, recorder, purse)
        traffic = Traffic(*parts, on_tool, tools, self._readers, self.agent.file.agents)
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
        environment = standard_environment(self.agent.path, proxied=self._box.proxied) | {
            "GAIA_MODEL": self._policy.model
        }
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
        traffic: Traffic,
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

    def _gate(
        self,
        accountant: Accountant,
        refused: Callable[[str, str], None],
        unread: Callable[[str], None],
        counted: Callable[[TokenCount], None],
    ) -> ModelGate:
        """The way to the model, for one attempt."""
        return ModelGate(
            self._endpoint,
            self._policy,
            accountant,
            clock=time.monotonic,
            refused=refused,
            unread=unread,
            counted=counted,
            proxies=self._proxies,
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
    if finished.ended in ENDED:
        return ENDED[finished.ended], None
    if purse.over is not None:
        return purse.over, None
    if answer is not None:
        return None, None
    if purse.failed is not None and not purse.usages:
        return f"the model did not answer: {purse.failed}", "outage"
    said = " ".join(shown(finished.errors).split())[-300:]
    how = f"ended with status {finished.status}"
    how = how if finished.signal is None else f"was killed by signal {finished.signal}"
    return f"no answer; the agent {how}{f': {said}' if said else ''}", None
