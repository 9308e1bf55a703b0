"""How the evidence of a run came to be: recorded while it happened, or imported from a file."""

from typing import Any, Literal

import msgspec

from gaia_harness.protocol import AGENT_HTTP, ToolRole
from gaia_harness.records.outcome import Count

Unknown = Literal["context_sha256", "tokens", "isolation", "prompts", "thoughts", "sub-agents", "times", "replies"]
"""What a run may not know of itself. It is said, and never made up."""

SAID: dict[str, str] = {
    "context_sha256": "the hashes of the requests are not known",
    "tokens": "token counts are not known",
    "isolation": "how the agent's code was contained is not known",
    "prompts": "what was put before the model is not known in full",
    "thoughts": "what the model thought is not known",
    "replies": "of some tasks nothing is known that the model said",
    "times": "how long tasks took is not known, and stands as 0",
    "sub-agents": "what sub-agents did is not known in full",
}


class OriginFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file that was imported: its name beneath what was given, its size and its hash."""

    name: str
    bytes: Count
    sha256: str


class Origin(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """By whom a run was recorded. A run of our own loop has none.

    `kind` is `live` for what was recorded while it happened by the program `recorded_by`, and `imported` for what was
    read from `files` of the format `format`; `tasks` says of several files which one each task is from, by its place
    among them. `tools` gives the role of each tool. `workdir` is the agent's folder and
    `attachments` how the task's files are called there. `options` are settings as the other program states them.
    `unknown` and `gaps` say what is missing, the first by name, the second in sentences.
    """

    kind: Literal["live", "imported"]
    recorded_by: str
    tools: dict[str, ToolRole] = {}
    unknown: tuple[Unknown, ...] = ()
    workdir: str | msgspec.UnsetType = msgspec.UNSET
    attachments: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET
    options: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    format: str | msgspec.UnsetType = msgspec.UNSET
    files: tuple[OriginFile, ...] | msgspec.UnsetType = msgspec.UNSET
    tasks: dict[str, Count] | msgspec.UnsetType = msgspec.UNSET
    imported_at: str | msgspec.UnsetType = msgspec.UNSET
    gaps: tuple[str, ...] | msgspec.UnsetType = msgspec.UNSET

    def describe(self) -> str:
        """In words."""
        if self.kind == "live":
            return f"recorded live by {self.recorded_by}"
        names = () if self.files is msgspec.UNSET else self.files
        files = names[0].name if len(names) == 1 else f"{len(names)} files"
        return f"imported from {files} ({self.format}) by {self.recorded_by}; nobody witnessed it"

    def missing(self) -> tuple[str, ...]:
        """What is not known, in sentences."""
        said = (*(SAID[name] for name in self.unknown), *(() if self.gaps is msgspec.UNSET else self.gaps))
        return tuple(dict.fromkeys(said))


def missing_of(origin: Origin | msgspec.UnsetType) -> tuple[str, ...]:
    """What a run of this origin does not know of itself; nothing of our own loop's."""
    return () if isinstance(origin, msgspec.UnsetType) else origin.missing()


def in_a_box(origin: Origin | msgspec.UnsetType) -> bool:
    """Whether the agent was a program in a box of ours, whose own requests to the web are on record."""
    return not isinstance(origin, msgspec.UnsetType) and origin.kind == "live" and AGENT_HTTP in origin.tools


def is_unknown(origin: Origin | msgspec.UnsetType, what: Unknown) -> bool:
    """Whether a run says of itself that it does not know this."""
    return not isinstance(origin, msgspec.UnsetType) and what in origin.unknown
