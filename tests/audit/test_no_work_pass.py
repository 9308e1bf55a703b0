"""AUD-2: a result needs work behind it, and must be the one that the work came to."""

import msgspec
import pytest
from audit_samples import SampleRun, examine, gating, rules, task_id, text_fields

from counted_work import calls_of
from gaia_harness.audit.no_work_pass import NoWorkPass
from gaia_harness.audit.voting_disclosure import VotingDisclosure
from gaia_harness.records.events import AttemptFinished, Judged, RecordingFailed, RunResumed


@pytest.fixture
def sample(tmp_path):
    return SampleRun(tmp_path).add(0).add(1, gold="12", answers=("13",))


def look(sample, check=NoWorkPass, **options):
    return examine(check, sample.open(**options))


def wipe(line, keep=()):
    """A trajectory with only some of its steps, its counts made to fit."""
    line["steps"] = [step for step in line["steps"] if step["type"] in keep]
    for seq, step in enumerate(line["steps"]):
        step["seq"] = seq
    line["turns"] = len({(s["attempt"], s["turn"]) for s in line["steps"]})
    line["input_tokens"] = line["output_tokens"] = 0
    line["tools_used"] = sorted({s["name"] for s in line["steps"] if s["type"] == "tool_call"})


def fit(sample, place=0):
    """Make the result and the log agree with the line: the work of a careful forger."""
    line, result = sample.lines[place], sample.results[place]
    for name in ("turns", "input_tokens", "output_tokens", "tools_used"):
        result[name] = line[name]
    sample.bind(place)
    sample.bind_steps(place)


def test_honest_work_passes(sample):
    check = look(sample)
    assert (check.id, check.name, check.status) == ("AUD-2", "no-work-pass", "pass")
    assert check.findings == ()


def test_answers_by_heart_are_counted_one_by_one_and_no_accusation(tmp_path):
    sample = SampleRun(tmp_path).add(0, tools=False).add(1, tools=False).add(2).add(3, answers=("40",), tools=False)
    check = look(sample)
    assert rules(check) == {("info", "closed-book")}
    assert [finding.task_id for finding in check.findings] == [task_id(0), task_id(1)]
    assert check.status == "pass"


def handing_in(*, thought="I have it.", tools=(), answer="41", said=None):
    """An attempt of another program: the model speaks, tools are called, and a variable is handed in."""

    def work(recorder, question, _):
        recorder.prompt(1, "user", question)
        recorder.llm_call(1, thought, model="pelican-4")
        for number, (name, args, output) in enumerate(tools):
            recorder.tool_call(1, f"c{number}", name, args)
            recorder.tool_result(1, f"c{number}", name, output)
        if answer is not None:
            recorder.answer(1, answer)
        if said is not None:
            recorder.llm_call(2, said, model="pelican-4")

    return work


OTHER_TOOLS = {"conjure": "code", "hand_over": "answer", "ask_crew": "delegate", "dredge": "search"}


@pytest.mark.parametrize(
    "work",
    [
        handing_in(tools=[("conjure", {"code": "final(len(lanterns))"}, "")]),
        handing_in(tools=[("conjure", {"code": "final(len(lanterns))"}, "")], answer=None),
        handing_in(tools=[("hand_over", {"what": 41}, "thank you")], answer=None),
        handing_in(tools=[("ask_crew", {"task": "count them"}, "The crew counts 41 lanterns.")]),
        handing_in(thought="There are 41 lanterns, no more."),
    ],
    ids=["variable", "variable without its step", "tool", "other agent", "words"],
)
def test_code_agent_hands_in_a_variable_that_it_never_said(tmp_path, work):
    check = look(SampleRun(tmp_path).import_from(OTHER_TOOLS).add(0, work=work))
    assert rules(check) <= {("info", "closed-book")}


def test_what_another_program_may_have_worded_anew_gates_nothing(tmp_path):
    work = handing_in(thought="There are forty-one, I think.", tools=[("dredge", {"query": "Ossel"}, "")], answer=None)
    check = look(SampleRun(tmp_path).import_from(OTHER_TOOLS).add(0, work=work))
    assert rules(check) == set()


def test_answer_tool_is_no_work(tmp_path):
    work = handing_in(tools=[("hand_over", {"what": "41"}, "")])
    check = look(SampleRun(tmp_path).import_from(OTHER_TOOLS).add(0, work=work))
    assert rules(check) == {("info", "closed-book")}


def test_our_own_loop_computes_no_answer_behind_the_words(tmp_path):
    """It takes the answer from the last reply: that code ran before explains nothing."""
    work = handing_in(tools=[("python", {"code": "print(1)"}, "1")], answer=None, said="I leave it there.")
    assert ("critical", "other-answer") in rules(look(SampleRun(tmp_path).add(0, work=work)))


@pytest.mark.parametrize("check", [NoWorkPass, VotingDisclosure])
def test_other_programs_read_an_answer_of_several_lines_by_rules_of_their_own(tmp_path, check):
    work = handing_in(answer="A long essay.", said="FINAL ANSWER: 1\nTHE CRANE - DUSK")
    sample = SampleRun(tmp_path).add(0, gold="1\nTHE CRANE - DUSK", answers=("1\nTHE CRANE - DUSK",), work=work)
    found = {rule for _, rule in rules(look(sample.import_from(OTHER_TOOLS), check))}
    assert found.isdisjoint({"other-answer", "other-choice"})


def test_a_reply_behind_which_the_scaffold_asked_for_more_is_not_the_last_word(tmp_path):
    def work(recorder, question, _):
        handing_in(answer=None, said="**Report the Final Answer**:\n- Round the distance.")(recorder, question, _)
        recorder.prompt(2, "user", "Be sure to include an action!")  # and what came of that is not in the log

    check = look(SampleRun(tmp_path).import_from(OTHER_TOOLS).add(0, work=work))
    assert rules(check) == {("info", "closed-book")}


def test_replies_that_nobody_kept_are_a_gap_and_no_finding(tmp_path):
    sample = SampleRun(tmp_path).import_from(unknown=("replies", "tokens"))
    sample.add(0, work=lambda recorder, question, _: recorder.answer(1, "41"))
    assert look(sample).findings == ()


def test_a_model_that_could_not_be_reached_is_no_finding(tmp_path):
    sample = SampleRun(tmp_path).add(0, answers=(None,))
    wipe(sample.lines[0], keep=("prompt",))
    fit(sample)
    assert look(sample).findings == ()


def test_no_trajectory(sample):
    del sample.lines[0]
    check = look(sample)
    assert rules(check) == {("critical", "no-work")}
    assert check.findings[0].task_id == task_id(0)


def test_no_trajectory_of_a_wrong_answer_gates_nothing(sample):
    del sample.lines[1]
    assert rules(look(sample)) == {("medium", "no-work")}


@pytest.mark.parametrize(
    ("keep", "rule"),
    [
        ((), "no-work"),
        (("prompt",), "no-work"),
        (("prompt", "tool_call", "tool_result"), "no-work"),
    ],
)
def test_an_answer_out_of_nothing(sample, keep, rule):
    wipe(sample.lines[0], keep)
    fit(sample)
    assert rules(look(sample)) == {("critical", rule)}


def test_calls_without_output_tokens(tmp_path):
    assert ("critical", "no-work") in rules(look(SampleRun(tmp_path).add(0, tokens=0)))


@pytest.mark.parametrize(("others", "found"), [(0, "medium"), (20, "critical")])
def test_a_server_that_says_zero_says_so_in_every_task(tmp_path, others, found):
    sample = SampleRun(tmp_path).add(0, tokens=0).add(1, tokens=others).add(2, tokens=others)
    for line, result in zip(sample.lines, sample.results, strict=True):
        if not line["output_tokens"]:
            for step in line["steps"]:
                if step["type"] == "llm_call":
                    step["tokens_in"] = 0
            line["input_tokens"] = result["input_tokens"] = 0
    assert {severity for severity, rule in rules(look(sample)) if rule == "no-work"} == {found}


@pytest.mark.parametrize("words", ["I look.", ""])
def test_the_log_of_another_program_may_say_zero_in_one_task(tmp_path, words):
    def work(recorder, question, _):
        recorder.prompt(1, "user", question)
        recorder.llm_call(1, words, model="pelican-4", tokens_in=12, tokens_out=0)
        recorder.tool_call(1, "c1", "web_search", {"query": "lamps"})
        recorder.tool_result(1, "c1", "web_search", "41 lamps")
        recorder.answer(1, "41")

    sample = SampleRun(tmp_path).import_from({"web_search": "search"}).add(0, work=work).add(1)
    assert {severity for severity, rule in rules(look(sample)) if rule == "no-work"} == {"medium"}


def test_to_hand_in_an_answer_without_a_token_is_no_work(tmp_path):
    def work(recorder, question, _):
        recorder.prompt(1, "user", question)
        recorder.llm_call(1, "", model="pelican-4", tokens_in=12, tokens_out=0)
        recorder.tool_call(1, "c1", "submit", {"answer": "41"})
        recorder.answer(1, "41", call_id="c1")

    sample = SampleRun(tmp_path).import_from({"submit": "answer"}).add(0, work=work).add(1)
    assert ("critical", "no-work") in rules(look(sample))


def test_replies_of_another_attempt_do_not_make_those_of_the_chosen_one_known(tmp_path):
    sample = SampleRun(tmp_path).import_from(unknown=("replies", "tokens")).add(0, answers=("41", "41"))
    chosen = sample.lines[0]["selected_attempt"]
    steps = sample.lines[0]["steps"]
    wipe(sample.lines[0], keep=("prompt", "llm_call", "tool_call", "tool_result"))
    sample.lines[0]["steps"] = [
        step for step in steps if not (step["type"] == "llm_call" and step["attempt"] == chosen)
    ]
    for seq, step in enumerate(sample.lines[0]["steps"]):
        step["seq"] = seq
    fit(sample)
    assert not {rule for severity, rule in rules(look(sample)) if rule == "no-work"}


def test_tokens_that_were_not_reported_are_not_zero(tmp_path):
    assert look(SampleRun(tmp_path).add(0, tokens=None)).findings == ()


@pytest.mark.parametrize("tokens", [None, 20])
def test_calls_without_words(tmp_path, tokens):
    """Other frameworks log no words of a model that calls a tool: the call is what it said."""
    sample = SampleRun(tmp_path).add(0, tokens=tokens)
    wipe(sample.lines[0], keep=("prompt", "llm_call", "answer", "tool_call", "tool_result"))
    for step in sample.lines[0]["steps"]:
        if step["type"] == "llm_call":
            step.update(text_fields(""))
    fit(sample)
    assert ("critical", "no-work") not in rules(look(sample))


@pytest.mark.parametrize("change", [{"seq": 7}, {"bytes": 3}, {"truncated": True}, {"output_sha256": "0" * 64}])
def test_a_lie_in_a_step(sample, change):
    sample.lines[0]["steps"][3 if "seq" in change else 2].update(change)
    check = look(sample)
    assert ("critical", "unsound-record") in rules(check)
    assert "trajectories.jsonl:1" in check.findings[0].excerpt


def test_a_result_whose_answer_was_rewritten(tmp_path):
    sample = SampleRun(tmp_path).add(0, answers=("40",))
    sample.results[0].update(answer="41", correct=True)
    sample.results[0]["voting"]["answers"] = ["41"]
    found = rules(look(sample))
    assert {("critical", "other-answer"), ("critical", "changed-after-the-run")} <= found


def test_another_attempt_chosen_in_the_trajectory(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=2).add(0, answers=("41", "41"))
    sample.lines[0]["selected_attempt"] = 2
    assert ("critical", "other-answer") in rules(look(sample))


def test_an_answer_rewritten_everywhere_but_in_the_words(tmp_path):
    sample = SampleRun(tmp_path).add(0, answers=("40",))
    sample.results[0].update(answer="41", correct=True)
    sample.results[0]["voting"]["answers"] = ["41"]
    sample.lines[0]["final_answer"] = "41"
    fit(sample)
    check = look(sample, VotingDisclosure)
    assert rules(check) == {("critical", "other-choice")}
    assert (check.findings[0].excerpt, check.findings[0].attempt, check.findings[0].seq) == ("40", 1, 6)


def test_an_answer_that_the_model_never_said(tmp_path):
    sample = SampleRun(tmp_path).add(0, answers=("41",), replies=("I have looked at it all and leave it there.",))
    assert rules(look(sample)) == {("critical", "other-answer")}


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        ("41", "The count comes to 41 lanterns."),
        ("1234", "It is **1,234**."),
        ("Old Squint", "FINAL ANSWER:\n\n*Old Squint*"),
        ("naïve, 3", "final answer： naïve, 3"),
    ],
)
def test_an_answer_in_other_dress_was_said(tmp_path, answer, reply):
    assert look(SampleRun(tmp_path).add(0, gold=answer, answers=(answer,), replies=(reply,))).findings == ()


def masked(sample, head):
    last = [step for step in sample.lines[0]["steps"] if step["type"] == "llm_call"][-1]
    last.update(text_fields("The key is swordfish/9-and-more.\nFINAL ANSWER: 40 lanterns"), redactions=1, head=head)
    fit(sample)
    return look(sample)


def test_a_mask_does_not_excuse_another_answer(tmp_path):
    check = masked(SampleRun(tmp_path).add(0), "The key is [masked key].\nFINAL ANSWER: 40")
    assert rules(check) == {("critical", "other-answer")}


def test_a_mask_does_not_hide_a_short_answer(tmp_path):
    check = masked(SampleRun(tmp_path).add(0), "The key is [masked key].")
    assert rules(check) == {("critical", "other-answer")}
    check = masked(SampleRun(tmp_path / "other").add(0), "FINAL ANSWER: [masked key]")
    assert rules(check) == {("critical", "other-answer")}


def test_an_answer_behind_the_first_64_kib_of_a_reply_is_found(tmp_path):
    reply = "So I reckon. " * 6000 + "FINAL ANSWER: 41"
    assert rules(look(SampleRun(tmp_path).add(0, replies=(reply,), tokens=24000))) == set()


def test_another_answer_behind_the_first_64_kib_of_a_reply_is_found(tmp_path):
    reply = "So I reckon. " * 6000 + "FINAL ANSWER: 43"
    found = rules(look(SampleRun(tmp_path).add(0, replies=(reply,), tokens=24000)))
    assert found == {("critical", "other-answer")}


def test_a_silent_attempt_beside_one_that_spoke(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=2).add(0, answers=("41", "41"))
    for step in sample.lines[0]["steps"]:
        if step["type"] == "llm_call" and step["attempt"] == 1:
            step["tokens_out"] = 0
    assert ("critical", "no-work") in rules(look(sample))


def test_a_verdict_before_a_restart_is_not_that_of_the_result(tmp_path):
    sample = SampleRun(tmp_path).add(0, cut_off=1)
    said = Judged(task_id=task_id(0), model="openai/judge", prompt_sha256="b" * 64, verdict=False, cached=False)
    sample.events.insert(next(at for at, event in enumerate(sample.events) if type(event) is RunResumed), said)
    assert look(sample).findings == ()


def test_a_line_changed_after_the_run(sample):
    sample.lines[0]["steps"][2]["latency_ms"] = 77
    found = rules(look(sample))
    assert found == {("critical", "changed-after-the-run")}


@pytest.mark.parametrize(
    ("where", "change", "named"),
    [
        ("line", {"turns": 9}, "turns"),
        ("line", {"tools_used": []}, "tools_used"),
        ("line", {"input_tokens": 5}, "input_tokens"),
        ("line", {"model": "openai/other"}, "model"),
        ("result", {"turns": 9}, "turns of the result"),
        ("result", {"turns": 1}, "turns of the result"),
        ("result", {"output_tokens": 1}, "output_tokens of the result"),
        ("result", {"tools_used": ["python", "web_search"]}, "tools_used of the result"),
        ("result", {"tools_used": []}, "tools_used of the result"),
    ],
)
def test_counts_that_do_not_add_up(sample, where, change, named):
    (sample.lines if where == "line" else sample.results)[0].update(change)
    sample.bind(0)
    check = look(sample)
    assert ("high", "counts-do-not-add-up") in rules(check)
    assert named in check.findings[0].excerpt


def test_more_words_than_tokens_can_hold(tmp_path):
    reply = "So I reckon. " * 200 + "FINAL ANSWER: 41"
    assert rules(look(SampleRun(tmp_path / "few").add(0, replies=(reply,), tokens=4))) == {
        ("medium", "counts-do-not-add-up")
    }
    assert rules(look(SampleRun(tmp_path / "many").add(0, replies=(reply,), tokens=400))) == set()


def test_an_attempt_that_failed_by_a_defect_is_missing_in_the_sums(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=2).add(0, answers=("41", None))
    sample.results[0].update(turns=2, input_tokens=600, output_tokens=40)
    sample.bind(0)
    assert look(sample).findings == ()


def test_such_an_attempt_excuses_no_sums_beyond_the_steps(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=2).add(0, answers=("41", None))
    sample.results[0].update(turns=40)
    sample.bind(0)
    assert rules(look(sample)) == {("high", "counts-do-not-add-up")}


def test_a_turn_in_which_the_time_ended_may_have_no_steps(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=2).add(0, answers=("41", None))
    turns = sample.results[0]["turns"]
    for more, found in ((1, set()), (2, {("high", "counts-do-not-add-up")})):
        sample.results[0].update(turns=turns + more)
        sample.bind(0)
        assert rules(look(sample)) == found


def test_steps_of_another_task_are_no_work_on_this_one(sample):
    other = "Name the river that turns the wheel of the paper mill below Farrowby."
    step = next(step for step in sample.lines[0]["steps"] if step.get("role") == "user")
    fields = text_fields(other)
    step.update(head=fields["head"], bytes=fields["bytes"], content_sha256=fields["output_sha256"])
    fit(sample)
    assert rules(look(sample)) == {("critical", "no-work")}
    task = next(sample.open().tasks())
    masked = [msgspec.structs.replace(each, redactions=int(each.seq == step["seq"])) for each in task.trajectory.steps]
    task.trajectory = msgspec.structs.replace(task.trajectory, steps=tuple(masked))
    said = {finding.rule for finding in NoWorkPass(sample.open()).look(task).findings}
    assert "no-work" not in said  # what is masked may be the question


def unprompted(recorder, _, reply):
    recorder.llm_call(1, reply, model="pelican-4")


def test_a_prompt_that_was_not_recorded_is_an_unsound_record(tmp_path):
    check = look(SampleRun(tmp_path).add(0, work=unprompted))
    (finding,) = (finding for finding in check.findings if finding.rule == "unsound-record")
    assert (finding.severity, finding.task_id, finding.seq) == ("high", task_id(0), 0)


def test_a_prompt_that_another_programs_log_does_not_have_is_none(tmp_path):
    check = look(SampleRun(tmp_path).import_from(OTHER_TOOLS).add(0, work=unprompted))
    assert "unsound-record" not in {finding.rule for finding in check.findings}


def test_evidence_that_could_not_be_kept_is_an_unsound_record(sample):
    sample.events.append(RecordingFailed(task_id=task_id(0), reason="disk full"))
    assert rules(look(sample)) == {("high", "unsound-record")}


def test_work_grows_with_the_steps_and_no_faster(tmp_path):
    def calls(steps):
        tools = [("dredge", {"query": "Ossel"}, "No such page.")] * steps
        (tmp_path / str(steps)).mkdir()
        run = SampleRun(tmp_path / str(steps)).import_from(OTHER_TOOLS).add(0, work=handing_in(tools=tools)).open()
        (task,) = run.tasks()
        return calls_of(lambda: NoWorkPass(run).look(task))

    assert calls(400) < 2.2 * calls(200)


def test_results_that_cannot_be_read(sample):
    sample.results[0]["turns"] = -1
    check = look(sample)
    assert ("high", "unsound-record") in rules(check)


def test_a_line_cut_short_by_a_crash_gates_nothing(sample):
    run = sample.open(closed=False)
    path = sample.folder / "trajectories.jsonl"
    path.write_bytes(path.read_bytes() + b'{"task_id":')
    check = examine(NoWorkPass, run)
    assert rules(check) == {("medium", "unsound-record")}
    assert not gating(check)


def test_a_run_that_declared_to_record_nothing_is_no_clean_run(sample):
    sample.run["config"]["record_evidence"] = False
    sample.lines.clear()
    check = look(sample, started=sample.started(record_evidence=False))
    assert check.status == "fail" and check.harness_gap
    assert ("critical", "no-work") in rules(check)


def test_to_say_afterwards_that_nothing_was_recorded_does_not_help(sample):
    sample.run["config"]["record_evidence"] = False
    sample.lines.clear()
    assert ("critical", "no-work") in rules(look(sample))


def test_an_answer_by_the_rule_of_the_first_version_is_still_the_answer(tmp_path):
    """Version 0.1 took the last marker wherever it stood: what it wrote down is read as it was meant."""
    reply = "FINAL ANSWER: 40\nNo, that was low: FINAL ANSWER: 41"
    assert rules(look(SampleRun(tmp_path).add(0, replies=[reply]))) == set()
    assert rules(look(SampleRun(tmp_path / "new").add(0, gold="40", answers=("40",), replies=[reply]))) == set()


def test_an_answer_by_no_rule_is_another(tmp_path):
    reply = "41 it is not.\nFINAL ANSWER: 40\nNo, that was low: FINAL ANSWER: 42"
    assert rules(look(SampleRun(tmp_path).add(0, replies=[reply]), VotingDisclosure)) == {("critical", "other-choice")}


def test_a_log_that_binds_the_line_and_not_the_steps_of_its_attempt(sample):
    at = next(at for at, event in enumerate(sample.events) if type(event) is AttemptFinished)
    sample.events[at] = msgspec.structs.replace(sample.events[at], steps=sample.events[at].steps - 2)
    assert rules(look(sample)) == {("critical", "changed-after-the-run")}


def test_a_chosen_answer_that_was_never_given(tmp_path):
    sample = SampleRun(tmp_path, voting_attempts=3).add(0, answers=("40", "40", "41"))
    sample.results[0].update(answer="41", correct=True)
    sample.results[0]["voting"].update(answers=["40", "41", "41"], selected_attempt=2)
    sample.lines[0].update(final_answer="41", selected_attempt=2)
    check = look(sample, VotingDisclosure)
    assert rules(check) == {("critical", "other-choice")}
    assert [f.excerpt for f in check.findings if f.attempt == 2] == ["40"]


def test_a_reply_that_went_on_to_a_tool_gave_no_answer(tmp_path):
    sample = SampleRun(tmp_path).add(0, answers=(None,))
    reply = next(step for step in sample.lines[0]["steps"] if step["type"] == "llm_call")
    reply.update(text_fields("Not yet, but perhaps\nFINAL ANSWER: 3"))
    sample.lines[0]["steps"] = sample.lines[0]["steps"][:5]
    assert "other-answer" not in {rule for _, rule in rules(look(sample))}


def test_the_answer_that_another_program_counts_may_be_of_several_lines(tmp_path):
    sample = SampleRun(tmp_path).import_from()
    sample.add(0, answers=("1\nTHE CRANE - DUSK",), replies=["FINAL ANSWER: 1\nTHE CRANE - DUSK"])
    assert look(sample).findings == ()


def test_a_variable_handed_in_behind_the_words_is_what_counts(tmp_path):
    def work(recorder, question, _):
        recorder.prompt(1, "user", question)
        recorder.llm_call(1, "I call it with FINAL ANSWER: lanterns", model="pelican-4")
        recorder.answer(1, "41")

    assert rules(look(SampleRun(tmp_path).import_from().add(0, work=work))) == {("info", "closed-book")}
