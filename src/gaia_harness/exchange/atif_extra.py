"""What we keep in the `extra` objects of an ATIF trajectory: all that the format has no field for.

Under the key `gaia_harness` of the `extra` of the trajectory, of a step, of a tool call and of an observation's result.
Exporter and importer share these types, so that an export can be imported again.
"""

import hashlib

import msgspec

from gaia_harness.exchange.neutral import NeutralSource, StepType
from gaia_harness.protocol import ToolRole

KEY = "gaia_harness"


class OfTrajectory(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Of the whole task-run, as in `NeutralRun`. Of a sub-agent's trajectory, nothing."""

    task_id: str | None = None
    question: str | None = None
    run: str | None = None
    attempt: int | None = None
    answer: str | None = None
    correct: bool | None = None
    error: str | None = None
    tools: dict[str, ToolRole] = {}
    workdir: str | None = None
    attachments: tuple[str, ...] = ()
    isolation: str | None = None
    gaps: tuple[str, ...] = ()
    hashes: dict[str, str] = {}


class OfStep(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Of a step. `type` is there where source and fields of the step do not say it: `answer`."""

    type: StepType | None = None
    role: str | None = None
    stop_reason: str | None = None
    cut: bool = False
    text_sha256: str | None = None
    hashes: dict[str, str] = {}


class OfCall(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Of a tool call. `text` is what it was called with where that is no object."""

    text: str = ""
    role: str | None = None
    url: str | None = None
    time: str | None = None
    hashes: dict[str, str] = {}


class OfResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Of a result."""

    is_error: bool = False
    cut: bool = False
    url: str | None = None
    sources: tuple[NeutralSource, ...] = ()
    time: str | None = None
    text_sha256: str | None = None
    hashes: dict[str, str] = {}


def text_sha256(text: str) -> str:
    """The hash by which an importer sees that a text is still the exported one."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
