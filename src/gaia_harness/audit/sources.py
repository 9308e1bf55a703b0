"""Which sources ran, and are they at hand? The program's own files with their hash, and the hash the intent names."""

import ast
import base64
import binascii
import os
from collections.abc import Iterator
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import msgspec

from gaia_harness.audit.evidence import RunEvidence
from gaia_harness.audit.program import parse
from gaia_harness.errors import EvidenceError
from gaia_harness.records.documents import read_document
from gaia_harness.records.intent import FILE_NAME
from gaia_harness.signing.intent import files_sha256

MOST_BYTES = 16 << 20
"""Our sources are under 1 MB; a tree that is much larger is not ours."""

DEEPEST = 8
"""Folders within folders; ours has three."""

NOT_AT_HAND = "the sources that ran are not at hand"


class Module(msgspec.Struct, frozen=True):
    """One source file: its path within the package, and its bytes."""

    path: str
    data: bytes

    @property
    def package(self) -> str:
        """The part of the program that it belongs to, such as `agent`."""
        return self.path.partition("/")[0] if "/" in self.path else ""

    @property
    def text(self) -> str:
        """What stands in it."""
        return self.data.decode("utf-8", "replace")

    def tree(self) -> ast.Module | None:
        """Its syntax tree; None where it cannot be read."""
        return parse(self.text)


class Sources(msgspec.Struct, frozen=True):
    """The sources under a root, with the hash by which an intent names them."""

    sha256: str
    modules: tuple[Module, ...]


def installed() -> Path:
    """Where this program's own sources are."""
    return Path(str(resources.files("gaia_harness")))


def read_sources(root: Path) -> Sources | None:
    """The sources under a root; None where they cannot be read. The hash is that of `signing.intent.source_sha256`."""
    try:
        return _read(str(root), tuple(sorted(_files(str(root), ()))))
    except OSError:
        return None


class _File(NamedTuple):
    """A file by its path within the root, with what tells that it is still the same."""

    parts: tuple[str, ...]
    changed: int
    size: int


@lru_cache(maxsize=2)
def _read(root: str, files: tuple[_File, ...]) -> Sources | None:
    """Two checks and the report ask for the same files one after the other: they are read once, unless they change."""
    if not files or sum(file.size for file in files) > MOST_BYTES:
        return None
    modules = []
    for file in files:
        path = "/".join(file.parts)
        with open(f"{root}/{path}", "rb", buffering=0) as source:  # noqa: PTH123 - a third of the time
            modules.append(Module(path, source.read(MOST_BYTES)))
    return Sources(files_sha256((module.path, module.data) for module in modules), tuple(modules))


def _files(folder: str, parts: tuple[str, ...]) -> Iterator[_File]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name == "data":
                continue
            if entry.name.endswith(".py"):
                stat = entry.stat()
                yield _File((*parts, entry.name), stat.st_mtime_ns, stat.st_size)
            elif entry.name != "__pycache__" and entry.is_dir(follow_symlinks=False) and len(parts) < DEEPEST:
                yield from _files(entry.path, (*parts, entry.name))


class _Envelope(msgspec.Struct):
    payload: str


class _Named(msgspec.Struct):
    source_sha256: str


def intended_sha256(run: RunEvidence) -> str | None:
    """The hash of the sources that the run's intent names; None without one that can be read.

    Whether the intent is signed is not asked here: that is for whoever verifies a package.
    """
    try:
        envelope = read_document(run.folder / FILE_NAME, _Envelope)
        return msgspec.json.decode(base64.b64decode(envelope.payload), type=_Named).source_sha256
    except (EvidenceError, msgspec.MsgspecError, binascii.Error, UnicodeDecodeError, ValueError):
        return None


def sources_that_ran(run: RunEvidence, root: Path) -> tuple[Sources | None, str | None]:
    """The sources at hand, if they are those that ran, and what is missing if they may not be.

    A run without a declared intent names no sources: those at hand are taken for it.
    """
    sources = read_sources(root)
    if sources is None:
        return None, "the harness's own sources cannot be read"
    named = intended_sha256(run)
    if named is None:
        return sources, "the intent, which names the sources that ran, is missing" if run.facts.submit_intent else None
    resumed_by = (program.source_sha256 for program in run.log.interruptions.total("").programs)
    return (sources, None) if {named, *resumed_by} == {sources.sha256} else (None, NOT_AT_HAND)
