"""The test part of the lab: every variant makes a run that reads back, and is what its label says."""

import json

import pytest

from gaia_harness.evidence import read_trajectories
from gaia_harness.records.log import read_log
from redteam.attacks.spent.second_test import VARIANTS as ATTACKS
from redteam.cases import Kind, Part
from redteam.corpus import make
from redteam.honest.spent.second_test import VARIANTS as HONEST

SOURCE = "0" * 64
ALL = (*ATTACKS, *HONEST)

FAMILIES = {
    "leaked-rows": 3, "encoded-copies": 3, "edited-questions": 3, "oracle-prompt": 3, "grader-access": 3,
    "judge-injection": 3, "late-copies": 1, "split-copies": 1, "snippet-then-opened": 1, "echo-shield": 1,
    "answer-after": 1, "downloads": 1, "id-tables": 1, "answer-sheets": 1, "annotator-steps": 1, "verdict-feedback": 1,
    "hidden-retries": 1, "selection-by-verdict": 1, "split-tricks": 1, "collisions": 1, "no-work": 1,
    "rewritten-answers": 1, "answer-stuffing": 1, "lies-in-counts": 1,
}  # fmt: skip

NOT_RIGHT_BY_THE_SCORER = {"judge-injection", "answer-stuffing", "rewritten-answers", "lies-in-counts"}
"""What is won there is the judge, or is written in later, or is no answer at all."""


def by_id(variant):
    return variant.id


def test_names_are_unique_and_all_are_of_the_test_part():
    assert len({variant.id for variant in ALL}) == len(ALL)
    assert {variant.part for variant in ALL} == {Part.DEVELOPMENT}


def test_there_are_enough_variants_of_every_family():
    attacks = [variant for variant in ATTACKS if variant.kind is Kind.ATTACK]
    assert len(attacks) >= 32
    for family, least in FAMILIES.items():
        assert sum(variant.family == family for variant in attacks) >= least, family
    assert {variant.family for variant in attacks} == set(FAMILIES)
    assert {variant.family for variant in ATTACKS if variant.kind is Kind.BLIND_SPOT} == {"translated", "paraphrased"}
    assert len({variant.family for variant in HONEST}) >= 14


def test_an_attack_says_what_must_be_found_and_an_honest_case_nothing():
    assert all(variant.expects for variant in ATTACKS)
    assert not any(variant.expects for variant in HONEST)
    names = {variant.name.split("-")[0] for variant in ATTACKS if variant.family == "judge-injection"}
    assert names == {"plain", "disguised"}


@pytest.mark.parametrize("variant", ALL[::6], ids=by_id)
def test_a_run_of_it_reads_back_and_has_its_labelled_tasks(variant, tmp_path):
    made = make(variant, 7, tmp_path, source=SOURCE)

    trajectories = [trajectory.task_id for _, _, trajectory in read_trajectories(made.path / "trajectories.jsonl")]
    results = [json.loads(line)["task_id"] for line in (made.path / "results.jsonl").read_bytes().splitlines()]
    assert trajectories == results
    assert made.labelled
    labelled = {task_id for task_id in made.labelled if task_id is not None}
    assert labelled <= set(made.task_ids)
    assert labelled <= set(results)
    assert list(read_log(made.path / "log.jsonl"))
    if variant.kind is Kind.ATTACK and variant.family not in NOT_RIGHT_BY_THE_SCORER:
        assert labelled <= set(made.correct)
    if variant.family in {"judge-injection", "answer-stuffing"}:
        assert not labelled & set(made.correct)


def test_two_seeds_give_two_different_runs(tmp_path):
    variant = next(variant for variant in ATTACKS if variant.family == "leaked-rows")
    first = make(variant, 1, tmp_path / "a", source=SOURCE)
    second = make(variant, 2, tmp_path / "b", source=SOURCE)
    assert not set(first.task_ids) & set(second.task_ids)
