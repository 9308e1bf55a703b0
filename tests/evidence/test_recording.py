"""The evidence of a run from any agent loop: a loop that is not ours, and a file compared byte for byte.

To write the golden file anew after a change of the format: GAIA_WRITE_GOLDEN=1 pytest tests/evidence/test_recording.py
"""

import hashlib
import json
import os
from pathlib import Path

import pytest
from evidence_samples import ANSWER, OTHER, QUESTION, QUESTIONS, TASK

from gaia_harness.errors import EvidenceError
from gaia_harness.evidence import Source
from gaia_harness.evidence.recording import Recording
from gaia_harness.records.trajectories import encode, read_trajectories

GOLDEN = Path(__file__).parent / "data" / "trajectories.golden.jsonl"


def their_agent(question: str, model, search, recorder) -> str:
    """A loop that is not ours: twenty lines, of which five take down what happens."""
    messages = [question]
    recorder.prompt(1, "user", question, context_sha256=hashlib.sha256(question.encode()).hexdigest())
    for turn in range(1, 10):
        said = model(messages)
        recorder.llm_call(turn, said, model="their-model", tokens_in=len(str(messages)), tokens_out=len(said))
        messages.append(said)
        if not said.startswith("SEARCH "):
            return said
        recorder.tool_call(turn, f"call-{turn}", "search", {"query": said[7:]})
        page = search(said[7:])
        recorder.tool_result(turn, f"call-{turn}", "search", page)
        messages.append(page)
        context = hashlib.sha256(json.dumps(messages).encode()).hexdigest()
        recorder.prompt(turn + 1, "context", "", context_sha256=context)
    return "I do not know"


def test_a_loop_that_is_not_ours_is_recorded(tmp_path):
    replies = iter(["SEARCH skerrow ballad bird", "the corncrake"])
    with Recording(tmp_path / "run", QUESTIONS) as recording:
        task = recording.task(TASK, model="their-model")
        answer = their_agent(
            QUESTION, lambda _: next(replies), lambda _: f"A page that quotes: {QUESTION} {ANSWER}", task.attempt()
        )
        finished = task.finish(answer)
    ((number, data, trajectory),) = read_trajectories(tmp_path / "run" / "trajectories.jsonl")
    assert (number, trajectory.final_answer, trajectory.turns) == (1, "the corncrake", 2)
    assert trajectory.tools_used == ("search",)
    assert hashlib.sha256(data).hexdigest() == finished.sha256
    result = trajectory.steps[3]
    assert (result.scan.copy, result.body) == (1.0, True)
    assert (tmp_path / "run" / "bodies" / f"{result.output_sha256}.zst").exists()


def write_fixed_run(folder: Path) -> bytes:
    """Two tasks, the first with two attempts, with something of everything."""
    secret = "our-own-secret-value-1"
    with Recording(folder, QUESTIONS, secrets=[secret]) as recording:
        task = recording.task(TASK, model="fixed/model", voting_attempts=2, attempts_before=1)
        first = task.attempt()
        first.prompt(1, "system", "You answer questions. " * 120, context_sha256="a" * 64)
        first.prompt(1, "tools", '[{"name":"web_search"}]', context_sha256="a" * 64)
        first.prompt(1, "user", QUESTION, context_sha256="a" * 64)
        first.llm_call(
            1, "I look it up — now.", model="fixed/model-1", tokens_in=420, tokens_out=17, stop_reason="tool_calls",
            latency_ms=812, response_id="resp_1",
        )  # fmt: skip
        raw = json.dumps({"query": f"ballad {secret}", "page": 1, "options": {"safe": [True, None, 0.5]}})
        first.tool_call(1, "call_1", "web_search", json.loads(raw), raw=raw)
        first.tool_call(1, "call_2", "python", None, raw='{"code": "print(1"')
        hits = ["Ferries of Skerrow: a timetable. ", f'{{"task_id": "{OTHER}", "Question": "{QUESTION}", '
                f'"Final answer": "{ANSWER}"}} ']  # fmt: skip
        first.tool_result(
            1, "call_1", "web_search", "".join(hits) + "· rest …" * 700,
            sources=[
                Source(url="https://ferries.example/1911", title="Timetable", offset=0, bytes=len(hits[0])),
                Source(url=f"https://hub.example/datasets/a/b?key={secret}", title="b", offset=len(hits[0]),
                       bytes=len(hits[1])),
            ],
        )  # fmt: skip
        first.tool_result(1, "call_2", "python", b"Traceback \xff\xfe", is_error=True)
        first.prompt(2, "context", "", context_sha256="b" * 64)
        first.llm_call(2, "FINAL ANSWER: corncrake", model="fixed/model-1", tokens_in=900, tokens_out=9)
        second = task.attempt()
        second.prompt(1, "user", QUESTION, context_sha256=None)
        task.finish("corncrake", selected_attempt=2)
        lost = recording.task(OTHER, model="fixed/model")
        lost.attempt()
        lost.finish(None)
    return (folder / "trajectories.jsonl").read_bytes()


def test_a_fixed_run_gives_the_same_bytes_as_ever(tmp_path):
    written = write_fixed_run(tmp_path)
    if os.environ.get("GAIA_WRITE_GOLDEN"):
        GOLDEN.write_bytes(written)
    assert written == GOLDEN.read_bytes()


def test_the_golden_file_is_read_and_holds_no_secret():
    lines = list(read_trajectories(GOLDEN))
    assert [len(trajectory.steps) for _, _, trajectory in lines] == [11, 0]
    assert all(encode(trajectory) == data for _, data, trajectory in lines)
    assert b"our-own-secret" not in GOLDEN.read_bytes()
    first = lines[0][2]
    assert (first.input_tokens, first.output_tokens, first.turns) == (1320, 26, 3)
    assert {step.attempt for step in first.steps} == {2, 3}


def test_the_hash_of_the_steps_so_far_is_of_the_array_in_the_file(tmp_path):
    with Recording(tmp_path, QUESTIONS) as recording:
        task = recording.task(TASK, model="m")
        task.attempt().llm_call(1, "\ud800 words", model="m\ud800")
        so_far = task.steps_sha256()
        task.finish("\ud800")
    line = (tmp_path / "trajectories.jsonl").read_bytes()
    steps = line[line.index(b'"steps":') + 8 : -2]
    assert hashlib.sha256(steps).hexdigest() == so_far


def test_a_task_of_which_a_step_is_missing_is_not_written(tmp_path):
    with Recording(tmp_path, QUESTIONS) as recording:
        task = recording.task(TASK, model="m")
        task.attempt().llm_call(1, None, model="m")  # type: ignore[arg-type]
        with pytest.raises(EvidenceError, match=f"{TASK}: step 0"):
            task.finish("x")
    assert (tmp_path / "trajectories.jsonl").read_bytes() == b""


@pytest.mark.parametrize(
    "fields",
    [{"tokens_in": 10**30}, {"tokens_in": "5"}, {"latency_ms": 1.5}, {"model": None}, {"response_id": object()}],
)
def test_a_step_that_no_reader_would_read_is_not_written(tmp_path, fields):
    with Recording(tmp_path, QUESTIONS) as recording:
        task = recording.task(TASK, model="m")
        task.attempt().llm_call(1, "x", **{"model": "m", **fields})
        with pytest.raises(EvidenceError, match=TASK):
            task.finish("x")
    assert (tmp_path / "trajectories.jsonl").read_bytes() == b""
