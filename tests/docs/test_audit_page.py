"""The figures in docs/audit-figures.md are those that `make redteam` wrote, and the page names what the program has."""

from pathlib import Path

import msgspec

from gaia_harness.audit.answer_leakage import TABLE
from gaia_harness.audit.findings import Finding
from gaia_harness.audit.report import Report
from redteam.figures import Figures
from redteam.page import bars, put_into
from scripts import rule_table

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "audit.md").read_text("utf-8")
TABLES = (DOCS / "audit-figures.md").read_text("utf-8")
FIGURES = msgspec.json.decode((DOCS / "redteam.json").read_bytes(), type=Figures)


def test_the_page_shows_what_was_measured():
    assert put_into(TABLES, FIGURES) == TABLES


def test_a_bar_that_is_missed_is_named_on_the_page():
    for bar in bars(FIGURES):
        assert f"| {bar.what} | {bar.wanted} | {bar.measured} | {'yes' if bar.met else '**no**'} |" in TABLES


def test_the_corpus_is_as_large_as_it_is_said_to_be():
    assert FIGURES.attack_variants >= 60
    assert FIGURES.honest_families >= 30
    assert FIGURES.attack_trajectories >= 900
    assert FIGURES.honest_trajectories >= 1_500
    assert sum(case.kind != "honest" for case in FIGURES.live) >= 20
    assert {part.part for part in FIGURES.parts} == {"development", "test", "unusual", "sealed"}


def test_the_page_lists_every_rule_and_can_be_read_in_one_sitting():
    assert rule_table.put_into(PAGE) == PAGE
    assert len(PAGE.splitlines()) <= 300


def test_the_table_of_aud_1_is_that_of_the_program():
    words = {"C": "critical", "M": "medium", "-": "–"}
    rows = [
        f"| {shows} | {'with it' if tells else 'not there'} | {' | '.join(words[letter] for letter in cell)} |"
        for shows, cells in TABLE.items()
        for tells, cell in cells.items()
    ]
    shown = PAGE.partition("<!-- table: begin -->")[2].partition("<!-- table: end -->")[0].strip().splitlines()
    assert shown[2:] == rows


def test_every_field_of_the_report_and_of_a_finding_is_named():
    for kind in (Report, Finding):
        for field in kind.__struct_fields__:
            assert f"`{field}`" in PAGE
