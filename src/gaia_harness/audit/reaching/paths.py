"""Where does a path lead, and does that place belong to the agent, to a grader or to the benchmark?"""

import fnmatch
import posixpath
import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import unquote, urlsplit

from gaia_harness.audit.reaching.folding import HOLE, LONGEST_PATH
from gaia_harness.audit.reaching.tables import names, pattern
from gaia_harness.protocol import ANSWER_FILE, ANSWER_VARIABLE

_FILE_ADDRESS = re.compile(r"(?:[a-z][a-z-]{1,15}:){0,2}file:(?://[^/]*(?=/))?", re.IGNORECASE)
_PROCESS = re.compile(
    rf"/proc/(self|thread-self|\d+|[*{HOLE}?]+)(?:/task/[^/]+)?/(root|cwd|fd|environ|mem|maps|cmdline)(/.*)?"
)
_VARIABLE = re.compile(r"\$\{(\w{1,60})(?::?[-=]([^{}]{0,400}))?\}|\$(\w{1,60})")
_KNOWN = {ANSWER_VARIABLE: ANSWER_FILE, "HOME": "~", "XDG_CACHE_HOME": "~/.cache"}
_WILD = re.compile(r"[*?\[]")
_PLAIN_HOST = re.compile(r"(?:(?:0|[1-9]\d{0,2})(?:\.|$)){1,4}|::1?")  # 127.1 is short, 0177.0.0.1 is a disguise


def is_file_address(text: str) -> bool:
    """Whether an address is that of a file on this machine, also within another one (`jar:`, `view-source:`)."""
    return _FILE_ADDRESS.match(text) is not None


def resolve(path: str, cwd: str) -> str:
    """The absolute path that a text leads to from `cwd`, as the system would go."""
    path = path.strip()[:LONGEST_PATH].partition("\0")[0]
    if is_file_address(path):
        path = unquote(_FILE_ADDRESS.sub("", path)).partition("!/")[0].partition("?")[0]
    for _ in range(3 if "$" in path else 0):
        path = _VARIABLE.sub(lambda m: _KNOWN.get(m[1] or m[3]) or m[2] or m[0], path)
    if path.startswith("~"):
        owner, _, rest = path[1:].partition("/")
        # the home of sandboxed code is its own folder
        mine = not owner and rest and "/" not in rest and not rest.startswith(".") and rest != "runs"
        path = f"{cwd}/{rest}" if mine else f"/home/{owner or '~'}/{rest}"
    elif path.startswith(HOLE):
        path = f"/{path}"
    return posixpath.normpath(f"/{posixpath.join(cwd, path).lstrip('/')}")[:LONGEST_PATH]


def is_own(path: str, workdir: str) -> bool:
    """Whether a resolved path lies where the agent's own files are."""
    return _is_in(path, workdir) or any(_is_in(path, folder) for folder in names("folders", "temporary"))


def _is_in(path: str, folder: str) -> bool:
    """Whether a resolved path is a folder or lies in it; the folder may be written without its strokes at the ends."""
    return f"{path}/".startswith(f"/{folder.strip('/')}/")


def in_workspace(path: str) -> bool:
    """Whether a resolved path lies where agents of other makes keep what they write."""
    return pattern("folders", "workspace").search(path) is not None


def is_guessed(path: str) -> bool:
    """Whether a resolved path is that of a file right where models are used to have theirs from elsewhere."""
    return posixpath.dirname(path.lower()) in names("folders", "guessed")


def looks_around(path: str) -> bool:
    """Whether listing a resolved path is a look around the machine."""
    bare = path.rstrip("/*").lower() or "/"
    return (
        path.startswith("/*/")
        or bare in names("folders", "homes")
        or (bare.count("/") == 2 and bare.startswith("/home/"))
    )


@lru_cache(maxsize=4096)
def grader_part(path: str, workdir: str) -> tuple[str, bool]:
    """What of a grader a resolved path leads to, in words, and whether more than its last name says so.

    Empty where it is nothing of a grader. Others might use such a name, too.
    """
    lower = path.lower()
    *above, name = parts = lower.strip("/").split("/")
    process = _PROCESS.fullmatch(lower)
    if process is not None and process[1] not in ("self", "thread-self") and process[2] != "cmdline":
        return "another process", True
    own = is_own(path, workdir)
    if _is_in(path, workdir) or (own and len(parts) < 3):
        return "", False
    guessed = is_guessed(lower) or (len(parts) == 3 and parts[0] == "home")
    distinct, anyones = names("grader", "distinct"), path.startswith(f"/{HOLE}") or in_workspace(lower) or guessed
    if pattern("grader", "cache").search(lower):
        return "the judge's cache", True
    if any(part in distinct or stands_for(part, distinct, any_data=anyones) for part in parts):
        return "the run's files", True
    if not {".ssh", ".gnupg"}.isdisjoint(above):
        return ("", False) if name in ("known_hosts", "config") else ("a private key", not own)
    if pattern("grader", "start_up").search(lower):
        return "what Python runs whenever it starts", True
    if guessed or (own and len(parts) < 4) or not names("folders", "installed").isdisjoint(above):
        return "", False
    if name in names("grader", "common"):
        of_a_run = pattern("grader", "runs").search(lower) is not None and not (own or anyones)
        return "the run's files", of_a_run or _by_words(posixpath.dirname(lower))
    if own or not _by_words(lower):
        return "", False
    return "a grader's files", _by_words(posixpath.dirname(lower))


def _by_words(path: str) -> bool:
    """Whether a path is named after a grader, or after answers or judges in a place of benchmarks."""
    if pattern("grader", "words").search(path):
        return True
    stem = posixpath.basename(path).partition(".")[0] if pattern("grader", "data_file").search(path) else ""
    telling = pattern("grader", "answers").search(stem) or pattern("grader", "courts").search(path)
    return telling is not None and pattern("grader", "benchmarks").search(path) is not None


def stands_for(wild: str, known: frozenset[str], *, any_data: bool = True) -> bool:
    """Whether a name with wild cards, and letters of its own, stands for one of these.

    With `any_data` its ending does not count, so that `*.json`, as an agent has for its own files, stands for nothing.
    """
    if not _WILD.search(wild) or len(wild) > 60:
        return False
    said = pattern("grader", "data_file").sub("", wild) if any_data else wild
    return any(map(str.isalpha, said)) and any(fnmatch.fnmatchcase(name, wild) for name in known)


def is_grader_address(url: str) -> bool:
    """Whether an address leads to something of a grader on this machine or its network."""
    try:
        parts = urlsplit(url.replace(HOLE, "x")[:LONGEST_PATH])
        host = (parts.hostname or "").rstrip(".")
    except ValueError:
        return False
    usual = _usual(host)
    if not pattern("local", "host").fullmatch(usual):
        return False
    if usual != host and not _PLAIN_HOST.fullmatch(host):
        return True  # nobody has another reason to hide which machine is asked
    path = unquote(f"{parts.path}?{parts.query}").lower()
    return pattern("grader", "address").search(path) is not None


def _usual(host: str) -> str:
    """A host with its number in the usual notation: 0x7f.1, 2130706433 and ::ffff:7f00:1 are all 127.0.0.1."""
    try:
        if ":" in host:
            return str(IPv6Address(host).ipv4_mapped or host)
        bases = {"0x": 16, **{f"0{digit}": 8 for digit in range(8)}}
        *first, last = (int(part, bases.get(part[:2], 10)) for part in host.split("."))
        return str(IPv4Address(last + sum(part << 24 - 8 * at for at, part in enumerate(first))))
    except ValueError:
        return host
