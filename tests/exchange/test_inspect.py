"""Inspect's logs are read by its own library, one sample at a time, and never trusted."""

import contextlib
import json
import struct
import sys
import zipfile
import zlib
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from exchange.mutations import change
from gaia_harness.exchange import zipped
from gaia_harness.exchange.importers import inspect
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun

FIXTURES = Path(__file__).parent / "fixtures"
EVAL, JSON = (InputFile(name, FIXTURES / name) for name in ("inspect.eval", "inspect.json"))


def refuse(error: ImportRefused) -> None:
    raise error


def runs(file: InputFile) -> list[NeutralRun]:
    pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install 'gaia-harness[inspect]'")
    return list(inspect.read(file, refuse))


@pytest.fixture(scope="module")
def merrow() -> dict[tuple[str | None, int | None], NeutralRun]:
    return {(run.task_id, run.attempt): run for run in runs(EVAL)}


def test_epochs_are_attempts_of_one_run(merrow: dict[tuple[str, int], NeutralRun]) -> None:
    assert sorted(merrow) == [("merrow-ferry", 1), ("merrow-ferry", 2), ("merrow-light", 1), ("merrow-light", 2)]
    assert {run.run for run in merrow.values()} == {"inspect"}
    assert [merrow["merrow-light", epoch].correct for epoch in (1, 2)] == [True, False]
    assert [merrow["merrow-light", epoch].answer for epoch in (1, 2)] == ["1871", "1872"]


def test_the_question_comes_without_the_wrapping_of_inspect_evals(merrow: dict[tuple[str, int], NeutralRun]) -> None:
    run = merrow["merrow-ferry", 1]
    assert run.question == "How many ferries leave Port Merrow on a Sunday, by the attached table?"
    assert "/shared_files/merrow-ferry.txt" in run.attachments
    assert run.isolation == "local (sandbox of Inspect)"


def test_each_message_is_told_once_and_in_order(merrow: dict[tuple[str, int], NeutralRun]) -> None:
    steps = merrow["merrow-light", 2].steps
    assert [(step.type, step.name or step.text[:24], step.agent) for step in steps] == [
        ("prompt", "You answer questions abo", None),
        ("prompt", "Please answer the questi", None),
        ("llm_call", "I ask the keeper.", None),
        ("tool_call", "keeper", None),
        ("prompt", "You are the keeper of th", "keeper"),
        ("prompt", "When was the lamp first ", "keeper"),
        ("llm_call", "I look into the archive.", "keeper"),
        ("tool_call", "archive_search", "keeper"),
        ("tool_result", "archive_search", "keeper"),
        ("llm_call", "", "keeper"),
        ("tool_call", "submit", "keeper"),
        ("tool_result", "submit", "keeper"),
        ("tool_result", "keeper", None),
        ("llm_call", "Let me look at the lamp.", None),
        ("tool_call", "broken_lamp", None),
        ("tool_result", "broken_lamp", None),
        ("llm_call", "The keeper's book says s", None),
        ("tool_call", "submit", None),
        ("answer", "1872", None),
        ("tool_result", "submit", None),
    ]
    asked, looked = steps[3], steps[7]
    assert {step.parent for step in steps if step.agent} == {asked.call_id}
    assert looked.args == {"query": "lamp first lit"}
    assert steps[2].thoughts == "The keeper has the books."
    assert (steps[2].tokens_in, steps[2].tokens_out, steps[2].stop_reason) == (105, 20, "tool_calls")
    assert [step.is_error for step in steps if step.name == "broken_lamp"] == [False, True]


def test_a_handed_over_conversation_is_not_told_again(merrow: dict[tuple[str, int], NeutralRun]) -> None:
    run = merrow["merrow-ferry", 1]
    said = [step.text for step in run.steps if step.type == "llm_call"]
    assert said == ["The ferryman knows.", "I list the ferries.", "There are 7 ferries on a Sunday.",
                    "I have no tool left to use.", ""]  # fmt: skip
    assert sum(step.text.startswith("\nPlease proceed") for step in run.steps) == 2  # and it was said twice
    assert run.tools == {"submit": "answer", "transfer_to_ferryman": "delegate", "bash": "code"}


def test_an_output_that_inspect_cut_is_marked(merrow: dict[tuple[str, int], NeutralRun]) -> None:
    assert [step.name for step in merrow["merrow-ferry", 1].steps if step.cut] == ["bash"]


def test_the_target_is_nowhere(merrow: dict[tuple[str, int], NeutralRun]) -> None:
    """It stands in the samples, in the scores' explanations, in metadata, and in what the grading model was asked."""
    text = msgspec.json.encode(list(merrow.values()))
    assert b"GOLD" not in text and b"GRADE" not in text
    assert b"GOLD" in JSON.whole()


def test_both_forms_of_a_log_say_the_same(merrow: dict[tuple[str, int], NeutralRun]) -> None:
    assert runs(JSON) == [merrow["merrow-light", 2]]


def test_searches_on_the_models_server_and_events_inside_events_are_told(tmp_path: Path) -> None:
    log = json.loads(JSON.whole())
    sample = log["samples"][0]
    model = next(event for event in sample["events"] if event["event"] == "model")
    tool = next(event for event in sample["events"] if event["event"] == "tool")
    inner = json.loads(json.dumps(model)) | {"uuid": "inner"}
    inner["output"]["choices"][0]["message"] |= {"id": "inner", "content": "Inside.", "tool_calls": None}
    sample["events"] = [model, tool | {"events": [inner]}]  # as older logs have it
    model["output"]["choices"][0]["message"]["content"] = [
        {"type": "reasoning", "reasoning": "Secret", "summary": "I search.", "redacted": True},
        {"type": "tool_use", "tool_type": "web_search", "id": "s1", "name": "web_search",
         "arguments": '{"query": "light"}', "result": "A page."},
        {"type": "text", "text": "Found."},
    ]  # fmt: skip
    path = tmp_path / "server.json"
    path.write_text(json.dumps(log))
    [run] = runs(InputFile("server.json", path))
    told = [(step.type, step.name or step.text or step.thoughts, step.agent) for step in run.steps]
    assert [one for one in told if one[0] != "prompt"] == [
        ("llm_call", "I search.", None),
        ("tool_call", "web_search", None),
        ("tool_result", "web_search", None),
        ("llm_call", "Found.", None),
        ("tool_call", "keeper", None),
        ("llm_call", "Inside.", "keeper"),
        ("tool_result", "keeper", None),
    ]
    assert run.tools["web_search"] == "search"
    assert run.gaps == ("some thoughts of the model are encrypted: their summaries alone are here",)


def test_detection_looks_at_the_head_alone(tmp_path: Path) -> None:
    assert inspect.detect(EVAL) and inspect.detect(JSON)
    assert [file.path.name for file in inspect.inputs(FIXTURES)] == ["inspect.eval", "inspect.json"]
    for name, data in {"a.json": b'{"version": 2}', "b.zip": b"PK\x03\x04" + b"\0" * 26 + b"manifest.json"}.items():
        (tmp_path / name).write_bytes(data)
        assert not inspect.detect(InputFile(name, tmp_path / name))


def test_without_the_library_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    with pytest.raises(ImportRefused, match="inspect_ai, which is not installed") as refused:
        list(inspect.read(EVAL, refuse))
    assert refused.value.hint == "Install it with: pip install 'gaia-harness[inspect]'"


def zip_with(path: Path, name: str, data: bytes, stated: int | None = None) -> InputFile:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("header.json", "{}")
        file.writestr(name, data)
    if stated is not None:  # what the directory says of the last entry
        whole = bytearray(path.read_bytes())
        at = whole.rindex(b"PK\x01\x02")
        whole[at + 24 : at + 28] = struct.pack("<L", stated)
        path.write_bytes(whole)
    return InputFile(path.name, path)


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(zipped, "SPARE_BYTES", 1 << 20)
    with pytest.raises(ImportRefused, match="unpacks to more than 200 times its size"):
        zipped.ZippedFile(zip_with(tmp_path / "bomb.eval", "samples/a_epoch_1.json", b"0" * (8 << 20)))


def test_an_entry_that_is_larger_than_it_says_is_refused(tmp_path: Path) -> None:
    name = "samples/a_epoch_1.json"
    with (
        zipped.ZippedFile(zip_with(tmp_path / "liar.eval", name, b"0" * 100_000, stated=10)) as file,
        pytest.raises(ImportRefused, match=r"a_epoch_1\.json: damaged: not what the directory"),
    ):
        file.read(name)


def test_references_that_multiply_are_refused(tmp_path: Path) -> None:
    log = json.loads(JSON.whole())
    sample = log["samples"][0]
    sample["events_data"] = {"messages": [{"role": "user", "content": "x"}] * 1000, "calls": []}
    sample["events"] = [{"event": "model", "input_refs": [[0, 1000]] * 1000}] * 6
    path = tmp_path / "many.json"
    path.write_text(json.dumps(log))
    with pytest.raises(ImportRefused, match=r"sample 1: more than 5,000,000 references"):
        runs(InputFile("many.json", path))


def test_a_sample_that_cannot_be_read_leaves_the_others(tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install 'gaia-harness[inspect]'")
    log = json.loads(JSON.whole())
    log["samples"].append({"id": 7})
    path = tmp_path / "two.json"
    path.write_text(json.dumps(log))
    faults: list[str] = []
    found = list(inspect.read(InputFile("two.json", path), lambda error: faults.append(str(error))))
    assert len(found) == 1
    assert len(faults) == 1 and faults[0].startswith("two.json: sample 2: inspect_ai cannot read it: ValidationError")


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_changed_log_gives_runs_or_a_refusal(tmp_path: Path, data: st.DataObject) -> None:
    value = json.loads(JSON.whole())
    for _ in range(data.draw(st.integers(1, 3))):
        change(data, value["samples"][0] if data.draw(st.booleans()) else value["samples"][0]["events"])
    path = tmp_path / "changed.json"
    path.write_text(json.dumps(value))
    faults: list[str] = []
    pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install 'gaia-harness[inspect]'")
    found = list(inspect.read(InputFile("changed.json", path), lambda error: faults.append(str(error))))
    assert len(found) + len(faults) == 1
    assert all(fault.startswith("changed.json: sample 1: ") for fault in faults)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.floats(0, 1), changed=st.binary(max_size=4), cut=st.booleans())
def test_a_damaged_zip_gives_runs_or_a_refusal(tmp_path: Path, at: float, changed: bytes, cut: bool) -> None:
    whole = EVAL.whole()
    place = int(at * len(whole))
    path = tmp_path / "damaged.eval"
    path.write_bytes(whole[:place] + changed + (b"" if cut else whole[place + len(changed) :]))
    with (
        contextlib.suppress(ImportRefused),  # any other error is a failure
        zipped.ZippedFile(InputFile("damaged.eval", path)) as file,
    ):
        for name in file.entries:
            assert zlib.crc32(file.read(name)) == file.entries[name].CRC
