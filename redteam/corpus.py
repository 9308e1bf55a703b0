"""Which variants are there, and how is a run of one made?"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from redteam.attacks import development, formerly_sealed, sealed, test_part, unusual
from redteam.attacks.spent import first_test, fourth_sealed, second_test, second_unusual
from redteam.cases import Kind, Part, Variant
from redteam.honest import development as honest_development
from redteam.honest import formerly_sealed as honest_formerly_sealed
from redteam.honest import test_part as honest_test_part
from redteam.honest import unusual as honest_unusual
from redteam.honest.sealed import first_half, second_half
from redteam.honest.spent import first_test as honest_first_test
from redteam.honest.spent import fourth_sealed as honest_fourth_sealed
from redteam.honest.spent import second_test as honest_second_test
from redteam.honest.spent import second_unusual as honest_second_unusual
from redteam.making import RunMaker
from redteam.words import dice


def _spent(name: str, variants: Iterable[Variant]) -> Iterator[Variant]:
    """Variants on which the audit was measured and which were then looked at: they belong to development."""
    for variant in variants:
        yield msgspec.structs.replace(variant, part=Part.DEVELOPMENT, name=f"{name}-{variant.name}")


def _formerly_sealed(variants: Iterable[Variant]) -> Iterator[Variant]:
    """Variants that were sealed when the rules were fixed for the third time: measured, never looked at or used."""
    for variant in variants:
        yield msgspec.structs.replace(variant, part=Part.UNUSUAL, name=f"former-{variant.name}")


ALL: tuple[Variant, ...] = (
    *development.VARIANTS,
    *honest_development.VARIANTS,
    *_spent("first-test", (*first_test.VARIANTS, *honest_first_test.VARIANTS)),
    *_spent("second-test", (*second_test.VARIANTS, *honest_second_test.VARIANTS)),
    *_spent("second-unusual", (*second_unusual.VARIANTS, *honest_second_unusual.VARIANTS)),
    *_spent("fourth-sealed", (*fourth_sealed.VARIANTS, *honest_fourth_sealed.VARIANTS)),
    *test_part.VARIANTS,
    *honest_test_part.VARIANTS,
    *unusual.VARIANTS,
    *honest_unusual.VARIANTS,
    *_formerly_sealed((*formerly_sealed.VARIANTS, *honest_formerly_sealed.VARIANTS)),
    *sealed.VARIANTS,
    *first_half.VARIANTS,
    *second_half.VARIANTS,
)


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
    case = variant.build(dice("case", name), maker)
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
