"""What does a piece of code, or a command, reach for? Files by their resolved paths, modules, addresses."""

import re
import shlex
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import msgspec

from gaia_harness.audit.reaching.code import Walk, parsed_part
from gaia_harness.audit.reaching.folding import HOLE, LONGEST_PATH, shown
from gaia_harness.audit.reaching.paths import resolve
from gaia_harness.audit.reaching.shell import LITERAL, LONGEST_COMMAND, read_command
from gaia_harness.audit.reaching.tables import function, names, pattern, table
from gaia_harness.evidence.matcher import any_of

DEEPEST = 3  # programs within programs, as in `exec("…")`, that are read
MOST_REACHES = 1000  # of one program; with more, it counts as not read to its end
LONGEST_NAME = 60  # of a field or a class
BUDGET = 300_000  # characters of programs, commands and paths within one program that are read

_SCHEME = re.compile(r"(?!file:)[a-zA-Z][a-zA-Z0-9+.-]{0,20}://", re.IGNORECASE)
_NO_PATH = re.compile(r"[\s<>{}]")
_TELLING = re.compile(r"[/~]|\.\./|file:|(?=.{0,400}/)[^:]{0,400}?(?:metadata|gaia)", re.IGNORECASE)
FILES = frozenset(("read", "write", "list", "tree", "mention"))


class Reach(msgspec.Struct, frozen=True):
    """Something that code reaches for, and on which line, from 1.

    Kinds: those of `FILES` for paths (a `mention` is handed about and not known to be opened); `module`, `url`,
    `download` (a command), `load` (a data set), `serve`, `memory`, `value` (a name of a grader's values).
    """

    kind: str
    target: str
    line: int


class Reading(msgspec.Struct, frozen=True):
    """What was read: all that code reaches, and whether it was not read to its end."""

    reaches: tuple[Reach, ...] = ()
    cut: bool = False


@lru_cache(maxsize=512)  # two checks ask about it
def read_code(code: str, workdir: str) -> Reading:
    """What Python code reaches. Code that stays in its own folder and on pages of the web is not parsed."""
    reader = _Reader(workdir)
    if _has_way_out()(f"\n{code.lower()}"):
        reader.code(code, 0)
    return Reading(tuple(reader.reaches), reader.cut or reader.budget < 0)


@lru_cache(maxsize=512)
def read_shell(command: str, workdir: str) -> Reading:
    """What a shell command reaches."""
    reader = _Reader(workdir)
    reader.shell(command, 1)
    return Reading(tuple(reader.reaches), reader.cut or reader.budget < 0)


@cache
def _has_way_out() -> Callable[[str], bool]:
    """Tells whether code may leave its folder: by a word, or by a path from the root or in the middle of a name.

    Other strokes begin a route of a site, or are what a text is split at, unless the path may be a grader's.
    """
    marked = any_of(table("gate")["ways_out"])
    roots, stem = "|".join(names("folders", "roots")), pattern("grader", "stem").pattern
    piece = r"(?<!replace\(['\"]/)\w{0,20}['\"] ?[.+,\]\n]"
    begins = rf"(?:{roots})(?![\w-])|[~*.?%\\{{\[]|{piece}|[^\s'\"]{{0,200}}?(?:{stem})"
    path = re.compile(rf"/(?<=[\s'\"]/)(?:{begins})|/(?<=(?:walk|glob|path|join)\(['\"]/)|/(?<=dir\(['\"]/)")
    return lambda code: marked(code) or path.search(code) is not None


class _Reader:
    def __init__(self, workdir: str) -> None:
        self.reaches: dict[Reach, None] = {}
        self.cut = False
        self.cwd = workdir
        self.depth = 0
        self.budget = BUDGET

    def code(self, code: str, above: int) -> None:
        """Read a program that begins below so many lines. What is no Python is read as commands and for its texts."""
        if not self._may_read(code):
            return
        if code.startswith(("%%bash", "%%sh")):
            self.shell(code.partition("\n")[2], above + 1)
            return
        self.depth += 1
        lines = code.split("\n")
        for number, text in enumerate(lines):
            bare = text.lstrip()
            if bare.startswith(("!", "%")):  # of a notebook
                self.shell(bare.lstrip("!%"), above + number + 1)
                lines[number] = text[: len(text) - len(bare)] + "pass"
        tree, count = parsed_part("\n".join(lines))
        if tree is not None:
            walk = Walk(
                tree,
                lambda name, receiver, args, named, line: self._call(name, receiver, args, named, line + above),
                lambda value, line: self._mention(value, line + above),
            )
            if walk.left < 0:
                self.cut, count = True, 0
        for number, text in enumerate(lines[count:], above + count + 1):
            for one, two in LITERAL.findall(text) if "/" in text else ():
                self._mention(one or two, number)
        if count < 2 and self.depth == 1:
            self.shell("\n".join(lines), above + 1)
        self.depth -= 1

    def shell(self, command: str, line: int) -> None:
        """Read a command."""
        if not self._may_read(command):
            return
        before, self.depth = self.cwd, self.depth + 1
        self.cut = self.cut or len(command) > LONGEST_COMMAND
        for kind, word in read_command(command):
            self._do(kind, word, line)
        self.cwd, self.depth = before, self.depth - 1

    def _do(self, kind: str, text: str, line: int) -> None:
        """What a function or a program of this kind does with a text."""
        match kind:
            case "nothing":
                pass
            case "enter":
                self.cwd = self.resolve(text)
            case "code":
                self.code(text, line - 1)
            case "shell":
                self.shell(text, line)
            case "" | "site" if not _SCHEME.match(text):
                if not kind:
                    self._mention(text, line)
            case _ if kind in (*FILES, "", "site"):
                self.file(kind, text, line)
            case _:
                self.reach(kind, text, line)

    def file(self, kind: str, text: str, line: int) -> None:
        """A file or a folder, by a path or by an address."""
        if _SCHEME.match(text):
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

    def _may_read(self, program: str) -> bool:
        """Whether a program is not too deep within others, and no more than may be read of such."""
        self.cut = self.cut or (self.depth > DEEPEST and bool(program.strip()))
        return self.depth <= DEEPEST and (not self.depth or self._may_take(len(program)))

    def _may_take(self, size: int) -> bool:
        self.budget -= size
        return self.budget >= 0

    def _mention(self, value: Any, line: int) -> None:
        """Texts that are bound or handed about: paths that lead out of the agent's folder, or name the benchmark."""
        for text in value if isinstance(value, list) else (value,):
            if isinstance(text, str) and not _NO_PATH.search(text) and _TELLING.match(text):
                self.file("mention", text, line)
            elif isinstance(text, str) and len(text) < LONGEST_NAME and pattern("grader", "values").search(text):
                self.reach("value", text, line)

    def _call(self, name: str, receiver: Any, args: list[Any], named: dict[str, Any], line: int) -> None:
        given = [receiver if name[0] == "." else None]
        for value in (*args, *(value for key, value in named.items() if key not in table("options")["named"])):
            given += value if isinstance(value, list) else [value]
        texts = [each for each in given if isinstance(each, str)]
        match kind := function(name):
            case "command":
                self._command(args, named, line)
                return
            case "code" | "module" | "enter":
                texts = texts[:1]
            case "memory" | "serve":
                texts = [name]
            case "load":
                texts = [" ".join(texts)[:600] if texts and None not in args else HOLE]
            case "list":
                texts = texts or ["."]
            case "query":
                kind, texts = "read", [one or two for text in texts for one, two in LITERAL.findall(text)]
        if kind == "read" and name.endswith(("open", "ZipFile", "TarFile")):
            mode = named.get("mode") or next(iter(args[0 if name == ".open" else 1 :]), None)
            kind = "write" if isinstance(mode, str) and len(mode) < 6 and set(mode) & set("wax") else kind
        if name in (".glob", ".rglob") and len(texts) > 1:
            texts[1] = f"{texts[0]}/{texts[1]}"
        for text in texts:
            self._do(kind, text, line)

    def _command(self, args: list[Any], named: dict[str, Any], line: int) -> None:
        before = self.cwd
        if isinstance(named.get("cwd"), str):
            self.cwd = self.resolve(named["cwd"])
        words = next((each for each in args if isinstance(each, list)), args)
        command = shown(words[0]) if len(words) == 1 else shlex.join(map(shown, words))
        if isinstance(handed := named.get("input"), str):
            command = f"{command} <<'E_'\n{handed}\nE_\n"
        self.shell(command, line)
        self.cwd = before
