"""Every case of the lab: it makes a run that reads back, and in the run happens what its label says.

`make test` makes a fixed sample, the first variant by id of each kind in each theme; `make test-all` makes every one.
"""

import importlib
import json
import pkgutil
from collections import Counter

import msgspec
import pytest

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence import read_trajectories
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.records.config import Selection
from gaia_harness.records.log import read_log
from gaia_harness.records.results import TaskResult
from gaia_harness.run.resume import load_resume_state
from gaia_harness.tasks.loading import load_tasks
from redteam import cases
from redteam.batches import Part
from redteam.corpus import ALL, THEMES, make, variants
from redteam.making import RunMaker
from redteam.variants import Kind

SOURCE = "0" * 64
SEVERITIES = {"low", "medium", "high", "critical"}
WHOLE_SPLIT = 165

FOR_THE_JUDGE = {"judge-injection", "answer-stuffing", "judge-told", "unseen-signs", "no-answer-of-its-own"}
"""Families whose answers the scorer refuses and the judge should take."""

UNREADABLE = {
    "development/attack/rewritten-answers/second-unusual-patched-words",
    "development/attack/rewritten-answers/fourth-sealed-sealed-behind-a-mask",
    "development/attack/untrue-counts/bytes",
    "development/attack/untrue-counts/truncated",
    "development/attack/untrue-counts/seq",
    "development/attack/untrue-counts/hash",
    "development/attack/lies-in-counts/first-test-bytes",
    "development/attack/lies-in-counts/first-test-truncated",
    "development/attack/lies-in-counts/first-test-seq",
    "development/attack/lies-in-counts/first-test-no-results",
    "development/attack/lies-in-counts/second-unusual-wiped-scan",
    "test/attack/lies-in-counts/bytes",
    "test/attack/lies-in-counts/steps-taken-out",
    "test/attack/lies-in-counts/cut-but-whole",
    "sealed/attack/record-repainted/thirteenth-sealed-page-text",
    "sealed/attack/cleaned-trajectory/fourteenth-sealed-after-the-log",
    "sealed/attack/untrue-record/seventeenth-sealed-an-reworded",
    "sealed/attack/untrue-record/seventeenth-sealed-an-blotted",
    "sealed/attack/cut-records/eighteenth-sealed-results-gone",
    "sealed/attack/cut-records/eighteenth-sealed-steps-gone",
    "sealed/attack/rewritten-records/eighteenth-sealed-heads",
    "sealed/attack/rewritten-records/eighteenth-sealed-last-words",
    "sealed/attack/gaps-in-the-record/twentieth-sealed-aw-left-out-for-size",
}
"""Attacks whose lie no reader of trajectories lets through."""

LOG_UNREADABLE = {
    "development/attack/hidden-retries/events-left-out",
    "development/attack/hidden-retries/first-test-holes-in-the-log",
    "test/attack/hidden-retries/log-gaps",
    "sealed/attack/folder-set-back/twelfth-sealed-rollbacks",
    "sealed/attack/killed-in-time/eighteenth-sealed-outages-on-demand",
    "sealed/attack/chosen-by-score/nineteenth-sealed-judged-between",
}
"""Attacks that leave a gap in the log, which no reader lets through."""

NOT_CLOSED = {"sealed/honest/whole-splits/twentieth-sealed-aw-switched-off"}
"""Honest runs of a machine that was switched off."""

UNKNOWN_TASKS = {"development/attack/no-work/another-name", "development/attack/split-tricks/first-test-other-ids"}
"""Attacks that record tasks under names of their own."""

NOT_RIGHT = {
    "development/attack/lies-in-counts/second-test-never-ran",
    "development/attack/split-tricks/levels-changed",
    "development/attack/split-tricks/fourth-sealed-sealed-failures-at-another-level",
    "test/attack/no-work/no-tokens",
    "sealed/attack/loaded-data-set/sixteenth-sealed-ai-gated-rows",
    "sealed/attack/loaded-data-set/sixteenth-sealed-ai-gated-cli",
    "sealed/attack/hub-read-on-the-web/seventeenth-sealed-gated-then-by-hand",
    "sealed/attack/around-a-copy/sixteenth-sealed-ah-stale",
    "sealed/attack/in-vain/seventeenth-sealed-wrong-copy",
    "sealed/attack/copies-in-vain/eighteenth-sealed-wrong-copy",
    "sealed/attack/reach-failed/sixteenth-sealed-ai-file-address",
    "sealed/attack/reached-in-vain/seventeenth-sealed-not-there",
}
"""Attacks whose labelled answers need not be right: what they change is a count, a level or a record."""

FIRST = {(THEMES[each.id], each.kind): each for each in sorted(ALL, key=lambda each: each.id, reverse=True)}
SAMPLE = {variant.id for variant in FIRST.values()}


def by_family():
    """The variants of each theme and family; those that are not in the sample are for `make test-all` alone."""
    groups = {}
    for variant in ALL:
        sampled = variant.id in SAMPLE
        groups.setdefault((sampled, THEMES[variant.id], variant.kind.value, variant.family), []).append(variant)
    for (sampled, *names), group in groups.items():
        marks = () if sampled else (pytest.mark.cases,)
        yield pytest.param(group, id="/".join(names), marks=marks)


@pytest.mark.parametrize("group", list(by_family()))
def test_a_variant_makes_a_run_that_reads_back_and_ends_as_its_label_says(group, tmp_path):
    for number, variant in enumerate(group):
        made = make(variant, 1, tmp_path / str(number), source=SOURCE)
        try:
            check_files(variant, made)
            if variant.kind is Kind.HONEST:
                check_honest(variant, made, tmp_path / str(number))
            else:
                check_attack(variant, made)
        except Exception as error:
            error.add_note(variant.id)
            raise


def results_of(made):
    return [json.loads(line) for line in (made.path / "results.jsonl").read_bytes().splitlines()]


def check_files(variant, made):
    named = [task_id for task_id in made.labelled if task_id is not None]
    assert made.labelled and len(set(made.labelled)) == len(made.labelled)
    assert set(named) <= set(made.task_ids)
    assert json.loads((made.path / "summary.json").read_bytes())
    assert all(set(result) <= set(TaskResult.__struct_fields__) for result in results_of(made))
    if variant.id in LOG_UNREADABLE:
        with pytest.raises(EvidenceError):
            list(read_log(made.path / "log.jsonl"))
    else:
        assert sum(1 for _ in read_log(made.path / "log.jsonl")) > len(results_of(made))
    if variant.id in UNREADABLE:
        with pytest.raises(EvidenceError):
            list(read_trajectories(made.path / "trajectories.jsonl"))
    else:
        recorded = {trajectory.task_id for _, _, trajectory in read_trajectories(made.path / "trajectories.jsonl")}
        assert recorded <= set(made.task_ids) or variant.id in UNKNOWN_TASKS
        assert set(named) <= recorded or variant.id in UNKNOWN_TASKS


def check_attack(variant, made):
    results = {result["task_id"]: result for result in results_of(made)}
    for task_id in filter(None, made.labelled):
        result = results[task_id]
        if variant.family in FOR_THE_JUDGE:
            assert not result["correct"] and task_id not in made.correct
            assert result["judge"] is not None
        elif variant.id not in NOT_RIGHT and not {each.check for each in variant.expects} <= {"AUD-4", "AUD-10"}:
            # who reaches for the grader, or speaks to it, need not have got it right
            assert result["correct"] is True
        if variant.family == "collisions":
            assert question_scorer(result["answer"], result["expected_output"])
            assert result["answer"] != result["expected_output"]


def check_honest(variant, made, folder):
    """An honest run is one that the harness itself would take up again, over the data set it names."""
    record = json.loads((made.path / "run.json").read_bytes())
    signer = RunMaker(folder, f"{variant.id}/1").signer
    left = load_resume_state(made.path, f"gaia-harness/run/{record['run_id']}", key=signer.public)
    aborted = record["state"] == "aborted"  # the tasks that were not begun have no lines
    closed = None if variant.id in NOT_CLOSED else "aborted" if aborted else "complete"
    assert left.closed == closed and not left.healed
    finished = {result.task_id for result in left.results}
    assert finished == set(made.task_ids) if closed == "complete" else finished < set(made.task_ids)
    selection = msgspec.convert(record["config"]["selection"], Selection)
    assert load_tasks(str(made.dataset), split=made.split, selection=selection).digest == record["dataset"]["digest"]
    if THEMES[variant.id] == "whole_runs" and variant.name not in {"one-cut-off", "every-body"}:
        assert len(set(made.task_ids)) == WHOLE_SPLIT and made.labelled == (None,)
        assert 60 < len(made.correct) < WHOLE_SPLIT


def test_ids_are_unique_and_every_variant_says_what_it_is():
    assert max(Counter(variant.id for variant in ALL).values()) == 1
    for variant in ALL:
        assert variant.about.endswith("."), variant.id
        assert bool(variant.expects) is (variant.kind is not Kind.HONEST), variant.id
        assert all(each.check.startswith("AUD-") and each.severity in SEVERITIES for each in variant.expects)
        assert variant.author and variant.date, variant.id


def test_what_is_held_out_was_never_looked_at_and_stands_in_files_of_its_own():
    assert {variant.part for variant in ALL if variant.looked_at} == {Part.DEVELOPMENT}
    assert {variant.part for variant in ALL if not variant.looked_at} == {Part.TEST, Part.UNUSUAL, Part.SEALED}
    for module in pkgutil.walk_packages(cases.__path__, f"{cases.__name__}."):
        for variant in getattr(importlib.import_module(module.name), "VARIANTS", ()):
            assert variant.looked_at is not module.name.endswith("_held_out"), variant.id


@pytest.mark.parametrize("part", Part)
def test_every_part_has_attacks_of_every_theme_and_many_honest_families(part):
    attacks = variants(part, Kind.ATTACK)
    assert {THEMES[variant.id] for variant in attacks} == set(THEMES.values()) - {"whole_runs"}
    assert len({variant.family for variant in attacks}) >= 18
    assert len({variant.family for variant in variants(part, Kind.HONEST)}) >= 16


@pytest.mark.parametrize("theme", ["copied_answers", "prompts", "grader_access", "attempts"])
def test_another_seed_makes_other_cases_and_the_same_seed_the_same(theme, tmp_path):
    variant = FIRST[theme, Kind.ATTACK]
    runs = [make(variant, seed, tmp_path / str(at), source=SOURCE) for at, seed in enumerate((1, 1, 2))]
    first, again, other = ((run.path / "trajectories.jsonl").read_bytes() for run in runs)
    assert first == again != other
    assert not set(runs[0].task_ids) & set(runs[2].task_ids)


@pytest.mark.cases
def test_a_leak_is_met_before_the_answer_but_where_the_family_says_after(tmp_path):
    chosen = [each for each in variants(Part.DEVELOPMENT) if each.batch.name == "development"]
    for number, variant in enumerate(each for each in chosen if each.family in ("leaked-rows", "answer-after")):
        made = make(variant, 1, tmp_path / str(number), source=SOURCE)
        for _, _, trajectory in read_trajectories(made.path / "trajectories.jsonl"):
            if trajectory.task_id not in made.labelled:
                continue
            copies = [step.seq for step in trajectory.steps if getattr(step, "scan", None) and step.scan.copy >= 0.5]
            spoken = [
                step.seq
                for step in trajectory.steps
                if step.seq > 2 and hasattr(step, "tokens_out") and trajectory.final_answer in step.head
            ]
            assert copies, variant.id
            assert (min(spoken) < min(copies)) is (variant.family == "answer-after"), variant.id
