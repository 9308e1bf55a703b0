"""What does a shell command reach for? By a small tokenizer and the table of programs; nothing is run."""

import re
from collections.abc import Iterator
from itertools import pairwise

from gaia_harness.audit.reaching.folding import FUNCTIONS, WRONG
from gaia_harness.audit.reaching.tables import calls, program

LONGEST_COMMAND = 16 << 10
MOST_WORDS = 1000
MOST_VARIABLES = 50

_TOKEN = re.compile(
    r"(?P<space>[ \t\r]+|\\\n|#[^\n]*)|(?P<end>\|\||&&|[;|&\n(){}])|(?P<to>\d?>>?&?\d?|<(?!<))|(?P<here><<-?)"
    r"|(?P<word>(?:[^\s;|&(){}<>'\"\\$`]|\\.|'[^']*'|\"(?:[^\"\\]|\\.)*\"|\$'(?:[^'\\]|\\.)*'|\$\{[^{}\n]*\}|\$|`|\{\}|['\"])+)",
    re.DOTALL,
)
_QUOTED = re.compile(r"\$?'([^']*)'|\"((?:[^\"\\]|\\.)*)\"|\\(.)", re.DOTALL)
_NUMBERED = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|([0-7]{3}))")
_INSIDE = re.compile(r"\$\(([^()]{1,2000})\)|`([^`]{1,2000})`")
_PRINTED = re.compile(r"\$\( ?(?:printf|echo)(?: -[ne]{1,2})? ([^()|;&]{1,400})\)")
_VARIABLE = re.compile(r"\$(?:\{(\w{1,60})\}|(\w{1,60}))")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{12,}={0,2}")
_PYTHON = re.compile(r"python[\d.]*")
_DEEP = re.compile(r"-[b-qs-zA-QS-Z]*+[rRa][a-zA-Z]*+|--recursive|--archive")
_PORT = re.compile(r"(?:.{0,60}:)?(\d{2,5})")
_OPENING = frozenset(("sed", "gsed", "awk", "gawk", "mawk", "perl", "ruby", "node"))
"""Programs in a language of their own that can open files."""
_SED_FILE = re.compile(r"[rw] ([/~][^\s;}]{1,400})")
_QUOTED_FILE = re.compile(r"[\"'](/[^\"'\n]{1,400})[\"']")
_SETS = re.compile(r"([A-Za-z_]\w{0,60})=(.*)", re.DOTALL)

Word = tuple[str, str]
"""What a word is: a kind of reach, or `code`, `shell`, `enter`; and the word."""


def read_command(command: str | list[str], variables: dict[str, str]) -> Iterator[Word]:
    """The words of a command, or of one given as a list, and what each is for, with these variables in their places."""
    if isinstance(command, list):
        yield from _simple(command[:MOST_WORDS], "")
        return
    command = command[:LONGEST_COMMAND]
    if "base64" in command:
        for encoded in _BASE64.findall(command):
            try:
                yield "shell", FUNCTIONS["base64.b64decode"](encoded)
            except WRONG:
                continue
    if "$(" in command:
        command = _PRINTED.sub(lambda match: _bare(match[1].strip()), command)
    for match in _INSIDE.finditer(command):
        yield "shell", match[1] or match[2]  # what is run within quotes, where a word holds together
    before: list[str] = []
    values = dict(variables)
    for words, document in _commands(command, values):
        if before[:1] in (["echo"], ["printf"]) and not document and _takes_program(words):
            document = " ".join(word for word in before[1:] if word[:1] != "-").replace("\\n", "\n")
        yield from _simple(words, document)
        before = words


def _bare(word: str) -> str:
    """A word without its quotes and escapes."""
    word = _QUOTED.sub(lambda match: next(part for part in match.groups() if part is not None), word)
    return _NUMBERED.sub(lambda match: chr(int(match[1], 16) if match[1] else int(match[2], 8) % 256), word)


def _commands(command: str, values: dict[str, str]) -> Iterator[tuple[list[str], str]]:
    """The simple commands of a line with their words, and the document that one is given behind `<<`."""
    place, count = 0, 0
    words: list[str] = []
    document = ending = ""

    def value(match: re.Match[str]) -> str:
        return values.get(match[1] or match[2], match[0])

    while place < len(command) and count < MOST_WORDS:
        found = _TOKEN.match(command, place)
        if found is None:
            place += 1
            continue
        place, count = found.end(), count + 1
        if found.lastgroup == "here":
            mark = re.compile(r"[ \t]*['\"\\]?(\w{1,60})['\"]?").match(command, place)
            place, ending = (place, "") if mark is None else (mark.end(), mark[1])
        elif found.lastgroup == "to":
            words.append(found.group().lstrip("0123456789"))
        elif found.lastgroup == "word":
            word = found.group()
            bare = _VARIABLE.sub(value, word) if "$" in word and values and word[0] != "'" else word
            bare = _bare(bare).strip("'\"")
            if (setting := _SETS.fullmatch(bare)) and words in ([], ["export"]) and len(values) < MOST_VARIABLES:
                values[setting[1]] = setting[2]
            elif bare:
                words.append(bare)
        elif found.lastgroup == "end":
            if found.group() == "\n" and ending:
                stop = re.compile(rf"^[ \t]*{ending}[ \t]*$", re.MULTILINE).search(command, place)
                document = command[place : len(command) if stop is None else stop.start()]
                place = len(command) if stop is None else stop.end()
                ending = ""
            if words:
                yield words, document
            words, document = [], ""
    if words:
        yield words, document


def _takes_program(words: list[str]) -> str:
    """What a program takes its input for: `shell`, `code`, or nothing in particular."""
    words = [word for word in words if word not in ("sudo", "exec", "time", "env", "-")]
    end = next((at for at, word in enumerate(words) if word[:1] in "<>"), len(words))
    if not words or any(word[:1] != "-" for word in words[1:end]) or "-c" in words or "-m" in words:
        return ""  # the program is another one, and what it is given are its data
    name = words[0].rpartition("/")[2]
    return "shell" if program(name) == "shell" else "code" if _PYTHON.fullmatch(name) else ""


def _simple(words: list[str], document: str) -> Iterator[Word]:
    while words and words[0] in ("sudo", "exec", "time", "nohup", "then", "do", "else", "if", "while", "!"):
        words = words[1:]
    if not words:
        return
    name, rest = words[0].rpartition("/")[2], words[1:]
    kind = program(name)
    yield "program", " ".join(words)
    if "/" in words[0]:
        yield "read", words[0]
    if document and (taken := _takes_program(words)):
        yield taken, document
    if (kind == "shell" or _PYTHON.fullmatch(name)) and "-c" in rest[:-1]:
        yield "shell" if kind == "shell" else "code", rest[rest.index("-c") + 1]
        return
    if _PYTHON.fullmatch(name) and "-m" in rest[:-1]:
        yield "module", rest[rest.index("-m") + 1]
    if name == "cd":
        yield "enter", rest[0] if rest else "~"
        return
    yield from _files(name, kind, rest)
    if kind == "download":
        yield "download", " ".join(words)


def _files(name: str, kind: str, rest: list[str]) -> Iterator[Word]:
    """The files of a simple command by what is done with them."""
    table = calls().programs
    deep = any(_DEEP.fullmatch(word) for word in rest)
    redirected = {at + 1: sign for at, sign in enumerate(rest[:-1]) if sign[:1] in ("<", ">")}
    skipped = {at + 1 for at, word in enumerate(rest[:-1]) if word in table["inner"] and kind != "seek"}
    plain = [
        (at, word) for at, word in enumerate(rest)
        if word[:1] not in ("<", ">", "-") and at not in redirected and at not in skipped
    ]  # fmt: skip
    for at, sign in redirected.items():
        if not rest[at].startswith("&"):
            yield "read" if sign == "<" else "write", rest[at]
    if kind == "dump" and not plain:
        yield "environment", "*"
    if "http.server" in rest or kind == "serve":
        yield from (("serve", found[1]) for word in (*rest, "8000") if (found := _PORT.fullmatch(word)))
    if kind == "nothing":
        return
    texts = [word for _, word in plain]
    if kind == "script":
        given = any(re.match(r"-[a-zA-Z]*e|--expression|-f|--file", word) for word in rest)
        count = 2 if name == "tr" else 0 if given else 1
        opens = _SED_FILE if name.endswith("sed") else _QUOTED_FILE
        for text in (*texts[:count], *(rest[at] for at in skipped)) if name in _OPENING else ():
            yield from (("read", quoted) for quoted in opens.findall(text)[:20])
        texts = texts[count:]
        kind = "change" if any(re.match(r"-[a-hj-zA-Z]*i|--in-place", word) for word in rest) else "read"
    elif kind == "seek":
        sought = [word for option, word in pairwise(rest) if option in ("-e", "--regexp")] or texts[:1]
        yield from (("sought", word) for word in sought)
        texts = [word for word in texts if word not in sought]
        kind = "tree" if deep or name in ("rg", "ag", "ack") else "read"
    elif name == "find":
        roots = rest[: next((at for at, word in enumerate(rest) if word.startswith("-")), len(rest))] or ["."]
        asked = [word for option, word in pairwise(rest) if option in ("-name", "-iname", "-path", "-wholename")]
        texts = [*roots, *(f"{root.rstrip('/')}/{each.lstrip('/')}" for root in roots for each in asked)]
    elif kind == "unpack":
        packs = (
            name in ("tar", "bsdtar")
            and re.fullmatch(r"-?[abd-zA-Z]*+c[a-zA-Z]*+", rest[0] if rest else "") is not None
        )
        into = next((word for option, word in pairwise(rest) if option in ("-d", "-C", "--directory")), ".")
        if not packs:
            yield "unpack", into
        kind = "tree" if packs else "read"
    elif kind == "download":
        yield from _downloaded(name, rest, texts)
        texts = [word for word in texts if "://" in word]
    elif name == "rm" and deep:
        kind = "clear"
    elif kind == "copy":
        kind = "tree" if deep or name == "rsync" else "read"
    for word in texts:
        yield (
            "url" if "://" in word and not word.lower().startswith("file:") else kind if kind in _KINDS else "read",
            word,
        )


_KINDS = frozenset(("read", "list", "look", "write", "change", "make", "tree", "clear"))


def _downloaded(name: str, rest: list[str], texts: list[str]) -> Iterator[Word]:
    """The file or the folder that a download leaves behind."""
    addresses = [word for word in texts if "/" in word]
    last = addresses[0].partition("?")[0].rstrip("/").rpartition("/")[2] if addresses else "."
    if name == "git":
        behind = texts[texts.index(addresses[0]) + 1 :] if addresses else []
        yield "unpack", behind[0] if behind else last.removesuffix(".git")
    elif name == "wget" or any(re.fullmatch(r"-[a-zA-Z]*O|--remote-name", word) for word in rest):
        yield "write", last
