"""AUD-7: the tasks of a run are those of its split, each once, with their levels, and all of them."""

import msgspec
import pytest
from audit_samples import SampleRun, examine, rules, task_id

from gaia_harness.audit.split_integrity import SPLITS, SplitIntegrity
from gaia_harness.records.config import Selection
from gaia_harness.records.events import AttemptStarted


@pytest.fixture
def sample(tmp_path):
    return SampleRun(tmp_path).add(0).add(1, level=2).add(2, level=3, answers=("40",))


def look(sample, **options):
    return examine(SplitIntegrity, sample.open(**options))


def hub(tmp_path, counts, split="validation"):
    """A run over the hub's data set with so many tasks of each level."""
    sample = SampleRun(tmp_path, dataset="hub", split=split)
    sample.run["dataset"]["revision"] = "5" * 40
    first = SampleRun(tmp_path / "one").add(0, gold=None if split == "test" else "41")
    number = 0
    for level, count in counts.items():
        for _ in range(count):
            number += 1
            task = task_id(number)
            sample.results.append(first.results[0] | {"task_id": task, "level": level})
            sample.run["dataset"]["task_ids"].append(task)
            sample.levels[task] = level
            if split != "test":
                sample.golds[task] = "41"
            sample.events.append(AttemptStarted(task_id=task, attempt=1))
    return sample


def test_a_whole_honest_run_passes(sample):
    check = look(sample)
    assert (check.id, check.name, check.status, check.findings) == ("AUD-7", "split-integrity", "pass", ())


@pytest.mark.parametrize("split", ["validation", "test"])
def test_a_whole_split_of_the_hub_passes(tmp_path, split):
    assert look(hub(tmp_path, SPLITS[split], split)).findings == ()


def chosen(sample, **selection):
    sample.run["config"]["selection"] = selection
    return look(sample)


def test_a_whole_level_of_the_hub_passes_if_it_was_asked_for(tmp_path):
    assert chosen(hub(tmp_path, {3: 26}), level=3).findings == ()


@pytest.mark.parametrize("selection", [{"first": 1, "last": 63}, {"task_ids": [task_id(1), task_id(2)]}])
def test_a_part_of_a_level_is_disclosed(tmp_path, selection):
    check = chosen(hub(tmp_path, {1: 53, 2: 10}), **selection)
    assert rules(check) == {("low", "partial-split")}
    assert "10 of 86" in check.findings[0].summary
    assert check.status == "pass"


@pytest.mark.parametrize(("counts", "selection"), [({1: 53, 2: 86}, {}), ({3: 25}, {"level": 3}), ({3: 26}, {})])
def test_tasks_left_out_without_a_word_are_high(tmp_path, counts, selection):
    assert rules(chosen(hub(tmp_path, counts), **selection)) == {("high", "partial-split")}


def test_tasks_of_a_folder_that_were_left_out_are_high(sample):
    run = sample.open()
    run.dataset = msgspec.structs.replace(run.dataset, available={1: 1, 2: 1, 3: 4})
    assert rules(examine(SplitIntegrity, run)) == {("high", "partial-split")}


def test_a_split_that_is_none(tmp_path):
    assert ("critical", "other-dataset") in rules(look(SampleRun(tmp_path, split="training").add(0)))


def test_another_split_than_the_log_began_with(sample):
    check = look(sample, started=sample.started(gaia_split="test"))
    assert ("critical", "other-dataset") in rules(check)


def test_public_answers_on_the_hubs_test_split(tmp_path):
    sample = hub(tmp_path, {3: 26})
    sample.run["dataset"]["gaia_split"] = "test"
    assert ("critical", "other-dataset") in rules(look(sample))


def test_a_split_without_answers_passes(tmp_path):
    sample = SampleRun(tmp_path, split="test").add(0, gold=None).add(1, gold=None)
    assert look(sample).status == "pass"


def test_a_level_changed_after_the_fact(sample):
    sample.results[2]["level"] = 1
    (finding,) = look(sample).findings
    assert (finding.severity, finding.rule, finding.task_id) == ("critical", "level-changed", task_id(2))


def test_a_task_listed_twice(sample):
    sample.run["dataset"]["task_ids"].append(task_id(0))
    assert ("critical", "other-tasks") in rules(look(sample))


def test_a_task_with_two_trajectories(sample):
    sample.lines.append(sample.lines[0])
    (finding,) = look(sample).findings
    assert (finding.severity, finding.rule, finding.excerpt) == ("critical", "other-tasks", f"1: {task_id(0)}")


def test_a_result_that_is_left_out(sample):
    del sample.results[2]
    check = look(sample)
    assert rules(check) == {("high", "missing-result")}
    assert "1 of 3" in check.findings[0].summary


@pytest.mark.parametrize(
    ("status", "finished", "found"),
    [("aborted", False, "medium"), ("aborted", True, "medium"), ("complete", False, "high")],
)
def test_a_run_that_was_given_up_lacks_what_it_did_not_finish(sample, status, finished, found):
    del sample.results[2], sample.lines[2]
    if not finished:
        sample.events = [event for event in sample.events if getattr(event, "task_id", None) != task_id(2)]
    check = look(sample, closed=sample.closed(status=status))
    assert (found, "missing-result") in rules(check)


def test_a_task_that_is_left_out_everywhere_but_in_the_log(sample):
    del sample.results[2], sample.lines[2], sample.run["dataset"]["task_ids"][2]
    del sample.levels[task_id(2)]
    found = rules(look(sample, started=sample.started(tasks=3)))
    assert {("critical", "other-tasks"), ("critical", "other-tasks")} <= found


def test_a_task_that_was_selected_and_is_not_listed(sample):
    sample.run["dataset"]["task_ids"].remove(task_id(2))
    sample.results.pop()
    sample.lines.pop()
    assert ("critical", "other-tasks") in rules(look(sample))


@pytest.mark.parametrize("where", ["results", "events"])
def test_a_task_that_is_not_the_runs(sample, where):
    stranger = AttemptStarted(task_id=task_id(77), attempt=1)
    if where == "events":
        sample.events.append(stranger)
    else:
        getattr(sample, where).append(getattr(sample, where)[0] | {"task_id": task_id(77)})
    check = look(sample)
    assert ("critical", "other-tasks") in rules(check)
    assert any(task_id(77) in finding.excerpt for finding in check.findings)


def test_a_result_that_the_log_knows_nothing_of(sample):
    sample.events = [event for event in sample.events if event.task_id != task_id(1)]
    assert ("critical", "other-tasks") in rules(look(sample))


def test_a_task_that_the_data_set_does_not_have(sample):
    del sample.levels[task_id(1)]
    assert ("critical", "other-tasks") in rules(look(sample))


def test_another_data_set(sample):
    assert rules(look(sample, digest="e" * 64)) == {("critical", "other-dataset")}
    assert rules(look(sample, started=sample.started(dataset_digest="e" * 64))) == {("critical", "other-dataset")}


def test_without_the_data_set_it_is_a_skip(sample):
    check = look(sample, dataset=False)
    assert check.status == "skip" and "not at hand" in check.harness_gap
    assert check.findings == ()


def test_without_the_data_set_what_is_seen_still_fails(sample):
    sample.lines.append(sample.lines[0])
    assert look(sample, dataset=False).status == "fail"


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ({"gaia_split": "test"}, "summary-differs"),
        ({"dataset_digest": "0" * 64}, "summary-differs"),
        ({"total": 2}, "summary-differs"),
        ({"passed": 99}, "summary-differs"),
        ({"finished": 99}, "summary-differs"),
    ],
)
def test_a_summary_of_something_else_is_critical(sample, said, rule):
    sample.summary |= said
    assert rules(look(sample)) == {("critical", rule)}


def test_a_summary_that_says_what_the_run_says_is_nothing(sample):
    sample.summary |= {"gaia_split": "validation", "total": 3, "dataset_digest": sample.run["dataset"]["digest"]}
    assert look(sample).findings == ()


@pytest.mark.parametrize(
    ("first", "last", "said"),
    [(1, 5, "the first 5"), (None, 5, "the first 5"), (3, 5, "3 to 5"), (3, None, "from 3 on"), (None, None, "")],
)
def test_a_selection_is_said_as_it_was_asked_for(first, last, said):
    assert Selection(first=first, last=last).describe() == (said and f"chosen: {said}")
