"""Which file came with a task, and did any call open it? For "answers without opening the attached file"."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile

from gaia_harness import protocol
from gaia_harness.audit.evidence import TaskEvidence
from gaia_harness.audit.timeline import Surroundings, strings
from gaia_harness.records.steps import Prompt, Step, ToolCallStep, ToolResultStep

_NAMED = re.compile(
    rf"(?:{re.escape(protocol.ATTACHMENT.format(name='').strip())} |{protocol.FILE_OFFERED} \\?\")"
    rf"({protocol.ATTACHMENT_NAME})"
)
_WORD = re.compile(r"[\w.-]*[\w-]")
OURS = Surroundings(tools=protocol.OWN_ROLES)
IN_THE_FOLDER = re.compile(r"listdir|scandir|iterdir|\bwalk\(|glob|\bls\b|\bfind \.")


def left_unopened(task: TaskEvidence) -> bool:
    """Whether the agent was given a file with the question and no call opened it: what the answer is from is not seen.

    By the record alone, so that a report is the same with the data set at hand and without it.
    """
    declared = _names(task.around.attachments)
    for moment in takewhile(lambda moment: moment.origin == "given", task.timeline):
        name = file_named(moment.text)
        if declared and not name and type(moment.step) is Prompt and moment.step.role == "user":
            name = next((word for word in _WORD.findall(moment.text) if word in declared), "")
        if name:
            return not opened_the_attachment(task.steps, name, task.around)
    return False


def file_named(text: str) -> str:
    """The name of the task's file in a prompt or a tool catalogue of ours; empty where there is none."""
    found = _NAMED.search(text) if "attachment" in text else None
    return "" if found is None else found[1]


@lru_cache(maxsize=4)
def _names(paths: tuple[str, ...]) -> frozenset[str]:
    """The last words of these paths: a name with spaces is several words of a prompt."""
    return frozenset(path.rpartition("/")[2].rpartition(" ")[2] for path in paths)


def opened_the_attachment(steps: Sequence[Step], name: str, around: Surroundings = OURS) -> bool:
    """Whether any call opened the task's file, or may have done so: one that names it is believed to."""
    results = (step for step in steps if isinstance(step, ToolResultStep) and not step.is_error)
    worked = {(step.attempt, step.turn, step.call_id) for step in results}
    calls = (step for step in steps if isinstance(step, ToolCallStep))
    return any(_opens(call, name, around, (call.attempt, call.turn, call.call_id) in worked) for call in calls)


def _opens(call: ToolCallStep, name: str, around: Surroundings, worked: bool) -> bool:
    text = "\n".join(strings(call.args))
    match around.role(call.name):
        case "search" | "answer":
            return False
        case "read":  # a tool that reads files has no other to read
            return worked
        case "fetch":  # a page of the web is none, whatever its name
            return name in text and text[:4].lower() != "http"
        case "look":
            return name in text
        case _:  # code may come upon the file in its folder, or in what was cut
            near = call.args_truncated or around.workdir in text or IN_THE_FOLDER.search(text)
            return name in text or bool(near)
