"""Trajectories in ATIF become task-runs, with sub-agents and continuations."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exchange.mutations import change
from gaia_harness.exchange.atif_extra import KEY, text_sha256
from gaia_harness.exchange.importers import atif
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun, NeutralSource

LIGHT = Path(__file__).parent / "fixtures" / "atif" / "merrow-light.json"


def refuse(error: ImportRefused) -> None:
    raise error


def run_of(value: Any, folder: Path, name: str = "t.json") -> NeutralRun:
    (folder / name).write_text(json.dumps(value))
    [run] = atif.read(InputFile(name, folder / name), refuse)
    return run


def small(*steps: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "schema_version": "ATIF-v1.6", "session_id": "s", "agent": {"name": "acme", "version": "1"},
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, 1)], **fields,
    }  # fmt: skip


def test_a_trajectory_is_told_in_order_with_its_sub_agent() -> None:
    [run] = atif.read(InputFile("merrow-light.json", LIGHT), refuse)
    assert [(step.type, step.name or step.text[:20], step.agent) for step in run.steps] == [
        ("prompt", "You answer questions", None),
        ("prompt", "In which year was th", None),
        ("llm_call", "I search.", None),
        ("tool_call", "WebSearch", None),
        ("tool_call", "WebFetch", None),
        ("tool_result", "WebSearch", None),
        ("tool_result", "WebFetch", None),
        ("llm_call", "", None),
        ("tool_call", "Task", None),
        ("prompt", "When was the lamp fi", "keeper"),
        ("llm_call", "I look into the book", "keeper"),
        ("tool_call", "Read", "keeper"),
        ("tool_result", "Read", "keeper"),
        ("llm_call", "On 3 May 1871.", "keeper"),
        ("tool_result", "Task", None),
        ("llm_call", "I write it down.", None),
        ("prompt", "$ echo 1871 > /app/a", None),
        ("tool_call", "mark", None),
        ("llm_call", "It was 1871.", None),
    ]
    searched, asked = run.steps[2], run.steps[8]
    assert (searched.tokens_in, searched.tokens_out, searched.thoughts, searched.model, searched.time) == (
        120, 30, "Who knows?", "acme/large", "2026-03-01T10:00:02Z",
    )  # fmt: skip
    assert {step.parent for step in run.steps if step.agent} == {asked.call_id}
    assert {step.model for step in run.steps if step.agent == "keeper" and step.type == "llm_call"} == {"acme/small"}
    calls = [step.call_id for step in run.steps if step.type == "tool_call"]
    assert len(set(calls)) == len(calls)  # though the file uses one id three times
    assert run.tools == {
        "WebSearch": "search",
        "WebFetch": "fetch",
        "Task": "delegate",
        "Read": "read",
        "mark": "other",
    }
    assert run.steps[4].url == "https://merrow.example/light"
    assert run.question == "In which year was the lighthouse lit?"
    assert run.gaps == ("pictures and sounds in messages and results are not taken over", atif.NO_ANSWER)


def test_what_we_exported_comes_back(tmp_path: Path) -> None:
    result = {
        "source_call_id": "c", "content": "A page.",
        "extra": {KEY: {"is_error": True, "cut": True, "text_sha256": text_sha256("A page."),
                        "sources": [{"url": "https://merrow.example", "text": "A page."}]}},
    }  # fmt: skip
    call = {"tool_call_id": "c", "function_name": "go", "arguments": {}, "extra": {KEY: {"text": "go(1)"}}}
    value = small(
        {"source": "agent", "message": "I go.", "tool_calls": [call], "observation": {"results": [result]},
         "extra": {KEY: {"stop_reason": "tool_use"}}},
        {"source": "agent", "message": "1871", "extra": {KEY: {"type": "answer"}}},
        extra={KEY: {"task_id": "merrow", "run": "r", "attempt": 2, "answer": "1871", "tools": {"go": "fetch"}}},
    )  # fmt: skip
    run = run_of(value, tmp_path)
    assert (run.task_id, run.run, run.attempt, run.answer, run.tools, run.gaps) == (
        "merrow", "r", 2, "1871", {"go": "fetch"}, (),
    )  # fmt: skip
    said, called, given, answered = run.steps
    assert (said.stop_reason, called.text, called.args) == ("tool_use", "go(1)", None)
    assert given.is_error and given.cut
    assert given.sources == (NeutralSource(url="https://merrow.example", text="A page."),)
    assert (answered.type, answered.text) == ("answer", "1871")

    result["content"] = "Another page."
    with pytest.raises(ImportRefused, match=r"step 1: result 1: the text is not the one that was exported"):
        run_of(value, tmp_path)


def test_a_continuation_is_told_once_and_is_no_run_of_its_own(tmp_path: Path) -> None:
    first = small({"source": "user", "message": "Go on."}, continued_trajectory_ref="t.cont-1.json")
    second = small(
        {"source": "user", "message": "Go on.", "is_copied_context": True},
        {"source": "agent", "message": "I went on."},
        continued_trajectory_ref="t.json",
    )
    (tmp_path / "t.cont-1.json").write_text(json.dumps(second))
    run = run_of(first, tmp_path)
    assert [step.text for step in run.steps] == ["Go on.", "I went on."]
    assert "the trajectory goes on in 't.json', which is not here" in run.gaps  # a circle ends
    assert [file.path.name for file in atif.inputs(tmp_path)] == ["t.json"]


@pytest.mark.parametrize("path", ["sub.json", "../sub.json", "/etc/sub.json"])
def test_a_sub_agent_in_a_file_is_read_from_the_same_folder_alone(tmp_path: Path, path: str) -> None:
    folder = tmp_path / "inner"
    folder.mkdir()
    for place in (tmp_path, folder):
        (place / "sub.json").write_text(json.dumps(small({"source": "agent", "message": "I helped."})))
    result = {"content": "Done.", "subagent_trajectory_ref": [{"session_id": "s", "trajectory_path": path}]}
    run = run_of(small({"source": "system", "message": "", "observation": {"results": [result]}}), folder)
    assert [step.text for step in run.steps] == (["I helped.", "Done."] if path == "sub.json" else ["Done."])


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (small() | {"schema_version": "ATIF-v1.9"}, "t.json: schema_version is 'ATIF-v1.9'; read are ATIF-v1.4 to"),
        (small({"source": "robot", "message": ""}), "step 1: source is neither system, user nor agent"),
        (small({"source": "user", "message": 5}), "step 1: a message that is neither text nor a list"),
        (small({"source": "agent", "message": "", "metrics": {"prompt_tokens": -1}}), "prompt_tokens is not a count"),
        (
            small({"source": "agent", "message": "", "observation": {"results": [{"source_call_id": "x"}]}}),
            "step 1: result 1: source_call_id 'x' is none of the step's calls",
        ),
        (small(extra={KEY: {"tasks": 1}}), "extra.gaia_harness: .*tasks"),
    ],
)
def test_what_is_not_allowed_is_refused_with_its_place(tmp_path: Path, value: Any, fault: str) -> None:
    with pytest.raises(ImportRefused, match=fault):
        run_of(value, tmp_path)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_trajectory_gives_a_run_or_a_refusal(tmp_path: Path, data: st.DataObject) -> None:
    value = json.loads(LIGHT.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        change(data, value)
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(value)[: data.draw(st.sampled_from([None, None, 1000]))])
    faults: list[str] = []
    found = list(atif.read(InputFile("changed.json", path), lambda error: faults.append(str(error))))
    assert len(found) + len(faults) == 1
    assert all(fault.startswith("changed.json: ") for fault in faults)
