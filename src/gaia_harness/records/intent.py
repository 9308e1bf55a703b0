"""The intent of a run, declared before its first model call, and its comparison with the run."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import rfc8785

from gaia_harness.disclosure import NAMED_DATASETS, DisclosedEndpoint, disclosed_options
from gaia_harness.records.events import RunStarted
from gaia_harness.records.facts import RunFacts
from gaia_harness.records.ledger import Head
from gaia_harness.records.origin import Origin

FILE_NAME = "intent.dsse.json"
ATTEMPT_POLICY = "every started attempt is logged before its first model call, counted, and never dropped"

ENDPOINTS = ("endpoint", "judge_endpoint", "transcription_endpoint")
"""Where run.json and intent say that models are asked."""

DISCLOSED = (*ENDPOINTS, "origin")
"""What an intent repeats of run.json beside its options."""


class Intent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The signed statement. Whatever a run does that is not this, shows.

    Version 0.1 did not disclose `endpoint`, `judge_endpoint` and `options`; all others have the three of them.
    `transcription_endpoint` is there where the options name a transcription model, `origin` where another program than
    ours runs the agent.
    """

    run_id: str
    created_at: str
    task_list_sha256: str
    tasks: int
    gaia_split: str
    levels: tuple[int, ...]
    dataset: str
    dataset_revision: str | None
    dataset_digest: str
    config_sha256: str
    harness_version: str
    source_sha256: str
    model: str
    judge_model: str | None
    seed: int | None
    voting_attempts: int
    attempt_policy: str
    cache_public_key: str | None
    ledger: Head
    nonce: str
    endpoint: DisclosedEndpoint | msgspec.UnsetType = msgspec.UNSET
    judge_endpoint: DisclosedEndpoint | msgspec.UnsetType | None = msgspec.UNSET
    options: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET
    transcription_endpoint: DisclosedEndpoint | msgspec.UnsetType = msgspec.UNSET
    origin: Origin | msgspec.UnsetType = msgspec.UNSET


def task_list_sha256(task_ids: Sequence[str]) -> str:
    """The hash of a task list: of the RFC 8785 form of the array of its ids, in their order."""
    return hashlib.sha256(rfc8785.dumps(list(task_ids))).hexdigest()


def config_sha256(config: object) -> str:
    """The hash by which an intent of version 0.1 names the options of a run: a `RunConfig`, or that of run.json.

    It is of the compact JSON, and must stay the same for a declared run under every later version. So an option that is
    added to `RunConfig` (or to a struct within it) is declared last, as `T | UnsetType = UNSET`: a run that was begun
    without it has it neither in run.json nor in the hash. No option is ever renamed, moved, removed or retyped.
    """
    return hashlib.sha256(msgspec.json.encode(config)).hexdigest()


def options_sha256(options: Mapping[str, Any]) -> str:
    """The hash by which an intent names the options that it discloses: of their RFC 8785 form."""
    return hashlib.sha256(rfc8785.dumps(dict(options))).hexdigest()


Compared = dict[str, tuple[object, object]]
"""By name: what was declared, and what is said."""


def compare(intent: Intent, facts: RunFacts) -> Compared:
    """What was declared, beside what the run says of itself."""
    try:
        task_list = task_list_sha256(facts.task_ids)
    except ValueError:  # an id that no JSON holds was in no declaration
        task_list = ""
    return {
        "run_id": (intent.run_id, facts.run_id),
        "task_list_sha256": (intent.task_list_sha256, task_list),
        "tasks": (intent.tasks, len(set(facts.task_ids))),
        "gaia_split": (intent.gaia_split, facts.gaia_split),
        "dataset": (intent.dataset if intent.dataset in NAMED_DATASETS else "folder", facts.dataset),
        "dataset_revision": (intent.dataset_revision, facts.dataset_revision),
        "dataset_digest": (intent.dataset_digest, facts.dataset_digest),
        "harness_version": (intent.harness_version, facts.harness_version),
        "model": (intent.model, facts.model),
        "judge_model": (intent.judge_model, facts.judge_model),
        "voting_attempts": (intent.voting_attempts, facts.voting_attempts),
        "origin": (intent.origin, facts.origin),
    }


def compare_start(said: Intent | RunFacts, started: RunStarted) -> Compared:
    """What was declared, or what the run says of itself, beside what its log said when it began."""
    return {
        "run_id": (said.run_id, started.run_id),
        "model": (said.model, started.model),
        "gaia_split": (said.gaia_split, started.gaia_split),
        "voting_attempts": (said.voting_attempts, started.voting_attempts),
        "tasks": (said.tasks if isinstance(said, Intent) else len(said.task_ids), started.tasks),
        "dataset_digest": (said.dataset_digest, started.dataset_digest),
        "record_evidence": (True if isinstance(said, Intent) else said.record_evidence, started.record_evidence),
    }


def different(compared: Compared) -> list[str]:
    """The names of the pairs whose values differ."""
    return [name for name, (declared, said) in compared.items() if declared != said]


def differences_from_record(intent: Intent, record: Mapping[str, Any]) -> list[str]:
    """What a run's record, as run.json has it, says otherwise than the intent."""
    config = record.get("config")
    try:
        if intent.options is msgspec.UNSET:
            same = config_sha256(config) == intent.config_sha256
        else:
            found = options_sha256(disclosed_options(config))
            same = found == options_sha256(intent.options) == intent.config_sha256
    except (TypeError, ValueError, RecursionError):
        same = False
    declared: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(intent))
    names = [name for name in DISCLOSED if record.get(name) != declared.get(name)]
    return names if same else ["configuration", *names]
