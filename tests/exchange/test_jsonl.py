"""The neutral form is read strictly: what it has no word for is refused by name."""

import json
import random
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gaia_harness.exchange.importers import Importer, jsonl
from gaia_harness.exchange.inputs import ImportRefused, InputFile
from gaia_harness.exchange.neutral import NeutralRun
from tests.exchange.damage import cut, damaged, runs_of

IMPORTER = cast(Importer, jsonl)

RUN: dict[str, Any] = {
    "task_id": "fog-horn",
    "question": "How many blasts does the horn of Pinch Beacon give?",
    "run": "acme-7",
    "model": "acme/agent-7",
    "answer": "3",
    "steps": [
        {"type": "prompt", "role": "user", "text": "How many blasts?"},
        {"type": "llm_call", "text": "I shall look it up.", "tokens_in": 12, "tokens_out": 5},
        {"type": "tool_call", "name": "search", "args": {"q": "Pinch Beacon"}, "call_id": "c1"},
        {
            "type": "tool_result",
            "call_id": "c1",
            "text": "Three blasts.",
            "sources": [{"url": "http://lights.example/", "text": "Three blasts."}],
        },
        {"type": "answer", "text": "3"},
    ],
    "tools": {"search": "search"},
}


def write(path: Path, *rows: Any) -> InputFile:
    file = path / "runs.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return InputFile("runs.jsonl", file)


def refuse(error: ImportRefused) -> None:
    raise error


def test_a_run_is_read_as_it_stands(tmp_path: Path) -> None:
    file = write(tmp_path, RUN, RUN)
    assert jsonl.detect(file)
    assert list(jsonl.read(file, refuse)) == [msgspec.convert(RUN, NeutralRun)] * 2


def test_unknown_fields_are_refused_by_name_and_left_out_to_keep_going(tmp_path: Path) -> None:
    odd = json.loads(json.dumps(RUN))
    odd["colour"] = "blue"
    odd["steps"][3]["sources"][0]["rank"] = 1
    file = write(tmp_path, RUN, odd)
    with pytest.raises(ImportRefused, match=r"runs\.jsonl:2: unknown fields 'colour', step 4, sources: 'rank'"):
        list(jsonl.read(file, refuse))
    runs, refused = runs_of(IMPORTER, file.path)
    assert len(runs) == 2 and len(refused) == 1
    assert runs[1].gaps == ("unknown fields 'colour', step 4, sources: 'rank' left out at the import",)
    assert runs[1].steps == runs[0].steps


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"steps": None}, r"Expected `array`, got `null` - at `\$.steps`"),
        ({"task_id": None, "question": None}, "neither task_id nor question"),
        ({"attempt": 0}, "attempt 0 is not a number from 1"),
        ({"steps": [{"type": "thought"}]}, r"Invalid enum value 'thought'"),
        ({"steps": [{"type": "llm_call", "tokens_in": -1}]}, "step 1: -1 is not a number of tokens"),
        ({"tools": {"search": "google"}}, "Invalid enum value 'google'"),
    ],
)
def test_a_wrong_line_is_named_and_the_others_are_read(tmp_path: Path, change: dict[str, Any], fault: str) -> None:
    file = write(tmp_path, RUN, RUN | change, RUN)
    with pytest.raises(ImportRefused, match=rf"runs\.jsonl:2: .*{fault}"):
        list(jsonl.read(file, refuse))
    runs, refused = runs_of(IMPORTER, file.path)
    assert len(runs) == 2 and len(refused) == 1


def test_only_the_neutral_form_is_taken_for_it(tmp_path: Path) -> None:
    long = RUN | {"steps": [{"type": "prompt", "text": "x" * 200_000}, *RUN["steps"]]}
    assert jsonl.detect(write(tmp_path, long))
    for other in (RUN | {"schema_version": "ATIF-v1.6"}, {"task_id": "a", "steps": [{"type": "span"}]}, [RUN], 1):
        assert not jsonl.detect(write(tmp_path, other))
    assert [file.path for file in jsonl.inputs(tmp_path)] == []
    write(tmp_path, RUN)
    assert [file.path for file in jsonl.inputs(tmp_path)] == [tmp_path / "runs.jsonl"]


def test_a_file_is_known_whose_task_is_named_behind_its_many_steps(tmp_path: Path) -> None:
    many = [RUN["steps"][0], {"type": "tool_result", "name": "read", "text": "fog " * 40_000}, *RUN["steps"][1:]]
    late = {"run": "acme-7", "steps": many, "task_id": "fog-horn"}
    file = write(tmp_path, late)
    assert jsonl.detect(file) and [each.path for each in jsonl.inputs(tmp_path)] == [file.path]
    assert not jsonl.detect(write(tmp_path, {"steps": []}))
    assert not jsonl.detect(write(tmp_path, {"run": "acme-7", "steps": [{"text": "of no type"}]}))


@given(seed=st.integers(0, 2**32))
def test_damage_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    chance = random.Random(seed)
    path = tmp_path_factory.getbasetemp() / "damaged.jsonl"
    data = json.dumps(damaged(RUN, chance)).encode() + b"\n" + json.dumps(RUN).encode()
    path.write_bytes(cut(data, chance) if chance.random() < 0.3 else data)
    runs_of(IMPORTER, path)
