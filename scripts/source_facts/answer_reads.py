"""For AUD-8: can the runner's own code come to answers? Its sources are read by what they import and name."""

import ast
import re
from collections.abc import Iterator

from gaia_harness.audit.findings import Finding, Severity, excerpt
from scripts.source_facts.sources import Module

# The parts of the program that an answer must not reach, and what holds answers.
_BLIND = ("agent", "models", "tools")
_HOLDERS = tuple(
    f"gaia_harness.{name}"
    for name in ("tasks.answers", "tasks.loading", "tasks.rows", "tasks.folder", "tasks.hub", "judge", "run", "signing",
                 "audit", "submission", "cli")
)  # fmt: skip
_HELD = ("AnswerKey", "annotator_steps", "expected_output", "ground_truth", "read_rows", "load_tasks")
_HELD_TEXT = re.compile(r"metadata(?:\.level\d)?\.(?:jsonl|parquet)|^Final answer$|^Annotator Metadata$")


def reads_of_answers(module: Module) -> Iterator[Finding]:
    """Where a source of a part that no answer may reach comes near one."""
    tree = module.tree()
    if module.package not in _BLIND or tree is None:
        return  # that it cannot be read is for AUD-9 to say
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                for alias in node.names:
                    if _holds(alias.name):
                        yield _source_finding(
                            module, node.lineno, "high", "runner-reads-answers", f"imports {alias.name}"
                        )
            case ast.ImportFrom():
                base = _absolute(module, node)
                for name in (base, *(f"{base}.{alias.name}" for alias in node.names)):
                    if _holds(name):
                        yield _source_finding(module, node.lineno, "high", "runner-reads-answers", f"imports {name}")
                        break
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in _HELD:
                yield _source_finding(module, node.lineno, "high", "runner-reads-answers", f"uses {name}")
            case ast.Constant(value=str() as text) if len(text) < 300:
                if _HELD_TEXT.search(text) or _holds(text):
                    yield _source_finding(
                        module, node.lineno, "high", "runner-reads-answers", "names what holds answers"
                    )


def _holds(name: str) -> bool:
    return name.startswith("gaia_harness.") and any(name == each or name.startswith(f"{each}.") for each in _HOLDERS)


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    folders = ["gaia_harness", *module.path.split("/")[:-1]]
    return ".".join([*folders[: len(folders) - node.level + 1], *([node.module] if node.module else [])])


def _source_finding(module: Module, line: int, severity: Severity, rule: str, what: str) -> Finding:
    return Finding(
        severity=severity,
        rule=rule,
        field=module.path,
        offset=module.offset(line),
        summary=f"{module.path}, line {line}: {what}; no answer may come so far.",
        excerpt=excerpt(module.line(line)),
    )
