"""The driver's side of a worker: what it is sent, what it may be, and what is done with its reports."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec

from gaia_harness.agent import AgentResult
from gaia_harness.attempts.boxing import AGENT
from gaia_harness.attempts.budget import Allowance
from gaia_harness.attempts.messages import (
    Asked,
    Assignment,
    Broken,
    Ended,
    Frames,
    Heard,
    Hello,
    Opened,
    Paid,
    Report,
    Said,
    Setup,
    StepTaken,
    TextKept,
    Used,
    Waits,
    framed,
    pieces,
)
from gaia_harness.attempts.sealing import sealed_for
from gaia_harness.attempts.versions import versions
from gaia_harness.attempts.workshop import Job, Listener
from gaia_harness.disclosure import OWN_ADDRESSES, third_parties
from gaia_harness.errors import RunError
from gaia_harness.evidence.elsewhere import TakenElsewhere
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.models.endpoint import PROVIDERS
from gaia_harness.models.retry import on_wait
from gaia_harness.protocol import PYTHON
from gaia_harness.records.config import RunConfig
from gaia_harness.records.sources import source_sha256
from gaia_harness.records.tool_use import ToolUse, merge_uses
from gaia_harness.run.executor import WorkerLost
from gaia_harness.version import __version__

log = logging.getLogger("gaia_harness")

LATE = 120.0
"""Seconds behind the time of an attempt after which a worker that says nothing is given up."""

_ENGINES = ("BRAVE_API_KEY", "TAVILY_API_KEY")

_report = msgspec.json.Decoder(Report)


class Gone(Exception):
    """The worker is no more, and this is why."""


class Refused(RunError):
    """A worker that may not work for this run. `node` is where it is."""

    def __init__(self, message: str, *, node: str, hint: str | None) -> None:
        super().__init__(message, hint=hint)
        self.node = node


class Call(Protocol):
    """Calls a method of a worker, wherever that is. Raises `Gone`."""

    async def __call__(self, method: str, *args: Any) -> Any:
        """What the method gives."""
        ...


class Remote:
    """A worker that was found fit, and makes one attempt at a time."""

    def __init__(self, call: Call, hello: Hello, isolation: dict[str, Any], model: str) -> None:
        self._call = call
        self.model = model
        self.hello = hello
        self.isolation = isolation
        self.answered = False
        self._frames = Frames()  # a log line behind the end of an attempt may come in pieces, too

    @classmethod
    async def open(
        cls,
        call: Call,
        setup: Setup,
        environment: Mapping[str, str | None],
        *,
        model: str,
        isolation: dict[str, Any] | None,
    ) -> "Remote":
        """Make a worker ready. `Refused` where it is not as it must be, or not as the others are (`isolation`)."""
        try:
            hello = msgspec.json.decode(await call("hello"), type=Hello)
        except msgspec.MsgspecError as error:
            raise Gone(f"it does not say who it is: {error}") from error
        _same_versions(hello)
        setup = msgspec.structs.replace(setup, environment=sealed_for(hello.seal, msgspec.json.encode(environment)))
        await _send(call, framed(setup))
        opened = msgspec.json.decode(await call("open"), type=Opened)
        if opened.refusal is not None:
            raise Refused(f"{hello.machine}: {opened.refusal}", node=hello.node, hint=opened.hint)
        other = None if isolation is None else _other(isolation, opened.isolation)
        if other is not None:
            raise Refused(
                f"{hello.machine}: {other}",
                node=hello.node,
                hint="set up all machines of the cluster in the same way",
            )
        return cls(call, hello, opened.isolation, model)

    async def attempt(self, job: Job, recorder: Recorder, listener: Listener, budget: Allowance) -> AgentResult:
        """Have an attempt made, and take down what it reports while it goes on."""
        received = _Received(self, recorder, listener, budget)
        try:
            async with asyncio.timeout(None if job.seconds is None else job.seconds + LATE):
                return await self._attempt(job, recorder, received, lambda: budget.reason)
        except (Gone, TimeoutError) as gone:
            why = "it did not answer in time" if isinstance(gone, TimeoutError) else str(gone)
            raise WorkerLost(
                f"the worker on {self.hello.machine} was lost: {why}",
                cost_usd=received.cost_usd,
                tools=merge_uses({name: use} for name, use in received.uses),
            ) from gone

    async def _attempt(
        self, job: Job, recorder: Recorder, received: "_Received", spent: Callable[[], str | None]
    ) -> AgentResult:
        assignment = Assignment(
            task_id=job.task_id,
            question=job.question,
            attempt=recorder.attempt,
            first_seq=recorder.next_seq,
            file_name=None if job.attachment is None else job.attachment.name,
            seed=job.seed,
            seconds=job.seconds,
        )
        body = b"" if job.attachment is None else job.attachment.path.read_bytes()
        await _send(self._call, framed(assignment, body))
        await self._call("begin")
        while True:
            for header, text in self._frames.feed(await self._call("reports", spent())):
                result = received.take(_report.decode(header), text)
                if result is not None:
                    return result


class _Received:
    """What has come of one attempt."""

    def __init__(self, worker: Remote, recorder: Recorder, listener: Listener, budget: Allowance) -> None:
        self._worker = worker
        self._recorder = recorder
        self._taken = TakenElsewhere(recorder)
        self._listener = listener
        self._budget = budget
        self.cost_usd: float | None = None  # of the run's model: transcripts are told with theirs
        self.uses: list[tuple[str, ToolUse]] = []

    def take(self, report: Report, text: bytes) -> AgentResult | None:
        """Take a report; the last one has the result."""
        match report:
            case StepTaken():
                self._taken.step(report.step)
            case TextKept():
                self._taken.text(report.kind, report.sha256, text)
            case Paid():
                self._budget.add(report.cost_usd, report.model)
                if report.model == self._worker.model:
                    self._worker.answered = True
                    if report.cost_usd is not None:
                        self.cost_usd = (self.cost_usd or 0.0) + report.cost_usd
            case Heard():
                self._listener.heard(report.transcript)
            case Used():
                self.uses.append((report.name, report.use))
                self._listener.used(report.name, report.use)
            case Asked():
                self._listener.asked(report.error)
            case Waits():
                on_wait.get()(report.reason)
            case Said():
                # it may have a stranger's words in it: no terminal is steered
                log.log(report.level, "%s", "".join(sign if sign.isprintable() else " " for sign in report.text))
            case Broken():
                raise type(report.name, (Exception,), {})(report.text)  # it is told as if it had happened here
            case Ended():
                self._recorder.failures += report.failures
                return report.result
        return None


def needed_environment(
    config: RunConfig, env: Mapping[str, str], *, agent: tuple[str, ...] = (), also: tuple[str, ...] = ()
) -> dict[str, str | None]:
    """The variables that workers need: the key and address of each model that they ask, and of a search engine.

    The judge is asked by the driver. `agent` are names that a boxed agent asks for, `also` those that the user gives.
    What is not set here is None, and unset for the worker: its machine may have a value of its own.
    """
    names = [*agent, *also]
    asked = [config.model, config.transcription_model or ""]
    for provider in {model.strip().partition("/")[0] for model in asked} & PROVIDERS.keys() & OWN_ADDRESSES.keys():
        known = PROVIDERS[provider]
        names += [known.key_variable, known.url_variable, *known.sdk_variables]
    if config.search_url is None and config.dataset != "demo":
        engine = next((name for name in _ENGINES if env.get(name)), None)
        names += [] if engine is None else [engine]
    return dict.fromkeys(_ENGINES) | {name: env.get(name) for name in names}


def _same_versions(hello: Hello) -> None:
    """What run.json and the intent say of versions must be true of every machine."""
    ours, theirs = versions(), hello.versions
    other = next((name for name in sorted(ours) if ours[name] != theirs.get(name)), None)
    if other == "gaia_harness" or (other is None and hello.source_sha256 != source_sha256()):
        same = "another build of " if other is None else ""
        said = f"has {same}gaia-harness {theirs.get('gaia_harness', '?')}, this machine {ours['gaia_harness']}"
    elif other is not None:
        said = f"has {other} {theirs.get(other, 'not at all')}, this machine {ours[other]}"
    else:
        return
    raise Refused(
        f"{hello.machine}: {said}",
        node=hello.node,
        hint=f"install the same on every machine: pip install 'gaia-harness[run,ray]=={__version__}'",
    )


def _other(isolation: Mapping[str, Any], theirs: Mapping[str, Any]) -> str | None:
    """What is not there as it is at the other workers: what foreign code runs in, and packages of others."""
    for name in (PYTHON, AGENT, *sorted({*third_parties(isolation), *third_parties(theirs)})):
        there, here = (str(each.get(name)) for each in (theirs, isolation))
        if name == PYTHON:  # of whatever version
            there, here = there.split(" ")[0], here.split(" ")[0]
        if there != here:
            return f"its {name} is {there!r}, that of the other workers {here!r}"
    return None


async def _send(call: Call, data: bytes) -> None:
    for piece in pieces(data):
        await call("put", piece)
