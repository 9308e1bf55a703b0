"""run.json: what a run was asked to do, with what, and how far it is."""

from typing import Any

import msgspec

from gaia_harness.disclosure import AskedAt
from gaia_harness.records.config import RunConfig

FILE_NAME = "run.json"
SCHEMA = "gaia-harness/run/1"


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
    endpoint: AskedAt | msgspec.UnsetType = msgspec.UNSET
    judge_endpoint: AskedAt | msgspec.UnsetType | None = msgspec.UNSET
