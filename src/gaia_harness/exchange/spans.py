"""Spans of OpenTelemetry as JSON, in the shapes that tools write them, brought into one form.

OTLP JSON (`resourceSpans`), the SDK's and Phoenix's flat spans (`context`, `parent_id`), columns of Phoenix's
data frames (`context.trace_id`), spans inside each other (`child_spans`), Langfuse's traces with `observations`.
"""

import datetime
import math
import re
import tempfile
from array import array
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from gaia_harness.exchange.importers import OnFault
from gaia_harness.exchange.inputs import LARGEST_PIECE, ImportRefused, InputFile, parse

KIND = "openinference.span.kind"
_LONGEST_NAME = 256
_IN_MEMORY = 8 * 1024 * 1024
_NESTED_KEYS = ("child_spans", "children")


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """One span. `attributes` are flat: `llm.input_messages.0.message.role`. `nanos` is its start, for the order."""

    trace: str
    id: str
    parent: str | None
    name: str
    kind: str
    attributes: dict[str, Any]
    time: str | None = None
    nanos: int | None = None
    error: str | None = None
    service: str | None = None
    task: dict[str, str] = {}


class Trace(msgspec.Struct, frozen=True):
    """All spans of one trace, in the order of the file. `lost` counts pieces of the file that could not be read."""

    id: str
    spans: tuple[Span, ...]
    lost: int


def is_spans(value: Any) -> bool:
    """Whether a JSON value has one of the shapes."""
    if isinstance(value, list):
        return bool(value) and is_spans(value[0])
    if not isinstance(value, dict):
        return False
    if isinstance(value.get("resourceSpans", value.get("resource_spans")), list):
        return True
    if "trace_id" in value and isinstance(spans := value.get("spans"), list):
        return not spans or (isinstance(spans[0], dict) and "span_id" in spans[0])
    if isinstance(data := value.get("data"), list):
        return bool(data) and _is_span(data[0])
    return _is_span(value) or _is_langfuse(value)


def _is_span(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    context = value.get("context")
    flat = isinstance(context, dict) and {"trace_id", "span_id"} <= context.keys()
    return flat or {"context.trace_id", "context.span_id"} <= value.keys() or _is_observation(value)


def _is_observation(value: dict[str, Any]) -> bool:
    return {"id", "traceId", "type", "parentObservationId"} <= value.keys()


def _is_langfuse(value: dict[str, Any]) -> bool:
    observations = value.get("observations")
    return (
        isinstance(observations, list)
        and "id" in value
        and all(isinstance(item, dict) and "type" in item for item in observations[:1])
    )


def traces(file: InputFile, on_fault: OnFault) -> Iterator[Trace]:
    """The traces of the file, one at a time, whatever the order of their spans."""
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spool:
        places: dict[str, array[int]] = {}  # of each span its place in the file and its size, in turn
        lost = 0
        for where, value in _values(file, on_fault):
            if value is None:
                lost += 1
                continue
            try:
                for span in _spans(value, where):
                    data = msgspec.json.encode(span)
                    places.setdefault(span.trace, array("Q")).extend((spool.tell(), len(data)))
                    spool.write(data)
            except ImportRefused as error:
                lost += 1
                on_fault(error)
        if not places and not lost:
            raise ImportRefused(f"{file.name}: no span in it")
        decoder = msgspec.json.Decoder(Span)
        for trace, pieces in places.items():
            if sum(pieces[1::2]) > LARGEST_PIECE:
                on_fault(
                    ImportRefused(
                        f"{file.name}: trace {trace}: larger than {LARGEST_PIECE >> 20} MiB, more than one task-run "
                        "may take"
                    )
                )
                continue
            spans = []
            for at, size in zip(pieces[::2], pieces[1::2], strict=True):
                spool.seek(at)
                spans.append(decoder.decode(spool.read(size)))
            yield Trace(trace, tuple(spans), lost)


def _values(file: InputFile, on_fault: OnFault) -> Iterator[tuple[str, Any]]:
    """The JSON values that hold spans, with their places; None for one that cannot be read."""
    head = file.head().lstrip().removeprefix(b"\xef\xbb\xbf").lstrip()
    pieces: Iterator[tuple[str, bytes]]
    if head.startswith(b"["):
        pieces = ((f"{file.name}: element {number}", data) for number, data in file.elements())
    elif re.match(rb"\{[^\n]*\}[ \t\r]*\n[ \t\r\n]*\{", head) or _many_lines(file):
        pieces = ((f"{file.name}:{number}", data) for number, data in file.lines())
    else:
        pieces = iter([(file.name, file.whole())])
    for where, data in pieces:
        try:
            yield where, parse(data, where)
        except ImportRefused as error:
            on_fault(error)
            yield where, None


def _many_lines(file: InputFile) -> bool:
    """Whether the first line, longer than the head, is a whole value and others follow."""
    try:
        lines = file.lines()
        _, first = next(lines)
        return first.rstrip().endswith(b"}") and first.lstrip().startswith(b"{") and next(lines, None) is not None
    except (ImportRefused, StopIteration):
        return False


def _spans(value: Any, where: str) -> Iterator[Span]:
    if not isinstance(value, dict):
        raise ImportRefused(f"{where}: not an object, so no span")
    resources = value.get("resourceSpans", value.get("resource_spans"))
    if resources is not None:
        yield from _otlp(resources, where)
    elif "spans" in value and "trace_id" in value:
        yield from _nested(value["spans"], value["trace_id"], where)
    elif isinstance(value.get("data"), list):
        for at, item in enumerate(value["data"]):
            yield from _spans(item, f"{where}: data {at + 1}")
    elif _is_observation(value):
        yield _observation(value, where)
    elif _is_langfuse(value):
        yield from _langfuse(value, where)
    elif _is_span(value):
        yield _flat_span(value, where)
    else:
        raise ImportRefused(f"{where}: no span of a known shape (OTLP, Phoenix, Langfuse, child_spans)")


def _otlp(resources: Any, where: str) -> Iterator[Span]:
    for resource in _objects(resources, where, "resourceSpans"):
        about = _attributes(_object(resource.get("resource")).get("attributes"), where)
        for scope in _objects(resource.get("scopeSpans", resource.get("scope_spans", [])), where, "scopeSpans"):
            for at, span in enumerate(_objects(scope.get("spans", []), where, "spans")):
                yield _one(span, f"{where}: span {at + 1}", about)


def _nested(spans: Any, trace: Any, where: str) -> Iterator[Span]:
    todo: list[tuple[dict[str, Any], Any]] = [(span, None) for span in reversed(_objects(spans, where, "spans"))]
    while todo:
        span, parent = todo.pop()
        known = {"trace_id": trace, "parent_span_id": parent} | {k: v for k, v in span.items() if v is not None}
        yield _one(known, where, _object(span.get("resource_attributes")))
        for key in _NESTED_KEYS:
            inner = _objects(span.get(key, []), where, key)
            todo += [(child, span.get("span_id")) for child in reversed(inner)]


def _flat_span(span: dict[str, Any], where: str) -> Span:
    columns = {name.removeprefix("context."): value for name, value in span.items() if name.startswith("context.")}
    attributes = {
        name.removeprefix("attributes."): value
        for name, value in span.items()
        if name.startswith("attributes.") and value is not None
    }
    known = {**span, **_object(span.get("context")), **columns}
    if attributes:
        known["attributes"] = attributes
    if isinstance(status := span.get("status"), dict) and "status_code" in status:
        known["status"] = {"code": status["status_code"], "message": status.get("description")}
    resource = _object(span.get("resource"))
    return _one(known, where, _object(resource.get("attributes")))


def _one(span: dict[str, Any], where: str, about: Mapping[str, Any]) -> Span:
    attributes = _attributes(_first(span, "attributes", "span_attributes"), where)
    identity = _text(_first(span, "spanId", "span_id"))
    trace = _text(_first(span, "traceId", "trace_id"))
    if not identity or not trace:
        raise ImportRefused(f"{where}: a span without an id of its own and of its trace")
    kind = attributes.get(KIND) or _first(span, "span_kind", "spanKind")
    time, nanos = _start(_first(span, "startTimeUnixNano", "start_time", "startTime", "timestamp"))
    service = _first(about, "openinference.project.name", "service.name") or span.get("service_name")
    return Span(
        trace=trace,
        id=identity,
        parent=_text(_first(span, "parentSpanId", "parent_span_id", "parent_id")) or None,
        name=_text(_first(span, "name", "span_name")) or "span",
        kind=kind.upper() if isinstance(kind, str) else "",
        attributes=attributes,
        time=time,
        nanos=nanos,
        error=_error(span),
        service=_text(service) or None,
        task=_logged_task(span.get("logs")),
    )


_KINDS = {"GENERATION": "LLM", "SPAN": "CHAIN", "EVENT": ""}


def _langfuse(trace: dict[str, Any], where: str) -> Iterator[Span]:
    identity = _text(trace.get("id"))
    for at, item in enumerate(_objects(trace["observations"], where, "observations")):
        yield _observation({"traceId": identity} | item, f"{where}: observation {at + 1}")


def _observation(item: dict[str, Any], where: str) -> Span:
    kind = _text(item.get("type")).upper()
    attributes: dict[str, Any] = {}
    for name, given in (("input.value", item.get("input")), ("output.value", item.get("output"))):
        if given is not None:
            attributes[name] = given if isinstance(given, str) else msgspec.json.encode(_plain(given)).decode()
    usage = _object(item.get("usageDetails")) or _object(item.get("usage"))
    attributes |= {
        name: value
        for name, value in (
            ("llm.model_name", item.get("model")),
            ("llm.token_count.prompt", usage.get("input")),
            ("llm.token_count.completion", usage.get("output")),
        )
        if value is not None
    }
    if kind == "TOOL":
        attributes["tool.name"] = item.get("name")
    _flatten("metadata", item.get("metadata"), attributes)
    time, nanos = _start(item.get("startTime"))
    identity, trace = _text(item.get("id")), _text(item.get("traceId"))
    if not identity or not trace:
        raise ImportRefused(f"{where}: an observation without an id of its own and of its trace")
    failed = item.get("level") == "ERROR"
    return Span(
        trace=trace,
        id=identity,
        parent=_text(item.get("parentObservationId")) or None,
        name=_text(item.get("name")) or "span",
        kind=_KINDS.get(kind, kind),
        attributes=attributes,
        time=time,
        nanos=nanos,
        error=(_text(item.get("statusMessage")) or "an error without a message") if failed else None,
    )


def _attributes(value: Any, where: str) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    if isinstance(value, list):  # OTLP: a list of keys and typed values
        for item in _objects(value, where, "attributes"):
            key = item.get("key")
            if isinstance(key, str) and len(key) <= _LONGEST_NAME:
                _flatten(key, _any_value(item.get("value")), flat)
    elif isinstance(value, dict):
        _flatten("", value, flat)
    elif value is not None:
        raise ImportRefused(f"{where}: attributes are neither an object nor a list")
    return flat


def _flatten(name: str, value: Any, flat: dict[str, Any]) -> None:
    if len(name) > _LONGEST_NAME or value is None:
        return
    if isinstance(value, dict):
        for key, item in value.items():
            _flatten(f"{name}.{key[:_LONGEST_NAME]}" if name else key, item, flat)
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for at, item in enumerate(value):
            _flatten(f"{name}.{at}", item, flat)
    else:
        flat[name] = _plain(value)


def _any_value(value: Any) -> Any:
    """A value of OTLP as JSON has it: `{"stringValue": "…"}`; 64-bit numbers are strings there."""
    if not isinstance(value, dict) or not value:
        return None
    kind, inner = next(iter(value.items()))
    if kind == "arrayValue":
        return [_any_value(item) for item in _list(_object(inner).get("values"))]
    if kind == "kvlistValue":
        pairs = [_object(item) for item in _list(_object(inner).get("values"))]
        return {pair["key"]: _any_value(pair.get("value")) for pair in pairs if isinstance(pair.get("key"), str)}
    return inner


def _error(span: dict[str, Any]) -> str | None:
    """What went wrong, where the span has failed: the exception's own words if they are there."""
    status = _object(span.get("status"))
    code = _first(status, "code", "status_code") if status else span.get("status_code")
    if code != 2 and not (isinstance(code, str) and code.upper().removeprefix("STATUS_CODE_") == "ERROR"):
        return None
    for event in _list(span.get("events")):
        about = _first(_object(event), "attributes", "Attributes")
        details = _attributes(about, "") if isinstance(about, dict | list) else {}
        if said := details.get("exception.message"):
            return _text(said)
    return _text(_first(status, "message", "description") or span.get("status_message")) or "an error without a message"


def _logged_task(logs: Any) -> dict[str, str]:
    """The task's id, question and file from a logged call of the program around the agent. Never its answer."""
    for log in _list(logs):
        called = _object(_object(_object(log).get("body")).get("function.arguments"))
        for given in called.values():
            task = _object(given)
            if isinstance(task.get("task_id"), str) and isinstance(task.get("question"), str):
                return {name: task[name] for name in ("task_id", "question")}
    return {}


def _start(value: Any) -> tuple[str | None, int | None]:
    """The start as ISO 8601 and as nanoseconds; numbers since 1970 are of seconds, milli-, micro- or nanoseconds."""
    if isinstance(value, str) and not (value.isascii() and value.isdigit()):
        try:
            moment = datetime.datetime.fromisoformat(value)
            moment = moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)
            return value, int(moment.timestamp() * 1_000_000) * 1000
        except (ValueError, OverflowError):
            return None, None
    if isinstance(value, str):
        value = int(value[:20])
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1 << 63:
        return None, None
    unit = next(unit for most, unit in ((1e11, 10**9), (1e14, 10**6), (1e17, 1000), (math.inf, 1)) if value < most)
    nanos = int(value * unit)
    moment = datetime.datetime.fromtimestamp(nanos // 10**9, datetime.UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{nanos % 10**9 // 1000:06d}Z", nanos


def _first(values: Mapping[str, Any], *names: str) -> Any:
    return next((values[name] for name in names if values.get(name) is not None), None)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _objects(value: Any, where: str, name: str) -> list[dict[str, Any]]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ImportRefused(f"{where}: {name} is not a list of objects")
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None or isinstance(value, dict | list) else str(value)


def _plain(value: Any) -> Any:
    """Numbers that no JSON writer takes become text."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return str(value) if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63 else value
