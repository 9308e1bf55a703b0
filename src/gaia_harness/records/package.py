"""metadata.json: what a package says about itself."""

from typing import Any

import msgspec

from gaia_harness.disclosure import DisclosedEndpoint
from gaia_harness.figures import Rate
from gaia_harness.records.facts import RunFacts
from gaia_harness.records.interruptions import Interruptions
from gaia_harness.records.ledger import Head
from gaia_harness.records.origin import Origin

SCHEMA = "gaia-harness/package/3"
FIRST_SCHEMA = "gaia-harness/package/1"
SCHEMAS = (FIRST_SCHEMA, "gaia-harness/package/2", SCHEMA)
"""What version 0.1 wrote, without `interruptions`, `served_models` and `system_prompt`; what 0.2 wrote, without
`origin` and with the model's words cut; and what is written."""


class Harness(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The program of the run, as its intent names it."""

    name: str
    version: str
    source_sha256: str


class Submitter(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who says to have signed. A hint: trust comes from elsewhere."""

    identity: str
    key_id: str
    fingerprint: str


class Tools(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the model was offered: names, and the hash in prompts/ of each distinct catalogue."""

    names: tuple[str, ...]
    catalogue_sha256: tuple[str, ...]


class Dataset(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which tasks."""

    name: str
    revision: str | None
    digest: str


class Totals(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sums over all tasks. `passed` is None where there is no public answer."""

    tasks: int
    finished: int
    passed: int | None
    answered: int
    errors: int
    attempts: int
    turns: int
    wall_ms: int
    input_tokens: int | None
    output_tokens: int | None


class StandingRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`standing` in metadata.json: the run's standing in the signer's ledger, among runs on the same task list."""

    said: str
    number: int
    runs: int
    never_closed: int
    aborted: int


class AuditOutcome(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`audit` in metadata.json: the outcome of the audit."""

    clean: bool
    strict_clean: bool
    harness_gaps: tuple[str, ...]


class Metadata(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """metadata.json. `dirty` is None, or has every reason why a leaderboard may not want this run.

    `endpoint`, `judge_endpoint` and `options` are not there where the run was declared by version 0.1.
    """

    schema: str
    run_id: str
    submitted_at: str
    submitter: Submitter
    harness: Harness
    origin: Origin | msgspec.UnsetType = msgspec.UNSET  # where another program than ours ran the agent
    model: str
    endpoint: DisclosedEndpoint | msgspec.UnsetType = msgspec.UNSET
    served_models: dict[str, int] | msgspec.UnsetType = msgspec.UNSET
    hosts: dict[str, int] | msgspec.UnsetType = msgspec.UNSET  # that an agent in a box spoke to, and how often
    judge_model: str | None
    judge_endpoint: DisclosedEndpoint | msgspec.UnsetType | None = msgspec.UNSET
    transcription_endpoint: DisclosedEndpoint | msgspec.UnsetType = msgspec.UNSET
    options: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    gaia_split: str
    levels: tuple[int, ...]
    voting_attempts: int
    seed: int | None
    tools: Tools
    dataset: Dataset
    isolation: dict[str, str]
    totals: Totals
    pass_rate: Rate | None
    pass_rate_by_level: dict[str, Rate | None]
    audited_pass_rate: Rate | None
    est_cost_usd: float | None
    judge_cache_integrity_events: int
    full_bodies: bool
    standing: StandingRecord
    interruptions: Interruptions | msgspec.UnsetType = msgspec.UNSET
    system_prompt: str | msgspec.UnsetType = msgspec.UNSET
    log: Head
    ledger: Head
    audit: AuditOutcome
    dirty: tuple[str, ...] | None
    facts: RunFacts
