"""Takes down one attempt of an agent that is not ours, step by step."""

import contextlib
import logging
import numbers
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from typing import Any

import msgspec

from gaia_harness.evidence.arguments import as_json
from gaia_harness.evidence.recorder import Agent, Recorder
from gaia_harness.models.messages import Usage
from gaia_harness.plugins import describe_error
from gaia_harness.protocol import LONGEST_ANSWER
from gaia_harness.records.excerpt import to_bytes
from gaia_harness.records.steps import Source
from gaia_harness.records.tool_use import ToolUse, merge_uses, one_call
from gaia_harness.run.results import AttemptOutcome
from gaia_harness.strict_json import MAX_INTEGER

log = logging.getLogger("gaia_harness")


class SourceText(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a tool's output with where it comes from: one search hit, one page. `text` is a part of the output."""

    url: str = ""
    title: str = ""
    text: str = ""


_acting: ContextVar["tuple[AttemptWriter, Agent] | None"] = ContextVar("_acting", default=None)
"""The sub-agent that is at work in this thread or coroutine, and in which attempt."""


class AttemptWriter:
    """One attempt. Each method takes down one thing that happened, in order, and none of them raises.

    A turn is one call of the model with what follows from it: it is counted by itself. A text may be given as bytes;
    None is no text, and any other value is taken down as JSON. What cannot be taken down makes the run unfit for
    submission, and says so. Several threads may write to one attempt.
    """

    def __init__(self, recorder: Recorder | None, model: str) -> None:
        self._recorder = recorder
        self._model = model
        self._turn = 1
        self._asked = False  # whether the model has spoken in this turn
        self._began = time.monotonic()
        self._wall_ms: int | None = None
        self._answer: str | None = None
        self._error: str | None = None
        self._usages: list[Usage] = []
        self._calls: dict[str, _Call] = {}
        self._open: dict[str, str] = {}  # calls without a result, with the names of their tools
        self._uses: dict[str, list[ToolUse]] = {}
        self._used: set[str] = set()
        self._steps = 0
        self._over = self._warned = False
        self._lock = threading.RLock()

    def prompt(self, text: str | bytes, *, role: str = "user", context_sha256: str | None = None) -> None:
        """Something was put before the model: a `system` text, a `user` text, the catalogue of `tools` as JSON.

        `context_sha256` is the hash of the whole request as it is sent, where you know it.
        """
        with self._taking("a prompt"):
            self._new_turn()
            if self._recorder is not None:
                self._recorder.prompt(
                    self._turn, _name(role or "user"), _text(text), context_sha256=context_sha256, by=self._by
                )
            self._steps += 1

    def llm_call(
        self,
        text: str | bytes | None,
        *,
        model: str | None = None,
        thoughts: str | bytes | None = "",
        tokens_in: int | None = None,
        tokens_out: int | None = None,
        stop_reason: str | None = None,
        latency_ms: float = 0,
        response_id: str | None = None,
    ) -> None:
        """The model said something. `model` is the name that its server gave."""
        with self._taking("a reply"):
            self._new_turn()
            self._asked = True
            usage = Usage(
                input_tokens=self._count(tokens_in, "tokens_in"), output_tokens=self._count(tokens_out, "tokens_out")
            )
            if self._recorder is not None:
                self._recorder.llm_call(
                    self._turn,
                    _text(text),
                    model=_name(model or self._model),
                    thoughts=_text(thoughts),
                    tokens_in=usage.input_tokens,
                    tokens_out=usage.output_tokens,
                    stop_reason=None if stop_reason is None else _name(stop_reason),
                    latency_ms=self._count(latency_ms, "latency_ms") or 0,
                    response_id=None if response_id is None else _name(response_id),
                    by=self._by,
                )
            self._usages.append(usage)
            self._steps += 1

    def tool_call(self, name: str, args: Mapping[str, Any] | str | None = None, *, call_id: str | None = None) -> str:
        """The agent called a tool with an object of arguments, or one text; gives the id for its result."""
        shown = f"call-{len(self._calls) + 1}"
        with self._taking("a tool call"):
            if call_id is not None and _name(call_id) not in self._calls:
                shown = _name(call_id)
            while shown in self._calls:
                shown += "'"
            tool = _name(name)
            place = -1 if self._recorder is None else self._recorder.next_seq
            self._calls[shown] = _Call(tool, place, time.monotonic(), args is None or isinstance(args, Mapping))
            self._open[shown] = tool
            if self._recorder is not None:
                given = args if isinstance(args, Mapping) else {} if args is None else None
                raw = None if given is not None else _text(args)
                written = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
                self._recorder.tool_call(self._turn, shown, tool, given, raw=written, by=self._by)
            self._steps += 1
        return shown

    def tool_result(
        self,
        text: str | bytes | None,
        *,
        call_id: str | None = None,
        name: str | None = None,
        is_error: bool = False,
        sources: Iterable[SourceText] = (),
        cut: bool = False,
        took_ms: int | None = None,
    ) -> None:
        """A tool gave something back: to the call with this id, else to the last open one (of that name).

        `cut` says that it gave more, which you do not have either. `took_ms` is for what you take down only later.
        """
        with self._taking("a tool result"):
            known = None if call_id is None else _name(call_id)
            if known not in self._open:
                known = self._last_open(None if name is None else _name(name))
            if known is None:
                self._failed(f"a result of {'a tool' if name is None else repr(_name(name)[:80])} without its call")
                return
            call = self._calls[known]
            del self._open[known]
            output = _text(text)
            if self._recorder is not None:
                self._recorder.tool_result(
                    self._turn,
                    known,
                    call.name,
                    output,
                    is_error=bool(is_error),
                    sources=_places(to_bytes(output) if isinstance(output, str) else output, sources or ()),
                    cut_before=bool(cut),
                    by=self._by,
                )
            said = output if isinstance(output, str) else output[:4000].decode("utf-8", "replace")
            took = time.monotonic() - call.began if took_ms is None else (self._count(took_ms, "took_ms") or 0) / 1000
            use = one_call(took, said[:1000] if is_error else None)
            self._uses.setdefault(call.name, []).append(use)
            if not is_error and call.with_arguments:
                self._used.add(call.name)
            self._steps += 1

    def answer(self, text: str | None, *, call_id: str | None = None, is_step: bool = True) -> None:
        """The agent's answer, as it is scored. The last one counts; None is no answer, a number is taken as text.

        It is a step of its own, unless it is only what the model said in its last words.
        """
        with self._taking("an answer"):
            said = text if isinstance(text, str | None) else _name(text)
            self._answer = None if said is None else said[:LONGEST_ANSWER]
            if said is None or not is_step:
                return
            known = None if call_id is None else _name(call_id)
            if self._recorder is not None:
                self._recorder.answer(self._turn, said, call_id=known if known in self._calls else None, by=self._by)
            self._steps += 1

    def failed(self, reason: str) -> None:
        """The agent came to no answer, and this is why. It counts as an attempt without one."""
        with self._taking("why there is no answer"):
            self._error = describe_error(reason) if isinstance(reason, BaseException) else _name(reason)

    @contextlib.contextmanager
    def sub_agent(self, name: str, *, call_id: str | None = None) -> Iterator[None]:
        """What is taken down in this block, by this thread or coroutine, was done by a sub-agent.

        `call_id` is that of the call which has started it.
        """
        before = _acting.get()
        with self._taking("a sub-agent"):
            call = None if call_id is None else self._calls.get(_name(call_id))
            _acting.set((self, Agent(_name(name), None if call is None or call.seq < 0 else call.seq)))
        try:
            yield
        finally:
            _acting.set(before)

    def is_open(self, call_id: str | None, name: str | None = None) -> bool:
        """Whether there is a call without a result that has this id or, without an id, this name."""
        if call_id:
            return call_id in self._open
        return self._last_open(name) is not None

    def took(self, milliseconds: float) -> None:
        """How long the attempt took, where that is known from elsewhere."""
        with self._taking("how long it took"):
            self._wall_ms = self._count(milliseconds, "the time it took")

    def end(self) -> None:
        """The attempt is over: its time is taken, and nothing more is taken down."""
        with self._lock:
            self._over, self._recorder = True, None
            if self._wall_ms is None:
                self._wall_ms = round((time.monotonic() - self._began) * 1000)

    def outcome(self) -> AttemptOutcome:
        """What the attempt came to."""
        self.end()
        return AttemptOutcome(
            answer=self._answer,
            turns=self._turn if self._steps else 0,
            usages=tuple(self._usages),
            tools_used=tuple(sorted(self._used)),
            tools={name: merge_uses({name: use} for use in uses)[name] for name, uses in sorted(self._uses.items())},
            error=self._error if self._answer is None else None,
            wall_ms=self._wall_ms or 0,
        )

    @property
    def _by(self) -> Agent | None:
        acting = _acting.get()
        return acting[1] if acting is not None and acting[0] is self else None

    @contextlib.contextmanager
    def _taking(self, what: str) -> Iterator[None]:
        """One thing is taken down at a time. Whatever goes wrong is noted, and never the loop's concern."""
        with self._lock:
            if self._over and not self._warned:
                self._warned = True
                log.warning("%s came after the end of its attempt, and is not recorded", what)
            try:
                yield
            except Exception as error:
                self._failed(f"{what}: {describe_error(error)}")

    def _failed(self, reason: str) -> None:
        if self._recorder is not None:
            self._recorder.failures.append(reason)

    def _count(self, number: float | None, what: str) -> int | None:
        """A number of something. What is none is not known, and makes the run unfit."""
        if number is None:
            return None
        whole = round(number) if isinstance(number, numbers.Real) and abs(number) <= MAX_INTEGER else -1
        if whole < 0 or isinstance(number, bool):
            self._failed(f"{what} is {_name(number)[:80]}, which is no count")
            return None
        return whole

    def _new_turn(self) -> None:
        if self._asked:
            self._turn += 1
            self._asked = False

    def _last_open(self, name: str | None) -> str | None:
        return next((call_id for call_id in reversed(self._open) if name in (None, self._open[call_id])), None)


class _Call(msgspec.Struct, frozen=True):
    name: str
    seq: int
    began: float
    with_arguments: bool


def _text(value: object) -> str | bytes:
    """What stands for a value that may be no text at all."""
    if isinstance(value, str | bytes):
        return value
    if value is None:
        return ""
    return bytes(value) if isinstance(value, bytearray | memoryview) else as_json(value)


def _name(value: object) -> str:
    """A short text: a name, an id, an answer."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, str) else str(value)


def _places(data: bytes, sources: Iterable[SourceText]) -> Iterator[Source]:
    """Where each source stands in the output: they come in its order."""
    at = 0
    for source in sources:
        text = to_bytes(source.text)
        found = data.find(text, at) if text else -1
        offset, size = (found, len(text)) if found >= 0 else (at, 0)
        at = offset + size
        yield Source(url=source.url, title=source.title, offset=offset, bytes=size)
