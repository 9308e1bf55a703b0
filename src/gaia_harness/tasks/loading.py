"""Loads the tasks that were asked for: from the hub, a folder in its layout, or the demo."""

import importlib.resources
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from gaia_harness.errors import DatasetError, UsageError
from gaia_harness.figures import counted
from gaia_harness.records.config import Selection
from gaia_harness.tasks.answers import AnswerKey
from gaia_harness.tasks.digest import digest_tasks
from gaia_harness.tasks.folder import FolderSource
from gaia_harness.tasks.hub import HubSource
from gaia_harness.tasks.rows import LEVELS, Row, refuse_duplicates
from gaia_harness.tasks.task import Task

_LIMIT = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


class LoadedTasks(msgspec.Struct, frozen=True, kw_only=True):
    """The tasks that were asked for, their answer key, and what identifies them (`tasks.digest`).

    `available` is how many tasks of each level there were to choose from.
    """

    tasks: tuple[Task, ...]
    key: AnswerKey
    available: dict[int, int]
    dataset: str
    split: str
    revision: str | None
    digest: str
    selection: Selection = Selection()


class _Source(Protocol):
    rows: list[Row]
    revision: str | None

    def attachments(self, rows: Sequence[Row]) -> list[Path | None]: ...


def load_tasks(
    dataset: str,
    *,
    split: str = "validation",
    selection: Selection = Selection(),
    revision: str | None = None,
    env: Mapping[str, str] | None = None,
) -> LoadedTasks:
    """The selected tasks of `hub`, `demo` or the folder that `dataset` names; all checked, or a GaiaError.

    `revision` (a commit, branch or tag) is for the hub only; the commit that it stood for is in the result.
    `env` is the environment (default: that of the process). The hub reads HF_TOKEN, HF_ENDPOINT, HF_HOME,
    HF_HUB_CACHE, HF_HUB_OFFLINE and HF_HUB_DISABLE_IMPLICIT_TOKEN from it.
    """
    _check(selection)
    if revision is not None and dataset != "hub":
        raise UsageError("--revision is for --dataset hub: a folder and the demo have none")
    source = _open(dataset, split, selection.level, revision, os.environ if env is None else env)
    refuse_duplicates(source.rows)
    rows = _select(source.rows, selection, f"split {split} of {dataset}")
    tasks = tuple(
        Task(task_id=row.task_id, question=row.question, level=row.level, attachment=attachment)
        for row, attachment in zip(rows, source.attachments(rows), strict=True)
    )
    return LoadedTasks(
        tasks=tasks,
        key=AnswerKey({row.task_id: row.gold for row in rows if row.gold is not None}),
        available=dict(sorted(Counter(row.level for row in source.rows).items())),
        dataset=dataset,
        split=split,
        revision=source.revision,
        digest=digest_tasks(tasks),
        selection=selection,
    )


def parse_limit(text: str) -> tuple[int, int]:
    """The positions that `--limit` asks for, from 1: `10` is 1 to 10, `10-20` is 10 to 20."""
    match = _LIMIT.fullmatch(text)
    if match:
        first, last = (1, int(match[1])) if match[2] is None else (int(match[1]), int(match[2]))
        if 1 <= first <= last:
            return first, last
    raise UsageError(
        f"--limit {text[:40]!a} is not a number of tasks",
        hint="write --limit 10, or --limit 10-20 for a range",
    )


def _check(selection: Selection) -> None:
    level, first, last = selection.level, selection.first, selection.last
    if level is not None and level not in LEVELS:
        raise UsageError(f"there is no level {level}", hint="the levels are 1, 2 and 3")
    if (first is not None and first < 1) or (last is not None and last < (first or 1)):
        raise UsageError(f"positions {first} to {last} are no range of tasks")
    if selection.task_ids and (level, first, last) != (None, None, None):
        raise UsageError("task ids cannot be combined with a level or a limit", hint="leave out --level and --limit")


def _open(dataset: str, split: str, level: int | None, revision: str | None, env: Mapping[str, str]) -> _Source:
    if dataset == "hub":
        return HubSource(split=split, level=level, revision=revision, env=env)
    if dataset == "demo":
        data = Path(str(importlib.resources.files("gaia_harness.demo"))) / "data"
        return FolderSource(data, split=split, level=level)
    if not dataset:
        raise UsageError("--dataset is empty", hint="it takes hub, demo or a folder")
    return FolderSource(Path(dataset), split=split, level=level)


def _select(rows: list[Row], selection: Selection, where: str) -> list[Row]:
    if selection.task_ids:
        wanted = set(selection.task_ids)
        unknown = wanted - {row.task_id for row in rows}
        if unknown:
            names = ", ".join(ascii(task_id[:80]) for task_id in sorted(unknown)[:10])
            raise UsageError(
                f"{where} has no task {names}",
                hint=f"ids are like {rows[0].task_id[:80]!a}; --split is for those of another split" if rows else None,
            )
        return [row for row in rows if row.task_id in wanted]
    of_level = [row for row in rows if selection.level in (None, row.level)]
    chosen = of_level[(selection.first or 1) - 1 : selection.last]
    if not chosen:
        level = "" if selection.level is None else f" of level {selection.level}"
        if not of_level:
            raise DatasetError(
                f"{where} has no tasks{level}", hint="leave out --level, or choose another" if level else None
            )
        asked = f"{selection.first or 1} to {selection.last or 'the last'}"
        there = counted(len(of_level), "task")
        raise UsageError(
            f"{where} has {there}{level}: there are none at positions {asked}",
            hint=f"--limit counts from 1: 1-{len(of_level)} is all of them",
        )
    return chosen
