"""The messages shown to the model, and how they are shortened to fit its context window."""

from collections.abc import Iterable, Sequence

import msgspec

from gaia_harness.models.messages import Assistant, Message, ToolResult
from gaia_harness.records.excerpt import cut
from gaia_harness.records.steps import ShortResult

LEAST_SHOWN = 400
"""Bytes of a tool result that are shown however long the conversation is: what it was can still be told from them."""

IMAGE_BYTES = 4_000
"""What a picture counts for: it takes about as many tokens as so much text."""

CUT_NOTE = "\n[The rest of this result is no longer shown: the conversation became too long.]"


class _Said(msgspec.Struct):
    turn: int  # in which it was taken down
    message: Message
    full: bytes = b""  # of a result
    shown: int = 0


class Conversation:
    """The opening messages, and after them every turn."""

    def __init__(self, opening: Sequence[Message]) -> None:
        self._opening = tuple(opening)
        self._said: list[_Said] = []
        self.left_out = 0
        """Turns, from the first one on, that are no longer shown."""

    @property
    def messages(self) -> tuple[Message, ...]:
        """What goes into the next request."""
        return (*self._opening, *(said.message for said in self._said))

    @property
    def size(self) -> int:
        """The approximate size in bytes of everything after the opening."""
        return sum(_size(said.message) for said in self._said)

    def add(self, turn: int, messages: Iterable[Message]) -> None:
        """Add the next turn."""
        for message in messages:
            full = message.text.encode() if isinstance(message, ToolResult) else b""
            self._said.append(_Said(turn, message, full, len(full)))

    def shorten(self) -> tuple[ShortResult, ...]:
        """Show half of what is shown of all tool results, the oldest shortened first; none if nothing is left to cut.

        A shortened result is the first bytes of what the tool gave back, then `CUT_NOTE`; its images are gone.
        """
        results = [(said, said.message) for said in self._said if isinstance(said.message, ToolResult)]
        too_much = sum(_weight(said, message) for said, message in results) // 2
        shortened = []
        for said, message in results:
            if too_much <= 0:
                break
            if not message.images and said.shown <= LEAST_SHOWN:
                continue
            before = _weight(said, message)
            kept = cut(said.full, max(min(said.shown, LEAST_SHOWN), said.shown - too_much))
            said.shown = len(kept)
            said.message = msgspec.structs.replace(message, text=kept.decode() + CUT_NOTE, images=())
            too_much -= before - said.shown
            shortened.append(ShortResult(call_id=message.call_id, bytes=said.shown))
        return tuple(shortened)

    def leave_out(self, turn_now: int, room: int) -> None:
        """Drop older turns: keep only the last ones before this, as many as fit into so many bytes together."""
        turns = sorted({said.turn for said in self._said if said.turn < turn_now}, reverse=True)
        for turn in turns:
            room -= sum(_size(said.message) for said in self._said if said.turn == turn)
            if room < 0:
                self.left_out = turn
                break
        self._said = [said for said in self._said if said.turn > self.left_out]


def _weight(said: _Said, message: ToolResult) -> int:
    return said.shown + IMAGE_BYTES * len(message.images)


def _size(message: Message) -> int:
    size = len(message.text.encode("utf-8", "replace"))
    if isinstance(message, Assistant):
        return size + len(message.thoughts) + sum(len(call.raw) for call in message.tool_calls)
    return size + IMAGE_BYTES * len(message.images) if isinstance(message, ToolResult) else size
