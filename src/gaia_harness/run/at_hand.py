"""The data set that an audit needs beside a run: loaded from this machine alone, never from the network."""

from collections.abc import Mapping, Sequence

from gaia_harness.audit.evidence import DatasetFacts
from gaia_harness.errors import DatasetError, NotInstalledError
from gaia_harness.tasks.answers import AnswerKey
from gaia_harness.tasks.digest import digest_tasks
from gaia_harness.tasks.loading import LoadedTasks, Selection, load_tasks

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
        except DatasetError:
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
        digest=digest_tasks(tasks),
        available=loaded.available,
    )
