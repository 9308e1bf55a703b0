"""From the spans of one trace to the steps of one task-run (OpenInference's kinds of spans).

LLM: prompts, what the model said, the calls it asked for. TOOL and RETRIEVER: a call and its result, which belongs to
the model's call of that name where there is one. AGENT inside an AGENT: a sub-agent. CHAIN: only a frame, but for a
"Step" of smolagents, whose output is what the model gets to see. EVALUATOR is left out: it may know the answer.
"""

import itertools
import re
from collections import deque
from collections.abc import Sequence
from typing import Any

import msgspec

from gaia_harness.exchange import smolagents_text
from gaia_harness.exchange.neutral import NeutralSource, NeutralStep
from gaia_harness.exchange.smolagents_text import ANSWER_TOOL, CODE_TOOL
from gaia_harness.exchange.span_messages import Message, ToolCall, as_text, messages, tool_call, value_of
from gaia_harness.exchange.span_tools import arguments_of, documents_of, output_of, role_of, tool_name
from gaia_harness.exchange.span_tree import SpanTree, agents_at_the_top, tree_of, walk
from gaia_harness.exchange.spans import Span
from gaia_harness.protocol import MARKER, ToolRole

_CALLED = ("TOOL", "RETRIEVER", "RERANKER", "GUARDRAIL")
_LEFT_OUT = ("EVALUATOR", "EMBEDDING")
_STEP = re.compile(r"Step \d{1,6}")
_LOOKED_BACK = 16
"""How many of the last replies and results are looked for inside a message that repeats them in other words."""


class _Scope:
    """One conversation: that of the agent, of a sub-agent, or of a model inside a tool."""

    def __init__(self, agent: str | None, parent: str | None) -> None:
        self.agent = agent
        self.parent = parent
        self.seen: set[str] = set()
        self.said: deque[str] = deque(maxlen=_LOOKED_BACK)
        self.results: deque[str] = deque(maxlen=_LOOKED_BACK)
        self.whole_results: set[str] = set()
        self.open: dict[str, str] = {}  # calls without a result: id to name
        self.by_name: dict[str, dict[str, None]] = {}  # the same calls, by their names
        self.own_ids: dict[str, str] = {}  # ids that another conversation of the run has too: here, and in the steps
        self.failed: dict[str, str] = {}  # of those, the ones whose error the next request will show
        self.last_said = ""

    def begin(self, call: str, name: str) -> None:
        """A call waits for its result."""
        self.open[call] = name
        self.by_name.setdefault(name, {})[call] = None

    def end(self, call: str) -> None:
        """It waits no longer."""
        if (name := self.open.pop(call, None)) is not None:
            del self.by_name[name][call]

    def find(self, name: str) -> str | None:
        """The first call of that name that waits."""
        return next(iter(self.by_name.get(name, ())), None)


class _Frame:
    """A span that is open, with all that was found out about it."""

    def __init__(self, span: Span, scope: _Scope, outer: "_Frame | None") -> None:
        self.span = span
        self.scope = scope
        self.outer = outer
        self.call: str | None = None  # the call whose result this span gives
        self.asked = False  # the model asked for that call
        self.code_agent = False
        self.judged: bool = span.kind == "EVALUATOR" or (outer is not None and outer.judged)
        self.owner: _Frame | None = None  # the agent or tool that this is a part of
        self.in_agent = self.in_model = False
        if outer is not None:
            own = outer.span.kind in ("AGENT", *_CALLED)
            self.owner = outer if own else outer.owner
            self.in_agent = outer.in_agent or outer.span.kind == "AGENT"
            self.in_model = not own and (outer.in_model or outer.span.kind == "LLM")


class SpanSteps:
    """The steps of a trace, and what else its spans say about the run."""

    def __init__(self, spans: Sequence[Span], where: str) -> None:
        self.steps: list[NeutralStep] = []
        self.roles: dict[str, ToolRole] = {}
        self.models: dict[str, int] = {}
        self.gaps: list[str] = []
        self.agent_output: str | None = None
        self.behind_agent: str | None = None
        """What a model said when the agent was done: the program's last word, as in open_deep_research."""
        self._pictures = self._code_calls = self._failed_calls = 0
        self._calls: dict[str, int] = {}  # where the step of each call stands
        self._left_out: dict[str, int] = {}
        self._root = _Scope(None, None)
        self._has_models = any(span.kind == "LLM" for span in spans)
        frames: list[_Frame] = []
        tree = tree_of(spans, where)
        self._many_agents = agents_at_the_top(tree) > 1
        for span, leaving in walk(tree):
            if leaving:
                self._leave(frames.pop())
                continue
            outer = frames[-1] if frames else None
            frame = _Frame(span, outer.scope if outer else self._root, outer)
            frames.append(frame)
            self._enter(frame)
        self._flush(self._root)
        self._say_gaps(tree)

    # entering a span

    def _enter(self, frame: _Frame) -> None:
        kind = frame.span.kind
        if kind in _LEFT_OUT:
            self._left_out[kind] = self._left_out.get(kind, 0) + 1
        elif frame.judged:
            return
        elif kind == "LLM" and not frame.in_model:  # a client inside a framework's model tells the same twice
            self._model_call(frame)
        elif kind in _CALLED:
            self._tool_span(frame)
        elif kind == "AGENT":
            self._agent_span(frame)

    def _agent_span(self, frame: _Frame) -> None:
        span = frame.span
        outer = frame.owner
        given = value_of(span.attributes.get("input.value"))
        if outer is None:
            if self._many_agents:
                frame.scope = _Scope(_agent_name(span, None), None)
            if not self._has_models and given is not None:
                self._add(frame, "prompt", as_text(given), role="user")
            return
        if outer.span.kind == "AGENT":
            name = _agent_name(span, outer.span)
            frame.call = self._take(frame.scope, name)
            if frame.call is None:
                named = {"task", "additional_args"}
                args = {k: v for k, v in given.items() if k in named and v} if isinstance(given, dict) else None
                text = "" if args else as_text(given)
                frame.call = self._call(frame, ToolCall(span.id, name, args or None, text), "delegate")
            self.roles[name] = "delegate"
        else:  # a tool that is an agent: its call is there already
            name = tool_name(outer.span)
            self.roles[name] = "delegate"
        frame.scope = _Scope(name, frame.call or outer.call)

    def _tool_span(self, frame: _Frame) -> None:
        span, name = frame.span, tool_name(frame.span)
        known = span.attributes.get("tool_call.id")
        given = tool_call(name, arguments_of(span), span.id)
        frame.call = self._take(frame.scope, name, known if isinstance(known, str) else self._same(frame.scope, given))
        frame.asked = frame.call is not None
        if frame.call is not None:
            self._complete(frame.call, given)
        else:
            frame.call = self._call(frame, given, "search" if span.kind == "RETRIEVER" else None)
            self._code_calls += name != ANSWER_TOOL and frame.outer is not None and frame.outer.code_agent

    def _same(self, scope: _Scope, given: ToolCall) -> str | None:
        """Of the first open calls of that name, the one with these arguments: calls made at once come in any order."""
        for call in itertools.islice(scope.by_name.get(given.name, ()), _LOOKED_BACK):
            if self.steps[self._calls[call]].args == given.args:
                return call
        return None

    def _complete(self, call: str, known: ToolCall) -> None:
        """Gives a call its arguments from the tool's span, where the model's span has none."""
        at = self._calls[call]
        if self.steps[at].args is None and not self.steps[at].text:
            self.steps[at] = msgspec.structs.replace(self.steps[at], args=known.args, text=known.text)

    def _model_call(self, frame: _Frame) -> None:
        span, attributes = frame.span, frame.span.attributes
        tool = frame.owner
        if tool and tool.span.kind in _CALLED:
            frame.scope = _Scope(tool_name(tool.span), tool.call)
        step = frame.outer if frame.outer and _is_step(frame.outer) else None
        given, said = messages(attributes)
        self._prompts(frame, given, forced=step is not None)
        if span.error is not None and not any(message.text or message.calls for message in said):
            self._failed_calls += 1
            return
        model = attributes.get("llm.model_name")
        if isinstance(model, str) and model:
            self.models[model] = self.models.get(model, 0) + 1
        text = "\n".join(message.text for message in said if message.text)
        calls = [call for message in said for call in message.calls]
        frame.scope.said.append(_squeezed(text))
        frame.scope.last_said = text
        frame.scope.seen.add(text.strip())
        self._add(
            frame,
            "llm_call",
            text,
            thoughts="\n".join(message.thoughts for message in said if message.thoughts),
            model=model if isinstance(model, str) else None,
            tokens_in=_count(attributes.get("llm.token_count.prompt")),
            tokens_out=_count(attributes.get("llm.token_count.completion")),
        )
        if frame.scope is self._root and not frame.in_agent:
            final = MARKER in text or any(smolagents_text.LAST_WORD_ASKED in message.text for message in given)
            self.behind_agent = text if final and self.agent_output is not None else None
        for number, call in enumerate(calls):
            self._call(frame, call if call.id else ToolCall(f"{span.id}-{number}", call.name, call.args, call.text))
        if step and not calls and not any(name.startswith("llm.tools.") for name in attributes):
            step.code_agent = True
            code = smolagents_text.code_in(text)
            if code is not None:
                self._call(frame, ToolCall(f"{span.id}-code", CODE_TOOL, {"code": code}, ""))

    def _prompts(self, frame: _Frame, given: Sequence[Message], forced: bool) -> None:
        """The messages that no request of this conversation had before, behind the results that they tell of."""
        scope = frame.scope
        new: list[Message] = []
        for message in given:
            text = message.text.strip()
            self._pictures += message.pictures
            if text and text not in scope.seen:
                scope.seen.add(text)
                new.append(message)
        told = [smolagents_text.observed(message.text.strip()) for message in new] if scope.failed else []
        if scope.failed and (forced or any(told)):
            new = [message for message, seen in zip(new, told, strict=True) if not seen]
            self._flush(scope, "\n".join(seen[2] for seen in told if seen))
        for message in new:
            text = message.text.strip()
            seen = smolagents_text.observed(text)
            if message.role == "assistant":
                squeezed = _squeezed(text)  # frameworks tidy up the spaces of what they repeat
                if not any(said and said in squeezed for said in scope.said):
                    self._add(frame, "prompt", message.text, role="assistant")
            elif smolagents_text.is_copy_of_calls(text) or (seen and seen[2].strip() in scope.whole_results):
                continue
            elif message.role in ("tool", "function"):
                self._tool_message(frame, message)
            else:
                role = message.role if message.role == "system" else "user"
                self._add(frame, "prompt", message.text, role=role)

    def _tool_message(self, frame: _Frame, message: Message) -> None:
        scope, text = frame.scope, message.text.strip()
        recent = [result for result in scope.results if len(result) < 2 * len(text) + 200]  # so the work stays linear
        if text in scope.whole_results or any(result in text or text in result for result in recent):
            return
        call = self._take(scope, message.name or "", message.call_id)
        if call is None:
            self._add(frame, "prompt", message.text, role="tool")
        else:
            self._result(frame, call, message.text)

    # leaving a span

    def _leave(self, frame: _Frame) -> None:
        span = frame.span
        if frame.judged:
            return
        if span.kind in _CALLED and frame.call is not None:
            self._tool_result(frame, frame.call)
        elif span.kind == "AGENT":
            self._flush(frame.scope)
            output = span.attributes.get("output.value")
            if frame.call is not None and frame.outer:
                text = as_text(output) if span.error is None or output else span.error
                self._result(frame.outer, frame.call, text, is_error=span.error is not None)
            elif frame.scope.parent is None and output is not None:
                self.agent_output = _handed_in(output, frame.scope.last_said)
        elif _is_step(frame):
            self._leave_step(frame)

    def _leave_step(self, frame: _Frame) -> None:
        """The end of a step of smolagents: its output is what the model is shown of the calls of this step."""
        scope, span = frame.scope, frame.span
        output = as_text(span.attributes.get("output.value"))
        waiting = list(scope.open)
        if frame.code_agent and not waiting and span.error is None and output:
            code = {"code": scope.last_said}  # a reply of code alone, without fences
            waiting = [self._call(frame, ToolCall(f"{span.id}-code", CODE_TOOL, code, ""))]
        if span.error is not None:
            scope.failed |= {call: "\n".join(filter(None, (output, span.error))) for call in waiting}
        elif output and waiting:
            self._result(frame, waiting[-1], output)
        if span.error is None:
            for call in waiting:  # what a step has not answered at its end, it never will
                scope.end(call)

    def _tool_result(self, frame: _Frame, call: str) -> None:
        span = frame.span
        output = span.attributes.get("output.value")
        documents = documents_of(span)
        if span.error is not None and frame.asked and frame.outer and _is_step(frame.outer):
            frame.scope.begin(call, tool_name(span))  # the step knows what the model is told of the error
        elif span.error is not None:
            self._result(frame, call, span.error, is_error=True)
        elif documents and not isinstance(output, str):
            text = "\n\n".join(source.text for source in documents)
            self._result(frame, call, text, sources=documents)
        elif output is not None:
            self._result(frame, call, output_of(output), sources=documents)
        elif frame.asked:
            frame.scope.begin(call, tool_name(span))

    def _flush(self, scope: _Scope, shown: str = "") -> None:
        """Gives the calls that failed their errors: as the model was shown them, or else as the spans have them."""
        for call, error in list(scope.failed.items())[-1:]:
            text = shown or error
            name = self._name(call)
            step = self._step_of(scope, "tool_result", text, call_id=call, name=name, is_error=True)
            self._known(scope, text)
            self.steps.append(step)
        for call in scope.failed:
            scope.end(call)
        scope.failed.clear()

    # writing steps

    def _call(self, frame: _Frame, call: ToolCall, role: ToolRole | None = None) -> str:
        identity = call.id or frame.span.id
        scope = frame.scope
        number = len(self.steps)
        while identity in self._calls:  # models number their calls anew in every conversation
            scope.own_ids[call.id or frame.span.id] = identity = f"{call.id or frame.span.id}-{number}"
            number += 1
        self._calls[identity] = len(self.steps)
        self.roles[call.name] = role or role_of(call.name)
        self._add(frame, "tool_call", call.text, name=call.name, args=call.args, call_id=identity)
        if frame.span.kind not in (*_CALLED, "AGENT"):
            scope.begin(identity, call.name)
        if call.name == ANSWER_TOOL and scope.parent is None:
            given = call.args.get("answer", call.args) if call.args is not None else call.text
            self._add(frame, "answer", as_text(given), call_id=identity)
        return identity

    def _take(self, scope: _Scope, name: str, identity: str | None = None) -> str | None:
        """The open call that a span belongs to: by its id, or else the first of that name."""
        identity = scope.own_ids.get(identity, identity) if identity is not None else None
        found = identity if identity is not None and identity in scope.open else scope.find(name)
        if found is not None:
            scope.end(found)
        return found

    def _result(
        self, frame: _Frame, call: str, text: str, is_error: bool = False, sources: tuple[NeutralSource, ...] = ()
    ) -> None:
        scope = frame.scope
        scope.end(call)
        name = self._name(call)
        url = None
        if name and not sources:
            url, sources = smolagents_text.sources_of(self.roles.get(name, "other"), text)
        self._known(scope, text)
        self._add(
            frame,
            "tool_result",
            text,
            call_id=call,
            name=name,
            is_error=is_error,
            url=url,
            sources=sources,
            cut=smolagents_text.CUT.search(text) is not None,
        )

    def _name(self, call: str) -> str | None:
        return self.steps[self._calls[call]].name if call in self._calls else None

    def _known(self, scope: _Scope, text: str) -> None:
        scope.whole_results.add(text.strip())
        if text.strip():
            scope.results.append(text.strip())

    def _add(self, frame: _Frame, kind: Any, text: str, **known: Any) -> None:
        self.steps.append(self._step_of(frame.scope, kind, text, time=frame.span.time, **known))

    @staticmethod
    def _step_of(scope: _Scope, kind: Any, text: str, **known: Any) -> NeutralStep:
        return NeutralStep(type=kind, text=text, agent=scope.agent, parent=scope.parent, **known)

    def _say_gaps(self, tree: SpanTree) -> None:
        if not self._has_models:
            self.gaps.append("model calls are not recorded: the trace has no LLM span")
        if self._code_calls:
            self.gaps.append("the model saw of the tools that its code called only what the code printed")
        if self._pictures:
            self.gaps.append("pictures in messages are left out")
        for kind, count in self._left_out.items():
            if count:
                self.gaps.append(f"spans of the kind {kind} are left out: {count}")
        if self._failed_calls:
            self.gaps.append(f"model calls that failed and gave no reply: {self._failed_calls}")
        if tree.orphans:
            self.gaps.append(f"spans whose parent is not in the file: {tree.orphans}")


def _is_step(frame: _Frame) -> bool:
    inside_agent = frame.outer is not None and frame.outer.span.kind == "AGENT"
    return frame.span.kind == "CHAIN" and inside_agent and _STEP.fullmatch(frame.span.name) is not None


def _agent_name(span: Span, manager: Span | None) -> str:
    """The agent's name, as its span or its manager says it."""
    for attribute in ("agent.name", "graph.node.id"):
        if isinstance(name := span.attributes.get(attribute), str) and name:
            return name
    own = span.name.removesuffix(".run")
    managed = [
        value
        for key, value in (manager.attributes.items() if manager else ())
        if key.startswith("smolagents.managed_agents.") and key.endswith(".name") and isinstance(value, str)
    ]
    return managed[0] if len(managed) == 1 and own not in managed else own


def _handed_in(output: Any, last_said: str) -> str:
    """The answer that an agent's span gives back; of an object, the part that frameworks have it in."""
    value = value_of(output)
    if not isinstance(value, dict | list):
        return as_text(output)
    for name in ("final_answer", "answer", "output"):
        if isinstance(value, dict) and isinstance(value.get(name), str):
            return str(value[name])
    return last_said or as_text(output)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _count(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else None
