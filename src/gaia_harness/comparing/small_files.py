"""What a list of runs asks of the small files of a run or package: their other fields are passed over."""

from pathlib import Path
from typing import TypeVar

import msgspec

from gaia_harness.errors import EvidenceError
from gaia_harness.figures import Rate
from gaia_harness.records.documents import read_document
from gaia_harness.records.origin import Origin
from gaia_harness.records.outcome import Count, Dollars

LARGEST = 32 << 20
"""Bytes. The package of 2,000 tasks has a metadata.json of about two million."""

T = TypeVar("T")


def read_small(path: Path, kind: type[T]) -> T:
    """A JSON file of ours, if it is as small as it should be."""
    try:
        if path.stat().st_size > LARGEST:
            raise EvidenceError(f"{path.name}: larger than {LARGEST} bytes")
    except FileNotFoundError as error:
        raise EvidenceError(f"{path.name} is missing") from error
    return read_document(path, kind)


class _Agent(msgspec.Struct):
    given: str


class _HasAgent(msgspec.Struct):
    agent: _Agent | msgspec.UnsetType = msgspec.UNSET

    @property
    def given(self) -> str | None:
        """The program that was given as the agent; None where that is our own loop."""
        return None if isinstance(self.agent, msgspec.UnsetType) else self.agent.given


class _Config(_HasAgent, kw_only=True):
    model: str


class _Dataset(msgspec.Struct):
    gaia_split: str
    task_ids: tuple[str, ...]


class SmallRecord(msgspec.Struct):
    """run.json."""

    run_id: str
    config: _Config
    dataset: _Dataset
    state: str = ""
    started_at: str = ""
    versions: dict[str, str] = {}
    origin: Origin | msgspec.UnsetType = msgspec.UNSET


class SmallSummary(msgspec.Struct):
    """summary.json."""

    total: Count
    finished: Count
    passed: Count | None
    est_cost_usd: Dollars | None = None
    paused: str | None = None


class SmallResult(msgspec.Struct):
    """A line of results.jsonl."""

    correct: bool | None
    cost_usd: Dollars | None = None


class _Facts(msgspec.Struct):
    harness_version: str


class _Totals(msgspec.Struct):
    tasks: Count
    finished: Count


class SmallMetadata(msgspec.Struct):
    """metadata.json."""

    run_id: str
    submitted_at: str
    model: str
    gaia_split: str
    totals: _Totals
    facts: _Facts
    pass_rate: Rate | None = None
    audited_pass_rate: Rate | None = None
    est_cost_usd: Dollars | None = None
    options: _HasAgent | msgspec.UnsetType = msgspec.UNSET
    origin: Origin | msgspec.UnsetType = msgspec.UNSET


class _AuditTotals(msgspec.Struct):
    audited: Rate | None


class SmallReport(msgspec.Struct):
    """An audit's report."""

    run_id: str
    totals: _AuditTotals


def agent_name(origin: Origin | msgspec.UnsetType | None, given: object, harness_version: str) -> str:
    """What ran the agent: our own loop, a program in a box, or another program."""
    if isinstance(given, str):
        return given
    if not origin:
        return f"gaia-harness {harness_version or 'unknown'}"
    return f"imported ({origin.format})" if origin.kind == "imported" else origin.recorded_by
