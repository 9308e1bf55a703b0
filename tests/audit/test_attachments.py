"""A file that came with a task counts as opened by whatever names it or may come upon it, by the role of the tool."""

import msgspec
import pytest
from audit_samples import SampleRun

from gaia_harness.audit.attachments import left_unopened
from gaia_harness.audit.timeline import Surroundings
from gaia_harness.records.steps import Prompt, ToolCallStep, ToolResultStep

TOOLS = {"find": "search", "visit": "fetch", "shell": "code", "peek": "read", "ask": "delegate"}
AROUND = Surroundings(tools=TOOLS, workdir="/desk", attachments=("/desk/tides 1911.csv", "/desk/map.png"))


def task_with(tmp_path, asked: str, *calls: tuple[str, str, bool]):
    """A task with this prompt and these calls: tool, argument, and whether it failed."""
    task = next(iter(SampleRun(tmp_path).add(0).open().tasks()))
    prompt = next(step for step in task.trajectory.steps if isinstance(step, Prompt) and step.role == "user")
    call = next(step for step in task.trajectory.steps if isinstance(step, ToolCallStep))
    result = next(step for step in task.trajectory.steps if isinstance(step, ToolResultStep))
    steps = [msgspec.structs.replace(prompt, head=asked)]
    for number, (tool, argument, failed) in enumerate(calls):
        same = {"name": tool, "call_id": str(number)}
        steps.append(msgspec.structs.replace(call, args={"what": argument}, **same))
        steps.append(msgspec.structs.replace(result, is_error=failed, **same))
    task.trajectory = msgspec.structs.replace(task.trajectory, steps=tuple(steps))
    task.around = AROUND
    return task


@pytest.mark.parametrize(
    ("call", "unopened"),
    [
        (("find", "map.png", False), True),
        (("visit", "https://a.example/", False), True),
        (("visit", "/desk/map.png", False), False),
        (("shell", "print(1)", False), True),
        (("shell", "ls", False), False),
        (("shell", "open('/desk/x')", False), False),
        (("ask", "what is in map.png?", False), False),
        (("peek", "it", False), False),
        (("peek", "it", True), True),
    ],
)
def test_a_declared_file_that_a_prompt_names_is_opened_by_a_call(tmp_path, call, unopened):
    assert left_unopened(task_with(tmp_path, "How deep is it? See map.png.", call)) is unopened


def test_only_a_file_that_the_prompt_names_can_be_left_unopened(tmp_path):
    assert left_unopened(task_with(tmp_path, "How deep is it?")) is False
    assert left_unopened(task_with(tmp_path, "How deep is it? The file is /desk/tides 1911.csv")) is True
