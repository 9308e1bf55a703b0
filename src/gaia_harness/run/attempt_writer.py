"""Takes down one attempt of an agent that is not ours, step by step."""

import contextlib
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from gaia_harness.evidence.recorder import Agent, Recorder
from gaia_harness.models.messages import Usage
from gaia_harness.protocol import LONGEST_ANSWER
from gaia_harness.records.steps import Source
from gaia_harness.records.tool_use import ToolUse, merge_uses, one_call
from gaia_harness.run.results import AttemptOutcome


class SourceText(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a tool's output with where it comes from: one search hit, one page. `text` is a part of the output."""

    url: str = ""
    title: str = ""
    text: str = ""


class AttemptWriter:
    """One attempt. Each method takes down one thing that happened, in order, and none of them raises.

    A turn is one call of the model with what follows from it: it is counted by itself.
    """

    def __init__(self, recorder: Recorder | None, model: str) -> None:
        self._recorder = recorder
        self._model = model
        self._turn = 1
        self._asked = False  # whether the model has spoken in this turn
        self._began = time.monotonic()
        self._wall_ms: int | None = None
        self._by: Agent | None = None
        self._answer: str | None = None
        self._error: str | None = None
        self._usages: list[Usage] = []
        self._calls: dict[str, _OpenCall] = {}
        self._answered: set[str] = set()
        self._uses: dict[str, ToolUse] = {}
        self._used: set[str] = set()
        self._steps = 0

    def prompt(self, text: str | bytes, *, role: str = "user", context_sha256: str | None = None) -> None:
        """Something was put before the model: a `system` text, a `user` text, the catalogue of `tools` as JSON.

        `context_sha256` is the hash of the whole request as it is sent, where you know it.
        """
        self._new_turn()
        if self._recorder is not None:
            self._recorder.prompt(self._turn, role, text, context_sha256=context_sha256, by=self._by)
        self._steps += 1

    def llm_call(
        self,
        text: str | bytes,
        *,
        model: str | None = None,
        thoughts: str | bytes = "",
        tokens_in: int | None = None,
        tokens_out: int | None = None,
        stop_reason: str | None = None,
        latency_ms: int = 0,
        response_id: str | None = None,
    ) -> None:
        """The model said something. `model` is the name that its server gave."""
        self._new_turn()
        self._asked = True
        if self._recorder is not None:
            self._recorder.llm_call(
                self._turn,
                text,
                model=model or self._model,
                thoughts=thoughts,
                tokens_in=tokens_in,
                tokens_out=tokens_out,
                stop_reason=stop_reason,
                latency_ms=latency_ms,
                response_id=response_id,
                by=self._by,
            )
        self._usages.append(Usage(input_tokens=tokens_in, output_tokens=tokens_out))
        self._steps += 1

    def tool_call(self, name: str, args: Mapping[str, Any] | str | None = None, *, call_id: str | None = None) -> str:
        """The agent called a tool with an object of arguments, or one text; gives the id for its result."""
        shown = call_id if call_id is not None and call_id not in self._calls else f"call-{len(self._calls) + 1}"
        while shown in self._calls:
            shown += "'"
        place = -1 if self._recorder is None else self._recorder.next_seq
        self._calls[shown] = _OpenCall(name, place, time.monotonic(), isinstance(args, Mapping))
        if self._recorder is not None:
            given = args if isinstance(args, Mapping) else {} if args is None else None
            raw = args if isinstance(args, str) else None
            self._recorder.tool_call(self._turn, shown, name, given, raw=raw, by=self._by)
        self._steps += 1
        return shown

    def tool_result(
        self,
        text: str | bytes,
        *,
        call_id: str | None = None,
        name: str | None = None,
        is_error: bool = False,
        sources: Iterable[SourceText] = (),
    ) -> None:
        """A tool gave something back: to the call with this id, else to the last open one (of that name)."""
        known = call_id if call_id in self._calls and call_id not in self._answered else self._last_open(name)
        if known is None:
            if self._recorder is not None:
                self._recorder.failures.append(f"a result of {name or 'a tool'} without its call")
            return
        call = self._calls[known]
        self._answered.add(known)
        if self._recorder is not None:
            data = text.encode("utf-8", "replace") if isinstance(text, str) else text
            self._recorder.tool_result(
                self._turn, known, call.name, text, is_error=is_error, sources=_places(data, sources), by=self._by
            )
        use = one_call(time.monotonic() - call.began, str(text)[:1000] if is_error else None)
        self._uses = merge_uses((self._uses, {call.name: use}))
        if not is_error and call.with_arguments:
            self._used.add(call.name)
        self._steps += 1

    def answer(self, text: str | None, *, call_id: str | None = None) -> None:
        """The agent's answer, as it is scored. The last one counts; None is no answer."""
        self._answer = None if text is None else text[:LONGEST_ANSWER]
        if text is not None and self._recorder is not None:
            self._recorder.answer(self._turn, text, call_id=call_id if call_id in self._calls else None, by=self._by)
        self._steps += text is not None

    def failed(self, reason: str) -> None:
        """The agent came to no answer, and this is why. It counts as an attempt without one."""
        self._error = reason

    @contextlib.contextmanager
    def sub_agent(self, name: str, *, call_id: str | None = None) -> Iterator[None]:
        """What is taken down in this block was done by a sub-agent, which that call has started."""
        before, call = self._by, self._calls.get(call_id or "")
        self._by = Agent(name, None if call is None or call.seq < 0 else call.seq)
        try:
            yield
        finally:
            self._by = before

    def end(self) -> None:
        """The attempt is over: its time is taken."""
        if self._wall_ms is None:
            self._wall_ms = round((time.monotonic() - self._began) * 1000)

    def outcome(self, *, timed: bool = True) -> AttemptOutcome:
        """What the attempt came to."""
        self.end()
        return AttemptOutcome(
            answer=self._answer,
            turns=self._turn if self._steps else 0,
            usages=tuple(self._usages),
            tools_used=tuple(sorted(self._used)),
            tools=self._uses,
            error=self._error if self._answer is None else None,
            wall_ms=self._wall_ms or 0,
        )

    def _new_turn(self) -> None:
        if self._asked:
            self._turn += 1
            self._asked = False

    def _last_open(self, name: str | None) -> str | None:
        return next(
            (
                call_id
                for call_id in reversed(self._calls)
                if call_id not in self._answered and name in (None, self._calls[call_id].name)
            ),
            None,
        )


class _OpenCall(msgspec.Struct, frozen=True):
    name: str
    seq: int
    began: float
    with_arguments: bool


def _places(data: bytes, sources: Iterable[SourceText]) -> Iterator[Source]:
    """Where each source stands in the output: they come in its order."""
    at = 0
    for source in sources:
        text = source.text.encode("utf-8", "replace")
        found = data.find(text, at) if text else -1
        offset, size = (found, len(text)) if found >= 0 else (at, 0)
        at = offset + size
        yield Source(url=source.url, title=source.title, offset=offset, bytes=size)
