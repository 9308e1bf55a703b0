"""Which file came with a task, and did any call open it? For "answers without opening the attached file"."""

import re
from collections.abc import Sequence

from gaia_harness import protocol
from gaia_harness.audit.timeline import Surroundings, strings
from gaia_harness.errors import EvidenceError
from gaia_harness.evidence.bodies import TextStore
from gaia_harness.records.steps import Prompt, Step, ToolCallStep, ToolResultStep

_NAMED = re.compile(rf"{re.escape(protocol.ATTACHMENT.format(name='').strip())} ({protocol.ATTACHMENT_NAME})")
_OFFERED = re.compile(rf'{protocol.FILE_OFFERED} \\?"({protocol.ATTACHMENT_NAME})\\?"')
_NEAR_THE_FILE = re.compile(rf"{protocol.WORKING_FOLDER}\b|listdir|scandir|iterdir|\bwalk\(|glob|\bls\b|\bfind \.")


def attachment_of(steps: Sequence[Step], prompts: TextStore) -> str:
    """The name under which the agent was given the task's file; empty where it was given none."""
    asked = (step for step in steps if isinstance(step, Prompt) and step.role == "user")
    return next((name for step in asked if (name := _name(_NAMED, step, prompts))), "")


def file_offered(catalogue: Prompt, prompts: TextStore) -> str:
    """The name of the task's file in what the agent was told of its tools; empty where it was offered none."""
    return _name(_OFFERED, catalogue, prompts)


def _name(pattern: re.Pattern[str], step: Prompt, prompts: TextStore) -> str:
    found = pattern.search(step.head)
    if found is None and step.truncated:
        try:
            found = pattern.search(prompts.get(step.stored_sha256).decode("utf-8", "replace"))
        except EvidenceError:  # that it is missing is for the verifier to say
            return ""
    return "" if found is None else found[1]


def opened_the_attachment(steps: Sequence[Step], name: str, around: Surroundings | None = None) -> bool:
    """Whether any call opened the task's file, or may have done so: code that names it is believed to.

    A tool that reads files has no other to read; of any other tool's call that was cut nobody can tell.
    """
    around = around or Surroundings(tools=protocol.OWN_ROLES)
    worked = {(s.attempt, s.turn, s.call_id) for s in steps if isinstance(s, ToolResultStep) and not s.is_error}
    for step in steps:
        if not isinstance(step, ToolCallStep) or (role := around.role(step.name)) in ("search", "fetch"):
            continue
        if role == "read":
            if (step.attempt, step.turn, step.call_id) in worked:
                return True
        elif step.args_truncated or any(name in text or _NEAR_THE_FILE.search(text) for text in strings(step.args)):
            return True
    return False
