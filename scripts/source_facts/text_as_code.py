"""For AUD-9: does the harness itself run text as code? By syntax tree: eval, exec, pickle, shell."""

import ast
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from gaia_harness.audit.findings import Finding, Severity, excerpt
from gaia_harness.audit.reaching.code import Walk
from gaia_harness.audit.reaching.folding import HOLE
from scripts.source_facts.sources import Module

ALLOWED = {
    ("tools/inside.py", "run", "code"): (
        "the driver that runs the model's code: it is itself run inside the sandbox, and nowhere else"
    ),
    ("cli/__init__.py", "get_command", "import"): (
        "the command line loads the module of a command: only names in its own fixed list come so far"
    ),
    ("box/launcher.py", "", "native"): (
        "a program of its own, which makes the network of a box and becomes bubblewrap: Python cannot unshare"
    ),
    ("box/starter.py", "", "native"): (
        "it is itself run inside the box, before the agent, and shuts the agent out of its own memory"
    ),
    (
        "box/hal.py",
        "main",
        "import",
    ): "the shim that calls an agent made for HAL: it is run inside the box alone",
}
"""By file, function and kind: what may be there, and why."""

_CODE = ("eval", "exec", "execfile", "runpy.run_path", "runpy.run_module", "types.FunctionType", "types.CodeType")
_CODE_NAMES = ("eval", "exec", "__import__")
_LOADS = re.compile(
    r"(?:pickle|cPickle|_pickle|dill|cloudpickle|marshal)\.(?:loads?|Unpickler)|joblib\.load|shelve\.open|"
    r"jsonpickle\.decode|torch\.load|pandas\.read_pickle|yaml\.(?:unsafe_load|full_load|unsafe_load_all)"
)
_SHELL = re.compile(
    r"os\.system|os\.popen|subprocess\.getoutput|subprocess\.getstatusoutput|asyncio\.create_subprocess_shell|pty\.spawn"
)
_PROCESS = re.compile(r"subprocess\.(?:run|call|check_output|check_call|Popen)")
_NATIVE = ("ctypes", "cffi", "_ctypes")


def runs_of_text(module: Module) -> Iterator[Finding]:
    """Where a source runs text as code, loads data that can run code, or starts a shell; also what is allowed."""
    tree = module.tree()
    if tree is None:
        yield Finding(
            severity="medium",
            rule="text-as-code",
            field=module.path,
            summary=f"{module.path} cannot be read as Python.",
        )
        return
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    said: set[tuple[str, int]] = set()
    for kind, severity, line, what in _uses(tree):
        if (kind, line) in said:
            continue
        said.add((kind, line))
        inside = [each for each in functions if each.lineno <= line <= (each.end_lineno or each.lineno)]
        function = max(inside, key=lambda each: each.lineno).name if inside else ""
        reason = ALLOWED.get((module.path, function, kind))
        place = f"{module.path}, line {line}"
        yield Finding(
            severity=severity if reason is None else "info",
            rule="text-as-code" if reason is None else "text-as-code-allowed",
            field=module.path,
            offset=module.offset(line),
            summary=f"{place}: {what}." if reason is None else f"{place}: {what}, which is known: {reason}.",
            excerpt=excerpt(module.line(line)),
        )


def _uses(tree: ast.Module) -> Iterator[tuple[str, Severity, int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in _CODE_NAMES:
            yield "code", "high", node.lineno, f"text is run as code ({node.id})"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            if any(name.split(".")[0] in _NATIVE for name in names):
                yield "native", "medium", node.lineno, "memory can be reached past Python (ctypes)"
        elif isinstance(node, ast.Call) and _imports_by_name(node):
            yield "import", "medium", node.lineno, "a module is imported by a name that is worked out"
    calls: list[Called] = []
    Walk(tree, lambda name, _, args, named, line: calls.append(Called(name, args, named, line)), lambda *_: None)
    for call in calls:
        first = call.args[0] if call.args else None
        if call.name in _CODE:
            yield "code", "high", call.line, f"text is run as code ({call.name})"
        elif _LOADS.fullmatch(call.name) or _unsafe(call):
            yield "load", "high", call.line, f"data can run code when they are loaded ({call.name})"
        elif _SHELL.fullmatch(call.name) or (_PROCESS.fullmatch(call.name) and _by_shell(call)):
            severity: Severity = "medium" if _plain(first) else "high"
            what = "a fixed text" if severity == "medium" else "a text that is worked out"
            yield "shell", severity, call.line, f"a shell runs {what} ({call.name})"


def _imports_by_name(node: ast.Call) -> bool:
    fixed = bool(node.args) and isinstance(node.args[0], ast.Constant)
    return not fixed and ast.unparse(node.func).endswith(("__import__", "import_module"))


class Called(NamedTuple):
    """A call in a source."""

    name: str
    args: list[Any]
    keywords: dict[str, Any]
    line: int


def _unsafe(call: Called) -> bool:
    if call.name in ("yaml.load", "yaml.load_all"):
        return "Safe" not in repr([*call.args[1:], *call.keywords.values()])
    return call.name in ("numpy.load", "np.load") and call.keywords.get("allow_pickle") is True


def _by_shell(call: Called) -> bool:
    if call.keywords.get("shell", False) is not False:
        return True
    first = call.args[0] if call.args else None
    shells = ("sh", "bash", "/bin/sh", "/bin/bash")
    return isinstance(first, list) and len(first) > 1 and first[0] in shells and first[1] == "-c"


def _plain(value: object) -> bool:
    return isinstance(value, str) and HOLE not in value
