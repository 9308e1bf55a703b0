"""Uploads of HAL become task-runs; encrypted ones are refused with what to do."""

import copy
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exchange.mutations import change
from gaia_harness.exchange.importers import hal
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun

ASKED = [
    {"role": "system", "content": "You answer questions about Port Merrow."},
    {"role": "user", "content": [{"type": "text", "text": "When was the light lit?"}, {"type": "image_url"}]},
]
SEARCHED = [
    {
        "role": "assistant", "content": "I search.", "reasoning_content": "Who knows?",
        "tool_calls": [{"id": "c1", "type": "function",
                        "function": {"name": "web_search", "arguments": '{"query": "light"}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "The lamp was lit in 1871."},
]  # fmt: skip
ANSWERED = {
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "c2", "name": "final_answer", "input": {"answer": "1871"}}],
}
CONFIG = {"agent_name": "Generalist", "benchmark_name": "gaia", "run_id": "gaia_1", "agent_args": {"model_name": "m-1"}}
SCORES = {
    "merrow-light": {"score": True, "explanation": "Evaluated 1871 as a number."},
    "merrow-ferry": {"score": 0, "explanation": "Evaluated 7, or 8 as a comma separated list, returned False because "
                     "lists have different lenghts."},
}  # fmt: skip
COMPACT: dict[str, Any] = {
    "config": CONFIG,
    "results": {"accuracy": 0.5},
    "raw_eval_results": SCORES,
    "raw_logging_results": {"merrow-light": {"messages": [*ASKED, *SEARCHED, ANSWERED], "model": "m-1-exact"}},
    "total_cost": 0.1,
}
CALLS: dict[str, Any] = {
    "config": CONFIG,
    "raw_logging_results": [
        {"weave_task_id": "merrow-light", "inputs": {"model": "m", "messages": ASKED},
         "output": {"choices": [{"message": SEARCHED[0]}]}},
        {"attributes": {"weave_task_id": "merrow-light"}, "inputs": {"model": "m", "messages": [*ASKED, *SEARCHED]},
         "output": {"choices": [{"message": ANSWERED}]}},
        {"inputs": {"messages": ASKED}},
    ],
    "raw_eval_results": SCORES,
}  # fmt: skip


def refuse(error: ImportRefused) -> None:
    raise error


def runs(value: Any, folder: Path) -> dict[str | None, NeutralRun]:
    path = folder / "gaia_1_UPLOAD.json"
    path.write_text(json.dumps(value, indent=2))
    file = InputFile(path.name, path)
    assert hal.detect(file)
    return {run.task_id: run for run in hal.read(file, refuse)}


@pytest.mark.parametrize(("upload", "gap"), [(COMPACT, hal.OTHERS_LEFT_OUT), (CALLS, hal.LONGEST_ALONE)])
def test_the_longest_conversation_of_a_task_is_told(tmp_path: Path, upload: Any, gap: str) -> None:
    found = runs(upload, tmp_path)
    assert sorted(map(str, found)) == ["merrow-ferry", "merrow-light"]
    run = found["merrow-light"]
    assert [(step.type, step.name or step.text) for step in run.steps] == [
        ("prompt", "You answer questions about Port Merrow."),
        ("prompt", "When was the light lit?"),
        ("llm_call", "I search."),
        ("tool_call", "web_search"),
        ("tool_result", "The lamp was lit in 1871."),
        ("llm_call", ""),
        ("tool_call", "final_answer"),
        ("answer", "1871"),
    ]
    assert (run.steps[2].thoughts, run.steps[3].args) == ("Who knows?", {"query": "light"})
    assert (run.run, run.model, run.answer, run.correct) == ("gaia_1", "m-1", "1871", True)
    assert run.tools == {"web_search": "search", "final_answer": "answer"}
    assert gap in run.gaps


def test_a_task_without_any_call_is_told_with_its_score(tmp_path: Path) -> None:
    run = runs(COMPACT, tmp_path)["merrow-ferry"]
    assert (run.correct, run.answer, [step.type for step in run.steps]) == (False, "7, or 8", ["answer"])
    assert run.gaps == ("no call of the model is recorded for this task",)


def test_an_encrypted_upload_is_refused_with_what_to_do(tmp_path: Path) -> None:
    packed, plain = tmp_path / "a_UPLOAD.zip", tmp_path / "a_UPLOAD.json"
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("a_UPLOAD.json.encrypted", "{}")
    plain.write_text('{"encrypted_data": "eA==", "salt": "eA=="}')
    assert [file.path for file in hal.inputs(tmp_path)] == [plain, packed]
    for file in hal.inputs(tmp_path):
        with pytest.raises(ImportRefused, match="encrypted, as HAL publishes its uploads") as refused:
            list(hal.read(file, refuse))
        assert f"hal-decrypt -F {file.path.name}" in str(refused.value.hint)


def test_a_task_that_cannot_be_read_leaves_the_others(tmp_path: Path) -> None:
    upload = copy.deepcopy(COMPACT)
    upload["raw_logging_results"]["merrow-ferry"] = {"messages": [{"content": "by nobody"}]}
    path = tmp_path / "u.json"
    path.write_text(json.dumps(upload))
    faults: list[str] = []
    found = list(hal.read(InputFile("u.json", path), lambda error: faults.append(str(error))))
    assert [run.task_id for run in found] == ["merrow-light"]
    assert faults == ["u.json: merrow-ferry: message 1: not an object with a role"]


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), upload=st.sampled_from([COMPACT, CALLS]))
def test_a_changed_upload_gives_runs_or_a_refusal(tmp_path: Path, data: st.DataObject, upload: Any) -> None:
    value = copy.deepcopy(upload)
    for _ in range(data.draw(st.integers(1, 4))):
        change(data, value)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(value)[: data.draw(st.sampled_from([None, None, 400]))])
    try:
        assert all(isinstance(run, NeutralRun) for run in hal.read(InputFile("changed.json", path), refuse))
    except ImportRefused as error:
        fault = str(error)
    else:
        return
    assert fault.startswith("changed.json: ")
