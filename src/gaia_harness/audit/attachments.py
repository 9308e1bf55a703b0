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
        text = "\n".join(strings(step.args))
        if role == "read":
            opened = (step.attempt, step.turn, step.call_id) in worked
        elif role in ("fetch", "look"):  # a page of the web is none, whatever its name
            opened = name in text and not (role == "fetch" and text[:4].lower() == "http")
        else:
            near = step.args_truncated or around.workdir in text or IN_THE_FOLDER.search(text)
            opened = bool(name in text or near)
        if opened:
            return True
    return False
