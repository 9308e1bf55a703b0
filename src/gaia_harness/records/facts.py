"""The public facts of a run: read from its folder, and carried by its package."""

import hashlib
from typing import Any

import msgspec
import rfc8785

from gaia_harness.records.config import Selection
from gaia_harness.records.origin import Origin
from gaia_harness.records.outcome import Count, Dollars, TaskFacts

_TASKS = b',"tasks":[]'


class RunFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a run says about itself as a whole, and about each of its tasks, sorted by id."""

    run_id: str
    harness_version: str
    model: str
    judge_model: str | None
    dataset: str
    dataset_revision: str | None
    dataset_digest: str
    gaia_split: str
    task_ids: tuple[str, ...]
    selection: Selection = Selection()
    voting_attempts: Count
    record_evidence: bool
    submit_intent: bool
    isolation: dict[str, str]
    judge_cache_integrity_events: Count
    contradictions: tuple[str, ...] = ()  # what its own documents say against each other
    tasks: tuple[TaskFacts, ...]
    # only of runs with standing instructions, or prices in US dollars per million tokens, that the submitter gave
    system_prompt_sha256: str | msgspec.UnsetType = msgspec.UNSET
    price_in: Dollars | msgspec.UnsetType = msgspec.UNSET
    price_out: Dollars | msgspec.UnsetType = msgspec.UNSET
    origin: Origin | msgspec.UnsetType = msgspec.UNSET  # of runs that another program than ours made

    def sha256(self) -> str:
        """The hash of the RFC 8785 form, task by task: there may be many."""
        value: Any = msgspec.to_builtins(msgspec.structs.replace(self, tasks=()))
        before, after = rfc8785.dumps(value).split(_TASKS)  # which stands there once: within a text, quotes are escaped
        hasher = hashlib.sha256(before + _TASKS[:-1])
        for number, task in enumerate(self.tasks):
            hasher.update((b"," if number else b"") + task.canonical())
        hasher.update(_TASKS[-1:] + after)
        return hasher.hexdigest()
