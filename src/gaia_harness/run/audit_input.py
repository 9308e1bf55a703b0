"""Opens what an audit reads: a run or a package, and its data set, from this machine alone."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from gaia_harness.audit.evidence import DatasetFacts, RunEvidence, open_package, open_run, read_package_facts
from gaia_harness.audit.findings import excerpt
from gaia_harness.errors import DatasetError, GaiaError, NotInstalledError, UsageError
from gaia_harness.records.config import Selection
from gaia_harness.records.run import read_stated
from gaia_harness.tasks.answers import AnswerKey
from gaia_harness.tasks.digest import digest_tasks
from gaia_harness.tasks.loading import LoadedTasks, load_tasks

log = logging.getLogger("gaia_harness")

NOT_CACHED = (
    "here the hub is read from this machine's cache alone: "
    "fetch it once with `gaia run --dry-run --model scripted/demo`, or give a folder: --dataset PATH"
)


def load_dataset_facts(
    dataset: str, split: str, revision: str | None, task_ids: Sequence[str], env: Mapping[str, str]
) -> DatasetFacts:
    """The tasks of a run as the data set has them. Ids that it does not have are left out: the audit will miss them."""
    offline = {**env, "HF_HUB_OFFLINE": "1"}  # never from the network
    commit = revision if dataset == "hub" else None

    def load(selection: Selection) -> LoadedTasks:
        return load_tasks(dataset, split=split, selection=selection, revision=commit, env=offline)

    try:
        try:
            loaded = load(Selection(task_ids=tuple(dict.fromkeys(task_ids))))
        except (DatasetError, UsageError):  # as where the run's list has tasks that it does not have
            loaded = load(Selection())
    except DatasetError as error:
        if dataset != "hub" or isinstance(error, NotInstalledError):
            raise
        raise DatasetError(error.message.replace(", and HF_HUB_OFFLINE is set", ""), hint=NOT_CACHED) from error
    wanted = set(task_ids)
    tasks = [task for task in loaded.tasks if task.task_id in wanted]
    return DatasetFacts(
        questions={task.task_id: task.question for task in tasks},
        levels={task.task_id: task.level for task in tasks},
        key=AnswerKey({task.task_id: gold for task in tasks if (gold := loaded.key.get(task.task_id)) is not None}),
        digest=loaded.digest if len(tasks) == len(loaded.tasks) else digest_tasks(tasks),
        available=loaded.available,
        attached=frozenset(task.task_id for task in tasks if task.attachment is not None),
    )


def open_evidence(folder: Path, dataset: str | None, env: Mapping[str, str]) -> RunEvidence:
    """A run directory or a package, with its data set. One that a person names must be there."""
    if not folder.is_dir():
        raise UsageError(f"{folder}: not a folder", hint="name the folder of a run or of a package")
    if (folder / "metadata.json").is_file() and not (folder / "run.json").is_file():
        facts = read_package_facts(folder)
        # a package comes from a stranger: it may name the bundled data set, but no folder of this machine
        named = dataset or ("demo" if facts.dataset == "demo" else None)
        return open_package(
            folder,
            _load(named, dataset is not None, facts.gaia_split, facts.dataset_revision, facts.task_ids, env),
        )
    if not (folder / "run.json").is_file():
        return open_run(folder, None)  # which says what is missing
    run = read_stated(folder)
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
        log.warning("the data set is not at hand, some checks are skipped: %s", excerpt(error.message))
        return None
