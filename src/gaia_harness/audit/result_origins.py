"""Where a tool result can come from: the task's attachment, the agent's own text, or elsewhere."""

import re
from collections.abc import Sequence

from gaia_harness import protocol
from gaia_harness.audit.code_reading import Reach
from gaia_harness.audit.prompt_texts import ATTACHMENT
from gaia_harness.audit.tool_calls import tool_actions
from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.records.steps import Prompt, Step, ToolCallStep, ToolResultStep

LONGEST_CODE = 16 << 10

_TAKES = re.compile(
    r"open|read|load|file|url|get|post|fetch|request|download|socket|connect|popen|system|run|output|exec|eval|import"
    r"|parse|input|path|glob|listdir|scandir|walk|iterdir|namelist|extract|codecs|image|document|workbook|presentation",
    re.IGNORECASE,
)
"""Names of functions that bring in what was not in the code."""
_LISTS = re.compile(r"(?:listdir|scandir|walk|iterdir)$")
_PLACE = re.compile(r"/|\.\w{1,8}$")
_HERE = re.compile(r"(?:\./)?\*[^/]*$")
_GOES_OUT = re.compile(
    r"https?:|urllib|urlopen|requests|httpx|aiohttp|socket|curl|wget|ftp|load_dataset|hf_hub|snapshot_download|selenium"
    r"|playwright|huggingface|browser",
    re.IGNORECASE,
)
_NEAR_THE_FILE = re.compile(rf"{protocol.WORKING_FOLDER}\b|listdir|scandir|iterdir|\bwalk\(|glob|\bls\b|\bfind \.")
_OFFERED = re.compile(rf'{protocol.FILE_OFFERED} \\?"({protocol.ATTACHMENT_NAME})\\?"')
_WRITES = re.compile(r"(\S+) [wax]b?\+?$")


def attachment_of(steps: Sequence[Step], prompts: TextStore) -> str:
    """The name under which the agent was given the task's file; empty where it was given none."""
    for step in steps:
        if isinstance(step, Prompt) and step.role == "user":
            line = ATTACHMENT.search(step.head) or (
                ATTACHMENT.search(_whole(step, prompts)) if step.truncated else None
            )
            if line is not None:
                return line.group().split()[-1]
    return ""


def file_offered(catalogue: Prompt, prompts: TextStore) -> str:
    """The name of the task's file in what the agent was told of its tools; empty where it was offered none."""
    offered = _OFFERED.search(catalogue.head) or (
        _OFFERED.search(_whole(catalogue, prompts)) if catalogue.truncated else None
    )
    return "" if offered is None else offered[1]


def _whole(step: Prompt, prompts: TextStore) -> str:
    try:
        return prompts.get(step.stored_sha256).decode("utf-8", "replace")
    except EvidenceError:
        return ""


def reads_the_attachment(call: ToolCallStep | None, name: str) -> bool:
    """Whether a call reads the task's file, and nothing beside it."""
    if call is None or not name:
        return False
    if call.name == protocol.FILE_READ:
        path = call.args.get("path") if isinstance(call.args, dict) else None
        return isinstance(path, str) and (_of(path.strip(), name) or path.strip() == "")
    found = _taken(call)
    if found is None or not found:
        return False
    kept = {name, *(written[1] for _, what in found if (written := _WRITES.match(what)))}
    places = [(function, what.split(" ")[0]) for function, what in found if what and not _WRITES.match(what)]
    elsewhere = (place for _, place in places if _PLACE.search(place) and not _HERE.match(place))
    if any(not any(_of(place, each) for each in kept) for place in elsewhere):
        return False
    return any(_of(place, name) or _LISTS.search(function) or _HERE.match(place) for function, place in places)


def stays_here(call: ToolCallStep | None) -> bool:
    """Whether a call reads what is on the machine: no tool of the web, and nothing in it that goes there."""
    if call is None or call.name in protocol.WEB_TOOLS or call.args_truncated:
        return False
    return _GOES_OUT.search(str(call.args)) is None


def names_the_file(call: ToolCallStep, name: str) -> bool:
    """Whether a call has to do with the task's file: by its name, by its folder, or by listing what is there."""
    said = str(call.args)
    return call.name not in protocol.WEB_TOOLS and (name in said or _NEAR_THE_FILE.search(said) is not None)


def opened_the_attachment(steps: Sequence[Step], name: str) -> bool:
    """Whether any call opened the task's file, or may have done so: code that names it is believed to."""
    worked = {(s.attempt, s.turn, s.call_id) for s in steps if isinstance(s, ToolResultStep) and not s.is_error}
    for step in steps:
        if isinstance(step, ToolCallStep):
            if step.name == protocol.FILE_READ:
                if (step.attempt, step.turn, step.call_id) in worked:
                    return True
            elif names_the_file(step, name) or (step.args_truncated and step.name not in protocol.WEB_TOOLS):
                return True
    return False


def fetches(call: ToolCallStep | None) -> bool:
    """Whether what a call gave back may hold anything but its own words and what was worked out from them."""
    return call is None or (found := _taken(call)) is None or bool(found)


def _of(path: str, name: str) -> bool:
    path = path.removeprefix(f"{protocol.WORKING_FOLDER}/").removeprefix("./")
    return path == name or path.startswith(f"{name}/")


def _taken(call: ToolCallStep) -> list[tuple[str, str]] | None:
    """Functions by which code takes something in, each with what it is told; None where nobody can say."""
    if call.args_truncated or not isinstance(call.args, dict) or not call.name.startswith(protocol.PYTHON):
        return None
    taken: list[tuple[str, str]] = []
    for action in tool_actions(call):
        if len(action.text) > LONGEST_CODE:
            return None
        calling = _lines_of_calls(action.reading.reaches)
        for reach in action.reading.reaches:
            if reach.kind in ("module", "write", "change", "make", "unpack", "look"):
                continue
            if reach.kind in ("read", "list") and reach.line in calling:
                continue  # it is the file that this call names: the call says it all
            if reach.kind != "call":
                return None
            function, _, what = reach.target.partition("\0")
            if _TAKES.search(function) or what.startswith("attachment"):
                taken.append((function, what))
    return taken


def _lines_of_calls(reaches: Sequence[Reach]) -> frozenset[int]:
    return frozenset(reach.line for reach in reaches if reach.kind == "call" and "\0" in reach.target)
