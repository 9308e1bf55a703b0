"""AUD-9: what is known of the sources that ran is said, and where nothing is known, that."""

import json

import msgspec
import pytest
from tool_samples import examined, run_of, write_intent

from gaia_harness.audit.findings import Finding
from gaia_harness.audit.source_facts import CHANGED, NOT_AT_HAND, DynamicEval, SourceFacts
from gaia_harness.signing.intent import source_sha256

RUNS_TEXT = Finding(severity="high", rule="text-as-code", field="agent/loop.py", summary="agent/loop.py, line 3")


@pytest.fixture
def facts(tmp_path):
    """A file that says of the sources here that they run text as code."""
    file = tmp_path / "facts.json"
    said = SourceFacts(source_sha256=source_sha256(), answer_reads=(), text_as_code=(RUNS_TEXT,))
    file.write_bytes(msgspec.json.encode(said))
    return file


def test_the_sources_as_they_are_do_only_what_is_known(tmp_path):
    check = examined(DynamicEval, run_of(tmp_path))
    assert check.status == "pass"
    assert {finding.severity for finding in check.findings} == {"info"}


def test_what_the_facts_say_is_a_finding(tmp_path, facts):
    check = examined(lambda run: DynamicEval(run, facts), run_of(tmp_path))
    assert (check.status, check.findings) == ("fail", (RUNS_TEXT,))


def _of_other_sources(file):
    file.write_text(file.read_text().replace(source_sha256(), "0" * 64))


def _merged_without_a_look(file):
    said = json.loads(file.read_text())
    file.write_text(json.dumps(said, indent=2).replace("{\n", f'{{\n  "source_sha256": "{"0" * 64}",\n', 1))


@pytest.mark.parametrize(
    "change",
    [_of_other_sources, _merged_without_a_look, lambda file: file.write_text("<<<<<<<"), lambda file: file.unlink()],
    ids=["of other sources", "merged", "broken", "missing"],
)
@pytest.mark.parametrize("declared", [True, False])
def test_sources_that_nobody_checked_are_a_gap(tmp_path, facts, change, declared):
    change(facts)
    if declared:
        write_intent(tmp_path, source_sha256())
    check = examined(lambda run: DynamicEval(run, facts), run_of(tmp_path, submit_intent=declared))
    assert (check.status, check.harness_gap, check.findings) == ("skip", CHANGED, ())


def test_sources_that_did_not_run_are_a_gap(tmp_path):
    write_intent(tmp_path, "0" * 64)
    check = examined(DynamicEval, run_of(tmp_path, submit_intent=True))
    assert (check.status, check.harness_gap, check.findings) == ("skip", NOT_AT_HAND, ())


def test_sources_that_the_intent_names_are_checked(tmp_path):
    write_intent(tmp_path, source_sha256())
    check = examined(DynamicEval, run_of(tmp_path, submit_intent=True))
    assert (check.status, check.harness_gap) == ("pass", None)


def test_a_declared_run_without_its_intent_is_a_gap(tmp_path):
    assert examined(DynamicEval, run_of(tmp_path, submit_intent=True)).status == "skip"
    assert examined(DynamicEval, run_of(tmp_path)).status == "pass"
