"""Static analysis of shell commands: the paths, programs and addresses they reach."""

import base64
import binascii
import re
import shlex
from collections.abc import Iterator, Mapping

from gaia_harness.audit.shell_effects import effects, output_option, without_scripts

LONGEST_COMMAND = 8 << 10
MOST_WORDS = 400
MOST_DOCUMENTS = 20
MOST_PIPED = 20
"""Words of a program that is given its input by another one."""

_INSIDE = re.compile(r"\$\(([^()]{1,2000})\)|`([^`]{1,2000})`")
_HERE = re.compile(r"<<-?[ \t]{0,4}['\"\\]?(\w{1,60})['\"]?")
_TEXT_FILE = re.compile(r">[ \t]*[^\s;&|<>]{1,100}\.(?:md|txt|json|jsonl|csv|tsv|html?|xml|ya?ml|tex|rst)\b")
_RUNS_IT = re.compile(r"\b(?:sh|bash|dash|zsh|ksh|source)\b|(?:^|[;&\s])\.\s")
LONGEST_NAME = 120
_ENDS = re.compile(r"\|\||&&|[;|&\n()]")
_SHELLS = ("sh", "bash", "dash", "zsh", "ksh")
_PYTHON = re.compile(r"python[\d.]*")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")
_LISTERS = ("ls", "find", "tree", "du", "fd", "locate")
_LOOKERS = ("test", "[", "[[", "stat", "file")
_WRITERS = ("tee", "touch")
_CHANGERS = ("rm", "mv", "truncate", "chmod", "chown", "dd", "shred")
_IN_PLACE = re.compile(r"-[a-hj-zA-Z]*+i.*+|--in-place.*")
_DUMPS = ("env", "printenv", "set", "export", "declare")
_SEEKERS = ("grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack")
_COPIERS = ("cp", "scp", "zip")
_DEEP = re.compile(r"-[a-qs-zA-QS-Z]*+[rR][a-zA-Z]*+|--recursive|--archive|-a")
_PACKING = re.compile(r"-?[abd-zA-Z]*+c[a-zA-Z]*+$|--create")
_PRINTED = re.compile(
    r"\$\( ?(?:printf|echo(?: -[ne]{1,2})?) (?:'([^']{1,400})'|\"([^\"$`]{1,400})\"|([^\s'\"()$`|;&]{1,400})) ?\)"
)
_QUOTED = re.compile(r"\$'((?:[^'\\]|\\.){1,400})'")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|0?([0-7]{1,3}))")
_VARIABLE = re.compile(r"\$(?:\{(\w{1,60})\}|(\w{1,60}))")
MOST_VARIABLES = 50
LONGEST_VALUE = 4096
_DOWNLOADERS = ("curl", "wget", "git", "aria2c", "huggingface-cli", "hf", "http", "axel", "rclone")

Word = tuple[str, str]
"""What a word is (`read`, `write`, `change`, `list`, `tree`, `clear`, `make`, `unpack`, `serve`, `sought`, `url`,
`module`, `program`, `code`, `shell`, `environment`, `enter`, `link`) and the word."""


def read_command(command: str | list[str], variables: Mapping[str, str] | None = None) -> Iterator[Word]:
    """The words of a command, or of one given as a list, and what each is for, with these variables in its place."""
    if isinstance(command, list):
        yield from _simple(command[:MOST_WORDS])
        return
    command = command[:LONGEST_COMMAND]
    for encoded in _BASE64.findall(command) if "base64" in command else ():
        try:
            yield "shell", base64.b64decode(encoded).decode()
        except (binascii.Error, UnicodeDecodeError, ValueError):
            continue
    for match in _INSIDE.finditer(command):
        yield "shell", match[1] or match[2]  # what is run within quotes, where a word holds together
    if "$(" in command or "$'" in command:
        command = _QUOTED.sub(lambda match: f"'{_plain(match[1])}'", command)
        command = _PRINTED.sub(lambda match: _plain(match[1] or match[2] or match[3]), command)
    command, scripts = _handed_over(command)
    for kind, script in scripts:
        yield kind, script
    before: list[str] = []
    values = dict(variables or {})
    for part in _parts(command):
        part = _with_values(part, values)
        if part and before[:1] in (["echo"], ["printf"]) and len(part) <= MOST_PIPED:
            kind = handed_to(part)
            if kind:
                yield kind, "\n".join(" ".join(word for word in before[1:] if word[:1] != "-").split("\\n"))
        before = part
        yield from _simple(part)


def _plain(text: str) -> str:
    """A text with its escapes by number undone."""
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16) if match[1] else int(match[2], 8)), text)


def _with_values(words: list[str], values: dict[str, str]) -> list[str]:
    """A simple command with the variables that are known in their places; those that it sets are known from now on."""

    def value(match: re.Match[str]) -> str:
        return values.get(match[1] or match[2], match[0])

    found = [_VARIABLE.sub(value, word)[:LONGEST_COMMAND] if "$" in word and values else word for word in words]
    for word in found[1:] if found[:1] == ["export"] else found:
        name, sign, text = word.partition("=")
        if not sign or not name.isidentifier():
            break
        if len(values) < MOST_VARIABLES:
            values[name] = text[:LONGEST_VALUE]
    return found


def handed_to(words: list[str]) -> str:
    """What a program takes its input for: `shell`, `code`, or nothing in particular."""
    words = words[: next((at for at, word in enumerate(words) if word[:1] in ("<", ">")), len(words))]
    while words and (words[0] in ("sudo", "exec", "time", "env") or "=" in words[0]):
        words = words[1:]
    program = words[0].rpartition("/")[2] if words else ""
    named = any(word[:1] != "-" for word in words[1:]) and "-" not in words and "-s" not in words
    if named or "-c" in words or "-m" in words:
        return ""  # the program is another one, and what it is given are its data
    return "shell" if program in _SHELLS else "code" if _PYTHON.fullmatch(program) else ""


def _handed_over(command: str) -> tuple[str, list[Word]]:
    """A command without the documents that stand in it as some program's input, and those that are programs."""
    scripts: list[Word] = []
    place = 0
    for _ in range(MOST_DOCUMENTS):
        found = _HERE.search(command, place)
        if found is None or command[found.start() - 1 : found.start()] == "<":
            break
        line_end = command.find("\n", found.end())
        if line_end < 0:
            break
        end = re.compile(rf"\n[ \t]{{0,40}}{found[1]}[ \t]{{0,40}}(?=\n|$)").search(command, line_end)
        stop = len(command) if end is None else end.start()
        words = _ENDS.split(command[: found.start()])[-1].split()
        kind = handed_to(words)
        place = line_end
        if kind == "code":
            scripts.append((kind, command[line_end + 1 : stop]))
        kept = _TEXT_FILE.search(command[max(0, found.start() - LONGEST_NAME) : line_end]) is not None
        if kind == "code" or (kept and not _RUNS_IT.search(command, stop)):
            command = command[:line_end] + command[stop:]
    return command, scripts


def _parts(command: str) -> Iterator[list[str]]:
    """The simple commands of a line. Quotes hold together what they hold together."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";|&()<>\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t\r", True, ""
    words: list[str] = []
    try:
        for count, word in enumerate(lexer):
            if count > MOST_WORDS:
                break
            if word and not word.strip(";|&()\n"):
                yield words
                words = []
            else:
                words.append(word)
    except ValueError:  # a quote that is not closed
        for piece in _ENDS.split(command)[:MOST_WORDS]:
            yield piece.replace("'", " ").replace('"', " ").split()[:MOST_WORDS]
        return
    yield words


def _packs(options: list[str]) -> bool:
    """Whether `tar` with these puts something into an archive."""
    return bool(options) and _PACKING.match(options[0]) is not None


def _kind(program: str, rest: list[str]) -> str:
    """For what a program takes the files that it is given."""
    if program in _CHANGERS or (program in ("sed", "perl") and any(map(_IN_PLACE.fullmatch, rest))):
        return "change"
    if program in _LOOKERS:
        return "look"
    return "list" if program in _LISTERS else "write" if program in _WRITERS else "read"


def _simple(words: list[str]) -> Iterator[Word]:
    while words and (
        ("=" in words[0] and words[0].partition("=")[0].isidentifier()) or words[0] in ("sudo", "exec", "time")
    ):
        words = words[1:]
    if not words:
        return
    program, rest = words[0].rpartition("/")[2], words[1:]
    plain = [word for word in rest if not word.startswith("-")]
    yield "program", " ".join(words)
    if "/" in words[0]:
        yield "read", words[0]
    if program in _SHELLS and "-c" in rest[:-1]:
        yield "shell", rest[rest.index("-c") + 1]
        return
    if _PYTHON.fullmatch(program):
        if "-c" in rest[:-1]:
            yield "code", rest[rest.index("-c") + 1]
            return
        if "-m" in rest[:-1]:
            yield "module", rest[rest.index("-m") + 1]
    if "<<<" in rest[:-1] and (kind := handed_to(words)):
        yield kind, rest[rest.index("<<<") + 1]
        return
    if program in _DUMPS and not plain:
        yield "environment", "*"
    if program == "cd":
        yield "enter", plain[0] if plain else "~"
        return
    if program == "ln" and len(plain) >= 2:
        yield "link", f"{plain[0]}\0{plain[-1]}"
    rest, named = without_scripts(program, rest)
    made = list(effects(program, rest))
    yield from (*named, *made)
    taken = {word for _, word in made}
    plain = [word for word in rest if not word.startswith("-") and word not in taken]
    kind = _kind(program, rest)
    deep = any(_DEEP.fullmatch(word) for word in rest)
    if program in _SEEKERS and plain:
        sought = [rest[at + 1] for at, word in enumerate(rest[:-1]) if word in ("-e", "--regexp")] or plain[:1]
        yield from (("sought", word) for word in sought)
        plain = [word for word in plain if word not in sought]
        kind = "tree" if deep or program in ("rg", "ag", "ack") else kind
    elif (program in _COPIERS and deep) or program == "rsync" or (program == "tar" and _packs(rest)):
        kind = "tree"
    elif program == "rm" and deep:
        kind = "clear"
    if program == "find":
        names = [
            rest[at + 1] for at, word in enumerate(rest[:-1]) if word in ("-name", "-iname", "-path", "-wholename")
        ]
        roots = rest[: next((at for at, word in enumerate(rest) if word.startswith("-")), len(rest))] or ["."]
        plain = [*roots, *(f"{root.rstrip('/')}/{name.lstrip('/')}" for root in roots for name in names)]
    if program == "echo":
        # what stands before a sign is text
        plain = plain[next((at for at, word in enumerate(plain) if word in (">", ">>")), len(plain)) :]
    following = ""
    for option in (word for word in rest if word.startswith("-") and "=" in word):
        if output_option(option):
            yield "write", option.partition("=")[2]
        else:
            plain.append(option.partition("=")[2])
    for word in plain:
        if word in (">", ">>", "<"):
            following = "write" if word != "<" else "read"
            continue
        if "://" in word and not word.lower().startswith("file:"):
            yield "url", word
        elif word:
            yield following or kind, word
        following = ""
    if program in _DOWNLOADERS:
        yield "download", " ".join(words)
