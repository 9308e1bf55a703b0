"""Rows of smolagents' examples. The fixtures are the memories of real agents with scripted models."""

import json
import random
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaia_harness.exchange import smolagents_text
from gaia_harness.exchange.importers import Importer, jsonl, openinference, smolagents
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun
from gaia_harness.exchange.python_reprs import NotARepr, read_repr
from tests.exchange.damage import cut, damaged, runs_of

IMPORTER = cast(Importer, smolagents)
FIXTURES = Path(__file__).parent / "fixtures"
BENCHMARK, RESEARCH = FIXTURES / "smolagents_benchmark.jsonl", FIXTURES / "smolagents_research.jsonl"
ROWS = [json.loads(line) for path in (BENCHMARK, RESEARCH) for line in path.read_text().splitlines()]


def refuse(error: ImportRefused) -> None:
    raise error


def read(path: Path) -> list[NeutralRun]:
    file = InputFile(path.name, path)
    assert smolagents.detect(file)
    return list(smolagents.read(file, refuse))


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("path", [BENCHMARK, RESEARCH])
def test_the_memory_of_a_code_agent_is_read_in_order(path: Path) -> None:
    run = read(path)[0]
    steps = [step for step in run.steps if step.role != "system"]
    assert [(step.type, step.name) for step in steps] == [
        ("prompt", None),
        ("llm_call", None),
        ("tool_call", "python_interpreter"),
        ("tool_result", "python_interpreter"),
        ("llm_call", None),
        ("prompt", None),  # the reply had no code
        ("llm_call", None),
        ("tool_call", "python_interpreter"),
        ("tool_result", "python_interpreter"),
        ("llm_call", None),
        ("tool_call", "python_interpreter"),
        ("tool_result", "python_interpreter"),
        ("answer", None),
    ]
    assert steps[2].args and "search_agent(task=" in steps[2].args["code"]
    assert steps[8].is_error and "192" in steps[8].text and "division by zero" in steps[8].text
    assert "Error in code parsing" in steps[5].text
    assert run.answer == steps[-1].text == "37"
    assert "the tools that code called are not recorded apart: only the code and what it printed" in run.gaps


@pytest.mark.parametrize("path", [BENCHMARK, RESEARCH])
def test_the_memory_of_an_agent_that_calls_tools_is_read_with_the_call_that_failed(path: Path) -> None:
    run = read(path)[1]
    calls = [(step.name, step.args, step.call_id) for step in run.steps if step.type == "tool_call"]
    assert [call[:2] for call in calls] == [
        ("visit_page", {"url": "http://lanternkeepers.example/lost"}),
        ("visit_page", {"url": "http://lanternkeepers.example/register"}),
        ("final_answer", {"answer": "37"}),
    ]
    results = [step for step in run.steps if step.type == "tool_result"]
    assert [step.call_id for step in results] == [call[2] for call in calls]
    assert results[0].is_error and "no such page" in results[0].text
    assert results[1].url == "http://lanternkeepers.example/register"
    assert run.tools == {"visit_page": "fetch", "final_answer": "answer"}


def test_a_row_of_open_deep_research_says_what_it_states_and_what_it_lacks() -> None:
    run = read(RESEARCH)[0]
    assert (run.task_id, run.model, run.correct) == ("lights-of-orrel", "scripted/keeper-1", True)
    assert run.attachments == ("data/lights.csv",)
    assert "the model call that worded the final answer is not recorded" in run.gaps
    assert "the system prompt is not recorded" in run.gaps
    assert "what sub-agents did is not recorded: only their reports" in read(BENCHMARK)[0].gaps


def test_the_answer_key_of_a_row_stays_out() -> None:
    assert all("never read" not in repr(run) for path in (BENCHMARK, RESEARCH) for run in read(path))


def test_a_question_that_comes_again_belongs_to_another_run() -> None:
    assert [run.run for run in read(BENCHMARK)] == ["smolagents_benchmark", "smolagents_benchmark (2)"]


def test_rows_without_steps_have_their_answer_alone(tmp_path: Path) -> None:
    bare = {name: ROWS[0][name] for name in ("model_id", "agent_action_type", "original_question")}
    rows = [bare | {"answer": 37}, bare | {"answer": None}, bare | {"answer": "37", "intermediate_steps": "It is 37."}]
    runs = read(write(tmp_path / "a.jsonl", *rows))
    assert [[(step.type, step.text) for step in run.steps] for run in runs] == [
        [("answer", "37")],
        [],
        [("llm_call", "It is 37.")],
    ]
    assert [run.gaps for run in runs] == [
        ("no steps are recorded, only the answer",),
        ("no steps are recorded, only the answer",),
        ("the prompt is not recorded",),
    ]
    assert [run.error for run in runs] == [None, "the row has no answer", None]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"question": None, "original_question": None}, "a summary of a run, not a run"),
        ({"original_question": 5}, "original_question is not a text"),
        ({"intermediate_steps": 5}, "intermediate_steps is not a list"),
        ({"intermediate_steps": ["__import__('os').system('x')"]}, "step 1: not a value as Python prints it"),
        ({"intermediate_steps": ["(" * 5000]}, "step 1: not a value as Python prints it"),
        ({"intermediate_steps": [{"role": 1, "content": ""}]}, "step 1: role is not a text"),
        ({"intermediate_steps": [{"a": 1}]}, "step 1: neither a message nor a step"),
    ],
)
def test_a_wrong_row_is_named_and_the_others_are_read(tmp_path: Path, change: dict[str, Any], fault: str) -> None:
    path = write(tmp_path / "a.jsonl", ROWS[0], ROWS[0] | change)
    with pytest.raises(ImportRefused, match=f"a.jsonl:2: .*{fault}"):
        read(path)
    runs, refused = runs_of(IMPORTER, path)
    assert len(runs) == len(refused) == 1


def test_no_format_takes_the_file_of_another() -> None:
    for path in FIXTURES.glob("smolagents_*"):
        file = InputFile(path.name, path)
        claimed = [module.NAME for module in (jsonl, openinference, smolagents) if module.detect(file)]
        assert claimed == ["smolagents" if path in (BENCHMARK, RESEARCH) else "openinference"]
    assert [file.path for file in smolagents.inputs(FIXTURES)] == [BENCHMARK, RESEARCH]


def test_text_of_python_is_data() -> None:
    text = "Step(role=<Role.USER: 'user'>, n=-1, calls=[Call(name='a', args=(1, {'b': None}))], error=Oops('no'))"
    assert read_repr(text) == {
        "role": "user",
        "n": -1,
        "calls": [{"name": "a", "args": [1, {"b": None}]}],
        "error": {"args": ["no"]},
    }
    assert read_repr("A(x='<B at 0x1> <C.D: 1>', y=<B at 0x1>, z=nan)") == {
        "x": "<B at 0x1> <C.D: 1>",
        "y": None,
        "z": None,
    }
    for bad in (
        "a",
        "a.b",
        "1 .real",
        "[x for x in y]",
        "1 + 1",
        "'a' * 9",
        "<object>",
        "'\\d' 'b",
        "\0",
        "[" * 150 + "]" * 150,
    ):
        with pytest.raises(NotARepr):
            read_repr(bad)


def test_hits_are_found_where_a_search_or_code_lists_them_and_nowhere_else() -> None:
    hits = "## Search Results\n0. [A](http://a.example/)\nAlpha.\n\n1. [B](http://b.example/)\nBeta."
    printed = f"Execution logs:\n[see](http://no.example/)\n{hits}\n\nprinted by the code itself"
    for role, text in (("search", hits), ("code", printed)):
        _, found = smolagents_text.sources_of(cast(Any, role), text)
        assert [hit.url for hit in found] == ["http://a.example/", "http://b.example/"]
        assert found[1].text.endswith("Beta.")
    assert smolagents_text.sources_of("search", "No results found.") == (None, ())
    assert smolagents_text.sources_of("code", "[see](http://no.example/)") == (None, ())
    assert smolagents_text.sources_of("other", hits) == (None, ())


def test_running_out_of_steps_is_a_remark_and_no_error_of_the_last_tool(tmp_path: Path) -> None:
    over = {"role": "tool-response", "content": [{"type": "text", "text": "Error:\nReached max steps."}]}
    row = ROWS[0] | {"intermediate_steps": [*ROWS[0]["intermediate_steps"], over]}
    steps = read(write(tmp_path / "a.jsonl", row))[0].steps
    assert [(step.type, step.is_error) for step in steps[-3:]] == [
        ("tool_result", False),
        ("prompt", False),
        ("answer", False),
    ]


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_damage_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    chance = random.Random(seed)
    row = damaged(chance.choice(ROWS), chance)
    if chance.random() < 0.3 and isinstance(row, dict) and isinstance(steps := row.get("intermediate_steps"), list):
        row["intermediate_steps"] = [
            cut(step.encode("utf-8", "replace"), chance).decode("utf-8", "replace")
            if isinstance(step, str) and step
            else step
            for step in steps
        ]
    data = json.dumps(row).encode()
    path = tmp_path_factory.getbasetemp() / "damaged_rows.jsonl"
    path.write_bytes(cut(data, chance) if chance.random() < 0.3 else data)
    runs_of(IMPORTER, path)
