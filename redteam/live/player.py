"""The model of a live run. It follows a play: one move a turn, made from what the tools said."""

import hashlib
import json
import os
import re
import signal
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from gaia_harness.errors import ModelError
from gaia_harness.models.messages import Assistant, Reply, Request, ToolCall, ToolResult, Usage, User
from redteam.live.subjects import Subject

MODEL = "scripted/lab"
_BYTES_PER_TOKEN = 4


class Move(msgspec.Struct, frozen=True):
    """What the model says in one turn, and which tools it calls, with which arguments."""

    words: str
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


Results = Sequence[str]
Turn = Callable[[Results], Move]
Play = tuple[Turn, ...]
"""One turn after another; the last one answers."""


def search(query: str) -> Turn:
    """Ask the search engine."""
    return lambda results: Move("I search for it.", (("web_search", {"query": query}),))


def fetch(url: str, words: str = "I open the page.", *, offset: int | None = None) -> Turn:
    """Open a page."""
    more = {} if offset is None else {"offset": offset}
    return lambda results: Move(words, (("web_fetch", {"url": url, **more}),))


def code(source: str | Callable[[Results], str], words: str = "I let Python do it.") -> Turn:
    """Run a program, which may be made from what was seen before."""
    return lambda results: Move(words, (("python", {"code": source if isinstance(source, str) else source(results)}),))


def use(tool: str, **arguments: Any) -> Turn:
    """Call any tool."""
    return lambda results: Move("I use a tool.", ((tool, arguments),))


def say(answer: str, words: str = "That settles it.") -> Turn:
    """Answer, whatever was seen."""
    return lambda results: Move(f"{words}\n\nFINAL ANSWER: {answer}")


def say_found(pattern: str, otherwise: str, words: str = "The source says so.") -> Turn:
    """Answer with what the latest result that fits the pattern has in its group."""

    def move(results: Results) -> Move:
        found = next((match for text in reversed(results) if (match := re.search(pattern, text))), None)
        return Move(f"{words}\n\nFINAL ANSWER: {found[1] if found else otherwise}")

    return move


def crash() -> Turn:
    """End the process in the middle of a turn."""

    def move(results: Results) -> Move:
        os.kill(os.getpid(), signal.SIGKILL)
        return Move(f"Never said, behind {len(results)} results.")

    return move


class Player:
    """Plays for every task the plays that it has for it: the first attempt by the first, the last for all that follow.

    `before` are attempts that earlier processes began.
    """

    def __init__(self, plays: Mapping[Subject, Sequence[Play]], *, before: int = 0) -> None:
        self.name = MODEL
        self.address = ""
        self._plays = plays
        self._begun: Counter[str] = Counter({subject.task_id: before for subject in plays})

    async def reply(self, request: Request) -> Reply:
        """The next move."""
        body = msgspec.json.encode(request)
        sha256 = hashlib.sha256(body).hexdigest()
        said = sum(isinstance(message, Assistant) for message in request.messages)
        subject, plays = self._plays_for(request)
        if said == 0:
            self._begun[subject.task_id] += 1
        play = plays[min(self._begun[subject.task_id], len(plays)) - 1]
        results = [message.text for message in request.messages if isinstance(message, ToolResult)]
        move = play[min(said, len(play) - 1)](results)
        calls = []
        for number, (tool, arguments) in enumerate(move.calls, 1):
            raw = json.dumps(arguments, ensure_ascii=False)
            calls.append(ToolCall(call_id=f"call_{said + 1}_{number}", name=tool, raw=raw, args=arguments))
        spoken = len(move.words.encode()) + sum(len(call.raw.encode()) for call in calls)
        return Reply(
            text=move.words,
            tool_calls=tuple(calls),
            stop_reason="tool_calls" if calls else "stop",
            usage=Usage(input_tokens=-(-len(body) // _BYTES_PER_TOKEN), output_tokens=-(-spoken // _BYTES_PER_TOKEN)),
            model=self.name,
            response_id=f"lab-{sha256[:24]}",
            request_sha256=sha256,
        )

    async def aclose(self) -> None:
        """Nothing is open."""

    def _plays_for(self, request: Request) -> tuple[Subject, Sequence[Play]]:
        asked = next((message.text for message in request.messages if isinstance(message, User)), "")
        for subject, plays in self._plays.items():
            if subject.question in asked:
                return subject, plays
        raise ModelError(f"{self.name} has no play for this question: {asked[:80]!r}")
