"""AUD-6: every attempt is declared and disclosed, and the answer was chosen without knowing which is right."""

import random

import msgspec
import pytest
from audit_samples import SampleRun, examine, gating, rules, task_id, text_fields

import thoroughness
from counted_work import calls_of
from gaia_command import gaia
from gaia_harness.audit.evidence import open_run
from gaia_harness.audit.facts import read_run
from gaia_harness.audit.no_work_pass import NoWorkPass
from gaia_harness.audit.normalization_collision import NormalizationCollision
from gaia_harness.audit.split_integrity import SplitIntegrity
from gaia_harness.audit.voting_disclosure import VotingDisclosure
from gaia_harness.audit.voting_disclosure.whole_run import Outcome, lost_votes
from gaia_harness.protocol import choose
from gaia_harness.records.events import (
    AttemptFinished,
    AttemptInterrupted,
    AttemptStarted,
    Judged,
    Rollback,
    RunResumed,
    TaskFinished,
)
from gaia_harness.run.audit_input import load_dataset_facts


@pytest.fixture
def single(tmp_path):
    return SampleRun(tmp_path).add(0).add(1, gold="12", answers=("13",), judged=False)


@pytest.fixture
def voting(tmp_path):
    return SampleRun(tmp_path, voting_attempts=3).add(0, answers=("40", "41", "41"))


REPLY = "The harbour book says so.\n\nFINAL ANSWER: 41"


def look(sample, **options):
    return examine(VotingDisclosure, sample.open(**options))


def where(sample, kind, number=0, attempt=None):
    return next(
        at
        for at, event in enumerate(sample.events)
        if isinstance(event, kind)
        and event.task_id == task_id(number)
        and attempt in (None, getattr(event, "attempt", None))
    )


def test_honest_runs_pass(single):
    check = look(single)
    assert (check.id, check.name, check.status, check.findings) == ("AUD-6", "voting-disclosure", "pass", ())


def test_declared_voting_passes(voting):
    voting.add(1, answers=(None, "x", None), gold="x").add(2, answers=(None, None, None))
    voting.add(3, answers=("$1,000", "7", "1000"), gold="1000")
    voting.results[-1]["voting"].update(votes=2)
    assert rules(look(voting)) == {("low", "no-answer")}


# the log against what was declared


def test_more_attempts_than_declared(tmp_path):
    sample = SampleRun(tmp_path).add(0, answers=("40", "41"))
    found = rules(look(sample))
    assert ("critical", "more-attempts-than-declared") in found


def test_more_attempts_than_declared_show_without_a_log(tmp_path):
    sample = SampleRun(tmp_path).add(0, answers=("40", "41"))
    assert rules(look(sample, log=False)) == {("critical", "more-attempts-than-declared")}


def test_attempts_that_only_the_log_knows(single):
    task = task_id(0)
    at = where(single, AttemptStarted)
    single.events[at:at] = [
        AttemptStarted(task_id=task, attempt=1),
        AttemptFinished(task_id=task, attempt=1, steps=4, steps_sha256="a" * 64),
    ]
    found = rules(look(single))
    assert ("critical", "attempts-hidden") in found
    assert ("critical", "more-attempts-than-declared") in found


def test_a_first_attempt_taken_out_of_the_log(tmp_path):
    sample = SampleRun(tmp_path).add(0, cut_off=1)
    del sample.events[where(sample, AttemptStarted, 0, 1)]
    assert ("critical", "attempt-gap") in rules(look(sample))


def test_an_attempt_that_was_dropped_without_a_crash(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=2).add(0, answers=("41", "41"))
    del sample.events[where(sample, AttemptFinished, 0, 1)]
    assert ("high", "attempt-dropped") in rules(look(sample))


def test_an_attempt_after_the_end_of_its_task(single):
    at = where(single, TaskFinished) + 1
    single.events.insert(at, AttemptStarted(task_id=task_id(0), attempt=2))
    assert ("critical", "attempt-after-the-end") in rules(look(single))


def test_a_task_that_was_finished_twice(single):
    single.events.append(single.events[where(single, TaskFinished)])
    assert ("critical", "finished-again") in rules(look(single))


@pytest.mark.parametrize("crash", [False, True])
def test_a_retry_after_the_judges_verdict(tmp_path, crash):
    sample = SampleRun(tmp_path).add(0, cut_off=1)
    verdict = Judged(task_id=task_id(0), model="openai/judge", prompt_sha256="b" * 64, verdict=False, cached=False)
    at = where(sample, AttemptStarted, 0, 1) + 1
    sample.events.insert(at, verdict)
    if not crash:
        sample.events = [event for event in sample.events if not isinstance(event, RunResumed)]
    assert ("critical", "attempt-after-verdict") in rules(look(sample))


@pytest.mark.parametrize(("verdict", "answer"), [(False, "40"), (True, "41"), (True, "40"), (None, "41")])
def test_a_crash_behind_a_verdict_that_nothing_was_gained_by(tmp_path, verdict, answer):
    sample = SampleRun(tmp_path).add(0, cut_off=1, answers=(answer,))
    said = Judged(task_id=task_id(0), model="openai/judge", prompt_sha256="b" * 64, verdict=verdict, cached=False)
    sample.events.insert(where(sample, AttemptStarted, 0, 1) + 1, said)
    check = look(sample)
    assert ("medium", "attempt-after-verdict") in rules(check)
    assert not gating(check)


def test_events_behind_the_end_of_the_run(single):
    single.events.append(single.closed())
    assert ("critical", "event-out-of-place") in rules(look(single))


def test_an_attempt_in_the_trajectory_that_the_log_does_not_know(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=2).add(0, answers=("40", "41"))
    sample.events = [e for e in sample.events if getattr(e, "attempt", None) != 2]
    assert ("critical", "attempts-not-in-log") in rules(look(sample))


def test_an_attempt_whose_steps_are_left_out(voting):
    line = voting.lines[0]
    line["steps"] = [step for step in line["steps"] if step["attempt"] != 3]
    assert ("high", "attempt-without-steps") in rules(look(voting))


def test_fewer_attempts_than_declared(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=3).add(0, answers=("41",)).add(1, answers=("40",))
    assert rules(look(sample)) == {("high", "attempts-not-carried-out"), ("medium", "attempts-not-carried-out")}


# the choice


def test_a_choice_against_the_majority_that_paid(voting):
    voting.add(1, answers=("40", "41", "40"))
    result = voting.results[1]
    result.update(answer="41", correct=True)
    result["voting"].update(selected_attempt=2, votes=1)
    voting.lines[1].update(final_answer="41", selected_attempt=2)
    assert rules(look(voting)) == {("critical", "other-choice")}


def test_a_choice_against_the_majority_that_did_not_pay(voting):
    voting.add(1, answers=("40", "39", "40"))
    result = voting.results[1]
    result.update(answer="39")
    result["voting"].update(selected_attempt=2, votes=1)
    voting.lines[1].update(final_answer="39", selected_attempt=2)
    assert rules(look(voting)) == {("high", "other-choice")}


def test_a_tie_goes_to_the_earliest(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=2).add(0, answers=("40", "41"))
    assert look(sample).findings == ()
    sample.results[0].update(answer="41", correct=True)
    sample.results[0]["voting"]["selected_attempt"] = 2
    sample.lines[0].update(final_answer="41", selected_attempt=2)
    assert rules(look(sample)) == {("critical", "other-choice")}


def test_an_answer_that_is_not_that_of_the_chosen_attempt(voting):
    voting.results[0].update(answer="39", correct=False)
    assert ("high", "other-choice") in rules(look(voting))


def test_votes_that_do_not_add_up(voting):
    voting.results[0]["voting"]["votes"] = 3
    assert rules(look(voting)) == {("high", "votes-do-not-add-up")}


def test_votes_that_were_never_given(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=3).add(0, answers=("40", "40", "41"))
    sample.results[0].update(answer="41", correct=True)
    sample.results[0]["voting"].update(answers=["40", "41", "41"], selected_attempt=2)
    sample.lines[0].update(final_answer="41", selected_attempt=2)
    check = look(sample)
    assert rules(check) == {("high", "other-vote")}
    assert (check.findings[0].attempt, check.findings[0].excerpt) == (2, "40")


def test_an_answer_left_out_of_the_vote(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=3).add(0, answers=("40", "40", "41"))
    sample.results[0].update(answer="41", correct=True)
    sample.results[0]["voting"].update(answers=["41"], selected_attempt=3, votes=1, cast=1)
    sample.lines[0].update(final_answer="41", selected_attempt=3)
    found = rules(look(sample))
    assert {("critical", "answer-left-out"), ("high", "attempts-not-carried-out")} <= found


def test_a_reply_that_went_on_to_a_tool_gave_no_answer(tmp_path):
    sample = SampleRun(tmp_path).add(0, answers=(None,))
    reply = next(step for step in sample.lines[0]["steps"] if step["type"] == "llm_call")
    reply.update(text_fields("Not yet, but perhaps\nFINAL ANSWER: 3"))
    sample.lines[0]["steps"] = sample.lines[0]["steps"][:5]
    assert not gating(look(sample))


# attempts that a crash cut off


def crashes(tmp_path, total, cut, *, right=lambda number: True, apart=True, **options):
    """A run of so many tasks, one after another, of which some have a cut-off attempt."""
    sample = SampleRun(tmp_path)
    for number in range(total):
        answer = "41" if right(number) else "40"
        sample.add(number, answers=(answer,), cut_off=options.get("each", 1) if number in cut else 0,
                   done_when_cut_off=options.get("done", False))  # fmt: skip
    if not apart:  # all by one crash: they begin together, and go on behind it
        first = [e for e in sample.events if isinstance(e, AttemptStarted) and e.attempt == 1
                 and int(e.task_id[-4:]) in cut]  # fmt: skip
        rest = [e for e in sample.events if e not in first and not isinstance(e, RunResumed)]
        sample.events = [*first, RunResumed(), *rest]
    return sample


def test_one_crash_is_disclosed_and_no_more(tmp_path):
    check = look(crashes(tmp_path, 12, {3}))
    assert rules(check) == {("low", "resumed"), ("low", "cut-off")}
    assert check.status == "pass"
    assert [(f.task_id, f.attempt) for f in check.findings if f.rule == "cut-off"] == [(task_id(3), 1)]


def test_one_crash_of_a_small_run_gates_nothing(tmp_path):
    check = look(crashes(tmp_path, 8, {0, 1, 2, 3}, apart=False))
    assert rules(check) == {("low", "resumed"), ("low", "cut-off")}


CUT = {0, 2, 4, 6, 8}


def test_crash_upon_crash_where_it_helped_is_high(tmp_path):
    assert ("high", "many-cut-off") in rules(look(crashes(tmp_path, 12, CUT, right=CUT.__contains__)))


@pytest.mark.parametrize("right", [lambda n: True, lambda n: n % 4 != 0, lambda n: n not in CUT, lambda n: False])
def test_a_machine_that_is_switched_off_whatever_it_is_doing_gates_nothing(tmp_path, right):
    check = look(crashes(tmp_path, 12, CUT, right=right))
    assert ("medium", "many-cut-off") in rules(check)
    assert not gating(check)


@pytest.mark.parametrize("tasks", [1, 3, 5])
def test_a_small_run_stopped_several_times_gates_nothing(tmp_path, tasks):
    check = look(crashes(tmp_path, tasks, set(range(tasks)), each=5))
    assert ("medium", "many-cut-off") in rules(check)
    assert not gating(check)


def test_a_whole_run_tried_until_it_was_right_is_high(tmp_path):
    assert ("high", "many-cut-off") in rules(look(crashes(tmp_path, 12, set(range(12)))))


def test_cut_off_where_it_helped(tmp_path):
    check = look(crashes(tmp_path, 60, {0, 2, 4, 6, 8}, right=lambda number: number in {0, 2, 4, 6, 8, 20}))
    assert rules(check) == {("low", "resumed"), ("low", "cut-off"), ("medium", "cut-off-and-correct")}


def test_cut_off_in_a_good_run_is_no_sign(tmp_path):
    check = look(crashes(tmp_path, 60, {0, 2, 4, 6, 8}, right=lambda number: number % 10 != 9))
    assert rules(check) == {("low", "resumed"), ("low", "cut-off")}


@pytest.mark.parametrize(("each", "found"), [(3, []), (4, ["medium"]), (12, ["medium"])])
def test_one_task_cut_off_again_and_again(tmp_path, each, found):
    """It may be too large for its machine: that is said, and gates nothing."""
    check = look(crashes(tmp_path, 12, {3}, each=each))
    assert [f.severity for f in check.findings if f.rule == "often-cut-off"] == found
    assert not gating(check)


def test_one_crash_in_the_middle_of_a_vote_is_one_crash(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=5)
    for number in range(12):
        sample.add(number, answers=("41",) * 5, cut_off=4 if number == 3 else 0, done_when_cut_off=True)
    restarts = [event for event in sample.events if isinstance(event, RunResumed)]
    for event in restarts[:-1]:
        at = next(at for at, other in enumerate(sample.events) if other is event)
        del sample.events[at]
    check = look(sample)
    assert rules(check) == {("low", "resumed"), ("low", "cut-off")}
    assert len(check.findings) == 5


@pytest.mark.parametrize(
    ("total", "restarts", "found"),
    [
        (40, 12, "low"),
        (40, 13, "high"),
        (60, 13, "low"),
        (10, 25, "low"),
        (165, 50, "high"),
        pytest.param(165, 10, "low", marks=pytest.mark.cases),
    ],
)
def test_many_restarts_that_threw_much_away_are_high_whatever_came_of_it(tmp_path, total, restarts, found):
    """The tasks that were tried again are neither right nor wrong more often than the others."""
    sample = SampleRun(tmp_path)
    for number in range(total):
        again = restarts // total + (number < restarts % total)
        sample.add(number, answers=("41" if number % 2 else "40",), cut_off=again)
    rule = "resumed-often" if found == "high" else "resumed"
    check = look(sample)
    assert (found, rule) in rules(check)
    assert bool(gating(check)) == (found == "high")


def test_a_rollback_that_was_accepted_is_high(tmp_path):
    sample = SampleRun(tmp_path)
    for number in range(3):
        sample.add(number)
    at = len(sample.events) + 1  # behind run_started
    sample.events.append(RunResumed(rollback=Rollback(kept=at, seen=at + 40)))
    sample.add(3)
    [finding] = gating(look(sample))
    assert (finding.severity, finding.rule) == ("high", "rolled-back")
    assert f"from line {at} of its log, when it had {at + 40}" in finding.summary


@pytest.mark.parametrize(("workers", "found"), [(3, set()), (2, {("high", "more-cut-off-than-at-work")})])
def test_more_cut_off_than_the_run_worked_on_at_once(tmp_path, workers, found):
    sample = crashes(tmp_path, 20, {0, 1, 2}, apart=False)
    check = look(sample, started=sample.started(concurrency=workers))
    assert {rule for rule in rules(check) if rule[0] == "high"} == found


def test_a_cut_off_attempt_that_the_result_hides(tmp_path):
    sample = crashes(tmp_path, 3, {1})
    sample.results[1]["attempts"] = 1
    sample.results[1]["voting"]["selected_attempt"] = 1
    assert ("critical", "attempts-hidden") in rules(look(sample))


# beginning, end and declaration


def test_a_run_that_is_not_closed(single):
    assert rules(look(single, closed=False)) == {("medium", "run-not-closed")}


def test_a_run_that_was_given_up(single):
    assert rules(look(single, closed=single.closed(status="aborted"))) == {("medium", "run-aborted")}


@pytest.mark.parametrize("change", [{"attempts": 1}, {"finished": 1}, {"tasks": 1}])
def test_an_end_that_does_not_add_up(single, change):
    assert rules(look(single, closed=single.closed(**change))) == {("high", "end-does-not-add-up")}


@pytest.mark.parametrize(
    "change",
    [
        {"voting_attempts": 3},
        {"model": "openai/other"},
        {"gaia_split": "test"},
        {"tasks": 9},
        {"dataset_digest": "e" * 64},
        {"record_evidence": False},
        {"run_id": "f" * 32},
    ],
)
def test_a_log_that_began_otherwise(single, change):
    check = look(single, started=single.started(**change))
    assert ("critical", "declared-otherwise") in rules(check)
    assert next(iter(change)) in check.findings[0].excerpt


def test_a_missing_log_is_a_gap(single):
    check = look(single, log=False)
    assert check.status == "skip" and "log" in check.harness_gap


def test_a_declared_run_without_its_log_fails(single):
    single.declare()
    assert ("high", "log-missing") in rules(look(single, log=False))


def test_a_log_with_a_line_taken_out(single):
    run = single.open()
    path = single.folder / "log.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2] + lines[3:]))
    run = open_run(single.folder, run.dataset)
    assert ("critical", "log-broken") in rules(examine(VotingDisclosure, run))


def test_a_log_cut_short_by_a_crash_gates_nothing(single):
    run = single.open(closed=False)
    path = single.folder / "log.jsonl"
    path.write_bytes(path.read_bytes() + b'{"event":"att')
    check = examine(VotingDisclosure, open_run(single.folder, run.dataset))
    assert rules(check) == {("medium", "log-broken"), ("medium", "run-not-closed")}


def test_a_declared_run_passes(single):
    single.declare()
    check = look(single)
    assert (check.status, check.findings, check.harness_gap) == ("pass", (), None)


@pytest.mark.parametrize(
    "change",
    [
        {"voting_attempts": 5},
        {"model": "openai/other"},
        {"task_list_sha256": "0" * 64},
        {"dataset_digest": "0" * 64},
        {"config_sha256": "0" * 64},
        {"gaia_split": "test"},
    ],
)
def test_a_run_that_is_not_the_declared_one(single, change):
    single.declare(**change)
    assert rules(look(single)) == {("critical", "declared-otherwise")}


def test_another_intent_than_the_log_binds(single):
    single.declare()
    started = single.started()
    single.declare(nonce="1" * 32)
    assert rules(look(single, started=started)) == {("critical", "declared-otherwise")}


def test_a_declared_run_without_its_intent(single):
    single.declare()
    (single.folder / "intent.dsse.json").unlink()
    check = look(single)
    assert "intent is missing" in check.harness_gap
    assert rules(check) == {("high", "intent-missing")}


def test_an_intent_that_is_none(single):
    single.declare()
    (single.folder / "intent.dsse.json").write_bytes(b'{"payload": "e30="}')
    assert ("critical", "intent-broken") in rules(look(single))


# a real run


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    out = tmp_path_factory.mktemp("real") / "run"
    ran = gaia("run", "--dataset", "demo", "--level", "1", "--model", "scripted/demo", "--judge-model",
               "scripted/judge", "--voting-attempts", "2", "--submit-intent", "--out", out)  # fmt: skip
    assert ran.code == 0, ran.said
    facts = read_run(out).facts
    return open_run(out, load_dataset_facts("demo", facts.gaia_split, None, facts.task_ids, {}))


@pytest.mark.parametrize("check", [NoWorkPass, NormalizationCollision, VotingDisclosure, SplitIntegrity])
def test_a_run_of_the_harness_itself_is_clean(real, check):
    found = examine(check, real)
    assert (found.status, found.harness_gap) == ("pass", None)
    assert not found.findings


def concluded(examiner, tasks):
    """What a check says of these tasks, in this order, its notes sent as from another process."""
    noted = [msgspec.json.encode(note) for note in map(examiner.look, tasks) if note is not None]
    return examiner.conclude([msgspec.json.decode(note, type=examiner.noted) for note in noted])


@pytest.mark.parametrize("check", [NoWorkPass, VotingDisclosure, SplitIntegrity])
def test_the_order_of_the_tasks_makes_no_difference(tmp_path, check):
    sample = SampleRun(tmp_path, voting_attempts=2)
    for number in range(6):
        sample.add(number, gold="41", answers=("4,1", "40"), cut_off=number % 3, tokens=number % 2)
    run = sample.open()
    tasks = list(run.tasks())
    outcomes = []
    for order in (tasks, tasks[::-1], tasks[3:] + tasks[:3]):
        outcomes.append(msgspec.json.encode(concluded(check(run), order)))
    assert outcomes[0] == outcomes[1] == outcomes[2]


@pytest.mark.parametrize("reply", ["FINAL ANSWER: your answer", "I would say FINAL ANSWER: 41"])
def test_what_is_no_answer_by_our_rule_may_go_uncounted(tmp_path, reply):
    sample = SampleRun(tmp_path, voting_attempts=3).add(0, answers=(None, "41", "41"), replies=[reply, *[REPLY] * 2])
    assert ("high", "other-vote") not in rules(look(sample))


def test_an_answer_by_our_rule_may_not_go_uncounted(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=3).add(0, answers=(None, "41", "41"), replies=[REPLY] * 3)
    assert ("high", "other-vote") in rules(look(sample))


# what a proxy of one's own gains, or a kill at the right moment


def lose(sample, cut, by, *, first=()):
    """Tasks `first` are done, then the attempts of `cut` come to nothing: by an outage, or by a crash."""
    begun = sample.__dict__.setdefault("begun", {})
    for number in cut:
        begun[number] = begun.get(number, 0) + 1
        sample.events.append(AttemptStarted(task_id=task_id(number), attempt=begun[number]))
    for number in first:
        sample.add(number, before=begun.get(number, 0))
    for number in cut if by == "outage" else ():
        sample.events.append(AttemptInterrupted(task_id=task_id(number), attempt=begun[number], reason="HTTP 503"))
    sample.events.append(RunResumed())


def finish(sample, tasks, right=lambda number: True):
    done = {result["task_id"] for result in sample.results}
    for number in range(tasks):
        if task_id(number) not in done:
            sample.add(number, answers=("41" if right(number) else "40",), before=sample.begun.get(number, 0))
    return look(sample)


@pytest.mark.parametrize(
    ("by", "times", "found"), [("outage", 1, []), ("crash", 2, ["medium"]), ("outage", 3, ["medium"])]
)
def test_only_the_tasks_that_were_wrong_are_tried_again(tmp_path, by, times, found):
    """Nobody can tell it from a service with too many requests: it is said, with its figures, and gates nothing."""
    sample, wrong = SampleRun(tmp_path), list(range(40))
    for _ in range(times):
        right, wrong = wrong[::3], [number for number in wrong if number not in wrong[::3]]
        lose(sample, wrong, by, first=right)
    check = finish(sample, 40, right=lambda number: number % 3 == 0)
    assert [f.severity for f in check.findings if f.rule == "many-cut-off"] == found
    assert not gating(check)


def test_a_whole_run_thrown_away_twice_is_medium(tmp_path):
    sample = SampleRun(tmp_path)
    for _ in range(2):
        lose(sample, range(40), "outage")
    assert ("medium", "many-cut-off") in rules(finish(sample, 40, right=lambda n: n % 4 != 0))


@pytest.mark.parametrize(
    ("workers", "right"), thoroughness.crossed([1, 4, 8], [lambda n: True, lambda n: n < 12, lambda n: n % 2 == 0])
)
def test_a_service_that_is_down_for_long_gates_nothing(tmp_path, workers, right):
    """Resumed ten times in vain, each time with the same tasks, in the middle of a run and at its beginning."""
    sample, at_once = SampleRun(tmp_path), workers + 2
    for _ in range(5):
        lose(sample, range(at_once), "outage")
    lose(sample, range(30, 30 + min(at_once, 6)), "outage", first=range(30))
    for _ in range(5):
        lose(sample, range(30, 30 + at_once), "outage")
    check = finish(sample, 80, right)
    assert not gating(check), gating(check)
    assert ("medium", "often-cut-off") in rules(check)


# attempts without an answer


def voted(folder, *votes):
    sample = SampleRun(folder, voting_attempts=len(votes[0]))
    for number, answers in enumerate(votes):
        sample.add(number, answers=answers)
    return look(sample)


def test_an_attempt_without_an_answer_is_disclosed(tmp_path):
    check = voted(tmp_path, ("41", None, "41"), ("41", "40", "41"), (None, None, None))
    assert rules(check) == {("low", "no-answer")}
    assert "1 of 3 attempts" in check.findings[0].summary


def test_wrong_attempts_that_became_errors_are_high(tmp_path):
    check = voted(tmp_path, *[(None, "41", None), ("40", "40", "39")] * 8)
    assert ("high", "no-answer-and-correct") in rules(check)
    assert "8 of 8 tasks" in check.findings[0].summary
    assert "0 of 8 others" in check.findings[0].summary


@pytest.mark.parametrize(
    "votes",
    [
        [(None, "41", None)] * 5 + [("40", "40", "39")] * 15 + [("41", "41", "40")] * 4,  # a few
        [(None, None, "41")] * 16,  # a good model with a bad provider, or one who takes wrong answers away
        [(None, None, "41")] * 12 + [(None, None, None)] * 4,
    ],
)
def test_lost_votes_that_may_be_chance_gate_nothing(tmp_path, votes):
    assert rules(voted(tmp_path, *votes)) == {("low", "no-answer"), ("medium", "no-answer-and-correct")}


@pytest.mark.parametrize(
    "votes",
    [
        [(None, "41", "41"), ("41", "41", "40")] * 8,  # lost, but they could not have changed the vote
        [(None, None, "41"), ("41", "41", "41")] * 8,  # a good model with a bad provider
        [(None, None, "41"), (None, None, "40"), ("41", "41", "40"), ("40", "39", "40")] * 4,  # right and wrong alike
        [(None, None, "40")] * 8 + [("41", "41", "41")] * 8,  # hard tasks run out of time
        [(None, None, "41")] * 3 + [("40", "40", "40")] * 8,  # too few to say anything
    ],
)
def test_what_fails_by_itself_is_disclosed_and_no_more(tmp_path, votes):
    assert rules(voted(tmp_path, *votes)) <= {("low", "no-answer")}


def failing(rng, votes, chance, ease):
    answers = [None if rng.random() < chance(ease) else "R" if rng.random() < ease else "W" for _ in range(votes)]
    choice = choose(answers)
    return Outcome(answers[choice.attempt - 1] == "R", (), answers.count(None), choice.votes)


@pytest.mark.parametrize("votes", [2, 3, 5])
@pytest.mark.parametrize("chance", [lambda _: 0.1, lambda _: 0.35, lambda _: 0.6, lambda ease: 0.8 * (1 - ease)])
def test_failures_that_do_not_know_the_answer_never_gate(votes, chance):
    rng = random.Random(votes)
    for _ in range(60):
        tasks = [failing(rng, votes, chance, rng.betavariate(1, 0.5)) for _ in range(rng.choice((10, 16, 40, 165)))]
        assert "high" not in {finding.severity for finding in lost_votes(tasks)}


# attempts of other programs, and hostile logs


def test_the_answer_that_another_program_counts_may_be_of_several_lines(tmp_path):
    sample = SampleRun(tmp_path).import_from()
    sample.add(0, answers=("1\nTHE CRANE - DUSK",), replies=["FINAL ANSWER: 1\nTHE CRANE - DUSK"])
    assert look(sample).findings == ()


def test_a_variable_handed_in_behind_the_words_is_what_counts(tmp_path):
    def work(recorder, question, _):
        recorder.prompt(1, "user", question)
        recorder.llm_call(1, "I call it with FINAL ANSWER: lanterns", model="pelican-4")
        recorder.answer(1, "41")

    assert look(SampleRun(tmp_path).import_from().add(0, work=work)).findings == ()


def test_work_grows_with_attempts_and_restarts_and_no_faster(tmp_path):
    def work(times):
        sample = SampleRun(tmp_path / str(times)).add(0, cut_off=times)
        run = sample.open()
        tasks = list(run.tasks())
        return calls_of(lambda: concluded(VotingDisclosure(run), tasks))

    (tmp_path / "200").mkdir()
    (tmp_path / "400").mkdir()
    assert work(400) < 2.2 * work(200)
