"""What a tool call tried to reach, and whether it succeeded. Shared by all checks."""

import re
import shlex
from collections.abc import Iterator
from functools import lru_cache

import msgspec

from gaia_harness.audit.code_reading import CodeReading, Links, Reach, read_code, read_shell
from gaia_harness.audit.constant_folding import words
from gaia_harness.audit.paths import is_file_address, resolve
from gaia_harness.protocol import PRINTED_NOTHING, WORKING_FOLDER
from gaia_harness.records.steps import ToolCallStep, ToolResultStep

LONGEST_SCHEME = 40
"""Characters among which an address says that it is one of a file."""

_CODE_FIELDS = words("code source script program python python_code snippet cell")
_SHELL_FIELDS = words("command cmd bash shell commands")
_PATH_FIELDS = words(
    "path file filename file_name file_path filepath dir directory folder src source_path target dest destination"
)
_ORDER_FIELDS = ("command", "action", "operation", "mode", "op")
_CREATING = words("create write save new w a append")
_CHANGING = words("str_replace insert edit replace delete undo_edit patch")
_LOOKING = words("view read open cat show r")
_TEXT_FIELDS = words("file_text content contents new_content")
_ADDRESS_FIELDS = words("url uri link href address")
_OPENING = re.compile(r"(?:(?<!\s)\s++)?\{\s*\"[^\"\n]{1,40}\"\s*:\s*\"")
_CODE_TOOL = re.compile(r"python|code|jupyter|interpreter|notebook|repl")
_SHELL_TOOL = re.compile(r"bash|shell|terminal|command|exec")


_CODE_OR_PATH = _CODE_FIELDS | _PATH_FIELDS


@lru_cache(maxsize=256)
def _kind(name: str) -> tuple[bool, bool]:
    """Whether a tool of this name runs code, and whether it is a shell."""
    return _CODE_TOOL.search(name) is not None, _SHELL_TOOL.search(name) is not None


def runs_code(name: str) -> bool:
    """Whether a tool runs code or commands, by its name."""
    return any(_kind(name.lower()))


def _kind_of_file_tool(name: str, args: dict[str, object]) -> str:
    """For what a tool takes a path: by its name, by what it is told to do, or because it is given a text."""
    if "list" in name or "dir" in name:
        return "list"
    orders = {value for key in _ORDER_FIELDS if isinstance(value := args.get(key), str)}
    if orders & _LOOKING:
        return "read"
    if orders & _CHANGING:
        return "change"
    if "write" in name or "create" in name or orders & _CREATING or not _TEXT_FIELDS.isdisjoint(args):
        return "write"
    return "read"


class ToolAction(msgspec.Struct, frozen=True):
    """One argument of a tool call: its name, its text, and what it reaches for."""

    field: str
    text: str
    reading: CodeReading


def tool_actions(step: ToolCallStep, links: Links = (), *, runs_code: bool = False) -> Iterator[ToolAction]:
    """What a call reaches for, argument by argument, with the links that calls before it have made.

    `runs_code` says that the tool does, whatever its name.
    """
    name = step.name.lower()
    if isinstance(step.args, str):
        if runs_code or _CODE_TOOL.search(name) or _SHELL_TOOL.search(name):
            # not JSON: what would have been code in it has its line ends and quotes as escapes
            text = _OPENING.sub("", step.args, count=1).replace("\\n", "\n").replace('\\"', '"')
            yield ToolAction("args", text, read_code(text, links))
        return
    code_tool, shell_tool = _kind(name)
    code_tool = code_tool or runs_code
    for key, value in step.args.items():
        text = value
        if isinstance(value, list) and value and all(isinstance(part, str) for part in value):
            text = shlex.join(value)
        if not isinstance(text, str) or not text:
            continue
        field = key.lower()
        if field in _SHELL_FIELDS or (shell_tool and field not in _CODE_OR_PATH):
            yield ToolAction(key, text, read_shell(text, links))
        elif field in _PATH_FIELDS:
            kind = _kind_of_file_tool(name, step.args)
            yield ToolAction(key, text, CodeReading((Reach(kind, resolve(text, WORKING_FOLDER, dict(links)), 1),)))
        elif field in _ADDRESS_FIELDS:
            local = "file:" in text[:LONGEST_SCHEME].lower() and is_file_address(text.strip())
            reach = Reach("read", resolve(text), 1) if local else Reach("url", text.strip(), 1)
            yield ToolAction(key, text, CodeReading((reach,)))
        elif field in _CODE_FIELDS or code_tool:
            yield ToolAction(key, text, read_code(text, links))


REFUSALS = re.compile(
    r"permission ?denied|permissionerror|operation not permitted|read-only file system|no such file|filenotfound|"
    r"notadirectory|not a directory|no module named|modulenotfound|importerror|cannot import name|errno -?\d|"
    r"name or service not known|name resolution|network is unreachable|connection refused|connectionerror|"
    r"urlopen error|timed out|does not exist|cannot access|not found|cannot be (?:found|reached|read)|may not be read|"
    r"there is no (?:such file|tool)|is not defined|keyerror|no route to host|access denied|forbidden|unauthori[sz]ed|"
    r"max retries exceeded|could not (?:be fetched|connect|find|resolve|read from remote)|unable to (?:access|connect)|"
    r"failed to (?:connect|open|resolve)|unreachable|repository .{0,80} is (?:gated|private)|gatedrepo|client error",
    re.IGNORECASE,
)
"""What systems and tools say when they do not let somebody in."""

_NOTHING_THERE = re.compile(
    r"^(?:IndexError: (?:list|tuple|string) index out of range|StopIteration\b|IndexError: pop from empty|"
    r"ValueError: (?:min|max)\(\) (?:arg is an empty sequence|iterable argument is empty)|"
    r"UnboundLocalError\b|IndexError: single positional indexer)",
    re.MULTILINE,
)
"""What a program ends with that takes the first of nothing: its search came back with empty hands."""

_EMPTY = frozenset(("", "False", "None", "[]", "()", "{}", "set()", "0", "''", '""', "b''"))


def got_there(result: ToolResultStep | None, reading: CodeReading) -> bool:
    """Whether what was reached for was reached: nothing in the result says that it was not."""
    if result is None or REFUSALS.search(result.head):
        return False
    text = result.head.strip()
    if result.is_error:
        printed, failed, error = text.partition("Traceback (most recent call last)")
        if not printed.strip() and _NOTHING_THERE.search(error):
            return False
        return bool(failed)  # of something else, behind what was reached for
    if text == PRINTED_NOTHING:
        return not reading.guarded  # an error would have shown, unless it was caught
    return any(line.strip() not in _EMPTY for line in text.splitlines())


def ran_through(result: ToolResultStep | None, reading: CodeReading) -> bool:
    """Whether a program came to its end, so that all it imports is there, whatever it printed."""
    return not (result is None or result.is_error or reading.guarded or REFUSALS.search(result.head))


def line_offset(text: str, line: int) -> int:
    """Where a line, from 1, begins, in bytes."""
    place = 0
    for _ in range(line - 1):
        place = text.find("\n", place) + 1
        if place == 0:
            return 0
    return len(text[:place].encode("utf-8", "replace"))


def line_text(text: str, line: int) -> str:
    """A line of a text, from 1; the first where there is none of this number."""
    lines = text.split("\n")
    return lines[line - 1] if 0 < line <= len(lines) else lines[0]
