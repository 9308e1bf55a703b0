"""The sealed attacks: every one makes a run that can be read, in which its cases are what they claim to be."""

import msgspec
import pytest

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence import read_trajectories
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.records.log import read_log
from gaia_harness.records.results import TaskResult
from redteam.attacks.spent.fourth_sealed import VARIANTS
from redteam.cases import Kind, Part
from redteam.making import RunMaker
from redteam.words import dice

NOT_RIGHT = {"judge-injection", "answer-stuffing"}
"""Families whose answers the scorer refuses."""
FAILURES = "sealed-failures-at-another-level"

BADLY_WRITTEN = {"sealed-behind-a-mask"}
"""Whose lie is one that no reader of trajectories lets through: a mask that hides less than any secret has."""


def made(variant, folder, seed="s"):
    maker = RunMaker(folder, (seed, variant.id), source="0" * 64)
    case = variant.build(dice(seed, variant.id), maker)
    maker.write(case.script)
    return maker, case


def results_of(maker):
    lines = (maker.path / "results.jsonl").read_bytes().splitlines()
    return {result.task_id: result for result in (msgspec.json.decode(line, type=TaskResult) for line in lines)}


def test_there_are_enough_of_them():
    attacks = [variant for variant in VARIANTS if variant.kind is Kind.ATTACK]
    assert len(attacks) >= 24
    assert len({variant.family for variant in attacks}) >= 14
    assert 2 <= len(VARIANTS) - len(attacks) <= 3
    assert any("plain" in variant.name for variant in attacks if variant.family == "judge-injection")


def test_each_has_a_name_of_its_own_and_says_what_it_deserves():
    assert len({variant.id for variant in VARIANTS}) == len(VARIANTS)
    for variant in VARIANTS:
        assert variant.part is Part.SEALED
        assert variant.name.startswith("sealed-")
        assert variant.expects, variant.id


@pytest.mark.parametrize("variant", VARIANTS[::6], ids=lambda variant: variant.name)
def test_a_variant_makes_a_run_that_can_be_read(variant, tmp_path):
    maker, case = made(variant, tmp_path)
    results = results_of(maker)

    told = set(results)
    if variant.name in BADLY_WRITTEN:
        with pytest.raises(EvidenceError):
            list(read_trajectories(maker.path / "trajectories.jsonl"))
    else:
        read = read_trajectories(maker.path / "trajectories.jsonl")
        assert {trajectory.task_id for _, _, trajectory in read} == told
    assert len(list(read_log(maker.path / "log.jsonl"))) > len(results)
    assert case.labelled
    assert set(case.labelled) - {None} <= told

    for task_id in filter(None, case.labelled):
        result = results[task_id]
        right = variant.family not in NOT_RIGHT and variant.name != FAILURES
        assert question_scorer(result.answer, result.expected_output) is right
        assert result.correct is right


def test_another_seed_makes_another_run(tmp_path):
    for variant in VARIANTS[::9]:
        _, one = made(variant, tmp_path / "one" / variant.name)
        _, other = made(variant, tmp_path / "other" / variant.name, seed="t")
        _, same = made(variant, tmp_path / "same" / variant.name)
        assert one.labelled == same.labelled
        assert one.script.tasks[0].attempts != other.script.tasks[0].attempts
