"""Logs of Inspect AI (`.eval` and `.json`): read by its own library, one sample at a time."""

import importlib
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.exchange.importers import OnFault
from gaia_harness.exchange.inputs import LARGEST_PIECE, ImportRefused, InputFile, files_in, parse
from gaia_harness.exchange.members import members
from gaia_harness.exchange.neutral import NeutralRun, NeutralSource, NeutralStep
from gaia_harness.exchange.zipped import ZippedFile
from gaia_harness.protocol import ToolRole

NAME = "inspect"

INSTALL = "pip install 'gaia-harness[inspect]'"

_JSON_HEAD = re.compile(
    rb'\s*\{\s*"version"\s*:\s*\d+\s*,\s*"status"\s*:\s*"\w+"\s*,(?:\s*"\w+"\s*:\s*\w+\s*,)*\s*"eval"\s*:'
)
_ZIP_HEAD = re.compile(rb"(_journal/|samples/|header\.json|summaries\.json|reductions\.json)")
_SAMPLE = re.compile(r"samples/(.+)_epoch_(\d{1,9})\.json", re.DOTALL)
_CHUNKED = re.compile(r"samples/.+_epoch_\d+/sample\.json", re.DOTALL)

_HEADER_FIELDS = ("version", "status", "eval")
_MOST_REFERENCES = 5_000_000
_MOST_TEXT = 4 * LARGEST_PIECE
_DEEPEST = 50

# what inspect_evals/gaia puts around each question
_WRAPPING = "Please answer the question below. You should:"
_BEFORE_QUESTION = "\n\nHere is the question:\n\n"
_FILE_NAMED = re.compile(r"in order to find the correct answer: (/shared_files/[^\n]+)")

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


def inputs(path: Path) -> Sequence[InputFile]:
    """The file; of a folder, its logs at any depth."""
    files = files_in(path, ".eval", ".json")
    return [file for file in files if detect(file)] if path.is_dir() else files


def detect(file: InputFile) -> bool:
    """Whether it begins as a log does: a zip file with Inspect's names, or JSON with version, status and eval."""
    try:
        head = file.head(4096)
    except OSError:
        return False
    if head.startswith(b"PK\x03\x04"):
        return _ZIP_HEAD.match(head[30:]) is not None
    return _JSON_HEAD.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def read(file: InputFile, on_fault: OnFault) -> Iterator[NeutralRun]:
    """Its samples, one at a time. Epochs are attempts."""
    library = _library()
    zipped = file.head(4).startswith(b"PK")
    for where, header, data in _eval_samples(file, on_fault) if zipped else _json_samples(file):
        try:
            run = _run(library, file, where, header, data)
        except ImportRefused as error:
            on_fault(error)
        else:
            yield run


def _library() -> Any:
    try:
        return importlib.import_module("inspect_ai.log")
    except ImportError as error:
        raise ImportRefused(
            f"logs of Inspect are read by inspect_ai, which is not installed ({error}).",
            hint=f"Install it with: {INSTALL}",
        ) from None


def _eval_samples(file: InputFile, on_fault: OnFault) -> Iterator[tuple[str, dict[str, Any], bytes]]:
    with ZippedFile(file) as zipped:
        first = next((name for name in ("header.json", "_journal/start.json") if name in zipped.entries), None)
        if first is None:
            raise ImportRefused(f"{file.name}: not a log of Inspect: neither header.json nor _journal/start.json in it")
        header = _header(parse(zipped.read(first), f"{file.name}: {first}"), file)
        header.pop("version", None)  # inspect_ai itself heeds it in .json logs alone
        names = [name for name in zipped.entries if _SAMPLE.fullmatch(name)]
        if not names and any(_CHUNKED.fullmatch(name) for name in zipped.entries):
            raise ImportRefused(f"{file.name}: its samples are stored in chunks, which is not read here")
        for name in sorted(names):
            try:
                data = zipped.read(name)
            except ImportRefused as error:
                on_fault(error)
                continue
            yield f"{file.name}: {name}", header, data


def _json_samples(file: InputFile) -> Iterator[tuple[str, dict[str, Any], bytes]]:
    header: dict[str, Any] = {}
    complete: dict[str, Any] | None = None
    for key, number, data in members(file, {"samples"}):
        if number:
            if complete is None:
                complete = _header(header, file)
            yield f"{file.name}: sample {number}", complete, data
        elif key in _HEADER_FIELDS:
            header[key] = parse(data, f"{file.name}: {key}")
    if complete is None:
        _header(header, file)  # a log without any sample is one all the same; anything else is refused


def _header(value: Any, file: InputFile) -> dict[str, Any]:
    """What the library needs of a log beside one sample."""
    if not isinstance(value, dict) or not isinstance(value.get("eval"), dict):
        raise ImportRefused(f"{file.name}: not a log of Inspect: nothing before its samples says which eval it is of")
    return {key: value[key] for key in _HEADER_FIELDS if key in value}


class _Call(msgspec.Struct):
    call_refs: list[tuple[int, int]] | None = None


class _Event(msgspec.Struct):
    input_refs: list[tuple[int, int]] | None = None
    call: _Call | None = None


class _Pool(msgspec.Struct):
    messages: list[msgspec.Raw] = []
    calls: list[msgspec.Raw] = []


class _Counted(msgspec.Struct):
    """Of a sample, what multiplies when the library puts shared messages back into each event."""

    events: list[_Event] = []
    events_data: _Pool | None = None

    def references(self) -> int:
        """How many there are, when each range is written out."""
        pool = self.events_data or _Pool()
        return sum(
            max(0, min(end, len(shared)) - max(0, start))
            for event in self.events
            for refs, shared in ((event.input_refs, pool.messages), (event.call and event.call.call_refs, pool.calls))
            for start, end in refs or ()
        )


def _sample(library: Any, header: dict[str, Any], data: bytes, where: str) -> tuple[Any, Any]:
    """The eval and the sample, as the library's own types, with attachments put back."""
    parse(data, where)  # well-formed, and not nested too deep
    try:
        references = msgspec.json.decode(data, type=_Counted).references()
    except (msgspec.DecodeError, UnicodeDecodeError):  # NaN, or types that the library will refuse itself
        references = 0
        if b"_refs" in data:
            raise ImportRefused(f"{where}: its references to shared messages cannot be counted") from None
    if references > _MOST_REFERENCES:
        raise ImportRefused(f"{where}: more than {_MOST_REFERENCES:,} references to shared messages")
    wrapped = json.dumps(header).encode()[:-1] + b', "samples": [' + data + b"]}"
    try:
        log = library.read_eval_log(io.BytesIO(wrapped), resolve_attachments="core", format="json")
    except Exception as error:  # of a library, on input of any kind
        first = str(error).strip().splitlines() or [""]
        raise ImportRefused(f"{where}: inspect_ai cannot read it: {type(error).__name__}: {first[0][:300]}") from None
    return log.eval, log.samples[0]


def _run(library: Any, file: InputFile, where: str, header: dict[str, Any], data: bytes) -> NeutralRun:
    spec, sample = _sample(library, header, data, where)
    story = _Story(where)
    try:
        if any(event.event == "model" and not event.input for event in sample.events):
            story.begin(sample.messages)
        story.tell(sample.events)
        if not any(step.type == "llm_call" for step in story.steps):
            story.retell(sample.messages)
        if sum(len(step.text) + len(step.thoughts) for step in story.steps) > _MOST_TEXT:
            raise ImportRefused(f"{where}: more than {_MOST_TEXT >> 20} MiB of text, most of it repeated")
        asked = _asked(sample.input)
        named = [*(sample.files or ()), *(_FILE_NAMED.findall(asked) if asked.startswith(_WRAPPING) else ())]
        correct, answer = _score(sample)
        if sample.error_retries:
            story.gaps.add(
                f"{len(sample.error_retries)} earlier tries of this sample ended with an error and were made again"
            )
        epochs, sandbox = spec.config.epochs or 1, sample.sandbox or spec.sandbox
        return NeutralRun(
            steps=tuple(story.steps),
            task_id=sample.id if isinstance(sample.id, str) else None,
            question=_question(asked),
            run=file.path.stem,
            model=spec.model,
            answer=answer,
            attempt=sample.epoch if epochs > 1 or sample.epoch > 1 else None,
            correct=correct,
            error=sample.error.message if sample.error else None,
            tools=story.tools,
            attachments=tuple(dict.fromkeys(named)),
            isolation=f"{sandbox.type} (sandbox of Inspect)" if sandbox else None,
            gaps=tuple(sorted(story.gaps)),
        )
    except (AttributeError, TypeError, KeyError, IndexError, ValueError) as error:
        raise ImportRefused(f"{where}: not as inspect_ai writes it: {type(error).__name__}: {error}") from None


def _asked(given: Any) -> str:
    if isinstance(given, str):
        return given
    users = [message for message in given if message.role == "user"]
    return _text(users[-1].content) if users else ""


def _question(asked: str) -> str | None:
    if asked.startswith(_WRAPPING) and _BEFORE_QUESTION in asked:
        asked = asked.partition(_BEFORE_QUESTION)[2]
    return asked or None


def _score(sample: Any) -> tuple[bool | None, str | None]:
    """What the first score with a plain value says, and the answer that it was given for. Never the target."""
    answer = None
    for score in (sample.scores or {}).values():
        if answer is None:
            answer = score.answer
        value = score.value
        if value in ("C", "I"):
            return value == "C", score.answer if score.answer is not None else answer
        if isinstance(value, bool | int | float) and value in (0, 1):
            return value == 1, score.answer if score.answer is not None else answer
    completion = sample.output.completion
    return None, answer if answer is not None else completion or None


def _text(content: Any) -> str:
    """The words of a message or a result: of parts, those that are text."""
    if isinstance(content, str):
        return content
    if isinstance(content, bool | int | float):
        return json.dumps(content)
    parts = content if isinstance(content, list) else [content]
    return "\n".join(part.text for part in parts if part.type == "text")


def _time(at: Any) -> str | None:
    return at.isoformat() if isinstance(at, datetime) else None


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


class _Story:
    """Events in their order, told as steps: each message once, however often it was put before the model."""

    def __init__(self, where: str) -> None:
        self._where = where
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
        seen: Counter[tuple[str, ...]] = Counter()
        for message in event.input:
            key = self._key(message, span)
            seen[key] += 1
            if seen[key] > self._told[key]:
                self._told[key] += 1
                self._put(message, span, _time(event.timestamp))
        usage = event.output.usage
        counts: dict[str, Any] = {"model": event.model, "time": _time(event.completed or event.timestamp)}
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
        return (message.role, agent, getattr(message, "tool_call_id", None) or calls, _text(message.content))

    def _put(self, message: Any, span: _Span | None, time: str | None = None) -> None:
        """A message that was put before the model, and that no event told of before."""
        self._look_at(message.content)
        text = _text(message.content)
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
        text = _text(event.result)
        error = event.error.message if event.error else ""
        self._add(
            span, type="tool_result", name=event.function, call_id=call, time=_time(event.completed),
            text="\n".join(part for part in (text, error) if part), is_error=event.error is not None,
            cut=event.truncated is not None or _is_cut(text), sources=_sources(event.result),
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
