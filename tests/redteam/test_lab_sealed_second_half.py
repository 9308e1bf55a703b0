"""The second half of the sealed honest part: every variant makes a run that loads, with its labelled tasks in it."""

import json
from collections import Counter

import msgspec
import pytest

from gaia_harness.evidence import read_trajectories
from gaia_harness.records.config import Selection
from gaia_harness.records.events import AttemptFinished, AttemptStarted, RunClosed, RunResumed
from gaia_harness.records.log import read_log
from gaia_harness.run.resume import pick_up
from gaia_harness.tasks.loading import load_tasks
from redteam.cases import Kind, Part
from redteam.corpus import make
from redteam.honest.sealed.second_half import VARIANTS
from redteam.making import RunMaker

SOURCE = "0" * 64


def named(name):
    return next(variant for variant in VARIANTS if variant.name == f"sealed-{name}")


def made(name, folder, seed=1):
    return make(named(name), seed, folder, source=SOURCE)


def events(run):
    return [event for _, event in read_log(run.path / "log.jsonl")]


def content(run):
    return (run.path / "trajectories.jsonl").read_bytes()


def test_there_are_enough_of_them_and_all_are_honest_and_sealed():
    assert len({variant.family for variant in VARIANTS}) >= 16
    assert len(VARIANTS) >= 40
    assert {(variant.part, variant.kind, variant.expects) for variant in VARIANTS} == {(Part.SEALED, Kind.HONEST, ())}
    assert all(variant.name.startswith("sealed-") for variant in VARIANTS)


def test_no_two_have_the_same_id():
    assert [name for name, count in Counter(variant.id for variant in VARIANTS).items() if count > 1] == []


@pytest.mark.parametrize("variant", VARIANTS[::4], ids=lambda variant: variant.name)
def test_it_makes_a_run_that_could_be_picked_up_again(variant, tmp_path):
    run = make(variant, 1, tmp_path, source=SOURCE)
    signer = RunMaker(tmp_path, f"{variant.id}/1").signer
    left = pick_up(run.path, f"gaia-harness/run/{events(run)[0].run_id}", key=signer.public)
    recorded = [trajectory.task_id for _, _, trajectory in read_trajectories(run.path / "trajectories.jsonl")]
    assert sorted(recorded) == sorted(result.task_id for result in left.results)
    assert left.closed == ("aborted" if variant.family == "given-up" else "complete")
    record = json.loads((run.path / "run.json").read_bytes())
    selection = msgspec.convert(record["config"]["selection"], Selection)
    assert load_tasks(str(run.dataset), selection=selection).digest == record["dataset"]["digest"]
    assert run.labelled
    assert {task_id for task_id in run.labelled if task_id is not None} <= set(recorded)


@pytest.mark.parametrize("name", ["notes-read-later", "signs", "critic", "limits", "level"])
def test_seeds_differ_and_repeat(name, tmp_path):
    first, again, other = made(name, tmp_path / "a"), made(name, tmp_path / "b"), made(name, tmp_path / "c", seed=2)
    assert content(first) == content(again)
    assert content(first) != content(other)


@pytest.mark.parametrize("name", ["signs", "mixed", "joiners", "titles", "quotations", "long", "closed-book"])
def test_an_odd_answer_that_is_the_gold_is_right(name, tmp_path):
    run = made(name, tmp_path)
    assert set(run.labelled) <= set(run.correct)


def test_a_crash_in_the_second_vote_leaves_the_first_one_finished(tmp_path):
    log = events(made("in-the-second", tmp_path))
    crash = next(at for at, event in enumerate(log) if isinstance(event, RunResumed))
    assert sum(isinstance(event, RunResumed) for event in log) == 1
    ended = {(event.task_id, event.attempt) for event in log[:crash] if isinstance(event, AttemptFinished)}
    lost = [event for event in log[:crash] if isinstance(event, AttemptStarted)]
    assert {event.attempt for event in lost if (event.task_id, event.attempt) not in ended} == {2}


def test_a_crash_at_the_end_of_a_vote_loses_no_attempt_that_had_not_ended(tmp_path):
    log = events(made("at-the-end", tmp_path))
    started = Counter(event.task_id for event in log if isinstance(event, AttemptStarted))
    ended = Counter(event.task_id for event in log if isinstance(event, AttemptFinished))
    assert started == ended
    assert sorted(set(started.values())) == [3, 6]


def test_the_whole_run_has_165_tasks(tmp_path):
    run = made("all-sorts", tmp_path)
    assert len(run.task_ids) == 165
    assert run.labelled == (None,)
    assert next(event.finished for event in events(run) if isinstance(event, RunClosed)) == 165
