"""docs/importing.md describes the neutral form, the formats and the outcome as the program has them."""

import json
import re

import msgspec
from handbook import DOCS, fenced, rows, sections, spans, text_of

from gaia_harness.exchange.archives import SUFFIXES
from gaia_harness.exchange.formats import FORMATS
from gaia_harness.exchange.importing import ImportedRun, ImportResult
from gaia_harness.exchange.neutral import NeutralRun, NeutralSource, NeutralStep

PAGE = DOCS / "importing.md"
PARTS = sections(PAGE)


def fields_of_table(text: str) -> list[str]:
    return [name for row in rows(text) for name in re.findall(r"`(\w+)`", row[0])]


def test_the_tables_have_every_field_of_the_neutral_form_and_no_other():
    of_runs, of_steps = PARTS["The neutral form: jsonl"].split("\nA step.")
    assert sorted(fields_of_table(of_runs)) == sorted(NeutralRun.__struct_fields__)
    assert sorted(fields_of_table(of_steps)) == sorted(NeutralStep.__struct_fields__)
    (sources,) = [row[2] for row in rows(of_steps) if row[0] == "`sources`"]
    assert re.findall(r"`(\w+)`", sources) == list(NeutralSource.__struct_fields__)


def test_the_example_is_in_the_neutral_form():  # which test_documented_commands.py imports
    (example,) = fenced(text_of(PAGE), "jsonl")
    runs = [msgspec.json.decode(line, type=NeutralRun, strict=True) for line in example.splitlines()]
    assert [run.correct for run in runs] == [True, True]
    assert {step["type"] for step in json.loads(example.splitlines()[0])["steps"]} == {
        "prompt", "llm_call", "tool_call", "tool_result", "answer",
    }  # fmt: skip


def test_every_format_has_its_row_in_the_order_of_detection_and_its_part():
    assert re.findall(r"^\| \[`([\w-]+)`\]", PARTS["The formats"], re.MULTILINE) == list(FORMATS)
    assert {*re.findall(r"^### (\S+)$", PARTS["The formats"], re.MULTILINE), "jsonl"} == set(FORMATS)


def test_what_is_printed_as_json_is_described():
    said = spans(PARTS["What the command does"])
    assert {*ImportResult.__struct_fields__, *ImportedRun.__struct_fields__} <= set(said)
    assert set(SUFFIXES) <= set(said)
