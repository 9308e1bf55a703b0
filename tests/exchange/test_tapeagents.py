"""TapeAgents' tapes: thoughts and actions of a model, and what came back."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from damaged import damaged_bytes, damaged_json, raise_it, runs_or_refusal
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.exchange.importers import tapeagents
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun

QUESTION = "By how many bells is the rent of the yellow stalls owing?"
FILE = "data/gaia/2023/validation/7c3e9c22-bc06-58f3-9b2a-d488c53d2787.xlsx"
MARKET = "https://market.example/key"
HITS = [{"title": "Market", "url": MARKET, "content": "The clerk colours."}, {"title": "Gulls", "content": "None."}]


def step(kind: str, prompt_id: str = "", agent: str = "", **fields: Any) -> dict[str, Any]:
    return {"metadata": {"id": "x", "prompt_id": prompt_id, "node": "", "agent": agent}, "kind": kind, **fields}


def said(prompt_id: str, kind: str, **fields: Any) -> dict[str, Any]:
    return step(kind, prompt_id, "GaiaAgent", **fields)


TAPE: dict[str, Any] = {
    "metadata": {
        "id": "457a08bb",
        "parent_id": None,
        "author": "GaiaAgent",
        "author_tape_id": None,
        "n_added_steps": 1,
        "error": None,
        "result": "51",
        "task": {
            "task_id": "7c3e9c22-bc06-58f3-9b2a-d488c53d2787",
            "Question": QUESTION,
            "Level": 1,
            "Final answer": "THE GOLD ANSWER",
            "file_name": FILE,
            "Annotator Metadata": {"Steps": "THE GOLD STEPS"},
        },
        "attempt_number": 1,
    },
    "context": {"tools": []},
    "steps": [
        step("question", content=f"{QUESTION}\n\nXLSX document content:\n| 11 |\n", filename=None),
        said("a", "plan_thought", plan=["look up the key", "add"]),
        said("a", "set_next_node", next_node="act"),
        said("b", "reasoning_thought", reasoning="The key is missing."),
        said("b", "search_action", source="web", query="key of the market"),
        step("search_results_observation", query="key of the market", serp=HITS, error=None),
        said("c", "read_document_action", url=MARKET, fact_description="the key", fact_name="key"),
        step("page_observation", text="Title: The key\n=====\nYellow owes.", current_page=1, total_pages=2, error=None),
        said("d", "next_page_action"),
        step("page_observation", text="Orange is in dispute.", current_page=2, total_pages=2, error=None),
        said("e", "next_page_action"),
        step("action_execution_failure", error="No more pages to read."),
        said("f", "llm_output_parsing_failure_action", error="no JSON", llm_output="I think {"),
        said("g", "read_document_action", url=FILE, fact_description="rents", fact_name="rents"),
        step("page_observation", text="", current_page=1, total_pages=1, error="cannot be opened"),
        said("h", "python_code_action", code="print(51)"),
        step("code_execution_result", result={"exit_code": 1, "output": "boom", "output_files": None}),
        said("i", "search_action", source="wiki", query="bells"),
        step("search_results_observation", query="bells", serp=[], error="no key"),
        said("j", "dance_action", bells=3),
        step("dance_observation", grace=7, note=None),
        said("k", "gaia_answer_action", success=True, overview="Added.", answer_unit="", answer="51"),
    ],
}


RECORDED = Path(__file__).parent / "fixtures" / "tapeagents"  # made by make_fixtures/tapes.py


def test_a_tape_that_tapeagents_itself_recorded_is_read_whole() -> None:
    (file,) = tapeagents.inputs(RECORDED)
    (run,) = tapeagents.read(file, raise_it)
    assert (run.run, run.attempt, run.answer, run.error) == ("orrel_val", 1, "37", None)
    assert run.attachments == ()
    assert [(each.type, each.name or each.text[:30], each.call_id, each.agent) for each in run.steps] == [
        ("prompt", "The guild of lighthouse keeper", None, None),
        ("llm_call", '{"kind": "reasoning_thought", ', None, None),
        ("llm_call", "this is no JSON", None, None),
        ("prompt", "Failed to parse LLM output as ", None, None),
        ("prompt", "Try again", None, None),
        ("llm_call", '{"kind": "use_calculator_actio', None, None),
        ("tool_call", "use_calculator_action", "8", None),
        ("tool_result", "use_calculator_action", "8", None),
        ("llm_call", '{"kind": "use_calculator_actio', None, None),
        ("tool_call", "use_calculator_action", "11", None),
        ("tool_result", "use_calculator_action", "11", None),
        ("llm_call", '{"kind": "gaia_answer_action",', None, None),
        ("tool_call", "gaia_answer_action", "14", None),
        ("answer", "37", None, None),
    ]
    assert [each.text for each in run.steps if each.is_error] == ["Error evaluating expression: 44 -"]
    assert "THE GOLD" not in str(run)
    assert "THE GOLD" in file.path.read_text(encoding="utf-8")


def write(tmp_path: Path, tape: Any, name: str = "l1_task000.json") -> InputFile:
    folder = tmp_path / "gpt4o_val" / "tapes"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(tape, indent=4), encoding="utf-8")
    return InputFile(name, folder / name)


def read(tmp_path: Path, tape: Any) -> NeutralRun:
    (run,) = tapeagents.read(write(tmp_path, tape), raise_it)
    return run


def with_steps(*steps: dict[str, Any]) -> dict[str, Any]:
    return TAPE | {"steps": [TAPE["steps"][0], *steps]}


def test_task_run_attempt_answer_and_file_are_found(tmp_path: Path) -> None:
    run = read(tmp_path, TAPE)
    assert (run.task_id, run.question) == ("7c3e9c22-bc06-58f3-9b2a-d488c53d2787", QUESTION)
    assert (run.run, run.attempt, run.answer, run.error) == ("gpt4o_val", 2, "51", None)
    assert run.attachments == (FILE,)


def test_neither_the_gold_answer_nor_the_annotations_are_in_the_run(tmp_path: Path) -> None:
    assert "THE GOLD" not in str(read(tmp_path, TAPE))


def test_replies_actions_and_results_are_steps_in_their_order(tmp_path: Path) -> None:
    run = read(tmp_path, TAPE)
    told = [(each.type, each.name or each.text[:40], each.is_error) for each in run.steps]
    assert told == [
        ("prompt", QUESTION[:40], False),
        ("llm_call", '{"kind": "plan_thought", "plan": ["look ', False),
        ("llm_call", '{"kind": "reasoning_thought", "reasoning', False),
        ("tool_call", "search_action", False),
        ("tool_result", "search_action", False),
        ("llm_call", '{"kind": "read_document_action", "url": ', False),
        ("tool_call", "read_document_action", False),
        ("tool_result", "read_document_action", False),
        ("llm_call", '{"kind": "next_page_action"}', False),
        ("tool_call", "next_page_action", False),
        ("tool_result", "next_page_action", False),
        ("llm_call", '{"kind": "next_page_action"}', False),
        ("tool_call", "next_page_action", False),
        ("tool_result", "next_page_action", True),
        ("llm_call", "I think {", False),
        ("prompt", "no JSON", False),
        ("llm_call", '{"kind": "read_document_action", "url": ', False),
        ("tool_call", "read_document_action", False),
        ("tool_result", "read_document_action", True),
        ("llm_call", '{"kind": "python_code_action", "code": "', False),
        ("tool_call", "python_code_action", False),
        ("tool_result", "python_code_action", True),
        ("llm_call", '{"kind": "search_action", "source": "wik', False),
        ("tool_call", "search_action", False),
        ("tool_result", "search_action", True),
        ("llm_call", '{"kind": "dance_action", "bells": 3}', False),
        ("tool_call", "dance_action", False),
        ("tool_result", "dance_action", False),
        ("llm_call", '{"kind": "gaia_answer_action", "success"', False),
        ("tool_call", "gaia_answer_action", False),
        ("answer", "51", False),
    ]
    assert run.tools == {
        "search_action": "search",
        "read_document_action": "fetch",
        "next_page_action": "fetch",
        "python_code_action": "code",
        "dance_action": "other",
        "gaia_answer_action": "answer",
    }


def test_a_reply_of_several_steps_is_one_reply(tmp_path: Path) -> None:
    reply = read(tmp_path, TAPE).steps[2].text.split("\n")
    assert [json.loads(line)["kind"] for line in reply] == ["reasoning_thought", "search_action"]


def test_results_have_their_text_and_sources(tmp_path: Path) -> None:
    hits, page, second, past_the_end, lost, code, none, dance = (
        each for each in read(tmp_path, TAPE).steps if each.type == "tool_result"
    )
    assert json.loads(hits.text) == HITS
    assert [(source.url, source.title, source.text in hits.text) for source in hits.sources] == [
        (MARKET, "Market", True)
    ]
    assert (page.url, page.sources[0].title, page.sources[0].text) == (MARKET, "The key", page.text)
    assert second.sources[0].url == MARKET  # the next page of the same document
    assert past_the_end.text == "No more pages to read."
    assert (lost.text, lost.sources) == ("cannot be opened", ())
    assert code.text == "boom"
    assert none.text == "[]\nno key"
    assert dance.text == '{"grace": 7}'


def test_a_document_that_is_no_address_is_read_and_not_fetched(tmp_path: Path) -> None:
    steps = [each for each in read(tmp_path, TAPE).steps if each.name == "read_document_action"]
    assert [(each.role, each.url) for each in steps] == [(None, None), (None, MARKET), ("read", None), (None, None)]


def test_sub_agents_are_named_with_the_call_that_started_them(tmp_path: Path) -> None:
    run = read(
        tmp_path,
        with_steps(
            step("call", "a", "boss", agent_name="helper", content="add them"),
            step("use_calculator_action", "b", "boss/helper", expression="40 + 11"),
            step("calculation_result_observation", name="sum", result="51"),
            step("respond", "c", "boss/helper", content="51 bells", copy_output=False),
            step("assistant", "d", "boss", content="It is 51."),
        ),
    )
    told = [(each.type, each.name, each.agent, each.parent, each.call_id) for each in run.steps[1:]]
    assert told == [
        ("llm_call", None, None, None, None),
        ("tool_call", "call", None, None, "2"),
        ("llm_call", None, "boss/helper", "2", None),
        ("tool_call", "use_calculator_action", "boss/helper", "2", "3"),
        ("tool_result", "use_calculator_action", "boss/helper", "2", "3"),
        ("tool_result", "call", None, None, "2"),
        ("llm_call", None, None, None, None),
    ]
    assert (run.steps[-2].text, run.steps[-1].text, run.tools["call"]) == ("51 bells", "It is 51.", "delegate")


def test_calls_of_a_dialogue_are_joined_with_their_results_by_id(tmp_path: Path) -> None:
    calls = [{"id": name, "function": {"name": "ring", "arguments": '{"bell": 1}'}} for name in ("one", "two")]
    run = read(
        tmp_path,
        with_steps(
            step("assistant", "a", "boss", tool_calls=[*calls, "broken"]),
            step("tool_call", "b", "boss", id="four", function={"name": "hush", "arguments": {}}),
            step("tool", content="dong", tool_call_id="two"),
            step("tool", content="ding", tool_call_id="one"),
            step("tool", content="who?", tool_call_id="three"),
        ),
    )
    assert [(each.type, each.text, each.call_id) for each in run.steps[1:]] == [
        ("llm_call", "broken", None),
        ("tool_call", '{"bell": 1}', "one"),
        ("tool_call", '{"bell": 1}', "two"),
        ("tool_call", "", "four"),
        ("tool_result", "dong", "two"),
        ("tool_result", "ding", "one"),
        ("prompt", "who?", None),
    ]


def test_a_kind_that_is_not_known_is_a_gap(tmp_path: Path) -> None:
    run = read(tmp_path, with_steps(step("hum", "a", "boss", tune="low"), step("thunder", volume=9)))
    assert [(each.type, each.text) for each in run.steps[1:]] == [
        ("llm_call", '{"kind": "hum", "tune": "low"}'),
        ("prompt", '{"volume": 9}'),
    ]
    assert [gap.split(" are")[0] for gap in run.gaps[-2:]] == ["steps of the kind 'hum'", "steps of the kind 'thunder'"]


def test_an_older_tape_without_its_task_has_the_question_from_its_first_step(tmp_path: Path) -> None:
    tape = copy.deepcopy(TAPE)
    del tape["metadata"]["task"], tape["metadata"]["attempt_number"]
    tape["metadata"]["result"] = {}
    tape["steps"][0]["content"] += f"\nPath to the mentioned document: {FILE}"
    run = read(tmp_path, tape)
    assert (run.task_id, run.question, run.answer, run.attempt) == (None, QUESTION, "51", None)
    assert run.attachments == (FILE,)


def test_a_folder_stands_for_its_tapes_and_for_nothing_else_in_it(tmp_path: Path) -> None:
    tapes = [write(tmp_path, TAPE, name) for name in ("b.json", "a.json")]
    write(tmp_path, {"metadata": {"id": "x"}, "results": []}, "results.json")
    assert [file.path for file in tapeagents.inputs(tmp_path)] == [file.path for file in reversed(tapes)]


@pytest.mark.parametrize(
    ("tape", "fault"),
    [
        ([], "l1_task000.json: no tape: it has no steps and metadata"),
        (TAPE | {"steps": []}, "l1_task000.json: the tape has no steps"),
        (TAPE | {"steps": [{"kind": 3}]}, "l1_task000.json: step 1: Expected `str`, got `int` - at `$.kind`"),
        (TAPE | {"steps": [7]}, "l1_task000.json: Expected `object`, got `int` - at `$.steps[0]`"),
    ],
)
def test_what_is_no_tape_is_refused_with_the_place(tmp_path: Path, tape: Any, fault: str) -> None:
    with pytest.raises(ImportRefused, match=re.escape(fault)):
        read(tmp_path, tape)


def test_a_tape_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match=r"x.json: cannot be read: No such file"):
        list(tapeagents.read(InputFile("x.json", tmp_path / "x.json"), raise_it))


def test_a_tape_with_the_marks_of_a_merge_is_refused_with_its_line(tmp_path: Path) -> None:
    file = write(tmp_path, TAPE)
    lines = file.path.read_text(encoding="utf-8").split("\n")
    file.path.write_text("\n".join([*lines[:2], "<<<<<<< HEAD", *lines[2:]]), encoding="utf-8")
    assert tapeagents.detect(file)
    with pytest.raises(ImportRefused, match=r"l1_task000.json: not JSON: .* \(line 3, column 1\)"):
        list(tapeagents.read(file, raise_it))


@given(data=st.data())
def test_a_damaged_tape_gives_a_run_or_a_refusal(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.getbasetemp() / "tape.json"
    damaged = json.dumps(data.draw(damaged_json(TAPE))).encode()
    path.write_bytes(data.draw(st.just(damaged) | damaged_bytes(damaged)))
    runs_or_refusal(tapeagents.read, path)
