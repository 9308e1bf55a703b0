"""Static analysis of code in tool calls: the files, modules, addresses and variables it reaches."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import msgspec

from gaia_harness.audit.constant_folding import HOLE, Ref, Route, as_text, words
from gaia_harness.audit.functions import (
    ARCHIVES,
    COMMANDS,
    FILE_FUNCTIONS,
    HARMLESS,
    HARMLESS_MODULES,
    MEMBERS,
    MEMORY,
    MEMORY_NAMES,
    METHODS,
    NO_FILES,
    PACKAGES,
    QUERIES,
    asks_within,
    is_not_a_path,
    kind_of,
    ports_of,
    unpacked_into,
    writes,
)  # fmt: skip
from gaia_harness.audit.paths import LONGEST_PATH, is_own, resolve
from gaia_harness.audit.program import Called, Program, broken_line, follow, parse
from gaia_harness.audit.shell_reading import handed_to, read_command
from gaia_harness.protocol import WORKING_FOLDER

DEEPEST = 3
"""Programs within programs, as in `exec("…")`, that are read."""

MOST_REACHES = 500
"""Calls of one program, and so many other things that it reaches for; with more, it counts as not read to its end. A
loop is followed for 256 turns at most."""

MOST_LINKS_MADE = 50
"""Links that a task's later code is read with; no honest task makes more than a few."""

MOST_WITHIN = 300_000
"""Work on what one program hands to others, by the length of commands, of programs and of paths: about a second."""

MOST_REPAIRS = 6
"""Broken lines that are left out so that the rest can be read."""


class Reach(msgspec.Struct, frozen=True):
    """Something that code reaches for. Files are given by their resolved paths; lines count from 1.

    Kinds: `read`, `write`, `change`, `list`, `look`, `make` of files, `tree`, `clear` and `unpack` of whole folders,
    `sought` for what is looked for in them; `module`, `url`, `host`, `serve` (a port), `variable`, `environment`,
    `memory`, `program` (a command), `call` (a function's name and its first text).
    """

    kind: str
    target: str
    line: int


Links = tuple[tuple[str, str], ...]
"""Of names in the agent's folder and what they lead to, both resolved."""


class CodeReading(msgspec.Struct, frozen=True):
    """What was read: all that the code reaches, whether errors are caught, all its names, what it took, its links.

    `cut` says that it was not read to its end.
    """

    reaches: tuple[Reach, ...] = ()
    guarded: bool = False
    names: frozenset[str] = frozenset()
    work: int = 0
    links: Links = ()
    cut: bool = False


NOTHING = CodeReading()

# Calculating cannot reach anything: code with none of these has no hands.
_CAPABLE = re.compile(
    r"open|exec|eval|compile|getattr|globals|locals|vars|builtins|__|_?os\b|sys\b|modules|read_|load|^[^\S\n]*[!%]"
    r"|genfromtxt|fromfile|memmap"
    r"|import[ \t]+(?!(?:math|re|json|datetime|itertools|collections|csv|statistics|decimal|fractions|string|random"
    r"|time|calendar|functools|typing|textwrap|heapq|bisect|copy|cmath|numpy as np|unicodedata)[ \t]*(?:\n|$|#|;))",
    re.MULTILINE,
)
_FROM_PLAIN = re.compile(
    r"from[ \t]+(?:math|datetime|itertools|collections|fractions|decimal|functools|typing)[ \t]+import\b"
)


@lru_cache(maxsize=1024)
def read_code(code: str, links: Links = ()) -> CodeReading:
    """What Python code reaches, with the links that were made before it. Two checks ask about it: it is read once."""
    if not _CAPABLE.search(_FROM_PLAIN.sub("", code) if "from" in code else code):
        return NOTHING
    reader = _Reader(links)
    reader.code(code)
    return reader.reading()


@lru_cache(maxsize=1024)
def read_shell(command: str, links: Links = ()) -> CodeReading:
    """What a shell command reaches, with the links that were made before it."""
    reader = _Reader(links)
    reader.shell(command, 1)
    return reader.reading()


_FILES = ("read", "write", "change", "look", "list", "tree", "clear", "make", "unpack")
_FOLDERS = ("list", "tree", "unpack")
_COPIES = words("shutil.copy shutil.copyfile shutil.copy2 shutil.move shutil.copytree")
_NO_PATH = re.compile(r"[\s<>{}]")
_PATH_LIKE = re.compile(r"[/~]|\.\.|^file:")
_LITERAL = re.compile(r"'[^'\n]{1,4000}'|\"[^\"\n]{1,4000}\"")
_QUERIED = re.compile(
    r"(?:\b(?:from|join|attach(?:\s+database)?|copy)\s+|\bread_\w{1,20}\(\s*\[?)[\"']([^\"'\s]{2,400})[\"']",
    re.IGNORECASE,
)
_IMPORTED = re.compile(r"(?:^|[;\s])(?:import|from)[ \t]+([A-Za-z_][\w.]{0,200})")
_SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]{0,20}://")


class _Reader:
    def __init__(self, links: Links) -> None:
        self.reaches: dict[Reach, None] = {}
        self.guarded = False
        self.names: set[str] = set()
        self.work = 0
        self.cwd = WORKING_FOLDER
        self.links = dict(links)
        self.known_links = links
        self.depth = 0
        self.variables: dict[str, str] = {}
        self.own_archives = True
        self.within = MOST_WITHIN
        self.calls = 0
        self.full = False
        self.resolved: dict[tuple[str, str, int], str] = {}

    def reading(self) -> CodeReading:
        made = tuple(link for link in self.links.items() if link not in self.known_links)[:MOST_LINKS_MADE]
        cut = self.within < 0 or self.full
        return CodeReading(tuple(self.reaches), self.guarded, frozenset(self.names), self.work, made, cut)

    def code(self, code: str, line: int = 0) -> None:
        """Read a program; lines that are no Python are left out, and read as commands or for their texts."""
        if self.depth >= DEEPEST or (self.depth and not self._may_take(len(code))):
            return
        self.depth += 1
        lines = code.split("\n")
        if lines[0].startswith(("%%bash", "%%sh", "%%script")):
            self.shell("\n".join(lines[1:]), 1)
            lines = []
        for number, text in enumerate(lines):
            bare = text.lstrip()
            if bare.startswith(("!", "%")):
                self.shell(bare.lstrip("!%"), number + 1)
                lines[number] = text[: len(text) - len(bare)] + "pass"
        tree = parse("\n".join(lines)) if lines else None
        for _ in range(MOST_REPAIRS if lines and tree is None else 0):
            broken = broken_line(lines)
            if broken is None:
                break
            self._texts(lines[broken], broken + 1 + line)
            lines[broken] = ""
            tree = parse("\n".join(lines))
            if tree is not None:
                break
        if tree is None:
            for number, text in enumerate(lines):
                self._texts(text, number + 1 + line)
        else:
            program = follow(tree)
            self.work += program.work
            self.guarded = self.guarded or program.guarded
            self.names |= program.names
            self._program(program, line)
            for number, text in enumerate(lines if program.deep else ()):
                self._texts(text, number + 1 + line)
        self.depth -= 1

    def shell(self, command: str | list[str], line: int) -> None:
        """Read a command."""
        self.work += 100
        before = self.cwd
        if not self._may_take(sum(map(len, command)) if isinstance(command, list) else len(command)):
            return
        for kind, word in read_command(command, self.variables):
            if kind in _FILES:
                if kind in _FOLDERS or _PATH_LIKE.search(word) or self.cwd != WORKING_FOLDER or self.links:
                    self._reach(kind, self._resolve(word), line)
            elif kind == "enter":
                self.cwd = self._resolve(word)
            elif kind == "link":
                target, _, name = word.partition("\0")
                self.links[self._resolve(name)] = self._resolve(target)
            elif kind == "code" and self.depth < DEEPEST:
                self.code(word, line - 1)
            elif kind == "shell" and self.depth < DEEPEST:
                self.depth += 1
                self.shell(word, line)
                self.depth -= 1
            elif kind not in ("code", "shell"):
                self._reach(kind, word, line)
        self.cwd = before

    def _program(self, program: Program, line: int) -> None:
        self.variables |= program.environment
        packed = [as_text(call.args[0]) if call.args else None for call in program.calls if call.name in ARCHIVES]
        self.own_archives = all(text is not None and is_own(self._resolve(text)) for text in packed)
        for module, number in program.imports:
            self._reach("module", module, number + line)
        for call in program.calls:
            if self.within < 0 or self.full:  # nothing more is taken in
                break
            self._call(call, call.line + line)
        frames = {"_getframe", "currentframe", "f_back"} & program.names
        if "f_back" in frames and {"f_globals", "f_locals"} & program.names:
            self._reach("memory", "frames of the caller", 1 + line)
        for name in sorted(MEMORY_NAMES & program.names):
            self._reach("memory", name, 1 + line)

    def _call(self, call: Called, line: int) -> None:
        name = call.name
        values = [*call.args, *call.keywords.values()]
        if name in COMMANDS:
            self._command(call, line)
        elif name in ("exec", "eval", "compile"):
            text = as_text(values[0]) if values else None
            if text is not None:
                self.code(text[: 4 * LONGEST_PATH], line - 1)
        elif PACKAGES.fullmatch(name):
            text = as_text(values[0]) if values else None
            if text is not None:
                self._reach("module", text.replace("-", "_"), line)
        elif name in ("os.environ[]", "os.getenv", "os.environ.get", "os.environ.pop", "os.environ.setdefault"):
            self._reach("variable", as_text(values[0]) or HOLE if values else HOLE, line)
        elif name in ("os.environ.items", "os.environ.values", "os.environ.keys"):
            self._reach("environment", "*", line)
        elif name in MEMORY:
            self._reach("memory", name, line)
        elif name in ("print", "repr", "str", "json.dumps", "pprint.pprint", "sorted", "list", "dict"):
            if any(value == Ref("os.environ") for value in values):
                self._reach("environment", "*", line)
        elif name in ("os.chdir", "contextlib.chdir", "os.chroot"):
            text = as_text(values[0]) if values else None
            if text is not None:
                self.cwd = self._resolve(text)
                self._reach("look", self.cwd, line)
        elif name.endswith((".communicate", ".stdin.write")):
            # to a process that was started before: a shell far more often than anything that paths are told to
            script = as_text(values[0]) if values else None
            if script is not None:
                self._script(script, "shell", line)
        elif name in ("os.symlink", "os.link", "Path.symlink_to", "Path.hardlink_to"):
            self._link(call, line)
        elif name not in HARMLESS and not name.startswith(HARMLESS_MODULES):
            self._use(call, line)

    def _command(self, call: Called, line: int) -> None:
        command = call.args[0] if call.args else call.keywords.get("args")
        cwd = as_text(call.keywords.get("cwd"))
        before, variables = self.cwd, self.variables
        if cwd is not None:
            self.cwd = self._resolve(cwd)
        if isinstance(environment := call.keywords.get("env"), dict):
            texts = {key: as_text(value) for key, value in environment.items()}
            self.variables = {**variables, **{key: text for key, text in texts.items() if text is not None}}
        if call.name.startswith(("os.exec", "os.spawn", "asyncio.create_subprocess_exec")):
            command = [part for part in call.args if not isinstance(part, int)]
            command = (
                command[-1] if isinstance(command[-1:], list) and command and isinstance(command[-1], list) else command
            )
        if isinstance(command, list | tuple) and not isinstance(command, Ref | Route):
            argv = [as_text(part) or HOLE for part in command]
            self.shell(argv, line)
        elif (text := as_text(command)) is not None:
            argv = text.split()[:20]
            self.shell(text, line)
        else:
            argv = []
        script = as_text(call.keywords.get("input"))
        if script is not None:
            self._script(script, handed_to(argv), line)
        self.cwd, self.variables = before, variables

    def _script(self, script: str, kind: str, line: int) -> None:
        """Read what a program is handed on its standard input, where it takes that for a program."""
        if kind == "shell" and self.depth < DEEPEST:
            self.depth += 1
            self.shell(script, line)
            self.depth -= 1
        elif kind == "code":
            self.code(script[: 4 * LONGEST_PATH], line - 1)

    def _link(self, call: Called, line: int) -> None:
        texts = [
            as_text(value)
            for value in ([*call.args, None, None] if call.receiver is None else [*call.args, call.receiver])
        ]
        target, name = texts[0], texts[1]
        if target is not None:
            self._reach("read", self._resolve(target), line)
            if name is not None:
                self.links[self._resolve(name)] = self._resolve(target)

    def _use(self, call: Called, line: int) -> None:
        name = call.name
        if name.endswith("[]"):  # a place within something, which opens nothing
            self._reach("call", f"{name}\0{(as_text(call.args[0]) or '')[:200]}", line)
            return
        folder = as_text(unpacked_into(call))
        if folder is not None:
            self._reach("unpack", self._resolve(folder), line)
        if self.own_archives and MEMBERS.fullmatch(name):
            return  # a name within a file of its own
        for port in ports_of(call):
            self._reach("serve", port, line)
        kind = kind_of(call)
        queries = QUERIES.fullmatch(name) is not None
        first = True
        texts: list[str] = []
        named = [value for word, value in call.keywords.items() if word not in NO_FILES]
        for value in _flat([*([call.receiver] if isinstance(call.receiver, Route) else []), *call.args, *named]):
            text = as_text(value)
            if isinstance(value, tuple) and not isinstance(value, Route | Ref):
                if (
                    value
                    and isinstance(value[0], str)
                    and (name.endswith(("connect", "connect_ex", "create_connection")))
                ):
                    self._reach("host", value[0], line)
                continue
            if isinstance(value, Ref) and value.name.isidentifier():
                texts.append(f"<{value.name}>")  # of an earlier call
            if text is None or len(text) > LONGEST_PATH:
                continue
            if queries:
                self._query(text, line)
            texts.append(text[:200])
            if name in ("Path.glob", "Path.rglob") and isinstance(call.receiver, Route) and not first:
                text = f"{call.receiver.text}/{text}"
            scheme = _SCHEME.match(text)
            if scheme and not text.lower().startswith("file:"):
                self._reach("url", text, line)
            elif name in ("http.client.HTTPConnection", "http.client.HTTPSConnection") and first:
                self._reach("host", text, line)
            elif "\n" not in text and self._is_path(text, call, first):
                second = name in _COPIES and not first
                self._reach("write" if second else kind, self._resolve(text), line)
            first = False
        if name != "?":
            self._reach("call", f"{name}\0{' '.join(texts)[:600]}", line)
        if first and kind == "list":
            self._reach(kind, self.cwd, line)

    def _query(self, text: str, line: int) -> None:
        """Files that a query reads; any other text in quotes is a value."""
        for named in _QUERIED.findall(text)[:20]:
            if _PATH_LIKE.search(named) and not _SCHEME.match(named):
                self._reach("read", self._resolve(named), line)

    def _is_path(self, text: str, call: Called, first: bool) -> bool:
        if call.name.startswith(".") and call.name not in METHODS and not writes(call.name):
            return False
        if asks_within(call.name) or is_not_a_path(text, call.name):
            return False
        if call.name == "open" and not first:
            return False
        if not call.name.startswith(FILE_FUNCTIONS) and _NO_PATH.search(text):
            return False  # a text that somebody works with, which has a stroke in it
        # a bare name is a file of the agent's own, unless it has gone elsewhere
        return bool(_PATH_LIKE.search(text)) or self.cwd != WORKING_FOLDER or bool(self.links)

    def _resolve(self, text: str) -> str:
        place = text[:LONGEST_PATH], self.cwd, len(self.links)
        if place not in self.resolved:
            if not self._may_take(len(place[0]) + len(self.cwd)):
                return self.cwd
            self.resolved[place] = resolve(text, self.cwd, self.links)
        return self.resolved[place]

    def _may_take(self, size: int) -> bool:
        """Whether there is room to read so many characters more of what the program names or hands over."""
        self.within -= size
        return self.within >= 0

    def _texts(self, text: str, line: int) -> None:
        """What a line that could not be followed holds: its literals as they stand, and what it imports."""
        for literal in _LITERAL.findall(text)[:100]:
            inside = literal[1:-1]
            if _SCHEME.match(inside):
                self._reach("url", inside, line)
            elif _PATH_LIKE.search(inside) and " " not in inside:
                self._reach("read", self._resolve(inside), line)
        for module in _IMPORTED.findall(text)[:20]:
            self._reach("module", module, line)

    def _reach(self, kind: str, target: str, line: int) -> None:
        reach = Reach(kind, target[:LONGEST_PATH], line)
        if reach in self.reaches:
            return
        call = kind == "call"
        if (self.calls if call else len(self.reaches) - self.calls) >= MOST_REACHES:
            self.full = True
            return
        self.reaches[reach] = None
        self.calls += call


def _flat(values: list[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, list):
            yield from value[:50]
        elif isinstance(value, dict):
            yield from list(value.values())[:50]
        else:
            yield value
