"""Sums up the steps of a trajectory, and tests whether the answer appears in what the model said."""

from collections.abc import Callable, Iterator

import msgspec

from gaia_harness.audit.tool_calls import runs_code
from gaia_harness.normalization import words
from gaia_harness.records.masks import SHORTEST_SECRET
from gaia_harness.records.steps import Answer, LlmCall, Prompt, ToolCallStep, ToolResultStep
from gaia_harness.records.trajectories import Trajectory

MOST_WORDS = 200
"""Replies of an attempt in which its answer is looked for, from the last one back: six times the turns we allow."""

MOST_PROMPTS = 50
"""Prompts in which the question is looked for: it stands in the first ones."""


class Work(msgspec.Struct):
    """What the steps of a trajectory add up to."""

    turns: int = 0
    calls: list[LlmCall] = []  # of the model, by every attempt
    asked: set[str] = set()  # tools by name
    used: set[str] = set()  # those that were asked properly and gave back something
    prompts: list[Prompt] = []
    sent: bool = False  # whether any request is said to have left
    last_calls: list[ToolCallStep] = []  # in the selected attempt, behind its last reply
    closing: list[LlmCall] = []  # the replies of the selected attempt
    kept: list[ToolResultStep] = []  # whose whole output is said to be kept
    handed_in: Answer | None = None  # the last answer of the selected attempt that was not given in words


def work_of(trajectory: Trajectory) -> Work:
    """Add the steps of a trajectory up."""
    work = Work()
    attempt = turn = 0
    selected = trajectory.selected_attempt
    well_asked: set[str] = set()
    for step in trajectory.steps:
        if step.turn != turn or step.attempt != attempt:
            attempt, turn = step.attempt, step.turn
            work.turns += 1
        if type(step) is Prompt:
            if not work.sent:
                work.sent = step.context_sha256 is not None
            if step.role not in ("context", "tools") and len(work.prompts) < MOST_PROMPTS:
                work.prompts.append(step)
        elif type(step) is ToolResultStep:
            if step.body:
                work.kept.append(step)
            if not step.is_error and step.name in well_asked:
                work.used.add(step.name)
        elif type(step) is ToolCallStep:
            work.asked.add(step.name)
            if isinstance(step.args, dict):
                well_asked.add(step.name)
            if attempt == selected:
                work.last_calls.append(step)
        elif type(step) is Answer:
            if attempt == selected:
                work.handed_in = step
        elif type(step) is LlmCall:
            work.calls.append(step)
            if attempt == selected:
                work.closing.append(step)
                work.last_calls.clear()
    return work


def said_something(call: LlmCall) -> bool:
    """By its tokens, or where they were not counted, by its words; what calls a tool has neither to be silent."""
    if call.tokens_out is not None:
        return call.tokens_out > 0
    return call.bytes > 0 or call.stop_reason in ("tool_calls", "tool_use", "function_call")


def may_hide(call: LlmCall, answer: str, whole: Callable[[LlmCall], str]) -> bool:
    """Whether an answer may stand in what cannot be read of a reply: behind its cut, or behind a mask."""
    cut = call.truncated and whole(call) is call.head
    return cut or (call.redactions > 0 and len(answer) >= SHORTEST_SECRET)


def stands_in(answer: str, work: Work, whole: Callable[[LlmCall], str]) -> bool:
    """Whether the answer stands in the replies (`whole` gives their text), or in what the last one asked a tool for."""
    texts: Iterator[str] = (whole(call) for call in reversed(work.closing[-MOST_WORDS:]))
    squeezed = words(answer, keep_punctuation=False)
    for text in texts:
        if answer in text or (squeezed and squeezed in words(text, keep_punctuation=False)):
            return True
    for call in work.last_calls[:MOST_WORDS]:  # an agent may hand its answer in by a tool
        asked = call.args if isinstance(call.args, str) else " ".join(map(str, call.args.values()))
        if answer in asked or (squeezed and squeezed in words(asked, keep_punctuation=False)):
            return True
    return False


def came_up(answer: str, trajectory: Trajectory, code_tools: frozenset[str]) -> bool:
    """Whether a handed-in answer may be from the work of its attempt: it stands there, or may stand where nobody sees.

    That is what was cut or masked, and what code has computed.
    """
    squeezed = words(answer, keep_punctuation=False)
    for step in trajectory.steps:
        if step.attempt != trajectory.selected_attempt:
            continue
        if type(step) is ToolCallStep:
            if step.name in code_tools or runs_code(step.name) or step.args_truncated:
                return True
            texts = [step.args if isinstance(step.args, str) else " ".join(map(str, step.args.values()))]
        elif type(step) is ToolResultStep or type(step) is LlmCall:
            thoughts = step.thoughts if type(step) is LlmCall else None
            if step.truncated or step.redactions or (thoughts is not None and thoughts.truncated):
                return True
            texts = [step.head, "" if thoughts is None else thoughts.head]
        else:
            continue
        if any(answer in text or (squeezed and squeezed in words(text, keep_punctuation=False)) for text in texts):
            return True
    return False
