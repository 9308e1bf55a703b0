"""Spans become steps, whatever shape they are written in. The fixtures are traces of real agents of smolagents."""

import json
import random
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gaia_harness.exchange.importers import Importer, openinference
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun, NeutralStep
from tests.exchange.damage import cut, damaged, runs_of

IMPORTER = cast(Importer, openinference)
FIXTURES = Path(__file__).parent / "fixtures"
SPANS = [json.loads(line) for line in (FIXTURES / "smolagents_spans.jsonl").read_text().splitlines()]


def refuse(error: ImportRefused) -> None:
    raise error


def read(path: Path) -> list[NeutralRun]:
    file = InputFile(path.name, path)
    assert openinference.detect(file)
    return list(openinference.read(file, refuse))


def write(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value))
    return path


def only(runs: list[NeutralRun]) -> NeutralRun:
    assert len(runs) == 1
    return runs[0]


def called(run: NeutralRun, name: str) -> list[NeutralStep]:
    return [step for step in run.steps if step.name == name]


def test_a_code_agent_and_its_sub_agent_are_read_in_order() -> None:
    run = only(read(FIXTURES / "smolagents_spans.jsonl"))
    assert run.question and run.question.startswith("The guild of lighthouse keepers")
    assert (run.answer, run.model, run.run) == ("37", "scripted/keeper-1", "keepers")
    assert run.tools == {
        "python_interpreter": "code",
        "search_agent": "delegate",
        "web_search": "search",
        "visit_page": "fetch",
        "final_answer": "answer",
    }
    assert [(step.type, step.agent, step.name) for step in run.steps[2:12]] == [
        ("llm_call", None, None),
        ("tool_call", None, "python_interpreter"),
        ("tool_call", None, "search_agent"),
        ("prompt", "search_agent", None),
        ("prompt", "search_agent", None),
        ("llm_call", "search_agent", None),
        ("tool_call", "search_agent", "web_search"),
        ("tool_result", "search_agent", "web_search"),
        ("llm_call", "search_agent", None),
        ("tool_call", "search_agent", "visit_page"),
    ]
    delegated = called(run, "search_agent")
    assert {step.parent for step in run.steps if step.agent} == {delegated[0].call_id}
    assert delegated[1].text == "Weeping Rock has 44 m, Pinch Beacon 7 m."


def test_results_are_what_the_model_was_shown() -> None:
    run = only(read(FIXTURES / "smolagents_spans.jsonl"))
    results = [step for step in called(run, "python_interpreter") if step.type == "tool_result"]
    assert results[0].text.startswith("Execution logs:\nHere is the final answer from your managed agent")
    assert results[1].is_error and "192" in results[1].text and "division by zero" in results[1].text
    failed = [step for step in called(run, "visit_page") if step.is_error]
    assert len(failed) == 1 and "no such page" in failed[0].text
    remarks = [step.text for step in run.steps if step.type == "prompt" and "Error in code parsing" in step.text]
    assert len(remarks) == 1
    assert run.gaps == ("the model saw of the tools that its code called only what the code printed",)


def test_hits_and_pages_have_their_addresses() -> None:
    run = only(read(FIXTURES / "smolagents_spans.jsonl"))
    hits = called(run, "web_search")[1].sources
    assert [hit.url for hit in hits] == ["http://lanternkeepers.example/register", "http://goats.example/"]
    assert "heights of their towers" in hits[0].text and "goat" not in hits[0].text
    page = called(run, "visit_page")[-1]
    assert page.url == "http://lanternkeepers.example/register"
    assert page.sources[0].title == "Register of lights"


def test_an_answer_by_a_tool_is_a_step_of_its_own_for_the_agent_alone() -> None:
    run = only(read(FIXTURES / "smolagents_spans.jsonl"))
    answers = [step for step in run.steps if step.type == "answer"]
    assert [(step.text, step.agent) for step in answers] == [("37", None)]


def phoenix(span: dict[str, Any]) -> dict[str, Any]:
    status = span["status"]
    return {
        "id": "U3Bhbjox",
        "name": span["name"],
        "context": {name: span["context"][name].removeprefix("0x") for name in ("trace_id", "span_id")},
        "parent_id": (span["parent_id"] or "").removeprefix("0x") or None,
        "span_kind": span["attributes"]["openinference.span.kind"],
        "start_time": span["start_time"],
        "status_code": status["status_code"],
        "status_message": status.get("description", ""),
        "attributes": span["attributes"],
        "events": span["events"],
    }


def columns(span: dict[str, Any]) -> dict[str, Any]:
    row = phoenix(span)
    lists: dict[str, dict[int, dict[str, Any]]] = {}
    flat = {"context.trace_id": row["context"]["trace_id"], "context.span_id": row["context"]["span_id"]}
    flat |= {name: row[name] for name in ("name", "parent_id", "start_time", "status_code", "events")}
    for name, value in row["attributes"].items():
        head, sign, rest = name.partition("_messages.")
        if sign:
            at, _, field = rest.partition(".")
            lists.setdefault(f"{head}_messages", {}).setdefault(int(at), {})[field] = value
        else:
            flat[f"attributes.{name}"] = value
    return flat | {f"attributes.{name}": [item[at] for at in sorted(item)] for name, item in lists.items()}


def nested(spans: list[dict[str, Any]]) -> dict[str, Any]:
    rows = {
        span["context"]["span_id"]: {
            "span_id": span["context"]["span_id"],
            "parent_span_id": span["parent_id"],
            "span_name": span["name"],
            "timestamp": span["start_time"],
            "span_attributes": span["attributes"],
            "status_code": span["status"]["status_code"].capitalize(),
            "events": [{"Name": event["name"], "Attributes": event["attributes"]} for event in span["events"]],
            "logs": [],
            "child_spans": [],
        }
        for span in spans
    }
    root = None
    for row in rows.values():
        if row["parent_span_id"] is None:
            root = row
        else:
            rows[row["parent_span_id"]]["child_spans"].append(row)
    assert root is not None
    task = {"task_id": "t-1", "question": "As in the data set?", "true_answer": "the gold", "file_path": "a.txt"}
    root["logs"] = [{"body": {"function.arguments": {"example": task}, "function.name": "answer"}}]
    return {"trace_id": spans[0]["context"]["trace_id"], "spans": [root]}


def test_every_shape_of_the_same_spans_gives_the_same_steps(tmp_path: Path) -> None:
    steps = only(read(FIXTURES / "smolagents_spans.jsonl")).steps

    def words(run: NeutralRun) -> list[tuple[Any, ...]]:
        return [(step.type, step.text, step.name, step.args, step.agent, step.is_error) for step in run.steps]

    expected = [(step.type, step.text, step.name, step.args, step.agent, step.is_error) for step in steps]
    assert words(only(read(FIXTURES / "smolagents_otlp.json"))) == expected
    shapes: dict[str, Any] = {
        "phoenix": [phoenix(span) for span in SPANS],
        "rest": {"data": [phoenix(span) for span in SPANS], "next_cursor": None},
        "columns": [columns(span) for span in SPANS],
        "nested": nested(SPANS),
        "several": [nested(SPANS)],
    }
    for name, value in shapes.items():
        assert words(only(read(write(tmp_path / f"{name}.json", value)))) == expected, name


def test_the_task_is_taken_from_a_log_and_its_answer_is_not(tmp_path: Path) -> None:
    run = only(read(write(tmp_path / "a.json", nested(SPANS))))
    assert (run.task_id, run.question) == ("t-1", "As in the data set?")
    assert "the gold" not in repr(run)


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    def attribute(name: str, value: Any) -> dict[str, Any]:
        kind = "intValue" if isinstance(value, int) else "stringValue"
        return {"key": name, "value": {kind: str(value)}}

    rows = [
        span | {"traceId": "ab", "attributes": [attribute(*item) for item in span.get("attributes", {}).items()]}
        for span in spans
    ]
    return {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": rows}]}]}


KIND = "openinference.span.kind"
MESSAGE = "llm.{}_messages.{}.message.{}".format
CALL = "llm.output_messages.0.message.tool_calls.{}.tool_call.{}".format


def asking(answer: str) -> list[dict[str, Any]]:
    """An agent of another framework: two calls at once, a retriever, messages that repeat, and a judge."""
    first = {
        MESSAGE("input", 0, "role"): "system",
        MESSAGE("input", 0, "content"): "Answer well.",
        MESSAGE("input", 1, "role"): "user",
        MESSAGE("input", 1, "content"): "How many blasts?",
    }
    return [
        {"spanId": "1", "name": "agent", "attributes": {KIND: "AGENT", "input.value": "How many blasts?"}},
        {
            "spanId": "2",
            "parentSpanId": "1",
            "startTimeUnixNano": "1750000000000000000",
            "attributes": first
            | {
                KIND: "LLM",
                "llm.token_count.prompt": 7,
                CALL(0, "id"): "c1",
                CALL(0, "function.name"): "horn",
                CALL(0, "function.arguments"): '{"n": 1}',
                CALL(1, "id"): "c2",
                CALL(1, "function.name"): "unseen",
                CALL(1, "function.arguments"): "no object",
            },
        },
        {
            "spanId": "3",
            "parentSpanId": "1",
            "startTimeUnixNano": "1750000001000000000",
            "attributes": {KIND: "TOOL", "tool.name": "horn", "output.value": "It blows."},
        },
        {
            "spanId": "4",
            "parentSpanId": "1",
            "startTimeUnixNano": "1750000002000000000",
            "name": "index",
            "attributes": {
                KIND: "RETRIEVER",
                "input.value": "blasts",
                "retrieval.documents.0.document.content": "Three blasts.",
                "retrieval.documents.0.document.metadata": '{"source": "http://lights.example/"}',
            },
        },
        {
            "spanId": "5",
            "parentSpanId": "1",
            "startTimeUnixNano": "1750000003000000000",
            "attributes": first
            | {
                KIND: "LLM",
                MESSAGE("input", 2, "role"): "tool",
                MESSAGE("input", 2, "content"): "It blows.",
                MESSAGE("input", 2, "tool_call_id"): "c1",
                MESSAGE("input", 3, "role"): "tool",
                MESSAGE("input", 3, "content"): "Seen after all.",
                MESSAGE("input", 3, "tool_call_id"): "c2",
                MESSAGE("output", 0, "role"): "assistant",
                MESSAGE("output", 0, "content"): f"FINAL ANSWER: {answer}",
            },
        },
        {
            "spanId": "6",
            "parentSpanId": "1",
            "startTimeUnixNano": "1750000004000000000",
            "attributes": {KIND: "EVALUATOR", "input.value": "the gold is 4", "output.value": "wrong"},
        },
    ]


def test_calls_results_and_repeated_messages_of_any_framework_come_once(tmp_path: Path) -> None:
    run = only(read(write(tmp_path / "run-9.json", otlp(*asking("3")))))
    assert [(step.type, step.name, step.text) for step in run.steps] == [
        ("prompt", None, "Answer well."),
        ("prompt", None, "How many blasts?"),
        ("llm_call", None, ""),
        ("tool_call", "horn", ""),
        ("tool_call", "unseen", "no object"),
        ("tool_result", "horn", "It blows."),
        ("tool_call", "index", "blasts"),
        ("tool_result", "index", "Three blasts."),
        ("tool_result", "unseen", "Seen after all."),
        ("llm_call", None, "FINAL ANSWER: 3"),
    ]
    assert (run.answer, run.run, run.question) == ("3", "run-9", "How many blasts?")
    assert run.steps[2].tokens_in == 7 and run.steps[2].time == "2025-06-15T15:06:40.000000Z"
    assert run.steps[7].sources[0].url == "http://lights.example/"
    assert run.tools == {"horn": "other", "unseen": "other", "index": "search"}
    assert "gold" not in repr(run.steps) and run.gaps == ("spans of the kind EVALUATOR are left out: 1",)


def test_calls_made_at_once_are_told_apart_by_their_arguments(tmp_path: Path) -> None:
    def tool(identity: str, n: int, text: str) -> dict[str, Any]:
        message = json.dumps({"type": "tool", "data": {"content": text}})  # as LangChain has it
        known = {KIND: "TOOL", "tool.name": "horn", "input.value": json.dumps({"n": n}), "output.value": message}
        return {"spanId": identity, "attributes": known}

    asked = {KIND: "LLM", "input.value": "How many blasts?"}
    for at in (1, 2):
        asked |= {CALL(at, "id"): f"c{at}", CALL(at, "function.name"): "horn"}
        asked |= {CALL(at, "function.arguments"): json.dumps({"n": at})}
    spans = [{"spanId": "1", "attributes": asked}, tool("2", 2, "two"), tool("3", 1, "one")]
    run = only(read(write(tmp_path / "a.json", otlp(*spans))))
    results = [(step.call_id, step.text) for step in run.steps if step.type == "tool_result"]
    assert results == [("c2", "two"), ("c1", "one")]


def test_a_trace_of_langfuse_is_read(tmp_path: Path) -> None:
    user = {"role": "user", "content": "How many blasts?"}
    call = {"id": "c1", "type": "function", "function": {"name": "horn", "arguments": '{"n": 1}'}}
    rows = [
        {"id": "a", "type": "AGENT", "name": "agent", "input": "How many blasts?", "output": "3"},
        {"id": "b", "type": "GENERATION", "input": [user], "output": {"role": "assistant", "tool_calls": [call]}},
        {"id": "c", "type": "TOOL", "name": "horn", "input": {"n": 1}, "output": "Three."},
        {"id": "d", "type": "GENERATION", "input": [user], "output": "3", "model": "acme-7", "usage": {"input": 5}},
    ]
    for at, row in enumerate(rows):
        row |= {"parentObservationId": None if at == 0 else "a", "startTime": f"2025-06-15T12:00:0{at}Z"}
    run = only(read(write(tmp_path / "trace.json", {"id": "t", "name": "x", "observations": rows})))
    assert [(step.type, step.name, step.text) for step in run.steps] == [
        ("prompt", None, "How many blasts?"),
        ("llm_call", None, ""),
        ("tool_call", "horn", ""),
        ("tool_result", "horn", "Three."),
        ("llm_call", None, "3"),
    ]
    assert (run.model, run.answer, run.steps[-1].tokens_in) == ("acme-7", "3", 5)


def test_spans_of_several_traces_may_be_mixed_and_in_any_order(tmp_path: Path) -> None:
    other = [span | {"context": span["context"] | {"trace_id": "0x99"}} for span in SPANS]
    mixed = [span for pair in zip(SPANS, other, strict=True) for span in pair]
    random.Random(1).shuffle(mixed)
    path = tmp_path / "mixed.jsonl"
    path.write_text("".join(json.dumps(span) + "\n" for span in mixed))
    runs = read(path)
    assert {run.run for run in runs} == {"keepers", "keepers (2)"}
    assert runs[0].steps == runs[1].steps == only(read(FIXTURES / "smolagents_spans.jsonl")).steps


@pytest.mark.parametrize(
    ("spans", "fault"),
    [
        (
            [{"spanId": "1", "parentSpanId": "2", "attributes": {KIND: "LLM"}}, {"spanId": "2", "parentSpanId": "1"}],
            "each other's parents",
        ),
        ([{"spanId": "1", "attributes": {KIND: "LLM"}}, {"spanId": "1", "name": "b"}], "two spans with the id '1'"),
        ([{"spanId": "1", "name": "GET /"}], "not an agent's trace"),
        ([{"name": "x"}], "a span without an id"),
        ([{"spanId": "1", "attributes": {KIND: "TOOL"}}], "neither the question nor the task's id"),
    ],
)
def test_a_trace_that_is_none_is_refused(tmp_path: Path, spans: list[dict[str, Any]], fault: str) -> None:
    path = write(tmp_path / "a.json", otlp(*spans))
    with pytest.raises(ImportRefused, match=fault):
        read(path)
    runs, refused = runs_of(IMPORTER, path)
    assert not runs and len(refused) == 1


def test_a_line_that_cannot_be_read_is_said_in_the_run(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(span) + "\n" for span in SPANS) + '{"context": \n')
    runs, refused = runs_of(IMPORTER, path)
    assert refused[0].startswith(f"a.jsonl:{len(SPANS) + 1}: not JSON")
    assert "parts of the file that could not be read: 1" in only(runs).gaps


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_damage_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    chance = random.Random(seed)
    small = otlp(*asking("3"))
    value = damaged(
        chance.choice((small, nested(SPANS[-8:]), SPANS[-6:], SPANS[-1])) if chance.random() < 0.9 else 1, chance
    )
    data = json.dumps(value).encode()
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    path.write_bytes(cut(data, chance) if chance.random() < 0.3 else data)
    runs_of(IMPORTER, path)
