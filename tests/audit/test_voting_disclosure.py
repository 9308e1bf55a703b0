"""AUD-6: every attempt is declared and disclosed, and the answer was chosen without knowing which is right."""

import msgspec
import pytest
from audit_samples import SampleRun, examine, gating, rules, task_id

from counted_work import calls_of
from gaia_command import gaia
from gaia_harness.audit.evidence import open_run
from gaia_harness.audit.no_work_pass import NoWorkPass
from gaia_harness.audit.normalization_collision import NormalizationCollision
from gaia_harness.audit.split_integrity import SplitIntegrity
from gaia_harness.audit.voting_disclosure import VotingDisclosure
from gaia_harness.records.events import (
    AttemptFinished,
    AttemptStarted,
    Judged,
    Rollback,
    RunResumed,
    TaskFinished,
)
from gaia_harness.records.stated import read_run
from gaia_harness.run.audit_input import load_dataset_facts


@pytest.fixture
def single(tmp_path):
    return SampleRun(tmp_path).add(0).add(1, gold="12", answers=("13",), judged=False)


@pytest.fixture
def voting(tmp_path):
    return SampleRun(tmp_path, voting_attempts=3).add(0, answers=("40", "41", "41"))


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
    assert rules(look(voting)) == set()


# the log against what was declared


def test_more_attempts_than_declared(tmp_path):
    sample = SampleRun(tmp_path).add(0, answers=("40", "41"))
    found = rules(look(sample))
    assert ("critical", "attempts-differ") in found


def test_more_attempts_than_declared_show_without_a_log(tmp_path):
    sample = SampleRun(tmp_path).add(0, answers=("40", "41"))
    assert rules(look(sample, log=False)) == {("critical", "attempts-differ")}


def test_attempts_that_only_the_log_knows(single):
    task = task_id(0)
    at = where(single, AttemptStarted)
    single.events[at:at] = [
        AttemptStarted(task_id=task, attempt=1),
        AttemptFinished(task_id=task, attempt=1, steps=4, steps_sha256="a" * 64),
    ]
    found = rules(look(single))
    assert ("critical", "attempts-differ") in found


def test_a_first_attempt_taken_out_of_the_log(tmp_path):
    sample = SampleRun(tmp_path).add(0, cut_off=1)
    del sample.events[where(sample, AttemptStarted, 0, 1)]
    assert ("critical", "event-out-of-place") in rules(look(sample))


def test_an_attempt_after_the_end_of_its_task(single):
    at = where(single, TaskFinished) + 1
    single.events.insert(at, AttemptStarted(task_id=task_id(0), attempt=2))
    assert ("critical", "event-out-of-place") in rules(look(single))


def test_a_task_that_was_finished_twice(single):
    single.events.append(single.events[where(single, TaskFinished)])
    assert ("critical", "event-out-of-place") in rules(look(single))


@pytest.mark.parametrize("crash", [False, True])
def test_a_retry_after_the_judges_verdict(tmp_path, crash):
    sample = SampleRun(tmp_path).add(0, cut_off=1)
    verdict = Judged(task_id=task_id(0), model="openai/judge", prompt_sha256="b" * 64, verdict=False, cached=False)
    at = where(sample, AttemptStarted, 0, 1) + 1
    sample.events.insert(at, verdict)
    if not crash:
        sample.events = [event for event in sample.events if not isinstance(event, RunResumed)]
    assert ("critical", "event-out-of-place") in rules(look(sample))


@pytest.mark.parametrize(("verdict", "answer"), [(False, "40"), (True, "41"), (True, "40"), (None, "41")])
def test_a_crash_behind_a_verdict_that_nothing_was_gained_by(tmp_path, verdict, answer):
    sample = SampleRun(tmp_path).add(0, cut_off=1, answers=(answer,))
    said = Judged(task_id=task_id(0), model="openai/judge", prompt_sha256="b" * 64, verdict=verdict, cached=False)
    sample.events.insert(where(sample, AttemptStarted, 0, 1) + 1, said)
    check = look(sample)
    assert ("medium", "event-out-of-place") in rules(check)
    assert not gating(check)


def test_events_behind_the_end_of_the_run(single):
    single.events.append(single.closed())
    assert ("critical", "event-out-of-place") in rules(look(single))


def test_an_attempt_in_the_trajectory_that_the_log_does_not_know(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=2).add(0, answers=("40", "41"))
    sample.events = [e for e in sample.events if getattr(e, "attempt", None) != 2]
    assert ("critical", "attempts-differ") in rules(look(sample))


def test_a_conversation_that_begins_anew_within_an_attempt(tmp_path):
    def work(recorder, question, reply):
        for turn, said in enumerate(("FINAL ANSWER: 40", reply), start=1):
            recorder.prompt(turn, "system", "You answer questions.", context_sha256="c" * 64)
            recorder.prompt(turn, "user", question, context_sha256="c" * 64)
            recorder.llm_call(turn, said, model="pelican-4")

    sample = SampleRun(tmp_path).add(0, work=work)
    assert rules(look(sample)) == {("medium", "attempts-differ")}
    assert look(sample.import_from()).findings == ()  # other programs record each turn with all that was sent


def test_fewer_attempts_than_declared(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=3).add(0, answers=("41",)).add(1, answers=("40",))
    assert rules(look(sample)) == {("high", "attempts-differ"), ("medium", "attempts-differ")}


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
    check = look(voting)
    assert rules(check) == {("critical", "other-choice")}
    assert (check.findings[0].attempt, check.findings[0].excerpt) == (2, "the majority is attempt 2 with 2 of 3 votes")


REPLY = "The harbour book says so.\n\nFINAL ANSWER: 41"


@pytest.mark.parametrize("vote", [None, "39"])
@pytest.mark.parametrize(("gold", "severity"), [("40", "critical"), ("41", "high")])
def test_a_vote_that_is_not_the_answer_of_its_attempt(tmp_path, vote, gold, severity):
    sample = SampleRun(tmp_path, voting_attempts=3)
    replies = [REPLY, REPLY.replace("41", "40"), REPLY.replace("41", "40")]
    check = look(sample.add(0, gold=gold, answers=(vote, "40", "40"), replies=replies))
    assert rules(check) == {(severity, "other-choice")}
    assert (check.findings[0].attempt, check.findings[0].excerpt) == (1, "41")


@pytest.mark.parametrize("reply", ["FINAL ANSWER: your answer", "I would say FINAL ANSWER: 41"])
def test_what_is_no_answer_by_our_rule_may_go_uncounted(tmp_path, reply):
    sample = SampleRun(tmp_path, voting_attempts=3).add(0, answers=(None, "41", "41"), replies=[reply, *[REPLY] * 2])
    assert rules(look(sample)) == set()


def test_an_answer_left_out_of_the_vote(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=3).add(0, answers=("40", "40", "41"))
    sample.results[0].update(answer="41", correct=True)
    sample.results[0]["voting"].update(answers=["41"], selected_attempt=3, votes=1, cast=1)
    sample.lines[0].update(final_answer="41", selected_attempt=3)
    check = look(sample)
    assert ("critical", "attempts-differ") in rules(check)
    assert check.findings[0].excerpt == "3 declared, 1 in the vote, 3 in the log with 3 since the last restart"


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


CUT = {0, 2, 4, 6, 8}


def test_crashes_are_disclosed_and_no_more(tmp_path):
    check = look(crashes(tmp_path, 12, {3}))
    assert (rules(check), check.status) == ({("low", "interrupted")}, "pass")


@pytest.mark.parametrize("right", [lambda n: True, lambda n: n % 4 != 0, lambda n: n not in CUT, lambda n: False])
def test_a_machine_that_is_switched_off_whatever_it_is_doing_gates_nothing(tmp_path, right):
    assert rules(look(crashes(tmp_path, 12, CUT, right=right))) == {("medium", "interrupted")}


def test_a_run_of_which_much_was_thrown_away_is_medium(tmp_path):
    assert rules(look(crashes(tmp_path, 12, set(range(12))))) == {("medium", "interrupted")}


def test_a_rollback_that_was_accepted_is_high(tmp_path):
    sample = SampleRun(tmp_path)
    for number in range(3):
        sample.add(number)
    at = len(sample.events) + 1  # behind run_started
    sample.events.append(RunResumed(rollback=Rollback(kept=at, seen=at + 40)))
    sample.add(3)
    [finding] = gating(look(sample))
    assert (finding.severity, finding.rule) == ("high", "interrupted")
    assert f"from line {at} of its log, when it had {at + 40}" in finding.summary


def test_a_cut_off_attempt_that_the_result_hides(tmp_path):
    sample = crashes(tmp_path, 3, {1})
    sample.results[1]["attempts"] = 1
    sample.results[1]["voting"]["selected_attempt"] = 1
    assert ("critical", "attempts-differ") in rules(look(sample))


# beginning, end and declaration


def test_a_run_that_is_not_closed(single):
    assert rules(look(single, closed=False)) == {("medium", "interrupted")}


def test_a_run_that_was_given_up(single):
    assert rules(look(single, closed=single.closed(status="aborted"))) == {("medium", "interrupted")}


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
    assert ("high", "record-broken") in rules(look(single, log=False))


def test_a_log_with_a_line_taken_out(single):
    run = single.open()
    path = single.folder / "log.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:2] + lines[3:]))
    run = open_run(single.folder, run.dataset)
    assert ("critical", "record-broken") in rules(examine(VotingDisclosure, run))


def test_a_log_cut_short_by_a_crash_gates_nothing(single):
    run = single.open(closed=False)
    path = single.folder / "log.jsonl"
    path.write_bytes(path.read_bytes() + b'{"event":"att')
    check = examine(VotingDisclosure, open_run(single.folder, run.dataset))
    assert rules(check) == {("medium", "record-broken"), ("medium", "interrupted")}


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
    assert rules(check) == {("high", "record-broken")}


def test_an_intent_that_is_none(single):
    single.declare()
    (single.folder / "intent.dsse.json").write_bytes(b'{"payload": "e30="}')
    assert ("critical", "record-broken") in rules(look(single))


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


# attempts without an answer


def voted(folder, *votes):
    sample = SampleRun(folder, voting_attempts=len(votes[0]))
    for number, answers in enumerate(votes):
        sample.add(number, answers=answers)
    return look(sample)


@pytest.mark.parametrize("votes", [(None, "41", "41"), (None, None, "41"), (None, None, "40")])
def test_attempts_that_fail_are_nothing(tmp_path, votes):
    assert rules(voted(tmp_path, *[votes, ("41", "41", "40")] * 8)) == set()


# hostile logs


def test_work_grows_with_attempts_and_restarts_and_no_faster(tmp_path):
    def work(times):
        sample = SampleRun(tmp_path / str(times)).add(0, cut_off=times)
        run = sample.open()
        tasks = list(run.tasks())
        return calls_of(lambda: concluded(VotingDisclosure(run), tasks))

    (tmp_path / "200").mkdir()
    (tmp_path / "400").mkdir()
    assert work(400) < 2.2 * work(200)
