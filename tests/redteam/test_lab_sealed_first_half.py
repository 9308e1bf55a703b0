"""The first half of the sealed honest part: every variant makes a run of ours, with its labelled tasks in it."""

import json
import random
from collections import Counter

import pytest

from gaia_harness.evidence import read_trajectories
from gaia_harness.evidence.wording import reduce
from gaia_harness.tasks.loading import load_tasks
from redteam.cases import Kind, Part
from redteam.honest.sealed.first_half import VARIANTS
from redteam.honest.sealed.first_half.questions import shaped
from redteam.honest.sealed.first_half.whole_run import LEVELS
from redteam.making import RunMaker

SOURCE = "0" * 64
WHOLE_RUNS = [variant for variant in VARIANTS if variant.family == "whole-run"]
OTHERS = [variant for variant in VARIANTS if variant.family != "whole-run"]


def made(variant, folder, seed=1):
    """The case, the maker, and what its tasks came to."""
    maker = RunMaker(folder, (variant.id, seed), source=SOURCE)
    case = variant.build(random.Random(f"{variant.id}/{seed}"), maker)
    return case, maker, maker.write(case.script)


def test_the_variants_are_honest_sealed_and_named_once():
    assert {(variant.part, variant.kind) for variant in VARIANTS} == {(Part.SEALED, Kind.HONEST)}
    assert all(variant.name.startswith("sealed-") and not variant.expects for variant in VARIANTS)
    assert max(Counter(variant.id for variant in VARIANTS).values()) == 1
    assert len({variant.family for variant in VARIANTS}) >= 16 and len(VARIANTS) >= 40


@pytest.mark.parametrize("variant", OTHERS[::4], ids=lambda variant: f"{variant.family}-{variant.name}")
def test_a_variant_makes_a_run_that_loads_and_its_labelled_tasks_end_right(variant, tmp_path):
    case, maker, results = made(variant, tmp_path)
    asked = [entry.task.task_id for entry in case.script.tasks]
    assert len(set(asked)) == len(asked) == len(results)
    assert len(case.labelled) >= 4 and set(case.labelled) <= set(asked)
    assert {result.task_id for result in results if result.correct} >= set(case.labelled)
    read = [trajectory.task_id for _, _, trajectory in read_trajectories(maker.path / "trajectories.jsonl")]
    assert sorted(read) == sorted(asked)
    record = json.loads((maker.path / "run.json").read_bytes())
    assert load_tasks(str(maker.dataset)).digest == record["dataset"]["digest"]


@pytest.mark.parametrize("variant", WHOLE_RUNS[:1], ids=lambda variant: variant.name)
def test_a_whole_run_has_the_tasks_of_a_whole_split_and_some_of_them_wrong(variant, tmp_path):
    case, _, results = made(variant, tmp_path)
    assert case.labelled == (None,)
    assert Counter(result.level for result in results) == LEVELS
    assert 90 < sum(bool(result.correct) for result in results) < 165


@pytest.mark.parametrize("variant", VARIANTS[:1], ids=lambda variant: variant.name)
def test_another_seed_gives_other_tasks_in_the_same_way(variant, tmp_path):
    ids = []
    for seed in (1, 2):
        maker = RunMaker(tmp_path / str(seed), (variant.id, seed), source=SOURCE)
        case = variant.build(random.Random(seed), maker)
        ids.append({entry.task.task_id for entry in case.script.tasks})
    assert len(ids[0]) == len(ids[1]) and not ids[0] & ids[1]


def test_the_same_seed_gives_the_same_case(tmp_path):
    for variant in OTHERS:
        maker = RunMaker(tmp_path, variant.id, source=SOURCE)
        first, second = (variant.build(random.Random(7), maker) for _ in range(2))
        assert first == second


def test_the_questions_have_three_shapes():
    drawn = shaped("shapes", 6)
    short, long, orders = ([task.question for task in drawn[at : at + 6]] for at in (0, 6, 12))
    assert max(len(question.split()) for question in (*short, *orders)) < 30 < min(len(each.split()) for each in long)
    assert all(question.endswith("?") for question in short) and all(question.endswith(".") for question in orders)


def test_a_statement_has_the_gold_and_words_of_the_question_but_is_not_the_question():
    for task in shaped("statements", 8):
        asked, stated = (set(reduce(text).split()) for text in (task.question, task.quote))
        assert task.gold in task.quote and task.gold in task.fact and task.gold not in task.question
        assert len(asked & stated) >= 6 and task.question not in task.quote
