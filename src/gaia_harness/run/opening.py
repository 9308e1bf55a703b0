"""Opens what a run needs beside its attempts: tasks, the judge, its record; and refuses what cannot be."""

import logging
import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.attempts.opening import open_named, pricing, run_pricing, transcription_pricing
from gaia_harness.attempts.versions import versions
from gaia_harness.disclosure import DisclosedEndpoint
from gaia_harness.errors import UsageError
from gaia_harness.evidence.redaction import Redactor, named_secrets, unmasked_names
from gaia_harness.figures import counted
from gaia_harness.models.base import Model
from gaia_harness.models.messages import Usage
from gaia_harness.models.registry import check_settings
from gaia_harness.records.config import RunConfig
from gaia_harness.records.masks import SHORTEST_SECRET
from gaia_harness.records.run import SCHEMA, DatasetRecord, RunRecord
from gaia_harness.run.judging import cache_folder
from gaia_harness.signing.keys import keys_folder
from gaia_harness.tasks.hub import hub_folders
from gaia_harness.tasks.loading import LoadedTasks, load_tasks
from gaia_harness.urls import check_address

log = logging.getLogger(__name__)

AUDIO = (".mp3", ".wav", ".m4a", ".flac", ".ogg")


def refuse_secrets(
    config: RunConfig,
    loaded: LoadedTasks,
    endpoints: tuple[DisclosedEndpoint | None, ...],
    env: Mapping[str, str],
    system_prompt: str | None = None,
) -> None:
    """What was asked for is declared and bound as it is, and so must be fit to be read by anybody."""
    for name in ("base_url", "judge_base_url", "transcription_base_url", "search_url"):
        if address := getattr(config, name):
            check_address(address, name)
    names = named_secrets(env)
    task_ids = tuple(task.task_id for task in loaded.tasks)
    asked = (config, system_prompt, loaded.dataset, loaded.revision, task_ids, endpoints)
    if Redactor(names).hide(asked) != asked:
        found = Redactor(names).holds(msgspec.json.encode(asked).decode())
        what = f"the value of {names[found]}" if found in names else "a key or token"
        raise UsageError(
            f"an option, an address, the system prompt or the data set has {what} in it, and would be recorded",
            hint="give keys by their environment variables alone; a variable that is no secret can be unset",
        )


def warn_of_unmasked(env: Mapping[str, str]) -> None:
    """Say which keys will be in the record if anything repeats them."""
    if names := unmasked_names(env):
        log.warning(
            "not masked, as a key of fewer than %d characters or one of our masks' own words cannot be: %s; "
            "where a server or a page repeats it, it is recorded and printed as it is",
            SHORTEST_SECRET,
            ", ".join(names),
        )


def warn_of_unread_audio(config: RunConfig, loaded: LoadedTasks) -> None:
    """Say before any work which tasks cannot be done for want of a transcription model."""
    sounds = sum(task.attachment is not None and task.attachment.suffix.lower() in AUDIO for task in loaded.tasks)
    if sounds and config.transcription_model is msgspec.UNSET:
        log.warning(
            "%s an audio file, which is not read without --transcription-model, such as openai/whisper-1",
            counted(sounds, "task has", "tasks have"),
        )


def hidden_paths(dataset: str, folder: Path, env: Mapping[str, str]) -> tuple[Path, ...]:
    """What code in the sandbox must not read, wherever it lies: results, judgments, keys, the data set's answers."""
    own = () if dataset in ("hub", "demo") else (Path(dataset),)
    return (folder, *own, *hub_folders(env), cache_folder(env), keys_folder(env).path)


def origin(record: RunRecord) -> str:
    """The name of the run's log in its checkpoints."""
    return f"gaia-harness/run/{record.run_id}"


def load(config: RunConfig, env: Mapping[str, str]) -> LoadedTasks:
    """The tasks that the configuration asks for."""
    return load_tasks(config.dataset, split=config.split, selection=config.selection, revision=config.revision, env=env)


def open_judge_model(config: RunConfig, env: Mapping[str, str]) -> Model | None:
    """The model that is asked for a second opinion, if there is to be one."""
    if config.judge_model is None:
        return None
    return open_named(config.judge_model, config.judge_base_url, config, env)


def check_options(config: RunConfig, env: Mapping[str, str]) -> None:
    """Refuse options that cannot do what they say, before anything is sent or written."""
    if config.submit_intent and not config.record_evidence:
        raise UsageError(
            "--submit-intent needs evidence: it cannot go with --record-evidence=false",
            hint="leave out one of the two",
        )
    effort = None if config.reasoning_effort is msgspec.UNSET else config.reasoning_effort
    check_settings(config.model, temperature=config.temperature is not msgspec.UNSET, effort=effort)
    if (config.price_in is msgspec.UNSET) != (config.price_out is msgspec.UNSET):
        raise UsageError("--price-in and --price-out go together", hint="give both, in US dollars per million tokens")
    if config.max_cost is msgspec.UNSET:
        return
    nothing = Usage(input_tokens=0, output_tokens=0)
    if run_pricing(config, env)(nothing) is None:
        raise UsageError(
            f"--max-cost cannot be kept: {config.model} has no price that we know",
            hint="give --price-in and --price-out, in US dollars per million tokens",
        )
    if config.judge_model is not None and pricing(config.judge_model, config.judge_base_url, env)(nothing) is None:
        raise UsageError(
            f"--max-cost cannot be kept: the judge {config.judge_model} has no price that we know",
            hint="leave out --judge-model, or --max-cost",
        )
    if config.transcription_model is not msgspec.UNSET and transcription_pricing(config, env)(0.0) is None:
        raise UsageError(
            f"--max-cost cannot be kept: {config.transcription_model}, which transcribes audio, has no price that we "
            "know",
            hint="leave out --transcription-model, or --max-cost",
        )


def refuse_needless_prices(config: RunConfig, env: Mapping[str, str]) -> None:
    """Of a new run: a later version may know the price of a model of which this one does not."""
    known = pricing(config.model, config.base_url, env)(Usage(input_tokens=0, output_tokens=0)) is not None
    if known and config.price_in is not msgspec.UNSET:
        raise UsageError(
            f"{config.model} has a price in our table, by which its cost is counted",
            hint="leave out --price-in and --price-out: they are for models and servers that the table does not have",
        )


def new_record(config: RunConfig, loaded: LoadedTasks, isolation: dict[str, Any]) -> RunRecord:
    """run.json at the start."""
    return RunRecord(
        schema=SCHEMA,
        run_id=secrets.token_hex(16),
        state="running",
        started_at=now(),
        finished_at=None,
        config=config,
        dataset=DatasetRecord(
            name=loaded.dataset,
            gaia_split=loaded.split,
            revision=loaded.revision,
            digest=loaded.digest,
            task_ids=tuple(task.task_id for task in loaded.tasks),
        ),
        versions=versions(),
        isolation=isolation,
    )


def now() -> str:
    """The time, in UTC, as records keep it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
