"""An export that is imported again has the same steps, as far as its format can say them."""

import hashlib
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import gaia_harness as gaia
from exchange import exported_runs
from gaia_harness.exchange.export_source import Attempt, ExportedTask, RunInfo, Told
from gaia_harness.exchange.exporters import atif, inspect, openinference
from gaia_harness.exchange.importers import atif as read_atif
from gaia_harness.exchange.importers import inspect as read_inspect
from gaia_harness.exchange.importers import openinference as read_openinference
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun
from gaia_harness.records.outcome import TaskFacts, VotingFacts
from gaia_harness.records.run import read_record
from gaia_harness.records.steps import Answer, LlmCall, Prompt, ToolCallStep, ToolResultStep

INFO = RunInfo(
    run_id="0123", model="acme/agent-7", harness_version="1.0", dataset="demo", revision=None, digest="00",
    split="validation", task_ids=("quay-1",), voting_attempts=1, judge_model=None, isolation={}, origin=None,
    options={}, is_package=False,
)  # fmt: skip


class Writer:
    """Makes steps. Each text is there once: some formats tell of a text that comes again only once."""

    def __init__(self) -> None:
        self.told: list[Told] = []
        self._by: dict[str, Any] = {}

    def _add(self, kind: Any, text: str, **fields: Any) -> int:
        seq = len(self.told)
        step = kind(seq=seq, attempt=1, turn=1, redactions=0, **self._by, **fields)
        self.told.append(Told(step, text, thoughts=fields.get("_thoughts", "")))
        return seq

    def _text(self, text: str) -> dict[str, Any]:
        return {"bytes": len(text.encode()), "head": text, "truncated": False}

    def mark(self, text: str) -> str:
        return f"{text} ({len(self.told)})"

    def prompt(self, role: str, text: str) -> None:
        text = self.mark(text)
        self._add(Prompt, text, role=role, content_sha256=sha256(text), context_sha256=None, **self._text(text))

    def said(self, text: str, tokens: tuple[int, int] | None) -> None:
        text = self.mark(text)
        self._add(
            LlmCall, text, model="agent-7", output_sha256=sha256(text), latency_ms=0, response_id=None, thoughts=None,
            stop_reason=None, tokens_in=tokens and tokens[0], tokens_out=tokens and tokens[1], **self._text(text),
        )  # fmt: skip

    def call(self, name: str, args: dict[str, Any]) -> tuple[int, str]:
        call_id = f"call-{len(self.told)}"
        data = msgspec.json.encode(args)
        seq = self._add(
            ToolCallStep, "", call_id=call_id, name=name, args=args, args_sha256=sha256(data.decode()),
            args_truncated=(),
        )  # fmt: skip
        return seq, call_id

    def result(self, name: str, call_id: str, text: str, *, is_error: bool) -> None:
        text = self.mark(text)
        self._add(
            ToolResultStep, text, call_id=call_id, name=name, output_sha256=sha256(text), is_error=is_error,
            sources=(), scan=None, windows=(), body=False, **self._text(text),
        )  # fmt: skip

    def answer(self, text: str) -> None:
        self._add(Answer, text, content_sha256=sha256(text), call_id=None, **self._text(text))

    def task(self, answer: str) -> tuple[ExportedTask, Attempt]:
        attempt = Attempt(number=1, selected=True, answer=answer, steps=tuple(self.told), times=None)
        voting = VotingFacts(selected_attempt=1, votes=1, cast=1, answers=(answer,))
        facts = TaskFacts(
            task_id="quay-1", level=1, model="acme/agent-7", correct=False, answer=answer, error=None, turns=1,
            wall_ms=1, input_tokens=None, output_tokens=None, attempts=1, tools_used=(), voting=voting,
        )  # fmt: skip
        task = ExportedTask(facts=facts, question="Which stone?", trajectory=None, attempts=(attempt,))
        return task, attempt


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30)
names = st.sampled_from(["web_search", "web_fetch", "python", "ask"])
values = st.one_of(texts, st.integers(-1000, 1000), st.booleans(), st.none(), st.lists(texts, max_size=2))
arguments = st.dictionaries(st.sampled_from(["query", "url", "code", "x"]), values, max_size=3)
tokens = st.none() | st.tuples(st.integers(0, 10**6), st.integers(0, 10**6))
calls = st.lists(st.tuples(names, arguments, texts, st.booleans()), max_size=3)
turns = st.tuples(st.lists(texts, max_size=2), texts, tokens, calls)


@st.composite
def stories(draw: st.DrawFn, *, one_after_another: bool = False) -> Writer:
    """Turns of prompts, words, calls and results; a call of `ask` starts a sub-agent, which has turns of its own."""
    writer = Writer()
    writer.prompt("system", draw(texts))

    def turn(depth: int) -> None:
        prompts, words, counts, wanted = draw(turns)
        for text in prompts:
            writer.prompt("user", text)
        writer.said(words, counts)
        in_turn = one_after_another and draw(st.booleans())
        waiting = []
        for name, args, text, is_error in wanted:
            seq, call_id = writer.call(name, args)
            delegated = name == "ask" and depth < 2 and len(wanted) == 1
            if delegated:
                outer, writer._by = writer._by, {"agent": "ask", "parent": seq}
                turn(depth + 1)
                writer._by = outer
            waiting.append((name, call_id, text, is_error and not delegated))
            if in_turn:
                writer.result(waiting[-1][0], waiting[-1][1], waiting[-1][2], is_error=waiting[-1][3])
        for name, call_id, text, is_error in () if in_turn else waiting:
            writer.result(name, call_id, text, is_error=is_error)

    for _ in range(draw(st.integers(1, 3))):
        turn(0)
    return writer


def recorded(writer: Writer) -> list[tuple[Any, ...]]:
    """What every format must keep of the steps."""
    seqs: dict[int, str] = {
        told.step.seq: told.step.call_id for told in writer.told if isinstance(told.step, ToolCallStep)
    }
    found: list[tuple[Any, ...]] = []
    for told in writer.told:
        step = told.step
        by = (step.agent or None, seqs[step.parent] if isinstance(step.parent, int) else None)
        if isinstance(step, Prompt):
            found.append(("prompt", step.role, told.text, *by))
        elif isinstance(step, LlmCall):
            found.append(("llm_call", told.text, step.tokens_in, step.tokens_out, *by))
        elif isinstance(step, ToolCallStep):
            found.append(("tool_call", step.name, step.args, step.call_id, *by))
        elif isinstance(step, ToolResultStep):
            found.append(("tool_result", step.name, step.call_id, told.text, step.is_error, *by))
        else:
            found.append(("answer", told.text))
    return found


def imported(run: NeutralRun) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    for step in run.steps:
        by = (step.agent, step.parent)
        if step.type == "prompt":
            found.append(("prompt", step.role, step.text, *by))
        elif step.type == "llm_call":
            found.append(("llm_call", step.text, step.tokens_in, step.tokens_out, *by))
        elif step.type == "tool_call":
            found.append(("tool_call", step.name, step.args, step.call_id, *by))
        elif step.type == "tool_result":
            found.append(("tool_result", step.name, step.call_id, step.text, step.is_error, *by))
        else:
            found.append(("answer", step.text))
    return found


def refuse(error: ImportRefused) -> None:
    raise error


def read(importer: Any, path: Path) -> NeutralRun:
    file = InputFile(path.name, path)
    assert importer.detect(file)
    [run] = importer.read(file, refuse)
    assert (run.task_id, run.question, run.answer) == ("quay-1", "Which stone?", "granite")
    return run


cheap = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


@cheap
@given(stories(one_after_another=True))
def test_atif_keeps_every_step_in_its_place(tmp_path: Path, writer: Writer) -> None:
    writer.answer("granite")
    path = tmp_path / "t.json"
    path.write_bytes(msgspec.json.encode(atif.trajectory(INFO, *writer.task("granite"), several=False)))
    run = read(read_atif, path)
    assert imported(run) == recorded(writer)
    assert (run.run, run.correct, run.model) == ("0123", False, "acme/agent-7")


@cheap
@given(stories())
def test_openinference_keeps_steps_where_the_calls_of_a_turn_come_before_its_results(
    tmp_path: Path, writer: Writer
) -> None:
    path = tmp_path / "t.json"
    path.write_bytes(msgspec.json.encode(openinference.trace(INFO, *writer.task("granite"))))
    steps = imported(read(read_openinference, path))
    assert steps[:-1] == recorded(writer)
    assert steps[-1] == ("answer", "granite")  # as the agent's span gives it back


@settings(cheap, max_examples=15)
@given(stories())
def test_inspect_keeps_steps_where_the_calls_of_a_turn_come_before_its_results(tmp_path: Path, writer: Writer) -> None:
    pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install 'gaia-harness[inspect]'")
    task, attempt = writer.task("granite")
    sample = inspect._sample(INFO, task, attempt)
    path = tmp_path / "log.json"
    header = {"version": 2, "status": "success", "eval": {
        "created": "2026-01-01T00:00:00Z", "task": "gaia", "dataset": {}, "model": "acme/agent-7", "config": {},
    }}  # fmt: skip
    data = msgspec.json.encode(header)[:-1] + b',"samples":[' + sample.model_dump_json().encode() + b"]}"
    path.write_bytes(data)
    assert imported(read(read_inspect, path)) == recorded(writer)


@pytest.mark.parametrize("format", ["atif", "openinference", "inspect"])
def test_a_run_that_goes_out_and_comes_back_has_its_steps_answers_and_sub_agents(tmp_path, format):
    if format == "inspect":
        pytest.importorskip("inspect_ai", reason="needs inspect_ai: pip install 'gaia-harness[inspect]'")
    from gaia_harness.exchange.importing import import_runs
    from gaia_harness.records.trajectories import read_trajectories

    data = exported_runs.data_set(tmp_path / "data", 1)
    exported_runs.write_run(tmp_path / "run", data, env={})
    out = tmp_path / ("out.eval" if format == "inspect" else "out.json")
    gaia.export_run(tmp_path / "run", out, format=format, env={})
    result = import_runs([out], tmp_path / "back", dataset=str(data), env={})
    assert result.format == format
    assert read_record(tmp_path / "back").origin.kind == "imported"
    [[_, _, before]] = read_trajectories(tmp_path / "run" / "trajectories.jsonl")
    [[_, _, after]] = read_trajectories(tmp_path / "back" / "trajectories.jsonl")
    kinds = [type(step) for step in before.steps]
    if format == "inspect":  # an answer step has no event of its own
        kinds = kinds[:-1]
    assert [type(step) for step in after.steps][: len(kinds)] == kinds
    assert after.final_answer == before.final_answer
    for old, new in zip(before.steps, after.steps, strict=False):
        assert new.parent == old.parent
        if isinstance(old, LlmCall):
            assert (new.output_sha256, new.tokens_in, new.tokens_out) == (
                old.output_sha256, old.tokens_in, old.tokens_out,
            )  # fmt: skip
        elif isinstance(old, Prompt):
            assert new.content_sha256 == old.content_sha256
        elif isinstance(old, ToolResultStep) and not old.truncated:
            assert new.output_sha256 == old.output_sha256
