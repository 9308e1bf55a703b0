"""Where does a path lead, and is that a place of the agent's own, of anyone's, or of nobody it should know of?"""

import fnmatch
import posixpath
import re
from urllib.parse import unquote

from gaia_harness.audit.reaching.folding import HOLE, LONGEST_PATH
from gaia_harness.audit.reaching.tables import names, pattern, says
from gaia_harness.protocol import ANSWER_FILE, ANSWER_VARIABLE

_ADDRESS = re.compile(r"(?!file:)[a-z][a-z0-9+.-]{0,20}://", re.IGNORECASE)
_FILE_ADDRESS = re.compile(r"(?:[a-z][a-z-]{1,15}:){0,2}file:(?://[^/]*(?=/))?", re.IGNORECASE)
_VARIABLE = re.compile(r"\$(?:\{(\w{1,60})(?::?[-=][^{}]{0,400})?\}|(\w{1,60}))")
_VALUES = {ANSWER_VARIABLE: ANSWER_FILE, "HOME": "~", "XDG_CACHE_HOME": "~/.cache"}
_WILD = re.compile(r"[*?\[]")


def is_address(text: str) -> bool:
    """Whether a text is an address of something elsewhere than in the files of this machine."""
    return _ADDRESS.match(text) is not None


def is_file_address(text: str) -> bool:
    """Whether an address is that of a file on this machine, also within another one (`jar:`, `view-source:`)."""
    return _FILE_ADDRESS.match(text) is not None


def resolve(path: str, cwd: str) -> str:
    """The absolute path that a text leads to from `cwd`, as the system would go."""
    path = path.strip()[:LONGEST_PATH].partition("\0")[0]
    if is_file_address(path):
        path = unquote(_FILE_ADDRESS.sub("", path)).partition("!/")[0].partition("?")[0]
    path = _VARIABLE.sub(lambda match: _VALUES.get(match[1] or match[2], match[0]), path)
    if path.startswith("~"):
        owner, _, rest = path[1:].partition("/")
        path = f"/home/{owner or '~'}/{rest}"
    elif path.startswith(HOLE):
        path = f"/{path}"
    return posixpath.normpath(f"/{posixpath.join(cwd, path).lstrip('/')}")[:LONGEST_PATH]


# all that follow are asked about resolved paths


def is_in(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it; the folder may be written without its strokes at the ends."""
    return f"{path}/".startswith(f"/{folder.strip('/')}/")


def is_own(path: str, workdir: str) -> bool:
    """Whether a path lies where the agent's own files are: in its folder or in a temporary one."""
    return is_in(path, workdir) or any(is_in(path, folder) for folder in names("folders", "temporary"))


def is_anyones(path: str) -> bool:
    """Whether a path lies where agents of other makes keep what they write, or only running the code tells where."""
    return says(path.lower(), "folders", "workspace") or path.startswith(f"/{HOLE}")


def is_guessed(path: str) -> bool:
    """Whether a path is that of a file right where models are used to have theirs from elsewhere."""
    folder = posixpath.dirname(path.lower())
    return folder in names("folders", "guessed") or posixpath.dirname(folder) == "/home"


def stands_for(wild: str, known: frozenset[str], *, by_ending: bool = False) -> bool:
    """Whether a name with wild cards, and letters of its own, stands for one of these.

    Letters of its ending count only with `by_ending`: an agent has `*.json` for its own files.
    """
    if not _WILD.search(wild) or len(wild) > 60:
        return False
    said = wild if by_ending else pattern("grader", "data_file").sub("", wild)
    return any(map(str.isalpha, said)) and any(fnmatch.fnmatchcase(name, wild) for name in known)
