"""The facts about the harness's own sources for AUD-8 and AUD-9, computed by `make facts` for each version.

The facts hold for sources of one hash. An audit compares it with that of the sources here, and of those that ran.
"""

import base64
import binascii
from pathlib import Path

import msgspec

from gaia_harness.audit.evidence import RunEvidence
from gaia_harness.audit.findings import Finding
from gaia_harness.errors import EvidenceError
from gaia_harness.records.documents import read_document
from gaia_harness.records.intent import FILE_NAME as INTENT
from gaia_harness.signing import intent

FILE_NAME = "source_facts.json"

NOT_AT_HAND = "the sources that ran are not at hand"
CHANGED = (
    "the harness's own sources were changed since they were checked: install it anew, or in a checkout run `make facts`"
)


class SourceFacts(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The findings in sources of this hash: where the runner comes near answers, and where text is run as code."""

    source_sha256: str
    answer_reads: tuple[Finding, ...]
    text_as_code: tuple[Finding, ...]


def read_facts(file: Path) -> SourceFacts | None:
    """The facts in a file; None where it is missing or broken."""
    try:
        return read_document(file, SourceFacts)
    except EvidenceError:
        return None


class _Envelope(msgspec.Struct):
    payload: str


class _Named(msgspec.Struct):
    source_sha256: str


def intended_sha256(run: RunEvidence) -> str | None:
    """The hash of the sources that the run's intent names; None without one that can be read.

    Whether the intent is signed is not asked here: that is for whoever verifies a package.
    """
    try:
        envelope = read_document(run.folder / INTENT, _Envelope)
        return msgspec.json.decode(base64.b64decode(envelope.payload), type=_Named).source_sha256
    except (EvidenceError, msgspec.MsgspecError, binascii.Error, UnicodeDecodeError, ValueError):
        return None


def facts_of_what_ran(run: RunEvidence, file: Path | None = None) -> tuple[SourceFacts | None, str | None]:
    """The facts of the sources that ran, and what is missing if they are not known.

    A run without a declared intent names no sources: those here are taken for it.
    """
    try:
        ours = intent.source_sha256()
    except OSError:
        return None, "the harness's own sources cannot be read"
    named = intended_sha256(run)
    if named is not None:
        resumed_by = (program.source_sha256 for program in run.log.interruptions.total("").programs)
        if {named, *resumed_by} != {ours}:
            return None, NOT_AT_HAND
    facts = read_facts(Path(__file__).with_name(FILE_NAME) if file is None else file)
    if facts is None or facts.source_sha256 != ours:
        return None, CHANGED
    undeclared = named is None and run.facts.submit_intent
    return facts, "the intent, which names the sources that ran, is missing" if undeclared else None
