"""The memory of an agent of smolagents, as its examples store it: messages, step objects, or text of step objects."""

import re
from typing import Any

from gaia_harness.exchange import smolagents_text
from gaia_harness.exchange.inputs import ImportRefused
from gaia_harness.exchange.neutral import NeutralStep
from gaia_harness.exchange.python_reprs import NotARepr, read_repr
from gaia_harness.exchange.smolagents_text import ANSWER_TOOL, CODE_TOOL
from gaia_harness.exchange.span_messages import ToolCall, as_text, tool_call
from gaia_harness.protocol import ToolRole

_CALLING = "Calling tools:\n"
_TEAM = "You can also give tasks to team members"
_FAILED = re.compile(
    r"Error (?:when )?executing tool '?(?P<name>\w{1,100})'? with arguments (?P<args>\{.*?\}): ", re.DOTALL
)
_STEP_FIELDS = {"model_output", "observations", "tool_calls", "task", "system_prompt", "plan", "facts"}


class MemorySteps:
    """The steps of a run, the roles of its tools, and what its memory does not say."""

    def __init__(self, memory: Any, where: str) -> None:
        self.steps: list[NeutralStep] = []
        self.tools: dict[str, ToolRole] = {}
        self.gaps: list[str] = []
        self.hands_in = False
        """Whether the answer was handed in by a call of `final_answer`."""
        self._open: dict[str, str | None] = {}  # calls without a result, and the ids that the file gives them
        self._by_id: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._result: int | None = None  # what code printed, to which its error may still come
        self._pictures = 0
        self._together = False
        self._where = where
        if isinstance(memory, str):  # a model that was asked without an agent: its reply
            self._say(memory)
            self.gaps.append("the prompt is not recorded")
            return
        if memory is not None and not isinstance(memory, list):
            raise ImportRefused(f"{where}: intermediate_steps is not a list")
        for number, item in enumerate(memory or []):
            self._item(item, f"{where}: step {number + 1}")
        self._say_gaps()

    def _item(self, item: Any, where: str) -> None:
        if isinstance(item, str):
            try:
                item = read_repr(item)
            except NotARepr as error:
                raise ImportRefused(f"{where}: {error}") from None
        if isinstance(item, dict) and "role" in item and "content" in item:
            self._message(item, where)
        elif isinstance(item, dict) and _STEP_FIELDS & item.keys():
            self._memory_step(item)
        else:
            raise ImportRefused(f"{where}: neither a message nor a step of smolagents")

    def _message(self, message: dict[str, Any], where: str) -> None:
        role, text = message["role"], self._text(message["content"])
        if not isinstance(role, str):
            raise ImportRefused(f"{where}: role is not a text")
        role = role.rpartition(".")[2].lower().replace("_", "-")  # also `MessageRole.TOOL_CALL`
        if role == "assistant":
            self._say(text)
        elif role == "tool-call":
            for call in _calls(text):
                self._call(call)
        elif role == "tool-response":
            self._observe(text)
        elif text.strip():
            self._add("prompt", text, role=role if role == "system" else "user")

    def _memory_step(self, step: dict[str, Any]) -> None:
        for name, role in (("system_prompt", "system"), ("task", "user")):
            if text := as_text(step.get(name)):
                self._add("prompt", text, role=role)
        for name in ("facts", "plan"):
            if text := as_text(step.get(name)):
                self._say(text)
        if text := self._text(step.get("model_output")):
            self._say(text)
        for call in step["tool_calls"] if isinstance(step.get("tool_calls"), list) else []:
            if isinstance(call, dict):
                inner = call.get("function")
                self._call(_named(inner if isinstance(inner, dict) else call, call.get("id")))
        if text := as_text(step.get("observations")):
            self._observe(f"Observation:\n{text}")
        error = step.get("error")
        if error:
            said = error.get("message", error.get("args")) if isinstance(error, dict) else error
            said = said[0] if isinstance(said, list) and said else said
            self._observe(f"Error:\n{as_text(said)}")

    def _say(self, text: str) -> None:
        self._open.clear()
        self._by_id.clear()
        self._result = None
        self._add("llm_call", text)

    def _call(self, call: ToolCall) -> None:
        identity = call.id or "call"
        number = len(self._names)
        while identity in self._names:  # some models number their calls anew in every reply
            identity = f"{call.id or 'call'}-{number}"
            number += 1
        self._names[identity] = call.name
        self._open[identity] = call.id
        if call.id:
            self._by_id[call.id] = identity
        self._result = None
        self.tools[call.name] = smolagents_text.ROLES.get(call.name, "other")
        self._add("tool_call", call.text, name=call.name, args=call.args, call_id=identity)
        code = as_text((call.args or {}).get("code")) if call.name == CODE_TOOL else ""
        self.hands_in = call.name == ANSWER_TOOL or "final_answer(" in code

    def _observe(self, text: str) -> None:
        """What came back: for one of the open calls, or a remark of the loop where nothing was called."""
        seen = smolagents_text.observed(text)
        given, is_error, output = seen or (None, False, text)
        if is_error and output.startswith(smolagents_text.OUT_OF_STEPS):
            seen = None
        if is_error and not self._open and self._result is None and (failed := _failed_call(output)):
            self._call(failed)
        self.hands_in = self.hands_in and not (seen and is_error)
        if seen and is_error and self._result is not None:
            before = self.steps[self._result]
            self.steps[self._result] = self._result_of(before.call_id or "", f"{before.text}\n{output}", True)
            self._result = None
        elif seen and self._open:
            call = self._by_id.get(given or "", next(reversed(self._open)))
            if call not in self._open:
                call = next(reversed(self._open))
            self._together |= given is None and len(self._open) > 1
            del self._open[call]
            self._result = None if is_error else len(self.steps)
            self.steps.append(self._result_of(call, output, is_error))
        elif text.strip():
            self._add("prompt", text, role="user")

    def _result_of(self, call: str, text: str, is_error: bool) -> NeutralStep:
        name = self._names[call]
        url, sources = smolagents_text.sources_of(self.tools[name], text)
        return NeutralStep(
            type="tool_result",
            text=text,
            name=name,
            call_id=call,
            is_error=is_error,
            url=url,
            sources=sources,
            cut=smolagents_text.CUT.search(text) is not None,
        )

    def _add(self, kind: Any, text: str, **known: Any) -> None:
        self.steps.append(NeutralStep(type=kind, text=text, **known))

    def _text(self, content: Any) -> str:
        if not isinstance(content, list):
            return as_text(content)
        texts = []
        for part in content:
            if isinstance(part, dict) and part.get("type") == "text":
                texts.append(as_text(part.get("text")))
            elif isinstance(part, dict) and str(part.get("type")).startswith("image"):
                self._pictures += 1
            else:
                texts.append(as_text(part))
        return "\n".join(texts)

    def _say_gaps(self) -> None:
        if not self.steps:
            self.gaps.append("no steps are recorded, only the answer")
            return
        if not any(step.role == "system" for step in self.steps):
            self.gaps.append("the system prompt is not recorded")
        if self.tools.get(CODE_TOOL):
            self.gaps.append("the tools that code called are not recorded apart: only the code and what it printed")
        if any(step.role == "system" and _TEAM in step.text for step in self.steps):
            self.gaps.append("what sub-agents did is not recorded: only their reports")
        if self._together:
            self.gaps.append("results of calls made at once are recorded together, with the last of them")
        if self._pictures:
            self.gaps.append("pictures in messages are left out")


def _calls(text: str) -> list[ToolCall]:
    """The calls of a message `Calling tools:`, which has them as Python prints them."""
    try:
        value = read_repr(text.removeprefix(_CALLING).strip())
    except NotARepr:
        return [ToolCall(None, "tool", None, text)]
    found = []
    for call in value if isinstance(value, list) else []:
        inner = call.get("function") if isinstance(call, dict) else None
        if isinstance(inner, dict):
            found.append(_named(inner, call.get("id")))
    return found or [ToolCall(None, "tool", None, text)]


def _failed_call(error: str) -> ToolCall | None:
    """The call that an error tells of: newer agents keep it nowhere else."""
    found = _FAILED.match(error)
    if found is None:
        return None
    try:
        args = read_repr(found["args"])
    except NotARepr:
        args = found["args"]
    return tool_call(found["name"], args, None)


def _named(inner: dict[str, Any], identity: Any) -> ToolCall:
    given = inner.get("arguments")
    if inner.get("name") == CODE_TOOL and isinstance(given, str):
        given = {"code": given}
    return tool_call(inner.get("name"), given, identity)
