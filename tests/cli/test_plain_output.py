"""What a stranger wrote does nothing to a terminal, and hides nothing in it: not as text, not as JSON."""

import json
import sys
import unicodedata
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

import thoroughness
from gaia_command import gaia
from gaia_harness.audit.findings import LONGEST_EXCERPT, excerpt
from gaia_harness.audit.report import Report
from gaia_harness.cli.audit_table import show
from gaia_harness.cli.plain import plain, plain_json
from gaia_harness.cli.progress import line
from gaia_harness.models import wire
from gaia_harness.records import tool_use
from gaia_harness.records.results import TaskResult
from gaia_harness.shortening import shorten
from gaia_harness.submission import readme
from gaia_harness.tasks import hub_errors
from gaia_harness.tools import search

ODD = "a\x00\x07\x1b[2J\x7f\x85\x9b31m\u00ad\u061c\u200b\u200d\u200f\u2028\u2029\u202e\u2066\u2069\ufeff\ufe0f\u3164z"
ODD += "\U000e0001\U000e0041\U000e0100 é 中 \U0001f600"
SEEN = ("é", "中", "\U0001f600")


def odd_in(text: str) -> set[str]:
    """By the properties that Unicode gives, and not by those that Python asks for."""
    return {
        sign
        for sign in text
        if unicodedata.category(sign)[0] == "C"
        or unicodedata.category(sign) in ("Zl", "Zp")
        or sign in "\ufe0f\u3164\U000e0100"
    }


def test_the_sample_has_every_kind():
    assert len(odd_in(ODD)) == 22
    assert not odd_in(plain(ODD))
    assert all(sign in plain(ODD) for sign in SEEN)


@given(st.text())
def test_any_text_comes_through_as_json(text):
    document = json.dumps({text: [text, 1.5, None]}, ensure_ascii=False, indent=1).encode("utf-8", "replace")
    shown = plain_json(document)
    assert json.loads(shown) == json.loads(document)
    assert not odd_in(shown.decode()) - {"\n"}


def test_every_character_in_a_string_of_its_own():
    odd = (*range(0x20, 0x3200), *range(0xF900, 0x10000), *range(0xE0000, 0xE0200))  # with what steers or is not seen
    step = 1 if thoroughness.asked else 13
    codes = (*odd, *range(0x3200, 0xD800, step), *range(0xE000, sys.maxunicode + 1, step))
    for start in range(0, len(codes), 1000):
        texts = [chr(code) for code in codes[start : start + 1000]]
        shown = plain_json(json.dumps(texts, ensure_ascii=False).encode())
        assert json.loads(shown) == texts
        assert all(each.isascii() or each.isprintable() for each in shown.decode())


@pytest.fixture
def run(tmp_path):
    ran = gaia(
        "run", "--dataset", "demo", "--model", "scripted/demo", "--limit", "1", "--submit-intent",
        "--out", tmp_path / "run",
    )  # fmt: skip
    assert ran.code == 0, ran.said
    return tmp_path / "run"


def test_audit_and_verify_print_json_that_a_terminal_can_show(run, tmp_path):
    waivers = [{"task_id": None, "rule": ODD, "reason": ODD, "who": ODD}]
    (tmp_path / "waivers.json").write_text(json.dumps(waivers))
    audited = gaia("audit", run, "--waivers", tmp_path / "waivers.json", "--json")
    (waiver,) = json.loads(audited.out)["waivers"]
    assert waiver["reason"] == ODD
    assert not odd_in(audited.out) - {"\n"}
    assert "é 中 \U0001f600" in audited.out
    assert gaia("submit", run, "--out", tmp_path / "p").code == 0
    metadata = tmp_path / "p" / "metadata.json"
    value = json.loads(metadata.read_bytes()) | {"run_id": ODD}
    metadata.write_bytes(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")
    verified = gaia("verify", tmp_path / "p", "--json")
    assert json.loads(verified.out)["run_id"] == ODD
    assert not odd_in(verified.out) - {"\n"}


def test_an_archive_that_cannot_be_unpacked_prints_such_json_too(tmp_path):
    path = tmp_path / f"{ODD.replace(chr(0), '')}.tar.gz"
    path.write_bytes(b"not an archive")
    verified = gaia("verify", path, "--json")
    assert verified.code == 2
    assert path.name in json.loads(verified.out)["error"]
    assert not odd_in(verified.out) - {"\n"}


@given(st.lists(st.text("abc", min_size=1, max_size=9), min_size=2).map(" ".join), st.integers(12, 60))
def test_a_line_is_cut_between_words(text, longest):
    short = shorten(text, longest)
    assert len(short) <= longest
    if short != text:
        assert short.endswith("…")
        assert text.startswith(f"{short[:-1]} ")


def test_a_single_word_is_cut_where_it_must_be():
    assert shorten("x" * 100, 10) == "x" * 9 + "…"


def test_a_long_answer_is_not_cut_within_a_word(run):
    result = msgspec.json.decode((run / "results.jsonl").read_bytes().splitlines()[0], type=TaskResult)
    said = line(msgspec.structs.replace(result, answer="lighthouses " * 100))
    assert said.endswith(" lighthouses…")


def test_a_check_that_warned_and_was_skipped_is_named_once_and_in_its_place(capsys):
    package = Path(__file__).parents[2] / "conformance" / "plain_pass" / "package"
    report = msgspec.json.decode((package / "audit-report.json").read_bytes(), type=Report)
    outcome = msgspec.structs.replace(
        report.attestation, strict_clean=False, warn_failures=("AUD-6", "AUD-10"), skipped=("AUD-5", "AUD-6", "AUD-10")
    )
    show(msgspec.structs.replace(report, attestation=outcome), package)
    assert "clean, not strictly: AUD-5, AUD-6, AUD-10\n" in capsys.readouterr().out


def test_what_the_evidence_lacks_is_said_and_is_why_a_run_is_not_strictly_clean(capsys):
    package = Path(__file__).parents[2] / "conformance" / "plain_pass" / "package"
    report = msgspec.json.decode((package / "audit-report.json").read_bytes(), type=Report)
    gaps = ("AUD-8: of a check", "evidence: token counts are not known")
    outcome = msgspec.structs.replace(report.attestation, strict_clean=False, harness_gaps=gaps)
    show(msgspec.structs.replace(report, attestation=outcome), package)
    said = capsys.readouterr().out
    assert "  gap        token counts are not known\n" in said
    assert "clean, not strictly: AUD-8, AUD-9, gaps in the evidence\n" in said


WORDS = "The lanterns of the northern corridor were counted by the keeper and his sister " * 20


@given(st.integers(0, 900))
def test_an_excerpt_of_a_report_neither_begins_nor_ends_within_a_word(start):
    words = excerpt(WORDS, start).removesuffix("…").split()
    assert set(words) <= set(WORDS.split())
    assert len(" ".join(words)) <= LONGEST_EXCERPT


def test_an_excerpt_begins_at_its_place_where_there_is_no_word_to_begin_at():
    assert excerpt("x" * 1000, 500).startswith("x" * 100)


@pytest.mark.parametrize(
    "cut",
    [
        lambda: readme._plain(WORDS),
        lambda: hub_errors._one_line(WORDS),
        lambda: wire._one_line(WORDS),
        lambda: tool_use.in_short(WORDS),
        lambda: search.one_line(WORDS, 200),
    ],
    ids=["the package's README", "an error of the hub", "an error of a model's server", "an error of a tool", "a hit"],
)
def test_what_is_too_long_is_cut_between_words(cut):
    said = cut()
    assert said.endswith("…")
    assert set(said.removesuffix("…").split()) <= set(WORDS.split())
