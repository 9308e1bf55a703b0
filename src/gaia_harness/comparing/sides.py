"""One of the runs that are compared: a run folder, a package or an archive, without its trajectories and golds."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from gaia_harness.comparing.small_files import agent_name
from gaia_harness.disclosure import disclosed_options, flat
from gaia_harness.errors import EvidenceError, UsageError
from gaia_harness.exchange.export_source import ExportSource, open_source
from gaia_harness.records.origin import Unknown, is_unknown
from gaia_harness.records.outcome import TaskFacts
from gaia_harness.records.run import read_as_written
from gaia_harness.submission.file_set import METADATA, list_files
from gaia_harness.submission.metadata import read_metadata

_UNKNOWN: dict[str, Unknown] = {"cost_usd": "tokens", "tokens": "tokens", "seconds": "times"}
"""What an origin that does not know this cannot tell."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_TASKS = 10_000
"""Of one run: the intervals of more would take minutes."""


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """A run that is compared. `label` is what it is called in the comparison.

    `asked` are the ids of its tasks, `results` those that are finished; `settings` is all that is known of how it was
    made, by name; `unmeasured` are measures that it says not to know.
    """

    label: str
    path: str
    run_id: str
    model: str
    agent: str
    dataset: str
    split: str
    digest: str
    asked: tuple[str, ...]
    results: dict[str, TaskFacts]
    questions: dict[str, str]
    settings: dict[str, Any]
    unmeasured: frozenset[str] = frozenset()
    is_package: bool = False


def read_sides(paths: Sequence[Path]) -> list[Side]:
    """Read all that are to be compared."""
    if len(paths) > len(LETTERS):
        raise UsageError(f"{len(paths)} runs at once", hint=f"compare at most {len(LETTERS)}")
    return [read_side(path, label) for label, path in zip(LETTERS, paths, strict=False)]


def read_side(path: Path, label: str) -> Side:
    """Read one. What it lacks, or is broken in it, is an error that names it."""
    try:
        with open_source(path) as source:
            return _side(source, path, label)
    except EvidenceError as error:
        said = error.message if error.message.startswith(str(path)) else f"{path}: {error.message}"
        raise EvidenceError(said, hint=error.hint or "compare runs that can be read to their end") from error


def _side(source: ExportSource, path: Path, label: str) -> Side:
    info = source.info
    if len(source.results) > MOST_TASKS:
        raise UsageError(f"{path}: has {len(source.results)} tasks", hint=f"compare runs of at most {MOST_TASKS} tasks")
    settings = _settings(source)
    return Side(
        label=label,
        path=str(path),
        run_id=info.run_id,
        model=info.model,
        agent=agent_name(info.origin, settings.get("agent.given"), info.harness_version),
        dataset=info.dataset,
        split=info.split,
        digest=info.digest,
        asked=info.task_ids,
        results=dict(source.results),
        questions={
            task_id: question
            for task_id, facts in source.results.items()
            if isinstance(question := getattr(facts, "question", None), str)
        },
        settings=settings,
        unmeasured=frozenset(
            measure for measure, what in _UNKNOWN.items() if info.origin is not None and is_unknown(info.origin, what)
        ),
        is_package=info.is_package,
    )


def _settings(source: ExportSource) -> dict[str, Any]:
    """How a run was made: its options, the versions, the address of its model, what contained the agent."""
    info = source.info
    options: Mapping[str, Any]
    if info.is_package:
        metadata = read_metadata(list_files(source.folder).read(METADATA))
        options = metadata.options or {}
        address = metadata.endpoint.address if metadata.endpoint else None
        prompt = metadata.facts.system_prompt_sha256 or None
    else:
        written = read_as_written(source.folder)
        options = disclosed_options(written.get("config"))
        endpoint = written.get("endpoint")
        address = endpoint.get("address") if isinstance(endpoint, dict) else None
        prompt = options.get("system_prompt_sha256")
    settings: dict[str, Any] = dict(flat({**options, "model": info.model, "voting_attempts": info.voting_attempts}))
    settings |= {"dataset": info.dataset, "split": info.split, "dataset.revision": info.revision}
    settings |= {"dataset.digest": info.digest, "gaia_harness": info.harness_version or None}
    settings |= {"endpoint": address or None, "system_prompt_sha256": prompt}
    settings |= {f"isolation.{name}": value for name, value in info.isolation.items()}
    if info.origin is not None:
        settings["recorded_by"] = info.origin.recorded_by
        settings |= {f"origin.{name}": value for name, value in flat(info.origin.options or {})}
    return settings


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A setting that two runs do not share. None: it was not given, or is not known."""

    name: str
    first: Any
    second: Any


def differences(first: Side, second: Side) -> tuple[Difference, ...]:
    """What differs in how two runs were made, by name."""
    names = sorted(first.settings.keys() | second.settings.keys())
    pairs = ((name, _used(first.settings.get(name)), _used(second.settings.get(name))) for name in names)
    return tuple(Difference(name=name, first=one, second=other) for name, one, other in pairs if one != other)


def _used(value: Any) -> Any:
    """An option that is off or empty is one that was not given."""
    return None if value is False or value in ("", [], ()) else value


def refuse_other_data(sides: Sequence[Side], *, anyway: bool) -> None:
    """Runs on other data are not compared, unless somebody says that they know."""
    first = sides[0]
    for side in sides[1:]:
        if side.digest == first.digest or anyway:
            continue
        raise UsageError(
            f"{first.path} and {side.path} were not asked the same: the digests of their tasks are "
            f"{first.digest[:12]}… ({len(first.asked)} of {first.dataset}, {first.split}) and "
            f"{side.digest[:12]}… ({len(side.asked)} of {side.dataset}, {side.split})",
            hint="--anyway compares the tasks that have the same id in both",
        )
