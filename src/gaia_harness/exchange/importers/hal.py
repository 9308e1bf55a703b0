"""Uploads of Princeton's HAL harness (`…_UPLOAD.json`), decrypted: one file per run."""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.exchange.importers import OnFault
from gaia_harness.exchange.inputs import ImportRefused, InputFile, files_in, parse
from gaia_harness.exchange.members import members, named
from gaia_harness.exchange.neutral import NeutralRun, NeutralStep
from gaia_harness.protocol import ToolRole

NAME = "hal"

LOGGED, EVALUATED = "raw_logging_results", "raw_eval_results"
MOST_TASKS = 100_000

_HEAD = re.compile(rb'\s*\{\s*"config"\s*:\s*\{\s*"agent_name"\s*:')
_ENCRYPTED = re.compile(rb'\s*\{\s*"(encrypted_data|salt)"\s*:')

# how the scorer that HAL uses for GAIA words its explanation: with the answer that it was given, without the gold
_ANSWER = re.compile(
    r"Evaluated (.*) as a (?:number|string|comma separated list)(?:\.|, returned False because .*)", re.DOTALL
)

ROLES: dict[str, ToolRole] = {
    "web_search": "search",
    "visit_webpage": "fetch",
    "python_interpreter": "code",
    "execute_bash": "code",
    "inspect_file_as_text": "read",
    "file_content_search": "read",
    "query_vision_language_model": "look",
    "final_answer": "answer",
}
"""The tools of HAL's own generalist agent."""

LONGEST_ALONE = "of all calls of the model, the one with the longest conversation alone is taken"
OTHERS_LEFT_OUT = "the file has the conversation of the longest call of the model alone"


def inputs(path: Path) -> Sequence[InputFile]:
    """The file; of a folder, its uploads at any depth."""
    files = files_in(path, ".json", ".zip")
    return [file for file in files if detect(file)] if path.is_dir() else files


def detect(file: InputFile) -> bool:
    """Whether it begins as an upload does, decrypted or not."""
    try:
        head = file.head(4096)
    except OSError:
        return False
    return _HEAD.match(head) is not None or _is_encrypted(head)


def read(file: InputFile, on_fault: OnFault) -> Iterator[NeutralRun]:
    """Its tasks, one at a time. The file is read twice: scores may stand behind the conversations."""
    if _is_encrypted(file.head(4096)):
        raise ImportRefused(
            f"{file.name}: encrypted, as HAL publishes its uploads.",
            hint=f"Decrypt it with HAL's own program: hal-decrypt -F {file.path.name}; then import the _UPLOAD.json",
        )
    upload = _Upload(file, on_fault)
    upload.look()
    yield from upload.runs()


def _is_encrypted(head: bytes) -> bool:
    return _ENCRYPTED.match(head) is not None or (
        head.startswith(b"PK\x03\x04") and b".encrypted" in head[30 : 30 + int.from_bytes(head[26:28], "little")]
    )


class _Inputs(msgspec.Struct):
    messages: list[msgspec.Raw] = []


class _Outline(msgspec.Struct):
    """Of one call of the model, what says whether it is the longest of its task."""

    weave_task_id: str | None = None
    attributes: dict[str, Any] = {}
    inputs: _Inputs | None = None


class _Verdict(msgspec.Struct, frozen=True):
    correct: bool | None
    answer: str | None


class _Upload:
    def __init__(self, file: InputFile, on_fault: OnFault) -> None:
        self._file = file
        self._on_fault = on_fault
        self._verdicts: dict[str, _Verdict] = {}
        self._longest: dict[str, tuple[int, int]] = {}  # of each task: how many messages, and the number of the call
        self._run = file.path.stem.removesuffix("_UPLOAD")
        self._model: str | None = None
        self._compact = False

    def look(self) -> None:
        """The first reading: configuration, scores, and which calls to take."""
        for key, number, data in members(self._file, {LOGGED, EVALUATED}):
            where = f"{self._file.name}: {key} {number}" if number else f"{self._file.name}: {key}"
            if key == "config":
                self._configure(parse(data, where), where)
            elif key == EVALUATED and number:
                self._judge(data, where)
            elif key == LOGGED and number:
                self._compact = self._compact or data.lstrip().startswith(b'"')
                if not self._compact:
                    self._weigh(data, number, where)
            if len(self._verdicts) + len(self._longest) > 2 * MOST_TASKS:
                raise ImportRefused(f"{self._file.name}: more than {MOST_TASKS:,} tasks")

    def runs(self) -> Iterator[NeutralRun]:
        """The second reading: the conversations."""
        chosen = {number: task for task, (_, number) in self._longest.items()}
        told = set()
        for key, number, data in members(self._file, {LOGGED, EVALUATED}):
            if key != LOGGED or not number or not (self._compact or number in chosen):
                continue
            where = f"{self._file.name}: {LOGGED} {number}"
            try:
                task, value = named(data, where) if self._compact else (chosen[number], data)
                told.add(task)
                if self._compact:
                    run = self._told(task, parse(value, where), f"{self._file.name}: {task[:80]}", OTHERS_LEFT_OUT)
                else:
                    run = self._told(task, _of_call(parse(value, where), where), where, LONGEST_ALONE)
            except ImportRefused as error:
                self._on_fault(error)
            else:
                yield run
        for task in self._verdicts:
            if task not in told:
                yield self._finished(task, [], {}, None, {"no call of the model is recorded for this task"})

    def _configure(self, config: Any, where: str) -> None:
        if not isinstance(config, dict):
            raise ImportRefused(f"{where}: not an object")
        if isinstance(config.get("run_id"), str) and config["run_id"]:
            self._run = config["run_id"]
        args = config.get("agent_args")
        if isinstance(args, dict):
            stated = args.get("model_name") or args.get("agent.model.name")
            self._model = stated if isinstance(stated, str) else None

    def _judge(self, data: bytes, where: str) -> None:
        if not data.lstrip().startswith(b'"'):
            raise ImportRefused(f"{where}: the scores are not by task")
        task, raw = named(data, where)
        value = parse(raw, where)
        score = value.get("score") if isinstance(value, dict) else value
        correct = bool(score) if isinstance(score, bool | int | float) and score in (0, 1) else None
        explanation = value.get("explanation") if isinstance(value, dict) else None
        found = _ANSWER.fullmatch(explanation) if isinstance(explanation, str) else None
        self._verdicts[task] = _Verdict(correct, found.group(1) if found else None)

    def _weigh(self, data: bytes, number: int, where: str) -> None:
        try:
            outline = msgspec.json.decode(data, type=_Outline)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            parse(data, where)  # names the place where it is no JSON
            self._on_fault(ImportRefused(f"{where}: not a call as HAL records it: {error}"))
            return
        task = outline.weave_task_id or outline.attributes.get("weave_task_id")
        if not isinstance(task, str) or outline.inputs is None or not outline.inputs.messages:
            return  # a call of no task, such as one that made up variations of prompts, or without messages
        length = len(outline.inputs.messages)
        if length > self._longest.get(task, (0, 0))[0]:
            self._longest[task] = length, number

    def _told(self, task: str, value: Any, where: str, gap: str) -> NeutralRun:
        messages = value.get("messages") if isinstance(value, dict) else None
        if not isinstance(messages, list):
            raise ImportRefused(f"{where}: messages is not a list")
        model = value.get("model")
        model = model if isinstance(model, str) else None
        story = _Conversation(where, model)
        for number, message in enumerate(messages, 1):
            story.tell(message, f"{where}: message {number}")
        return self._finished(task, story.steps, story.tools, model, {gap, *story.gaps})

    def _finished(
        self, task: str, steps: list[NeutralStep], tools: dict[str, ToolRole], model: str | None, gaps: set[str]
    ) -> NeutralRun:
        verdict = self._verdicts.get(task, _Verdict(None, None))
        handed_in = [step.text for step in steps if step.type == "answer"]
        if verdict.answer is not None and verdict.answer not in handed_in[-1:]:  # what the agent's program returned
            steps = [*steps, NeutralStep(type="answer", text=verdict.answer)]
        return NeutralRun(
            steps=tuple(steps),
            task_id=task,
            run=self._run,
            model=self._model or model,
            answer=verdict.answer,
            correct=verdict.correct,
            tools=tools,
            gaps=tuple(sorted(gaps)),
        )


def _of_call(call: Any, where: str) -> dict[str, Any]:
    """Messages and model of one call, as earlier uploads have it: with the reply behind them."""
    given = call.get("inputs") if isinstance(call, dict) else None
    messages = given.get("messages") if isinstance(given, dict) else None
    if not isinstance(given, dict) or not isinstance(messages, list):
        raise ImportRefused(f"{where}: its inputs have no messages")
    output = call.get("output")
    choices = output.get("choices") if isinstance(output, dict) else call.get("outputs")
    first = choices[0] if isinstance(choices, list) and choices else None
    reply = first.get("message", first) if isinstance(first, dict) else first
    if isinstance(reply, str):
        reply = {"role": "assistant", "content": reply}
    elif isinstance(reply, dict) and "role" not in reply:
        reply = {"role": "assistant", "content": [reply]}
    return {"messages": [*messages, *([reply] if reply else [])], "model": given.get("model")}


class _Conversation:
    """Chat messages told as steps."""

    def __init__(self, where: str, model: str | None) -> None:
        self._model = model
        self.steps: list[NeutralStep] = []
        self.tools: dict[str, ToolRole] = {}
        self.gaps: set[str] = set()
        self._open: dict[str, str] = {}
        self._ids: dict[str, int] = {}

    def tell(self, message: Any, where: str) -> None:
        """Adds the steps of one message."""
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise ImportRefused(f"{where}: not an object with a role")
        role = message["role"]
        words, thoughts, calls, results = self._parts(message.get("content"), where)
        if role == "assistant":
            stated = message.get("reasoning_content")
            if isinstance(stated, str) and not thoughts:
                thoughts = [stated]
            self._add(type="llm_call", text="\n".join(words), thoughts="\n".join(thoughts), model=self._model)
            for call in (*calls, *_stated_calls(message, where)):
                self._call(*call)
            return
        for result in results:
            self._result(*result)
        text = "\n".join(words)
        call_id = message.get("tool_call_id")
        if role in ("tool", "function") and isinstance(call_id, str):
            self._result(call_id, text)
        elif text:
            self._add(type="prompt", role="system" if role in ("system", "developer") else "user", text=text)

    def _add(self, **fields: Any) -> None:
        self.steps.append(NeutralStep(**fields))

    def _parts(
        self, content: Any, where: str
    ) -> tuple[list[str], list[str], list[tuple[str, str, Any]], list[tuple[str, str]]]:
        """Of a message's content: words, thoughts, calls, and results."""
        words: list[str] = []
        thoughts: list[str] = []
        calls: list[tuple[str, str, Any]] = []
        results: list[tuple[str, str]] = []
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, str):
                words.append(part)
                continue
            if part is None:
                continue
            if not isinstance(part, dict):
                raise ImportRefused(f"{where}: content is neither text nor parts")
            kind = part.get("type")
            if isinstance(part.get("text"), str) and kind in ("text", "input_text", "output_text", None):
                words.append(part["text"])
            elif kind == "thinking" and isinstance(part.get("thinking"), str):
                thoughts.append(part["thinking"])
            elif kind == "tool_use" and isinstance(part.get("id"), str) and isinstance(part.get("name"), str):
                calls.append((part["id"], part["name"], part.get("input")))
            elif kind == "tool_result" and isinstance(part.get("tool_use_id"), str):
                inner = part.get("content")
                pieces = inner if isinstance(inner, list) else [inner]
                texts = [piece.get("text") if isinstance(piece, dict) else piece for piece in pieces]
                results.append((part["tool_use_id"], "\n".join(text for text in texts if isinstance(text, str))))
            else:
                self.gaps.add("parts of messages that are not text, such as pictures, are not taken over")
        return words, thoughts, calls, results

    def _call(self, stated: str, name: str, args: Any) -> None:
        count = self._ids[stated] = self._ids.get(stated, 0) + 1
        call = self._open[stated] = stated if count == 1 else f"{stated}#{count}"
        role = self.tools.setdefault(name, ROLES.get(name, "other"))
        known = isinstance(args, dict)
        url = args.get("url") if known and role == "fetch" else None
        self._add(
            type="tool_call", name=name, call_id=call, args=args if known else None,
            text="" if known or args is None else str(args), url=url if isinstance(url, str) else None,
        )  # fmt: skip
        if role == "answer" and known and isinstance(args.get("answer"), str):
            self._add(type="answer", text=args["answer"])

    def _result(self, stated: str, text: str) -> None:
        call = self._open.pop(stated, None)
        if call is not None:
            self._add(type="tool_result", call_id=call, text=text)
        elif text:  # of a call that is not in the conversation
            self._add(type="prompt", role="user", text=text)


def _stated_calls(message: dict[str, Any], where: str) -> Iterator[tuple[str, str, Any]]:
    calls = message.get("tool_calls")
    if calls is None:
        return
    if not isinstance(calls, list):
        raise ImportRefused(f"{where}: tool_calls is not a list")
    for call in calls:
        function = call.get("function") if isinstance(call, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            raise ImportRefused(f"{where}: a tool call without a function's name")
        args = function.get("arguments")
        if isinstance(args, str):
            try:
                value = parse(args.encode("utf-8", "replace"), where)
            except ImportRefused:
                value = None
            args = value if isinstance(value, dict) else args
        stated = call.get("id")
        yield stated if isinstance(stated, str) else function["name"], function["name"], args
