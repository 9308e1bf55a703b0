"""Logs of Inspect AI (`.eval` and `.json`): read by its own library, one sample at a time."""

import importlib
import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.exchange.importers import OnFault
from gaia_harness.exchange.inputs import LARGEST_PIECE, ImportRefused, InputFile, files_in, parse
from gaia_harness.exchange.inspect_events import WRAPPING, Story, asked_of, question_of
from gaia_harness.exchange.members import members
from gaia_harness.exchange.neutral import NeutralRun
from gaia_harness.exchange.zipped import ZippedFile

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

_FILE_NAMED = re.compile(r"in order to find the correct answer: (/shared_files/[^\n]+)")


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
    story = Story(where)
    try:
        if any(event.event == "model" and not event.input for event in sample.events):
            story.begin(sample.messages)
        story.tell(sample.events)
        if not any(step.type == "llm_call" for step in story.steps):
            story.retell(sample.messages)
        if sum(len(step.text) + len(step.thoughts) for step in story.steps) > _MOST_TEXT:
            raise ImportRefused(f"{where}: more than {_MOST_TEXT >> 20} MiB of text, most of it repeated")
        asked = asked_of(sample.input)
        named = [*(sample.files or ()), *(_FILE_NAMED.findall(asked) if asked.startswith(WRAPPING) else ())]
        correct, answer = _score(sample)
        if sample.error_retries:
            story.gaps.add(
                f"{len(sample.error_retries)} earlier tries of this sample ended with an error and were made again"
            )
        epochs, sandbox = spec.config.epochs or 1, sample.sandbox or spec.sandbox
        return NeutralRun(
            steps=tuple(story.steps),
            task_id=sample.id if isinstance(sample.id, str) else None,
            question=question_of(sample.input),
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
