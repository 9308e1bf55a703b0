"""What does a shell command reach? Its words, as far as they are paths, programs and addresses."""

import base64
import binascii
import re
import shlex
from collections.abc import Iterator

LONGEST_COMMAND = 8 << 10
MOST_WORDS = 400

_ENDS = re.compile(r"\|\||&&|[;|&\n()]")
_SHELLS = ("sh", "bash", "dash", "zsh", "ksh")
_PYTHON = re.compile(r"python[\d.]*")
_BASE64 = re.compile(r"[A-Za-z0-9+/]{8,}={0,2}")
_LISTERS = ("ls", "find", "tree", "du", "fd", "locate")
_WRITERS = ("rm", "mv", "tee", "touch", "truncate", "chmod", "chown", "dd", "sed", "shred")
_DUMPS = ("env", "printenv", "set", "export", "declare")
_DOWNLOADERS = ("curl", "wget", "git", "aria2c", "huggingface-cli", "hf", "http", "axel", "rclone")

Word = tuple[str, str]
"""What a word is (`read`, `write`, `list`, `url`, `module`, `program`, `code`, `shell`, `environment`, `enter`,
`link`) and the word."""


def read_command(command: str | list[str]) -> Iterator[Word]:
    """The words of a command, or of one given as a list, and what each is for."""
    if isinstance(command, list):
        yield from _simple(command[:MOST_WORDS])
        return
    command = command[:LONGEST_COMMAND]
    for encoded in _BASE64.findall(command) if "base64" in command else ():
        try:
            yield "shell", base64.b64decode(encoded).decode()
        except (binascii.Error, UnicodeDecodeError, ValueError):
            continue
    for part in _parts(command):
        yield from _simple(part)


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
    if program in _DUMPS and not plain:
        yield "environment", "*"
    if program == "cd":
        yield "enter", plain[0] if plain else "~"
        return
    if program == "ln" and len(plain) >= 2:
        yield "link", f"{plain[0]}\0{plain[-1]}"
    kind = "list" if program in _LISTERS else "write" if program in _WRITERS else "read"
    if program == "find":
        names = [
            rest[at + 1] for at, word in enumerate(rest[:-1]) if word in ("-name", "-iname", "-path", "-wholename")
        ]
        roots = rest[: next((at for at, word in enumerate(rest) if word.startswith("-")), len(rest))] or ["."]
        plain = [*roots, *(f"{root.rstrip('/')}/{name.lstrip('/')}" for root in roots for name in names)]
    if program == "echo":
        plain = plain[-1:] if ">" in rest or ">>" in rest else []  # the rest is text
    following = ""
    for word in [*plain, *(word.partition("=")[2] for word in rest if word.startswith("-") and "=" in word)]:
        if word in (">", ">>", "<"):
            following = "write" if word != "<" else "read"
            continue
        if "://" in word:
            yield "url", word
        elif word:
            yield following or kind, word
        following = ""
    if program in _DOWNLOADERS:
        yield "download", " ".join(words)
