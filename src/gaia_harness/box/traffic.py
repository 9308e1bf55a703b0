"""What goes through the gateway in one attempt: who answers each request, and its record."""

import asyncio
import io
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import IO

from gaia_harness.box import conversations
from gaia_harness.box.authority import Authority
from gaia_harness.box.boxing import Finished
from gaia_harness.box.conversations import HTTP, Conversations
from gaia_harness.box.doors import Doors
from gaia_harness.box.gateway import Gateway, Refusal
from gaia_harness.box.mcp_tools import ToolServer
from gaia_harness.box.model_gate import Accountant, ModelCall, ModelGate, TokenCount
from gaia_harness.box.names import Names
from gaia_harness.box.pages import LARGEST_TEXT, document_in, record_page
from gaia_harness.box.purse import Purse
from gaia_harness.box.requests import Headers, Incoming, Outgoing
from gaia_harness.box.roles import PROGRAM, REFUSED, TOKENS
from gaia_harness.box.sayings import Sayings
from gaia_harness.box.sockets import Talk, pass_on
from gaia_harness.box.upstream import LARGEST_ANSWER, Answered, Upstream
from gaia_harness.errors import ToolError
from gaia_harness.evidence.recorder import Recorder
from gaia_harness.records.steps import Source
from gaia_harness.records.tool_use import ToolUse, merge_uses, one_call
from gaia_harness.tools.base import Tool
from gaia_harness.tools.containment import Ended, Output
from gaia_harness.tools.reader_pool import ReaderPool

MOST_REFUSALS = 200
MOST_REQUESTS = 20_000
MOST_KEPT = 1 << 30
"""Requests of one attempt, and bytes of their bodies: the record of an attempt has an end."""
NAMES_SHOWN = 200
SHOWN = 8 << 10
"""Bytes of each end of what a program printed that are recorded."""

ENDED = {
    Ended.TIME: "the agent did not end in time",
    Ended.MEMORY: "the agent used more memory than it may",
    Ended.OUTPUT: "the agent printed more than it may",
}
"""What is said of an agent that broke a limit."""

GateMaker = Callable[
    [Accountant, Callable[[str, str], None], Callable[[str], None], Callable[[TokenCount], None]], ModelGate
]
"""Makes the way to the model, for whoever keeps accounts and is told of what was refused, not read, or counted."""


class Traffic:
    """What goes through the gateway in one attempt, and its record."""

    def __init__(
        self,
        gate: GateMaker,
        upstream: Upstream,
        authority: Authority,
        recorder: Recorder,
        purse: Purse,
        on_tool: Callable[[str, ToolUse], None] | None,
        tools: Sequence[Tool],
        readers: ReaderPool,
        names: Mapping[str, str],
    ) -> None:
        """`gate` makes the way to the model; `tools` are ours, for an agent that wants them; `readers` read documents
        among the pages; `names` are those of sub-agents, by words of what they are told first.
        """
        self._upstream = upstream
        self._authority = authority
        self._recorder = recorder
        self._on_tool = on_tool
        self._conversations = Conversations(recorder, names)
        both = _Both(purse, self._conversations)
        self._gate = gate(both, self._refused_call, self._recorder.failures.append, self._counted)
        self._tools = ToolServer(tools, recorder, lambda: self.turn, self._used)
        self._readers = readers
        self._reading: set[asyncio.Event] = set()
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
            self._authority,
            self._handle,
            refused=self._refused,
            failed=self._gateway_failed,
        )
        try:
            async with self._tools.running(), gateway:
                try:
                    yield
                finally:
                    self._gate.end()
        finally:
            await self._gate.aclose()
            await self._upstream.aclose()

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
            for document in tuple(self._reading):  # what the agent has read stands before what it asks then
                await document.wait()
            await self._gate.handle(request, answer)
            return
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
            await self._upstream.forward(request, answer, seen)
        except ToolError as error:
            seen.fault = error.message
            raise
        finally:  # whatever happens: what was sent and what came back is on record
            self._kept += seen.body.size
            await self._take_down(request, seen)
        return seen.fault if (seen.status or 0) < 400 else f"status {seen.status}"

    async def _take_down(self, request: Incoming, seen: Answered) -> None:
        """Record a page. What a document says is read before, unless we are stopped meanwhile."""
        done = asyncio.Event()
        self._reading.add(done)
        document: str | None = None
        try:
            try:
                document = await self._document(request.url, seen)
            finally:
                self._record(request, seen.status, seen.headers, seen.body.open(), seen.fault, document)
        finally:
            seen.body.close()
            self._reading.discard(done)
            done.set()

    async def _document(self, url: str, seen: Answered) -> str | None:
        """What a PDF or the like says; None of any other page."""
        data = document_in(seen.headers, seen.body.open())
        if data is None:
            return None
        try:
            name = url.partition("?")[0].rpartition("/")[2][-60:] or "document"
            return (await self._readers.read(data, name, window=LARGEST_TEXT)).text
        except ToolError as error:
            return f"({error.message})"

    async def _talk(self, request: Incoming, answer: Outgoing) -> str | None:
        talk = Talk()
        fault: str | None = None
        try:
            await pass_on(request, answer, self._upstream, talk)
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
        document: str | None = None,
    ) -> None:
        record_page(
            self._recorder,
            self.turn,
            method=request.method,
            url=request.url,
            request_headers=request.headers,
            request_body=request.body.open(),
            status=status,
            headers=headers,
            body=body,
            error=error,
            document=document,
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
            sources = []
            if refusal.place is not None:  # a host that it wanted to speak to, and is named with the others
                sources = [Source(url=refusal.place, title="", offset=0, bytes=len(refusal.why.encode()))]
            self._recorder.tool_call(self.turn, number, REFUSED, {"where": refusal.where})
            self._recorder.tool_result(self.turn, number, REFUSED, refusal.why, is_error=True, sources=sources)

    def _counted(self, count: TokenCount) -> None:
        number = f"{TOKENS}-{self._recorder.next_seq}"
        about = {"url": count.url, "bytes": count.size, "sha256": count.sha256}
        failed = count.status is None or count.status >= 400
        self._recorder.tool_call(self.turn, number, TOKENS, about)
        self._recorder.tool_result(self.turn, number, TOKENS, count.said, is_error=failed)

    def _gateway_failed(self, error: BaseException) -> None:
        self.failed = f"{type(error).__name__}: {error}"
        self._recorder.failures.append(f"the gateway failed: {self.failed}"[:500])

    def ended(self, argv: Sequence[str], finished: Finished, seconds: float) -> None:
        """The program has ended: take down how."""
        status = "killed" if finished.status is None else f"exit status {finished.status}"
        status = status if finished.signal is None else f"killed by signal {finished.signal}"
        memory = "" if finished.memory is None else f", {finished.memory >> 20} MB in its largest process"
        lines = [f"{finished.not_started or ENDED.get(finished.ended, status)}, {seconds:.1f} s{memory}"]
        if self._refusals > MOST_REFUSALS:
            lines.append(f"{self._refusals - MOST_REFUSALS} more refusals")
        if self._names:
            names = ", ".join(self._names[:NAMES_SHOWN])
            lines.append(f"--- names looked up, {len(self._names)}\n{names}")
        for name, output in (("stdout", finished.out), ("stderr", finished.errors)):
            if output.seen:
                lines.append(f"--- {name}, {output.seen} bytes\n{shown(output)}")
        self._recorder.tool_call(self.turn, PROGRAM, PROGRAM, {"command": " ".join(argv)})
        failed = finished.status != 0
        self._recorder.tool_result(self.turn, PROGRAM, PROGRAM, "\n".join(lines), is_error=failed)


class _Both:
    """Keeps the budget and the record of model calls."""

    def __init__(self, purse: Purse, conversations: Conversations) -> None:
        self._purse = purse
        self._conversations = conversations

    def refusal(self) -> str | None:
        """See `Accountant`."""
        return self._purse.refusal()

    async def settled(self) -> None:
        """See `Accountant`."""
        await self._purse.settled()

    def called(self, call: ModelCall) -> None:
        """See `Accountant`."""
        self._purse.called(call)
        self._conversations.record(
            conversations.ModelCall(request=call.request, reply=call.reply, latency_ms=round(call.seconds * 1000))
        )


def shown(output: Output) -> str:
    """Both ends of what a program printed."""
    head, tail = output.head[:SHOWN], output.tail[-SHOWN:] if output.tail else output.head[SHOWN:][-SHOWN:]
    left_out = output.seen - len(head) - len(tail)
    gap = f"\n[… {left_out} bytes …]\n" if left_out > 0 else ""
    return head.decode("utf-8", "replace") + gap + tail.decode("utf-8", "replace")
