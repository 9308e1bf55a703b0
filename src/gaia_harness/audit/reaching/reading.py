"""What does a piece of code, or a command, reach for? Files by their resolved paths, modules, addresses, variables."""

import ast
import re
from functools import lru_cache
from typing import Any

import msgspec

from gaia_harness.audit.reaching.code import Walk, parse
from gaia_harness.audit.reaching.folding import HOLE, Ref, shown
from gaia_harness.audit.reaching.paths import LONGEST_PATH, resolve
from gaia_harness.audit.reaching.shell import read_command
from gaia_harness.audit.reaching.tables import calls, function

DEEPEST = 3
"""Programs within programs, as in `exec("…")`, that are read."""

MOST_REACHES = 1000
"""Things that one program reaches for; with more, it counts as not read to its end."""

MOST_WITHIN = 300_000
"""Characters of programs, commands and paths within one program that are read."""

PLAIN = re.compile(
    r"(?:math|re|json|datetime|itertools|collections|csv|statistics|decimal|fractions|string|random|time|calendar|functools"
    r"|typing|textwrap|heapq|bisect|copy|cmath|numpy|unicodedata|sympy|operator|dataclasses|enum)"
)
"""Modules that only calculate."""
_IMPORT = re.compile(r"^[ \t]*(?:import|from)[ \t]+([^\n]*)", re.MULTILINE)
_CAPABLE = re.compile(
    r"open|exec|eval|compile|getattr|globals|locals|vars|builtins|__|read_|load|fromfile|memmap|fromtxt|[!%]|(?<=\s)[~/]\w"
)
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{0,20}://")
_SPACE = re.compile(r"[\s<>{}]")
_FILE_NAME = re.compile(r"[^./]\.[a-zA-Z]\w{0,4}$")
_LITERAL = re.compile(r"'[^'\n]{1,4000}'|\"[^\"\n]{1,4000}\"")
FILES = frozenset(("read", "write", "change", "list", "look", "make", "tree", "clear", "unpack", "mention"))


class Reach(msgspec.Struct, frozen=True):
    """Something that code reaches for, and on which line, from 1.

    Kinds: those of `FILES` for paths (a `mention` is handed about and not known to be opened); `module`, `url`,
    `download`, `load` (a data set), `host`, `serve` (a port), `variable`, `environment`, `memory`, `program`, `sought`.
    """

    kind: str
    target: str
    line: int


class Reading(msgspec.Struct, frozen=True):
    """What was read: all that code reaches, whether it catches errors, the names and short texts in it.

    `cut` says that it was not read to its end.
    """

    reaches: tuple[Reach, ...] = ()
    guarded: bool = False
    names: frozenset[str] = frozenset()
    cut: bool = False


def _has_hands(code: str) -> bool:
    """Whether code can reach anything: what only calculates is not parsed."""
    if _CAPABLE.search(code):
        return True
    return any(not PLAIN.fullmatch(name.split(".")[0]) for found in _IMPORT.findall(code) for name in _modules(found))


def _modules(imported: str) -> list[str]:
    """The modules in what stands behind `import` or `from`."""
    given = imported.partition(" import ")[0].partition("#")[0].partition(";")[0]
    return [part.split()[0] for part in given.split(",") if part.split()]


@lru_cache(maxsize=512)
def read_code(code: str, workdir: str) -> Reading:
    """What Python code reaches. Two checks ask about it: it is read once."""
    if not _has_hands(code):
        return Reading()
    reader = _Reader(workdir)
    reader.code(code, 0)
    return reader.reading()


@lru_cache(maxsize=512)
def read_shell(command: str, workdir: str) -> Reading:
    """What a shell command reaches."""
    reader = _Reader(workdir)
    reader.shell(command, 1)
    return reader.reading()


class _Reader:
    def __init__(self, workdir: str) -> None:
        self.reaches: dict[Reach, None] = {}
        self.guarded = self.cut = False
        self.names: set[str] = set()
        self.cwd = workdir
        self.depth = 0
        self.within = MOST_WITHIN
        self.variables: dict[str, str] = {}

    def reading(self) -> Reading:
        return Reading(tuple(self.reaches), self.guarded, frozenset(self.names), self.cut or self.within < 0)

    def code(self, code: str, above: int) -> None:
        """Read a program that begins below so many lines. What is no Python is read as commands and for its texts."""
        if self.depth >= DEEPEST or (self.depth and not self._may_take(len(code))):
            return
        self.depth += 1
        lines = code.split("\n")
        if lines[0].startswith(("%%bash", "%%sh", "%%script")):
            self.shell("\n".join(lines[1:]), above + 1)
            lines = []
        for number, text in enumerate(lines):
            bare = text.lstrip()
            if bare.startswith(("!", "%")):
                self.shell(bare.lstrip("!%"), above + number + 1)
                lines[number] = text[: len(text) - len(bare)] + "pass"
        tree = parse("\n".join(lines)) if lines else None
        if tree is None:
            self._lines(lines, above)
        else:
            self._tree(tree, lines, above)
        self.depth -= 1

    def _tree(self, tree: ast.Module, lines: list[str], above: int) -> None:
        given: set[Any] = set()
        for node in ast.walk(tree):
            self.guarded = self.guarded or isinstance(node, ast.Try)
            if isinstance(node, ast.Name | ast.Attribute):
                self.names.add(node.id if isinstance(node, ast.Name) else node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 100:
                self.names.add(node.value)
            elif isinstance(node, ast.Call) and function(getattr(node.func, "id", "?")) == "read":
                given |= {arg.value for arg in node.args if isinstance(arg, ast.Constant)}
        self.names -= given  # what is opened by name is not looked for
        walk = Walk(
            tree,
            lambda name, receiver, args, named, line: self._call(name, receiver, args, named, line + above),
            lambda value, line: self._mention(value, line + above),
        )
        for module, line in walk.imports:
            self.reach("module", module, line + above)
        self.cut = self.cut or walk.left < 0
        if walk.left < 0 or walk.too_deep:
            self._lines(lines, above)

    def _lines(self, lines: list[str], above: int) -> None:
        """Texts, modules and commands in lines that could not be parsed."""
        for number, text in enumerate(lines, above + 1):
            for literal in _LITERAL.findall(text)[:50]:
                self._mention(literal[1:-1], number)
            for module in _IMPORT.findall(text):
                for name in _modules(module):
                    self.reach("module", name, number)
        if self.depth == 1:
            self.shell("\n".join(lines), above + 1)

    def shell(self, command: str | list[str], line: int) -> None:
        """Read a command."""
        if not self._may_take(len(command) if isinstance(command, str) else sum(map(len, command))):
            return
        before = self.cwd
        for kind, word in read_command(command, self.variables):
            if kind in FILES:
                self.file(kind, word, line)
            elif kind == "enter":
                self.cwd = self.resolve(word)
            elif kind == "code":
                self.code(word, line - 1)
            elif kind == "shell":
                if self.depth < DEEPEST:
                    self.depth += 1
                    self.shell(word, line)
                    self.depth -= 1
            else:
                self.reach(kind, word, line)
        self.cwd = before

    def file(self, kind: str, text: str, line: int) -> None:
        """A file or a folder, by a path or by an address."""
        if _SCHEME.match(text) and not text.lower().startswith("file:"):
            self.reach("url", text, line)
        elif text and len(text) <= LONGEST_PATH and "\n" not in text:
            self.reach(kind, self.resolve(text), line)

    def resolve(self, text: str) -> str:
        return resolve(text, self.cwd) if self._may_take(len(text)) else self.cwd

    def reach(self, kind: str, target: str, line: int) -> None:
        if len(self.reaches) < MOST_REACHES:
            self.reaches[Reach(kind, target[:LONGEST_PATH], line)] = None
        else:
            self.cut = True

    def _may_take(self, size: int) -> bool:
        self.within -= size
        return self.within >= 0

    def _mention(self, value: Any, line: int) -> None:
        """A text that is bound or handed about: a path from a root on, or an address. Lists may be paths in pieces."""
        if isinstance(value, dict):
            for each in list(value.values())[:200]:
                if isinstance(each, str):
                    self._mention(each, line)
        elif isinstance(value, list):
            texts = [each for each in value[:200] if isinstance(each, str)]
            if len(texts) > 2 and sum(map(len, texts)) < LONGEST_PATH:
                # bare names may have lost their root; what is a path already is relative where it has none
                root = "" if any("/" in each for each in texts) else "/"
                for pieces in (_path_of(texts), _path_of(texts[::-1]), "".join(texts)):
                    self._mention(pieces if pieces[:1] in "/~." else f"{root}{pieces}", line)
            for each in value[:200]:
                if isinstance(each, str):
                    self._mention(each, line)
        elif isinstance(value, str) and _is_telling(value):
            self.file("mention", value, line)

    def _call(self, name: str, receiver: Any, args: list[Any], named: dict[str, Any], line: int) -> None:
        kind = function(name)
        named = {key: value for key, value in named.items() if key not in calls().fields["within"]}
        texts = [
            each
            for each in _flat([receiver if name[0] == "." else None, *args, *named.values()])
            if isinstance(each, str)
        ]
        match kind:
            case "command":
                self._command(args, named, line)
            case "code":
                for text in texts[:1]:
                    self.code(text, line - 1)
            case "module":
                for text in texts[:1]:
                    self.reach("module", text.replace("-", "_"), line)
            case "variable" if name.startswith("os."):
                self.reach("variable", texts[0] if texts else HOLE, line)
            case "environment" | "memory":
                self.reach(kind, name if kind == "memory" else "*", line)
            case "enter":
                for text in texts[:1]:
                    self.cwd = self.resolve(text)
                    self.reach("look", self.cwd, line)
            case "load":
                self.reach("load", " ".join(texts)[:600] if texts or not (args or named) else HOLE, line)
                if None in args:
                    self.reach("load", HOLE, line)
            case "host" | "serve":
                for each in _flat([*args, *named.values()]):
                    if isinstance(each, int) and 9 < each < 65536 and kind == "serve":
                        self.reach("serve", str(each), line)
                    elif isinstance(each, str):
                        self.reach("host", each, line)
                        self._mention(each, line)
                if name in calls().ports:
                    self.reach("serve", calls().ports[name], line)
            case "unpack":
                into = next((named[key] for key in ("path", "extract_dir", "to_path", "outdir") if key in named), None)
                at = 0 if name.endswith("extractall") else 1
                self.file("unpack", shown(into if into is not None else args[at] if len(args) > at else "."), line)
            case "nothing":
                if any(isinstance(each, Ref) and each.name == "os.environ" for each in args):
                    self.reach("environment", "*", line)
                for text in texts:
                    if _SCHEME.match(text):
                        self.file("url", text, line)
            case "":
                self._mention(texts, line)
                for text in texts:
                    self._mention(text, line)
            case _:
                self._files(name, kind, receiver, texts, args, named, line)

    def _files(
        self, name: str, kind: str, receiver: Any, texts: list[str], args: list[Any], named: dict[str, Any], line: int
    ) -> None:
        if kind == "read" and name.rpartition(".")[2] in ("open", "ZipFile", "TarFile"):
            mode = named.get(
                "mode", args[(0 if name == ".open" else 1)] if len(args) > (0 if name == ".open" else 1) else "r"
            )
            kind = "write" if isinstance(mode, str) and len(mode) < 6 and set(mode) & set("wax") else kind
        if name == "Path":
            return self._mention(texts, line)
        if name in (".glob", ".rglob") and isinstance(receiver, str) and len(texts) > 1:
            texts = [receiver, f"{receiver}/{texts[1]}"]
        elif name[0] == "." and receiver is not None and not isinstance(receiver, str):
            return None
        if kind == "list" and not texts:
            texts = ["."]
        for text in texts:
            self.file(kind, text, line)
        return None

    def _command(self, args: list[Any], named: dict[str, Any], line: int) -> None:
        before, variables = self.cwd, dict(self.variables)
        if isinstance(named.get("cwd"), str):
            self.cwd = self.resolve(named["cwd"])
        if isinstance(named.get("env"), dict):
            self.variables |= {key: value for key, value in named["env"].items() if isinstance(value, str)}
        first = args[0] if args else named.get("args")
        words = first if isinstance(first, list) else next((each for each in args[1:] if isinstance(each, list)), args)
        command = [shown(each) for each in words]
        self.shell(first if isinstance(first, str) and len(args) < 2 else command, line)
        handed = named.get("input")
        if isinstance(handed, str):
            self.shell(
                f"{' '.join(command[:8]) if isinstance(first, list) else first} <<'EOF_'\n{handed}\nEOF_\n", line
            )
        self.cwd, self.variables = before, variables


def _path_of(pieces: list[str]) -> str:
    """The path that pieces make; empty where one before the last is a file, in which nothing can lie."""
    return "" if any(map(_FILE_NAME.search, pieces[:-1])) else "/".join(pieces)


def _is_telling(text: str) -> bool:
    """Whether a text leads out of the agent's own folder, or names the benchmark within it."""
    if len(text) > LONGEST_PATH or "/" not in text or _SPACE.search(text):
        return False
    plain = text.lower()
    return text.startswith(("/", "~", "../")) or "metadata" in plain or "gaia" in plain or "://" in plain


def _flat(values: list[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        found += (
            value[:50] if isinstance(value, list) else list(value.values())[:50] if isinstance(value, dict) else [value]
        )
    return found
