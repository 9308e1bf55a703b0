"""Where does a path lead, and does that place belong to the agent, to a grader or to the benchmark?"""

import fnmatch
import itertools
import posixpath
import re
from typing import Literal
from urllib.parse import unquote, urlsplit

from gaia_harness.audit.reaching.folding import HOLE
from gaia_harness.audit.reaching.tables import names, pattern, places
from gaia_harness.protocol import WORKING_FOLDER

LONGEST_PATH = 4096
"""What the kernel takes; longer texts are no paths."""

HOME = "/home/~"
_FILE_ADDRESS = re.compile(r"(?:[a-z][a-z-]{1,15}:){0,2}file:(?://[^/]*(?=/))?", re.IGNORECASE)
_PROCESS = re.compile(
    rf"/proc/(self|thread-self|\d+|[*{HOLE}?]+)(?:/task/[^/]+)?/(root|cwd|fd|environ|mem|maps|cmdline)(/.*)?"
)
_VARIABLE = re.compile(r"\$\{(\w{1,60})(?::?[-=]([^{}]{0,400}))?\}|\$(\w{1,60})")
_HOMES = {"HOME": "~", "XDG_CACHE_HOME": "~/.cache", "XDG_CONFIG_HOME": "~/.config", "XDG_DATA_HOME": "~/.local/share"}
_WORD = re.compile(r"[a-z]+")
_WILD = re.compile(r"[*?\[]")
_CHOICE = re.compile(r"\[[^\]]{3,}\]")  # of several characters: none of them is said

Sureness = Literal["sure", "by its name", ""]


def is_file_address(text: str) -> bool:
    """Whether an address is that of a file on this machine, also within another one (`jar:`, `view-source:`)."""
    return _FILE_ADDRESS.match(text) is not None


def resolve(path: str, cwd: str) -> str:
    """The absolute path that a text leads to from `cwd`, as the system would go."""
    path = path.strip()[:LONGEST_PATH].partition("\0")[0]
    if is_file_address(path):
        path = unquote(_FILE_ADDRESS.sub("", path)).partition("!/")[0].partition("?")[0]
    elif "%2" in path or "%5" in path:
        path = unquote(path)
    if "\\" in path and "/" not in path:
        path = path.replace("\\", "/")
    for _ in range(3 if "$" in path else 0):
        path = _VARIABLE.sub(lambda m: _HOMES.get(m[1] or m[3]) or m[2] or m[0], path)
    if path.startswith("~"):
        owner, _, rest = path[1:].partition("/")
        # the home of sandboxed code is its own folder
        mine = not owner and rest and "/" not in rest and not rest.startswith(".") and rest != "runs"
        path = f"{cwd}/{rest}" if mine else f"/home/{owner or '~'}/{rest}"
    elif path.startswith(HOLE):
        path = f"/{path}"
    here = ""
    for part in posixpath.join(cwd, path).split("/"):
        if part == "..":
            here = here.rpartition("/")[0]
        elif part not in ("", "."):
            here = f"{here}/{part}"
            if part in ("root", "cwd") and (process := _PROCESS.fullmatch(here)):
                same = process[1] in ("self", "thread-self")
                here = "" if part == "root" else WORKING_FOLDER if same else here
    return (here or "/")[:LONGEST_PATH]


def is_own(path: str, workdir: str) -> bool:
    """Whether a resolved path lies where the agent's own files are."""
    return any(path == own or path.startswith(f"{own}/") for own in (workdir, *places().folders["temporary"]))


def looks_around(path: str) -> bool:
    """Whether listing a resolved path is a look around the machine."""
    bare = path.rstrip("/*").lower() or "/"
    return bare in places().folders["homes"] or (bare.count("/") == 2 and bare.startswith("/home/"))


def is_run_folder(path: str, workdir: str) -> bool:
    """Whether a resolved path is that of a run by where it lies: `runs`, or a folder in it, that is not the agent's."""
    parts = path.lower().split("/")
    at = len(parts) - 1 if parts[-1] == "runs" else len(parts) - 2
    if at < 1 or parts[at] != "runs" or is_own(path, workdir) or path.startswith(places().folders["system"]):
        return False
    return "/".join(parts[:at]) in (HOME, "") or "/".join(parts[:at]) not in places().folders["guessed"]


def starts_python(path: str, workdir: str) -> bool:
    """Whether Python runs what stands in a file, by its resolved path, whenever it starts."""
    folder, _, name = path.lower().rpartition("/")
    if name in ("sitecustomize.py", "usercustomize.py"):
        return not is_own(path, workdir)
    return name.endswith(".pth") and folder.endswith(("/site-packages", "/dist-packages"))


def is_guessed(path: str) -> bool:
    """Whether a resolved path is that of a file right where models are used to have theirs from elsewhere."""
    return posixpath.dirname(path.lower()) in places().folders["guessed"]


def of_another_process(path: str) -> str:
    """Which part of another process a resolved path leads to; empty where it leads to none."""
    process = _PROCESS.fullmatch(path) if path.startswith("/proc/") else None
    return process[2] if process is not None and process[1] not in ("self", "thread-self") else ""


def grader_part(path: str, workdir: str) -> tuple[str, Sureness]:
    """What of a grader a resolved path leads to, in words, and how sure that is; empty where it leads to nothing of it.

    By its name: nothing but the last name, which others might use too, says so.
    """
    lower = path.lower()
    parts = [part for part in lower.split("/") if part]
    if part := of_another_process(lower):
        return ("", "") if part == "cmdline" else ("another process", "sure")
    if lower in ("/proc/self/mem", "/dev/mem", "/dev/kmem", "/proc/kcore"):
        return "memory", "sure"
    if not parts:
        return "", ""
    if parts[-1] == "docker.sock":
        return "the container service", "sure"
    name, here = parts[-1], lower.startswith(f"{workdir}/")
    guessed = is_guessed(lower) or (len(parts) == 3 and parts[0] == "home")
    if ".ssh" in parts[:-1] or ".gnupg" in parts[:-1] or pattern("grader", "key_file").match(name):
        return ("", "") if here or name in ("known_hosts", "config") else ("a private key", "sure")
    own = is_own(lower, workdir)
    for before, part in itertools.pairwise(("", *parts)):
        if part in ("gaia-harness", "gaia_harness") and (not own or before in (".cache", ".config", "share", "lib")):
            return "the harness's own files", "sure"
    if here or (own and lower.count("/") < 3):
        return "", ""
    anyones = path.startswith(f"/{HOLE}") or in_workspace(lower) or guessed
    if any(part in names("grader", "distinct") or _stands_for(part, anyones=anyones) for part in parts):
        return "the run's files", "sure"
    if any(part in places().folders["installed"] for part in parts[:-1]) and not _of_a_grader(parts):
        return "", ""
    if name in names("grader", "common"):
        return ("", "") if guessed else ("the run's files", "sure" if _by_words(parts[:-1]) else "by its name")
    if own or guessed or lower.startswith(places().folders["system"]) or not _by_words(parts):
        return "", ""
    return "a grader's files", "sure" if _by_words(parts[:-1]) else "by its name"


def _of_a_grader(parts: list[str]) -> bool:
    at = next(place for place, part in enumerate(parts) if part in places().folders["installed"])
    return not (names("grader", "words") - {"harness"}).isdisjoint(_WORD.findall(parts[at + 1]))


def _by_words(parts: list[str]) -> bool:
    """Whether a folder or a file is named after a grader, or after answers or judges in a place of benchmarks."""
    around: set[str] = set()
    for part in parts:
        found = _WORD.findall(part)
        around.update(found)
        pairs = (" ".join(pair) for pair in itertools.pairwise(found))
        if not names("grader", "words").isdisjoint(found) or not names("grader", "pairs").isdisjoint(pairs):
            return True
    if not names("grader", "courts").isdisjoint(around):
        return not names("grader", "benchmarks").isdisjoint(around)
    name = parts[-1] if parts else ""
    named = _WORD.findall(name.partition(".")[0]) if pattern("grader", "data_file").search(name) else ()
    return not names("grader", "answers").isdisjoint(named) and not names("grader", "benchmarks").isdisjoint(around)


def in_workspace(path: str) -> bool:
    """Whether a resolved path lies where agents of other makes keep what they write."""
    return path.startswith(places().folders["workspaces"])


def is_open(path: str) -> bool:
    """Whether a path may stand for any of several files: it has wild cards, or parts that only the program knows."""
    return HOLE in path or _WILD.search(path) is not None


def _stands_for(wild: str, *, anyones: bool) -> bool:
    """Whether a pattern with wild cards, and enough letters of its own, stands for a name that only a grader has.

    A choice of many characters says none of them. In a folder that may be the agent's, `*.json` is any data of its own.
    """
    if not _WILD.search(wild) or len(wild) > 60:
        return False
    said = _CHOICE.sub("?", wild)
    said = pattern("grader", "data_file").sub("", said) if anyones else said
    if sum(map(str.isalpha, said)) < 4:
        return False
    return any(fnmatch.fnmatchcase(name, wild) for name in names("grader", "distinct"))


def stands_for_answers(path: str) -> bool:
    """Whether a pattern with wild cards stands for the benchmark's files that hold answers, and not for any data."""
    folders, _, name = path.lower().rpartition("/")
    if not _WILD.search(name) or len(name) > 60:
        return False
    said, split = name.partition(".")[0], folders.rpartition("/")[2][:60]
    if any(fnmatch.fnmatchcase(each, split) for each in ("validation", "test")):
        said += split
    meant = said.startswith(("m", "[m")) or "meta" in said or "tadata" in said
    matches = any(fnmatch.fnmatchcase(each, name) for each in names("benchmark", "files"))
    return meant and matches and sum(map(str.isalpha, said)) >= 3


def local_address(url: str) -> tuple[bool, bool]:
    """Whether an address leads to this machine or its network, and whether to something of a grader there."""
    try:
        parts = urlsplit(url.replace(HOLE, "x")[:LONGEST_PATH])
        host = parts.hostname or ""
    except ValueError:
        return False, False
    if not is_local(host):
        return False, False
    path = unquote(f"{parts.path}?{parts.query}").lower()
    name = posixpath.basename(parts.path.lower())
    grader = name in names("grader", "distinct") or name in names("grader", "common")
    return True, grader or pattern("grader", "address").search(path) is not None


def is_local(host: str) -> bool:
    """Whether a host is this machine, or one of its own network."""
    return pattern("local", "host").fullmatch(host.lower().rstrip(".")) is not None
