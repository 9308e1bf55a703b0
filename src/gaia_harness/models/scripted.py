"""A deterministic model that plays a script for each task, without a network.

It keeps no state: which turn it is, is the number of its replies in the request, and what it knows is what tools have
given back in the request. When it does not find what it looks for it says so and answers `unknown`.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from gaia_harness.errors import ModelError
from gaia_harness.models.messages import Assistant, Reply, Request, ToolCall, ToolResult, Usage, User
from gaia_harness.models.script import Script, Take, Turn, fill, read_scripts
from gaia_harness.protocol import MARKER

UNKNOWN = "unknown"
LONGEST_SEARCHED = 200_000
"""Characters of one result that a pattern is tried on: a script may come from anywhere, and so may a page."""
_BYTES_PER_TOKEN = 4


def open_scripted(name: str) -> "ScriptedModel":
    """The model `scripted/<name>`: `demo` is the bundled one, anything else a folder of scripts."""
    folder = Path(__file__).parent.parent / "demo" / "data" / "scripts" if name == "demo" else Path(name)
    return ScriptedModel(f"scripted/{name}", read_scripts(folder))


class ScriptedModel:
    """Works through scripts. Usage is counted as the UTF-8 bytes of request and reply, four to a token."""

    address = ""

    def __init__(self, name: str, scripts: Sequence[Script]) -> None:
        self._name = name
        self._scripts = scripts

    @property
    def name(self) -> str:
        """`scripted/NAME`."""
        return self._name

    async def reply(self, request: Request) -> Reply:
        """The next reply by the script, or a `ModelError` when there is no script for this question."""
        try:
            body = msgspec.json.encode(request)
        except (UnicodeEncodeError, TypeError, ValueError) as error:
            raise ModelError(f"{self._name}: the request cannot be written as JSON: {error}") from None
        sha256 = hashlib.sha256(body).hexdigest()
        script = self._script_for(request, sha256)
        turn = sum(isinstance(message, Assistant) for message in request.messages)
        results = [message for message in request.messages if isinstance(message, ToolResult)]
        calls: tuple[ToolCall, ...] = ()
        try:
            if turn + 1 < len(script.turns) and request.tools and request.may_call:
                text, calls = _go_on(script.turns, turn, results)
            else:
                text = _answer(script, results)
        except _NotFoundError as missing:
            text = f"{missing}\n\n{MARKER} {UNKNOWN}"
        spoken = len(text.encode()) + sum(len(call.raw.encode()) for call in calls)
        return Reply(
            text=text,
            tool_calls=calls,
            stop_reason="tool_calls" if calls else "stop",
            usage=Usage(input_tokens=-(-len(body) // _BYTES_PER_TOKEN), output_tokens=-(-spoken // _BYTES_PER_TOKEN)),
            model=self._name,
            response_id=f"scripted-{sha256[:24]}",
            request_sha256=sha256,
        )

    async def aclose(self) -> None:
        """Nothing is open."""

    def _script_for(self, request: Request, sha256: str) -> Script:
        question = next((message.text for message in request.messages if isinstance(message, User)), "")
        fitting = [script for script in self._scripts if script.when in question]
        if len(fitting) != 1:
            count = f"{len(fitting)} scripts" if fitting else "no script"
            raise ModelError(
                f"{self._name} has {count} for this question: {question[:80]!r}",
                hint="A scripted model answers only the tasks it was written for: use --dataset demo or another model.",
                request_sha256=sha256,
            )
        return fitting[0]


class _NotFoundError(Exception):
    """A value could not be taken; the message says which."""


def _go_on(turns: Sequence[Turn], number: int, results: Sequence[ToolResult]) -> tuple[str, tuple[ToolCall, ...]]:
    turn, values = turns[number], _take(turns[: number + 1], results)
    calls = []
    for place, call in enumerate(turn.calls, 1):
        args = call.filled(values)
        raw = json.dumps(args, ensure_ascii=False)
        calls.append(ToolCall(call_id=f"call_{number + 1}_{place}", name=call.tool, raw=raw, args=args))
    return fill(turn.say, values), tuple(calls)


def _answer(script: Script, results: Sequence[ToolResult]) -> str:
    last, values = script.turns[-1], _take(script.turns, results)
    answer = " ".join(fill(last.answer or "", values).split())
    return f"{fill(last.say, values)}\n\n{MARKER} {answer or UNKNOWN}".lstrip()


def _take(turns: Iterable[Turn], results: Sequence[ToolResult]) -> dict[str, str]:
    """The values that the turns take. A turn takes from what came before it, so that later results change nothing."""
    values: dict[str, str] = {}
    asked = 0
    for turn in turns:
        for name, take in turn.take.items():
            values[name] = _value(name, take, results[:asked], values)
        asked += len(turn.calls)
    return values


def _value(name: str, take: Take, results: Sequence[ToolResult], known: Mapping[str, str]) -> str:
    of_tool = [result for result in results if take.source in (None, result.name)]
    where = f"in what {take.source or 'the tools'} gave back"
    try:
        result = of_tool[take.index]
    except IndexError:
        raise _NotFoundError(f"I could not find the {_words(name)}: there is nothing {where}.") from None
    if result.is_error:
        raise _NotFoundError(f"I could not find the {_words(name)}: {result.name} failed with {result.text[:200]!r}.")
    try:
        pattern = re.compile(fill(take.pattern, known, re.escape))
    except (re.error, OverflowError, RecursionError):  # a value where none can stand, as within brackets
        raise _NotFoundError(f"I could not find the {_words(name)}: I do not know how to look for it.") from None
    matches = pattern.finditer(result.text[:LONGEST_SEARCHED])
    found = [match[1] or "" for match in (matches if take.all else islice(matches, 1))]
    value = take.join.join(found).strip()
    if not value:
        raise _NotFoundError(f"I could not find the {_words(name)} {where}.")
    return value


def _words(name: str) -> str:
    return name.replace("_", " ")
