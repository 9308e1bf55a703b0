"""AUD-9, and the part of AUD-8 about the harness's own sources: facts of a version, found by `make facts`.

The facts hold for sources of one hash. An audit compares it with that of the sources here, and of those that ran.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from gaia_harness.audit.evidence import RunEvidence
from gaia_harness.audit.findings import Finding
from gaia_harness.audit.looking import TaskCheck
from gaia_harness.errors import EvidenceError
from gaia_harness.records.documents import read_document
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


class _Named(msgspec.Struct):
    source_sha256: str


def facts_of_what_ran(run: RunEvidence, file: Path | None = None) -> tuple[SourceFacts | None, str | None]:
    """The facts of the sources that ran, and what is missing if they are not known.

    A run without a declared intent names no sources: those here are taken for it.
    """
    ours = intent.source_sha256()
    declared = run.read_intent(_Named)
    if isinstance(declared, _Named):
        resumed_by = (program.source_sha256 for program in run.log.interruptions.total("").programs)
        if {declared.source_sha256, *resumed_by} != {ours}:
            return None, NOT_AT_HAND
    facts = read_facts(Path(__file__).with_name(FILE_NAME) if file is None else file)
    if facts is None or facts.source_sha256 != ours:
        return None, CHANGED
    unknown = run.facts.submit_intent and not isinstance(declared, _Named)
    return facts, "the intent, which names the sources that ran, is missing" if unknown else None


class DynamicEval(TaskCheck):
    """AUD-9: do the sources that ran run text as code? `facts` is the file of it, unless it is this version's own."""

    id, name = "AUD-9", "dynamic-eval"

    def __init__(self, run: RunEvidence, facts: Path | None = None) -> None:
        super().__init__(run)
        self._facts, self._gap = facts_of_what_ran(run, facts)

    def of_run(self, task_ids: Sequence[str]) -> Iterator[Finding]:
        """Where they do."""
        yield from () if self._facts is None else self._facts.text_as_code

    def gaps(self, unseen: int) -> Iterator[str]:
        """What is not known of them."""
        yield from () if self._gap is None else (self._gap,)
