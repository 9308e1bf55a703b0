"""The unusual part: every variant makes a run that can be read, and does what it says."""

import ast
from pathlib import Path

import msgspec
import pytest

from gaia_harness.records.events import AnyEvent
from gaia_harness.records.results import TaskResult
from gaia_harness.records.steps import ToolCallStep
from gaia_harness.records.trajectories import Trajectory
from redteam.attacks.spent.second_unusual import VARIANTS as ATTACKS
from redteam.cases import Kind, Part, Variant
from redteam.corpus import make
from redteam.honest.spent.second_unusual import VARIANTS as HONEST

ALL = (*ATTACKS, *HONEST)
SOURCE = "0" * 64
# one of each family is enough to see that seeds matter; 165 tasks three times would take too long
ONE_EACH = tuple({each.family: each for each in ALL if each.family != "whole-run"}.values())
# these want the judge's yes to an answer that the scorer knows to be wrong
AT_THE_JUDGE = {"judge-injection", "answer-stuffing"}


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()


@pytest.mark.parametrize("variant", ALL[::6], ids=lambda variant: variant.id)
def test_a_unusual_variant_makes_a_run_that_loads_and_has_its_cases(variant: Variant, tmp_path: Path) -> None:
    made = make(variant, 1, tmp_path / "case", source=SOURCE)
    results = [msgspec.json.decode(line, type=TaskResult) for line in _lines(made.path / "results.jsonl")]
    trajectories = [msgspec.json.decode(line, type=Trajectory) for line in _lines(made.path / "trajectories.jsonl")]
    events = [msgspec.json.decode(line, type=AnyEvent) for line in _lines(made.path / "log.jsonl")]
    assert [each.task_id for each in results] == [each.task_id for each in trajectories]
    assert results
    assert events
    named = {task_id for task_id in made.labelled if task_id is not None}
    assert made.labelled
    for step in (step for each in trajectories for step in each.steps if isinstance(step, ToolCallStep)):
        if step.name == "python" and isinstance(step.args, dict):
            ast.parse(step.args["code"])
    assert named <= {each.task_id for each in results}
    if variant.kind is not Kind.HONEST and variant.family not in AT_THE_JUDGE:
        assert named <= set(made.correct)
    if variant.family in AT_THE_JUDGE:
        assert all(each.judge and each.judge.verdict for each in results if each.task_id in named)
        assert not named & set(made.correct)


def test_unusual_variants_have_names_of_their_own_and_say_what_is_expected() -> None:
    ids = [variant.id for variant in ALL]
    assert len(ids) == len(set(ids))
    assert {variant.part for variant in ALL} == {Part.DEVELOPMENT}
    assert all(bool(variant.expects) == (variant.kind is not Kind.HONEST) for variant in ALL)


def test_the_unusual_part_is_as_broad_as_it_should_be() -> None:
    attacks = [variant for variant in ATTACKS if variant.kind is Kind.ATTACK]
    assert len(attacks) >= 24
    assert len({variant.family for variant in attacks}) >= 14
    assert 2 <= sum(variant.kind is Kind.BLIND_SPOT for variant in ATTACKS) <= 4
    assert len({variant.family for variant in HONEST}) >= 11


@pytest.mark.parametrize("variant", ONE_EACH[::4], ids=lambda variant: variant.id)
def test_another_seed_makes_other_cases_and_the_same_seed_the_same(variant: Variant, tmp_path: Path) -> None:
    folder = tmp_path / "case"
    first, again, other = (_made(variant, seed, folder / str(at)) for at, seed in enumerate((1, 1, 2)))
    assert first == again
    assert first != other


def _made(variant: Variant, seed: int, folder: Path) -> bytes:
    return (make(variant, seed, folder, source=SOURCE).path / "trajectories.jsonl").read_bytes()


def test_the_whole_honest_run_has_165_tasks_and_many_ways(tmp_path: Path) -> None:
    variant = next(variant for variant in HONEST if variant.family == "whole-run")
    made = make(variant, 3, tmp_path / "case", source=SOURCE)
    assert len(set(made.task_ids)) == 165
    assert made.labelled == (None,)
    assert 80 < len(made.correct) < 160
