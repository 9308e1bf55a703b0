"""run.json: the configuration, environment and state of a run."""

from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.disclosure import DisclosedEndpoint
from gaia_harness.records.config import RunConfig
from gaia_harness.records.documents import read_document
from gaia_harness.records.origin import Origin
from gaia_harness.records.outcome import Count, Dollars

FILE_NAME = "run.json"
SCHEMA = "gaia-harness/run/1"

OPTIONS_OF_ANY_AGENT = (
    "model", "dataset", "split", "revision", "selection", "voting_attempts", "seed", "record_evidence",
    "evidence_full_bodies", "submit_intent", "judge_model",
)  # fmt: skip
"""Options that mean something whoever runs the agent."""


class DatasetRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Exactly what was asked: where the tasks came from, and a digest of those of them that were selected."""

    name: str
    gaia_split: str
    revision: str | None
    digest: str
    task_ids: tuple[str, ...]


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """run.json. Version 0.1 did not record where the models were asked."""

    schema: str
    run_id: str
    state: str
    started_at: str
    finished_at: str | None
    config: RunConfig
    dataset: DatasetRecord
    versions: dict[str, str]
    isolation: dict[str, Any]
    endpoint: DisclosedEndpoint | msgspec.UnsetType = msgspec.UNSET
    judge_endpoint: DisclosedEndpoint | msgspec.UnsetType | None = msgspec.UNSET
    transcription_endpoint: DisclosedEndpoint | msgspec.UnsetType = msgspec.UNSET  # only where there is such a model
    origin: Origin | msgspec.UnsetType = msgspec.UNSET  # only where another program than ours runs the agent

    def as_written(self) -> dict[str, Any]:
        """What run.json says. Options of our own loop are left out where another program runs the agent."""
        written: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(self))
        if self.config.agent is not msgspec.UNSET:  # a program that we run ourselves
            del written["config"]["limits"]
        elif self.origin is not msgspec.UNSET:
            written["config"] = {name: written["config"][name] for name in OPTIONS_OF_ANY_AGENT}
        return written


class StatedConfig(RunConfig, frozen=True, kw_only=True, forbid_unknown_fields=False):
    """The options of a run that any version may have made, or anybody changed: what is not known is left out."""

    dataset: str
    record_evidence: bool
    submit_intent: bool
    voting_attempts: Count
    judge_model: str | None
    price_in: Dollars | msgspec.UnsetType = msgspec.UNSET
    price_out: Dollars | msgspec.UnsetType = msgspec.UNSET


class StatedRun(RunRecord, frozen=True, kw_only=True):
    """The record of such a run. What an audit can do without may be missing."""

    schema: str = ""
    state: str = ""
    started_at: str = ""
    finished_at: str | None = None
    config: StatedConfig
    isolation: dict[str, str] = {}


def read_record(folder: Path) -> RunRecord:
    """run.json as this version writes and resumes it."""
    return read_document(folder / FILE_NAME, RunRecord)


def read_stated(folder: Path) -> StatedRun:
    """run.json of a run that any version may have made, or anybody changed."""
    return read_document(folder / FILE_NAME, StatedRun)


def read_as_written(folder: Path) -> dict[str, Any]:
    """run.json with every field that stands there, for who compares or hashes them."""
    document: dict[str, Any] = read_document(folder / FILE_NAME, dict)
    return document
