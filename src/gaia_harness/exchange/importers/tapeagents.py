"""TapeAgents' tapes: one JSON file per task-run, with `metadata`, `context` and `steps` that each have a `kind`.

Thoughts and actions are what the model's reply was read into; observations came from outside. `metadata.task` has the
task as the data set has it: its id, question and file are taken, and its answer is not.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from gaia_harness.exchange.hits import are_hits, as_text, hits_as_text
from gaia_harness.exchange.importers import OnFault
from gaia_harness.exchange.inputs import ImportRefused, InputFile, files_in
from gaia_harness.exchange.neutral import NeutralRun, NeutralSource, NeutralStep
from gaia_harness.protocol import ToolRole

NAME = "tapeagents"

_HEAD = re.compile(rb'\s*\{\s*"metadata"\s*:\s*\{')
_TAPE_ALONE = b'"author_tape_id"'  # a field that every tape has, and nothing else

_PROMPTS = {"question": "user", "user": "user", "system": "system"}
_CONTROL = frozenset({"set_next_node", "pass"})  # which node of the agent comes next: nobody's words
_DIALOGUE = frozenset({"assistant", "tool_call"})  # words and calls as OpenAI's interface has them
_ACTIONS = frozenset({"search_and_extract", "run_terminal_command", "execute_code", "call"})
_OBSERVATIONS = frozenset({"code_execution_result", "action_execution_failure", "tool", "respond", "image"})
_PARSING_FAILURE, _ANSWER, _CALL = "llm_output_parsing_failure_action", "gaia_answer_action", "call"

# TapeAgents' own actions
_ROLES: dict[str, ToolRole] = {
    "search_action": "search",
    "safe_search_action": "search",
    "search_extract_action": "search",
    "search_and_extract": "search",
    "read_document_action": "fetch",
    "read_local_document_action": "read",
    "open_url_action": "fetch",
    **dict.fromkeys(
        (
            "next_page_action",
            "page_down_action",
            "page_up_action",
            "go_back_action",
            "go_forward_action",
            "click_action",
            "click_bid_action",
            "click_element_action",
            "click_coordinates_action",
            "mouse_click_action",
            "mouse_hover_action",
            "hover_action",
            "input_text_action",
            "type_text_action",
            "press_action",
            "select_option_action",
            "new_tab_action",
            "tab_focus_action",
            "close_tab_action",
        ),
        "fetch",
    ),
    "use_calculator_action": "code",
    "python_code_action": "code",
    "run_terminal_command": "code",
    "execute_code": "code",
    "watch_video_action": "look",
    _CALL: "delegate",
    _ANSWER: "answer",
}
_SAME_PAGE = frozenset({"next_page_action", "page_down_action", "page_up_action"})

_FILE_TEXT = re.compile(r"\n\n?(?:Attached )?[A-Z0-9]{1,8} (?:document|file) content:\n")
_FILE_PATH = "\nPath to the mentioned document: "
_TITLE = re.compile(r"Title: ([^\n]*)\n=+\n")

_GAPS = (
    "the model's replies are there as the steps that they were read into, and are written as JSON here",
    "the prompts of the model are not in the tape, only the question and what came back from actions",
    "the tape does not name the model",
)


_T = TypeVar("_T")


class _StepMetadata(msgspec.Struct):
    prompt_id: str | None = None
    agent: str | None = None


class _Step(msgspec.Struct):
    kind: str
    metadata: _StepMetadata = msgspec.field(default_factory=_StepMetadata)
    fields: dict[str, Any] = {}


class _Task(msgspec.Struct):
    """What is taken of the task. Its answer and its annotations are not."""

    task_id: str | None = None
    question: str | None = msgspec.field(default=None, name="Question")
    file_name: str | None = None


class _TapeMetadata(msgspec.Struct):
    task: _Task | None = None
    result: Any = None
    error: Any = None
    attempt_number: int | None = None


class _Tape(msgspec.Struct):
    metadata: _TapeMetadata
    steps: list[dict[str, Any]]


def inputs(path: Path) -> Sequence[InputFile]:
    """The tapes in a folder and its subfolders, or the file that was named."""
    files = files_in(path, ".json")
    return [file for file in files if detect(file)] if path.is_dir() else files


def detect(file: InputFile) -> bool:
    """Whether it begins as a tape does."""
    try:
        head = file.head()
    except OSError:
        return False
    return _HEAD.match(head.removeprefix(b"\xef\xbb\xbf")) is not None and _TAPE_ALONE in head


def read(file: InputFile, on_fault: OnFault) -> Iterator[NeutralRun]:
    """The one task-run of the tape."""
    try:
        run = _read(file)
    except ImportRefused as error:
        on_fault(error)
    except OSError as error:
        on_fault(ImportRefused(f"{file.name}: cannot be read: {error.strerror}"))
    else:
        yield run


def _read(file: InputFile) -> NeutralRun:
    value = file.json()
    if not isinstance(value, dict) or "steps" not in value or "metadata" not in value:
        raise ImportRefused(f"{file.name}: no tape: it has no steps and metadata")
    tape = _converted(value, _Tape, file.name)
    told = _Story()
    for number, step in enumerate(tape.steps, 1):
        told.add(_step(step, f"{file.name}: step {number}"), number)
    told.end()
    if not told.steps:
        raise ImportRefused(f"{file.name}: the tape has no steps")
    task, attempt = tape.metadata.task or _Task(), tape.metadata.attempt_number
    question, attached = told.question()
    result = tape.metadata.result if isinstance(tape.metadata.result, str) else ""
    folder = file.path.absolute().parent
    return NeutralRun(
        task_id=task.task_id,
        question=task.question or question,
        run=(folder.parent if folder.name == "tapes" else folder).name or "tapes",
        attempt=attempt + 1 if attempt is not None and 0 <= attempt < 1_000_000 else None,
        answer=result or told.answer,
        error=as_text(tape.metadata.error) or None,
        steps=tuple(told.steps),
        tools=told.tools,
        attachments=(path,) if (path := attached or task.file_name) else (),
        gaps=(*_GAPS, *sorted(told.gaps)),
    )


def _converted(value: Any, kind: type[_T], where: str) -> _T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise ImportRefused(f"{where}: {error}") from None


def _step(value: dict[str, Any], where: str) -> _Step:
    fields = {name: inner for name, inner in value.items() if name not in ("kind", "metadata")}
    known = {name: inner for name, inner in value.items() if name in ("kind", "metadata")}
    return _converted(known | {"fields": fields}, _Step, where)


class _Story:
    """The steps of a tape, one after the other, as steps of a run."""

    def __init__(self) -> None:
        self.steps: list[NeutralStep] = []
        self.tools: dict[str, ToolRole] = {}
        self.gaps: set[str] = set()
        self.answer: str | None = None
        self._first_question: _Step | None = None
        self._root: str | None = None  # the agent that all others are part of
        self._reply: list[str] = []  # what the model said in the reply that is being read
        self._behind_reply: list[NeutralStep] = []  # the calls in it
        self._replying: str | None = None  # whose reply it is, if a sub-agent's
        self._parent: str | None = None  # the call that started that sub-agent
        self._prompt_id = ""
        self._open: OrderedDict[str, tuple[str, str | None]] = OrderedDict()  # calls without a result: name, address
        self._calls_of_agents: list[str] = []  # the sub-agents at work, each by the call that started it
        self._page: str | None = None  # the page that the browser or the reader has open

    def question(self) -> tuple[str | None, str | None]:
        """The question without the file's text that TapeAgents puts behind it, and the file's path."""
        if self._first_question is None:
            return None, None
        content, path = (self._first_question.fields.get(name) for name in ("content", "filename"))
        text = as_text(content)
        before, sign, behind = text.rpartition(_FILE_PATH)
        if sign and "\n" not in behind:
            text, path = before, path or behind
        begin = _FILE_TEXT.search(text)
        return text[: begin.start()] if begin else text, path if isinstance(path, str) else None

    def add(self, step: _Step, number: int) -> None:
        kind = step.kind
        if kind in _CONTROL:
            return
        if kind in _PROMPTS:
            self._prompt(step)
        elif kind.endswith("_observation") or kind in _OBSERVATIONS:
            self._observation(step)
        elif kind.endswith(("_thought", "_action")) or kind in _ACTIONS | _DIALOGUE:
            self._from_model(step, number)
        else:
            self.gaps.add(f"steps of the kind {kind[:100]!r} are taken as a model's if they name a prompt or an agent")
            if step.metadata.prompt_id or step.metadata.agent:
                self._from_model(step, number)
            else:
                self._observation(step)

    def end(self) -> None:
        """The reply that was being read is complete: its words are a step, and the calls in it follow."""
        if self._reply:
            text = "\n".join(self._reply)
            self.steps.append(NeutralStep(type="llm_call", text=text, agent=self._replying, parent=self._parent))
        self.steps += self._behind_reply
        self._reply, self._behind_reply, self._prompt_id = [], [], ""

    def _prompt(self, step: _Step) -> None:
        self.end()
        if step.kind == "question" and self._first_question is None:
            self._first_question = step
        text = as_text(step.fields.get("content"))
        self.steps.append(NeutralStep(type="prompt", role=_PROMPTS[step.kind], text=text))

    def _from_model(self, step: _Step, number: int) -> None:
        prompt_id = step.metadata.prompt_id or ""
        if not prompt_id or prompt_id != self._prompt_id:
            self.end()
        self._prompt_id = prompt_id
        self._replying = self._agent(step)
        self._parent = self._calls_of_agents[-1] if self._replying and self._calls_of_agents else None
        said = step.fields
        if step.kind == _PARSING_FAILURE and isinstance(said.get("llm_output"), str):
            self._reply.append(said["llm_output"])
            self._behind_reply.append(NeutralStep(type="prompt", role="user", text=as_text(said.get("error"))))
        elif step.kind in _DIALOGUE:
            self._turn(step, number)
        else:
            self._reply.append(as_text({"kind": step.kind, **said}))
            if step.kind.endswith("_action") or step.kind in _ACTIONS:
                self._action(step, number)

    def _turn(self, step: _Step, number: int) -> None:
        """A turn of a dialogue: words, and calls."""
        if step.fields.get("content"):
            self._reply.append(as_text(step.fields["content"]))
        calls = [step.fields] if step.kind == "tool_call" else step.fields.get("tool_calls")
        for place, call in enumerate(calls if isinstance(calls, list) else (), 1):
            function = call.get("function") if isinstance(call, dict) else None
            if not (isinstance(function, dict) and isinstance(name := function.get("name"), str)):
                self._reply.append(as_text(call))
                continue
            given = function.get("arguments")
            args = given if isinstance(given, dict) else None
            call_id = call["id"] if isinstance(call.get("id"), str) and call["id"] else f"{number}.{place}"
            self.tools[name] = "other"
            self._open[call_id] = (name, None)
            self._behind_reply.append(
                NeutralStep(
                    type="tool_call",
                    name=name,
                    args=args,
                    text="" if args is not None else as_text(given),
                    call_id=call_id,
                    agent=self._replying,
                    parent=self._parent,
                )
            )

    def _action(self, step: _Step, number: int) -> None:
        kind, args, role = step.kind, step.fields, None
        self.tools[kind] = _ROLES.get(kind, "other")
        address = args.get("url", args.get("video_url"))
        if not isinstance(address, str):
            address = self._page if kind in _SAME_PAGE else None
        if self.tools[kind] == "fetch":
            self._page = address
            if kind == "read_document_action" and address and "://" not in address:
                role = "read"
        self._behind_reply.append(
            NeutralStep(
                type="tool_call",
                name=kind,
                args=args,
                role=role,
                call_id=str(number),
                agent=self._replying,
                parent=self._parent,
            )
        )
        if kind == _ANSWER:
            self.answer = as_text(args.get("answer"))
            self._behind_reply.append(
                NeutralStep(type="answer", text=self.answer, agent=self._replying, parent=self._parent)
            )
        elif kind == _CALL:
            self._calls_of_agents.append(str(number))
        else:
            self._open[str(number)] = (kind, address)

    def _observation(self, step: _Step) -> None:
        self.end()
        text, sources, is_error = _observed(step.kind, step.fields)
        call = self._call_of(step)
        if call is None:  # shown to the model without a call
            self.steps.append(NeutralStep(type="prompt", role="user", text=text))
            return
        call_id, (name, opened) = call
        address = opened if opened and "://" in opened else None  # a path is no address
        inside = step.kind != "respond"
        if address and not sources and not is_error and "text" in step.fields:
            title = _TITLE.match(text)
            sources = (NeutralSource(url=address, title=title[1] if title else "", text=text),)
        self.steps.append(
            NeutralStep(
                type="tool_result",
                name=name,
                text=text,
                call_id=call_id,
                url=address,
                sources=sources,
                is_error=is_error,
                agent=self._replying if inside else None,
                parent=self._parent if inside else None,
            )
        )

    def _call_of(self, step: _Step) -> tuple[str, tuple[str, str | None]] | None:
        """The call that the step is the result of: the one it names, or the first that has no result yet."""
        if step.kind == "respond":
            return (self._calls_of_agents.pop(), (_CALL, None)) if self._calls_of_agents else None
        named = step.fields.get("tool_call_id")
        if isinstance(named, str) and named in self._open:
            return named, self._open.pop(named)
        return self._open.popitem(last=False) if self._open and not named else None

    def _agent(self, step: _Step) -> str | None:
        """The sub-agent that made the step; nobody for the one that all others are part of."""
        agent = step.metadata.agent or None
        self._root = self._root or agent
        return agent if agent != self._root else None


def _observed(kind: str, fields: dict[str, Any]) -> tuple[str, tuple[NeutralSource, ...], bool]:
    """What came back, as text; the sources in it; whether it is an error."""
    error = as_text(fields.get("error"))
    if "serp" in fields:
        text, sources = hits_as_text(fields["serp"]) if are_hits(fields["serp"]) else (as_text(fields["serp"]), ())
        return "\n".join(filter(None, (text, error))), sources, bool(error)
    result = fields.get("result")
    if kind == "code_execution_result" and isinstance(result, dict) and isinstance(result.get("output"), str):
        return result["output"], (), bool(result.get("exit_code"))
    for name in ("text", "content", "error"):
        if isinstance(fields.get(name), str) and (name != "error" or kind == "action_execution_failure"):
            return "\n".join(filter(None, dict.fromkeys((fields[name], error)))), (), bool(error)
    # the query is what the model asked, and no part of what came back
    rest = {name: value for name, value in fields.items() if name != "query" and value not in (None, "", [])}
    return as_text(rest), (), bool(error)
