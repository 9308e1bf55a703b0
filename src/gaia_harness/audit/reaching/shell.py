"""What does a shell command reach for? By its words and the table of programs; nothing is run."""

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from gaia_harness.audit.reaching.tables import names, program, table

LONGEST_COMMAND = 16 << 10  # what is longer counts as not read to its end
LONGEST_VALUE = 1000  # of a variable: values are put into each other

_TOKEN = re.compile(
    r"(?P<space>[ \t\r]+|\\\n|#[^\n]*)|(?P<end>\|\||&&|[;|&\n(){}])|(?P<to>\d?>>?&?\d?|<(?!<))"
    r"|(?P<here><<-?[ \t]*['\"\\]?(?P<mark>\w{1,60})['\"]?)"
    r"|(?P<word>(?:[^\s;|&(){}<>'\"\\$`]++|\\.|'[^']*'|\"(?:[^\"\\]|\\.)*\"|\$\{[^{}\n]*\}|\$|`|\{\}|['\"])+)",
    re.DOTALL,
)
_QUOTED = re.compile(r"'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|\\(.)|['\"]()", re.DOTALL)
_INSIDE = re.compile(r"\$\(([^()]{1,2000})\)|`([^`]{1,2000})`")
_VARIABLE = re.compile(r"\$(?:\{(\w{1,60})\}|(\w{1,60}))")
_SETS = re.compile(r"([A-Za-z_]\w{0,60})=(.*)", re.DOTALL)
_LITERAL = re.compile(r"'([^'\n]{1,4000})'|\"([^\"\n]{1,4000})\"")
_SCRIPT = re.compile(r"[\s{}()]")
_TEXT = re.compile(r"[^/~.$]\S*\s")  # words of somebody's, and no path
_RUNS = re.compile(r"-[a-z]*c")  # -c, or -lc as agents have it

Word = tuple[str, str]  # what a word is: a kind of reach, or `code`, `shell`, `enter`; and the word


def quoted(text: str) -> list[str]:
    """What stands in quotes in a text that is in a language of its own."""
    return [one or two for one, two in _LITERAL.findall(text)]


def read_command(command: str) -> Iterator[Word]:
    """The words of a command, and what each is for."""
    command = command[:LONGEST_COMMAND]
    for match in _INSIDE.finditer(command):
        yield "shell", match[1] or match[2]  # what is run within quotes, where a word holds together
    scripts: dict[str, str] = {}  # what is only written is not read, unless it is run
    for words, document in _commands(f"{command}\n"):
        scripts |= {at: document for to, at in pairwise(words) if document and to in (">", ">>") and at != "/dev/null"}
        yield from _simple(words, document, scripts)


def _commands(command: str) -> Iterator[tuple[list[str], str]]:
    """The simple commands of a line with their words, and the document that one is given behind `<<`."""
    words: list[str] = []
    values: dict[str, str] = {}
    document = ending = ""
    pieces = _TOKEN.finditer(command)
    while (found := next(pieces, None)) is not None:
        piece = found.group()
        match found.lastgroup:
            case "here":
                ending = found["mark"]
            case "to":
                words.append(piece.lstrip("0123456789"))
            case "word":
                if piece[0] != "'":
                    piece = _VARIABLE.sub(lambda match: values.get(match[1] or match[2], match[0]), piece)
                word = _QUOTED.sub(lambda match: match[match.lastindex or 0], piece)
                if (setting := _SETS.fullmatch(word)) and words in ([], ["export"]):
                    values[setting[1]] = setting[2][:LONGEST_VALUE]
                elif word:
                    words.append(word)
            case "end":
                if piece == "\n" and ending:
                    last = re.compile(rf"^[ \t]*{ending}[ \t]*$", re.MULTILINE)
                    document, *rest = last.split(command[found.end() :], maxsplit=1)
                    command, ending = "".join(rest), ""
                    pieces = _TOKEN.finditer(command)
                if words:
                    yield words, document
                document = " ".join(words[1:]) if piece == "|" and words[:1] in (["echo"], ["printf"]) else ""
                words = []


def _simple(words: list[str], document: str, scripts: Mapping[str, str]) -> Iterator[Word]:
    """What one simple command does with its words."""
    while words and program(words[0]) == "before":  # its own options stand between
        words = words[next((at for at, word in enumerate(words) if at and program(word)), 1) :]
    if not words:
        return
    name, rest = words[0].rpartition("/")[2], words[1:]
    if "/" in words[0]:
        yield "mention", words[0]  # it is run
    run = [scripts[word] for word in rest if word in scripts and program(name)]
    match kind := program(name):
        case "enter":
            yield "enter", rest[0] if rest else "~"
            return
        case "shell" | "code":
            if name == "eval" or all(word[0] in "-<>" for word in rest):
                yield kind, " ".join(rest) if name == "eval" else document
            yield from ((kind, script) for script in run)
            for option, word in pairwise(rest):
                if option == "-m" or _RUNS.fullmatch(option):
                    yield "module" if option == "-m" else kind, word
        case "harness" if rest and rest[0][0] != "-":
            yield "module", "gaia_harness"
        case "containers":
            if rest[:1] in (["exec"], ["cp"], ["inspect"]) or any(word.startswith("/:") for word in rest):
                yield "read", "/var/run/docker.sock"
            return
        case "download" if name != "git" or not names("options", "fetching").isdisjoint(rest):
            yield "download", " ".join(words)
        case "language" | "":  # a script, or a query, which names places in quotes
            given = (*rest, *run, document) if kind or document not in scripts.values() else rest
            yield from (("", text) for word in given for text in quoted(word))
    if kind == "serve" or "http.server" in rest:
        yield "serve", name
    yield from _files(name, kind, rest)


def _files(name: str, kind: str, rest: list[str]) -> Iterator[Word]:
    """The files of a simple command by what is done with them: all its words but options, and a script or pattern."""
    plain: list[str] = []
    for before, word in pairwise((" ", *rest)):
        if before[0] in "<>":
            yield "read" if before == "<" else "write", word
        elif word[0] not in "-<>" and before not in table("options")["inner"] and (kind or not _TEXT.match(word)):
            plain.append(word)
    if kind == "nothing":
        return
    if kind in ("script", "language"):
        plain = [word for word in plain[1:] if not _SCRIPT.search(word)]
    elif kind == "download":
        yield from (("write", word) for word in plain if "://" not in word)
        plain = [word for word in plain if "://" in word]
    elif name == "find":
        plain += [f"{plain[0].rstrip('/')}/{each.lstrip('/')}" for each in plain[1:]]
    done = {"list": "list", "tree": "tree", "write": "write", "code": ""}.get(kind, "read")
    yield from ((done, word) for word in plain)
