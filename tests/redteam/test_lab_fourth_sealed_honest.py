"""The sealed honest part: every variant makes a run of ours, with its labelled tasks in it."""

import json
from collections import Counter

import pytest

from gaia_harness.evidence import read_trajectories
from gaia_harness.records.log import read_log
from gaia_harness.run.resume import pick_up
from gaia_harness.tasks.loading import load_tasks
from redteam.cases import Kind, Part
from redteam.corpus import make
from redteam.honest.spent.fourth_sealed import VARIANTS
from redteam.honest.spent.fourth_sealed.shapes import FOREIGN, IMPERATIVE, LONG, SHORT, heading_of, stated_of
from redteam.making import RunMaker
from redteam.world import tasks

SOURCE = "0" * 64
WHOLE_RUN = [variant for variant in VARIANTS if variant.family == "whole-run"]
OTHERS = [variant for variant in VARIANTS if variant.family != "whole-run"]


def made(variant, tmp_path, seed=1):
    return make(variant, seed, tmp_path / "made", source=SOURCE)


def test_the_variants_are_honest_sealed_and_named_once():
    assert {(variant.part, variant.kind) for variant in VARIANTS} == {(Part.SEALED, Kind.HONEST)}
    assert all(variant.name.startswith("sealed-") and not variant.expects for variant in VARIANTS)
    assert max(Counter(variant.id for variant in VARIANTS).values()) == 1
    assert len({variant.family for variant in VARIANTS}) >= 16


@pytest.mark.parametrize("variant", VARIANTS[::6], ids=lambda variant: f"{variant.family}-{variant.name}")
def test_a_variant_makes_a_finished_run_that_loads(variant, tmp_path):
    run = made(variant, tmp_path)
    record = json.loads((run.path / "run.json").read_bytes())
    signer = RunMaker(tmp_path, f"{variant.id}/1").signer
    left = pick_up(run.path, f"gaia-harness/run/{record['run_id']}", key=signer.public)
    assert left.closed == "complete" and not left.healed and not left.failures
    assert len(set(run.task_ids)) == len(run.task_ids) == len(left.results)
    assert run.labelled and set(run.labelled) <= {None, *run.task_ids}
    read = [trajectory.task_id for _, _, trajectory in read_trajectories(run.path / "trajectories.jsonl")]
    assert sorted(read) == sorted(run.task_ids)
    assert load_tasks(str(run.dataset)).digest == record["dataset"]["digest"]


@pytest.mark.parametrize("variant", WHOLE_RUN[:1], ids=lambda variant: variant.name)
def test_a_whole_run_has_the_tasks_of_a_whole_split_and_some_of_them_wrong(variant, tmp_path):
    run = made(variant, tmp_path, 2)
    assert len(run.task_ids) == 165
    assert 60 < len(run.correct) < 160


def test_another_seed_gives_another_run(tmp_path):
    variant = OTHERS[0]
    runs = [make(variant, seed, tmp_path / str(seed), source=SOURCE) for seed in (1, 2)]
    assert not set(runs[0].task_ids) & set(runs[1].task_ids)


def test_a_crash_within_a_vote_leaves_an_ended_attempt_that_no_result_counts(tmp_path):
    variant = next(each for each in VARIANTS if each.name == "sealed-within-a-vote")
    run = made(variant, tmp_path)
    events = [event for _, event in read_log(run.path / "log.jsonl")]
    kinds = Counter(type(event).__name__ for event in events)
    assert kinds["RunResumed"] == 1
    assert kinds["AttemptStarted"] == kinds["AttemptFinished"] + 2


@pytest.mark.parametrize("template", [*SHORT, *LONG, *IMPERATIVE, *FOREIGN], ids=lambda template: template.topic)
def test_a_fact_in_the_question_s_words_names_the_answer_and_its_heading_does_not(template):
    task = tasks("shapes", 1, among=[template])[0]
    assert task.gold in stated_of(task) and task.gold in task.fact
    assert task.gold not in heading_of(task)
    assert "{" not in task.question + stated_of(task) + heading_of(task)
