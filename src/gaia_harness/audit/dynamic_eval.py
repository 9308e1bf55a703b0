"""AUD-9: does the harness itself run text as code? Its own sources, by syntax tree: eval, exec, pickle, shell."""

import ast
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from gaia_harness.audit.constants import HOLE, words
from gaia_harness.audit.evidence import RunEvidence, TaskEvidence
from gaia_harness.audit.findings import Check, Finding, Findings, Severity, excerpt
from gaia_harness.audit.program import Called, follow, vocabulary
from gaia_harness.audit.sources import Module, Sources, installed, sources_that_ran
from gaia_harness.audit.tool_calls import line_offset, line_text

ALLOWED = {
    ("tools/inside.py", "run", "dynamic-code"): (
        "the driver that runs the model's code: it is itself run inside the sandbox, and nowhere else"
    ),
    ("cli/__init__.py", "get_command", "computed-import"): (
        "the command line loads the module of a command: only names in its own fixed list come so far"
    ),
}
"""By file, function and rule: what may be there, and why."""

# What it takes, as it stands in a source: a module with none of it can do none of it, and is not read further.
_PARTS = (
    b"eval", b"exec", b"__import__", b"import_module", b"pickle", b"dill", b"joblib", b"marshal", b"shelve", b"yaml",
    b"ctypes", b"cffi", b"builtins", b"runpy", b"FunctionType", b"CodeType", b"system", b"popen", b"shell", b"output",
    b"pty", b"torch", b"numpy", b"getattr", b"globals", b"locals", b"vars", b'"-c"', b"'-c'", b"attrgetter",
    b"methodcaller", b"__dict__", b"__getattribute__", b"modules",
)  # fmt: skip
_NAMES = words(
    "eval exec execfile __import__ import_module pickle cPickle _pickle dill cloudpickle joblib jsonpickle read_pickle "
    "numpy marshal shelve yaml ctypes _ctypes cffi builtins __builtins__ runpy FunctionType CodeType system popen "
    "getoutput getstatusoutput create_subprocess_shell pty torch"
)
_SHELL_ARGUMENTS = words("shell -c")
_BY_NAME = words("getattr globals locals vars attrgetter methodcaller __dict__ __getattribute__ modules")
_HANDS = words("os posix subprocess sys importlib asyncio types code commands")
_ATTRIBUTES = (
    "system",
    "popen",
    "modules",
)  # words of every day: they count behind a point, or where they are imported
_WORD = re.compile(
    rb"\b(?:"
    + b"|".join(sorted(name.encode() for name in (_NAMES | _BY_NAME).difference(_ATTRIBUTES)))
    + rb")\b|(?:\.\s*|\bimport\b.*\b|^\s*)(?:system|popen|modules)\b|\bshell\s*=|[\"']-c[\"']"
)
_TEXTS = re.compile(rb"\"[^\"]*\"|'[^']*'|#.*")
_UNSURE = (b'\\"', b"\\'", b'""', b"''", b"-c")
_FIELDS = (b'f"', b"f'", b'F"', b"F'", b'r"', b"r'", b'R"', b"R'")
_LONG_FIELDS = (b'f"""', b"f'''", b'F"""', b"F'''", b'fr"""', b"fr'''", b'fR"""', b"fR'''", b'FR"""', b"FR'''")
_CODE = words("eval exec execfile runpy.run_path runpy.run_module types.FunctionType types.CodeType")
_CODE_NAMES = ("eval", "exec", "__import__")
_LOADS = re.compile(
    r"(?:pickle|cPickle|_pickle|dill|cloudpickle|marshal)\.(?:loads?|Unpickler)|joblib\.load|shelve\.open|"
    r"jsonpickle\.decode|torch\.load|pandas\.read_pickle|yaml\.(?:unsafe_load|full_load|unsafe_load_all)"
)
_SHELL = words(
    "os.system os.popen subprocess.getoutput subprocess.getstatusoutput asyncio.create_subprocess_shell pty.spawn"
)
_PROCESS = words("subprocess.run subprocess.call subprocess.check_output subprocess.check_call subprocess.Popen")
_NATIVE = ("ctypes", "cffi", "_ctypes")


class DynamicEval:
    """Reads the sources once, at the end. `root` is where they are: this program's own, unless told otherwise."""

    def __init__(self, run: RunEvidence, root: Path | None = None) -> None:
        self._run = run
        self._root = installed() if root is None else root

    def look(self, task: TaskEvidence) -> None:
        """A task says nothing about the sources."""

    def conclude(self) -> Check:
        """Say what the sources that ran do with text."""
        findings = Findings()
        sources, gap = sources_that_ran(self._run, self._root)
        for finding in () if sources is None else findings_in(sources):
            findings.add(finding)
        return findings.check("AUD-9", "dynamic-eval", harness_gap=gap)


@lru_cache(maxsize=1)
def findings_in(sources: Sources) -> tuple[Finding, ...]:
    """All that these sources do. Whoever audits many runs has the same sources each time."""
    return tuple(finding for module in sources.modules if _is_worth_reading(module) for finding in _findings(module))


def _is_worth_reading(module: Module) -> bool:
    """Whether a source has, outside of mere texts, what it takes. When in doubt it has."""
    data = module.data
    if not data.isascii():  # to Python a name is the same in letters of any width
        data = unicodedata.normalize("NFKC", module.text).encode("utf-8", "replace")
    if not any(_may_be_code(data, part) for part in _PARTS if part in data):
        return False
    found = vocabulary(module.text)
    if found is None or not _NAMES.isdisjoint(found.names):
        return True
    if "subprocess" in found.names and not _SHELL_ARGUMENTS.isdisjoint(found.texts):
        return True
    return not _BY_NAME.isdisjoint(found.names) and not _HANDS.isdisjoint(found.names)


def _may_be_code(data: bytes, part: bytes) -> bool:
    """A first look, line by line: whether such a word stands there unquoted, as far as that is sure."""
    at = data.find(part)
    while at >= 0:
        start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
        line = data[start : end if end >= 0 else len(data)]
        if _WORD.search(line):
            # escaped or longer quotes, fields in a text, a text over two lines: not sure where quotes begin and end
            sure = not any(mark in line for mark in _UNSURE) and data[max(0, start - 2) : start] != b"\\\n"
            if b"{" in line and (any(mark in line for mark in _FIELDS) or any(mark in data for mark in _LONG_FIELDS)):
                sure = False
            if not sure or _WORD.search(_TEXTS.sub(b" ", line)):
                return True
        at = data.find(part, start + len(line))
    return False


def _findings(module: Module) -> Iterator[Finding]:
    tree = module.tree()
    if tree is None:
        yield Finding(
            severity="medium",
            rule="source-unread",
            field=module.path,
            summary=f"{module.path} cannot be read as Python.",
        )
        return
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    said: set[tuple[str, int]] = set()
    for severity, rule, line, what in _uses(tree):
        if (rule, line) in said:
            continue
        said.add((rule, line))
        inside = [each for each in functions if each.lineno <= line <= (each.end_lineno or each.lineno)]
        function = max(inside, key=lambda each: each.lineno).name if inside else ""
        reason = ALLOWED.get((module.path, function, rule))
        place = f"{module.path}, line {line}"
        yield Finding(
            severity=severity if reason is None else "info",
            rule=rule if reason is None else f"{rule}-allowed",
            field=module.path,
            offset=line_offset(module.text, line),
            summary=f"{place}: {what}." if reason is None else f"{place}: {what}, which is known: {reason}.",
            excerpt=excerpt(line_text(module.text, line).strip()),
        )


def _uses(tree: ast.Module) -> Iterator[tuple[Severity, str, int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in _CODE_NAMES:
            yield "high", "dynamic-code", node.lineno, f"text is run as code ({node.id})"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
            if any(name.split(".")[0] in _NATIVE for name in names):
                yield "medium", "native-code", node.lineno, "memory can be reached past Python (ctypes)"
    program = follow(tree)
    for name, line in program.imports:
        if HOLE in name:
            yield "medium", "computed-import", line, "a module is imported by a name that is worked out"
    for call in program.calls:
        if call.name in _CODE:
            yield "high", "dynamic-code", call.line, f"text is run as code ({call.name})"
        elif _LOADS.fullmatch(call.name) or _unsafe(call):
            yield "high", "unsafe-load", call.line, f"data can run code when they are loaded ({call.name})"
        elif call.name in _SHELL or (call.name in _PROCESS and _by_shell(call)):
            severity: Severity = "medium" if call.args and _plain(call.args[0]) else "high"
            what = "a fixed text" if severity == "medium" else "a text that is worked out"
            yield severity, "shell", call.line, f"a shell runs {what} ({call.name})"


def _unsafe(call: Called) -> bool:
    if call.name in ("yaml.load", "yaml.load_all"):
        return "Safe" not in repr([*call.args[1:], *call.keywords.values()])
    return call.name in ("numpy.load", "np.load") and call.keywords.get("allow_pickle") is True


def _by_shell(call: Called) -> bool:
    given = call.keywords.get("shell", False)
    if given is not False:
        return True
    first = call.args[0] if call.args else None
    shells = ("sh", "bash", "/bin/sh", "/bin/bash")
    return isinstance(first, list) and len(first) > 1 and first[0] in shells and first[1] == "-c"


def _plain(value: object) -> bool:
    return isinstance(value, str) and HOLE not in value
