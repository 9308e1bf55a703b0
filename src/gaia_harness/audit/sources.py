"""Which sources ran, and are they at hand? The program's own files with their hash, and the hash the intent names."""

import ast
import base64
import binascii
import hashlib
from collections.abc import Iterator
from importlib import resources
from pathlib import Path

import msgspec
import rfc8785

from gaia_harness.audit.evidence import RunEvidence
from gaia_harness.audit.facts import read_document
from gaia_harness.audit.program import parse
from gaia_harness.errors import EvidenceError
from gaia_harness.witness.intent import FILE_NAME

MOST_BYTES = 16 << 20
"""Our sources are under 1 MB; a tree that is much larger is not ours."""

NOT_AT_HAND = "the sources that ran are not at hand"


class Module(msgspec.Struct, frozen=True):
    """One source file: its path within the package, and its text."""

    path: str
    text: str

    @property
    def package(self) -> str:
        """The part of the program that it belongs to, such as `agent`."""
        return self.path.partition("/")[0] if "/" in self.path else ""

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
    """The sources under a root; None where they cannot be read. The hash is that of `witness.intent.source_sha256`."""
    modules, listed, size = [], [], 0
    try:
        for path in _files(root):
            data = path.read_bytes()
            size += len(data)
            if size > MOST_BYTES:
                return None
            name = path.relative_to(root).as_posix()
            listed.append([name, hashlib.sha256(data).hexdigest()])
            modules.append(Module(name, data.decode("utf-8", "replace")))
    except OSError:
        return None
    if not modules:
        return None
    return Sources(hashlib.sha256(rfc8785.dumps(listed)).hexdigest(), tuple(modules))


def _files(root: Path) -> Iterator[Path]:
    yield from sorted(path for path in root.rglob("*.py") if "data" not in path.relative_to(root).parts)


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
    return (sources, None) if named == sources.sha256 else (None, NOT_AT_HAND)
