"""What was sealed before: every variant makes a run that loads, with its labelled tasks in it."""

import pytest

from gaia_harness.evidence import read_trajectories
from gaia_harness.records.log import read_log
from gaia_harness.tasks.loading import load_tasks
from redteam.attacks.formerly_sealed import VARIANTS as ATTACKS
from redteam.cases import Kind, Part
from redteam.corpus import make
from redteam.honest.formerly_sealed import VARIANTS as HONEST

SOURCE = "0" * 64
WRONG_BY_THE_SCORER = {"judge-injection", "answer-stuffing"}
"""Families that want the judge's yes, not the scorer's."""


def test_ids_are_unique_and_all_are_sealed():
    every = (*ATTACKS, *HONEST)
    assert len({variant.id for variant in every}) == len(every)
    assert all(variant.part is Part.SEALED and variant.name.startswith("sealed-") for variant in every)


def test_there_are_enough_of_them():
    attacks = [variant for variant in ATTACKS if variant.kind is Kind.ATTACK]
    assert len(attacks) >= 24
    assert len({variant.family for variant in attacks}) >= 14
    assert len({variant.family for variant in HONEST}) >= 10
    assert all(variant.expects for variant in ATTACKS)
    assert not any(variant.expects for variant in HONEST)


@pytest.mark.parametrize("variant", [*ATTACKS, *HONEST][::4], ids=lambda variant: variant.id)
def test_a_variant_makes_a_run_that_loads(variant, tmp_path):
    made = make(variant, 1, tmp_path, source=SOURCE)
    recorded = {trajectory.task_id for _, _, trajectory in read_trajectories(made.path / "trajectories.jsonl")}
    named = {task_id for task_id in made.labelled if task_id is not None}
    assert made.labelled
    assert recorded == set(made.task_ids)
    assert named <= recorded
    assert {task.task_id for task in load_tasks(str(made.dataset)).tasks} == recorded
    assert sum(1 for _ in read_log(made.path / "log.jsonl")) > 2 * len(recorded)
    if variant.kind is not Kind.HONEST:
        wanted = set() if variant.family in WRONG_BY_THE_SCORER else named
        assert named & set(made.correct) == wanted
