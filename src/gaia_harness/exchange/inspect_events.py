"""Tells the events of a sample of Inspect as steps: of a log that is read, and of a sample that is recorded live."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from gaia_harness.exchange.inputs import ImportRefused, parse
from gaia_harness.exchange.neutral import NeutralSource, NeutralStep
from gaia_harness.protocol import ToolRole

_DEEPEST = 50

# what inspect_evals/gaia puts around each question
WRAPPING = "Please answer the question below. You should:"
_BEFORE_QUESTION = "\n\nHere is the question:\n\n"

_CUT = "The output of your call to "
_TOO_LONG = " was too long to be displayed."

ROLES: dict[str, ToolRole] = {
    "web_search": "search",
    "web_browser_go": "fetch",
    "web_browser_click": "fetch",
    "web_browser_type": "fetch",
    "web_browser_type_submit": "fetch",
    "web_browser_scroll": "fetch",
    "web_browser_back": "fetch",
    "web_browser_forward": "fetch",
    "web_browser_refresh": "fetch",
    "bash": "code",
    "python": "code",
    "bash_session": "code",
    "code_execution": "code",
    "read_file": "read",
    "list_files": "read",
    "grep": "read",
    "text_editor": "read",
    "submit": "answer",
}
"""The tools that come with Inspect, by what its documentation says of them."""

_SUBMIT_DESCRIPTION = "Submit an answer for evaluation"


def asked_of(given: Any) -> str:
    """What a sample asks: its input, or the last user message there."""
    if isinstance(given, str):
        return given
    users = [message for message in given if message.role == "user"]
    return text_of(users[-1].content) if users else ""


def question_of(given: Any) -> str | None:
    """The same without the words that inspect_evals/gaia puts around each question."""
    asked = asked_of(given)
    if asked.startswith(WRAPPING) and _BEFORE_QUESTION in asked:
        asked = asked.partition(_BEFORE_QUESTION)[2]
    return asked or None


def text_of(content: Any) -> str:
    """The words of a message or a result: of parts, those that are text."""
    if isinstance(content, str):
        return content
    if isinstance(content, bool | int | float):
        return json.dumps(content)
    parts = content if isinstance(content, list) else [content]
    return "\n".join(part.text for part in parts if part.type == "text")


def _time(at: Any) -> str | None:
    return at.isoformat() if isinstance(at, datetime) else None


def _milliseconds(event: Any) -> int | None:
    return None if event.working_time is None else max(0, round(event.working_time * 1000))


class _Span(msgspec.Struct, eq=False):
    """A stretch of events. `agent` did them, whom the call `started_by` started; they belong to the tool's `call`."""

    parent: "_Span | None"
    kind: str | None
    name: str
    depth: int = 0
    scoring: bool = False
    agent: str | None = None
    started_by: str | None = None
    call: str | None = None
    tool: Any = None
    ended: bool = False


class Story:
    """Events in their order, told as steps: each message once, however often it was put before the model."""

    def __init__(self, where: str, *, with_tools: bool = False) -> None:
        """`with_tools`: the tools that a model is offered are a prompt, each catalogue once."""
        self._where = where
        self._with_tools = with_tools
        self._catalogues: set[str] = set()
        self.steps: list[NeutralStep] = []
        self.tools: dict[str, ToolRole] = {}
        self.gaps: set[str] = set()
        self._spans: dict[str, _Span] = {}
        self._waiting: dict[str, list[_Span]] = {}  # spans of tools whose event is still to come
        self._told: Counter[tuple[str, ...]] = Counter()
        self._open: dict[str, list[str]] = {}  # calls without a result, by the id that the log has
        self._ids: Counter[str] = Counter()
        self._answered: set[str] = set()
        self._scoring_steps = 0
        self._events: set[str] = set()

    def tell(self, events: Sequence[Any], within: _Span | None = None, depth: int = 0) -> None:
        """Adds the steps of these events."""
        if depth > _DEEPEST:
            raise ImportRefused(f"{self._where}: events nested deeper than {_DEEPEST}")
        for event in events:
            kind = event.event
            if kind == "span_begin":
                self._begin(event, within)
                continue
            if kind == "span_end":
                self._end(self._spans.get(event.id))
                continue
            if kind == "step":  # what older logs have instead of spans
                if event.type == "scorer":
                    self._scoring_steps += 1 if event.action == "begin" else -1
                continue
            span = self._spans.get(event.span_id) if event.span_id else None
            span = span or within
            if (span and span.scoring) or self._scoring_steps > 0:
                continue  # graders are shown the target
            if kind in ("model", "tool", "subtask") and event.uuid:
                if event.uuid in self._events:
                    continue
                self._events.add(event.uuid)
            if kind == "model" and event.role != "grader":
                self._model(event, span)
            elif kind == "tool":
                self._tool(event, span, depth)
            elif kind == "subtask" and event.events:
                self.tell(_validated(event.events), span, depth + 1)
        if not depth:
            for span in reversed(self._spans.values()):  # a sample that was broken off leaves spans open
                self._end(span)

    def begin(self, messages: Sequence[Any]) -> None:
        """Adds what a conversation begins with, where the calls of the model do not say what was put before it."""
        self.gaps.add("some calls of the model are recorded without what was put before it")
        for message in messages:
            if message.role not in ("system", "user"):
                return
            self._told[self._key(message, None)] += 1
            self._put(message, None)

    def retell(self, messages: Sequence[Any]) -> None:
        """Adds the steps of a conversation, where a log has no events."""
        self.gaps.add("events are not recorded: steps are taken from the conversation at its end")
        for message in messages:
            if message.role == "assistant":
                self._said(message, None, None, {})
            else:
                self._put(message, None)

    def _begin(self, event: Any, within: _Span | None) -> None:
        parent = (self._spans.get(event.parent_id) if event.parent_id else None) or within
        depth = parent.depth + 1 if parent else 0
        if depth > 500:
            raise ImportRefused(f"{self._where}: spans nested deeper than 500")
        span = _Span(
            parent=parent, kind=event.type, name=event.name, depth=depth,
            scoring=event.type in ("scorer", "scorers") or bool(parent and parent.scoring),
            agent=parent.agent if parent else None, started_by=parent.started_by if parent else None,
            call=parent.call if parent else None,
        )  # fmt: skip
        if event.type == "agent" and _inside_agent(parent):
            span.agent, span.started_by = event.name, span.call
        if event.type == "tool":
            self._waiting.setdefault(event.name, []).append(span)
        self._spans[event.id] = span

    def _end(self, span: _Span | None) -> None:
        if span is None:
            return
        span.ended = True
        if span.tool is not None:
            event, span.tool = span.tool, None
            self._result(event, span.call or event.id, span.parent)

    def _add(self, span: _Span | None, **fields: Any) -> None:
        agent = span.agent if span else None
        self.steps.append(NeutralStep(agent=agent, parent=span.started_by if span and agent else None, **fields))

    def _model(self, event: Any, span: _Span | None) -> None:
        for info in event.tools:
            if info.name not in self.tools and info.description.startswith(_SUBMIT_DESCRIPTION):
                self.tools[info.name] = "answer"
        if self._with_tools and event.tools:
            catalogue = json.dumps([info.model_dump(mode="json", exclude_none=True) for info in event.tools])
            if catalogue not in self._catalogues:
                self._catalogues.add(catalogue)
                self._add(span, type="prompt", role="tools", text=catalogue, time=_time(event.timestamp))
        seen: Counter[tuple[str, ...]] = Counter()
        for message in event.input:
            key = self._key(message, span)
            seen[key] += 1
            if seen[key] > self._told[key]:
                self._told[key] += 1
                self._put(message, span, _time(event.timestamp))
        usage = event.output.usage
        counts: dict[str, Any] = {"model": event.model, "time": _time(event.completed or event.timestamp)}
        counts["took_ms"] = _milliseconds(event)
        if usage is not None:  # cached tokens are counted apart
            read = (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)
            counts |= {"tokens_in": usage.input_tokens + read, "tokens_out": usage.output_tokens}
        for choice in event.output.choices:
            key = self._key(choice.message, span)
            self._told[key] += 1
            self._said(choice.message, span, choice.stop_reason, counts)
            counts = {"model": event.model, "time": counts["time"]}

    def _key(self, message: Any, span: _Span | None) -> tuple[str, ...]:
        if message.id:
            return (message.id,)
        agent = (span.agent if span else None) or ""
        calls = ",".join(call.id for call in (getattr(message, "tool_calls", None) or ()))
        return (message.role, agent, getattr(message, "tool_call_id", None) or calls, text_of(message.content))

    def _put(self, message: Any, span: _Span | None, time: str | None = None) -> None:
        """A message that was put before the model, and that no event told of before."""
        self._look_at(message.content)
        text = text_of(message.content)
        if message.role == "tool":
            call = message.tool_call_id or ""
            if call in self._answered:
                return  # told by its event
            waiting = self._open.get(call)
            if waiting:
                error = message.error.message if message.error else ""
                self._answered.add(call)
                self._add(
                    span, type="tool_result", name=message.function or None, call_id=waiting.pop(), time=time,
                    text="\n".join(part for part in (text, error) if part), is_error=message.error is not None,
                    cut=_is_cut(text), sources=_sources(message.content),
                )  # fmt: skip
                return
        if text:
            role = message.role if message.role in ("system", "user") else "user"
            if message.role not in ("system", "user"):
                self.gaps.add(
                    "some messages in the conversation come from the agent's program, not from the model or a tool"
                )
            self._add(span, type="prompt", role=role, text=text, time=time)

    def _said(self, message: Any, span: _Span | None, stop_reason: str | None, counts: dict[str, Any]) -> None:
        """What the model said: words and thoughts, what it did on its server in between, and its calls."""
        words: list[str] = []
        thoughts: list[str] = []
        content = message.content if isinstance(message.content, list) else [message.content]
        self._look_at(message.content)
        said = False
        for part in content:
            if isinstance(part, str):
                words.append(part)
            elif part.type == "text":
                words.append(part.text)
            elif part.type == "reasoning":
                if part.redacted:
                    self.gaps.add("some thoughts of the model are encrypted: their summaries alone are here")
                thoughts.append((part.summary if part.redacted else part.reasoning) or "")
            elif part.type == "tool_use":
                if words or thoughts or not said:
                    said = True
                    self._add(span, type="llm_call", text="\n".join(words), thoughts="\n".join(thoughts),
                              model=counts.get("model"), time=counts.get("time"))  # fmt: skip
                    words, thoughts = [], []
                self._on_server(part, span)
        self._add(
            span,
            type="llm_call",
            text="\n".join(words),
            thoughts="\n".join(thoughts),
            stop_reason=stop_reason,
            **counts,
        )
        for call in message.tool_calls or ():
            self._call(call.id, call.function, call.arguments, span, counts.get("time"))

    def _on_server(self, part: Any, span: _Span | None) -> None:
        roles: dict[str, ToolRole] = {"web_search": "search", "code_execution": "code"}
        role = roles.get(part.tool_type, "other")
        self.tools.setdefault(part.name, role)
        call = self._new_id(part.id)
        try:
            args = parse(part.arguments.encode(), self._where)
        except (ImportRefused, UnicodeEncodeError):
            args = None
        known = isinstance(args, dict)
        self._add(
            span, type="tool_call", name=part.name, call_id=call, role=role, args=args if known else None,
            text="" if known else part.arguments,
        )  # fmt: skip
        text = "\n".join(part for part in (part.result, part.error) if part)
        self._add(span, type="tool_result", name=part.name, call_id=call, text=text, is_error=part.error is not None)

    def _new_id(self, stated: str) -> str:
        """An id of its own for each call: some servers number their calls from 0 in each reply."""
        self._ids[stated] += 1
        count = self._ids[stated]
        return stated if count == 1 else f"{stated}#{count}"

    def _call(self, stated: str, name: str, args: Any, span: _Span | None, time: str | None) -> str:
        call = self._new_id(stated)
        self._open.setdefault(stated, []).append(call)
        self._answered.discard(stated)
        role = self.tools.setdefault(name, ROLES.get(name, "other"))
        url = args.get("url") if role == "fetch" else None
        self._add(
            span, type="tool_call", name=name, args=args, call_id=call, time=time,
            url=url if isinstance(url, str) else None,
        )  # fmt: skip
        if role == "answer" and isinstance(args.get("answer"), str) and not (span and span.agent):
            self._add(span, type="answer", text=args["answer"], time=time)
        return call

    def _tool(self, event: Any, span: _Span | None, depth: int) -> None:
        waiting = self._open.get(event.id)
        if waiting:
            call = waiting.pop()
        else:  # called by the program and not by the model
            call = self._call(event.id, event.function, event.arguments, span, _time(event.timestamp))
            self._open[event.id].pop()
        if event.agent or event.agent_span_id:
            self.tools[event.function] = "delegate"
        self._answered.add(event.id)
        if event.message_id:
            self._told[(event.message_id,)] += 1
        waiting_spans = self._waiting.get(event.function, [])
        while waiting_spans:  # its result comes when everything within is told
            own = waiting_spans.pop()
            if not own.ended:
                own.call, own.tool = call, event
                own.agent, own.started_by = event.function, call  # models that the tool itself asks
                return
        if event.events:
            name = event.agent or event.function
            inner = _Span(parent=span, kind="tool", name=name, agent=name, started_by=call, call=call)
            self.tell(_validated(event.events), inner, depth + 1)
        self._result(event, call, span)

    def _result(self, event: Any, call: str, span: _Span | None) -> None:
        self._look_at(event.result)
        text = text_of(event.result)
        error = event.error.message if event.error else ""
        self._add(
            span, type="tool_result", name=event.function, call_id=call, time=_time(event.completed),
            text="\n".join(part for part in (text, error) if part), is_error=event.error is not None,
            cut=event.truncated is not None or _is_cut(text), sources=_sources(event.result),
            took_ms=_milliseconds(event),
        )  # fmt: skip

    def _look_at(self, content: Any) -> None:
        parts = content if isinstance(content, list) else [content]
        if any(getattr(part, "type", "text") not in ("text", "reasoning", "tool_use") for part in parts):
            self.gaps.add("pictures, sounds, films and documents in messages and results are not taken over")


def _inside_agent(span: _Span | None) -> bool:
    while span is not None:
        if span.kind in ("agent", "tool", "handoff"):
            return True
        span = span.parent
    return False


def _is_cut(text: str) -> bool:
    return text.lstrip().startswith(_CUT) and _TOO_LONG in text[:1000]


def _sources(content: Any) -> tuple[NeutralSource, ...]:
    """The pages that parts of a result name; their words where the whole part is one page."""
    parts = content if isinstance(content, list) else [content]
    found = []
    for part in parts:
        cited = [one for one in (getattr(part, "citations", None) or ()) if getattr(one, "type", "") == "url"]
        for one in cited:
            found.append(NeutralSource(url=one.url, title=one.title or "", text=part.text if len(cited) == 1 else ""))
    return tuple(found)


def _validated(events: list[Any]) -> list[Any]:
    """Events inside other events, of older logs: the library leaves them as plain objects."""
    from inspect_ai.event import Event
    from pydantic import TypeAdapter

    return [
        TypeAdapter(Event).validate_python(one, context={"deserializing": True}) if isinstance(one, dict) else one
        for one in events
    ]
