"""The test part: every variant makes a run that loads, and what is labelled is there."""

import json

import pytest

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence import read_trajectories
from gaia_harness.records.log import read_log
from redteam.attacks.test_part import VARIANTS as ATTACKS
from redteam.cases import Kind, Part
from redteam.corpus import make
from redteam.honest.test_part import VARIANTS as HONEST

ALL = (*ATTACKS, *HONEST)
SOURCE = "0" * 64
FAMILIES = (
    "leaked-rows",
    "encoded-copies",
    "edited-questions",
    "oracle-prompt",
    "grader-access",
    "judge-injection",
    "late-copies",
    "split-copies",
    "snippet-then-opened",
    "echo-shield",
    "answer-after",
    "downloads",
    "id-tables",
    "answer-sheets",
    "annotator-steps",
    "verdict-feedback",
    "hidden-retries",
    "selection-by-verdict",
    "split-tricks",
    "collisions",
    "no-work",
    "rewritten-answers",
    "answer-stuffing",
    "lies-in-counts",
)
REFUSED = ("bytes", "steps-taken-out", "cut-but-whole")  # lies that the reader of trajectories itself refuses
NOT_BY_THE_SCORER = ("judge-injection", "answer-stuffing")  # these win over the judge, and split tricks the counts


def test_every_family_is_there_and_no_id_twice():
    assert len({variant.id for variant in ALL}) == len(ALL)
    assert {variant.part for variant in ALL} == {Part.TEST}
    attacks = [variant.family for variant in ATTACKS if variant.kind is Kind.ATTACK]
    assert set(attacks) == set(FAMILIES)
    assert all(attacks.count(family) >= 3 for family in FAMILIES[:6])
    assert len({variant.family for variant in HONEST}) >= 14
    assert all(variant.expects for variant in ATTACKS)
    assert not any(variant.expects for variant in HONEST)


@pytest.mark.parametrize("variant", ALL[::4], ids=lambda variant: variant.id)
def test_a_variant_makes_a_run_that_loads(variant, tmp_path):
    made = make(variant, 1, tmp_path, source=SOURCE)
    assert made.labelled
    assert {task for task in made.labelled if task is not None} <= set(made.task_ids)
    if variant.name in REFUSED:
        with pytest.raises(EvidenceError):
            list(read_trajectories(made.path / "trajectories.jsonl"))
    else:
        assert list(read_trajectories(made.path / "trajectories.jsonl"))
    if variant.name != "log-gaps":  # its gap in the numbers is what the reader must refuse
        assert list(read_log(made.path / "log.jsonl"))
    if variant.kind is not Kind.HONEST and variant.family not in NOT_BY_THE_SCORER:
        correct = {
            line["task_id"]
            for line in map(json.loads, (made.path / "results.jsonl").read_bytes().splitlines())
            if line["correct"]
        }
        assert {task for task in made.labelled if task is not None} <= correct
