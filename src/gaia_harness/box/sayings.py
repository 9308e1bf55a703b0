"""What an agent says of its own work: recorded as its words, beside what the gateway saw."""

from collections.abc import Callable
from typing import Any

import msgspec

from gaia_harness.box.doors import PORT
from gaia_harness.box.requests import Incoming, Outgoing
from gaia_harness.box.roles import SAYS
from gaia_harness.evidence.recorder import Recorder

PATH = "/says"
LARGEST = 256 << 10
MOST = 2_000
"""Sayings of one attempt."""


class Saying(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of them: a message, a thought, a plan, or a tool call as the agent tells of it."""

    kind: str
    text: str = ""
    what: dict[str, Any] = {}
    failed: bool = False


class Sayings:
    """Takes down what the agent of one attempt says, at an address of the box's own."""

    def __init__(self, recorder: Recorder, turn: Callable[[], int]) -> None:
        self._recorder = recorder
        self._turn = turn
        self._count = 0

    @staticmethod
    def takes(request: Incoming) -> bool:
        """Whether a request is for this endpoint."""
        return request.port == PORT and request.host == "127.0.0.1" and request.target == PATH

    async def handle(self, request: Incoming, answer: Outgoing) -> None:
        """Record what is said, unless it cannot be read or is too much."""
        await answer.start(self._take(request), [(b"content-length", b"0")])
        await answer.end()

    def _take(self, request: Incoming) -> int:
        if request.method != "POST":
            return 405
        if request.body.size > LARGEST:
            return 413
        if self._count >= MOST:
            return 429
        try:
            said = msgspec.json.decode(request.body.read(), type=Saying)
            args = {"kind": said.kind[:100], **said.what}
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return 400
        self._count += 1
        number, turn = f"{SAYS}-{self._count}", self._turn()
        self._recorder.tool_call(turn, number, SAYS, args)
        self._recorder.tool_result(turn, number, SAYS, said.text, is_error=said.failed)
        return 204
