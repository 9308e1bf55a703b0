"""Every rule of these checks is described for those who get its finding, with the severities that it can have."""

import ast
import tomllib
from pathlib import Path

import pytest

import gaia_harness.audit

AUDIT = Path(gaia_harness.audit.__file__).parent


def texts(node):
    """The texts that an expression can be, as far as they stand in it."""
    branches = (node.body, node.orelse) if isinstance(node, ast.IfExp) else (node,)
    return {each.value for each in branches if isinstance(each, ast.Constant)}


def reported(place: Path) -> dict[str, set[str]]:
    """The rules that the modules of a check report, and the severities that stand beside them."""
    rules: dict[str, set[str]] = {}
    for file in [place] if place.is_file() else sorted(place.glob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "found":
                for rule in texts(node.args[1]):
                    rules.setdefault(rule, set()).update(texts(node.args[0]))
    return rules


@pytest.mark.parametrize(
    ("place", "page"),
    [("no_work_pass.py", "aud-2"), ("voting_disclosure.py", "aud-6"), ("split_integrity.py", "aud-7")],
)
def test_rules_are_described_and_no_others(place, page):
    described = tomllib.loads((AUDIT / "rules" / f"{page}.toml").read_text("utf-8"))
    rules = reported(AUDIT / place)
    assert described.keys() == rules.keys()
    for name, page_of_rule in described.items():
        assert set(page_of_rule) == {"severities", "means", "sign", "honest"}
        assert rules[name] <= set(page_of_rule["severities"]) <= {"critical", "high", "medium", "low", "info"}
