"""OWL's result lists: rounds of two agents, with the program's own words between theirs."""

import json
from pathlib import Path
from typing import Any

import pytest
from damaged import damaged_bytes, damaged_json, raise_it, runs_or_refusal
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.exchange.importers import owl
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun

QUESTION = "By how many bells is the rent of the yellow stalls owing?"
TASK_ID = "7c3e9c22-bc06-58f3-9b2a-d488c53d2787"
PATH = f"data/gaia/2023/validation/{TASK_ID}.xlsx"
HINT = (
    f" Here are the necessary table files: {PATH}, for processing excel file, you can write python code and leverage "
    "excel toolkit to process the file step-by-step and get the information."
)
NEXT = (
    "\n\n                Provide me with the next instruction and input (if needed) based on my response and our "
    f"current task: <task>{QUESTION}</task>\n                If I have written codes, remind me to run the codes.\n"
)
HELP = (
    "\n\n            Here are auxiliary information about the overall task, which may help you understand the intent "
    f"of the current task:\n            <auxiliary_information>\n            {QUESTION}\n"
)
LAST = (
    "\n\n            Now please make a final answer of the original task based on our conversation : "
    f"<task>{QUESTION}</task>\n"
)
HITS = [
    {"result_id": 1, "title": "Market", "description": 'The "clerk"\ncolours.', "url": "https://market.example/key"},
    {"result_id": 2, "title": "Gulls", "description": "None.", "url": "https://gulls.example"},
]
ROWS: list[dict[str, Any]] = [
    {
        "task_id": TASK_ID,
        "question": f"{QUESTION}{HINT} Please decompose the task step-by-step.",
        "level": 1,
        "model_answer": "51",
        "ground_truth": "THE GOLD ANSWER",
        "score": True,
        "token_info": {"completion_token_count": 9, "prompt_token_count": 90},
        "history": [
            {
                "user": f"Instruction: Read the workbook.{HELP}",
                "assistant": f"Solution: I read it and looked up the key.{NEXT}",
                "tool_calls": [
                    {"tool_name": "extract_excel_content", "args": {"document_path": PATH}, "result": "Stall 3: 11"},
                    {"tool_name": "search_google", "args": {"query": "key"}, "result": HITS, "tool_call_id": "call_2"},
                    {"tool_name": "browse_url", "args": {"start_url": "https://x.example"}, "result": {"error": "no"}},
                    {"tool_name": "search_bing", "args": {"query": "b"}, "result": {"results": HITS[1:]}},
                    {"tool_name": "ring_bell", "args": "twice", "result": None},
                ],
            },
            {
                "user": f"TASK_DONE{LAST}",
                "assistant": "<analysis>\nadded\n</analysis>\n<final_answer> 51 </final_answer>",
                "tool_calls": [],
            },
        ],
    },
    {
        "task_id": "a-second-task",
        "question": "Why?Please decompose the task into several sub-tasks and find the answer step-by-step.",
        "level": 2,
        "model_answer": None,
        "ground_truth": "THE GOLD ANSWER",
        "score": 0,
        "token_info": {},
        "history": [],
    },
]


def write(tmp_path: Path, rows: Any) -> InputFile:
    path = tmp_path / "allvalid.json"
    path.write_text(json.dumps(rows, indent=4), encoding="utf-8")
    return InputFile("allvalid.json", path)


@pytest.fixture
def runs(tmp_path: Path) -> list[NeutralRun]:
    return list(owl.read(write(tmp_path, ROWS), raise_it))


def test_question_file_answer_and_score_are_those_of_the_task(runs: list[NeutralRun]) -> None:
    first, second = runs
    assert (first.task_id, first.question, first.attachments) == (TASK_ID, QUESTION, (PATH,))
    assert (first.run, first.answer, first.correct, first.error) == ("allvalid", "51", True, None)
    assert (second.question, second.answer, second.correct, second.steps) == ("Why?", None, False, ())
    assert second.error == "the file has no history of this task: OWL did not run it, or failed"


def test_the_programs_words_are_prompts_and_the_models_words_stand_alone(runs: list[NeutralRun]) -> None:
    told = [(step.type, step.agent, step.name or step.text.split("\n")[0][:40]) for step in runs[0].steps]
    assert told == [
        ("llm_call", "user", "Instruction: Read the workbook."),
        ("prompt", None, "Here are auxiliary information about the"),
        ("tool_call", None, "extract_excel_content"),
        ("tool_result", None, "extract_excel_content"),
        ("tool_call", None, "search_google"),
        ("tool_result", None, "search_google"),
        ("tool_call", None, "browse_url"),
        ("tool_result", None, "browse_url"),
        ("tool_call", None, "search_bing"),
        ("tool_result", None, "search_bing"),
        ("tool_call", None, "ring_bell"),
        ("tool_result", None, "ring_bell"),
        ("llm_call", None, "Solution: I read it and looked up the ke"),
        ("prompt", "user", "Provide me with the next instruction and"),
        ("llm_call", "user", "TASK_DONE"),
        ("prompt", None, "Now please make a final answer of the or"),
        ("llm_call", None, "<analysis>"),
        ("answer", None, "51"),
    ]
    assert runs[0].tools == {
        "extract_excel_content": "read",
        "search_google": "search",
        "browse_url": "delegate",
        "search_bing": "search",
        "ring_bell": "other",
    }
    assert any("browse_url" in gap for gap in runs[0].gaps)


def test_results_are_text_and_hits_are_parts_of_it(runs: list[NeutralRun]) -> None:
    results = [step for step in runs[0].steps if step.type == "tool_result"]
    calls = [step for step in runs[0].steps if step.type == "tool_call"]
    assert [call.call_id for call in calls] == [result.call_id for result in results]
    assert len({call.call_id for call in calls}) == len(calls)
    assert results[0].text == "Stall 3: 11"
    assert [source.url for source in results[1].sources] == [hit["url"] for hit in HITS]
    assert all(source.text in results[1].text for source in results[1].sources)
    assert json.loads(results[1].text) == HITS
    assert [result.is_error for result in results] == [False, False, True, False, False]
    assert json.loads(results[3].text) == {"results": HITS[1:]}
    assert (calls[4].args, calls[4].text) == (None, "twice")


def test_the_gold_answer_is_in_no_run(runs: list[NeutralRun]) -> None:
    assert "THE GOLD ANSWER" not in str(runs)


def test_code_that_is_repeated_before_its_output_is_no_part_of_the_output(tmp_path: Path) -> None:
    code = "print({51})"
    result = f"Executed the code below:\n```py\n{code}\n```\n> Executed Results:\n{{51}}\n"
    call = {"tool_name": "execute_code", "args": {"code": code}, "result": result}
    played = {"user": "Run it.", "assistant": "Done.", "tool_calls": [call]}
    (run,) = owl.read(write(tmp_path, [ROWS[0] | {"history": [played]}]), raise_it)
    assert [step.text for step in run.steps if step.type == "tool_result"] == ["> Executed Results:\n{51}\n"]


def test_an_answer_that_the_last_words_do_not_hand_in_is_no_step(tmp_path: Path) -> None:
    (run,) = owl.read(write(tmp_path, [ROWS[0] | {"model_answer": "15"}]), raise_it)
    assert (run.answer, run.steps[-1].type) == ("15", "llm_call")


def test_a_task_that_cannot_be_read_is_skipped_where_that_is_wanted(tmp_path: Path) -> None:
    faults: list[ImportRefused] = []
    rows = [ROWS[0] | {"history": [{"user": 3}]}, {"task_id": "x", "question": "?", "model_answer": None}, ROWS[1]]
    assert [run.task_id for run in owl.read(write(tmp_path, rows), faults.append)] == ["a-second-task"]
    assert [str(fault) for fault in faults] == [
        "allvalid.json: element 1: Expected `str`, got `int` - at `$.history[0].user`",
        "allvalid.json: element 2: Object missing required field `history`",
    ]


def test_a_folder_stands_for_the_result_lists_in_it(tmp_path: Path) -> None:
    file = write(tmp_path, ROWS)
    (tmp_path / "other.json").write_text('[{"task_id": "x", "question": "?"}]', encoding="utf-8")
    assert [found.path for found in owl.inputs(tmp_path)] == [file.path]
    assert owl.detect(file)


@given(data=st.data())
def test_a_damaged_list_gives_runs_or_a_refusal(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    path = tmp_path_factory.getbasetemp() / "allvalid.json"
    damaged = json.dumps(data.draw(damaged_json(ROWS))).encode()
    path.write_bytes(data.draw(st.just(damaged) | damaged_bytes(damaged)))
    runs_or_refusal(owl.read, path)
