"""All variants of the lab, found below `redteam.cases`, and how a run of one is made."""

import importlib
import pkgutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from redteam import cases
from redteam.batches import Part
from redteam.making import RunMaker
from redteam.variants import Kind, Variant
from redteam.words import seeded


def _found() -> Iterator[tuple[str, Variant]]:
    """The `VARIANTS` of every module below `redteam.cases`, each with the theme it is filed under."""
    for module in pkgutil.walk_packages(cases.__path__, f"{cases.__name__}."):
        if not module.ispkg:
            theme = module.name.removeprefix(f"{cases.__name__}.").split(".")[0]
            for variant in getattr(importlib.import_module(module.name), "VARIANTS", ()):
                yield theme, variant


_FOUND = tuple(_found())
ALL: tuple[Variant, ...] = tuple(variant for _, variant in _FOUND)
BY_ID: dict[str, Variant] = {variant.id: variant for variant in ALL}
THEMES: dict[str, str] = {variant.id: theme for theme, variant in _FOUND}
"""The theme of each variant, by its id."""

if len(BY_ID) < len(ALL):
    twice = [name for name, count in Counter(variant.id for variant in ALL).items() if count > 1]
    raise ValueError(f"redteam/cases: two variants have the same id: {', '.join(twice)}")


class MadeRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run on disk. `labelled` are the task ids of its cases; None among them is the run as a whole."""

    variant: Variant
    path: Path
    dataset: Path
    split: str
    task_ids: tuple[str, ...]
    labelled: tuple[str | None, ...]
    correct: tuple[str, ...]  # by the scorer, as the run has it


def variants(part: Part | None = None, kind: Kind | None = None) -> list[Variant]:
    """All variants, or those of a part or a kind, in a fixed order."""
    return [each for each in ALL if part in (None, each.part) and kind in (None, each.kind)]


def make(variant: Variant, seed: int, folder: Path, *, source: str | None = None) -> MadeRun:
    """Make one run of a variant in a new folder. `source` is the hash of the program's sources, if known."""
    name = f"{variant.id}/{seed}"
    maker = RunMaker(folder, name, source=source)
    case = variant.build(seeded("case", name), maker)
    results = maker.write(case.script)
    return MadeRun(
        variant=variant,
        path=maker.path,
        dataset=maker.dataset,
        split=case.script.split,
        task_ids=tuple(entry.task.task_id for entry in case.script.tasks),
        labelled=case.labelled,
        correct=tuple(result.task_id for result in results if result.correct),
    )
