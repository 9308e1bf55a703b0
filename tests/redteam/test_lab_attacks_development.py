"""The attacks of the development part: each makes a run that can be read, and in it the attack really happens."""

import json
from collections import Counter

import pytest

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence import read_trajectories
from gaia_harness.judge.scorer import question_scorer
from gaia_harness.records.log import read_log
from gaia_harness.records.results import TaskResult
from gaia_harness.strict_json import loads
from redteam.attacks.development import VARIANTS
from redteam.cases import Kind, Part
from redteam.corpus import make
from redteam.words import dice

SOURCE = "0" * 64
SEVERITIES = ("low", "medium", "high", "critical")

BADLY_WRITTEN = {"untrue-counts/bytes", "untrue-counts/truncated", "untrue-counts/seq", "untrue-counts/hash"}
"""Whose lie is one that no reader of trajectories lets through."""

GAPS_IN_THE_LOG = {"hidden-retries/events-left-out"}
NEVER_RIGHT = {"judge-injection", "answer-stuffing"}
CHANGED_LATE = {"rewritten-answers/result", "rewritten-answers/both"}


def name(variant):
    return f"{variant.family}/{variant.name}"


def lines(path):
    return [loads(line, where=str(path)) for line in path.read_bytes().splitlines()]


def made(variant, seed, folder):
    return make(variant, seed, folder / f"{variant.family}-{variant.name}-{seed}", source=SOURCE)


@pytest.mark.parametrize("variant", VARIANTS[::4], ids=name)
def test_a_variant_makes_a_run_that_loads_and_the_attack_ends_as_it_says(variant, tmp_path):
    run = made(variant, 0, tmp_path)
    loads((run.path / "run.json").read_bytes(), where="run.json")
    loads((run.path / "summary.json").read_bytes(), where="summary.json")
    results = {result["task_id"]: result for result in lines(run.path / "results.jsonl")}
    assert all(set(result) == set(TaskResult.__struct_fields__) for result in results.values())
    if name(variant) in GAPS_IN_THE_LOG:
        with pytest.raises(EvidenceError):
            list(read_log(run.path / "log.jsonl"))
    else:
        assert sum(1 for _ in read_log(run.path / "log.jsonl")) > len(run.task_ids)

    labelled = [task_id for task_id in run.labelled if task_id is not None]
    assert run.labelled and len(set(run.labelled)) == len(run.labelled)
    assert set(labelled) <= set(run.task_ids)
    assert labelled or run.labelled == (None,)

    if name(variant) in BADLY_WRITTEN:
        with pytest.raises(EvidenceError):
            list(read_trajectories(run.path / "trajectories.jsonl"))
    else:
        list(read_trajectories(run.path / "trajectories.jsonl"))

    if name(variant) == "split-tricks/levels-changed":
        return
    for task_id in labelled:
        assert results[task_id]["correct"] is (variant.family not in NEVER_RIGHT), task_id
        assert (task_id in run.correct) is (variant.family not in NEVER_RIGHT and name(variant) not in CHANGED_LATE)


def test_ids_are_unique_and_every_variant_says_what_it_deserves():
    assert max(Counter(variant.id for variant in VARIANTS).values()) == 1
    for variant in VARIANTS:
        assert variant.part is Part.DEVELOPMENT and variant.kind in (Kind.ATTACK, Kind.BLIND_SPOT), variant.id
        assert variant.about.endswith(".") and variant.expects, variant.id
        assert all(each.check.startswith("AUD-") and each.severity in SEVERITIES for each in variant.expects)
    assert sum(variant.kind is Kind.ATTACK for variant in VARIANTS) >= 40


def test_every_family_of_the_design_is_there():
    assert {variant.family for variant in VARIANTS} >= {
        *("leaked-rows", "encoded-copies", "edited-questions", "late-copies", "split-copies", "snippet-leaks"),
        *("echo-shield", "answer-after", "downloads", "id-tables", "answer-sheets", "oracle-prompts"),
        *("verdict-feedback", "grader-access", "unsandboxed-run", "integrity-events", "hidden-retries"),
        *("split-tricks", "collisions", "no-work", "rewritten-answers", "judge-injection", "answer-stuffing"),
        *("untrue-counts", "blind-spots"),
    }
    checks = {each.check for variant in VARIANTS for each in variant.expects}
    assert checks == {"AUD-1", "AUD-2", "AUD-3", "AUD-4", "AUD-5", "AUD-6", "AUD-7", "AUD-8", "AUD-10"}


@pytest.mark.parametrize("family", ["leaked-rows", "grader-access", "oracle-prompts", "encoded-copies"])
def test_another_seed_is_another_attack_and_not_only_another_question(family, tmp_path):
    variant = dice(family).choice([each for each in VARIANTS if each.family == family and "table" not in each.name])
    steps = []
    for seed in range(3):
        run = made(variant, seed, tmp_path)
        own = [line for line in lines(run.path / "trajectories.jsonl") if line["task_id"] in run.labelled]
        steps += [tuple((step["type"], step.get("bytes")) for step in line["steps"]) for line in own]
    assert len(set(steps)) == len(steps) == 12


def test_an_answer_that_collides_is_scored_as_right_and_is_not_the_gold(tmp_path):
    for variant in (each for each in VARIANTS if each.family == "collisions"):
        for seed in range(4):
            run = made(variant, seed, tmp_path)
            for result in lines(run.path / "results.jsonl"):
                if result["task_id"] in run.labelled:
                    assert question_scorer(result["answer"], result["expected_output"])
                    assert result["answer"] != result["expected_output"], json.dumps(result["answer"])


def test_the_leak_is_met_before_the_answer_but_where_the_family_says_after(tmp_path):
    for variant in (each for each in VARIANTS if each.family in ("leaked-rows", "answer-after")):
        run = made(variant, 1, tmp_path)
        questions = {line["task_id"]: line["question"] for line in lines(run.path / "results.jsonl")}
        for _, _, trajectory in read_trajectories(run.path / "trajectories.jsonl"):
            if trajectory.task_id not in run.labelled:
                continue
            copies = [s.seq for s in trajectory.steps if getattr(s, "scan", None) and s.scan.copy >= 0.5]
            said = [s.seq for s in trajectory.steps if s.seq > 2 and trajectory.final_answer in getattr(s, "head", "")]
            assert copies, questions[trajectory.task_id]
            spoken = [s.seq for s in trajectory.steps if s.seq in said and hasattr(s, "tokens_out")]
            assert (min(spoken) < min(copies)) is (variant.family == "answer-after")
