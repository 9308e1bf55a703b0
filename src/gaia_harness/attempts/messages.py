"""What the driver of a run and its workers say to each other, and its form on the way.

Nothing here has a field for a gold answer, and nothing here may import what has one.
"""

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from gaia_harness.agent import AgentResult
from gaia_harness.errors import RunError
from gaia_harness.models.messages import Transcript
from gaia_harness.records.config import RunConfig
from gaia_harness.records.excerpt import sound
from gaia_harness.records.steps import Step
from gaia_harness.records.tool_use import ToolUse

PIECE = 64 * 1024
"""Bytes of one call at most. Ray keeps arguments and results below 100 KiB out of its object store."""

_HEAD = 12
LONGEST_HEADER, LONGEST_BODY = 1 << 28, 1 << 32


class Hello(msgspec.Struct, frozen=True, kw_only=True):
    """Who a worker is: its machine, what it has installed, and the key to seal for it with."""

    machine: str
    node: str
    pid: int
    versions: dict[str, str]
    source_sha256: str
    seal: bytes


class Setup(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a worker makes the attempts of a run with. `environment` is sealed, and has the keys that it needs.

    `questions` are those of the run, by task id, for the scan; None where nothing is recorded. `limited`: the run has a
    limit of cost, and every call of a model waits for the driver's word.
    """

    config: RunConfig
    environment: bytes = b""
    hidden: tuple[str, ...] = ()
    system_prompt: str | None = None
    questions: dict[str, str] | None = None
    limited: bool = False


class Opened(msgspec.Struct, frozen=True, kw_only=True):
    """A worker is ready; or it is not, and this is why."""

    isolation: dict[str, Any] = {}
    refusal: str | None = None
    hint: str | None = None


class Assignment(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One attempt for a worker. Its file, named neutrally, is the body of the message."""

    task_id: str
    question: str
    attempt: int
    first_seq: int
    file_name: str | None = None
    seed: int | None = None
    seconds: float | None = None


class StepTaken(msgspec.Struct, frozen=True, tag="step"):
    """A step, as the worker's recorder made it."""

    step: Step


class TextKept(msgspec.Struct, frozen=True, tag="text"):
    """A full text that belongs to the next step, in the body of the message."""

    kind: Literal["prompts", "bodies"]
    sha256: str


class Paid(msgspec.Struct, frozen=True, tag="paid"):
    """A model was asked, and that is what the call cost, if it is known."""

    cost_usd: float | None
    model: str


class Heard(msgspec.Struct, frozen=True, tag="heard"):
    """An audio file was transcribed."""

    transcript: Transcript


class Used(msgspec.Struct, frozen=True, tag="used"):
    """A call of a tool has ended."""

    name: str
    use: ToolUse


class Asked(msgspec.Struct, frozen=True, tag="asked"):
    """A call of a boxed agent to the model has ended, with this error or with a reply."""

    error: str | None


class Waits(msgspec.Struct, frozen=True, tag="waits"):
    """Nothing is asked for a while, and why; None: it goes on."""

    reason: str | None


class Said(msgspec.Struct, frozen=True, tag="said"):
    """A line of the worker's log."""

    level: int
    text: str


class Ended(msgspec.Struct, frozen=True, tag="ended"):
    """The attempt came to its end. `failures` could not be recorded."""

    result: AgentResult
    failures: tuple[str, ...]


class Broken(msgspec.Struct, frozen=True, tag="broken"):
    """The attempt ended in a defect."""

    name: str
    text: str


Report = StepTaken | TextKept | Paid | Heard | Used | Asked | Waits | Said | Ended | Broken


def framed(message: msgspec.Struct, body: bytes = b"") -> bytes:
    """A message as it travels: the lengths of header and body, the header as JSON, the body as it is."""
    try:
        header = msgspec.json.encode(message)
    except UnicodeEncodeError:  # a lone surrogate, which JSON in UTF-8 cannot hold
        header = msgspec.json.encode(sound(msgspec.to_builtins(message)))
    return len(header).to_bytes(4, "big") + len(body).to_bytes(8, "big") + header + body


class Frames:
    """Puts messages together again that come in pieces."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, piece: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Header and body of every message that is whole by now."""
        self._buffer += piece
        while len(self._buffer) >= _HEAD:
            header = int.from_bytes(self._buffer[:4], "big")
            body = int.from_bytes(self._buffer[4:_HEAD], "big")
            if header > LONGEST_HEADER or body > LONGEST_BODY:
                raise RunError("a message between driver and worker is too long to be one")
            end = _HEAD + header + body
            if len(self._buffer) < end:
                return
            whole = bytes(self._buffer[:end])
            del self._buffer[:end]
            yield whole[_HEAD : _HEAD + header], whole[_HEAD + header :]


def pieces(data: bytes) -> Iterator[bytes]:
    """The data in pieces that fit into one call each."""
    for start in range(0, len(data), PIECE):
        yield data[start : start + PIECE]
