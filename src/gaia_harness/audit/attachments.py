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
_WORD = re.compile(r"[\w.-]+")
IN_THE_FOLDER = re.compile(r"listdir|scandir|iterdir|\bwalk\(|glob|\bls\b|\bfind \.")


def left_unopened(task: TaskEvidence) -> bool:
    """Whether the agent was given a file with the question and no call opened it: what the answer is from is not seen.

    By the record alone, so that a report is the same with the data set at hand and without it.
    """
    name = _file_of(task)
    return bool(name) and not opened_the_attachment([moment.step for moment in task.timeline], name, task.around)


def file_named(text: str) -> str:
    """The name of the task's file in a prompt or a tool catalogue of ours; empty where there is none."""
    found = _NAMED.search(text)
    return "" if found is None else found[1]


def _file_of(task: TaskEvidence) -> str:
    """How the file is called that the first prompts name: as our own loop does it, or as the run declares its files."""
    declared = _names(task.around.attachments)
    for moment in takewhile(lambda moment: moment.origin == "given", task.timeline):
        if name := file_named(moment.text):
            return name
        if type(moment.step) is Prompt and moment.step.role == "user" and any(name in moment.text for name in declared):
            words = (word[0].rstrip(".") for word in _WORD.finditer(moment.text))
            if named := next((word for word in words if word in declared), None):
                return named
    return ""


@lru_cache(maxsize=4)
def _names(paths: tuple[str, ...]) -> frozenset[str]:
    return frozenset(path.rpartition("/")[2].rpartition(" ")[2] for path in paths)


def opened_the_attachment(steps: Sequence[Step], name: str, around: Surroundings | None = None) -> bool:
    """Whether any call opened the task's file, or may have done so: one that names it is believed to.

    A tool that reads files has no other to read. Code may come upon the file in its folder, or in what was cut.
    """
    around = around or Surroundings(tools=protocol.OWN_ROLES)
    worked = {(s.attempt, s.turn, s.call_id) for s in steps if isinstance(s, ToolResultStep) and not s.is_error}
    for step in steps:
        if not isinstance(step, ToolCallStep) or (role := around.role(step.name)) in ("search", "answer"):
            continue
        if role == "read":
            if (step.attempt, step.turn, step.call_id) in worked:
                return True
            continue
        text = "\n".join(strings(step.args))
        if role == "fetch" and "http" in text[:4].lower():  # a page of the web, whatever its name
            continue
        near = step.args_truncated or around.workdir in text or IN_THE_FOLDER.search(text)
        if name in text or (near and role not in ("fetch", "look")):
            return True
    return False
