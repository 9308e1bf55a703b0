"""Every rule of the audit is explained, every explanation is of a rule, and a broken file of them is refused."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from gaia_harness.audit.explanations import RULES, read_rules
from gaia_harness.audit.findings import SEVERITIES
from gaia_harness.cli.audit_table import named_rules
from gaia_harness.errors import GaiaError, UsageError
from scripts.source_facts import answer_reads, text_as_code

AUDIT = RULES.parent
SOURCES = [*sorted(AUDIT.rglob("*.py")), Path(answer_reads.__file__), Path(text_as_code.__file__)]
"""The last two find what AUD-8 and AUD-9 say of our own sources."""

NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")

GOOD = """
[made-up]
severities = ["high", "medium"]
means = "Something that is made up for a test."
sign = "Nobody would make it up without a reason."
honest = "Tests do so; then let it pass."
"""


def trees() -> list[ast.Module]:
    return [ast.parse(path.read_text("utf-8")) for path in SOURCES]


def texts(node: ast.AST, constants: dict[str, set[str]]) -> set[str]:
    """All texts that an expression can be, by names of constants too."""
    if isinstance(node, ast.Constant):
        return {node.value} if isinstance(node.value, str) else set()
    if isinstance(node, ast.IfExp):
        return texts(node.body, constants) | texts(node.orelse, constants)
    if isinstance(node, ast.BoolOp):
        return set().union(*(texts(value, constants) for value in node.values))
    if isinstance(node, ast.Name):
        return constants.get(node.id, set())
    if isinstance(node, ast.Attribute):
        return constants.get(node.attr, set())
    return set()


def takers(trees: list[ast.Module]) -> dict[str, int | None]:
    """Functions and classes that take a `rule`, and at which place (None: by name alone)."""
    found: dict[str, int | None] = {"Finding": None}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                names = [arg.arg for arg in node.args.args if arg.arg not in ("self", "cls")]
                if "rule" in names:
                    found[node.name] = names.index("rule")
            elif isinstance(node, ast.ClassDef):
                fields = [line.target.id for line in node.body if isinstance(line, ast.AnnAssign)]  # type: ignore[union-attr]
                if "rule" in fields:
                    found[node.name] = fields.index("rule")
    return found


def rules_of_a_row(row: ast.Tuple, constants: dict[str, set[str]]) -> Iterator[str]:
    """Of a row of a decision table: a name beside a severity, or a name and then a sentence."""
    parts = [texts(part, constants) for part in row.elts]
    named = any(isinstance(part, ast.Name) and part.id in ("severity", "weight") for part in row.elts)
    graded = named or any(part and part <= {*SEVERITIES} for part in parts)
    told = len(parts) == 2 and any(text.endswith(".") and " " in text for text in parts[1])
    for part in parts if graded else parts[:1] if told else ():
        yield from (text for text in part if NAME.fullmatch(text) and "-" in text)


def rules_in(trees: list[ast.Module]) -> Iterator[str]:
    """The names of rules that the sources give to a finding, or to what makes one of it."""
    constants: dict[str, set[str]] = {}
    for tree in trees:
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                constants[node.targets[0].id] = texts(node.value, {})
    everywhere = takers(trees)
    for tree in trees:
        taking = everywhere | takers([tree])  # what a module has itself is what it means
        for node in ast.walk(tree):
            if isinstance(node, ast.Tuple):
                yield from rules_of_a_row(node, constants)
            if not isinstance(node, ast.Call):
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            place = taking.get(name)
            given = [keyword.value for keyword in node.keywords if keyword.arg == "rule" and name in taking]
            if place is not None and place < len(node.args):
                given.append(node.args[place])
            yield from (text for value in given for text in texts(value, constants) if NAME.fullmatch(text))


def words_in(trees: list[ast.Module]) -> set[str]:
    """All texts in the sources, and in the tables beside them."""
    found = {node.value for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Constant)}

    def walk(value: object) -> None:
        if isinstance(value, dict):
            for key, each in value.items():
                found.add(key)
                walk(each)
        elif isinstance(value, list):
            for each in value:
                walk(each)
        elif isinstance(value, str):
            found.add(value)

    for path in AUDIT.rglob("*.toml"):
        if path.parent != RULES:
            walk(tomllib.loads(path.read_text("utf-8")))
    return {text for text in found if isinstance(text, str)}


def test_every_rule_is_explained():
    found = set(rules_in(trees()))
    assert len(found) > 20  # or this test does not see them
    assert found - {rule.name for rule in read_rules()} == set()


def test_every_rule_that_the_facts_of_this_version_name_is_explained():
    named = set(re.findall(r'"rule": "([^"]+)"', (AUDIT / "source_facts.json").read_text()))
    assert named and named <= {rule.name for rule in read_rules()}


def test_every_explanation_is_of_a_rule():
    said = words_in(trees())
    assert {rule.name for rule in read_rules() if rule.name not in said} == set()
    assert {rule.check for rule in read_rules()} == {f"AUD-{number}" for number in range(1, 11)}


def test_the_search_sees_rules_however_they_are_given():
    source = """
LATER = "by-constant"
class Row:
    severity: str
    rule: str
def found(severity, rule, summary=""): ...
class Check:
    def say(self, rule): ...
Finding(severity="high", rule="by-name" if x else "by-other")
found("high", "by-place")
Row("high", LATER)
self.say("by-method")
other(rule="not-ours")
TABLE = (("high" if x else "low", "medium", "by-row", "a thing"), ("by-sentence", "It is so."), ("not-a", "rule"))
"""
    assert set(rules_in([ast.parse(source)])) == {
        "by-name", "by-other", "by-place", "by-constant", "by-method", "by-row", "by-sentence"
    }  # fmt: skip


@pytest.fixture
def rules(tmp_path):
    def written(text: str):
        (tmp_path / "aud-3.toml").write_text(text)
        (tmp_path / "README.toml").write_text("not = 'rules'")
        return read_rules(tmp_path)

    return written


def test_a_rule_is_explained_by_its_name(rules):
    (rule,) = rules(GOOD)
    assert (rule.check, rule.name, rule.said.severities) == ("AUD-3", "made-up", ("high", "medium"))
    assert named_rules("made-up", (rule,)) == named_rules("aud-3", (rule,)) == (rule,)


@pytest.mark.parametrize(
    "broken",
    [
        GOOD.replace("honest =", "honset ="),
        GOOD.replace('means = "Something that is made up for a test."', ""),
        GOOD.replace('"high", "medium"', '"awful"'),
        GOOD.replace('"high", "medium"', ""),
        GOOD.replace("Tests do so; then let it pass.", ""),
        GOOD.replace("[made-up]", "[made-up"),
        GOOD + GOOD,
    ],
)
def test_a_broken_file_is_refused_by_its_name(rules, broken):
    with pytest.raises(GaiaError, match=r"aud-3\.toml"):
        rules(broken)


def test_an_unknown_rule_is_refused_with_the_nearest_names(rules):
    with pytest.raises(UsageError, match="there is no rule 'maid-up'") as caught:
        named_rules("maid-up", rules(GOOD))
    assert caught.value.hint == "did you mean made-up?"
    with pytest.raises(UsageError) as caught:
        named_rules("qqqq", rules(GOOD))
    assert "--explain list" in (caught.value.hint or "")
