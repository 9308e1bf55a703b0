"""The data set that an audit needs beside a run: loaded from this machine alone, never from the network."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from gaia_harness.audit.evidence import DatasetFacts, RunEvidence, open_run
from gaia_harness.audit.facts import read_document
from gaia_harness.cli.plain import plain
from gaia_harness.errors import GaiaError, UsageError
from gaia_harness.run.at_hand import load_dataset_facts

log = logging.getLogger("gaia_harness")


class _Config(msgspec.Struct):
    dataset: str


class _Dataset(msgspec.Struct):
    gaia_split: str
    revision: str | None
    task_ids: tuple[str, ...]


class _Run(msgspec.Struct):
    config: _Config
    dataset: _Dataset


def open_evidence(folder: Path, dataset: str | None, env: Mapping[str, str]) -> RunEvidence:
    """A run directory or a package, with its data set. One that a person names must be there."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: not a folder", hint="name the folder of a run or of a package")
    if (folder / "metadata.json").is_file() and not (folder / "run.json").is_file():
        from gaia_harness.audit.package_evidence import open_package, read_package_facts

        facts = read_package_facts(folder)
        # a package comes from a stranger: it may name the bundled data set, but no folder of this machine
        named = dataset or ("demo" if facts.dataset == "demo" else None)
        return open_package(
            folder,
            _load(named, dataset is not None, facts.gaia_split, facts.dataset_revision, facts.task_ids, env),
        )
    if not (folder / "run.json").is_file():
        return open_run(folder, None)  # which says what is missing
    run = read_document(folder / "run.json", _Run)
    named = dataset or run.config.dataset
    return open_run(
        folder,
        _load(named, dataset is not None, run.dataset.gaia_split, run.dataset.revision, run.dataset.task_ids, env),
    )


def _load(
    dataset: str | None,
    must: bool,
    split: str,
    revision: str | None,
    task_ids: Sequence[str],
    env: Mapping[str, str],
) -> DatasetFacts | None:
    if dataset is None:
        return None
    try:
        return load_dataset_facts(dataset, split, revision, task_ids, env)
    except GaiaError as error:
        if must:
            raise
        log.warning("the data set is not at hand, some checks are skipped: %s", plain(error.message))
        return None
