"""The effects of a shell command: files, folders and servers it creates, programs it starts."""

import re
from collections.abc import Iterator
from itertools import pairwise

_FIRST = frozenset(("sed", "gsed", "awk", "gawk", "mawk", "jq", "yq", "tr", "pup", "xq"))
"""Their first word is a program in a language of their own, unless an option has brought one."""
_SCRIPTED = _FIRST | {"perl", "ruby", "node", "php"}
_OPENING = frozenset(("awk", "gawk", "mawk", "perl", "ruby", "node", "php"))
"""Their programs can open files."""
_VALUED = {
    "awk": ("-F", "-v"), "gawk": ("-F", "-v"), "mawk": ("-F", "-v"), "jq": ("--indent",), "cut": ("-d", "-f"),
    "sort": ("-t", "-k"), "paste": ("-d",), "column": ("-s", "-t"),
}  # fmt: skip
"""Options by program that take a text."""

_GIVEN_SCRIPT = re.compile(r"-(?:[a-zA-Z]{0,6}[eE]|-?expression|r)")
_GLUED_SCRIPT = re.compile(r"-e.|-f|--(?:expression|file|from-file)\b")
_QUERY = re.compile(r"--?(?:xpath|query|css|selector|jq|xquery)")
_QUERIES_OF = {
    "xmlstarlet": ("-v", "-m", "-c", "-i"),
    "xml": ("-v", "-m", "-c"),
    "xidel": ("-e",),
    "h5dump": ("-d", "-g", "-a"),
}
"""Options by program that take a place within a document."""
_QUOTED = re.compile(r"[\"']((?:/[^\"'/\n]{1,200}){2,20})[\"']")
_SED_FILE = re.compile(r"(?:^|[;{}$\d/!, ])[rRwW][ \t]+([/~][^\s;}]{1,400})")
_OUTPUT = re.compile(
    r"-o|-O|-out|--out(?:put|file|dir)?(?:[-_]\w{1,20})?|--save[\w-]{0,20}|--dest[\w-]{0,20}|--export[\w-]{0,20}"
)
_NO_OUTPUT = frozenset(
    ("grep", "egrep", "fgrep", "zgrep", "rg", "find", "ps", "ssh", "scp", "ls", "mount", "set", "unzip", "jq")
)
_PORT = re.compile(r"(?:.{0,60}:)?(\d{2,5})")
_SERVERS = frozenset(("flask", "uvicorn", "gunicorn", "php", "nc", "http-server", "hypercorn", "waitress-serve"))
_PORT_OPTIONS = ("-p", "--port", "-b", "--bind", "-S", "-l", "--listen")
_UNPACKERS = {"unzip": "-d", "tar": "-C", "bsdtar": "-C", "gtar": "-C"}
_LONG_FORM = {"-C": "--directory"}
_LOOKING = {"unzip": re.compile(r"-[a-zA-Z]*[lptvzZ]")}
_EXTRACTING = re.compile(r"-?[a-wyzA-Z]*+x[a-zA-Z]*+|--extract|--get")
MOST = 20

Effect = tuple[str, str]
"""`write` of a file, `unpack` into a folder, `make` of one, `serve` at a port, `read` by a script; and which."""


def without_scripts(program: str, rest: list[str]) -> tuple[list[str], list[Effect]]:
    """The words of a command without those that are programs or queries, and the files that these name."""
    end = next((at for at, word in enumerate(rest) if word in ("<", ">", ">>")), len(rest))
    rest, behind = rest[:end], rest[end:]
    kept: list[str] = []
    scripts: list[str] = []
    takes = _QUERIES_OF.get(program, ())
    valued = _VALUED.get(program, ())
    following = skipped = False
    given = program in _FIRST and any(map(_GLUED_SCRIPT.match, rest))
    for word in rest:
        if skipped:
            skipped = False
        elif following:
            scripts.append(word)
            given = True
            following = False
        elif word in valued:
            skipped = True
        elif _QUERY.fullmatch(word) or word in takes or (program in _SCRIPTED and _GIVEN_SCRIPT.fullmatch(word)):
            following = True
        else:
            kept.append(word)
    if program in _FIRST and (not given or program == "tr"):
        plain = [word for word in kept if not word.startswith("-")]
        dropped = plain if program == "tr" else plain[:1]
        for word in dropped:
            kept.remove(word)
        scripts += dropped
    files = [("read", path) for script in scripts[:MOST] for path in _named(program, script)]
    return [*kept, *behind], files


def _named(program: str, script: str) -> list[str]:
    """Files that a script opens itself."""
    if program in ("sed", "gsed"):
        return _SED_FILE.findall(script)[:MOST]
    return _QUOTED.findall(script)[:MOST] if program in _OPENING else []


def effects(program: str, rest: list[str]) -> Iterator[Effect]:
    """What a command makes, as far as its words say."""
    plain = [word for word in rest if not word.startswith("-")]
    if program == "mkdir":
        yield from (("make", word) for word in plain)
    elif program == "ssh-keygen" and (key := _after(rest, "-f")) and not {"-l", "-y"} & set(rest):
        yield "make", key
        yield "make", f"{key}.pub"
    elif program in _UNPACKERS:
        yield from _unpacked(program, rest)
    elif program in ("7z", "7za", "unrar") and rest[:1] in (["x"], ["e"]):
        glued = next((word[2:] for word in rest if word.startswith("-o") and len(word) > 2), "")
        yield "unpack", glued or (plain[-1] if program == "unrar" and plain[-1].endswith("/") else ".")
    elif program in ("git", "hg", "svn") and plain[:1] in (["clone"], ["checkout"]) and len(plain) > 1:
        address = next((word for word in plain[1:] if "/" in word), plain[1])
        behind = plain[plain.index(address) + 1 :]
        yield "unpack", behind[0] if behind else _last_part(address).removesuffix(".git")
    elif program in ("curl", "wget"):
        yield from _downloaded(program, rest)
    elif program in ("cp", "install") and len(plain) > 1:
        yield "write", plain[-1]
    if program not in _NO_OUTPUT and program not in ("curl", "wget"):
        for option, word in pairwise(rest):
            if _OUTPUT.fullmatch(option) and not word.startswith("-"):
                yield "write", word
    yield from (("serve", port) for port in _served(program, rest))


def output_option(word: str) -> bool:
    """Whether an option with its value behind a sign says where something goes."""
    return _OUTPUT.fullmatch(word.partition("=")[0]) is not None


def _after(rest: list[str], *options: str) -> str:
    return next((word for option, word in pairwise(rest) if option in options), "")


def _last_part(address: str) -> str:
    return address.partition("?")[0].rstrip("/").rpartition("/")[2] or "."


def _unpacked(program: str, rest: list[str]) -> Iterator[Effect]:
    looking = _LOOKING.get(program)
    if looking is not None and any(looking.fullmatch(word) for word in rest):
        return
    if looking is None and not any(
        _EXTRACTING.fullmatch(word) for word in rest[:1] + [w for w in rest if w[:1] == "-"]
    ):
        return
    option = _UNPACKERS[program]
    yield "unpack", _after(rest, option, _LONG_FORM.get(option, option)) or "."


def _downloaded(program: str, rest: list[str]) -> Iterator[Effect]:
    name = _after(rest, *(("-o", "--output") if program == "curl" else ("-O", "--output-document")))
    if name:
        if name != "-":
            yield "write", name
        return
    kept = program == "wget" or any(re.fullmatch(r"-[a-zA-Z]*O|--remote-name", word) for word in rest)
    folder = _after(rest, "-P", "--directory-prefix", "--output-dir")
    for address in [word for word in rest if "://" in word][:MOST] if kept else ():
        yield "write", f"{folder}/{_last_part(address)}" if folder else _last_part(address)


def _served(program: str, rest: list[str]) -> Iterator[str]:
    if "http.server" in rest:
        yield next((word for word in rest[rest.index("http.server") + 1 :] if word.isdecimal()), "8000")
    elif program in _SERVERS and (found := _PORT.fullmatch(_after(rest, *_PORT_OPTIONS))):
        yield found[1]
    elif program == "flask" and "run" in rest:
        yield "5000"
    elif program == "uvicorn":
        yield "8000"
