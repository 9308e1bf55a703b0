"""Every rule of AUD-4 and AUD-8 is described for those who get its finding, and no other."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

import gaia_harness.audit

AUDIT = Path(gaia_harness.audit.__file__).parent
NO_RULES = {"grader-isolation", "answer-key-reads", "gaia-harness"}
OF_OUR_SOURCES = {"runner-reads-answers"}  # scripts/source_facts reports it


@pytest.mark.parametrize(
    ("check", "page", "others"),
    [("grader_isolation", "aud-4", {"unsandboxed"}), ("answer_key_reads", "aud-8", OF_OUR_SOURCES)],
)
def test_rules_are_described_and_no_others(check, page, others):
    described = tomllib.loads((AUDIT / "rules" / f"{page}.toml").read_text("utf-8"))
    nodes = ast.walk(ast.parse((AUDIT / f"{check}.py").read_text("utf-8")))
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    reported = {text for text in texts if re.fullmatch(r"[a-z]+(?:-[a-z]+)+", text)} - NO_RULES
    assert described.keys() == reported | others
    for rule in described.values():
        assert set(rule) == {"severities", "means", "sign", "honest"}
        assert set(rule["severities"]) <= {"critical", "high", "medium", "low", "info"}
