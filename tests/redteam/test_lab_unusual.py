"""The unusual part: every variant makes a run that loads, and its attacks are what they say."""

import pytest

from gaia_harness.evidence import read_trajectories
from gaia_harness.records.log import read_log
from gaia_harness.tasks.loading import load_tasks
from redteam.attacks.unusual import VARIANTS as ATTACKS
from redteam.cases import Kind, Part
from redteam.corpus import make
from redteam.honest.unusual import VARIANTS as HONEST

SOURCE = "0" * 64
BOTH = (*ATTACKS, *HONEST)
# these are about a judge that errs: their labelled tasks are wrong
NOT_ABOUT_CORRECTNESS = {"judge-injection", "answer-stuffing"}


@pytest.mark.parametrize("variant", BOTH[::4], ids=lambda each: each.id)
def test_a_variant_makes_a_run_that_loads(variant, tmp_path):
    made = make(variant, 1, tmp_path / "made", source=SOURCE)
    held = set(made.task_ids)
    assert made.labelled
    assert all(task_id is None or task_id in held for task_id in made.labelled)
    assert {task.task_id for task in load_tasks(str(made.dataset), split=made.split).tasks} >= held
    told = [trajectory.task_id for _, _, trajectory in read_trajectories(made.path / "trajectories.jsonl")]
    assert set(told) <= held
    assert len(list(read_log(made.path / "log.jsonl"))) > len(told)


@pytest.mark.parametrize(
    "variant",
    [each for each in ATTACKS if each.kind is Kind.ATTACK and each.family not in NOT_ABOUT_CORRECTNESS],
    ids=lambda each: each.id,
)
def test_an_attack_on_correctness_ends_correct(variant, tmp_path):
    made = make(variant, 2, tmp_path / "made", source=SOURCE)
    assert {task_id for task_id in made.labelled if task_id is not None} <= set(made.correct)
    assert made.correct


@pytest.mark.parametrize("family", ["judge-injection", "answer-stuffing"])
def test_what_persuades_a_judge_does_not_persuade_the_scorer(family, tmp_path):
    for number, variant in enumerate(each for each in ATTACKS if each.family == family):
        made = make(variant, 3, tmp_path / str(number), source=SOURCE)
        assert not set(made.labelled) & set(made.correct)


def test_another_seed_makes_another_run(tmp_path):
    for number, variant in enumerate(BOTH[::6]):
        if variant.family == "whole-run":
            continue
        lines = [
            (make(variant, seed, tmp_path / f"{number}-{seed}", source=SOURCE).path / "trajectories.jsonl").read_bytes()
            for seed in (4, 5)
        ]
        assert lines[0] != lines[1], variant.id


def test_ids_are_unique_and_test():
    assert len({each.id for each in BOTH}) == len(BOTH)
    assert len({each.name for each in BOTH}) == len(BOTH)
    assert all(each.part is Part.UNUSUAL for each in BOTH)
    assert {each.kind for each in HONEST} == {Kind.HONEST}


def test_there_are_enough_families():
    attacks = [each for each in ATTACKS if each.kind is Kind.ATTACK]
    assert len(attacks) >= 24
    assert len({each.family for each in attacks}) >= 14
    assert all(each.expects for each in attacks)
    assert len({each.family for each in HONEST}) >= 11


def test_the_whole_run_has_165_tasks(tmp_path):
    (variant,) = (each for each in HONEST if each.family == "whole-run")
    assert len(make(variant, 6, tmp_path / "made", source=SOURCE).task_ids) == 165
