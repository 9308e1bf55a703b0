"""What does a piece of code, or a command, reach for? Files by their resolved paths, modules, addresses."""

import ast
import re
import shlex
from functools import lru_cache
from typing import Any

import msgspec

from gaia_harness.audit.reaching.code import Walk, parsed
from gaia_harness.audit.reaching.folding import LONGEST_PATH, shown
from gaia_harness.audit.reaching.paths import is_address, resolve
from gaia_harness.audit.reaching.shell import LONGEST_COMMAND, quoted, read_command
from gaia_harness.audit.reaching.tables import function, says, table

DEEPEST = 4  # programs within programs, as in `exec("…")`, that are read
MOST_REACHES = 1000  # of one program; with more, it counts as not read to its end
BUDGET = 300_000  # characters of programs, commands and paths within one program that are read

MOST_MENDING = 2  # times that code which was cut is tried again, each time without its last statement

FILES = frozenset(("read", "write", "list", "tree", "mention"))

_NO_PATH = re.compile(r"[\s<>{}]")
_PYTHON = re.compile(  # how no command begins: code that was cut does not parse, and is Python all the same
    r"""\s*(?:\#[^\n]*\n\s*)*
    (?:import\s|from\s[\w.]+\simport\b|@\w|'{3}|"{3}
    |[\w.]+\(|[\w.,[\]\ ]{1,200}\ =\ |[a-z][^\n;]{0,400}:[ ]*(?:\#|$))""",
    re.VERBOSE | re.MULTILINE,
)
_TELLING = re.compile(r"[/~]|\.\./|file:|(?=.{0,400}/)[^:]{0,400}?(?:metadata|gaia)", re.IGNORECASE)


class Reach(msgspec.Struct, frozen=True):
    """Something that a call reaches for, and on which line, from 1."""

    kind: str
    target: str
    line: int


class Reading(msgspec.Struct, frozen=True):
    """What was read: all that code reaches, and whether it was not read to its end."""

    reaches: tuple[Reach, ...] = ()
    cut: bool = False


@lru_cache(maxsize=512)  # two checks ask about it
def read_code(code: str, workdir: str) -> Reading:
    """What Python code reaches."""
    return _Reader(workdir).read("code", code)


@lru_cache(maxsize=512)
def read_shell(command: str, workdir: str) -> Reading:
    """What a shell command reaches."""
    return _Reader(workdir).read("shell", command)


class _Reader:
    """Reads one program, with those within it, and keeps what they reach for."""

    def __init__(self, workdir: str) -> None:
        self._reaches: dict[Reach, None] = {}
        self._cut = False
        self._cwd = workdir
        self._depth = 0
        self._budget = BUDGET

    def read(self, language: str, text: str) -> Reading:
        """What a program reaches. A path of which it says what is done with it is not only mentioned."""
        self._program(language, text, 1)
        done = {each.target for each in self._reaches if each.kind != "mention"}
        reaches = (each for each in self._reaches if each.kind != "mention" or each.target not in done)
        return Reading(tuple(reaches), self._cut or self._budget < 0)

    def _program(self, language: str, text: str, line: int) -> None:
        """Read a program that begins on this line, unless it is too deep within others, or too much."""
        self._depth += 1
        if self._depth > DEEPEST:
            self._cut = self._cut or bool(text.strip())
        elif self._depth == 1 or self._may_take(text):
            is_python = language == "code" and not text.startswith("%%bash")
            (self._code if is_python else self._shell)(text, line)
        self._depth -= 1

    def _code(self, code: str, line: int) -> None:
        """Python, as far as it can be parsed; the rest is read for its texts. What has no call is read as a command."""
        lines = code.split("\n")
        for number, text in enumerate(lines):
            bare = text.lstrip()
            if bare.startswith(("!", "%")):  # of a notebook
                self._program("shell", bare.lstrip("!%"), line + number)
                lines[number] = text[: len(text) - len(bare)] + "pass"
        code = "\n".join(lines)
        tree, read = parsed(code, MOST_MENDING if says(code, "code", "telling") else 0)
        if tree is not None:
            if line > 1:
                ast.increment_lineno(tree, line - 1)
            self._cut = Walk(tree, self._call, self._mention).left < 0 or self._cut
        for number, text in enumerate(lines[read:], line + read):
            self._mention(quoted(text), number)
        may_be_shell = self._depth == 1 and len(code) <= LONGEST_COMMAND and not _PYTHON.match(code)
        if may_be_shell and not any(isinstance(node, ast.Call) for node in (ast.walk(tree) if tree else ())):
            self._program("shell", code, line)

    def _shell(self, command: str, line: int) -> None:
        before = self._cwd
        self._cut = self._cut or len(command) > LONGEST_COMMAND
        for kind, word in read_command(command):
            self._do(kind, word, line)
        self._cwd = before

    def _call(self, name: str, receiver: Any, args: list[Any], named: dict[str, Any], line: int) -> None:
        """A call in Python: which of the texts that it is given are what it is about."""
        given = [receiver if name[:1] == "." else None]
        for value in (*args, *(value for key, value in named.items() if key not in table("options")["named"])):
            given += value if isinstance(value, list) else [value]
        texts = [each for each in given if isinstance(each, str)]
        match kind := function(name):
            case "command":
                self._command(args, named, line)
                return
            case "memory" | "serve":
                texts = [name]
            case "load":
                texts = [" ".join(texts)[:600]]
            case "list":
                texts = texts or ["."]
            case "query":
                kind, texts = "read", [place for text in texts for place in quoted(text)]
        if kind == "read" and name.endswith(("open", "ZipFile", "TarFile")):
            mode = named.get("mode") or next(iter(args[0 if name == ".open" else 1 :]), None)
            kind = "write" if isinstance(mode, str) and len(mode) < 6 and mode[:1] in {*"wax"} else kind
        if name in (".glob", ".rglob") and len(texts) > 1:
            texts[1] = f"{texts[0]}/{texts[1]}"
        for text in texts:
            self._do(kind, text, line)

    def _command(self, args: list[Any], named: dict[str, Any], line: int) -> None:
        """A call in Python that runs a command, in a folder and with an input that it may be given."""
        before = self._cwd
        if isinstance(named.get("cwd"), str):
            self._do("enter", named["cwd"], line)
        words = next((each for each in args if isinstance(each, list)), args)
        command = shown(words[0]) if len(words) == 1 else shlex.join(map(shown, words))
        if isinstance(handed := named.get("input"), str):
            command = f"{command} <<'E_'\n{handed}\nE_\n"
        self._program("shell", command, line)
        self._cwd = before

    def _mention(self, value: Any, line: int) -> None:
        """Texts that are bound or handed about: paths that lead out of the agent's folder, or name the benchmark."""
        for text in value if isinstance(value, list) else (value,):
            if isinstance(text, str) and not _NO_PATH.search(text) and _TELLING.match(text):
                self._place("mention", text, line)

    def _do(self, kind: str, text: str, line: int) -> None:
        """What a function or a program of this kind does with a text."""
        match kind:
            case "nothing":
                pass
            case "enter":
                self._cwd = self._resolved(text)
            case "code" | "shell":
                self._program(kind, text, line)
            case "module" | "download" | "load" | "serve" | "memory":
                self._reach(kind, text, line)
            case _:
                self._place(kind, text, line)

    def _place(self, kind: str, text: str, line: int) -> None:
        """A path or an address. An unknown function may do anything with a path, one of a site opens none."""
        if is_address(text):
            self._reach("url", text, line)
        elif not kind:
            self._mention(text, line)
        elif kind != "site" and text and len(text) <= LONGEST_PATH and "\n" not in text:
            self._reach(kind, self._resolved(text), line)

    def _resolved(self, text: str) -> str:
        return resolve(text, self._cwd) if self._may_take(text) else self._cwd

    def _reach(self, kind: str, target: str, line: int) -> None:
        if len(self._reaches) < MOST_REACHES:
            self._reaches[Reach(kind, target[:LONGEST_PATH], line)] = None
        else:
            self._cut = True

    def _may_take(self, text: str) -> bool:
        self._budget -= len(text)
        return self._budget >= 0
