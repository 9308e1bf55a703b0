"""An agent in a box has tools, notes, sub-agents and reviewers of its own: what they give back is no leak by itself."""

import pytest
from tool_samples import FIRST, FOURTH, GOLDS, QUESTIONS, SECOND, THIRD, Sample, examined, run_of

from gaia_harness.audit.answer_key_reads import AnswerKeyReads
from gaia_harness.audit.answer_leakage import AnswerLeakage
from gaia_harness.audit.oracle_leakage import OracleLeakage
from gaia_harness.audit.timeline import Surroundings
from gaia_harness.evidence.recorder import Agent
from gaia_harness.records.origin import Origin
from gaia_harness.records.steps import Source

TOOLS = {"agent.http": "fetch", "bash": "code"}
BOXED, ELSEWHERE = Surroundings(tools=TOOLS, boxed=True), Surroundings(tools=TOOLS)
REVIEWER = Agent("agent-2", None)
QUESTION, ANSWER = QUESTIONS[FIRST], GOLDS[FIRST].answer
BOTH = f"Task: {QUESTION}\nFinal answer: {ANSWER}"


def found(sample, check, *more, around=BOXED, right=False):
    tasks = [each.evidence(GOLDS[each.task_id].answer if right else "an answer") for each in (sample, *more)]
    for task in tasks:
        task.around = around
    run = run_of(sample.folder)
    return {(each.rule, each.severity) for each in examined(check, run, *tasks).findings if each.severity != "info"}


def begun(folder, said="I look.", task_id=FIRST):
    folder.mkdir(exist_ok=True)
    sample = Sample(folder, task_id)
    sample.begin()
    sample.recorder.llm_call(1, said, model="m")
    return sample


def test_a_live_run_of_an_agent_is_known_for_one():
    live = Origin(kind="live", recorded_by="gaia-harness", tools=TOOLS)
    assert Surroundings.of(live).boxed
    assert not Surroundings.of(Origin(kind="imported", recorded_by="y", tools=TOOLS)).boxed


@pytest.mark.parametrize("tool", ["status", "ask_helper", "bash", "read_notes"])
def test_its_own_tools_give_back_the_question_and_what_was_said(tmp_path, tool):
    sample = begun(tmp_path).call(tool, {"what": "now"}, f"Task: {QUESTION}\nNo candidate yet.")
    sample.recorder.llm_call(1, f"It may be {ANSWER}.", model="m")
    sample.call(tool, {"what": "again"}, BOTH)
    assert not found(sample, AnswerLeakage)
    assert found(sample, AnswerLeakage, around=ELSEWHERE)


def test_notes_that_a_call_wrote_are_read_by_another(tmp_path):
    sample = begun(tmp_path).call("bash", {"cmd": f"echo 'Final answer: {ANSWER}' >> notes; cat notes"}, BOTH)
    assert not found(sample.call("bash", {"cmd": "cat notes"}, BOTH), AnswerLeakage)


def test_a_copy_in_its_own_folder_still_gates_and_so_does_one_that_it_fetched(tmp_path):
    sample = begun(tmp_path / "folder").call("bash", {"cmd": "cat sheet"}, BOTH)
    assert found(sample, AnswerLeakage) == {("copy-with-answer", "critical")}
    for said, severity in (("I look.", "critical"), (f"It may be {ANSWER}.", "high")):
        sample = begun(tmp_path / severity, said)
        url = "https://pages.example/sheet"
        sample.recorder.tool_call(1, "agent.http-4", "agent.http", {"method": "GET", "url": url})
        sources = [Source(url=url, title="", offset=0, bytes=len(BOTH))]
        sample.recorder.tool_result(1, "agent.http-4", "agent.http", BOTH, sources=sources)
        assert found(sample, AnswerLeakage) == {("copy-with-answer", severity)}


def test_it_may_leave_its_answer_where_it_is_told_to_and_look_at_it(tmp_path):
    sample = begun(tmp_path).call(
        "bash", {"cmd": f"echo '{ANSWER}' > $GAIA_ANSWER && cat \"${{GAIA_ANSWER}}\""}, ANSWER
    )
    assert not found(sample, AnswerKeyReads)
    assert found(sample.call("bash", {"cmd": "cat $GAIA_ANSWERS"}, ANSWER), AnswerKeyReads)


FOUR = (FIRST, SECOND, THIRD, FOURTH)  # verdicts on fewer answers agree with the gold by luck


def reviewed(folder, verdict, told, *, shown=True, task_id=FIRST):
    """A wrong answer, what a reviewer is asked and says of it, and what the model is told then."""
    sample = begun(folder, f"FINAL ANSWER: the curlew of {task_id[:4]}", task_id)
    record = sample.recorder
    if shown:
        record.prompt(
            2,
            "user",
            f"{QUESTIONS[task_id]}\nProposed: the curlew of {task_id[:4]}",
            context_sha256="b" * 64,
            by=REVIEWER,
        )
        record.llm_call(2, verdict, model="m", by=REVIEWER)
    record.prompt(3, "user", told, context_sha256="c" * 64)
    record.llm_call(3, f"FINAL ANSWER: {GOLDS[task_id].answer}", model="m")
    return sample


@pytest.mark.parametrize("told", ["No, that is incorrect.", "A reviewer says: No, that is incorrect. Try again."])
def test_the_verdict_of_a_model_that_reviews_is_no_oracle(tmp_path, told):
    samples = [reviewed(tmp_path, "No, that is incorrect.", told, task_id=each) for each in FOUR]
    assert not found(samples[0], OracleLeakage, *samples[1:])
    assert found(samples[0], OracleLeakage, *samples[1:], around=ELSEWHERE) == {("verdict-fed-back", "medium")}


def test_in_other_words_than_the_reviewer_s_it_is_medium_and_without_a_reviewer_critical(tmp_path):
    told = "Your answer is incorrect. Try again."
    assert found(reviewed(tmp_path / "a", "NO", told), OracleLeakage) == {("verdict-fed-back", "medium")}
    alone = [reviewed(tmp_path / "b", "", told, shown=False, task_id=each) for each in FOUR]
    assert found(alone[0], OracleLeakage, *alone[1:], right=True) == {("verdict-fed-back", "critical")}
    assert found(alone[0], OracleLeakage, *alone[1:]) == {("verdict-fed-back", "medium")}  # who always says no


def test_a_tool_that_asks_a_reviewer_is_no_oracle_and_one_that_asks_nobody_is(tmp_path):
    for asks, expected in ((True, set()), (False, {("verdict-fed-back", "critical")})):
        samples = []
        for task_id in (FIRST, THIRD, FOURTH):
            sample = begun(tmp_path / str(asks), "Is it this?", task_id)
            for answer, verdict in ((f"a gull {task_id[:4]}", "Incorrect."), (GOLDS[task_id].answer, "Correct.")):
                sample.recorder.tool_call(1, answer, "check", {"answer": answer})
                if asks:
                    sample.recorder.prompt(1, "user", f"Is it {answer}?", context_sha256="b" * 64, by=REVIEWER)
                    sample.recorder.llm_call(1, verdict, model="m", by=REVIEWER)
                sample.recorder.tool_result(1, answer, "check", verdict)
            samples.append(sample)
        assert found(samples[0], OracleLeakage, *samples[1:]) == expected
