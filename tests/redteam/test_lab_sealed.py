"""The sealed attacks: every variant makes a run that can be read, and what is labelled there is what it says."""

import json
from collections import Counter

import pytest

from gaia_harness.evidence import read_trajectories
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.records.log import read_log
from redteam.attacks.sealed import VARIANTS
from redteam.cases import Kind, Part
from redteam.making import RunMaker
from redteam.words import dice

SOURCE = "0" * 64
FOR_THE_JUDGE = {"judge-injection", "answer-stuffing"}
AFTERWARDS = {"sealed-verdict-alone"}


def made(variant, folder, seed=1):
    rng = dice(variant.id, seed)
    maker = RunMaker(folder, (variant.id, seed), source=SOURCE)
    case = variant.build(rng, maker)
    maker.write(case.script)
    return case, maker.path


def results(path):
    return [json.loads(line) for line in (path / "results.jsonl").read_bytes().splitlines()]


@pytest.mark.parametrize("variant", VARIANTS[::4], ids=lambda variant: variant.name)
def test_a_variant_makes_a_run_that_loads_with_its_labelled_tasks_as_they_should_end(variant, tmp_path):
    case, path = made(variant, tmp_path)
    found = {result["task_id"]: result for result in results(path)}
    trajectories = {trajectory.task_id for _, _, trajectory in read_trajectories(path / "trajectories.jsonl")}
    assert found.keys() == trajectories
    assert list(read_log(path / "log.jsonl"))
    assert case.labelled
    gold = {script.task.task_id: script.task.gold for script in case.script.tasks}
    for task_id in case.labelled:
        if task_id is None:
            continue
        result = found[task_id]
        if variant.family in FOR_THE_JUDGE:
            assert not question_scorer(result["answer"], gold[task_id])
            assert result["judge"]["verdict"] is True
        elif variant.name in AFTERWARDS:
            assert result["correct"] is True and not question_scorer(result["answer"], gold[task_id])
        else:
            assert result["correct"] is True and question_scorer(result["answer"], gold[task_id])
        if variant.family == "collisions":
            assert result["answer"] != gold[task_id]


def test_seeds_differ_in_substance(tmp_path):
    variant = VARIANTS[0]
    texts = [(made(variant, tmp_path / str(seed), seed)[1] / "trajectories.jsonl").read_bytes() for seed in (1, 2)]
    assert texts[0] != texts[1]


def test_ids_are_unique_and_named_as_sealed():
    assert max(Counter(variant.id for variant in VARIANTS).values()) == 1
    assert max(Counter(variant.name for variant in VARIANTS).values()) == 1
    for variant in VARIANTS:
        assert variant.name.startswith("sealed-")
        assert variant.part is Part.SEALED
        assert variant.expects


def test_there_are_enough_attacks_of_enough_families():
    attacks = [variant for variant in VARIANTS if variant.kind is Kind.ATTACK]
    assert len(attacks) >= 40
    assert len({variant.family for variant in attacks}) >= 18
    plain = [v for v in attacks if v.family == "judge-injection" and "plain" in v.name]
    assert len(plain) >= 2
